//! A circuit evaluated for 64 states at once, one bit of a word each.

use ludex_game::Rng;
use ludex_logic::{LimitError, Meter};

use crate::{Circuit, Edge, Gate, GateValues, Stage};

/// 64 states of one circuit, and the values of all gates in them.
pub(crate) struct Lanes<'c> {
    circuit: &'c Circuit,
    /// Whatever depends on bases only, then whatever depends on a move.
    state_stages: Vec<Stage>,
    move_stages: Vec<Stage>,
    /// Base and input gates are given.
    values: GateValues<u64>,
    base_gates: Vec<(u32, u32)>,
    input_gates: Vec<Vec<Vec<u32>>>,
}

impl<'c> Lanes<'c> {
    pub(crate) fn new(circuit: &'c Circuit) -> Self {
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
        let values = GateValues::new(circuit);
        Self { circuit, state_stages, move_stages, values, base_gates, input_gates }
    }

    /// The value of an edge in every lane.
    pub(crate) fn value(&self, edge: Edge) -> u64 {
        self.values.get(edge)
    }

    /// The next value of a base in every lane, after `set_state` and `evaluate_moves`.
    pub(crate) fn next(&self, base: u32) -> u64 {
        self.value(self.circuit.bases[base as usize].next)
    }

    /// Evaluates everything that depends on the state only.
    pub(crate) fn set_state(&mut self, bases: &[u64], meter: &mut Meter) -> Result<(), LimitError> {
        for &(gate, base) in &self.base_gates {
            self.values.0[gate as usize] = bases[base as usize];
        }
        run(&mut self.values, self.circuit, &self.state_stages, meter)
    }

    /// Chooses a random legal move for each role in each lane. Returns the lanes that can make a step:
    /// not terminal, and with a legal move for each role.
    pub(crate) fn choose_moves(&mut self, rng: &mut Rng, meter: &mut Meter) -> Result<u64, LimitError> {
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
                self.values.0[gate as usize] = chosen;
            }
        }
        Ok(able)
    }

    /// Replaces the moves in lane 0. Returns whether each role has one move, and a legal one.
    pub(crate) fn set_first_moves(&mut self, inputs: &[Vec<bool>]) -> bool {
        let mut lawful = true;
        for (role, moves) in inputs.iter().enumerate() {
            lawful &= moves.iter().filter(|&&chosen| chosen).count() == 1;
            for (action, &chosen) in moves.iter().enumerate() {
                lawful &= !chosen || self.value(self.circuit.legal[role][action]) & 1 == 1;
                for &gate in &self.input_gates[role][action] {
                    self.values.0[gate as usize] = (self.values.0[gate as usize] & !1) | u64::from(chosen);
                }
            }
        }
        lawful
    }

    /// Evaluates whatever depends on the moves.
    pub(crate) fn evaluate_moves(&mut self, meter: &mut Meter) -> Result<(), LimitError> {
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

/// The order of evaluation of what is worked out, split by whether a move matters.
fn stages(circuit: &Circuit) -> (Vec<Stage>, Vec<Stage>) {
    let depends = circuit.depends_on_moves();
    let computes = |stage: &Stage| match stage {
        Stage::Gate(gate) => matches!(circuit.gates[gate.index()], Gate::And(_)),
        Stage::Loop { .. } => true,
    };
    let stages = circuit.schedule().into_iter().filter(computes);
    stages.partition(|stage| stage.gates().iter().all(|gate| !depends[gate.index()]))
}

fn run(
    values: &mut GateValues<u64>,
    circuit: &Circuit,
    stages: &[Stage],
    meter: &mut Meter,
) -> Result<(), LimitError> {
    // Sources are given.
    stages.iter().try_for_each(|stage| meter.spend(values.run(circuit, stage, &|_| 0)))
}
