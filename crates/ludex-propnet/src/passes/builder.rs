//! Makes the gates of a new circuit, each simplified by itself and, if wished, only once.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

use crate::{Edge, Gate, GateId};

/// An edge as a position in a table with two entries for each gate.
pub(crate) fn position(edge: Edge) -> usize {
    edge.gate().index() << 1 | usize::from(edge.is_complemented())
}

/// The gates made so far.
pub(crate) struct Builder {
    gates: Vec<Gate>,
    /// Bases, inputs: one gate each.
    sources: FxHashMap<Gate, GateId>,
    /// And-gates by their operands.
    shared: HashTable<GateId>,
    share: bool,
}

impl Builder {
    /// Gate 0 only. Unless `share`, two and-gates with the same operands stay two.
    pub(crate) fn new(share: bool) -> Self {
        Self { gates: vec![Gate::False], sources: FxHashMap::default(), shared: HashTable::new(), share }
    }

    /// The gates, in topological order.
    pub(crate) fn finish(self) -> Vec<Gate> {
        self.gates
    }

    /// The number of gates made.
    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    /// What a gate computes.
    pub(crate) fn gate(&self, gate: GateId) -> &Gate {
        &self.gates[gate.index()]
    }

    /// The operands, if the edge points to an and-gate.
    pub(crate) fn operands(&self, edge: Edge) -> Option<&[Edge]> {
        if let Gate::And(edges) = self.gate(edge.gate()) { Some(edges) } else { None }
    }

    fn push(&mut self, gate: Gate) -> GateId {
        let id = GateId(self.gates.len() as u32);
        self.gates.push(gate);
        id
    }

    /// A base or an input; the same one gives the same edge.
    pub(crate) fn source(&mut self, gate: Gate) -> Edge {
        if let Some(&id) = self.sources.get(&gate) {
            return Edge::new(id, false);
        }
        let id = self.push(gate.clone());
        self.sources.insert(gate, id);
        Edge::new(id, false)
    }

    /// A new variable of a loop.
    pub(crate) fn feedback(&mut self, number: u32) -> Edge {
        Edge::new(self.push(Gate::Feedback(number)), false)
    }

    /// The conjunction of `edges`, which are left in an unspecified order.
    pub(crate) fn and(&mut self, edges: &mut Vec<Edge>) -> Edge {
        if let Some(simple) = normalise(edges) {
            return simple;
        }
        if !self.share {
            return Edge::new(self.push(Gate::And(edges.as_slice().into())), false);
        }
        let next = GateId(self.gates.len() as u32);
        let gates = &self.gates;
        let entry = self.shared.entry(
            hash(edges),
            |&id| matches!(&gates[id.index()], Gate::And(other) if **other == **edges),
            |&id| if let Gate::And(other) = &gates[id.index()] { hash(other) } else { 0 },
        );
        match entry {
            Entry::Occupied(found) => Edge::new(*found.get(), false),
            Entry::Vacant(place) => {
                place.insert(next);
                self.gates.push(Gate::And(edges.as_slice().into()));
                Edge::new(next, false)
            }
        }
    }

    /// The gate with these normalised operands, if there is one already.
    pub(crate) fn find(&self, edges: &[Edge]) -> Option<Edge> {
        let same = |&id: &GateId| matches!(self.gate(id), Gate::And(other) if **other == *edges);
        self.shared.find(hash(edges), same).map(|&id| Edge::new(id, false))
    }
}

fn hash(edges: &[Edge]) -> u64 {
    let mut hasher = FxHasher::default();
    edges.hash(&mut hasher);
    hasher.finish()
}

/// Sorts the operands of a conjunction and drops what is double or true; the value if it needs no gate:
/// one operand, none, or two that contradict each other.
pub(crate) fn normalise(edges: &mut Vec<Edge>) -> Option<Edge> {
    edges.sort_unstable();
    edges.dedup();
    if edges.first() == Some(&Edge::FALSE) {
        return Some(Edge::FALSE);
    }
    edges.retain(|&e| e != Edge::TRUE);
    // An edge and its complement are neighbours in the order of edges.
    if edges.windows(2).any(|pair| pair[0] == !pair[1]) {
        return Some(Edge::FALSE);
    }
    match edges.as_slice() {
        [] => Some(Edge::TRUE),
        &[only] => Some(only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(builder: &mut Builder, count: u32) -> Vec<Edge> {
        (0..count).map(|i| builder.source(Gate::Base(i))).collect()
    }

    #[test]
    fn operands_are_folded() {
        let mut builder = Builder::new(true);
        let [a, b] = inputs(&mut builder, 2)[..] else { panic!() };
        for (edges, expected) in [
            (vec![], Edge::TRUE),
            (vec![a], a),
            (vec![!a, !a], !a),
            (vec![a, Edge::TRUE], a),
            (vec![a, Edge::FALSE, b], Edge::FALSE),
            (vec![a, b, !a], Edge::FALSE),
        ] {
            assert_eq!(builder.and(&mut edges.clone()), expected, "{edges:?}");
        }
        assert_eq!(builder.len(), 3);
    }

    #[test]
    fn equal_gates_are_one_only_if_shared() {
        for share in [false, true] {
            let mut builder = Builder::new(share);
            let [a, b] = inputs(&mut builder, 2)[..] else { panic!() };
            let first = builder.and(&mut vec![a, !b]);
            let second = builder.and(&mut vec![!b, a, a]);
            assert_eq!(first == second, share);
            assert_eq!(builder.find(&[a, !b]).is_some(), share);
            assert_eq!(inputs(&mut builder, 2), [a, b]);
            assert_ne!(builder.feedback(0), builder.feedback(0));
        }
    }
}
