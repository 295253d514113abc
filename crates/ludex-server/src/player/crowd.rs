//! Who is connected, so that nobody keeps the others out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

/// The connections there are.
#[derive(Debug, Default)]
pub(super) struct Crowd(Mutex<Connections>);

#[derive(Debug, Default)]
struct Connections {
    next: u64,
    open: usize,
    /// Those from which a message is still to come, the oldest first.
    silent: BTreeMap<u64, Option<AbortHandle>>,
}

impl Crowd {
    fn lock(&self) -> MutexGuard<'_, Connections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets one more in. Where there is no room for it, the one from which a message has been awaited for
    /// longest has to go; `None` where all others are being answered.
    pub(super) fn enter(self: &Arc<Self>, most: usize) -> Option<Visitor> {
        let mut connections = self.lock();
        if connections.open >= most {
            let evicted = connections.silent.pop_first()?;
            if let Some(handle) = evicted.1 {
                handle.abort();
            }
        }
        connections.open += 1;
        connections.next += 1;
        let number = connections.next;
        connections.silent.insert(number, None);
        Some(Visitor { crowd: Arc::clone(self), number, handle: None })
    }

    /// How many are connected.
    pub(super) fn count(&self) -> usize {
        self.lock().open
    }

    /// Sends away all from which a message is still to come.
    pub(super) fn dismiss_silent(&self) {
        for handle in std::mem::take(&mut self.lock().silent).into_values().flatten() {
            handle.abort();
        }
    }
}

/// A connection among others, as long as it is there.
#[derive(Debug)]
pub(super) struct Visitor {
    crowd: Arc<Crowd>,
    number: u64,
    handle: Option<AbortHandle>,
}

impl Visitor {
    /// Says which task serves it: it is called when the task begins.
    pub(super) fn served_by(&mut self, handle: AbortHandle) {
        self.handle = Some(handle);
        self.listen();
    }

    /// A message is awaited.
    pub(super) fn listen(&self) {
        self.crowd.lock().silent.insert(self.number, self.handle.clone());
    }

    /// A message was read and is to be answered.
    pub(super) fn answer(&self) {
        self.crowd.lock().silent.remove(&self.number);
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        let mut connections = self.crowd.lock();
        connections.open -= 1;
        connections.silent.remove(&self.number);
    }
}
