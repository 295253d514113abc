//! Pairs of courses that look the same to a role: the game beside itself (self-composition: Barthe, D'Argenio and Rezk,
//! 2004), with the role's moves and percepts tied.

use ludex_logic::Meter;

use super::unrolling::{Origin, UnrollError, Unrolling};
use crate::invariants::Fact;
use crate::{Circuit, Edge, Feedback, Gate, GateId, Invariants, Loop, StoredBase};
use ludex_logic::sat::{Literal, Verdict};

/// A circuit beside a copy of itself. The roles of the copy come after those of the original, and so do its bases and
/// propositions. The game is over where the original is.
#[derive(Clone, Debug)]
pub struct DoubledCircuit {
    circuit: Circuit,
    /// The gates of the original.
    gates: u32,
}

impl DoubledCircuit {
    /// The circuit, twice.
    pub fn new(single: &Circuit) -> Self {
        let gates = single.gates.len() as u32;
        let (bases, loops) = (single.bases.len() as u32, single.loops.len() as u32);
        let (roles, propositions) = (single.moves.len() as u32, single.propositions.len() as u32);
        let second = |edge: Edge| copied(edge, gates);
        let mut circuit = single.clone();
        circuit.gates.extend(single.gates.iter().skip(1).map(|gate| match gate {
            Gate::False => Gate::False,
            Gate::Base(base) => Gate::Base(base + bases),
            Gate::Input(role, number) => Gate::Input(role + roles, *number),
            Gate::Feedback(number) => Gate::Feedback(number + loops),
            Gate::And(edges) => Gate::And(edges.iter().map(|&edge| second(edge)).collect()),
        }));
        let variable = |found: &Feedback| Feedback {
            gate: copied_gate(found.gate, gates),
            definition: second(found.definition),
        };
        let copies =
            single.loops.iter().map(|l| Loop { feedback: l.feedback.iter().map(variable).collect() });
        circuit.loops.extend(copies);
        circuit.propositions.extend_from_slice(&single.propositions);
        circuit.values.extend(single.values.iter().map(|&edge| second(edge)));
        circuit.bases.extend(single.bases.iter().map(|base| StoredBase {
            proposition: base.proposition + propositions,
            initial: base.initial,
            next: second(base.next),
        }));
        circuit.moves.extend_from_slice(&single.moves);
        circuit
            .legal
            .extend(single.legal.iter().map(|legal| legal.iter().map(|&edge| second(edge)).collect()));
        let goals = |goals: &Vec<(_, Edge)>| goals.iter().map(|&(goal, edge)| (goal, second(edge))).collect();
        circuit.goals.extend(single.goals.iter().map(goals));
        let percepts =
            |seen: &Vec<(_, Edge)>| seen.iter().map(|&(term, edge)| (term, second(edge))).collect();
        circuit.percepts.extend(single.percepts.iter().map(percepts));
        Self { circuit, gates }
    }

    /// Original and copy as one circuit.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// The number of roles of the original.
    pub fn role_count(&self) -> usize {
        self.circuit.moves.len() / 2
    }

    fn base_count(&self) -> u32 {
        (self.circuit.bases.len() / 2) as u32
    }

    /// The edge of the copy that stands for one of the original.
    pub fn copy_of(&self, edge: Edge) -> Edge {
        copied(edge, self.gates)
    }
}

/// A gate of the copy, where the original has so many. There is one gate that is false.
fn copied_gate(gate: GateId, gates: u32) -> GateId {
    if gate.0 == 0 { gate } else { GateId(gate.0 + gates - 1) }
}

fn copied(edge: Edge, gates: u32) -> Edge {
    Edge::new(copied_gate(edge.gate(), gates), edge.is_complemented())
}

/// What a role may not be able to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Which of its moves are legal, where the game goes on.
    Moves,
    /// Whether the game is over.
    End,
    /// What its goal value is at the end.
    Result,
}

impl Question {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Moves, Self::End, Self::Result];
}

/// Pairs of courses of one length in which a role makes the same moves and sees the same.
///
/// They begin in the initial state ([`Lookalikes::from_start`]), or in any two states that are the same as far as the
/// role always knows ([`Lookalikes::by_induction`]).
#[derive(Debug)]
pub struct Lookalikes<'d> {
    doubled: &'d DoubledCircuit,
    unrolling: Unrolling<'d>,
    role: usize,
    steps: usize,
    /// What is assumed of the first two states.
    assumed: Vec<Literal>,
}

impl<'d> Lookalikes<'d> {
    /// The pair of courses without steps.
    pub fn from_start(doubled: &'d DoubledCircuit, role: usize, meter: Meter) -> Self {
        let unrolling = Unrolling::new(&doubled.circuit, Origin::Initial, meter);
        Self { doubled, unrolling, role, steps: 0, assumed: Vec::new() }
    }

    /// Pairs of courses of one step, from two states that agree on all propositions that the role always knows: those
    /// that after a step between two such states are the same again. They are found as equal signals of two circuits
    /// are (van Eijk, 2000): taken to be all at first, and less those that a step makes different, until none does. All
    /// look-alikes that can be reached by a step are among these pairs, so that what none of them shows never happens.
    /// `None` where a question takes more conflicts than that.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn by_induction(
        doubled: &'d DoubledCircuit,
        role: usize,
        invariants: &Invariants,
        conflicts: u64,
        meter: Meter,
    ) -> Result<Option<Self>, UnrollError> {
        let unrolling = Unrolling::new(&doubled.circuit, Origin::Any, meter);
        let mut pairs = Self { doubled, unrolling, role, steps: 0, assumed: Vec::new() };
        pairs.demand_invariants(0, invariants)?;
        pairs.add_step()?;
        pairs.demand_invariants(1, invariants)?;
        let mut known = Vec::new();
        for base in 0..doubled.base_count() {
            let [before, after] = [0, 1].map(|frame| pairs.pair_of_bases(frame, base));
            let ((one, other), after) = (before?, after?);
            let solver = pairs.unrolling.solver();
            let same = solver.variable();
            solver.equal_if(same, one, other)?;
            known.push((same, after));
        }
        loop {
            let different: Vec<(Literal, Literal)> = known.iter().map(|&(_, after)| after).collect();
            let some = pairs.some_differ(&different)?;
            let assumed: Vec<Literal> = known.iter().map(|&(same, _)| same).collect();
            match pairs.unrolling.solve(&[&assumed[..], &[some]].concat(), conflicts)? {
                Verdict::Unsatisfiable => {
                    pairs.assumed = assumed;
                    return Ok(Some(pairs));
                }
                Verdict::TooHard => return Ok(None),
                Verdict::Satisfiable => {
                    let solver = pairs.unrolling.solver();
                    known.retain(|&(_, (one, other))| solver.value(one) == solver.value(other));
                }
            }
        }
    }

    /// The number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Lets both courses go on for a step.
    ///
    /// # Errors
    /// [`UnrollError`]; nothing is to be asked then.
    pub fn add_step(&mut self) -> Result<(), UnrollError> {
        let frame = self.steps;
        let circuit = &self.doubled.circuit;
        self.unrolling.tie_moves(frame, self.role, self.role + self.doubled.role_count());
        let over = self.unrolling.literal(frame, self.doubled.copy_of(circuit.terminal))?;
        self.unrolling.solver().clause([!over])?;
        self.unrolling.demand_step(frame)?;
        for &(_, edge) in &circuit.percepts[self.role] {
            let (one, other) = self.pair(frame, edge)?;
            let solver = self.unrolling.solver();
            let always = solver.truth();
            solver.equal_if(always, one, other)?;
        }
        self.steps += 1;
        Ok(())
    }

    /// Whether there are two such courses between which the role would have to tell, found with at most so many
    /// conflicts.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn find(&mut self, question: Question, conflicts: u64) -> Result<Verdict, UnrollError> {
        let circuit = &self.doubled.circuit;
        let (over, other_over) = self.pair(self.steps, circuit.terminal)?;
        let mut assumptions = self.assumed.clone();
        let edges: Vec<Edge> = match question {
            Question::Moves => {
                assumptions.extend([!over, !other_over]);
                circuit.legal[self.role].clone()
            }
            Question::End => vec![circuit.terminal],
            Question::Result => {
                assumptions.extend([over, other_over]);
                circuit.goals[self.role].iter().map(|&(_, edge)| edge).collect()
            }
        };
        let pairs: Result<Vec<_>, _> = edges.into_iter().map(|edge| self.pair(self.steps, edge)).collect();
        assumptions.push(self.some_differ(&pairs?)?);
        Ok(self.unrolling.solve(&assumptions, conflicts)?)
    }

    /// Whether there are such courses at all.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn any(&mut self, conflicts: u64) -> Result<Verdict, UnrollError> {
        Ok(self.unrolling.solve(&self.assumed, conflicts)?)
    }

    /// The joint moves of both courses that were found, per role a position in [`Circuit::moves`].
    pub fn joint_moves(&self) -> [Vec<Vec<u32>>; 2] {
        let roles = self.doubled.role_count();
        let both = self.unrolling.joint_moves(self.steps);
        [0, roles].map(|from| both.iter().map(|joint| joint[from..from + roles].to_vec()).collect())
    }

    /// An edge of the original in a frame, and that of the copy.
    fn pair(&mut self, frame: usize, edge: Edge) -> Result<(Literal, Literal), UnrollError> {
        let other = self.doubled.copy_of(edge);
        Ok((self.unrolling.literal(frame, edge)?, self.unrolling.literal(frame, other)?))
    }

    fn pair_of_bases(&mut self, frame: usize, base: u32) -> Result<(Literal, Literal), UnrollError> {
        let other = base + self.doubled.base_count();
        Ok((self.unrolling.base(frame, base)?, self.unrolling.base(frame, other)?))
    }

    /// A literal that is true only where the literals of some pair differ.
    fn some_differ(&mut self, pairs: &[(Literal, Literal)]) -> Result<Literal, UnrollError> {
        let solver = self.unrolling.solver();
        let some = solver.variable();
        let mut clause = vec![!some];
        for &(one, other) in pairs {
            if one != other {
                let different = solver.variable();
                solver.equal_if(different, one, !other)?;
                clause.push(different);
            }
        }
        solver.clause(clause)?;
        Ok(some)
    }

    /// Demands of both states of a frame what always holds.
    fn demand_invariants(&mut self, frame: usize, known: &Invariants) -> Result<(), UnrollError> {
        let always = self.unrolling.solver().truth();
        for fact in known.facts() {
            self.unrolling.demand_fact_if(always, frame, &fact)?;
            self.unrolling.demand_fact_if(always, frame, &moved(&fact, self.doubled.base_count()))?;
        }
        Ok(())
    }
}

/// The same about bases that come so much later.
fn moved(fact: &Fact, by: u32) -> Fact {
    let all = |members: &[u32]| members.iter().map(|member| member + by).collect();
    match fact {
        &Fact::Constant { base, value } => Fact::Constant { base: base + by, value },
        &Fact::Equal { base, other, complemented } => {
            Fact::Equal { base: base + by, other: other + by, complemented }
        }
        Fact::AtMostOne(members) => Fact::AtMostOne(all(members)),
        Fact::AtLeastOne(members) => Fact::AtLeastOne(all(members)),
    }
}
