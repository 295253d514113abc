//! The circuit of one turn, with what is known of it filled in.

use ludex_logic::{LimitError, Meter};

use super::RoundFacts;
use crate::passes::drop_dead_cones;
use crate::{Circuit, Edge, Gate, GateId};

/// What a turn has to compute where the rest is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Live {
    /// Two-input operations, as many as [`Circuit::operation_count`] has at most after specialising.
    pub operations: usize,
    /// Moves that may be legal, of roles that have more than one.
    pub moves: usize,
}

impl RoundFacts {
    /// The circuit of one turn: its legal moves, whether the state is terminal, and the state of the next
    /// turn. It has the bases and moves of the whole circuit, with the same numbers, and equals it in
    /// these outputs in all states that the facts are about. Bases whose value is known at this turn and
    /// the same at the next one stay as they are. It says nothing of goals and percepts.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn specialise(
        &self,
        circuit: &Circuit,
        turn: usize,
        meter: &mut Meter,
    ) -> Result<Circuit, LimitError> {
        let mut made = circuit.clone();
        let after = (turn + 1) % self.turns;
        let known = |edge: Edge| self.value(turn, edge).map_or(edge, |v| Edge::FALSE.complement_if(v));
        for gate in &mut made.gates {
            if let Gate::And(edges) = gate {
                edges.iter_mut().for_each(|edge| *edge = known(*edge));
            }
        }
        for variable in made.loops.iter_mut().flat_map(|l| &mut l.feedback) {
            variable.definition = known(variable.definition);
        }
        made.legal.iter_mut().flatten().for_each(|edge| *edge = known(*edge));
        made.terminal = known(made.terminal);
        made.goals.iter_mut().for_each(Vec::clear);
        made.percepts.iter_mut().for_each(Vec::clear);
        made.values.fill(Edge::FALSE);
        for (gate, computes) in (0..).map(GateId).zip(&circuit.gates) {
            let Gate::Base(base) = *computes else { continue };
            let own = Edge::new(gate, false);
            let stored = &mut made.bases[base as usize];
            let (now, then) = (self.value(turn, own), self.value(after, own));
            stored.next = if now.is_some() && now == then { own } else { known(stored.next) };
        }
        drop_dead_cones(&mut made, true, meter)?;
        Ok(made)
    }

    /// What the circuit of a turn would have to compute.
    pub fn live(&self, circuit: &Circuit, turn: usize) -> Live {
        let after = (turn + 1) % self.turns;
        let definitions = circuit.definitions();
        let mut seen = vec![false; circuit.gates.len()];
        let mut open: Vec<GateId> = Vec::new();
        let mut live = Live::default();
        for legal in &circuit.legal {
            let possible = || legal.iter().filter(|&&edge| self.value(turn, edge) != Some(false));
            let count = possible().count();
            live.moves += if count > 1 { count } else { 0 };
            open.extend(possible().map(|edge| edge.gate()));
        }
        open.push(circuit.terminal.gate());
        let (now, then) = (self.bases(circuit, turn), self.bases(circuit, after));
        for ((base, now), then) in circuit.bases.iter().zip(now).zip(then) {
            if now.is_none() || now != then {
                open.push(base.next.gate());
            }
        }
        while let Some(gate) = open.pop() {
            let is_known = self.value(turn, Edge::new(gate, false)).is_some();
            if is_known || std::mem::replace(&mut seen[gate.index()], true) {
                continue;
            }
            let operands = circuit.gates[gate.index()].operands();
            let unknown = operands.iter().filter(|&&edge| self.value(turn, edge).is_none());
            let before = open.len();
            open.extend(unknown.map(|edge| edge.gate()));
            live.operations += (open.len() - before).saturating_sub(1);
            open.extend(definitions[gate.index()].map(|edge| edge.gate()));
        }
        live
    }
}
