//! The machine a player thinks with: the seat's at first, a faster one as soon as there is one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread::Builder;
use std::time::Duration;

use ludex_game::{Answer, Machine, State};
use ludex_logic::{Budget, TermId};

use crate::player::{Seat, Upgrade};

type Made = Result<Arc<dyn Machine>, String>;

/// The part of the start clock that is waited for a faster machine at most; the rest is for thinking.
const WAIT_SHARE: f64 = 0.8;

/// Who waits for a machine looks so often whether it is called off.
const LOOK: Duration = Duration::from_millis(10);

/// Why there is no faster machine where its making ended without a word.
const BROKEN_OFF: &str = "the making of a faster machine broke off";

/// Makes a faster machine on another thread, so that a slow one never costs a move.
pub(crate) struct EngineUpgrade {
    seat: Seat,
    machine: Arc<dyn Machine>,
    pending: Option<Receiver<Made>>,
    cancel: Option<Arc<AtomicBool>>,
    /// Why there is no faster machine, where there is none.
    refusal: Option<String>,
}

impl EngineUpgrade {
    /// A upgrade with nothing but the seat's machine.
    pub(crate) fn new(seat: Seat) -> Self {
        let machine = Arc::clone(&seat.machine);
        Self { seat, machine, pending: None, cancel: None, refusal: None }
    }

    /// The best machine so far.
    pub(crate) fn machine(&self) -> &Arc<dyn Machine> {
        &self.machine
    }

    /// Why there is no faster machine, where there is none.
    pub(crate) fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Begins to make a faster machine, and waits for it for a part of the time there is; without a
    /// deadline until it is there. Where the system has no thread left, it is made here, for no longer than
    /// it would be waited for. Says whether there is another machine now.
    pub(crate) fn begin(&mut self, budget: &Budget) -> bool {
        let Some(upgrade) = self.seat.upgrade.clone() else { return false };
        let Some(left) = budget.time_left() else {
            return self.take(made_here(&*upgrade, budget));
        };
        let own = budget.clone().without_deadline().with_own_cancel_flag();
        self.cancel = Some(own.cancel_flag());
        let (sender, receiver) = channel();
        let making = Arc::clone(&upgrade);
        let begun = Builder::new().spawn(move || {
            // Nobody listens any more if the match is over.
            let _ = sender.send(making.make(&own));
        });
        if begun.is_err() {
            return self.take(made_here(&*upgrade, &budget.clone().with_share_of_time(WAIT_SHARE)));
        }
        let mut waiting = budget.clone().with_share_of_time(WAIT_SHARE).meter();
        let mut rest = left.mul_f64(WAIT_SHARE);
        loop {
            let while_waiting = rest.min(LOOK);
            match receiver.recv_timeout(while_waiting) {
                Ok(made) => return self.take(made),
                Err(RecvTimeoutError::Disconnected) => return self.take(Err(BROKEN_OFF.to_owned())),
                Err(RecvTimeoutError::Timeout) => rest -= while_waiting,
            }
            // Who is called off does not wait any longer.
            if rest.is_zero() || waiting.check().is_err() {
                self.pending = Some(receiver);
                return false;
            }
        }
    }

    /// Whether a faster machine has become ready since the last look; it is in place then.
    pub(crate) fn look(&mut self) -> bool {
        let Some(pending) = &self.pending else { return false };
        let made = match pending.try_recv() {
            Ok(made) => made,
            Err(TryRecvError::Empty) => return false,
            Err(TryRecvError::Disconnected) => Err(BROKEN_OFF.to_owned()),
        };
        self.pending = None;
        self.take(made)
    }

    fn take(&mut self, made: Made) -> bool {
        match made {
            Ok(machine) => {
                let is_other = !Arc::ptr_eq(&machine, &self.machine);
                self.machine = machine;
                is_other
            }
            Err(why) => {
                self.refusal = Some(why);
                false
            }
        }
    }

    /// A state of `from` as one of the best machine.
    ///
    /// # Errors
    /// What the machine answers where it does not know a fact.
    pub(crate) fn cross(&self, from: &Arc<dyn Machine>, state: &State) -> Answer<State> {
        if Arc::ptr_eq(from, &self.machine) {
            return Ok(state.clone());
        }
        let mut facts: Vec<TermId> = Vec::new();
        from.facts(state, &mut facts);
        self.machine.state_of(&facts)
    }
}

/// Makes a faster machine on this thread, which goes on where that breaks down.
fn made_here(upgrade: &dyn Upgrade, budget: &Budget) -> Made {
    catch_unwind(AssertUnwindSafe(|| upgrade.make(budget))).unwrap_or_else(|_| Err(BROKEN_OFF.to_owned()))
}

impl Drop for EngineUpgrade {
    fn drop(&mut self) {
        if let Some(cancel) = &self.cancel {
            cancel.store(true, Ordering::Relaxed);
        }
    }
}
