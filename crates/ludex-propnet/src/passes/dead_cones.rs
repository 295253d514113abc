//! Dead cones: gates, loops and variables that no output needs.
//!
//! Bases that no output but their own proposition needs stay: a state is told by all of its
//! propositions.

use ludex_logic::{LimitError, Meter};

use super::rebuild::{Copy, rebuild};
use crate::Circuit;

/// Drops what no output needs.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    rebuild(circuit, &mut Copy, share, meter).map(drop)
}
