//! A circuit's values, worked out plainly: what passes and engines are compared with.

use std::ops::{BitAnd, BitOr, Not};

use super::{Circuit, Edge, Gate, Stage};

/// What a gate can hold: one truth value, or one for each bit of a word.
pub trait Truth:
    Copy + Default + PartialEq + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
}

impl Truth for bool {}
impl Truth for u64 {}

/// The values of all gates of a circuit, by gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateValues<T = bool>(pub(crate) Vec<T>);

impl<T: Truth> GateValues<T> {
    /// All gates false.
    pub(crate) fn new(circuit: &Circuit) -> Self {
        Self(vec![T::default(); circuit.gates.len()])
    }

    /// The value of an edge.
    pub fn get(&self, edge: Edge) -> T {
        let value = self.0[edge.gate().index()];
        if edge.is_complemented() { !value } else { value }
    }

    fn all(&self, edges: &[Edge]) -> T {
        let mut all = !T::default();
        for &edge in edges {
            all = all & self.get(edge);
            if all == T::default() {
                break;
            }
        }
        all
    }

    /// Works out a stage, given the values of what it reads. A loop takes as many rounds as its longest
    /// chain of variables. Answers how many gates were worked out, those of a loop once for each round.
    pub(crate) fn run(&mut self, circuit: &Circuit, stage: &Stage, source: &impl Fn(&Gate) -> T) -> u64 {
        let variables =
            stage.loop_number().map_or(&[][..], |number| &circuit.loops[number as usize].feedback);
        variables.iter().for_each(|variable| self.0[variable.gate.index()] = T::default());
        let mut visited = 0;
        loop {
            for &gate in stage.gates() {
                self.0[gate.index()] = match &circuit.gates[gate.index()] {
                    Gate::False => T::default(),
                    // False at first, then what the last round found.
                    Gate::Feedback(_) => self.0[gate.index()],
                    Gate::And(edges) => self.all(edges),
                    given => source(given),
                };
            }
            visited += stage.gates().len() as u64;
            let mut changed = false;
            for variable in variables {
                // Definitions are monotone, so what was true once stays true.
                let before = self.0[variable.gate.index()];
                let now = before | self.get(variable.definition);
                changed |= now != before;
                self.0[variable.gate.index()] = now;
            }
            if !changed {
                return visited;
            }
        }
    }
}

impl Circuit {
    /// The final values of the gates of these stages, in order, given each base and each input (role and
    /// move). Other gates are false.
    pub fn evaluate(
        &self,
        stages: &[Stage],
        base: impl Fn(u32) -> bool,
        input: impl Fn(u32, u32) -> bool,
    ) -> GateValues {
        let mut values = GateValues::new(self);
        let source = |gate: &Gate| match *gate {
            Gate::Base(number) => base(number),
            Gate::Input(role, number) => input(role, number),
            _ => false,
        };
        for stage in stages {
            values.run(self, stage, &source);
        }
        values
    }
}

/// Works out a circuit gate by gate, loops round by round: the oracle of the crate.
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
        self.circuit.evaluate(&self.stages, base, input)
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
