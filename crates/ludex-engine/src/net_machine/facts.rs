//! Which propositions hold in a state.

use ludex_propnet::{Circuit, Edge};

use super::mutable_circuit::{MutableCircuit, Node, read};

/// The part of a circuit that tells the values of propositions from the stored bases.
#[derive(Clone, Debug)]
pub(super) struct FactPlan {
    mutable: MutableCircuit,
    components: Vec<Vec<usize>>,
    values: Vec<Edge>,
}

impl FactPlan {
    pub(super) fn new(circuit: &Circuit) -> Self {
        let (mut mutable, outputs) = MutableCircuit::of(circuit);
        let mut needed = vec![false; mutable.nodes.len()];
        mutable.mark(outputs.values.iter().copied(), &mut needed);
        for (node, needed) in mutable.nodes.iter_mut().zip(needed) {
            if !needed {
                *node = Node::False;
            }
        }
        let components = mutable.components().into_iter();
        let components = components.filter(|c| c.iter().any(|&g| mutable.nodes[g] != Node::False)).collect();
        Self { components, mutable, values: outputs.values }
    }

    /// Per proposition whether it holds in the state with these words.
    pub(super) fn evaluate(&self, words: &[u64]) -> impl Iterator<Item = bool> {
        let values = self.mutable.evaluate(&self.components, |node| match node {
            Node::Base(base) => words[*base as usize / 64] >> (base % 64) & 1 == 1,
            _ => false,
        });
        self.values.iter().map(move |&edge| read(&values, edge))
    }
}
