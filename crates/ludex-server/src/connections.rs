//! Who is connected, so that nobody keeps the others out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::lock::lock;
use tokio::task::AbortHandle;

/// The connections there are.
#[derive(Debug, Default)]
pub(crate) struct ConnectionBudget(Mutex<Connections>);

#[derive(Debug, Default)]
struct Connections {
    next: u64,
    open: usize,
    /// Those from which a message is still to come, the one that it is awaited from for longest first.
    silent: BTreeMap<u64, Option<AbortHandle>>,
}

impl Connections {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl ConnectionBudget {
    /// Lets one more in. Where there is no room for it, the one from which a message has been awaited for
    /// longest has to go; `None` where all others are being answered.
    pub(crate) fn enter(self: &Arc<Self>, most: usize) -> Option<Visitor> {
        let mut connections = lock(&self.0);
        if connections.open >= most {
            let evicted = connections.silent.pop_first()?;
            if let Some(handle) = evicted.1 {
                handle.abort();
            }
        }
        connections.open += 1;
        let since = connections.number();
        connections.silent.insert(since, None);
        Some(Visitor { budget: Arc::clone(self), since: Mutex::new(since), handle: None })
    }

    /// How many are connected.
    pub(crate) fn count(&self) -> usize {
        lock(&self.0).open
    }

    /// Sends away all from which a message is still to come.
    pub(crate) fn dismiss_silent(&self) {
        for handle in std::mem::take(&mut lock(&self.0).silent).into_values().flatten() {
            handle.abort();
        }
    }
}

/// A connection among others, as long as it is there.
#[derive(Debug)]
pub(crate) struct Visitor {
    budget: Arc<ConnectionBudget>,
    /// Its place among those from which a message is awaited, or was.
    since: Mutex<u64>,
    handle: Option<AbortHandle>,
}

impl Visitor {
    /// Says which task serves it: it is called when the task begins.
    pub(crate) fn served_by(&mut self, handle: AbortHandle) {
        self.handle = Some(handle);
        self.listen();
    }

    /// A message is awaited.
    pub(crate) fn listen(&self) {
        let mut since = lock(&self.since);
        let mut connections = lock(&self.budget.0);
        connections.silent.remove(&since);
        *since = connections.number();
        connections.silent.insert(*since, self.handle.clone());
    }

    /// A message was read and is to be answered.
    pub(crate) fn answer(&self) {
        let since = lock(&self.since);
        lock(&self.budget.0).silent.remove(&since);
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        let since = *lock(&self.since);
        let mut connections = lock(&self.budget.0);
        connections.open -= 1;
        connections.silent.remove(&since);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection that is served until it is evicted.
    fn begin(budget: &Arc<ConnectionBudget>, most: usize) -> Option<(Visitor, tokio::task::JoinHandle<()>)> {
        let mut visitor = budget.enter(most)?;
        let task = tokio::spawn(std::future::pending());
        visitor.served_by(task.abort_handle());
        Some((visitor, task))
    }

    #[tokio::test]
    async fn who_was_silent_for_longest_goes_and_nobody_who_is_answered() {
        let budget = Arc::new(ConnectionBudget::default());
        let mut others: Vec<_> = (0..3).map(|_| begin(&budget, 3).unwrap()).collect();
        let (first, second) = (others.remove(0), others.remove(0));
        first.0.answer();
        first.0.listen();
        let fourth = begin(&budget, 3).unwrap();
        assert!(
            second.1.await.is_err_and(|error| error.is_cancelled()),
            "it was silent before the first one"
        );
        drop(second.0);
        for (visitor, _) in others.iter().chain([&first, &fourth]) {
            visitor.answer();
        }
        assert!(begin(&budget, 3).is_none(), "all are being answered");
        first.0.listen();
        assert!(begin(&budget, 3).is_some() && first.1.await.is_err());
        assert!(!others[0].1.is_finished() && !fourth.1.is_finished());
    }
}
