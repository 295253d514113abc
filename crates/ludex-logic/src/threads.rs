//! Threads, as far as the system has any left.

use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Begins a thread for each piece of work, in order, until the system has none left; what comes after is dropped.
///
/// [`Scope::spawn`] panics there. Whoever calls this does the work that is left on the thread that it has, or does
/// without.
pub fn begin_threads<'scope, F, T>(
    scope: &'scope Scope<'scope, '_>,
    work: impl IntoIterator<Item = F>,
) -> Vec<ScopedJoinHandle<'scope, T>>
where
    F: FnOnce() -> T + Send + 'scope,
    T: Send + 'scope,
{
    work.into_iter().map_while(|work| Builder::new().spawn_scoped(scope, work).ok()).collect()
}
