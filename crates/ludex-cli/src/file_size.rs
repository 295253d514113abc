//! How large the files of the process may become.

/// A write that would make a file larger than the system allows (`ulimit -f`) ends a process by a signal, if
/// nothing is done about that. From now on such a write fails, and is told as that of a full disk is.
pub fn let_writes_fail() {
    #[cfg(unix)]
    {
        use std::sync::Arc;
        use std::sync::atomic::AtomicBool;
        // Nobody asks whether it came: the write that failed says so. Where it cannot be done all is as it was.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
    }
}
