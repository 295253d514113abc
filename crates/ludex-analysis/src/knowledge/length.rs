//! How long a game can be at most, where something counts its steps.

use ludex_logic::{LimitError, Meter};
use ludex_propnet::Circuit;

use crate::ternary;

/// Games that may be longer than this are not looked at further.
const MOST_STEPS: u32 = 5_000;

/// A number of steps after which every course of the game is over. The initial state is followed without
/// knowing what anybody does: what depends on moves is soon not known any more, while step counters go on
/// counting. Where the end of the game follows from what is still known, it has come.
///
/// # Errors
/// When the budget is spent.
pub(super) fn longest(circuit: &Circuit, meter: &mut Meter) -> Result<Option<u32>, LimitError> {
    let mut state: Vec<Option<bool>> = circuit.bases.iter().map(|base| Some(base.initial)).collect();
    for step in 0..MOST_STEPS {
        let values = ternary::gates(circuit, |base| state[base as usize], |_, _| None, meter)?;
        if ternary::edge_value(&values, circuit.terminal) == Some(true) {
            return Ok(Some(step));
        }
        let next: Vec<Option<bool>> =
            circuit.bases.iter().map(|base| ternary::edge_value(&values, base.next)).collect();
        // Nothing more happens that is known: nothing counts.
        if next == state || next.iter().all(Option::is_none) {
            return Ok(None);
        }
        state = next;
    }
    Ok(None)
}
