//! What can go wrong with environments.

use crate::error::GameError;
use crate::signature::{ActionId, RoleId, Signature};

/// Why environments cannot be made or stepped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// What the machine answered.
    #[error(transparent)]
    Game(#[from] GameError),
    /// An action that cannot be made.
    #[error("environment {environment}: {cause}")]
    Action {
        /// The environment, from 0.
        environment: usize,
        /// Why.
        cause: GameError,
    },
    /// One player is to move at a time, and several have a choice.
    #[error("environment {environment}: several players have a choice, so each has to be given an action")]
    Several {
        /// The first such environment, from 0.
        environment: usize,
    },
    /// A fact that was not known beforehand, where all facts are observed.
    #[error(
        "environment {environment}: `{fact}` is none of the facts that are known beforehand, so it has no place"
    )]
    UnknownFact {
        /// The environment, from 0.
        environment: usize,
        /// The fact.
        fact: String,
    },
    /// An array of another size than the layout says.
    #[error("{array} should have {expected} entries, and has {found}")]
    Shape {
        /// Which.
        array: &'static str,
        /// How many entries there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A role without players: there is nobody to act.
    #[error("the game has no players")]
    NoPlayers,
}

impl EnvironmentError {
    /// Why a role cannot make an action that is not legal for it, or that there is not.
    pub fn of_action(signature: &Signature, environment: usize, role: RoleId, action: i32) -> Self {
        let cause = match u32::try_from(action) {
            Ok(number) if (number as usize) < signature.known_actions() => {
                signature.not_legal(role, ActionId(number))
            }
            _ => GameError::UnknownAction { action: format!("action {action}") },
        };
        Self::Action { environment, cause }
    }
}
