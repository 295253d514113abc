//! How many files and connections the process may have open at once.

/// Raises the limit of this process as far as the system lets it. Many systems begin with few, for programs
/// of the last century; a server has a connection for each that somebody keeps waiting. The log says so where
/// fewer than `wanted` are allowed. Gives what is allowed, if that is known.
pub fn raise_limit(wanted: u64) -> Option<u64> {
    // Systems that know no such limit say that there is none.
    let raised = rlimit::increase_nofile_limit(u64::MAX);
    match &raised {
        Ok(limit) if *limit < wanted => {
            tracing::warn!("only {limit} files and connections can be open at once; `ulimit -n` allows more");
        }
        Ok(limit) => tracing::debug!(limit, "files and connections that can be open at once"),
        Err(error) => tracing::warn!(%error, "the limit of open files cannot be raised"),
    }
    raised.ok()
}
