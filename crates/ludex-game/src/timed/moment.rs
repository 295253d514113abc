//! One moment of a game in real time, without what led to it: for those who look ahead.

use ludex_gdl::{GameTime, Lifetime};
use ludex_logic::{TermId, TermView};

use super::error::{TimedAnswer, TimedError, UpdateLimit};
use super::machine::{TimedMachine, TimedRunner};
use super::state::TimedState;
use super::timeline::PendingMove;
use crate::rng::Rng;
use crate::signature::RoleId;

/// So many updates may follow each other at one moment when a search looks ahead.
const UPDATES_AT_ONCE: u32 = 1_000;

/// A moment of a game: the state since the last update, the time that has passed since then, and the move of `random`
/// that is pending. Times are counted from the moment on, not from the start of the game.
///
/// A [`Timeline`](super::Timeline) is a game with its history; this is what the future depends on. Whoever looks ahead
/// keeps many of them, and goes on from one with a runner whose state is [`Moment::state`]. What chance does is said by
/// [`Timeline`](super::Timeline).
///
/// ```
/// use ludex_game::{Moment, Rng, TimedMachine, TimedRuleMachine};
/// use ludex_gdl::GameTime;
///
/// let text = "role(you). init(1, tick). next(1, tick) ⇐ expired(tick). legal(you, wait) ⇐ true(T, tick).
///     terminal ⇐ true(T, done). goal(you, 50). next(infinity, done) ⇐ does(you, wait).";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("tick.gdl", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = TimedRuleMachine::new(&game, &Default::default())?;
/// let (mut runner, mut rng) = (machine.runner(&Default::default()), Rng::from_seed(1));
/// let mut moment = Moment::start(&machine, &mut *runner, &mut rng, |_| {})?;
/// assert_eq!(moment.next_event(), Some(GameTime::ONE));
/// moment.wait(&machine, &mut *runner, &mut rng, GameTime::parse("0.25")?, |_| {})?;
/// assert_eq!(moment.next_event(), GameTime::parse("0.75").ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    state: TimedState,
    elapsed: GameTime,
    /// When it is due, from the last update on.
    pending: Option<PendingMove>,
    over: bool,
}

impl Moment {
    /// The start of a game, with what `random` does at once. `told` is called after each update, with what it told
    /// ([`TimedRunner::percepts`]).
    ///
    /// # Errors
    /// As [`Moment::wait`].
    pub fn start(
        machine: &dyn TimedMachine,
        runner: &mut dyn TimedRunner,
        rng: &mut Rng,
        told: impl FnMut(&dyn TimedRunner),
    ) -> TimedAnswer<Self> {
        Self::begin(machine, runner, rng, &mut Listener { told, updates: 0 })
    }

    /// The start of a game, with what `random` does at once.
    pub(super) fn begin(
        machine: &dyn TimedMachine,
        runner: &mut dyn TimedRunner,
        rng: &mut Rng,
        witness: &mut impl Witness,
    ) -> TimedAnswer<Self> {
        let state = machine.initial().clone();
        runner.set(&state)?;
        let over = runner.terminal()?;
        let mut moment = Self { state, elapsed: GameTime::ZERO, pending: None, over };
        Step { machine, runner, rng, witness }.draw(&mut moment)?;
        Ok(moment)
    }

    /// The state since the last update.
    pub fn state(&self) -> &TimedState {
        &self.state
    }

    /// The time since the last update.
    pub fn elapsed(&self) -> GameTime {
        self.elapsed
    }

    /// Whether the game has reached a terminal state.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The move of `random` that waits, and how long it still does.
    pub fn pending(&self) -> Option<PendingMove> {
        let PendingMove { due, action } = self.pending?;
        Some(PendingMove { due: due.checked_sub(self.elapsed).unwrap_or_default(), action })
    }

    /// Makes the pending move due after this time instead: for those who know when it was made and not what it is.
    /// Nothing where nothing is pending, or that would be beyond the end of time.
    pub fn set_pending_due(&mut self, after: GameTime) {
        if let (Some(pending), Some(due)) = (&mut self.pending, self.elapsed.checked_add(after)) {
            pending.due = due;
        }
    }

    /// What is left now of a lifetime of the state; `None` for one that is just over.
    pub fn left(&self, lifetime: Lifetime) -> Option<Lifetime> {
        lifetime.after(self.elapsed)
    }

    /// How long until something expires or a pending move is due; `None` where nothing happens unless somebody moves.
    pub fn next_event(&self) -> Option<GameTime> {
        let due = self.pending.map(|pending| pending.due);
        let next = [self.state.time_to_expiry(), due].into_iter().flatten().min()?;
        (!self.over).then(|| next.checked_sub(self.elapsed).unwrap_or_default())
    }

    /// Lets time pass, at most up to the next event, which then happens.
    ///
    /// # Errors
    /// [`TimedError::BeyondExpiry`] where that is too long; [`TimedError::TooLate`]; [`TimedError::TooManyUpdates`];
    /// those of [`TimedRunner::update`]. The moment is then of no use.
    pub fn wait(
        &mut self,
        machine: &dyn TimedMachine,
        runner: &mut dyn TimedRunner,
        rng: &mut Rng,
        time: GameTime,
        told: impl FnMut(&dyn TimedRunner),
    ) -> TimedAnswer<()> {
        let next = self.next_event();
        if let Some(next) = next.filter(|&next| next < time) {
            return Err(TimedError::BeyondExpiry { elapsed: time, expiry: next });
        }
        self.elapse(time)?;
        if next == Some(time) {
            self.happen(machine, runner, rng, &mut Listener { told, updates: 0 }, &[])?;
        }
        Ok(())
    }

    /// Lets time pass in which nothing happens yet; what is to happen just then does not.
    pub(super) fn elapse(&mut self, time: GameTime) -> TimedAnswer<()> {
        self.elapsed = self.elapsed.checked_add(time).ok_or(TimedError::TooLate)?;
        Ok(())
    }

    /// Lets happen what is to happen now, together with these moves, and then what `random` does at once.
    pub(super) fn happen(
        &mut self,
        machine: &dyn TimedMachine,
        runner: &mut dyn TimedRunner,
        rng: &mut Rng,
        witness: &mut impl Witness,
        moves: &[(RoleId, TermId)],
    ) -> TimedAnswer<()> {
        let mut step = Step { machine, runner, rng, witness };
        step.happen(self, moves)?;
        step.draw(self)
    }

    /// Some roles move now, all in one update.
    ///
    /// # Errors
    /// As [`Moment::wait`].
    pub fn act(
        &mut self,
        machine: &dyn TimedMachine,
        runner: &mut dyn TimedRunner,
        rng: &mut Rng,
        moves: &[(RoleId, TermId)],
        told: impl FnMut(&dyn TimedRunner),
    ) -> TimedAnswer<()> {
        self.happen(machine, runner, rng, &mut Listener { told, updates: 0 }, moves)
    }
}

/// Who is told of each event in turn, and may refuse it.
pub(super) trait Witness {
    /// Something is about to happen.
    fn before(&mut self, runner: &dyn TimedRunner) -> TimedAnswer<()>;
    /// There was an update, with these moves.
    fn updated(&mut self, runner: &dyn TimedRunner, moves: Vec<(RoleId, TermId)>) -> TimedAnswer<()>;
    /// A delayed move of `random` was no longer legal.
    fn wasted(&mut self, action: TermId) -> TimedAnswer<()>;
}

/// Hears what is told, and keeps nothing.
struct Listener<F> {
    told: F,
    updates: u32,
}

impl<F: FnMut(&dyn TimedRunner)> Witness for Listener<F> {
    fn before(&mut self, _: &dyn TimedRunner) -> TimedAnswer<()> {
        self.updates += 1;
        if self.updates <= UPDATES_AT_ONCE {
            return Ok(());
        }
        Err(TimedError::TooManyUpdates {
            time: GameTime::ZERO,
            limit: UPDATES_AT_ONCE,
            within: UpdateLimit::Instant,
            cause: "`random` moves again".to_owned(),
            rule: None,
        })
    }

    fn updated(&mut self, runner: &dyn TimedRunner, _: Vec<(RoleId, TermId)>) -> TimedAnswer<()> {
        (self.told)(runner);
        Ok(())
    }

    fn wasted(&mut self, _: TermId) -> TimedAnswer<()> {
        Ok(())
    }
}

/// What an event needs.
struct Step<'s, W> {
    machine: &'s dyn TimedMachine,
    runner: &'s mut dyn TimedRunner,
    rng: &'s mut Rng,
    witness: &'s mut W,
}

impl<W: Witness> Step<'_, W> {
    /// Makes the update of this moment: these moves, the pending one that is due, and what expires.
    fn happen(&mut self, moment: &mut Moment, moves: &[(RoleId, TermId)]) -> TimedAnswer<()> {
        let due = moment.pending.filter(|pending| pending.due <= moment.elapsed);
        let mut all = moves.to_vec();
        let mut wasted = None;
        if let (Some(due), Some(random)) = (due, self.machine.random()) {
            if self.runner.legal(random)?.contains(&due.action) {
                all.push((random, due.action));
                all.sort_unstable_by_key(|&(role, _)| role);
            } else {
                wasted = Some(due.action);
            }
        }
        self.witness.before(&*self.runner)?;
        let expires = moment.state.time_to_expiry() == Some(moment.elapsed);
        if expires || !all.is_empty() {
            self.update(moment, all)?;
        }
        if due.is_some() {
            moment.pending = None;
        }
        wasted.map_or(Ok(()), |action| self.witness.wasted(action))
    }

    /// Lets `random` draw until it waits, or has nothing to do.
    fn draw(&mut self, moment: &mut Moment) -> TimedAnswer<()> {
        let Some(random) = self.machine.random() else { return Ok(()) };
        while !moment.over && moment.pending.is_none() {
            let Some(&action) = self.rng.pick(self.runner.legal(random)?) else { return Ok(()) };
            match longest_delay(self.machine, action) {
                Some(most) => {
                    let wait = GameTime::from_units(1 + self.rng.below(most.units()));
                    let due = wait.and_then(|wait| moment.elapsed.checked_add(wait));
                    moment.pending = Some(PendingMove { due: due.ok_or(TimedError::TooLate)?, action });
                }
                None => {
                    self.witness.before(&*self.runner)?;
                    self.update(moment, vec![(random, action)])?;
                }
            }
        }
        Ok(())
    }

    fn update(&mut self, moment: &mut Moment, moves: Vec<(RoleId, TermId)>) -> TimedAnswer<()> {
        self.runner.update(moment.elapsed, &moves)?;
        // What is pending waits on: its time is counted from the update.
        if let Some(pending) = &mut moment.pending {
            pending.due = pending.due.checked_sub(moment.elapsed).unwrap_or_default();
        }
        moment.elapsed = GameTime::ZERO;
        moment.state.clone_from(self.runner.state());
        moment.over = self.runner.terminal()?;
        self.witness.updated(&*self.runner, moves)
    }
}

/// The longest time by which a move of `random` is delayed: its first argument, where that is a number above 0.
pub fn longest_delay(machine: &dyn TimedMachine, action: TermId) -> Option<GameTime> {
    let terms = machine.terms();
    let TermView::Compound(_, args) = terms.view(action) else { return None };
    let TermView::Constant(first) = terms.view(*args.first()?) else { return None };
    GameTime::parse(terms.name(first)).ok().filter(|&time| time > GameTime::ZERO)
}
