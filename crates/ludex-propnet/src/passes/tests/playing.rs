//! What can be seen of a circuit along random games.

use ludex_game::Rng;

use crate::{Circuit, CircuitEvaluator, Edge, GateValues};

/// One circuit in one state.
pub(crate) struct Position<'c> {
    circuit: &'c Circuit,
    evaluator: CircuitEvaluator<'c>,
    state: Vec<bool>,
}

/// What can be seen of a state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) legal: Vec<Vec<bool>>,
    pub(crate) terminal: bool,
    goals: Vec<Vec<bool>>,
    values: Vec<bool>,
}

impl<'c> Position<'c> {
    pub(crate) fn new(circuit: &'c Circuit) -> Self {
        let evaluator = CircuitEvaluator::new(circuit);
        let mut position = Self { circuit, evaluator, state: Vec::new() };
        position.restart();
        position
    }

    pub(crate) fn restart(&mut self) {
        self.state = self.circuit.bases.iter().map(|b| b.initial).collect();
    }

    pub(crate) fn see(&self) -> Seen {
        let gates = self.evaluator.in_state(&self.state, &[]);
        Seen {
            legal: all(&gates, &self.circuit.legal, |e| *e),
            terminal: gates.get(self.circuit.terminal),
            goals: all(&gates, &self.circuit.goals, |(_, e)| *e),
            values: self.circuit.values.iter().map(|e| gates.get(*e)).collect(),
        }
    }

    /// Makes a step; the percepts.
    pub(crate) fn step(&mut self, joint: &[u32]) -> Vec<Vec<bool>> {
        let gates = self.evaluator.in_state(&self.state, joint);
        self.state = self.circuit.bases.iter().map(|b| gates.get(b.next)).collect();
        all(&gates, &self.circuit.percepts, |(_, e)| *e)
    }
}

fn all<T>(gates: &GateValues, lists: &[Vec<T>], edge: impl Fn(&T) -> Edge) -> Vec<Vec<bool>> {
    lists.iter().map(|list| list.iter().map(|item| gates.get(edge(item))).collect()).collect()
}

/// Plays both circuits at once with random moves, as if they were one.
pub(crate) fn assert_same(a: &Circuit, b: &Circuit, rng: &mut Rng, steps: usize, what: &dyn Fn() -> String) {
    let (mut left, mut right) = (Position::new(a), Position::new(b));
    for _ in 0..steps {
        let seen = left.see();
        assert_eq!(seen, right.see(), "{}", what());
        if seen.terminal {
            left.restart();
            right.restart();
            continue;
        }
        let mut choose = |moves: &Vec<bool>| {
            let legal: Vec<u32> = (0..).zip(moves).filter(|m| *m.1).map(|m| m.0).collect();
            *rng.pick(&legal).unwrap()
        };
        let joint: Vec<u32> = seen.legal.iter().map(&mut choose).collect();
        assert_eq!(left.step(&joint), right.step(&joint), "{}", what());
    }
}
