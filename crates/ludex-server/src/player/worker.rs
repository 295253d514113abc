//! The thread on which the player of a match thinks.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use ludex::game::TimeTerms;
use ludex::gdl::{GameTime, Notation};
use ludex::learned::{LearnedOptions, MakePlayer};
use ludex::logic::{Budget, Clock};
use ludex::matches::message::{Given, Last, News, StartMessage};
use ludex::matches::referee::Moment;
use ludex::matches::service::{Ending, Event, JobNumber, Pace, TableNumber};
use ludex::players::{Registry, Resources};
use ludex::{Playable, create_timed_player};

use super::actor::ServiceActor;
use super::blind_players::plays_without_rules_only;
use super::blind_seat::BlindSeat;
use super::learned_seat::LearnedSeat;
use super::seat::{Seat, Turn};
use super::timed_seat::{SeatInTime, Tempo};
use super::timed_worker::{idle, unit};

/// Rules may nest deeply.
pub(super) const STACK: usize = 16 << 20;
/// Finding out how a match ended takes no longer than this.
const LAST_LOOK: Duration = Duration::from_secs(1);
/// Pondering ends after this: the service leaves silent matches before.
const PONDER_LIMIT: Duration = Duration::from_secs(3600);

/// What a worker is to do.
pub(super) enum Task {
    Prepare {
        job: JobNumber,
        start: Arc<StartMessage>,
        notation: Notation,
        budget: Budget,
    },
    Think {
        job: JobNumber,
        last: Last,
        answered: Option<String>,
        undelivered: bool,
        time: TimeTerms,
        budget: Budget,
    },
    Tell {
        time: GameTime,
        news: News,
        since: Moment,
    },
    Finish {
        answered: Option<String>,
        ending: Ending,
    },
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
    /// In real time, how long a move may be on its way, before anything is known about that.
    pub(super) margin: Duration,
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
        table: TableNumber,
        tools: Tools,
        span: tracing::Span,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (sender, tasks) = channel();
        let idle = tools.budget.clone().with_own_cancel_flag();
        let (interrupt, budget) = (idle.cancel_flag(), tools.budget.clone());
        let thread = std::thread::Builder::new().name("match".to_owned()).stack_size(STACK);
        let handle = thread.spawn(move || {
            let _entered = span.enter();
            Bench { actor, table, tools, idle, tasks, chair: None }.work();
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

/// Lets the service know.
fn tell(actor: &Weak<ServiceActor>, event: Event) {
    if let Some(actor) = actor.upgrade() {
        actor.on(event);
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

/// What a player does. One that breaks down takes nobody else along, and is not asked again: it is gone.
pub(super) fn guarded<P: ?Sized, T>(player: &mut Option<Box<P>>, act: impl FnOnce(&mut P) -> T) -> Option<T> {
    let mut guarded = player.take()?;
    match unbroken(|| act(&mut guarded)) {
        Ok(done) => {
            *player = Some(guarded);
            Some(done)
        }
        Err(cause) => {
            tracing::error!(cause, "the player broke down");
            None
        }
    }
}

/// A worker, from inside.
struct Bench {
    actor: Weak<ServiceActor>,
    table: TableNumber,
    tools: Tools,
    /// Limits on what is done until the next task comes.
    idle: Budget,
    tasks: Receiver<Task>,
    chair: Option<Chair>,
}

/// Who sits there.
enum Chair {
    InSteps(Box<Seat>),
    InTime(Box<SeatInTime>),
    Blind(Box<BlindSeat>),
    Learned(Box<LearnedSeat>),
}

impl Bench {
    fn work(&mut self) {
        while let Some(task) = self.next_task() {
            match task {
                Task::Prepare { job, start, notation, budget } => {
                    self.prepare(job, &start, notation, &budget)
                }
                Task::Think { job, last, answered, undelivered, time, budget } => {
                    self.think(job, &last, answered, undelivered, (&time, &budget));
                }
                Task::Tell { time, news, since } => {
                    if let Some(Chair::InTime(seat)) = &mut self.chair {
                        seat.hear(since, time, &news);
                    }
                }
                Task::Finish { answered, ending } => return self.finish(answered, ending),
            }
        }
    }

    /// The next thing to do; until there is one, the player ponders, or plays in real time.
    fn next_task(&mut self) -> Option<Task> {
        loop {
            let interrupt = self.idle.cancel_flag();
            interrupt.store(false, Ordering::Relaxed);
            match self.tasks.try_recv() {
                Ok(task) => return Some(task),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => {}
            }
            match &mut self.chair {
                Some(Chair::InTime(seat)) => {
                    match idle(seat, &self.tasks, &self.idle) {
                        ControlFlow::Break(task) => return task,
                        ControlFlow::Continue(Some(action)) => {
                            tell(&self.actor, Event::Moved { table: self.table, action });
                        }
                        ControlFlow::Continue(None) => {}
                    }
                    continue;
                }
                Some(Chair::InSteps(seat)) if self.tools.ponder => {
                    seat.ponder(&self.idle.clone().with_time(Arc::clone(&self.tools.clock), PONDER_LIMIT));
                    if interrupt.load(Ordering::Relaxed) {
                        continue;
                    }
                }
                Some(Chair::InSteps(_) | Chair::Blind(_) | Chair::Learned(_)) | None => {}
            }
            return self.tasks.recv().ok();
        }
    }

    fn prepare(&mut self, job: JobNumber, start: &StartMessage, notation: Notation, budget: &Budget) {
        let seated = unbroken(|| self.sit(start, notation, budget)).and_then(|seated| seated);
        let result = seated.map(|mut chair| {
            let pace = match &mut chair {
                Chair::InSteps(seat) => {
                    seat.introduce(start);
                    seat.prepare(budget);
                    seat.begin_with(start);
                    Pace::InSteps
                }
                Chair::InTime(seat) => {
                    seat.prepare(budget);
                    Pace::InTime
                }
                Chair::Blind(_) | Chair::Learned(_) => Pace::InSteps,
            };
            self.chair = Some(chair);
            pace
        });
        tell(&self.actor, Event::Prepared { job, result });
    }

    /// Seats who plays by what is told of the game.
    fn sit(&self, start: &StartMessage, notation: Notation, budget: &Budget) -> Result<Chair, String> {
        match start.given {
            Given::Rules => self.sit_with_rules(start, notation),
            Given::Structure => {
                let actor = self.actor.upgrade().ok_or("the service has ended")?;
                let Tools { strategy, resources, budget: whole, .. } = &self.tools;
                let player = (strategy.as_str(), resources.seed);
                BlindSeat::new(start, player, actor.blind_players(), whole.cancel_flag(), budget)
                    .map(|seat| Chair::Blind(Box::new(seat)))
            }
            Given::Records => self.sit_with_records(start, budget).map(|seat| Chair::Learned(Box::new(seat))),
        }
    }

    /// Learns from records until the time to get ready is over.
    fn sit_with_records(&self, start: &StartMessage, budget: &Budget) -> Result<LearnedSeat, String> {
        let actor = self.actor.upgrade().ok_or("the service has ended")?;
        let Tools { strategy, registry, resources, .. } = &self.tools;
        // Rules that were learned, and may be wrong, are no game to remember: the next match has others.
        let (strategy, registry, resources) =
            (strategy.clone(), registry.clone().unwrapped(), resources.clone());
        if plays_without_rules_only(&strategy, &registry) {
            return Err(format!("`{strategy}` plays games without rules only, and was sent records"));
        }
        let options = LearnedOptions { seed: resources.seed, threads: resources.threads };
        let make: MakePlayer =
            Box::new(move || registry.create(&strategy, &resources).map_err(|error| error.to_string()));
        LearnedSeat::new(start, options, make, actor.learned_games(), budget)
    }

    /// Loads the rules for as long as it takes, unless the match ends: who is not ready in time may still play.
    fn sit_with_rules(&self, start: &StartMessage, notation: Notation) -> Result<Chair, String> {
        let actor = self.actor.upgrade().ok_or("the service has ended")?;
        let Tools { strategy, registry, resources, budget, margin, clock, .. } = &self.tools;
        if plays_without_rules_only(strategy, registry) {
            return Err(format!("`{strategy}` plays games without rules only, and was sent rules"));
        }
        match actor.games().game(&start.rules, notation, budget).map_err(|e| e.to_string())? {
            Playable::InSteps(game) => {
                let player = registry.create(strategy, resources).map_err(|e| e.to_string())?;
                Seat::new(game, &start.role, player, resources.seed)
                    .map(|seat| Chair::InSteps(Box::new(seat)))
            }
            Playable::InTime(rules) => {
                let unit = unit(start);
                if unit.is_zero() {
                    return Err("in real time the play clock cannot be 0".to_owned());
                }
                let player =
                    create_timed_player(&rules.within(budget.clone()), strategy, registry, resources)?;
                let pace = Tempo { unit, margin: *margin };
                SeatInTime::new(&rules, &start.role, player, pace, (clock, budget))
                    .map(|seat| Chair::InTime(Box::new(seat)))
            }
        }
    }

    fn think(
        &mut self,
        job: JobNumber,
        last: &Last,
        answered: Option<String>,
        undelivered: bool,
        (time, budget): (&TimeTerms, &Budget),
    ) {
        let seat = match &mut self.chair {
            Some(Chair::InSteps(seat)) => seat,
            Some(Chair::Blind(_)) => return self.think_without_rules(job, last, answered, budget),
            Some(Chair::Learned(_)) => {
                return self.think_again(job, last, answered, undelivered, (time, budget));
            }
            // The service refuses such messages as soon as it knows how the game goes.
            Some(Chair::InTime(_)) | None => return,
        };
        if let Turn::Answered(action) = seat.hear(last, answered, undelivered, &self.tools.budget) {
            return tell(&self.actor, Event::Chosen { job, result: Ok(action) });
        }
        if let Some(action) = seat.legal(budget) {
            tell(&self.actor, Event::Legal { job, action });
        }
        // Better than any legal move, where the player should not come to its choice in time.
        if let Some(action) = seat.first_thought(budget) {
            tell(&self.actor, Event::Legal { job, action });
        }
        let result = seat.choose(time, budget);
        tell(&self.actor, Event::Chosen { job, result });
    }

    fn think_without_rules(
        &mut self,
        job: JobNumber,
        last: &Last,
        answered: Option<String>,
        budget: &Budget,
    ) {
        let Some(Chair::Blind(seat)) = &mut self.chair else { return };
        if let Turn::Answered(action) = seat.hear(last, answered) {
            return tell(&self.actor, Event::Chosen { job, result: Ok(action) });
        }
        if let Some(action) = seat.some_action() {
            tell(&self.actor, Event::Legal { job, action });
        }
        let result = seat.choose(budget);
        tell(&self.actor, Event::Chosen { job, result });
    }

    fn think_again(
        &mut self,
        job: JobNumber,
        last: &Last,
        answered: Option<String>,
        undelivered: bool,
        (time, budget): (&TimeTerms, &Budget),
    ) {
        let Some(Chair::Learned(seat)) = &mut self.chair else { return };
        if let Turn::Answered(action) = seat.hear(last, answered, undelivered) {
            return tell(&self.actor, Event::Chosen { job, result: Ok(action) });
        }
        if let Some(action) = seat.legal() {
            tell(&self.actor, Event::Legal { job, action });
        }
        let result = seat.choose(time, budget);
        tell(&self.actor, Event::Chosen { job, result });
    }

    fn finish(&mut self, answered: Option<String>, ending: Ending) {
        let Some(chair) = self.chair.take() else { return };
        let last = match &ending {
            Ending::Stopped(last) => Some(last),
            Ending::Aborted | Ending::Left => None,
        };
        let budget = self.tools.budget.clone().detached();
        let budget = budget.with_time(Arc::clone(&self.tools.clock), LAST_LOOK);
        let goal = match chair {
            Chair::InSteps(mut seat) => seat.finish(last, answered, &budget),
            Chair::InTime(mut seat) => seat.finish(last, &budget),
            Chair::Blind(seat) => seat.finish(last, answered),
            Chair::Learned(seat) => {
                seat.finish(last, answered, &budget);
                None
            }
        };
        match ending {
            Ending::Stopped(_) => {
                tracing::info!(goal = goal.as_deref().unwrap_or("unknown"), "the match is over");
            }
            Ending::Aborted => tracing::info!("the match was aborted"),
            Ending::Left => tracing::info!("the match was left"),
        }
    }
}
