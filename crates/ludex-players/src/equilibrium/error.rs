//! Why a game has no equilibrium that is looked for here.

use std::fmt;

use ludex_game::{GameError, Goal};
use ludex_gdl::Dialect;
use ludex_logic::LimitError;

use crate::registry::StrategyError;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EquilibriumError {
    /// The game is written in a language that is not unrolled.
    #[error("a game in {dialect} is not unrolled: only games in GDL and GDL-II are")]
    Dialect {
        /// The language.
        dialect: Dialect,
    },
    /// Not one or two roles decide.
    #[error(
        "the game is for {roles} roles beside chance: an equilibrium is found for two, and the best plan for one"
    )]
    Roles {
        /// How many roles there are beside the one that moves at random.
        roles: usize,
    },
    /// The goals of the two roles do not add up to the same in all terminal states.
    #[error(
        "the goals of the two roles do not add up to the same everywhere: they are {first}, and they are {second}"
    )]
    NotConstantSum {
        /// An ending.
        first: Box<Ending>,
        /// Another one, in which the goals have another sum.
        second: Box<Ending>,
    },
    /// The rules give a role no goal in a terminal state, or several.
    #[error("`{role}` has no goal, or several, in the terminal state after {}", course(.moves))]
    NoGoal {
        /// The role.
        role: String,
        /// The joint moves that lead there.
        moves: Vec<Vec<String>>,
    },
    /// A role does not know what it may do: two courses look alike to it, and other moves are legal after them.
    #[error(
        "`{role}` cannot know what it may do after {}: with all that it saw, {} may be legal, or {}",
        course(.moves), list(.legal), list(.other)
    )]
    UnknownMoves {
        /// The role.
        role: String,
        /// The joint moves of one of the courses.
        moves: Vec<Vec<String>>,
        /// What is legal after it.
        legal: Vec<String>,
        /// What is legal after the other one.
        other: Vec<String>,
    },
    /// There are too many nodes.
    #[error("the game has more than {nodes} nodes")]
    TooLarge {
        /// The limit.
        nodes: usize,
    },
    /// There is no such player.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// The machine has no answer, or a limit was reached.
    #[error(transparent)]
    Game(#[from] GameError),
}

impl From<LimitError> for EquilibriumError {
    fn from(limit: LimitError) -> Self {
        Self::Game(GameError::Limit(limit))
    }
}

/// A course of a game to its end, and what it brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The joint moves, as the rulesheet would write them: for each step the moves of all roles.
    pub moves: Vec<Vec<String>>,
    /// The goals of the roles that decide.
    pub goals: Vec<Goal>,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goals: Vec<String> = self.goals.iter().map(ToString::to_string).collect();
        write!(f, "{} after {}", goals.join(" and "), course(&self.moves))
    }
}

/// Joint moves as people read them: steps apart by semicolons, as the command takes them.
fn course(moves: &[Vec<String>]) -> String {
    if moves.is_empty() {
        return "no move".to_owned();
    }
    let steps: Vec<String> = moves.iter().map(|joint| joint.join(" ")).collect();
    format!("`{}`", steps.join("; "))
}

fn list(moves: &[String]) -> String {
    format!("`{}`", moves.join(" "))
}
