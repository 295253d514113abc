//! The thread on which the player of a match thinks.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use ludex::gdl::Notation;
use ludex::logic::{Budget, Clock};
use ludex::matches::message::{Last, StartMessage};
use ludex::matches::service::{Ending, Event, JobNumber};
use ludex::players::{Registry, Resources};

use super::actor::ServiceActor;
use super::seat::{Seat, Turn};

/// Rules may nest deeply.
pub(super) const STACK: usize = 16 << 20;
/// Finding out how a match ended takes no longer than this.
const LAST_LOOK: Duration = Duration::from_secs(1);
/// Pondering ends after this: the service leaves silent matches before.
const PONDER_LIMIT: Duration = Duration::from_secs(3600);

/// What a worker is to do.
pub(super) enum Task {
    Prepare { job: JobNumber, start: Arc<StartMessage>, notation: Notation, budget: Budget },
    Think { job: JobNumber, last: Last, answered: Option<String>, undelivered: bool, budget: Budget },
    Finish { answered: Option<String>, ending: Ending },
}

/// What the worker of a match works with.
pub(super) struct Tools {
    pub(super) strategy: String,
    pub(super) registry: Registry,
    pub(super) resources: Resources,
    pub(super) ponder: bool,
    /// Limits of everything in the match; its flag ends all work for it.
    pub(super) budget: Budget,
    pub(super) clock: Arc<dyn Clock>,
}

/// A worker, from outside.
pub(super) struct Worker {
    tasks: Sender<Task>,
    /// Ends pondering.
    interrupt: Arc<AtomicBool>,
    /// Limits of everything; its flag ends everything.
    budget: Budget,
}

impl Worker {
    /// Begins a thread. `span` is what it logs in.
    pub(super) fn begin(
        actor: Weak<ServiceActor>,
        tools: Tools,
        span: tracing::Span,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (sender, tasks) = channel();
        let idle = tools.budget.clone().with_own_cancel_flag();
        let (interrupt, budget) = (idle.cancel_flag(), tools.budget.clone());
        let thread = std::thread::Builder::new().name("match".to_owned()).stack_size(STACK);
        let handle = thread.spawn(move || {
            let _entered = span.enter();
            Bench { actor, tools, idle, tasks, seat: None }.work();
        })?;
        Ok((Self { tasks: sender, interrupt, budget }, handle))
    }

    /// Limits of everything in its match.
    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Gives it something to do after all else.
    pub(super) fn give(&self, task: Task) {
        // The flag goes up after the task is there, so that a worker that sees it finds the task. A worker
        // that is gone was told to go.
        let _ = self.tasks.send(task);
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// Ends the match: nothing is to take long any more.
    pub(super) fn finish(self, answered: Option<String>, ending: Ending) {
        self.budget.cancel_flag().store(true, Ordering::Relaxed);
        self.give(Task::Finish { answered, ending });
    }
}

/// What somebody said who broke down.
fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason was given")
}

/// Does something, and says why it broke down where it did.
pub(super) fn unbroken<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|panic| panic_text(&*panic).to_owned())
}

/// A worker, from inside.
struct Bench {
    actor: Weak<ServiceActor>,
    tools: Tools,
    /// Limits on pondering.
    idle: Budget,
    tasks: Receiver<Task>,
    seat: Option<Seat>,
}

impl Bench {
    fn work(&mut self) {
        while let Some(task) = self.next_task() {
            match task {
                Task::Prepare { job, start, notation, budget } => {
                    self.prepare(job, &start, notation, &budget)
                }
                Task::Think { job, last, answered, undelivered, budget } => {
                    self.think(job, &last, answered, undelivered, &budget);
                }
                Task::Finish { answered, ending } => return self.finish(answered, ending),
            }
        }
    }

    /// The next thing to do; until there is one, the player ponders.
    fn next_task(&mut self) -> Option<Task> {
        loop {
            let interrupt = self.idle.cancel_flag();
            interrupt.store(false, Ordering::Relaxed);
            match self.tasks.try_recv() {
                Ok(task) => return Some(task),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => {}
            }
            if let (true, Some(seat)) = (self.tools.ponder, &mut self.seat) {
                seat.ponder(&self.idle.clone().with_time(Arc::clone(&self.tools.clock), PONDER_LIMIT));
                if interrupt.load(Ordering::Relaxed) {
                    continue;
                }
            }
            return self.tasks.recv().ok();
        }
    }

    fn tell(&self, event: Event) {
        if let Some(actor) = self.actor.upgrade() {
            actor.on(event);
        }
    }

    fn prepare(&mut self, job: JobNumber, start: &StartMessage, notation: Notation, budget: &Budget) {
        let seated = unbroken(|| self.sit(start, notation)).and_then(|seated| seated);
        let result = seated.map(|mut seat| {
            seat.prepare(budget);
            self.seat = Some(seat);
        });
        self.tell(Event::Prepared { job, result });
    }

    /// Loads the rules for as long as it takes, unless the match ends: who is not ready in time may still play.
    fn sit(&self, start: &StartMessage, notation: Notation) -> Result<Seat, String> {
        let actor = self.actor.upgrade().ok_or("the service has ended")?;
        let game =
            actor.games().game(&start.rules, notation, &self.tools.budget).map_err(|e| e.to_string())?;
        let player = self
            .tools
            .registry
            .create(&self.tools.strategy, &self.tools.resources)
            .map_err(|e| e.to_string())?;
        Seat::new(game, &start.role, player, self.tools.resources.seed)
    }

    fn think(
        &mut self,
        job: JobNumber,
        last: &Last,
        answered: Option<String>,
        undelivered: bool,
        budget: &Budget,
    ) {
        let Some(seat) = &mut self.seat else { return };
        if let Turn::Answered(action) = seat.hear(last, answered, undelivered, &self.tools.budget) {
            return self.tell(Event::Chosen { job, result: Ok(action) });
        }
        if let Some(action) = seat.legal(budget) {
            self.tell(Event::Legal { job, action });
        }
        // Better than any legal move, where the player should not come to its choice in time.
        if let Some(action) = self.seat.as_mut().and_then(|seat| seat.first_thought(budget)) {
            self.tell(Event::Legal { job, action });
        }
        let Some(seat) = &mut self.seat else { return };
        let result = seat.choose(budget);
        self.tell(Event::Chosen { job, result });
    }

    fn finish(&mut self, answered: Option<String>, ending: Ending) {
        let Some(mut seat) = self.seat.take() else { return };
        let last = match &ending {
            Ending::Stopped(last) => Some(last),
            Ending::Aborted | Ending::Left => None,
        };
        let budget = self.tools.budget.clone().detached();
        let goal = seat.finish(last, answered, &budget.with_time(Arc::clone(&self.tools.clock), LAST_LOOK));
        match ending {
            Ending::Stopped(_) => {
                tracing::info!(goal = goal.as_deref().unwrap_or("unknown"), "the match is over");
            }
            Ending::Aborted => tracing::info!("the match was aborted"),
            Ending::Left => tracing::info!("the match was left"),
        }
    }
}
