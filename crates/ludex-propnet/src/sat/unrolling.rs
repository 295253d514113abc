//! A game as a propositional formula, step by step (book 15.2 as a formula; bounded model checking:
//! Biere, Cimatti, Clarke and Zhu, 1999).
//!
//! *Frame* `t` is the state after `t` steps with the moves that are made in it. A gate of a frame is
//! encoded when something first needs it, so only what a question depends on is ever encoded, and
//! what is known in the initial state is evaluated away.

use ludex_logic::{LimitError, Meter};
use rustc_hash::FxHashMap;

use crate::invariants::Fact;
use crate::{Circuit, Edge, Gate, GateId, Invariants, LoopMembers, StoredBase};
use ludex_logic::sat::{Literal, Solver, Verdict};

/// Which state frame 0 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The initial state of the game.
    Initial,
    /// Any assignment to the bases; whoever asks says what else is known of it.
    Any,
}

/// Why a formula cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnrollError {
    /// A limit of the budget.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// Recursion that would have to be written out too often.
    #[error("a recursive definition of {variables} propositions is too large to write out")]
    Recursion {
        /// The variables of the loop.
        variables: usize,
    },
}

/// The most gates that the rounds of one loop may take in one frame.
const MOST_ROUND_GATES: usize = 4_000_000;

/// The encoded part of a frame.
struct Frame {
    /// Per gate.
    literals: Vec<Option<Literal>>,
    /// Per role and move.
    moves: Vec<Vec<Literal>>,
    /// Whether the rules of moves are demanded.
    moved: bool,
}

/// The frames of a game, over one solver.
pub struct Unrolling<'c> {
    circuit: &'c Circuit,
    solver: Solver,
    origin: Origin,
    frames: Vec<Frame>,
    /// Conjunctions that were encoded, by their sorted operands.
    known: FxHashMap<Box<[Literal]>, Literal>,
    /// None where variables of loops may have any value.
    loops: LoopMembers,
    /// Whether variables of loops may have any value.
    is_recursion_free: bool,
}

impl std::fmt::Debug for Unrolling<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unrolling")
            .field("frames", &self.frames.len())
            .field("solver", &self.solver)
            .finish_non_exhaustive()
    }
}

impl<'c> Unrolling<'c> {
    /// Frame 0 alone, with nothing demanded of it.
    pub fn new(circuit: &'c Circuit, origin: Origin, meter: Meter) -> Self {
        Self::over(Solver::new(meter), circuit, origin)
    }

    /// Frame 0 alone, over a solver without clauses.
    pub fn over(solver: Solver, circuit: &'c Circuit, origin: Origin) -> Self {
        let mut unrolling = Self {
            circuit,
            solver,
            origin,
            frames: Vec::new(),
            known: FxHashMap::default(),
            loops: LoopMembers::new(circuit),
            is_recursion_free: false,
        };
        unrolling.add_frame();
        unrolling
    }

    /// Frame 0 from any state, where variables of loops may have any value: more can happen here than in
    /// the game, and what cannot happen here cannot happen there. Nothing has to be written out.
    pub(crate) fn with_free_recursion(circuit: &'c Circuit, meter: Meter) -> Self {
        let mut unrolling = Self::new(circuit, Origin::Any, meter);
        unrolling.loops = LoopMembers::default();
        unrolling.is_recursion_free = true;
        unrolling
    }

    /// The circuit.
    pub fn circuit(&self) -> &'c Circuit {
        self.circuit
    }

    /// The solver, to add clauses and variables of one's own.
    pub fn solver(&mut self) -> &mut Solver {
        &mut self.solver
    }

    /// The number of frames.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Adds a frame after the last one, and answers its number. Nothing is demanded of the moves that
    /// lead there; see [`Unrolling::demand_moves`].
    pub fn add_frame(&mut self) -> usize {
        let moves = self.circuit.moves.iter();
        let moves = moves.map(|list| list.iter().map(|_| self.solver.variable()).collect()).collect();
        self.frames.push(Frame { literals: vec![None; self.circuit.gates.len()], moves, moved: false });
        self.frames.len() - 1
    }

    /// Fixes the move of a role in a frame of which nothing was asked or demanded yet: what follows from it is
    /// evaluated away. Whether it is legal is demanded with all moves.
    pub fn fix_move(&mut self, frame: usize, role: usize, number: usize) {
        let truth = self.solver.truth();
        for (at, made) in self.frames[frame].moves[role].iter_mut().enumerate() {
            *made = if at == number { truth } else { !truth };
        }
    }

    /// Makes the moves of one role those of another one with as many, in a frame of which nothing was asked or
    /// demanded yet.
    pub(super) fn tie_moves(&mut self, frame: usize, role: usize, other: usize) {
        let moves = self.frames[frame].moves[role].clone();
        self.frames[frame].moves[other] = moves;
    }

    /// Demands that in this frame each role makes exactly one move, and a legal one.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn demand_moves(&mut self, frame: usize) -> Result<(), UnrollError> {
        self.demand_moves_if(frame, self.solver.truth())
    }

    /// Demands the same where `condition` is true. Where it is not, a role makes one move at most, which
    /// need not be legal.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn demand_moves_if(&mut self, frame: usize, condition: Literal) -> Result<(), UnrollError> {
        if std::mem::replace(&mut self.frames[frame].moved, true) {
            return Ok(());
        }
        for role in 0..self.circuit.moves.len() {
            let moves = self.frames[frame].moves[role].clone();
            let mut possible = Vec::with_capacity(moves.len());
            for (&made, &legal) in moves.iter().zip(&self.circuit.legal[role]) {
                let legal = self.literal(frame, legal)?;
                if self.solver.as_constant(legal) == Some(false) {
                    self.solver.clause([!made])?;
                    continue;
                }
                self.solver.clause([!condition, !made, legal])?;
                possible.push(made);
            }
            self.solver.clause(possible.iter().copied().chain([!condition]))?;
            self.solver.at_most_one(&possible)?;
        }
        Ok(())
    }

    /// Demands of a frame that the game is not over and that moves are made, which lead to another frame.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn demand_step(&mut self, frame: usize) -> Result<(), UnrollError> {
        let terminal = self.literal(frame, self.circuit.terminal)?;
        self.solver.clause([!terminal])?;
        self.demand_moves(frame)?;
        self.add_frame();
        Ok(())
    }

    /// Demands of a frame what always holds.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn demand_invariants(&mut self, frame: usize, known: &Invariants) -> Result<(), UnrollError> {
        self.demand_invariants_if(self.solver.truth(), frame, known)
    }

    /// Demands of a frame what always holds, where `condition` is true.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn demand_invariants_if(
        &mut self,
        condition: Literal,
        frame: usize,
        known: &Invariants,
    ) -> Result<(), UnrollError> {
        known.facts().try_for_each(|fact| self.demand_fact_if(condition, frame, &fact))
    }

    /// Demands a fact of a frame where `condition` is true.
    pub(crate) fn demand_fact_if(
        &mut self,
        condition: Literal,
        frame: usize,
        fact: &Fact,
    ) -> Result<(), UnrollError> {
        match fact {
            &Fact::Constant { base, value } => {
                let literal = self.base(frame, base)?;
                self.solver.clause([!condition, if value { literal } else { !literal }])?;
            }
            &Fact::Equal { base, other, complemented } => {
                let (one, other) = (self.base(frame, base)?, self.base(frame, other)?);
                self.solver.equal_if(condition, one, if complemented { !other } else { other })?;
            }
            Fact::AtMostOne(members) => {
                let members = self.bases(frame, members)?;
                self.solver.at_most_one_if(condition, &members)?;
            }
            Fact::AtLeastOne(members) => {
                let members = self.bases(frame, members)?;
                self.solver.clause(members.into_iter().chain([!condition]))?;
            }
        }
        Ok(())
    }

    /// A literal that is true only where a fact does not hold in a frame.
    pub(crate) fn violation(&mut self, frame: usize, fact: &Fact) -> Result<Literal, UnrollError> {
        Ok(match fact {
            &Fact::Constant { base, value } => {
                let literal = self.base(frame, base)?;
                if value { !literal } else { literal }
            }
            &Fact::Equal { base, other, complemented } => {
                let (one, other) = (self.base(frame, base)?, self.base(frame, other)?);
                let different = self.solver.variable();
                self.solver.equal_if(different, one, if complemented { other } else { !other })?;
                different
            }
            Fact::AtMostOne(members) => {
                let members = self.bases(frame, members)?;
                self.solver.two_of(&members)?
            }
            Fact::AtLeastOne(members) => {
                let none: Vec<Literal> = self.bases(frame, members)?.iter().map(|&base| !base).collect();
                self.solver.conjunction(&none)?
            }
        })
    }

    fn bases(&mut self, frame: usize, bases: &[u32]) -> Result<Vec<Literal>, UnrollError> {
        bases.iter().map(|&base| self.base(frame, base)).collect()
    }

    /// Whether a role makes a move in a frame.
    pub fn made(&self, frame: usize, role: usize, number: usize) -> Literal {
        self.frames[frame].moves[role][number]
    }

    /// The value of a base in a frame.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn base(&mut self, frame: usize, base: u32) -> Result<Literal, UnrollError> {
        match (frame.checked_sub(1), self.origin) {
            (Some(before), _) => self.literal(before, self.circuit.bases[base as usize].next),
            (None, Origin::Initial) => Ok(self.solver.constant(self.circuit.bases[base as usize].initial)),
            (None, Origin::Any) => {
                let gate = self.circuit.values[self.circuit.bases[base as usize].proposition as usize];
                self.literal(0, gate)
            }
        }
    }

    /// The value of an edge in a frame: `legal`, `goals`, `terminal` and `values` of the circuit say
    /// what holds in the state of that frame, `next` and `percepts` depend on its moves, too.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn literal(&mut self, frame: usize, edge: Edge) -> Result<Literal, UnrollError> {
        let mut open = vec![(frame, edge.gate())];
        let mut waiting = Vec::new();
        while let Some(&(frame, gate)) = open.last() {
            if self.frames[frame].literals[gate.index()].is_some() {
                open.pop();
                continue;
            }
            waiting.clear();
            self.missing(frame, gate, &mut waiting);
            if waiting.is_empty() {
                self.encode(frame, gate)?;
                open.pop();
            } else {
                open.append(&mut waiting);
            }
        }
        Ok(self.encoded(frame, edge))
    }

    /// The literal that says that a role has more than one legal move in a frame.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn has_choice(&mut self, frame: usize, role: usize) -> Result<Literal, UnrollError> {
        let mut legal = Vec::with_capacity(self.circuit.legal[role].len());
        for &edge in &self.circuit.legal[role] {
            legal.push(self.literal(frame, edge)?);
        }
        Ok(self.solver.two_of(&legal)?)
    }

    /// Whether all that was demanded and these assumptions can be true together, with at most so many
    /// conflicts.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn solve(&mut self, assumptions: &[Literal], conflicts: u64) -> Result<Verdict, LimitError> {
        self.solver.solve(assumptions, conflicts)
    }

    /// The joint moves of the first `frames` frames in the model of the last question, per role the
    /// position of its move in [`Circuit::moves`]. The moves of these frames must have been demanded.
    pub fn joint_moves(&self, frames: usize) -> Vec<Vec<u32>> {
        let joint = |frame: &Frame| {
            let made = |moves: &Vec<Literal>| moves.iter().position(|&m| self.solver.value(m)).unwrap_or(0);
            frame.moves.iter().map(|moves| made(moves) as u32).collect()
        };
        self.frames[..frames.min(self.frames.len())].iter().map(joint).collect()
    }

    /// The state of frame 0 in the model of the last question, per base; a base that nothing depends on
    /// has its initial value.
    pub fn first_state(&self) -> Vec<bool> {
        let value = |(number, base): (usize, &StoredBase)| {
            let edge = self.circuit.values[base.proposition as usize];
            debug_assert!(matches!(
                self.circuit.gates[edge.gate().index()],
                Gate::Base(found) if found as usize == number
            ));
            match self.frames[0].literals[edge.gate().index()] {
                Some(literal) => self.solver.value(literal) != edge.is_complemented(),
                None => base.initial,
            }
        };
        self.circuit.bases.iter().enumerate().map(value).collect()
    }

    fn encoded(&self, frame: usize, edge: Edge) -> Literal {
        // Whoever asks has encoded the gate before.
        let literal = self.frames[frame].literals[edge.gate().index()].unwrap_or(self.solver.truth());
        if edge.is_complemented() { !literal } else { literal }
    }

    /// What must be encoded before a gate can be.
    fn missing(&self, frame: usize, gate: GateId, out: &mut Vec<(usize, GateId)>) {
        let mut need = |frame: usize, gate: GateId| {
            if self.frames[frame].literals[gate.index()].is_none() {
                out.push((frame, gate));
            }
        };
        if let Some(number) = self.loops.loop_of(gate) {
            return self.loops.reads(self.circuit, number).for_each(|gate| need(frame, gate));
        }
        match &self.circuit.gates[gate.index()] {
            Gate::And(edges) => edges.iter().for_each(|edge| need(frame, edge.gate())),
            Gate::Base(base) if frame > 0 => {
                need(frame - 1, self.circuit.bases[*base as usize].next.gate());
            }
            _ => {}
        }
    }

    fn encode(&mut self, frame: usize, gate: GateId) -> Result<(), UnrollError> {
        if let Some(number) = self.loops.loop_of(gate) {
            return self.encode_loop(frame, number);
        }
        let circuit = self.circuit;
        let literal = match &circuit.gates[gate.index()] {
            Gate::False => !self.solver.truth(),
            Gate::Base(base) => {
                let stored = &circuit.bases[*base as usize];
                match (frame.checked_sub(1), self.origin) {
                    (Some(before), _) => self.encoded(before, stored.next),
                    (None, Origin::Initial) => self.solver.constant(stored.initial),
                    (None, Origin::Any) => self.solver.variable(),
                }
            }
            Gate::Input(role, number) => self.frames[frame].moves[*role as usize][*number as usize],
            // Without a loop around it, it never becomes true.
            Gate::Feedback(_) if !self.is_recursion_free => !self.solver.truth(),
            Gate::Feedback(_) => self.solver.variable(),
            Gate::And(edges) => {
                let parts: Vec<Literal> = edges.iter().map(|&edge| self.encoded(frame, edge)).collect();
                self.conjunction(parts)?
            }
        };
        self.frames[frame].literals[gate.index()] = Some(literal);
        Ok(())
    }

    /// A conjunction; the same one as before, if there is one.
    fn conjunction(&mut self, mut parts: Vec<Literal>) -> Result<Literal, LimitError> {
        let truth = self.solver.truth();
        if parts.contains(&!truth) {
            return Ok(!truth);
        }
        parts.retain(|&part| part != truth);
        parts.sort_unstable();
        parts.dedup();
        if let Some(&found) = self.known.get(parts.as_slice()) {
            return Ok(found);
        }
        let literal = self.solver.conjunction(&parts)?;
        self.known.insert(parts.into(), literal);
        Ok(literal)
    }

    /// Writes a least fixpoint out, round by round: variables are false in the first round, and then
    /// what the round before says. That takes as many rounds as there are variables at most; it ends
    /// sooner where nothing changes any more.
    fn encode_loop(&mut self, frame: usize, number: usize) -> Result<(), UnrollError> {
        let gates = self.loops.members(number).to_vec();
        let encoded = self.encode_rounds(frame, number, &gates);
        if encoded.is_err() {
            // Half a fixpoint is no value.
            gates.iter().for_each(|gate| self.frames[frame].literals[gate.index()] = None);
        }
        encoded
    }

    fn encode_rounds(&mut self, frame: usize, number: usize, gates: &[GateId]) -> Result<(), UnrollError> {
        let circuit = self.circuit;
        let feedback = &circuit.loops[number].feedback;
        let mut values: Vec<Literal> = vec![!self.solver.truth(); feedback.len()];
        for round in 0..=feedback.len() {
            if round.saturating_mul(gates.len()) > MOST_ROUND_GATES {
                return Err(UnrollError::Recursion { variables: feedback.len() });
            }
            for (variable, &value) in feedback.iter().zip(&values) {
                self.frames[frame].literals[variable.gate.index()] = Some(value);
            }
            for &gate in gates {
                if let Gate::And(edges) = &circuit.gates[gate.index()] {
                    let parts: Vec<Literal> = edges.iter().map(|&edge| self.encoded(frame, edge)).collect();
                    let literal = self.conjunction(parts)?;
                    self.frames[frame].literals[gate.index()] = Some(literal);
                }
            }
            let next: Vec<Literal> = feedback.iter().map(|f| self.encoded(frame, f.definition)).collect();
            if next == values {
                break;
            }
            values = next;
        }
        Ok(())
    }
}
