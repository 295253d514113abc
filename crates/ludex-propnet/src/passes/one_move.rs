//! Each role makes exactly one move: its inputs exclude each other, and one of them is true.
//!
//! This holds when a step is made, so it serves the next state and the percepts only.

use ludex_logic::{LimitError, Meter};

use super::cones::read_of_state;
use super::families::Families;
use super::simplify::simplify;
use crate::{Circuit, Edge, Gate};

/// Simplifies by what the moves of one role say about each other.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    let untouched = read_of_state(circuit, meter)?;
    let mut families = Families::default();
    for (role, legal) in circuit.legal.iter().enumerate() {
        let possible = legal.iter().enumerate().filter(|(_, edge)| **edge != Edge::FALSE);
        families.add(possible.map(|(action, _)| Gate::Input(role as u32, action as u32)), true);
    }
    simplify(circuit, families, untouched, share, meter)
}
