//! How the programs here are asked to end.

/// Comes back when the process is interrupted or told to end.
pub(crate) async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut end) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = end.recv() => return,
                result = tokio::signal::ctrl_c() => if result.is_ok() { return },
            }
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // Nobody can interrupt it, so it runs until it is killed.
        std::future::pending::<()>().await;
    }
}
