//! Propagation, taking it back, and what a conflict relies on.

use crate::{Edge, Gate, GateId};

use super::super::rules::Kind;
use super::{Prover, Reason, index};

/// A literal that must be true but is false; no literal if a constraint has none left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) reason: Reason,
    pub(super) literal: Option<Edge>,
}

impl Prover<'_, '_> {
    /// The value of a literal, if known.
    pub(super) fn literal(&self, literal: Edge) -> Option<bool> {
        match self.value[literal.gate().index()] {
            0 => None,
            value => Some((value == 2) != literal.is_complemented()),
        }
    }

    /// Makes a literal true, or notes the conflict.
    pub(super) fn assign(&mut self, literal: Edge, reason: Reason) {
        if self.conflict.is_some() {
            return;
        }
        match self.literal(literal) {
            Some(true) => {}
            Some(false) => self.conflict = Some(Conflict { reason, literal: Some(literal) }),
            None => {
                let variable = literal.gate().index();
                self.value[variable] = if literal.is_complemented() { 1 } else { 2 };
                self.reason[variable] = reason;
                self.trail.push(literal);
            }
        }
    }

    /// Follows everything assigned. Counts are kept complete for each literal that is begun, so that
    /// they can be taken back after a conflict.
    pub(super) fn propagate(&mut self) {
        while self.conflict.is_none() && self.head < self.trail.len() {
            let literal = self.trail[self.head];
            self.head += 1;
            self.through_own_gate(literal);
            self.through_readers(literal);
            self.through_constraints(literal);
        }
    }

    fn through_own_gate(&mut self, literal: Edge) {
        let circuit = self.rules.circuit;
        let gate = literal.gate();
        let Some(Gate::And(edges)) = circuit.gates.get(gate.index()) else { return };
        if literal.is_complemented() {
            self.last_edge(gate, edges);
        } else {
            self.steps += edges.len() as u64;
            edges.iter().for_each(|&edge| self.assign(edge, Reason::EdgeOfTrue(gate.0)));
        }
    }

    /// If one edge is left that can make a false gate false, it does.
    fn last_edge(&mut self, gate: GateId, edges: &[Edge]) {
        if self.true_edges[gate.index()] as usize + 1 != edges.len() {
            return;
        }
        self.steps += edges.len() as u64;
        if let Some(&edge) = edges.iter().find(|&&edge| self.literal(edge) != Some(true)) {
            self.assign(!edge, Reason::LastEdge(gate.0));
        }
    }

    fn through_readers(&mut self, literal: Edge) {
        let circuit = self.rules.circuit;
        let range = self.readers.range(literal.gate().index());
        self.steps += range.len() as u64;
        for at in range {
            let reader = self.readers.items[at];
            let (gate, complemented) = (GateId(reader >> 1), reader & 1 == 1);
            let output = Edge::new(gate, false);
            if complemented != literal.is_complemented() {
                self.assign(!output, Reason::FalseEdge(Edge::new(literal.gate(), complemented)));
                continue;
            }
            self.true_edges[gate.index()] += 1;
            let Gate::And(edges) = &circuit.gates[gate.index()] else { continue };
            if self.true_edges[gate.index()] as usize == edges.len() {
                self.assign(output, Reason::AllEdges);
            } else if self.literal(output) == Some(false) {
                self.last_edge(gate, edges);
            }
        }
    }

    fn through_constraints(&mut self, literal: Edge) {
        for at in self.containing.range(index(literal)) {
            let number = self.containing.items[at] as usize;
            self.steps += 1;
            if !self.enabled[number] || self.constraints[number].kind != Kind::AtMostOne {
                continue;
            }
            self.steps += self.constraints[number].literals.len() as u64;
            for member in 0..self.constraints[number].literals.len() {
                let other = self.constraints[number].literals[member];
                if other != literal {
                    self.assign(!other, Reason::OtherOf(number as u32, literal));
                }
            }
        }
        for at in self.containing.range(index(!literal)) {
            let number = self.containing.items[at] as usize;
            self.steps += 1;
            self.false_literals[number] += 1;
            let constraint = &self.constraints[number];
            let left = constraint.literals.len() - self.false_literals[number] as usize;
            if !self.enabled[number] || constraint.kind != Kind::AnyOf || left > 1 {
                continue;
            }
            self.steps += constraint.literals.len() as u64;
            let open = constraint.literals.iter().copied().find(|&l| self.literal(l) != Some(false));
            match open {
                Some(open) => self.assign(open, Reason::LastOf(number as u32)),
                None if self.conflict.is_none() => {
                    self.conflict = Some(Conflict { reason: Reason::LastOf(number as u32), literal: None });
                }
                None => {}
            }
        }
    }

    /// Takes back whatever was assigned from this position of the trail on.
    pub(super) fn undo(&mut self, to: usize) {
        while self.trail.len() > to {
            let Some(literal) = self.trail.pop() else { break };
            self.value[literal.gate().index()] = 0;
            if self.trail.len() >= self.head {
                continue;
            }
            let range = self.readers.range(literal.gate().index());
            self.steps += range.len() as u64;
            for at in range {
                let reader = self.readers.items[at];
                if (reader & 1 == 1) == literal.is_complemented() {
                    self.true_edges[(reader >> 1) as usize] -= 1;
                }
            }
            for at in self.containing.range(index(!literal)) {
                self.false_literals[self.containing.items[at] as usize] -= 1;
            }
        }
        self.head = self.head.min(to);
        self.conflict = None;
        if to <= self.root {
            self.levels.clear();
            self.refutations.clear();
        }
    }

    /// The levels whose decisions led to a conflict; notes the facts that did.
    pub(super) fn analyse(&mut self, conflict: Conflict) -> Vec<u32> {
        self.stamp += 1;
        let mut decisions = Vec::new();
        let mut open: Vec<(Reason, Option<Edge>)> = vec![(conflict.reason, conflict.literal)];
        if let Some(literal) = conflict.literal {
            self.visit(literal, None, &mut open);
        }
        while let Some((reason, of)) = open.pop() {
            self.steps += 1;
            match reason {
                Reason::Given => {}
                Reason::Decision(level) => decisions.push(level),
                Reason::FalseEdge(edge) => self.visit(edge, of, &mut open),
                Reason::AllEdges => {
                    if let Some(of) = of {
                        self.visit_edges(of.gate().0, of, &mut open);
                    }
                }
                Reason::EdgeOfTrue(gate) => self.visit(Edge::new(GateId(gate), false), of, &mut open),
                Reason::LastEdge(gate) => {
                    self.visit(Edge::new(GateId(gate), false), of, &mut open);
                    if let Some(of) = of {
                        self.visit_edges(gate, of, &mut open);
                    }
                }
                Reason::LastOf(number) => {
                    self.rely_on(number);
                    for at in 0..self.constraints[number as usize].literals.len() {
                        self.visit(self.constraints[number as usize].literals[at], of, &mut open);
                    }
                }
                Reason::OtherOf(number, other) => {
                    self.rely_on(number);
                    self.visit(other, of, &mut open);
                }
                Reason::Refuted(number) => {
                    for at in 0..self.refutations[number as usize].len() {
                        self.visit(self.refutations[number as usize][at], of, &mut open);
                    }
                }
                Reason::LastAsked => {
                    for at in 0..self.asked.len() {
                        self.visit(self.asked[at], of, &mut open);
                    }
                }
            }
        }
        decisions
    }

    fn visit_edges(&mut self, gate: u32, of: Edge, open: &mut Vec<(Reason, Option<Edge>)>) {
        if let Gate::And(edges) = &self.rules.circuit.gates[gate as usize] {
            edges.iter().for_each(|&edge| self.visit(edge, Some(of), open));
        }
    }

    /// Queues the reason of a literal's variable once, unless it is the variable being explained.
    fn visit(&mut self, literal: Edge, of: Option<Edge>, open: &mut Vec<(Reason, Option<Edge>)>) {
        let variable = literal.gate();
        if of.is_some_and(|of| of.gate() == variable) || self.seen[variable.index()] == self.stamp {
            return;
        }
        self.seen[variable.index()] = self.stamp;
        let known = Edge::new(variable, self.value[variable.index()] == 1);
        open.push((self.reason[variable.index()], Some(known)));
    }

    fn rely_on(&mut self, constraint: u32) {
        if let Some(fact) = self.constraints[constraint as usize].fact
            && std::mem::replace(&mut self.fact_seen[fact as usize], self.fact_stamp) != self.fact_stamp
        {
            self.relied.push(fact);
        }
    }
}
