//! Circuits where not everything is known: true, false, or not known.

use super::{Circuit, Edge, Gate, GateId};

/// What follows for the gates of a circuit, by gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TernaryValues(Vec<Option<bool>>);

impl TernaryValues {
    /// The value of an edge, where it is known.
    pub fn get(&self, edge: Edge) -> Option<bool> {
        self.0[edge.gate().index()].map(|value| value != edge.is_complemented())
    }
}

/// A conjunction over three values, by those of the gates: false if an operand is, whatever the others are.
pub fn ternary_and(edges: &[Edge], value: impl Fn(GateId) -> Option<bool>) -> Option<bool> {
    let mut all = Some(true);
    for edge in edges {
        match value(edge.gate()).map(|value| value != edge.is_complemented()) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

impl Circuit {
    /// What follows for each gate from what is known of bases and moves; `input` is asked for a role and
    /// the position of a move. What a recursion comes to is taken as not known. Takes time linear in
    /// [`Circuit::operand_count`].
    pub fn ternary_values(
        &self,
        base: impl Fn(u32) -> Option<bool>,
        input: impl Fn(u32, u32) -> Option<bool>,
    ) -> TernaryValues {
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            values.push(match gate {
                Gate::False => Some(false),
                Gate::Base(number) => base(*number),
                Gate::Input(role, number) => input(*role, *number),
                Gate::Feedback(_) => None,
                Gate::And(edges) => ternary_and(edges, |gate| values[gate.index()]),
            });
        }
        TernaryValues(values)
    }
}
