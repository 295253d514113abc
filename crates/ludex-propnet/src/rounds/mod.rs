//! Rounds: what always holds at each turn of a game whose turns come round again.
//!
//! In most games of several players control goes round: every second state belongs to white, whatever
//! was played. What is known of a state by its turn, by the rules and by the states that a match can
//! still come from decides most of a circuit: half of the moves belong to the other player, walls stay,
//! pieces that were taken do not come back. [`Rounds::facts`] finds it, and
//! [`RoundFacts::specialise`] makes a circuit of one turn that computes only what is still open.
//!
//! As [`Lasting`](crate::Lasting) for rounds of one turn, it is constant propagation over three values
//! (Wegman and Zadeck, "Constant propagation with conditional branches", 1991), here over a circuit that
//! is unrolled for as many turns as a round has: the state of a turn follows from the one before, and
//! that of the first turn from the last one. It begins with the values that one course has, and whatever
//! can get another one becomes unknown, and so does what depends on it, until nothing changes.

mod facts;
mod periods;
mod specialise;
#[cfg(test)]
mod tests;

use ludex_logic::Csr;

pub use facts::{RoundFacts, RoundStart};
pub use specialise::Live;

use crate::{Circuit, Edge, Gate, GateId};

/// What reads a gate.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// An and-gate.
    And(GateId),
    /// A base whose next value it is.
    Base(GateId),
    /// A variable of a loop whose definition it is.
    Variable(GateId),
    /// The legality of a move: role and number.
    Legal(u32, u32),
}

/// One that reads a gate, or its complement.
#[derive(Clone, Copy, Debug)]
struct Reading {
    target: Target,
    complemented: bool,
}

/// Finds what holds at each turn of a round. Made once for a circuit, asked for many states.
#[derive(Debug)]
pub struct Rounds {
    /// Who reads each gate.
    readers: Csr<Reading>,
    /// Per role and move its input gate, where there is one.
    inputs: Vec<Vec<Option<GateId>>>,
    /// Per base its gate, where there is one.
    bases: Vec<Option<GateId>>,
    /// The variables of all loops with their definitions.
    variables: Vec<(GateId, Edge)>,
}

impl Rounds {
    /// For one circuit; the other functions are to be given the same one.
    pub fn new(circuit: &Circuit) -> Self {
        let mut inputs: Vec<Vec<Option<GateId>>> =
            circuit.legal.iter().map(|legal| vec![None; legal.len()]).collect();
        let mut bases = vec![None; circuit.bases.len()];
        for (id, gate) in (0..).map(GateId).zip(&circuit.gates) {
            let place = match *gate {
                Gate::Base(base) => bases.get_mut(base as usize),
                Gate::Input(role, number) => {
                    inputs.get_mut(role as usize).and_then(|list| list.get_mut(number as usize))
                }
                Gate::False | Gate::Feedback(_) | Gate::And(_) => None,
            };
            if let Some(place) = place {
                *place = Some(id);
            }
        }
        let variables: Vec<(GateId, Edge)> =
            circuit.loops.iter().flat_map(|l| &l.feedback).map(|f| (f.gate, f.definition)).collect();
        let reading = |edge: Edge, target: Target| {
            (edge.gate().index(), Reading { target, complemented: edge.is_complemented() })
        };
        let readers = Csr::from_pairs(circuit.gates.len(), || {
            let gates = (0..).map(GateId).zip(&circuit.gates);
            let of_gates = gates.flat_map(|(id, gate)| {
                gate.operands().iter().map(move |&edge| reading(edge, Target::And(id)))
            });
            let of_bases = bases.iter().zip(&circuit.bases);
            let of_bases =
                of_bases.filter_map(|(gate, base)| Some(reading(base.next, Target::Base((*gate)?))));
            let of_variables =
                variables.iter().map(|&(gate, definition)| reading(definition, Target::Variable(gate)));
            let of_moves = (0..).zip(&circuit.legal).flat_map(|(role, legal)| {
                (0..).zip(legal).map(move |(number, &edge)| reading(edge, Target::Legal(role, number)))
            });
            of_gates.chain(of_bases).chain(of_variables).chain(of_moves)
        });
        Self { readers, inputs, bases, variables }
    }
}
