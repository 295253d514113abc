//! Many games at once, stepped by arrays of numbers: environments for learning.
//!
//! An environment is a game from its initial state on. A step takes an action for each environment, and tells by arrays
//! what is observed, what is legal, what was won and what is over; environments whose game is over begin anew.
//!
//! Actions are numbers of the signature's moves that are known beforehand ([`ActionId`](crate::ActionId)), the same for
//! all roles. Chance ([`Signature::random`](crate::Signature::random)) draws its moves itself, each as likely as the
//! others.

mod arrays;
mod error;
mod one_by_one;

use ludex_logic::{Budget, TermId};

use crate::error::GameError;
use crate::rules::Rules;
use crate::signature::{Goal, PropositionId, RoleId};
use crate::state::State;
use crate::turns::Turns;

pub use arrays::{BitRows, EnvironmentArrays, EnvironmentLayout};
pub use error::EnvironmentError;
pub use one_by_one::EnvironmentsOneByOne;

/// One bit of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Always 0.
    Nothing,
    /// Whether a fact holds.
    Fact(PropositionId),
    /// Whether a role saw this in the last step (GDL-II); 0 at the beginning of a game.
    Percept(RoleId, TermId),
}

/// How environments are set up.
#[derive(Clone, Debug)]
pub struct EnvironmentOptions {
    /// How many there are.
    pub count: usize,
    /// Decides chance, and random actions.
    pub seed: u64,
    /// Where this is given, one player moves at a time, and a step takes one action for each environment: that of the player in
    /// turn. Otherwise it takes one for each environment and player.
    pub turns: Option<Turns>,
    /// What is observed, bit by bit.
    pub observed: Vec<Place>,
    /// After how many steps a game is broken off, if it is.
    pub step_limit: Option<u32>,
    /// Whether environments whose game is over begin anew in the same step, and those that were put into a state in which it is
    /// over with the next one. Otherwise they stay as they are, take any action and have no legal one.
    pub begins_anew: bool,
    /// What goal values of 0 and of 100 at the end of a game are as rewards; those in between lie in between.
    pub rewards: (f32, f32),
    /// How many threads work, as far as there is work for them. What comes out does not depend on it.
    pub threads: usize,
    /// How many bytes they may hold.
    pub memory: usize,
}

impl EnvironmentOptions {
    /// So many environments of a game, with all facts as observations, rewards from 0 to 1, one thread and 8 GiB.
    pub fn new(count: usize, rules: &Rules) -> Self {
        let facts = 0..rules.signature().known_propositions() as u32;
        Self {
            count,
            seed: 1,
            turns: None,
            observed: facts.map(|fact| Place::Fact(PropositionId(fact))).collect(),
            step_limit: None,
            begins_anew: true,
            rewards: (0.0, 1.0),
            threads: 1,
            memory: 8 << 30,
        }
    }
}

impl EnvironmentOptions {
    /// The reward of a goal value at the end of a game; not a number where the rules give no value.
    pub fn reward(&self, goal: Option<Goal>) -> f32 {
        let (low, high) = self.rewards;
        goal.map_or(f32::NAN, |goal| low + (high - low) * (goal as f32 / 100.0))
    }

    /// Fails where so many bytes are more than may be held.
    ///
    /// # Errors
    /// [`EnvironmentError::Game`] with a limit.
    pub fn check_memory(&self, bytes: usize) -> Result<(), EnvironmentError> {
        let what = || format!("{} environments", self.count);
        let meter = Budget::unlimited().with_memory(self.memory).meter();
        Ok(meter.check_memory(bytes, what).map_err(GameError::from)?)
    }
}

/// The actions of a step.
#[derive(Clone, Copy, Debug)]
pub enum Actions<'a> {
    /// Random legal ones, each as likely as the others.
    Random,
    /// These, row by row as in [`EnvironmentLayout::rows`].
    Given(&'a [i32]),
}

/// Games that are stepped together.
pub trait Environments: Send + Sync {
    /// How large the arrays are.
    fn layout(&self) -> &EnvironmentLayout;

    /// Begins all games anew, and chance with them.
    ///
    /// # Errors
    /// As [`Environments::observe`].
    fn reset(&mut self, seed: u64, arrays: EnvironmentArrays<'_>) -> Result<(), EnvironmentError>;

    /// Makes a step in all games that are not over.
    ///
    /// # Errors
    /// [`EnvironmentError::Shape`], [`EnvironmentError::Action`]: nothing has happened then. As [`Environments::observe`]
    /// after the step.
    fn step(&mut self, actions: Actions<'_>, arrays: EnvironmentArrays<'_>) -> Result<(), EnvironmentError>;

    /// Tells what is the case; rewards are 0, and over are the games that stay so.
    ///
    /// # Errors
    /// [`EnvironmentError::Shape`]; [`EnvironmentError::Several`] where one player is to move at a time and several have a
    /// choice; [`EnvironmentError::UnknownFact`]; a limit of the machine.
    fn observe(&mut self, arrays: EnvironmentArrays<'_>) -> Result<(), EnvironmentError>;

    /// The states of some environments.
    fn states(&self, environments: &[usize]) -> Vec<State>;

    /// Puts environments into these states; their games go on from there with no steps made.
    ///
    /// # Errors
    /// [`GameError::ForeignState`], and nothing has changed; [`EnvironmentError::Several`] as for [`Environments::observe`].
    fn set_states(&mut self, environments: &[usize], states: &[State]) -> Result<(), EnvironmentError>;

    /// As many environments as are named, each in the state of the one named and without a past; they do not begin anew, and
    /// their chance has this seed.
    fn select(&self, environments: &[usize], seed: u64) -> Box<dyn Environments>;
}
