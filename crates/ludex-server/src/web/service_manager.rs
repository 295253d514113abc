//! What the service manager of the system (systemd) is told: that the server answers, that it still does, that it ends.
//! Where there is none, nobody is told anything.

#[cfg(unix)]
use std::time::Duration;

#[cfg(unix)]
use sd_notify::{NotifyState, notify, watchdog_enabled};

/// Tells that the server answers from now on.
pub(super) fn ready() {
    #[cfg(unix)]
    tell(NotifyState::Ready);
}

/// Tells that the server ends.
pub(super) fn ending() {
    #[cfg(unix)]
    tell(NotifyState::Stopping);
}

/// Tells again and again that the server goes on, where that is wanted; it is to run on the thread that answers
/// requests, so that it says something.
pub(super) async fn alive() {
    #[cfg(unix)]
    if let Some(patience) = watchdog_enabled() {
        loop {
            tell(NotifyState::Watchdog);
            // Twice as often as it has to be, as `sd_watchdog_enabled(3)` advises.
            tokio::time::sleep((patience / 2).max(Duration::from_millis(1))).await;
        }
    }
    std::future::pending::<()>().await;
}

#[cfg(unix)]
fn tell(state: NotifyState<'_>) {
    if let Err(error) = notify(&[state]) {
        tracing::warn!(%error, "the service manager cannot be told how the server is");
    }
}
