//! What single moves lead to, as a circuit over the state in which they are made.
//!
//! For one move the inputs are constants: the move is made, the role makes no other one, and the other
//! roles make the only move they have. The next state then depends on the state alone, and so does
//! whether it is terminal and what it is worth. Written with shared gates, little of this is to be
//! computed anew for each move: what the move does not touch is the same as for all others, and as in
//! the state itself, which is not terminal.

use ludex_game::{DecisiveMoves, Goal};
use ludex_logic::{Budget, LimitError, Meter};

use crate::circuit::GateBuilder;
use crate::passes::{Pass, PassSet, optimise};
use crate::{Circuit, Edge, Gate, GateId, StoredBase};

/// The gates are looked at so often for all moves together, at most.
const MOST_VISITS: u64 = 50_000_000;

/// Passes that need to know nothing of moves or of how states follow each other.
const PASSES: [Pass; 6] =
    [Pass::HashConsing, Pass::Flatten, Pass::Absorption, Pass::Factors, Pass::CommonPairs, Pass::DeadCones];

impl Circuit {
    /// A circuit over the same bases that tells what the moves of single roles lead to: for each role, in
    /// [`Circuit::legal`], for each of its moves whether it wins at once, and after these for each whether
    /// it loses at once. Nothing at all for a role without stakes. The state stays as it is, and there
    /// are no moves, goals or propositions.
    ///
    /// What it says of a move holds in reachable states that are not terminal, in which the move is legal
    /// and every other role has exactly one legal move.
    ///
    /// Gives nothing where the ends of the game or the next states are recursive over what changes, or
    /// where there are too many moves and gates.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn decisive_moves(
        &self,
        decisive_moves: &DecisiveMoves,
        budget: &Budget,
    ) -> Result<Option<Circuit>, LimitError> {
        let mut meter = budget.meter();
        let Some(mut ahead) = DecisiveCircuit::new(self, decisive_moves, &mut meter)? else {
            return Ok(None);
        };
        let mut found = Vec::new();
        for (role, moves) in self.legal.iter().enumerate() {
            found.push(ahead.role(role, moves.len(), decisive_moves, &mut meter)?);
        }
        let mut circuit = ahead.finish(found);
        let passes = PASSES.into_iter().fold(PassSet::none(), PassSet::with);
        optimise(&mut circuit, &passes, budget)?;
        Ok(Some(circuit))
    }
}

struct DecisiveCircuit<'c> {
    circuit: &'c Circuit,
    builder: GateBuilder,
    /// What is known of new gates, under the assumptions made.
    known: Vec<Option<bool>>,
    /// The gates of which something is known, in the order in which it became known.
    trail: Vec<GateId>,
    /// The gates that say what a state is worth, in order.
    of_end: Vec<GateId>,
    /// The gates that the next values of the bases among these need, in order.
    of_step: Vec<GateId>,
    /// What became of the gates that depend on the state alone.
    now: Vec<Edge>,
    /// Scratch: what became of the gates for one move, in its state and in the next one.
    step: Vec<Edge>,
    end: Vec<Edge>,
}

impl<'c> DecisiveCircuit<'c> {
    /// Writes down what depends on the state alone.
    fn new(
        circuit: &'c Circuit,
        decisive_moves: &DecisiveMoves,
        meter: &mut Meter,
    ) -> Result<Option<Self>, LimitError> {
        let roles = 0..circuit.goals.len();
        let ends = roles.filter_map(|role| Some((&circuit.goals[role], decisive_moves.of(role)?)));
        let ends = ends.flat_map(|(goals, stakes)| {
            goals.iter().filter(move |&&(goal, _)| goal >= stakes.win || goal <= stakes.loss)
        });
        let of_end = cone(circuit, ends.map(|&(_, edge)| edge).chain([circuit.terminal]), meter)?;
        let bases = of_end.iter().filter_map(|gate| match circuit.gates[gate.index()] {
            Gate::Base(base) => Some(circuit.bases[base as usize].next),
            _ => None,
        });
        let of_step = cone(circuit, bases, meter)?;
        let legal = circuit.legal.iter().flatten().copied();
        let of_now = cone(circuit, legal.chain([circuit.terminal]), meter)?;
        let all = of_end.iter().chain(&of_step).chain(&of_now);
        if all.clone().any(|gate| matches!(circuit.gates[gate.index()], Gate::Feedback(_))) {
            return Ok(None);
        }
        let moves = circuit.legal.iter().map(|moves| moves.len() as u64).sum::<u64>();
        if moves * (of_end.len() + of_step.len()) as u64 > MOST_VISITS {
            return Ok(None);
        }
        let blank = vec![Edge::FALSE; circuit.gates.len()];
        let mut decisive_moves = Self {
            circuit,
            builder: GateBuilder::new(true),
            known: Vec::new(),
            trail: Vec::new(),
            of_end,
            of_step,
            now: blank.clone(),
            step: blank.clone(),
            end: blank,
        };
        decisive_moves.write_now(&of_now);
        let terminal = circuit.terminal.mapped(&decisive_moves.now);
        decisive_moves.assume(terminal, false);
        // Written once more, by what is known now.
        decisive_moves.write_now(&of_now);
        Ok(Some(decisive_moves))
    }

    /// Writes gates of the state, none of which depends on a move.
    fn write_now(&mut self, gates: &[GateId]) {
        let mut now = std::mem::take(&mut self.now);
        for &gate in gates {
            now[gate.index()] = self.rewrite(gate, &now, |this, source| this.builder.source(source.clone()));
        }
        self.now = now;
    }

    /// For each move of a role whether it wins at once, then for each whether it loses at once.
    fn role(
        &mut self,
        role: usize,
        moves: usize,
        decisive_moves: &DecisiveMoves,
        meter: &mut Meter,
    ) -> Result<Vec<Edge>, LimitError> {
        let Some(stakes) = decisive_moves.of(role) else { return Ok(Vec::new()) };
        let mut found = vec![Edge::FALSE; 2 * moves];
        for number in 0..moves {
            let legal = self.resolve(self.circuit.legal[role][number].mapped(&self.now));
            if legal == Edge::FALSE {
                continue;
            }
            meter.spend((self.of_step.len() + self.of_end.len()) as u64)?;
            let known_before = self.trail.len();
            self.assume(legal, true);
            self.write_next(role as u32, number as u32);
            found[number] = self.ends_with(role, |goal| goal >= stakes.win);
            found[moves + number] = self.ends_with(role, |goal| goal <= stakes.loss);
            for gate in self.trail.drain(known_before..) {
                self.known[gate.index()] = None;
            }
        }
        Ok(found)
    }

    /// Writes what the next state is worth after a move of a role.
    fn write_next(&mut self, role: u32, number: u32) {
        let circuit = self.circuit;
        let (mut step, mut end) = (std::mem::take(&mut self.step), std::mem::take(&mut self.end));
        let (of_step, of_end) = (std::mem::take(&mut self.of_step), std::mem::take(&mut self.of_end));
        for &gate in &of_step {
            step[gate.index()] = self.rewrite(gate, &step, |this, source| match *source {
                Gate::Input(mover, input) if mover == role && input == number => Edge::TRUE,
                Gate::Input(mover, _) if mover == role => Edge::FALSE,
                Gate::Input(other, only) => circuit.legal[other as usize][only as usize].mapped(&this.now),
                _ => this.builder.source(source.clone()),
            });
        }
        for &gate in &of_end {
            end[gate.index()] = self.rewrite(gate, &end, |_, source| match *source {
                Gate::Base(base) => circuit.bases[base as usize].next.mapped(&step),
                _ => Edge::FALSE,
            });
        }
        (self.step, self.end) = (step, end);
        (self.of_step, self.of_end) = (of_step, of_end);
    }

    /// Whether the next state is terminal, with one of these goals for a role.
    fn ends_with(&mut self, role: usize, wanted: impl Fn(Goal) -> bool) -> Edge {
        let goals = self.circuit.goals[role].iter().filter(|&&(goal, _)| wanted(goal));
        let none: Vec<Edge> = goals.map(|&(_, edge)| !edge.mapped(&self.end)).collect();
        let none = self.and(none);
        self.and(vec![self.circuit.terminal.mapped(&self.end), !none])
    }

    /// What becomes of a gate, given what became of those before it and what becomes of a source.
    fn rewrite(&mut self, gate: GateId, map: &[Edge], source: impl FnOnce(&mut Self, &Gate) -> Edge) -> Edge {
        let circuit = self.circuit;
        match &circuit.gates[gate.index()] {
            Gate::False => Edge::FALSE,
            Gate::And(edges) => self.and(edges.iter().map(|edge| edge.mapped(map)).collect()),
            leaf => {
                let edge = source(self, leaf);
                self.resolve(edge)
            }
        }
    }

    fn and(&mut self, mut edges: Vec<Edge>) -> Edge {
        for edge in &mut edges {
            *edge = self.resolve(*edge);
        }
        let edge = self.builder.and(&mut edges);
        self.resolve(edge)
    }

    /// The edge, or its constant where that is known.
    fn resolve(&self, edge: Edge) -> Edge {
        match self.known.get(edge.gate().index()).copied().flatten() {
            Some(value) => Edge::FALSE.complement_if(value != edge.is_complemented()),
            None => edge,
        }
    }

    /// Notes the value of an edge, and what follows from it for the operands.
    fn assume(&mut self, edge: Edge, value: bool) {
        self.known.resize(self.builder.gates().len(), None);
        let mut pending = vec![edge.complement_if(!value)];
        while let Some(holds) = pending.pop() {
            let gate = holds.gate();
            if gate == GateId(0) || self.known[gate.index()].is_some() {
                continue;
            }
            self.known[gate.index()] = Some(!holds.is_complemented());
            self.trail.push(gate);
            let Some(operands) = self.builder.operands(holds) else { continue };
            if !holds.is_complemented() {
                pending.extend_from_slice(operands);
                continue;
            }
            let mut open = operands.iter().filter(|&&operand| self.resolve(operand) != Edge::TRUE);
            if let (Some(&only), None) = (open.next(), open.next()) {
                pending.push(!only);
            }
        }
    }

    /// The circuit with these outputs.
    fn finish(mut self, legal: Vec<Vec<Edge>>) -> Circuit {
        let old = self.circuit;
        let base = |number: usize| self.builder.source(Gate::Base(number as u32));
        let own: Vec<Edge> = (0..old.bases.len()).map(base).collect();
        let stays = |(stored, next): (&StoredBase, Edge)| StoredBase { next, ..stored.clone() };
        Circuit {
            terms: old.terms.clone(),
            gates: self.builder.finish(),
            loops: Vec::new(),
            propositions: Vec::new(),
            values: Vec::new(),
            bases: old.bases.iter().zip(own).map(stays).collect(),
            moves: vec![Vec::new(); legal.len()],
            goals: vec![Vec::new(); legal.len()],
            percepts: vec![Vec::new(); legal.len()],
            legal,
            terminal: Edge::FALSE,
        }
    }
}

/// The gates that some edges need, in topological order.
fn cone(
    circuit: &Circuit,
    edges: impl Iterator<Item = Edge>,
    meter: &mut Meter,
) -> Result<Vec<GateId>, LimitError> {
    meter.spend((circuit.gates.len() + circuit.operand_count()) as u64)?;
    let inside = circuit.cone(edges);
    Ok((0..).zip(inside).filter(|&(_, inside)| inside).map(|(gate, _)| GateId(gate)).collect())
}
