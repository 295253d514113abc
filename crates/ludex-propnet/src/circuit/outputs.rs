//! What is read of a circuit from outside, and what that needs.

use super::{Circuit, Edge, StoredBase};

impl Circuit {
    /// All edges that somebody outside of the gates reads, but for the definitions of loops; what depends
    /// on the state alone comes first.
    pub fn outputs(&self) -> impl Iterator<Item = Edge> {
        self.state_outputs().chain(self.step_outputs())
    }

    /// What is read of a state: which moves are legal, whether it is terminal, goals and propositions.
    pub fn state_outputs(&self) -> impl Iterator<Item = Edge> {
        let legal = self.legal.iter().flatten().copied();
        let goals = self.goals.iter().flatten().map(|&(_, edge)| edge);
        legal.chain([self.terminal]).chain(goals).chain(self.values.iter().copied())
    }

    /// What is read of a step: the next state and the percepts.
    pub fn step_outputs(&self) -> impl Iterator<Item = Edge> {
        let percepts = self.percepts.iter().flatten().map(|&(_, edge)| edge);
        self.bases.iter().map(|b| b.next).chain(percepts)
    }

    /// The same edges as [`Circuit::outputs`], to be replaced.
    pub fn outputs_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let goals = self.goals.iter_mut().flatten().map(|(_, edge)| edge);
        let percepts = self.percepts.iter_mut().flatten().map(|(_, edge)| edge);
        let next = self.bases.iter_mut().map(|StoredBase { next, .. }| next);
        let legal = self.legal.iter_mut().flatten();
        legal.chain([&mut self.terminal]).chain(goals).chain(&mut self.values).chain(next).chain(percepts)
    }

    /// The definition of each variable, by gate.
    pub fn definitions(&self) -> Vec<Option<Edge>> {
        let mut found = vec![None; self.gates.len()];
        for feedback in self.loops.iter().flat_map(|l| &l.feedback) {
            found[feedback.gate.index()] = Some(feedback.definition);
        }
        found
    }

    /// Per gate whether one of these edges depends on it, through variables of loops, too. Takes time
    /// linear in the number of operands.
    pub fn cone(&self, edges: impl IntoIterator<Item = Edge>) -> Vec<bool> {
        let definitions = self.definitions();
        let mut inside = vec![false; self.gates.len()];
        let mut open: Vec<usize> = edges.into_iter().map(|edge| edge.gate().index()).collect();
        while let Some(gate) = open.pop() {
            if !std::mem::replace(&mut inside[gate], true) {
                let reads = self.gates[gate].operands().iter().chain(&definitions[gate]);
                open.extend(reads.map(|edge| edge.gate().index()).filter(|&read| !inside[read]));
            }
        }
        inside
    }
}
