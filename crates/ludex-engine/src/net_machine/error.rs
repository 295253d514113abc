//! Why a game cannot be run as a net.

use ludex_game::GameError;
use ludex_logic::LimitError;
use ludex_logic::ground::GroundError;
use ludex_propnet::{CircuitFault, NetError};

/// Why a game cannot be run as a net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetMachineError {
    /// The rules cannot be grounded within the limits.
    #[error("cannot ground the rules: {0}")]
    Grounding(#[from] GroundError),
    /// The ground rules have no propositional net.
    #[error("cannot make a propositional net: {0}")]
    Net(#[from] NetError),
    /// The circuit cannot be run; for one thing, a state's legal moves, goals or end may not depend on
    /// the moves made in it.
    #[error("cannot run the circuit: {0}")]
    Circuit(#[from] CircuitFault),
    /// A game in real time, of which no net of this kind can be made.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A limit was reached after grounding.
    #[error(transparent)]
    Limit(#[from] LimitError),
}
