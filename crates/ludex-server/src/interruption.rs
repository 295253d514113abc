//! How the programs here are asked to end.

/// Notices that the process is interrupted, or told to end, from the moment it is made: before, the system
/// ends the process without asking it.
#[derive(Debug)]
pub(crate) struct Interruption {
    /// None where the system does not give any.
    #[cfg(unix)]
    signals: Option<[tokio::signal::unix::Signal; 2]>,
}

impl Interruption {
    /// Is to be called within a runtime.
    pub(crate) fn begin() -> Self {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let end = signal(SignalKind::terminate());
            let interrupt = signal(SignalKind::interrupt());
            Self { signals: end.ok().zip(interrupt.ok()).map(<[_; 2]>::from) }
        }
        #[cfg(not(unix))]
        Self {}
    }

    /// Comes back when it happens, or has happened since the beginning.
    pub(crate) async fn happens(self) {
        #[cfg(unix)]
        if let Some([mut end, mut interrupt]) = self.signals {
            tokio::select! {
                _ = end.recv() => {}
                _ = interrupt.recv() => {}
            }
            return;
        }
        if tokio::signal::ctrl_c().await.is_err() {
            // Nobody can interrupt it, so it runs until it is killed.
            std::future::pending::<()>().await;
        }
    }
}
