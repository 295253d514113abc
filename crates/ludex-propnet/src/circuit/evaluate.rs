//! A circuit's values, worked out plainly: what passes and engines are compared with.

use super::{Circuit, Edge, Gate, Stage};

/// The values of all gates of a circuit, by gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateValues(Vec<bool>);

impl GateValues {
    /// The value of an edge.
    pub fn get(&self, edge: Edge) -> bool {
        self.0[edge.gate().index()] != edge.is_complemented()
    }
}

/// Works out a circuit gate by gate, loops round by round.
///
/// The oracle of the crate: it takes no short cuts. A loop takes as many rounds as its longest chain
/// of variables.
#[derive(Clone, Debug)]
pub struct CircuitEvaluator<'c> {
    circuit: &'c Circuit,
    stages: Vec<Stage>,
}

impl<'c> CircuitEvaluator<'c> {
    /// An evaluator of a circuit that keeps its promises ([`Circuit::check`]).
    pub fn new(circuit: &'c Circuit) -> Self {
        Self { circuit, stages: circuit.schedule() }
    }

    /// The final values of all gates, given each base and each input (role and move).
    pub fn evaluate(&self, base: impl Fn(u32) -> bool, input: impl Fn(u32, u32) -> bool) -> GateValues {
        let gates = &self.circuit.gates;
        let mut values = GateValues(vec![false; gates.len()]);
        for stage in &self.stages {
            loop {
                for &gate in stage.gates() {
                    values.0[gate.index()] = match &gates[gate.index()] {
                        Gate::False => false,
                        Gate::Base(number) => base(*number),
                        Gate::Input(role, number) => input(*role, *number),
                        // False at first, then what the last round found.
                        Gate::Feedback(_) => values.0[gate.index()],
                        Gate::And(edges) => edges.iter().all(|&edge| values.get(edge)),
                    };
                }
                let Some(number) = stage.loop_number() else { break };
                let mut changed = false;
                for variable in &self.circuit.loops[number as usize].feedback {
                    // Definitions are monotone, so what was true once stays true.
                    if values.get(variable.definition) && !values.0[variable.gate.index()] {
                        values.0[variable.gate.index()] = true;
                        changed = true;
                    }
                }
                if !changed {
                    break;
                }
            }
        }
        values
    }

    /// The values of all gates in a state (the stored bases) after a choice of one move for each role;
    /// roles beyond the end of `moves` make none.
    pub fn in_state(&self, state: &[bool], moves: &[u32]) -> GateValues {
        self.evaluate(
            |base| state.get(base as usize).copied().unwrap_or(false),
            |role, number| moves.get(role as usize) == Some(&number),
        )
    }

    /// The next state after these moves.
    pub fn next(&self, state: &[bool], moves: &[u32]) -> Vec<bool> {
        let values = self.in_state(state, moves);
        self.circuit.bases.iter().map(|base| values.get(base.next)).collect()
    }
}
