//! A circuit evaluated for 64 states at once, one bit of a word each.

use ludex_game::Rng;
use ludex_logic::scc::components;
use ludex_logic::{LimitError, Meter};

use crate::{Circuit, Edge, Gate};

/// What is evaluated as one: a gate, or the gates of a recursion.
enum Step {
    Gate(u32),
    /// Gates in ascending order; those with a definition are the variables.
    Loop(Vec<(u32, Option<Edge>)>),
}

/// 64 states of one circuit, and the values of all gates in them.
pub(super) struct Lanes<'c> {
    circuit: &'c Circuit,
    /// Whatever depends on bases only, then whatever depends on a move.
    state_steps: Vec<Step>,
    move_steps: Vec<Step>,
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
        let (state_steps, move_steps) = steps(circuit);
        let values = vec![0; circuit.gates.len()];
        Self { circuit, state_steps, move_steps, values, base_gates, input_gates }
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
        run(&mut self.values, self.circuit, &self.state_steps, meter)
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
    fn choose(&mut self, role: usize, lanes: u64, rng: &mut Rng, meter: &mut Meter) -> Result<u64, LimitError> {
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
        run(&mut self.values, self.circuit, &self.move_steps, meter)
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
fn steps(circuit: &Circuit) -> (Vec<Step>, Vec<Step>) {
    let mut definition: Vec<Option<Edge>> = vec![None; circuit.gates.len()];
    for feedback in circuit.loops.iter().flat_map(|l| &l.feedback) {
        definition[feedback.gate.index()] = Some(feedback.definition);
    }
    let needs = |gate: usize| -> Vec<usize> {
        match &circuit.gates[gate] {
            Gate::And(edges) => edges.iter().map(|e| e.gate().index()).collect(),
            Gate::Feedback(_) => definition[gate].iter().map(|e| e.gate().index()).collect(),
            _ => Vec::new(),
        }
    };
    // Without loops the gates are in order already.
    let groups: Vec<Vec<usize>> = if circuit.loops.iter().all(|l| l.feedback.is_empty()) {
        (0..circuit.gates.len()).map(|gate| vec![gate]).collect()
    } else {
        components(circuit.gates.len(), needs)
    };
    let mut moved = vec![false; circuit.gates.len()];
    let (mut state_steps, mut move_steps) = (Vec::new(), Vec::new());
    for group in groups {
        let depends = group
            .iter()
            .any(|&gate| matches!(circuit.gates[gate], Gate::Input(..)) || needs(gate).iter().any(|&g| moved[g]));
        group.iter().for_each(|&gate| moved[gate] = depends);
        let step = match (&*group, &circuit.gates[group[0]]) {
            ([gate], Gate::And(_)) => Step::Gate(*gate as u32),
            ([_], Gate::False | Gate::Base(_) | Gate::Input(..)) => continue,
            _ => Step::Loop(group.iter().map(|&gate| (gate as u32, definition[gate])).collect()),
        };
        if depends { &mut move_steps } else { &mut state_steps }.push(step);
    }
    (state_steps, move_steps)
}

fn value_of(values: &[u64], edge: Edge) -> u64 {
    values[edge.gate().index()] ^ if edge.is_complemented() { u64::MAX } else { 0 }
}

fn run(values: &mut [u64], circuit: &Circuit, steps: &[Step], meter: &mut Meter) -> Result<(), LimitError> {
    for step in steps {
        match step {
            Step::Gate(gate) => evaluate(values, circuit, *gate),
            Step::Loop(members) => run_loop(values, circuit, members, meter)?,
        }
    }
    meter.spend(steps.len() as u64)
}

fn evaluate(values: &mut [u64], circuit: &Circuit, gate: u32) {
    if let Gate::And(edges) = &circuit.gates[gate as usize] {
        values[gate as usize] = edges.iter().fold(u64::MAX, |all, &edge| all & value_of(values, edge));
    }
}

/// Variables from false upwards until nothing changes.
fn run_loop(
    values: &mut [u64],
    circuit: &Circuit,
    members: &[(u32, Option<Edge>)],
    meter: &mut Meter,
) -> Result<(), LimitError> {
    for &(gate, definition) in members {
        if definition.is_some() {
            values[gate as usize] = 0;
        }
    }
    // Each round but the last makes a variable true in a lane, as definitions are monotone.
    for _ in 0..=members.len() {
        meter.spend(members.len() as u64)?;
        members.iter().for_each(|&(gate, _)| evaluate(values, circuit, gate));
        let mut changed = false;
        for &(gate, definition) in members {
            if let Some(definition) = definition {
                let value = value_of(values, definition);
                changed |= values[gate as usize] != value;
                values[gate as usize] = value;
            }
        }
        if !changed {
            break;
        }
    }
    Ok(())
}
