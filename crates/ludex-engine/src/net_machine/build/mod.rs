//! From a mutable to its run-time form.

mod wire;

use std::ops::Range;

use ludex_propnet::{Circuit, Edge, GateId};

use super::guards::{self, Guards};
use super::marking::Marking;
use super::mutable_circuit::{MutableCircuit, Node, Outputs};
use super::wiring::{Lists, NONE, Wiring};

/// The run-time form, and the marking of the state in which no base holds.
pub(super) fn build(circuit: &Circuit) -> (Wiring, Marking) {
    let (mut mutable, mut outputs) = MutableCircuit::of(circuit);
    mutable.fold(&mut outputs);
    let guards = guards::introduce(&mut mutable, &mut outputs);
    Builder::new(circuit, &mutable, &outputs, &guards).finish()
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
    /// Some operands are counted, the others only read.
    waits: bool,
    /// Besides one move it depends on the state alone.
    direct: bool,
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
    circuit: &'a Circuit,
    mutable: &'a MutableCircuit,
    outputs: &'a Outputs,
    guards: &'a Guards,
    components: Vec<Vec<usize>>,
    facts: Vec<Fact>,
    quiet: Vec<Option<bool>>,
    values: Vec<bool>,
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

fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

impl<'a> Builder<'a> {
    fn new(
        circuit: &'a Circuit,
        mutable: &'a MutableCircuit,
        outputs: &'a Outputs,
        guards: &'a Guards,
    ) -> Self {
        let components = mutable.components();
        let count = mutable.nodes.len();
        let mut builder = Self {
            circuit,
            outputs,
            guards,
            quiet: mutable.quiet(),
            values: mutable.evaluate(&components, |_| false),
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
            components,
            mutable,
        };
        builder.find_facts();
        builder
    }

    fn edges(&self) -> impl Iterator<Item = Edge> + use<'a> {
        let outputs = self.outputs;
        let kept = outputs.legal.iter().chain(&outputs.percepts).flatten();
        kept.chain(&outputs.terminal).chain(&outputs.next).chain(self.guards.iter().flatten()).copied()
    }

    fn find_facts(&mut self) {
        let mutable = self.mutable;
        let mut for_goals = vec![false; mutable.nodes.len()];
        mutable.mark(self.outputs.goals.iter().flatten().copied(), &mut for_goals);
        // Recursions are always kept, so that goals need none of their own.
        let variables = for_goals
            .iter()
            .enumerate()
            .filter(|&(gate, &marked)| marked && matches!(mutable.nodes[gate], Node::Feedback(_)));
        let variables = variables.map(|(gate, _)| Edge::new(GateId(gate as u32), false));
        let mut kept = vec![false; mutable.nodes.len()];
        mutable.mark(self.edges().chain(variables), &mut kept);
        for (gate, fact) in self.facts.iter_mut().enumerate() {
            (fact.kept, fact.for_goals) = (kept[gate], for_goals[gate]);
        }
        for component in &self.components {
            let mut whole = Fact::default();
            for &gate in component {
                whole.moving |= matches!(mutable.nodes[gate], Node::Input(..));
                for operand in self.operands(gate) {
                    let operand = self.facts[operand.gate().index()];
                    whole.moving |= operand.moving;
                    whole.level = whole.level.max(operand.level + 1);
                }
            }
            let recursive = component.iter().any(|&gate| matches!(mutable.nodes[gate], Node::Feedback(_)));
            if recursive && component.iter().any(|&gate| kept[gate]) {
                self.recursions.push(component.clone());
                whole.recursion = self.recursions.len() as u32;
            }
            for &gate in component {
                let fact = &mut self.facts[gate];
                (fact.moving, fact.level, fact.recursion) = (whole.moving, whole.level, whole.recursion);
            }
        }
        for gate in 0..mutable.nodes.len() {
            if kept[gate] || for_goals[gate] {
                for operand in self.operands(gate) {
                    self.facts[operand.gate().index()].uses += 1;
                }
            }
            let fact = self.facts[gate];
            self.facts[gate].waits = fact.kept
                && fact.moving
                && fact.recursion == 0
                && mutable.operands(gate).iter().any(|&edge| self.is_off(edge));
            self.facts[gate].direct = self.facts[gate].waits && self.is_direct(gate);
        }
        for edge in self.edges().chain(self.outputs.goals.iter().flatten().copied()) {
            self.facts[edge.gate().index()].uses += 1;
        }
    }

    /// All that a gate depends on directly.
    fn operands(&self, gate: usize) -> impl Iterator<Item = Edge> + use<'a> {
        let definition = match self.mutable.nodes[gate] {
            Node::Feedback(definition) => Some(definition),
            _ => None,
        };
        self.mutable.operands(gate).iter().copied().chain(definition)
    }

    /// Whether an edge is false as long as no move was made.
    fn is_off(&self, edge: Edge) -> bool {
        self.quiet[edge.gate().index()].is_some_and(|value| value == edge.is_complemented())
    }

    /// Whether all operands but one move depend on the state alone.
    fn is_direct(&self, gate: usize) -> bool {
        let operands = self.mutable.operands(gate);
        let mut moving = operands.iter().filter(|edge| self.facts[edge.gate().index()].moving);
        let first = moving.next().map(|edge| &self.mutable.nodes[edge.gate().index()]);
        let off = operands.iter().filter(|&&edge| self.is_off(edge)).count();
        matches!(first, Some(Node::Input(..))) && moving.next().is_none() && off == 1
    }

    fn finish(mut self) -> (Wiring, Marking) {
        self.merge_outputs();
        self.place_gates();
        self.place_nodes();
        self.count_operands();
        self.wire_recursions();
        self.wire_outputs();
        self.wire_goals();
        let values = self.initial_values();
        let mut wiring = self.wiring;
        wiring.slots = self.counts.len();
        wiring.consumers = Lists::of(self.consumers, wiring.nodes);
        wiring.waits = Lists::of(self.waits, wiring.moving.len() * 64);
        wiring.direct = Lists::joined(self.direct, wiring.nodes - wiring.first_input);
        wiring.marks = Lists::of(self.marks, if wiring.recursions.is_empty() { 0 } else { wiring.nodes });
        let marking = Marking {
            counts: self.counts,
            bits: self.bits,
            values,
            state: vec![0; words(wiring.bases)],
            anew: vec![false; wiring.recursions.len()],
            made: Vec::new(),
            reading: Vec::new(),
            lit: Vec::new(),
        };
        (wiring, marking)
    }

    /// A gate that is read by one output and nothing else needs no slot besides the output's.
    fn merge_outputs(&mut self) {
        let outputs = self.outputs;
        let lists = outputs.legal.iter().chain(&outputs.percepts).flatten();
        for edge in lists.chain(&outputs.terminal).chain(&outputs.next) {
            let gate = edge.gate().index();
            let fact = &mut self.facts[gate];
            let is_gate = matches!(self.mutable.nodes[gate], Node::And(_));
            fact.merged = is_gate && fact.uses == 1 && !fact.waits && fact.recursion == 0;
        }
    }

    /// Gives slots to gates, in topological order: those that no move changes, those that moves
    /// change, then recursions; those that one move decides are never visited and have words of their
    /// own.
    fn place_gates(&mut self) {
        for (moving, direct) in [(false, false), (true, false), (true, true)] {
            let mut list: Vec<(u32, usize, Option<u32>)> = Vec::new();
            for (gate, fact) in self.facts.iter().enumerate() {
                let is_gate = matches!(self.mutable.nodes[gate], Node::And(_));
                let here = (fact.moving, fact.direct) == (moving, direct);
                if fact.kept && here && is_gate && !fact.merged && fact.recursion == 0 {
                    list.push((fact.level, gate, None));
                }
            }
            for (number, gates) in self.recursions.iter().enumerate() {
                let fact = self.facts[gates[0]];
                if fact.moving == moving && !direct {
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
            match (moving, direct) {
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
