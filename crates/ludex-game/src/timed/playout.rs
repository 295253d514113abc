//! Random games in real time: a simulation of discrete events, on any machine.

use ludex_gdl::GameTime;
use ludex_logic::TermId;
use smallvec::SmallVec;

use super::error::{TimedAnswer, TimedError};
use super::machine::{TimedMachine, TimedRunner};
use super::moment::Moment;
use super::pace::Pace;
use super::stepwise::Stepwise;
use super::timeline::PendingMove;
use crate::rng::Rng;
use crate::signature::{Goal, RoleId};

/// How random games in real time go ([`timed_playout`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedPlayoutOptions {
    /// When roles move.
    pub pace: Pace,
    /// A game ends after so many events: updates, moves of `random` that are wasted, and decisions of all roles to wait.
    pub events: u32,
    /// A game ends after so much time.
    pub time: GameTime,
}

impl Default for TimedPlayoutOptions {
    fn default() -> Self {
        Self { pace: Pace::Waits { longest: GameTime::ONE }, events: 10_000, time: GameTime::MAX }
    }
}

/// When a random game begins, as seen from the runner's state; the default is at the update that made the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayoutStart {
    /// The time since the update that made the state, less than until something expires.
    pub passed: GameTime,
    /// The move of `random` that waits, and for how long from the start on.
    pub pending: Option<PendingMove>,
}

impl From<&Moment> for PlayoutStart {
    fn from(moment: &Moment) -> Self {
        Self { passed: moment.elapsed(), pending: moment.pending() }
    }
}

/// How a random game in real time went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimedPlayout {
    /// The number of updates.
    pub updates: u32,
    /// The time since the start of the playout, without what had passed before.
    pub time: GameTime,
    /// Whether the last state is terminal. Otherwise a limit was reached, or nothing can happen any more.
    pub terminal: bool,
    /// What the last state is worth to each role.
    pub goals: Vec<Option<Goal>>,
}

/// What a random game asks of the state that it is in. A runner that has a faster way than
/// [`TimedRunner::update`](super::TimedRunner::update) and the lists of [`TimedRunner::legal`](super::TimedRunner::legal) plays
/// by [`run_playout`].
pub trait PlayoutState {
    /// How a move is known.
    type Move: Copy;

    /// Whether the state is terminal.
    fn is_terminal(&mut self) -> TimedAnswer<bool>;
    /// How long after the last update something expires.
    fn time_to_expiry(&self) -> Option<GameTime>;
    /// How many legal moves a role has.
    fn move_count(&mut self, role: RoleId) -> TimedAnswer<usize>;
    /// The legal move of a role with this number, in canonical order.
    fn move_at(&mut self, role: RoleId, number: usize) -> TimedAnswer<Option<Self::Move>>;
    /// The move of a role that a term says, whether it is legal or not; `None` where it never is.
    fn find_move(&self, role: RoleId, action: TermId) -> Option<Self::Move>;
    /// Whether a move is legal.
    fn is_legal(&mut self, role: RoleId, action: Self::Move) -> TimedAnswer<bool>;
    /// The longest time by which a move of `random` is delayed ([`longest_delay`](super::longest_delay)).
    fn longest_delay(&self, role: RoleId, action: Self::Move) -> Option<GameTime>;
    /// Makes an update ([`TimedRunner::update`](super::TimedRunner::update)), which is one: the moves are legal, one for a
    /// role at most, and nothing expires before.
    fn update(&mut self, elapsed: GameTime, moves: &[(RoleId, Self::Move)]) -> TimedAnswer<()>;
    /// What the state is worth to a role.
    fn goal(&mut self, role: RoleId) -> TimedAnswer<Option<Goal>>;
}

/// Plays a random game from a runner's state on, update by update, and calls `told` after each update: with the time since
/// the last one, and whether nobody moved. [`TimedRunner::playout`] does the same, in a faster way where the machine has one.
///
/// A role whose time to move has come ([`Pace`]) makes one of its legal moves, each as likely as the others; roles that move
/// at the same moment do so in one update, and so do those that move just when something expires. The role `random` moves
/// as in a [`Timeline`](super::Timeline).
///
/// ```
/// use ludex_game::{Pace, Rng, TimedMachine, TimedPlayoutOptions, TimedRuleMachine};
/// use ludex_gdl::GameTime;
///
/// let text = "role(you). init(2.5, bomb). legal(you, defuse) ⇐ true(T, bomb). next(infinity, safe) ⇐ does(you, defuse).
///     terminal ⇐ expired(bomb). terminal ⇐ true(T, safe). goal(you, 100) ⇐ true(T, safe). goal(you, 0) ⇐ expired(bomb).";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("bomb.gdl", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = TimedRuleMachine::new(&game, &Default::default())?;
/// let mut runner = machine.runner(&Default::default());
/// let pace = Pace::Waits { longest: GameTime::parse("5")? };
/// let options = TimedPlayoutOptions { pace, ..Default::default() };
/// let (mut rng, mut won) = (Rng::from_seed(1), 0);
/// for _ in 0..100 {
///     runner.set(machine.initial())?;
///     let playout = runner.playout(Default::default(), &options, &mut rng)?;
///     won += u32::from(playout.goals == [Some(100)]);
/// }
/// assert!((30..70).contains(&won), "{won}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`TimedError::Lifetime`], [`TimedError::BeyondExpiry`] where more time has passed than can have; a limit of the runner.
pub fn timed_playout<R: TimedRunner + ?Sized>(
    machine: &dyn TimedMachine,
    runner: &mut R,
    start: PlayoutStart,
    options: &TimedPlayoutOptions,
    rng: &mut Rng,
    told: impl FnMut(GameTime, bool),
) -> TimedAnswer<TimedPlayout> {
    run_playout(machine, &mut Stepwise { machine, runner, told }, start, options, rng)
}

/// Plays a random game from a state of a machine on, as [`timed_playout`] says; for implementations of
/// [`TimedRunner::playout`].
///
/// # Errors
/// As [`timed_playout`].
pub fn run_playout<S: PlayoutState>(
    machine: &dyn TimedMachine,
    state: &mut S,
    start: PlayoutStart,
    options: &TimedPlayoutOptions,
    rng: &mut Rng,
) -> TimedAnswer<TimedPlayout> {
    let random = machine.random();
    let pending = start.pending.zip(random).map(|(pending, random)| Pending {
        due: pending.due,
        action: state.find_move(random, pending.action),
    });
    let mut simulation = Simulation {
        roles: machine.roles().len() as u32,
        random,
        state,
        options,
        rng,
        since: start.passed,
        time: GameTime::ZERO,
        updates: 0,
        events: 0,
        pending,
        waits: SmallVec::new(),
        moves: SmallVec::new(),
    };
    let mut terminal = simulation.state.is_terminal()?;
    while !terminal && simulation.events < options.events && simulation.advance()? {
        terminal = simulation.state.is_terminal()?;
    }
    let Simulation { state, updates, time, roles, .. } = simulation;
    let goals = (0..roles).map(|role| state.goal(RoleId(role))).collect::<TimedAnswer<_>>()?;
    Ok(TimedPlayout { updates, time, terminal, goals })
}

/// A move of `random` that waits.
struct Pending<M> {
    /// How long it will from now on.
    due: GameTime,
    /// `None` for one that is never legal.
    action: Option<M>,
}

struct Simulation<'a, S: PlayoutState> {
    roles: u32,
    random: Option<RoleId>,
    state: &'a mut S,
    options: &'a TimedPlayoutOptions,
    rng: &'a mut Rng,
    /// The time since the last update.
    since: GameTime,
    time: GameTime,
    updates: u32,
    /// Updates, wasted moves and decisions to wait.
    events: u32,
    pending: Option<Pending<S::Move>>,
    /// Who waits, and for how long from now on.
    waits: SmallVec<[(GameTime, RoleId); 4]>,
    moves: SmallVec<[(RoleId, S::Move); 4]>,
}

impl<S: PlayoutState> Simulation<'_, S> {
    /// Goes on to the next thing that happens; whether there is one within the time.
    fn advance(&mut self) -> TimedAnswer<bool> {
        self.moves.clear();
        self.draw_chance()?;
        if !self.moves.is_empty() {
            return self.update(GameTime::ZERO);
        }
        let expiry = self.expiry()?;
        let decision = match self.options.pace {
            Pace::Waits { longest } => {
                self.draw_waits(longest)?;
                self.waits.iter().map(|&(wait, _)| wait).min()
            }
            Pace::Decisions(moments) => {
                let may_move = self.decide()?;
                if !self.moves.is_empty() {
                    return self.update(GameTime::ZERO);
                }
                let due = self.pending.as_ref().map(|pending| pending.due);
                let event = earlier(expiry, due);
                may_move.then(|| moments.after(expiry, event, self.time))
            }
        };
        let due = self.pending.as_ref().map(|pending| pending.due);
        let Some(span) = earlier(earlier(expiry, due), decision) else { return Ok(false) };
        let until_end = self.options.time.checked_sub(self.time).unwrap_or_default();
        if span > until_end {
            self.time = self.options.time;
            return Ok(false);
        }
        self.end_waits(span)?;
        self.make_pending(span)?;
        if self.moves.is_empty() && expiry != Some(span) {
            // A move of `random` was wasted, or all wait.
            self.events += 1;
            self.pass(span);
            return Ok(true);
        }
        self.update(span)
    }

    /// How long from now something expires.
    fn expiry(&self) -> TimedAnswer<Option<GameTime>> {
        let Some(expiry) = self.state.time_to_expiry() else { return Ok(None) };
        let beyond = || TimedError::BeyondExpiry { elapsed: self.since, expiry };
        expiry.checked_sub(self.since).ok_or_else(beyond).map(Some)
    }

    /// One of the legal moves of a role, and how many there are.
    fn draw(&mut self, role: RoleId) -> TimedAnswer<Option<S::Move>> {
        let count = self.state.move_count(role)?;
        // Nothing is drawn where there is none.
        if count == 0 { Ok(None) } else { self.state.move_at(role, self.rng.below(count as u64) as usize) }
    }

    /// Lets `random` draw where it can: a move that is made at once, or one that waits.
    fn draw_chance(&mut self) -> TimedAnswer<()> {
        let Some(random) = self.random.filter(|_| self.pending.is_none()) else { return Ok(()) };
        let Some(action) = self.draw(random)? else { return Ok(()) };
        match self.state.longest_delay(random, action) {
            None => self.moves.push((random, action)),
            Some(most) => {
                let wait = wait_up_to(most, self.rng);
                self.pending = wait.map(|due| Pending { due, action: Some(action) });
            }
        }
        Ok(())
    }

    fn draw_waits(&mut self, longest: GameTime) -> TimedAnswer<()> {
        self.waits.clear();
        for role in (0..self.roles).map(RoleId) {
            if self.random != Some(role) && self.state.move_count(role)? > 0 {
                self.waits.extend(wait_up_to(longest, self.rng).map(|wait| (wait, role)));
            }
        }
        Ok(())
    }

    /// Lets each role decide whether to move now; whether any can.
    fn decide(&mut self) -> TimedAnswer<bool> {
        self.waits.clear();
        let mut may_move = false;
        for role in (0..self.roles).map(RoleId) {
            if self.random == Some(role) || self.state.move_count(role)? == 0 {
                continue;
            }
            may_move = true;
            if self.rng.below(2) == 0 {
                let action = self.draw(role)?;
                self.moves.extend(action.map(|action| (role, action)));
            }
        }
        Ok(may_move)
    }

    /// Adds the moves of those whose waits are over after this span.
    fn end_waits(&mut self, span: GameTime) -> TimedAnswer<()> {
        for number in 0..self.waits.len() {
            let (wait, role) = self.waits[number];
            if wait == span {
                let action = self.draw(role)?;
                self.moves.extend(action.map(|action| (role, action)));
            }
        }
        Ok(())
    }

    /// Adds the pending move of `random` where its time has come after this span, if it is legal then.
    fn make_pending(&mut self, span: GameTime) -> TimedAnswer<()> {
        let Some(pending) = self.pending.take_if(|pending| pending.due == span) else { return Ok(()) };
        if let (Some(action), Some(random)) = (pending.action, self.random)
            && self.state.is_legal(random, action)?
        {
            self.moves.push((random, action));
        }
        Ok(())
    }

    /// Makes an update after some time; always true.
    fn update(&mut self, span: GameTime) -> TimedAnswer<bool> {
        let elapsed = self.since.checked_add(span).ok_or(TimedError::TooLate)?;
        self.state.update(elapsed, &self.moves)?;
        self.pass(span);
        self.since = GameTime::ZERO;
        self.updates += 1;
        self.events += 1;
        Ok(true)
    }

    fn pass(&mut self, span: GameTime) {
        // The end of the playout is not beyond the end of time.
        let later = |time: GameTime| time.checked_add(span).unwrap_or(GameTime::MAX);
        self.since = later(self.since);
        self.time = later(self.time);
        if let Some(pending) = &mut self.pending {
            pending.due = pending.due.checked_sub(span).unwrap_or_default();
        }
    }
}

fn earlier(one: Option<GameTime>, other: Option<GameTime>) -> Option<GameTime> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// A time drawn evenly from the units up to the longest one; `None` where that is 0.
fn wait_up_to(longest: GameTime, rng: &mut Rng) -> Option<GameTime> {
    (longest > GameTime::ZERO).then(|| GameTime::from_units(1 + rng.below(longest.units())))?
}
