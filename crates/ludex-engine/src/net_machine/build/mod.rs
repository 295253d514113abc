//! From a circuit to its run-time form.

mod wire;

use std::ops::Range;

use ludex_logic::Csr;
use ludex_propnet::{Circuit, Edge, Gate, GateId, GateValues, Stage};

use super::guards::{self, Guards};
use super::marking::Marking;
use super::narrow::narrow;
use super::upkeep::{Habits, Upkeep};
use super::wiring::{NONE, Wiring};

/// The run-time form, and the marking of the state in which no base holds.
pub(super) type Layout = (Wiring, Marking);

/// Lays out a circuit. Which operands are counted is learned from random games.
pub(super) fn build(circuit: &Circuit) -> Layout {
    let (circuit, guards) = simplified(circuit);
    let habits = Habits::watch(&circuit, &guards);
    Builder::new(&circuit, &guards).finish(|gate, operands, merges, made| match &habits {
        Some(habits) => habits.cheapest(gate, operands, merges, made),
        None if made.is_some() => Upkeep::WithMove,
        None => Upkeep::All,
    })
}

/// Lays out a circuit whose gates are kept up in these ways, told the operands and the only one that is a move,
/// where no other depends on moves.
#[cfg(test)]
pub(super) fn build_with(
    circuit: &Circuit,
    mut choose: impl FnMut(&[Edge], Option<Edge>) -> Upkeep,
) -> Layout {
    let (circuit, guards) = simplified(circuit);
    Builder::new(&circuit, &guards).finish(|_, operands, _, made| choose(operands, made))
}

/// The circuit with gates that can be counted, rewritten under the guards of its moves.
fn simplified(circuit: &Circuit) -> (Circuit, Guards) {
    let mut circuit = narrow(circuit);
    circuit.fold();
    let guards = guards::introduce(&mut circuit);
    (circuit, guards)
}

/// What is known of a gate.
#[derive(Clone, Copy, Default)]
struct Fact {
    /// Its value is kept up to date.
    kept: bool,
    /// A goal depends on it.
    for_goals: bool,
    /// It depends on moves.
    moving: bool,
    /// The longest way from a source.
    level: u32,
    /// The number of gates and outputs that read it.
    uses: u32,
    /// One more than the recursion it is part of.
    recursion: u32,
    /// It is no more than an output.
    merged: bool,
}

struct Builder<'a> {
    /// Rewritten under the guards.
    circuit: &'a Circuit,
    guards: &'a Guards,
    definitions: Vec<Option<Edge>>,
    stages: Vec<Stage>,
    facts: Vec<Fact>,
    /// Per gate.
    upkeep: Vec<Upkeep>,
    /// The values of the gates where no base holds and no move is made.
    values: GateValues,
    /// The gates of each recursion.
    recursions: Vec<Vec<usize>>,
    /// Where each recursion is run.
    markers: Vec<u32>,
    /// The slot of each gate.
    slot: Vec<u32>,
    /// The node that gates outside of its recursion read.
    node: Vec<u32>,
    /// Node, and the slot that counts it.
    consumers: Vec<(u32, u32)>,
    waits: Vec<(u32, u32)>,
    direct: Vec<(u32, Vec<u32>)>,
    marks: Vec<(u32, u32)>,
    counts: Vec<u8>,
    bits: Vec<u64>,
    wiring: Wiring,
}

/// Lists of the second numbers of the pairs that start with the same one, in ascending order.
fn sorted(mut pairs: Vec<(u32, u32)>, count: usize) -> Csr<u32> {
    pairs.sort_unstable();
    Csr::from_pairs(count, || pairs.iter().map(|&(list, item)| (list as usize, item)))
}

fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

impl<'a> Builder<'a> {
    fn new(circuit: &'a Circuit, guards: &'a Guards) -> Self {
        let stages = circuit.schedule();
        let count = circuit.gates.len();
        let mut builder = Self {
            circuit,
            guards,
            definitions: circuit.definitions(),
            upkeep: vec![Upkeep::All; count],
            values: circuit.evaluate(&stages, |_| false, |_, _| false),
            stages,
            facts: vec![Fact::default(); count],
            recursions: Vec::new(),
            markers: Vec::new(),
            slot: vec![NONE; count],
            node: vec![NONE; count],
            consumers: Vec::new(),
            waits: Vec::new(),
            direct: Vec::new(),
            marks: Vec::new(),
            counts: Vec::new(),
            bits: Vec::new(),
            wiring: Wiring::default(),
        };
        builder.find_facts();
        builder
    }

    /// The edges of the outputs that are kept up to date: all but the goals.
    fn edges(&self) -> impl Iterator<Item = Edge> + use<'a> {
        let legal = self.circuit.legal.iter().chain(self.guards).flatten().copied();
        legal.chain([self.circuit.terminal]).chain(self.circuit.step_outputs())
    }

    fn goals(&self) -> impl Iterator<Item = Edge> + use<'a> {
        self.circuit.goals.iter().flatten().map(|&(_, edge)| edge)
    }

    fn gate(&self, gate: usize) -> &'a Gate {
        &self.circuit.gates[gate]
    }

    fn find_facts(&mut self) {
        let for_goals = self.circuit.cone(self.goals());
        // Recursions are always kept, so that goals need none of their own.
        let variables = self.circuit.loops.iter().flat_map(|l| &l.feedback).map(|f| f.gate);
        let variables = variables.filter(|gate| for_goals[gate.index()]).map(|gate| Edge::new(gate, false));
        let kept = self.circuit.cone(self.edges().chain(variables));
        for (gate, fact) in self.facts.iter_mut().enumerate() {
            (fact.kept, fact.for_goals) = (kept[gate], for_goals[gate]);
        }
        for stage in &self.stages {
            let gates = || stage.gates().iter().map(|gate| gate.index());
            let mut whole = Fact::default();
            for gate in gates() {
                whole.moving |= matches!(self.gate(gate), Gate::Input(..));
                for operand in self.operands(gate) {
                    let operand = self.facts[operand.gate().index()];
                    whole.moving |= operand.moving;
                    whole.level = whole.level.max(operand.level + 1);
                }
            }
            if stage.loop_number().is_some() && gates().any(|gate| kept[gate]) {
                self.recursions.push(gates().collect());
                whole.recursion = self.recursions.len() as u32;
            }
            for gate in gates() {
                let fact = &mut self.facts[gate];
                (fact.moving, fact.level, fact.recursion) = (whole.moving, whole.level, whole.recursion);
            }
        }
        for gate in 0..self.facts.len() {
            if kept[gate] || for_goals[gate] {
                for operand in self.operands(gate) {
                    self.facts[operand.gate().index()].uses += 1;
                }
            }
        }
        for edge in self.edges().chain(self.goals()) {
            self.facts[edge.gate().index()].uses += 1;
        }
    }

    /// All that a gate depends on directly.
    fn operands(&self, gate: usize) -> impl Iterator<Item = Edge> + use<'a> {
        self.gate(gate).operands().iter().copied().chain(self.definitions[gate])
    }

    /// Whether an edge says that a move is made.
    fn is_move(&self, edge: Edge) -> bool {
        !edge.is_complemented() && matches!(self.gate(edge.gate().index()), Gate::Input(..))
    }

    /// The operand that is a move, where all others depend on the state alone.
    fn only_move(&self, operands: &[Edge]) -> Option<Edge> {
        let mut moving = operands.iter().filter(|edge| self.facts[edge.gate().index()].moving);
        let first = moving.next().copied().filter(|&edge| self.is_move(edge));
        first.filter(|_| moving.next().is_none())
    }

    /// Chooses how gates are kept up, and tells which are no more than an output: one that is read by one
    /// output and nothing else, and counts all operands, needs no slot besides the output's.
    fn choose_upkeep(&mut self, mut choose: impl FnMut(GateId, &[Edge], bool, Option<Edge>) -> Upkeep) {
        let circuit = self.circuit;
        let mut merges = vec![false; self.facts.len()];
        let outputs = circuit.legal.iter().flatten().copied().chain([circuit.terminal]);
        for edge in outputs.chain(circuit.step_outputs()) {
            let gate = edge.gate().index();
            merges[gate] = matches!(self.gate(gate), Gate::And(_)) && self.facts[gate].uses == 1;
        }
        for (gate, &merges) in merges.iter().enumerate() {
            let Gate::And(operands) = self.gate(gate) else { continue };
            if self.facts[gate].kept && self.facts[gate].recursion == 0 {
                let upkeep = choose(GateId(gate as u32), operands, merges, self.only_move(operands));
                self.facts[gate].merged = merges && upkeep == Upkeep::All;
                self.upkeep[gate] = upkeep;
            }
        }
    }

    fn finish(mut self, choose: impl FnMut(GateId, &[Edge], bool, Option<Edge>) -> Upkeep) -> Layout {
        self.choose_upkeep(choose);
        self.place_gates();
        self.place_nodes();
        self.count_operands();
        self.wire_recursions();
        self.wire_outputs();
        self.wire_goals();
        let values = self.initial_values();
        let mut wiring = self.wiring;
        wiring.slots = self.counts.len();
        wiring.consumers = sorted(self.consumers, wiring.nodes);
        let mut reading = vec![0; wiring.moving.end];
        let mut readers = vec![0; words(reading.len())];
        wiring.partial = reading.clone();
        for &(slot, _) in &self.waits {
            let (at, bit) = (slot as usize / 64, 1 << (slot % 64));
            wiring.partial[at] |= bit;
            if self.counts[slot as usize] == 0 {
                reading[at] |= bit;
                readers[at / 64] |= 1 << (at % 64);
            }
        }
        wiring.waits = sorted(self.waits, wiring.moving.end * 64);
        wiring.direct = Csr::from_pairs(wiring.nodes - wiring.first_input, || {
            self.direct.iter().flat_map(|(input, piece)| piece.iter().map(|&item| (*input as usize, item)))
        });
        wiring.marks = sorted(self.marks, if wiring.recursions.is_empty() { 0 } else { wiring.nodes });
        let marking = Marking {
            counts: self.counts,
            told: vec![0; words(self.bits.len())],
            bits: self.bits,
            values,
            state: vec![0; words(wiring.bases)],
            anew: vec![false; wiring.recursions.len()],
            made: Vec::new(),
            reading,
            readers,
            lit: Vec::new(),
        };
        (wiring, marking)
    }

    /// Gives slots to gates, in topological order: those that no move changes, those that moves
    /// change, then recursions; those that one move decides are never visited and have words of their
    /// own.
    fn place_gates(&mut self) {
        for (moving, with_move) in [(false, false), (true, false), (true, true)] {
            let mut list: Vec<(u32, usize, Option<u32>)> = Vec::new();
            for (gate, fact) in self.facts.iter().enumerate() {
                let is_gate = matches!(self.gate(gate), Gate::And(_));
                let here = (fact.moving, self.upkeep[gate] == Upkeep::WithMove) == (moving, with_move);
                if fact.kept && here && is_gate && !fact.merged && fact.recursion == 0 {
                    list.push((fact.level, gate, None));
                }
            }
            for (number, gates) in self.recursions.iter().enumerate() {
                let fact = self.facts[gates[0]];
                if fact.moving == moving && !with_move {
                    list.push((fact.level, gates[0], Some(number as u32)));
                }
            }
            list.sort_unstable();
            let start = words(self.counts.len());
            for (_, gate, recursion) in list {
                let slot = self.counts.len() as u32;
                self.counts.push(0);
                if !self.recursions.is_empty() {
                    self.wiring.marker.push(recursion.unwrap_or(NONE));
                }
                if let Some(recursion) = recursion {
                    self.markers.resize(self.recursions.len(), NONE);
                    self.markers[recursion as usize] = slot;
                } else {
                    self.slot[gate] = slot;
                    self.node[gate] = slot;
                }
            }
            self.pad();
            let range = start..self.bits.len();
            match (moving, with_move) {
                (false, _) => self.wiring.still = range,
                (true, false) => self.wiring.moving = range,
                (true, true) => {}
            }
        }
    }

    /// Fills the last word.
    fn pad(&mut self) {
        self.bits.resize(words(self.counts.len()), 0);
        self.counts.resize(self.bits.len() * 64, 0);
        if !self.recursions.is_empty() {
            self.wiring.marker.resize(self.counts.len(), NONE);
        }
    }

    /// New slots, in words of their own.
    fn reserve(&mut self, slots: usize) -> Range<usize> {
        let start = self.bits.len();
        self.counts.resize(self.counts.len() + slots, 0);
        self.pad();
        start..self.bits.len()
    }
}
