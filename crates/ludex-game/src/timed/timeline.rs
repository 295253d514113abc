//! Time that passes: a game in real time as a simulation of discrete events.

use ludex_gdl::{GameTime, Lifetime};
use ludex_logic::{Budget, Meter, TermId};

use super::error::{TimedAnswer, TimedError, UpdateLimit};
use super::machine::{TimedMachine, TimedRunner};
use super::moment::{Moment, Witness};
use super::state::TimedState;
use crate::error::GameError;
use crate::rng::Rng;
use crate::signature::{Goal, RoleId};

/// How a [`Timeline`] runs.
#[derive(Clone, Debug)]
pub struct TimelineOptions {
    /// Limits on each single question to the rules. On all that happens together, too: there an update counts as one step
    /// of inference, and the memory is that of the history.
    pub budget: Budget,
    /// Decides what `random` does.
    pub seed: u64,
    /// So many updates may happen while no time passes.
    pub updates_at_instant: u32,
    /// So many updates may happen in one unit of game time: from 0 to 1, from 1 to 2, and so on.
    pub updates_per_unit: u32,
}

impl Default for TimelineOptions {
    fn default() -> Self {
        Self { budget: Budget::unlimited(), seed: 1, updates_at_instant: 1_000, updates_per_unit: 100_000 }
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimedEvent {
    /// An update.
    Update(TimedUpdate),
    /// A delayed move of `random` that was no longer legal when its time had come.
    Wasted {
        /// The time since the start.
        time: GameTime,
        /// The move.
        action: TermId,
    },
}

impl TimedEvent {
    /// The time since the start.
    pub fn time(&self) -> GameTime {
        match self {
            TimedEvent::Update(update) => update.time,
            TimedEvent::Wasted { time, .. } => *time,
        }
    }
}

/// An update: what made it, and what was told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedUpdate {
    /// The time since the start.
    pub time: GameTime,
    /// Who made which move, by role.
    pub moves: Vec<(RoleId, TermId)>,
    /// What expired.
    pub expired: Vec<TermId>,
    /// By role, the percepts it was told ([`TimedRunner::percepts`]); nobody is told anything where there are none.
    pub told: Vec<Option<Vec<TermId>>>,
}

/// The last update, with what it was made of: the rules of `next` and `sees` were asked with that.
#[derive(Clone, Copy, Debug)]
pub struct LastUpdate<'t> {
    /// The state before it.
    pub before: &'t TimedState,
    /// The time since the update before it, or since the start.
    pub elapsed: GameTime,
    /// What happened.
    pub update: &'t TimedUpdate,
}

/// A move of `random` that waits for its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingMove {
    /// When it is made, if it is legal then.
    pub due: GameTime,
    /// The move.
    pub action: TermId,
}

/// A game in real time from its start to the present.
///
/// Time passes where somebody says so ([`Timeline::advance_to`]). What is to happen on the way, happens: facts expire,
/// and `random` moves. When the game is over, time stands still.
///
/// # Chance (rtGDL-II; section 6.1 of the paper, and what it leaves open)
///
/// - Whenever `random` has legal moves and none of its moves is pending, it draws one at once, each as likely as the
///   others. This is so at the start, after every update, and after a move was wasted.
/// - Where the first argument of the move is a number t greater than 0, the move is *pending* for a time that is drawn
///   evenly from the units of 10^-9 up to t: never 0, perhaps t itself. Any other move is made at once.
/// - A pending move stays pending whatever the updates in between make of the state. When its time has come, it is made
///   if it is legal in the state of that moment. Otherwise it is wasted, and there is no update.
/// - Events at one moment make one update: a pending move that is due is made together with what expires just then, and
///   with moves that are submitted for that moment ([`Timeline::advance_before`]).
///
/// ```
/// use ludex_game::{RoleId, TimedMachine, TimedRuleMachine, Timeline};
/// use ludex_gdl::GameTime;
///
/// let text = "role(you). init(1, tick). next(1, tick) ⇐ expired(tick). next(T, tick) ⇐ true(T, tick).
///     next(infinity, hit) ⇐ does(you, hit). legal(you, hit). terminal ⇐ true(T, hit). goal(you, 50).";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("tick.gdl", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = TimedRuleMachine::new(&game, &Default::default())?;
/// let mut timeline = Timeline::new(&machine, &Default::default())?;
/// timeline.advance_to(GameTime::parse("2.5")?)?;
/// let hit = timeline.find_move(RoleId(0), "hit")?;
/// timeline.submit(&[(RoleId(0), hit)])?;
/// let times: Vec<String> = timeline.history().iter().map(|event| event.time().to_string()).collect();
/// assert_eq!((times.join(" "), timeline.is_over()), ("1 2 2.5".to_owned(), true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Timeline<'m> {
    runner: Box<dyn TimedRunner + 'm>,
    moment: Moment,
    rng: Rng,
    chronicle: Chronicle<'m>,
    /// On each single question.
    budget: Budget,
}

/// A game in real time that is put aside: all of a [`Timeline`] but the machine, so that it can be kept beside one, or
/// go to another thread.
///
/// ```
/// use ludex_game::{TimedMachine, TimedRuleMachine, Timeline};
/// use ludex_gdl::GameTime;
///
/// # let text = "role(you). init(1, tick). next(1, tick) ⇐ expired(tick). legal(you, wait) ⇐ true(T, tick).
/// #     terminal ⇐ true(T, done). goal(you, 50). next(infinity, done) ⇐ does(you, wait).";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("tick.gdl", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// // The rules are those of something that ticks once in a unit of time.
/// let machine = TimedRuleMachine::new(&game, &Default::default())?;
/// let mut timeline = Timeline::new(&machine, &Default::default())?;
/// timeline.advance_to(GameTime::parse("2.5")?)?;
/// let mut timeline = timeline.put_aside().take_up(&machine)?;
/// timeline.advance_to(GameTime::parse("3")?)?;
/// assert_eq!(timeline.history().len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PausedTimeline {
    moment: Moment,
    now: GameTime,
    rng: Rng,
    history: Vec<TimedEvent>,
    before: TimedState,
    bytes: usize,
    counted: Counted,
    budget: Budget,
}

impl PausedTimeline {
    /// Goes on, with the machine that the game was played on or one of the same rules and terms. The limits on all that
    /// happens together are limits on what happens from now on, but for the memory.
    ///
    /// # Errors
    /// [`GameError::UnknownFact`] where the state cannot be one of the machine; a limit.
    pub fn take_up(self, machine: &dyn TimedMachine) -> TimedAnswer<Timeline<'_>> {
        let Self { moment, now, rng, history, before, bytes, counted, budget } = self;
        let mut runner = machine.runner(&budget);
        runner.set(moment.state())?;
        let meter = budget.meter();
        let next = TimedState::default();
        let chronicle = Chronicle { machine, now, history, before, next, bytes, counted, meter };
        Ok(Timeline { runner, moment, rng, chronicle, budget })
    }
}

/// What has happened, and how much may happen yet.
struct Chronicle<'m> {
    machine: &'m dyn TimedMachine,
    now: GameTime,
    history: Vec<TimedEvent>,
    /// The state before the last update, and before what is happening.
    before: TimedState,
    next: TimedState,
    /// Bytes that the history takes.
    bytes: usize,
    counted: Counted,
    /// For all that happens together.
    meter: Meter,
}

/// How often something happened lately.
#[derive(Clone, Debug)]
struct Counted {
    /// Since `last`, and since the unit of time began that it is in.
    at_instant: u32,
    in_unit: u32,
    last: GameTime,
    most_at_instant: u32,
    most_in_unit: u32,
}

impl Counted {
    fn add(&mut self) {
        self.at_instant = self.at_instant.saturating_add(1);
        self.in_unit = self.in_unit.saturating_add(1);
    }
}

impl<'m> Timeline<'m> {
    /// A game at its start; `random` has made the moves that it makes at once.
    ///
    /// # Errors
    /// As [`Timeline::advance_to`].
    pub fn new(machine: &'m dyn TimedMachine, options: &TimelineOptions) -> TimedAnswer<Self> {
        let mut chronicle = Chronicle {
            machine,
            now: GameTime::ZERO,
            history: Vec::new(),
            before: TimedState::default(),
            next: TimedState::default(),
            bytes: 0,
            counted: Counted {
                at_instant: 0,
                in_unit: 0,
                last: GameTime::ZERO,
                most_at_instant: options.updates_at_instant,
                most_in_unit: options.updates_per_unit,
            },
            meter: options.budget.meter(),
        };
        let mut runner = machine.runner(&options.budget);
        let mut rng = Rng::from_seed(options.seed);
        let moment = Moment::begin(machine, &mut *runner, &mut rng, &mut chronicle)?;
        let timeline = Self { runner, moment, rng, chronicle, budget: options.budget.clone() };
        timeline.check_pending()?;
        Ok(timeline)
    }

    /// Puts the game aside.
    #[must_use]
    pub fn put_aside(self) -> PausedTimeline {
        let Self { moment, rng, chronicle, budget, .. } = self;
        let Chronicle { now, history, before, bytes, counted, .. } = chronicle;
        PausedTimeline { moment, now, rng, history, before, bytes, counted, budget }
    }

    /// The rules.
    pub fn machine(&self) -> &'m dyn TimedMachine {
        self.chronicle.machine
    }

    /// The time since the start.
    pub fn now(&self) -> GameTime {
        self.chronicle.now
    }

    /// The state since the last update.
    pub fn state(&self) -> &TimedState {
        self.moment.state()
    }

    /// What is left now of a lifetime of the state; `None` for one that is just over.
    pub fn left(&self, lifetime: Lifetime) -> Option<Lifetime> {
        self.moment.left(lifetime)
    }

    /// Everything that happened, in order.
    pub fn history(&self) -> &[TimedEvent] {
        &self.chronicle.history
    }

    /// Whether the game has reached a terminal state.
    pub fn is_over(&self) -> bool {
        self.moment.is_over()
    }

    /// The move of `random` that waits for its time. Nobody in the game knows it.
    pub fn pending(&self) -> Option<PendingMove> {
        let PendingMove { due, action } = self.moment.pending()?;
        Some(PendingMove { due: self.now().checked_add(due).unwrap_or(GameTime::MAX), action })
    }

    /// When the last update was.
    pub fn updated(&self) -> GameTime {
        // The last update is not in the future.
        self.now().checked_sub(self.moment.elapsed()).unwrap_or_default()
    }

    /// The last update and what it was made of; `None` where there was none yet.
    pub fn last_update(&self) -> Option<LastUpdate<'_>> {
        let mut updates = self.history().iter().rev().filter_map(|event| match event {
            TimedEvent::Update(update) => Some(update),
            TimedEvent::Wasted { .. } => None,
        });
        let update = updates.next()?;
        let before = updates.next().map_or(GameTime::ZERO, |earlier| earlier.time);
        // Times of updates only grow.
        let elapsed = update.time.checked_sub(before).unwrap_or_default();
        Some(LastUpdate { before: &self.chronicle.before, elapsed, update })
    }

    /// When something happens next, if nobody moves before: a lifetime is over, or a move of `random` is due.
    pub fn next_event(&self) -> Option<GameTime> {
        self.now().checked_add(self.moment.next_event()?)
    }

    /// When something expires next, if nobody moves before.
    pub fn next_expiry(&self) -> Option<GameTime> {
        self.updated().checked_add(self.moment.state().time_to_expiry()?)
    }

    /// The legal moves of a role, in canonical order.
    ///
    /// # Errors
    /// A limit.
    pub fn legal(&mut self, role: RoleId) -> TimedAnswer<&[TermId]> {
        self.runner.legal(role)
    }

    /// The legal move of a role that a text stands for, in either notation.
    ///
    /// # Errors
    /// [`TimedError::Text`]; [`GameError::IllegalMove`]; a limit.
    pub fn find_move(&mut self, role: RoleId, text: &str) -> TimedAnswer<TermId> {
        let machine = self.machine();
        // What was never asked for may be a term that nobody has met yet.
        let legal = self.runner.legal(role)?;
        let found = machine.find_term(text)?.filter(|action| legal.contains(action));
        found.ok_or_else(|| {
            let role = machine.roles().get(role.index()).map_or_else(String::new, |&role| machine.text(role));
            GameError::IllegalMove { role, action: text.trim().to_owned() }.into()
        })
    }

    /// What the state is worth to a role; `None` where the rules give no value or several.
    ///
    /// # Errors
    /// A limit.
    pub fn goal(&mut self, role: RoleId) -> TimedAnswer<Option<Goal>> {
        self.runner.goal(role)
    }

    /// What the state is worth to all roles, in order.
    ///
    /// # Errors
    /// A limit.
    pub fn goals(&mut self) -> TimedAnswer<Vec<Option<Goal>>> {
        (0..self.machine().roles().len() as u32).map(|role| self.goal(RoleId(role))).collect()
    }

    /// Lets time pass up to a moment, with all that happens until then and at that moment.
    ///
    /// # Errors
    /// [`TimedError::Past`]; [`TimedError::TooManyUpdates`]; [`TimedError::Lifetime`]; a limit. What happened before stays.
    pub fn advance_to(&mut self, time: GameTime) -> TimedAnswer<()> {
        self.pass(time, true)
    }

    /// Lets time pass up to a moment, with all that happens before it. What happens at that moment happens in one update
    /// with the moves that are submitted then.
    ///
    /// # Errors
    /// As [`Timeline::advance_to`].
    pub fn advance_before(&mut self, time: GameTime) -> TimedAnswer<()> {
        self.pass(time, false)
    }

    /// Some roles move now, all in one update.
    ///
    /// # Errors
    /// Those of [`TimedRunner::update`], and nothing has happened; [`TimedError::OfChance`] for a move of `random`;
    /// [`TimedError::TooManyUpdates`].
    pub fn submit(&mut self, moves: &[(RoleId, TermId)]) -> TimedAnswer<()> {
        let machine = self.machine();
        let random = machine.random();
        if let Some(&(_, action)) = moves.iter().find(|(role, _)| Some(*role) == random) {
            return Err(TimedError::OfChance { action: machine.text(action) });
        }
        if moves.is_empty() {
            return Err(TimedError::NoEvent);
        }
        self.happen(moves)
    }

    fn pass(&mut self, time: GameTime, inclusive: bool) -> TimedAnswer<()> {
        if time < self.now() {
            return Err(TimedError::Past { now: self.now(), time });
        }
        while !self.is_over() {
            let next = self.next_event().filter(|&next| next < time || (inclusive && next == time));
            let to = next.unwrap_or(time);
            self.moment.elapse(to.checked_sub(self.now()).unwrap_or_default())?;
            self.chronicle.now = to;
            if next.is_none() {
                break;
            }
            self.happen(&[])?;
        }
        Ok(())
    }

    fn happen(&mut self, moves: &[(RoleId, TermId)]) -> TimedAnswer<()> {
        let Self { runner, moment, rng, chronicle, .. } = self;
        moment.happen(chronicle.machine, &mut **runner, rng, chronicle, moves)?;
        self.check_pending()
    }

    /// Refuses a pending move beyond the end of time.
    fn check_pending(&self) -> TimedAnswer<()> {
        let due = self.moment.pending().map_or(GameTime::ZERO, |pending| pending.due);
        self.now().checked_add(due).map(|_| ()).ok_or(TimedError::TooLate)
    }
}

impl Witness for Chronicle<'_> {
    fn before(&mut self, runner: &dyn TimedRunner) -> TimedAnswer<()> {
        self.check_count(runner)?;
        self.next.clone_from(runner.state());
        Ok(())
    }

    fn updated(&mut self, runner: &dyn TimedRunner, moves: Vec<(RoleId, TermId)>) -> TimedAnswer<()> {
        self.counted.add();
        std::mem::swap(&mut self.before, &mut self.next);
        let roles = (0..self.machine.roles().len() as u32).map(RoleId);
        let told = roles.map(|role| runner.percepts(role).map(<[TermId]>::to_vec)).collect();
        let expired = runner.expired().to_vec();
        self.note(TimedEvent::Update(TimedUpdate { time: self.now, moves, expired, told }))
    }

    fn wasted(&mut self, action: TermId) -> TimedAnswer<()> {
        // With an update it is one event.
        if self.history.last().is_none_or(|last| last.time() != self.now) {
            self.counted.add();
        }
        self.note(TimedEvent::Wasted { time: self.now, action })
    }
}

impl Chronicle<'_> {
    fn note(&mut self, event: TimedEvent) -> TimedAnswer<()> {
        self.bytes += size_of::<TimedEvent>();
        if let TimedEvent::Update(update) = &event {
            let told = update
                .told
                .iter()
                .map(|told| size_of::<Vec<TermId>>() + told.as_ref().map_or(0, Vec::len) * 4);
            self.bytes += update.moves.len() * 8 + update.expired.len() * 4 + told.sum::<usize>();
        }
        self.history.push(event);
        self.meter.check_memory(self.bytes, || "what happened".into())?;
        Ok(())
    }

    /// Refuses what is about to happen where too much happened lately.
    fn check_count(&mut self, runner: &dyn TimedRunner) -> TimedAnswer<()> {
        self.meter.spend(1)?;
        self.meter.check()?;
        let counted = &mut self.counted;
        if counted.last != self.now {
            counted.at_instant = 0;
            if counted.last.floor() != self.now.floor() {
                counted.in_unit = 0;
            }
            counted.last = self.now;
        }
        let (within, limit) = if counted.at_instant >= counted.most_at_instant {
            (UpdateLimit::Instant, counted.most_at_instant)
        } else if counted.in_unit >= counted.most_in_unit {
            (UpdateLimit::Unit, counted.most_in_unit)
        } else {
            return Ok(());
        };
        let (cause, rule) = self.cause(runner);
        Err(TimedError::TooManyUpdates { time: self.now, limit, within, cause, rule })
    }

    /// What the last thing was that happened, in words, and the rule behind what is to come.
    fn cause(&self, runner: &dyn TimedRunner) -> (String, Option<String>) {
        let text = |term: TermId| self.machine.text(term);
        match self.history.last() {
            Some(TimedEvent::Wasted { action, .. }) => {
                let rule = self.machine.random().and_then(|random| runner.rule_of_move(random, *action));
                (format!("`random` draws `{}` again", text(*action)), rule)
            }
            Some(TimedEvent::Update(update)) => match (&update.moves[..], &update.expired[..]) {
                (&[(role, action), ..], _) => {
                    let rule = runner.rule_of_move(role, action);
                    let role =
                        self.machine.roles().get(role.index()).map_or_else(String::new, |&role| text(role));
                    (format!("`{role}` makes `{}` again", text(action)), rule)
                }
                ([], [fact, ..]) => {
                    (format!("`{}` expires again", text(*fact)), runner.rule_of_next_expiry())
                }
                ([], []) => ("something happens again".to_owned(), None),
            },
            None => ("nothing may happen at all".to_owned(), None),
        }
    }
}
