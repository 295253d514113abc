//! Connecting slots with the nodes they read.

use std::collections::BTreeMap;

use ludex_propnet::{Edge, Gate, GateId};

use super::super::upkeep::Upkeep;
use super::super::wiring::{Group, Literal, NONE, Recursion};
use super::{Builder, sorted};

/// A gate that grows with the variables of its recursion, and one that shrinks.
const POSITIVE: u8 = 1;
const NEGATIVE: u8 = 2;

fn swapped(polarity: u8, swap: bool) -> u8 {
    if swap { (polarity & POSITIVE) << 1 | polarity >> 1 } else { polarity }
}

fn own_edge(gate: usize) -> Edge {
    Edge::new(GateId(gate as u32), false)
}

impl Builder<'_> {
    /// Gives slots to recursions and numbers to the nodes that are no gates.
    pub(super) fn place_nodes(&mut self) {
        let read_outside = self.read_outside();
        let mut variables = Vec::new();
        for gates in self.recursions.clone() {
            let (of_recursion, body): (Vec<usize>, Vec<usize>) =
                gates.iter().partition(|&&gate| self.definitions[gate].is_some());
            let copied: Vec<usize> = gates.iter().copied().filter(|&gate| read_outside[gate]).collect();
            let recursion = Recursion {
                first_variable: 0,
                variables: of_recursion.len(),
                differs: self.reserve(of_recursion.len()),
                body: self.reserve(body.len()),
                copies: self.reserve(copied.len()),
            };
            for (at, &gate) in body.iter().enumerate() {
                self.slot[gate] = (recursion.body.start * 64 + at) as u32;
            }
            for (at, &gate) in copied.iter().enumerate() {
                self.node[gate] = (recursion.copies.start * 64 + at) as u32;
            }
            self.wiring.recursions.push(recursion);
            variables.push(of_recursion);
        }
        let mut next = self.counts.len();
        self.wiring.first_base = next;
        self.wiring.bases = self.circuit.bases.len();
        next += self.wiring.bases;
        self.wiring.first_input = next;
        self.wiring.inputs = self.circuit.moves.iter().map(|moves| vec![NONE; moves.len()]).collect();
        for (gate, node) in self.circuit.gates.iter().enumerate() {
            match *node {
                Gate::False => self.node[gate] = next as u32,
                Gate::Base(base) => {
                    self.node[gate] = self.wiring.first_base as u32 + base;
                    continue;
                }
                Gate::Input(role, position) if self.facts[gate].kept => {
                    self.node[gate] = next as u32;
                    self.wiring.inputs[role as usize][position as usize] = next as u32;
                }
                _ => continue,
            }
            next += 1;
        }
        for (recursion, variables) in self.wiring.recursions.iter_mut().zip(variables) {
            recursion.first_variable = next;
            for gate in variables {
                self.slot[gate] = next as u32;
                next += 1;
            }
        }
        self.wiring.first_goal_gate = next;
        for (gate, fact) in self.facts.iter().enumerate() {
            if fact.for_goals && !fact.kept && matches!(self.gate(gate), Gate::And(_)) {
                self.node[gate] = next as u32;
                next += 1;
            }
        }
        self.wiring.nodes = next;
    }

    /// Which gates of recursions are read from outside.
    fn read_outside(&self) -> Vec<bool> {
        let mut found = vec![false; self.facts.len()];
        for gate in 0..self.facts.len() {
            let fact = self.facts[gate];
            if fact.kept || fact.for_goals {
                for operand in self.operands(gate) {
                    let operand = operand.gate().index();
                    found[operand] |= self.facts[operand].recursion != fact.recursion;
                }
            }
        }
        for edge in self.edges().chain(self.goals()) {
            found[edge.gate().index()] = true;
        }
        found
    }

    /// The value of each node where no base holds.
    pub(super) fn initial_values(&self) -> Vec<u8> {
        let mut values = vec![0; self.wiring.nodes];
        for gate in 0..self.facts.len() {
            for node in [self.node[gate], self.slot[gate]] {
                if node != NONE {
                    values[node as usize] = u8::from(self.values.get(own_edge(gate)));
                }
            }
        }
        values
    }

    /// What a gate of this recursion (0 for none) reads.
    fn literal(&self, edge: Edge, recursion: u32) -> Literal {
        let gate = edge.gate().index();
        let inside = recursion != 0 && self.facts[gate].recursion == recursion;
        let node = if inside { self.slot[gate] } else { self.node[gate] };
        Literal::new(node as usize, edge.is_complemented())
    }

    /// Makes `slot` count an edge as an operand.
    fn count(&mut self, slot: usize, edge: Edge, recursion: u32) {
        if edge.constant().is_some() {
            return;
        }
        let literal = self.literal(edge, recursion);
        self.consumers.push((literal.0 >> 1, (slot as u32) << 1 | literal.0 & 1));
        self.counts[slot] += u8::from(!self.values.get(edge));
    }

    /// Connects the gates that have slots.
    pub(super) fn count_operands(&mut self) {
        for gate in 0..self.facts.len() {
            let slot = self.slot[gate];
            if slot == NONE {
                continue;
            }
            let counted = match &self.upkeep[gate] {
                Upkeep::WithMove => {
                    self.wire_direct(gate);
                    continue;
                }
                Upkeep::All => None,
                Upkeep::Some(counted) => Some(counted.clone()),
            };
            for &edge in self.gate(gate).operands() {
                if counted.as_ref().is_none_or(|counted| counted.contains(&edge)) {
                    self.count(slot as usize, edge, self.facts[gate].recursion);
                } else {
                    self.waits.push((slot, self.literal(edge, 0).0));
                }
            }
        }
    }

    /// Connects a gate that one move and the state decide.
    fn wire_direct(&mut self, gate: usize) {
        let mut input = 0;
        let mut piece = Vec::new();
        for &edge in self.gate(gate).operands() {
            if self.is_move(edge) {
                input = self.node[edge.gate().index()] - self.wiring.first_input as u32;
            } else {
                piece.extend([NONE, self.literal(edge, 0).0]);
            }
        }
        // A gate has two operands at least.
        if let Some(last) = piece.len().checked_sub(2) {
            piece[last] = self.slot[gate];
        }
        self.direct.push((input, piece));
    }

    /// Connects definitions and copies, and what has to bring recursions up to date.
    pub(super) fn wire_recursions(&mut self) {
        for number in 0..self.recursions.len() {
            let gates = self.recursions[number].clone();
            let id = number as u32 + 1;
            let Recursion { differs, copies, .. } = self.wiring.recursions[number].clone();
            let mut slot = differs.start * 64;
            for &gate in &gates {
                if let Some(definition) = self.definitions[gate] {
                    self.count(slot, definition, id);
                    slot += 1;
                }
                let node = self.node[gate];
                if node != NONE {
                    debug_assert!(copies.contains(&(node as usize / 64)));
                    self.count(node as usize, own_edge(gate), id);
                }
            }
            self.mark_sources(number, &gates);
        }
    }

    /// Says what each flip of what a recursion reads does to it.
    fn mark_sources(&mut self, number: usize, gates: &[usize]) {
        let id = number as u32 + 1;
        let mut polarity: BTreeMap<usize, u8> = BTreeMap::new();
        for &gate in gates {
            if let Some(definition) = self.definitions[gate] {
                *polarity.entry(definition.gate().index()).or_default() |=
                    swapped(POSITIVE, definition.is_complemented());
            }
        }
        // Operands come before their gates, so that going down each is complete when it is met.
        let mut rest = polarity.last_key_value().map(|(&gate, _)| gate);
        while let Some(gate) = rest {
            let own = polarity[&gate];
            if self.facts[gate].recursion == id {
                for edge in self.gate(gate).operands() {
                    *polarity.entry(edge.gate().index()).or_default() |= swapped(own, edge.is_complemented());
                }
            } else if self.node[gate] != NONE && gate != 0 {
                let rising = u32::from(own & NEGATIVE != 0);
                let falling = u32::from(own & POSITIVE != 0);
                let mark = self.markers[number] << 2 | falling << 1 | rising;
                self.marks.push((self.node[gate], mark));
            }
            rest = polarity.range(..gate).next_back().map(|(&gate, _)| gate);
        }
    }

    /// Gives the outputs their slots.
    pub(super) fn wire_outputs(&mut self) {
        let circuit = self.circuit;
        for (legal, guards) in circuit.legal.iter().zip(self.guards) {
            let mut found: Vec<Edge> = guards.clone();
            found.sort_unstable();
            found.dedup();
            let groups = found.into_iter().map(|guard| self.wire_group(legal, guards, guard)).collect();
            self.wiring.legal.push(groups);
        }
        let terminal = self.reserve(1);
        self.wiring.terminal = terminal.start * 64;
        self.wire_output(self.wiring.terminal, circuit.terminal);
        self.wiring.difference = self.reserve(circuit.bases.len());
        for (at, base) in circuit.bases.iter().enumerate() {
            // No base holds, so what is true next is what differs.
            self.wire_output(self.wiring.difference.start * 64 + at, base.next);
        }
        for percepts in &circuit.percepts {
            let words = self.reserve(percepts.len());
            for (at, &(_, edge)) in percepts.iter().enumerate() {
                self.wire_output(words.start * 64 + at, edge);
            }
            self.wiring.percepts.push((percepts.iter().map(|&(term, _)| term).collect(), words));
        }
    }

    /// The moves of a role behind one guard.
    fn wire_group(&mut self, legal: &[Edge], guards: &[Edge], guard: Edge) -> Group {
        let members: Vec<usize> = (0..legal.len()).filter(|&m| guards[m] == guard).collect();
        let offset = members.first().map_or(0, |m| m / 64);
        let end = members.last().map_or(0, |m| m / 64 + 1);
        let words = self.reserve((end - offset) * 64);
        for member in members {
            self.wire_output(words.start * 64 + member - offset * 64, legal[member]);
        }
        let guard = (guard != Edge::TRUE).then(|| self.literal(guard, 0));
        Group { guard, offset, words }
    }

    fn wire_output(&mut self, slot: usize, edge: Edge) {
        if self.values.get(edge) {
            self.bits[slot / 64] |= 1 << (slot % 64);
        }
        let gate = edge.gate().index();
        if !self.facts[gate].merged {
            return self.count(slot, edge, 0);
        }
        for &operand in self.gate(gate).operands() {
            self.count(slot, operand, 0);
        }
    }

    /// Lists the gates that only goals need.
    pub(super) fn wire_goals(&mut self) {
        let first = self.wiring.first_goal_gate;
        let mut pairs = Vec::new();
        for gate in 0..self.facts.len() {
            let node = self.node[gate];
            if node != NONE && node as usize >= first {
                for &edge in self.gate(gate).operands() {
                    pairs.push((node - first as u32, self.literal(edge, 0).0));
                }
            }
        }
        self.wiring.goal_gates = sorted(pairs, self.wiring.nodes - first);
        for goals in &self.circuit.goals {
            let literals = goals.iter().map(|&(goal, edge)| (goal, self.literal(edge, 0)));
            self.wiring.goals.push(literals.collect());
        }
    }
}
