//! The questions that every machine for games in real time answers.

use std::sync::Arc;

use ludex_gdl::{GameTime, Notation};
use ludex_logic::{Budget, TermId, Terms};

use super::error::{TimedAnswer, TimedError};
use super::playout::{PlayoutStart, TimedPlayout, TimedPlayoutOptions};
use super::state::TimedState;
use crate::TextError;
use crate::error::GameError;
use crate::rng::Rng;
use crate::rules::{find_timed_term, make_timed_term};
use crate::signature::{Goal, RoleId};

/// The rules of a game in real time, ready to run. Shared by threads; each thread runs its own [`TimedRunner`].
///
/// Moves, facts and percepts are ground terms of the game.
///
/// ```
/// use ludex_game::{RoleId, TimedMachine, TimedRuleMachine};
/// use ludex_gdl::GameTime;
///
/// let text = "role(you). init(2.5, bomb). legal(you, defuse) ⇐ true(T, bomb). next(infinity, safe) ⇐ does(you, defuse).
///     terminal ⇐ expired(bomb). terminal ⇐ true(T, safe). goal(you, 100) ⇐ true(T, safe). goal(you, 0) ⇐ expired(bomb).";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("bomb.gdl", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = TimedRuleMachine::new(&game, &Default::default())?;
/// let mut runner = machine.runner(&Default::default());
/// let you = RoleId(0);
/// assert_eq!(runner.time_to_expiry(), GameTime::parse("2.5").ok());
/// let defuse = machine.find_term("defuse")?.unwrap();
/// runner.update(GameTime::ONE, &[(you, defuse)])?;
/// assert_eq!((runner.terminal()?, runner.goal(you)?), (true, Some(100)));
///
/// runner.set(machine.initial())?;
/// runner.update(GameTime::parse("2.5")?, &[])?;
/// assert_eq!((runner.terminal()?, runner.goal(you)?), (true, Some(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait TimedMachine: Send + Sync {
    /// The terms of the game.
    fn terms(&self) -> &Arc<Terms>;
    /// How terms are written for people.
    fn notation(&self) -> Notation;
    /// The roles in the order of the rulesheet, `random` included.
    fn roles(&self) -> &[TermId];
    /// The role that moves at random, in rtGDL-II.
    fn random(&self) -> Option<RoleId>;
    /// The initial state.
    fn initial(&self) -> &TimedState;
    /// A runner in the initial state, with limits that hold for each single question put to it.
    fn runner(&self, budget: &Budget) -> Box<dyn TimedRunner + '_>;

    /// A term for people.
    fn text(&self, term: TermId) -> String {
        self.terms().shown_in(term, self.notation())
    }

    /// The role of this name.
    fn find_role(&self, name: &str) -> Option<RoleId> {
        let role = self.find_term(name).ok().flatten()?;
        let place = self.roles().iter().position(|&r| r == role)?;
        Some(RoleId(place as u32))
    }

    /// Reads a ground term in either notation; numbers mean the same however they are written. `None` for a term that
    /// the game never met.
    ///
    /// # Errors
    /// [`TextError`] where the text is not exactly one term without variables.
    fn find_term(&self, text: &str) -> Result<Option<TermId>, TextError> {
        find_timed_term(self.terms(), self.notation(), text)
    }

    /// The same for a term that the game may not have met yet, such as a move that nobody has asked for: it is kept from
    /// then on. For texts of one's own; those from outside go through [`TimedMachine::find_term`], so that they take no
    /// memory.
    ///
    /// # Errors
    /// As [`TimedMachine::find_term`].
    fn make_term(&self, text: &str) -> Result<Option<TermId>, TextError> {
        make_timed_term(self.terms(), self.notation(), text)
    }
}

impl dyn TimedMachine + '_ {
    /// The roles that somebody plays: all but `random`.
    pub fn seats(&self) -> impl Iterator<Item = RoleId> + use<> {
        let random = self.random();
        (0..self.roles().len() as u32).map(RoleId).filter(move |&role| Some(role) != random)
    }
}

/// One current state of a game in real time, and the scratch to compute with.
///
/// The state is one *since an update*: its lifetimes are those of the moment when it was made, and what is asked of it
/// is asked with those (Definition 1), however much time has passed. Only [`TimedRunner::update`] shortens them.
pub trait TimedRunner {
    /// Makes `state` the current state.
    ///
    /// # Errors
    /// [`GameError::UnknownFact`](crate::GameError::UnknownFact) for a fact that no state of the game can hold; a limit.
    /// The runner then has no state, and says so at each question.
    fn set(&mut self, state: &TimedState) -> TimedAnswer<()>;
    /// The current state.
    fn state(&self) -> &TimedState;
    /// What expired at the update that made the state, in canonical order.
    fn expired(&self) -> &[TermId] {
        self.state().expired()
    }
    /// How long after the update that made the state something expires; `None` where nothing ever does.
    fn time_to_expiry(&self) -> Option<GameTime> {
        self.state().time_to_expiry()
    }
    /// Whether the current state is terminal.
    fn terminal(&mut self) -> TimedAnswer<bool>;
    /// The legal moves of a role, in canonical order.
    fn legal(&mut self, role: RoleId) -> TimedAnswer<&[TermId]>;
    /// What the current state is worth to a role; `None` where the rules give no value or several.
    fn goal(&mut self, role: RoleId) -> TimedAnswer<Option<Goal>>;
    /// Makes an update when so much time has passed since the last one: some roles make a legal move each, or something
    /// expires just then, or both (the function u of Definition 1).
    ///
    /// # Errors
    /// The state is then as before. [`TimedError::BeyondExpiry`], [`TimedError::NoEvent`], [`TimedError::TwoMoves`];
    /// [`TimedError::Lifetime`] where `next` gives a lifetime that is none; of [`TimedError::Game`],
    /// [`Over`](crate::GameError::Over) in a terminal state and [`IllegalMove`](crate::GameError::IllegalMove). Else a limit.
    ///
    /// [`TimedError::BeyondExpiry`]: crate::TimedError::BeyondExpiry
    /// [`TimedError::NoEvent`]: crate::TimedError::NoEvent
    /// [`TimedError::TwoMoves`]: crate::TimedError::TwoMoves
    /// [`TimedError::Lifetime`]: crate::TimedError::Lifetime
    /// [`TimedError::Game`]: crate::TimedError::Game
    fn update(&mut self, elapsed: GameTime, moves: &[(RoleId, TermId)]) -> TimedAnswer<()>;
    /// What a role is told of the last update, in canonical order (rtGDL-II); `None` where it is told nothing.
    ///
    /// As in GDL-II, a percept is derived from the facts, as they are just before the update, and the moves; here also
    /// from what expires. A role is told where that differs from what the same facts would give at the same moment
    /// without moves and without anything that expires: so silence tells nothing (section 6.2).
    fn percepts(&self, role: RoleId) -> Option<&[TermId]>;
    /// Plays a random game on from the current state: [`timed_playout`](super::timed_playout), which says what is random
    /// about it. One seed gives one game on all machines. The runner is left in the last state, as if it had been set
    /// ([`TimedRunner::set`]): what roles were told on the way is not kept.
    ///
    /// # Errors
    /// Those of [`timed_playout`](super::timed_playout).
    fn playout(
        &mut self,
        start: PlayoutStart,
        options: &TimedPlayoutOptions,
        rng: &mut Rng,
    ) -> TimedAnswer<TimedPlayout>;
    /// Where the rule stands by which the fact that expires first got its lifetime at the last update, if that is
    /// found: for messages.
    fn rule_of_next_expiry(&self) -> Option<String>;
    /// Where the rule stands by which a move is legal, if that is found: for messages.
    fn rule_of_move(&self, role: RoleId, action: TermId) -> Option<String>;
}

/// Refuses what is no update of a runner's state: for implementations of [`TimedRunner::update`].
///
/// # Errors
/// Those of [`TimedRunner::update`] that are about the time and the moves; a limit.
pub fn check_update(
    machine: &dyn TimedMachine,
    runner: &mut (impl TimedRunner + ?Sized),
    elapsed: GameTime,
    moves: &[(RoleId, TermId)],
) -> TimedAnswer<()> {
    let role_text = |role: RoleId| match machine.roles().get(role.index()) {
        Some(&role) => machine.terms().shown(role),
        None => format!("role {}", role.index()),
    };
    if runner.terminal()? {
        return Err(GameError::Over.into());
    }
    let expiry = runner.time_to_expiry();
    if let Some(expiry) = expiry.filter(|&expiry| expiry < elapsed) {
        return Err(TimedError::BeyondExpiry { elapsed, expiry });
    }
    if moves.is_empty() && expiry != Some(elapsed) {
        return Err(TimedError::NoEvent);
    }
    for (number, &(role, action)) in moves.iter().enumerate() {
        if moves[..number].iter().any(|&(other, _)| other == role) {
            return Err(TimedError::TwoMoves { role: role_text(role) });
        }
        if !runner.legal(role)?.contains(&action) {
            let action = machine.terms().shown(action);
            return Err(GameError::IllegalMove { role: role_text(role), action }.into());
        }
    }
    Ok(())
}
