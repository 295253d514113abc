//! A circuit evaluated for 64 states at once, one bit of a word each.

use ludex_game::Rng;
use ludex_logic::{LimitError, Meter};

use crate::{Circuit, Edge, Feedback, Gate, GateId, Stage};

/// 64 states of one circuit, and the values of all gates in them.
pub(super) struct Lanes<'c> {
    circuit: &'c Circuit,
    /// Whatever depends on bases only, then whatever depends on a move.
    state_stages: Vec<Stage>,
    move_stages: Vec<Stage>,
    /// Per gate; base and input gates are given.
    values: Vec<u64>,
    base_gates: Vec<(u32, u32)>,
    input_gates: Vec<Vec<Vec<u32>>>,
}

impl<'c> Lanes<'c> {
    pub(super) fn new(circuit: &'c Circuit) -> Self {
        let mut base_gates = Vec::new();
        let mut input_gates: Vec<Vec<Vec<u32>>> =
            circuit.moves.iter().map(|moves| vec![Vec::new(); moves.len()]).collect();
        for (at, gate) in circuit.gates.iter().enumerate() {
            match gate {
                Gate::Base(base) => base_gates.push((at as u32, *base)),
                Gate::Input(role, action) => input_gates[*role as usize][*action as usize].push(at as u32),
                _ => {}
            }
        }
        let (state_stages, move_stages) = stages(circuit);
        let values = vec![0; circuit.gates.len()];
        Self { circuit, state_stages, move_stages, values, base_gates, input_gates }
    }

    /// The value of an edge in every lane.
    pub(super) fn value(&self, edge: Edge) -> u64 {
        self.values[edge.gate().index()] ^ if edge.is_complemented() { u64::MAX } else { 0 }
    }

    /// The next value of a base in every lane, after `set_state` and `evaluate_moves`.
    pub(super) fn next(&self, base: u32) -> u64 {
        self.value(self.circuit.bases[base as usize].next)
    }

    /// Evaluates everything that depends on the state only.
    pub(super) fn set_state(&mut self, bases: &[u64], meter: &mut Meter) -> Result<(), LimitError> {
        for &(gate, base) in &self.base_gates {
            self.values[gate as usize] = bases[base as usize];
        }
        run(&mut self.values, self.circuit, &self.state_stages, meter)
    }

    /// Chooses a random legal move for each role in each lane. Returns the lanes that can make a step:
    /// not terminal, and with a legal move for each role.
    pub(super) fn choose_moves(&mut self, rng: &mut Rng, meter: &mut Meter) -> Result<u64, LimitError> {
        let mut able = !self.value(self.circuit.terminal);
        for role in 0..self.circuit.moves.len() {
            able &= self.choose(role, able, rng, meter)?;
        }
        Ok(able)
    }

    /// Chooses a legal move for one role; the lanes that have one.
    fn choose(
        &mut self,
        role: usize,
        lanes: u64,
        rng: &mut Rng,
        meter: &mut Meter,
    ) -> Result<u64, LimitError> {
        let legal: Vec<u64> = self.circuit.legal[role].iter().map(|&edge| self.value(edge) & lanes).collect();
        meter.spend(legal.len() as u64)?;
        let mut left = [0u32; 64];
        for &word in &legal {
            each_lane(word, |lane| left[lane] += 1);
        }
        let able = (0..64).filter(|&lane| left[lane] > 0).fold(0, |lanes, lane| lanes | 1u64 << lane);
        // Counts down to the move chosen.
        for count in &mut left {
            *count = 1 + rng.below(u64::from(*count)) as u32;
        }
        for (gates, &word) in self.input_gates[role].iter().zip(&legal) {
            let mut chosen = 0;
            each_lane(word, |lane| {
                left[lane] = left[lane].wrapping_sub(1);
                chosen |= u64::from(left[lane] == 0) << lane;
            });
            for &gate in gates {
                self.values[gate as usize] = chosen;
            }
        }
        Ok(able)
    }

    /// Replaces the moves in lane 0. Returns whether each role has one move, and a legal one.
    pub(super) fn set_first_moves(&mut self, inputs: &[Vec<bool>]) -> bool {
        let mut lawful = true;
        for (role, moves) in inputs.iter().enumerate() {
            lawful &= moves.iter().filter(|&&chosen| chosen).count() == 1;
            for (action, &chosen) in moves.iter().enumerate() {
                lawful &= !chosen || self.value(self.circuit.legal[role][action]) & 1 == 1;
                for &gate in &self.input_gates[role][action] {
                    self.values[gate as usize] = (self.values[gate as usize] & !1) | u64::from(chosen);
                }
            }
        }
        lawful
    }

    /// Evaluates whatever depends on the moves.
    pub(super) fn evaluate_moves(&mut self, meter: &mut Meter) -> Result<(), LimitError> {
        run(&mut self.values, self.circuit, &self.move_stages, meter)
    }
}

/// Calls `visit` for each bit of a word.
fn each_lane(mut word: u64, mut visit: impl FnMut(usize)) {
    while word != 0 {
        visit(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

/// The order of evaluation, split by whether a move matters.
fn stages(circuit: &Circuit) -> (Vec<Stage>, Vec<Stage>) {
    let mut moved = vec![false; circuit.gates.len()];
    let (mut state_stages, mut move_stages) = (Vec::new(), Vec::new());
    for stage in circuit.schedule() {
        let reads_move = |gate: &GateId| match &circuit.gates[gate.index()] {
            Gate::Input(..) => true,
            Gate::And(edges) => edges.iter().any(|edge| moved[edge.gate().index()]),
            _ => false,
        };
        // A variable may be defined by a gate outside of the loop.
        let defined_by_move = stage.loop_number().is_some_and(|number| {
            circuit.loops[number as usize].feedback.iter().any(|f| moved[f.definition.gate().index()])
        });
        let depends = defined_by_move || stage.gates().iter().any(reads_move);
        stage.gates().iter().for_each(|gate| moved[gate.index()] = depends);
        let computes = stage.loop_number().is_some()
            || stage.gates().iter().any(|gate| matches!(circuit.gates[gate.index()], Gate::And(_)));
        if computes {
            if depends { &mut move_stages } else { &mut state_stages }.push(stage);
        }
    }
    (state_stages, move_stages)
}

fn value_of(values: &[u64], edge: Edge) -> u64 {
    values[edge.gate().index()] ^ if edge.is_complemented() { u64::MAX } else { 0 }
}

fn run(values: &mut [u64], circuit: &Circuit, stages: &[Stage], meter: &mut Meter) -> Result<(), LimitError> {
    for stage in stages {
        match stage {
            Stage::Gate(gate) => evaluate(values, circuit, *gate),
            Stage::Loop { number, gates } => {
                run_loop(values, circuit, &circuit.loops[*number as usize].feedback, gates, meter)?;
            }
        }
    }
    meter.spend(stages.len() as u64)
}

fn evaluate(values: &mut [u64], circuit: &Circuit, gate: GateId) {
    if let Gate::And(edges) = &circuit.gates[gate.index()] {
        values[gate.index()] = edges.iter().fold(u64::MAX, |all, &edge| all & value_of(values, edge));
    }
}

/// Variables from false upwards until nothing changes.
fn run_loop(
    values: &mut [u64],
    circuit: &Circuit,
    feedback: &[Feedback],
    gates: &[GateId],
    meter: &mut Meter,
) -> Result<(), LimitError> {
    feedback.iter().for_each(|variable| values[variable.gate.index()] = 0);
    // Each round but the last makes a variable true in a lane, as definitions are monotone.
    loop {
        meter.spend(gates.len() as u64)?;
        gates.iter().for_each(|&gate| evaluate(values, circuit, gate));
        let mut changed = false;
        for variable in feedback {
            let before = values[variable.gate.index()];
            let now = before | value_of(values, variable.definition);
            changed |= now != before;
            values[variable.gate.index()] = now;
        }
        if !changed {
            return Ok(());
        }
    }
}
