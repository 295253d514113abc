//! Random games in real time: a simulation of discrete events, on any machine.

use ludex_gdl::GameTime;
use ludex_logic::TermId;
use smallvec::SmallVec;

use super::error::{TimedAnswer, TimedError};
use super::machine::{TimedMachine, TimedRunner};
use super::moment::longest_delay;
use crate::rng::Rng;
use crate::signature::{Goal, RoleId};

/// How random games in real time go ([`timed_playout`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedPlayoutOptions {
    /// The longest time that a role waits before it moves. After every update each role that can move waits anew, for a
    /// time drawn evenly from the units of 10^-9 up to this one: never 0, perhaps the whole of it.
    pub longest_wait: GameTime,
    /// A game ends after so many events: updates, and moves of `random` that are wasted.
    pub events: u32,
    /// A game ends after so much time.
    pub time: GameTime,
}

impl Default for TimedPlayoutOptions {
    fn default() -> Self {
        Self { longest_wait: GameTime::ONE, events: 10_000, time: GameTime::MAX }
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

/// Plays a random game from a runner's state on ([`TimedRunner::playout`]), when some time has passed since the update that made it (less than until
/// something expires). The runner is left in the last state.
///
/// A role whose wait is over makes one of its legal moves, each as likely as the others; roles whose waits are over
/// at the same moment move in one update, and so do those that move just when something expires. Waits are forgotten with
/// every update: who has waited for long does not move sooner. The role `random` moves as in a
/// [`Timeline`](super::Timeline), where none of its moves is pending at first.
///
/// ```
/// use ludex_game::{Rng, TimedMachine, TimedPlayoutOptions, TimedRuleMachine};
/// use ludex_gdl::GameTime;
///
/// let text = "role(you). init(2.5, bomb). legal(you, defuse) ⇐ true(T, bomb). next(infinity, safe) ⇐ does(you, defuse).
///     terminal ⇐ expired(bomb). terminal ⇐ true(T, safe). goal(you, 100) ⇐ true(T, safe). goal(you, 0) ⇐ expired(bomb).";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("bomb.gdl", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = TimedRuleMachine::new(&game, &Default::default())?;
/// let mut runner = machine.runner(&Default::default());
/// let options = TimedPlayoutOptions { longest_wait: GameTime::parse("5")?, ..Default::default() };
/// let (mut rng, mut won) = (Rng::from_seed(1), 0);
/// for _ in 0..100 {
///     runner.set(machine.initial())?;
///     let playout = runner.playout(GameTime::ZERO, &options, &mut rng)?;
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
    passed: GameTime,
    options: &TimedPlayoutOptions,
    rng: &mut Rng,
) -> TimedAnswer<TimedPlayout> {
    let mut simulation = Simulation {
        roles: machine.roles().len() as u32,
        random: machine.random(),
        machine,
        runner,
        options,
        since: passed,
        time: GameTime::ZERO,
        updates: 0,
        events: 0,
        pending: None,
        waits: SmallVec::new(),
        moves: SmallVec::new(),
    };
    let mut terminal = simulation.runner.terminal()?;
    while !terminal && simulation.events < options.events && simulation.advance(rng)? {
        terminal = simulation.runner.terminal()?;
    }
    let Simulation { runner, updates, time, .. } = simulation;
    let roles = (0..machine.roles().len() as u32).map(RoleId);
    let goals = roles.map(|role| runner.goal(role)).collect::<TimedAnswer<_>>()?;
    Ok(TimedPlayout { updates, time, terminal, goals })
}

struct Simulation<'a, R: ?Sized> {
    machine: &'a dyn TimedMachine,
    roles: u32,
    random: Option<RoleId>,
    runner: &'a mut R,
    options: &'a TimedPlayoutOptions,
    /// The time since the last update.
    since: GameTime,
    time: GameTime,
    updates: u32,
    /// Updates and wasted moves.
    events: u32,
    /// The move of `random` that waits, and how long it will from now on.
    pending: Option<(GameTime, TermId)>,
    /// Who waits, and for how long from now on.
    waits: SmallVec<[(GameTime, RoleId); 4]>,
    moves: SmallVec<[(RoleId, TermId); 4]>,
}

impl<R: TimedRunner + ?Sized> Simulation<'_, R> {
    /// Goes on to the next thing that happens; whether there is one within the time.
    fn advance(&mut self, rng: &mut Rng) -> TimedAnswer<bool> {
        if let Some(action) = self.draw_chance(rng)? {
            self.moves.clear();
            self.moves.extend(self.random.map(|random| (random, action)));
            return self.update(GameTime::ZERO);
        }
        self.draw_waits(rng)?;
        let expiry = match self.runner.time_to_expiry() {
            None => None,
            Some(expiry) => {
                let beyond = || TimedError::BeyondExpiry { elapsed: self.since, expiry };
                Some(expiry.checked_sub(self.since).ok_or_else(beyond)?)
            }
        };
        let first_wait = self.waits.iter().map(|&(wait, _)| wait).min();
        let due = self.pending.map(|(due, _)| due);
        let Some(span) = [expiry, first_wait, due].into_iter().flatten().min() else { return Ok(false) };
        let until_end = self.options.time.checked_sub(self.time).unwrap_or_default();
        if span > until_end {
            self.time = self.options.time;
            return Ok(false);
        }
        self.moves.clear();
        for &(wait, role) in &self.waits {
            if wait == span
                && let Some(&action) = rng.pick(self.runner.legal(role)?)
            {
                self.moves.push((role, action));
            }
        }
        self.make_pending(span)?;
        if self.moves.is_empty() && expiry != Some(span) {
            // A move of `random` was wasted.
            self.events += 1;
            self.pass(span);
            return Ok(true);
        }
        self.update(span)
    }

    /// Lets `random` draw where it can; its move, if it is made at once.
    fn draw_chance(&mut self, rng: &mut Rng) -> TimedAnswer<Option<TermId>> {
        let Some(random) = self.random.filter(|_| self.pending.is_none()) else { return Ok(None) };
        let Some(&action) = rng.pick(self.runner.legal(random)?) else { return Ok(None) };
        let Some(most) = longest_delay(self.machine, action) else { return Ok(Some(action)) };
        self.pending = wait_up_to(most, rng).map(|wait| (wait, action));
        Ok(None)
    }

    fn draw_waits(&mut self, rng: &mut Rng) -> TimedAnswer<()> {
        self.waits.clear();
        for role in (0..self.roles).map(RoleId) {
            if self.random != Some(role) && !self.runner.legal(role)?.is_empty() {
                self.waits.extend(wait_up_to(self.options.longest_wait, rng).map(|wait| (wait, role)));
            }
        }
        Ok(())
    }

    /// Adds the pending move of `random` where its time has come after this span, if it is legal then.
    fn make_pending(&mut self, span: GameTime) -> TimedAnswer<()> {
        let (Some((due, action)), Some(random)) = (self.pending, self.random) else {
            return Ok(());
        };
        if due == span {
            if self.runner.legal(random)?.contains(&action) {
                self.moves.push((random, action));
            }
            self.pending = None;
        }
        Ok(())
    }

    /// Makes an update after some time; always true.
    fn update(&mut self, span: GameTime) -> TimedAnswer<bool> {
        let elapsed = self.since.checked_add(span).ok_or(TimedError::TooLate)?;
        self.runner.update(elapsed, &self.moves)?;
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
        if let Some((due, _)) = &mut self.pending {
            *due = due.checked_sub(span).unwrap_or_default();
        }
    }
}

/// A time drawn evenly from the units up to the longest one; `None` where that is 0.
fn wait_up_to(longest: GameTime, rng: &mut Rng) -> Option<GameTime> {
    (longest > GameTime::ZERO).then(|| GameTime::from_units(1 + rng.below(longest.units())))?
}
