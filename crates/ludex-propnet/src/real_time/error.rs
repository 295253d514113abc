//! Why a game in real time has no circuit.

use ludex_game::TimedError;
use ludex_logic::LimitError;
use ludex_logic::ground::GroundError;

use crate::{CircuitFault, NetError};

/// Why a game in real time cannot be run as a net. The rule machine may be able to run it nevertheless.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimedNetError {
    /// The rules are in a language without lifetimes, or `init` gives a lifetime that is none.
    #[error(transparent)]
    Timed(#[from] TimedError),
    /// What is left of a lifetime becomes part of a fact, a move or another term: there is no end of such terms.
    #[error("the rule at {rule} puts what is left of a lifetime into a term")]
    LifetimeInTerm {
        /// The line and column of the rule.
        rule: String,
    },
    /// What is left of two lifetimes is compared in a way that clocks beside a circuit cannot tell.
    #[error("the rule at {rule} compares what is left of two lifetimes")]
    LifetimesCompared {
        /// The line and column of the rule.
        rule: String,
    },
    /// The rules cannot be grounded within the limits.
    #[error("cannot ground the rules: {0}")]
    Grounding(#[from] GroundError),
    /// The ground rules have no propositional net.
    #[error("cannot make a propositional net: {0}")]
    Net(#[from] NetError),
    /// The circuit cannot be run.
    #[error("cannot run the circuit: {0}")]
    Circuit(#[from] CircuitFault),
    /// A limit was reached after grounding.
    #[error(transparent)]
    Limit(#[from] LimitError),
}
