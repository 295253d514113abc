//! Hash-consing: two and-gates with the same operands become one.
//!
//! A loop's variables are told apart by their gates, so a gate in the body of one loop can only meet a
//! gate over the same variables.

use ludex_logic::{LimitError, Meter};

use super::rebuild::{Copy, rebuild};
use crate::Circuit;

/// Makes equal gates one.
pub(super) fn run(circuit: &mut Circuit, meter: &mut Meter) -> Result<(), LimitError> {
    rebuild(circuit, &mut Copy, true, meter).map(drop)
}
