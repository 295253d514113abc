//! Makes the gates of a new circuit, each simplified by itself and, if wished, only once.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

use super::{Edge, Gate, GateId, normalise};

/// The gates of a circuit in the making: each in normal form ([`normalise`]) and after what it reads.
#[derive(Debug)]
pub struct GateBuilder {
    gates: Vec<Gate>,
    /// Bases, inputs: one gate each.
    sources: FxHashMap<Gate, GateId>,
    /// And-gates by their operands.
    shared: HashTable<GateId>,
    share: bool,
}

impl GateBuilder {
    /// Gate 0 only. Unless `share`, two and-gates with the same operands stay two.
    pub fn new(share: bool) -> Self {
        Self { gates: vec![Gate::False], sources: FxHashMap::default(), shared: HashTable::new(), share }
    }

    /// The gates, in topological order.
    pub fn finish(self) -> Vec<Gate> {
        self.gates
    }

    /// The gates made so far.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// What a gate computes.
    pub fn gate(&self, gate: GateId) -> &Gate {
        &self.gates[gate.index()]
    }

    /// The operands, if the edge points to an and-gate.
    pub fn operands(&self, edge: Edge) -> Option<&[Edge]> {
        if let Gate::And(edges) = self.gate(edge.gate()) { Some(edges) } else { None }
    }

    fn push(&mut self, gate: Gate) -> GateId {
        let id = GateId(self.gates.len() as u32);
        self.gates.push(gate);
        id
    }

    /// A base or an input; the same one gives the same edge.
    pub fn source(&mut self, gate: Gate) -> Edge {
        if let Some(edge) = self.find_source(&gate) {
            return edge;
        }
        let id = self.push(gate.clone());
        self.sources.insert(gate, id);
        Edge::new(id, false)
    }

    /// The edge of a base or an input that was made.
    pub fn find_source(&self, gate: &Gate) -> Option<Edge> {
        self.sources.get(gate).map(|&id| Edge::new(id, false))
    }

    /// A new variable of a loop.
    pub fn feedback(&mut self, number: u32) -> Edge {
        Edge::new(self.push(Gate::Feedback(number)), false)
    }

    /// The conjunction of `edges`, which are left in an unspecified order.
    pub fn and(&mut self, edges: &mut Vec<Edge>) -> Edge {
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
            |&id| gates[id.index()].operands() == edges.as_slice(),
            |&id| hash(gates[id.index()].operands()),
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
    pub fn find(&self, edges: &[Edge]) -> Option<Edge> {
        let same = |&id: &GateId| self.gate(id).operands() == edges;
        self.shared.find(hash(edges), same).map(|&id| Edge::new(id, false))
    }
}

fn hash(edges: &[Edge]) -> u64 {
    let mut hasher = FxHasher::default();
    edges.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(builder: &mut GateBuilder, count: u32) -> Vec<Edge> {
        (0..count).map(|i| builder.source(Gate::Base(i))).collect()
    }

    #[test]
    fn operands_are_folded() {
        let mut builder = GateBuilder::new(true);
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
        assert_eq!(builder.gates().len(), 3);
    }

    #[test]
    fn equal_gates_are_one_only_if_shared() {
        for share in [false, true] {
            let mut builder = GateBuilder::new(share);
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
