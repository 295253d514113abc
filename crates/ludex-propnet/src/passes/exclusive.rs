//! Groups of bases of which at most one, or exactly one, is true in every reachable state.

use ludex_logic::{LimitError, Meter};

use super::families::Families;
use super::simplify::simplify;
use crate::{Circuit, Gate, Invariants};

/// Simplifies by what the bases of one group say about each other.
pub(super) fn run(
    circuit: &mut Circuit,
    invariants: &Invariants,
    share: bool,
    meter: &mut Meter,
) -> Result<(), LimitError> {
    if invariants.exclusive.is_empty() && invariants.exactly_one.is_empty() {
        return Ok(());
    }
    let mut families = Families::default();
    for (groups, exactly_one) in [(&invariants.exclusive, false), (&invariants.exactly_one, true)] {
        for group in groups {
            meter.spend(group.len() as u64)?;
            families.add(group.iter().map(|&base| Gate::Base(base)), exactly_one);
        }
    }
    simplify(circuit, families, Vec::new(), share, meter)
}
