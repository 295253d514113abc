//! One step from any state, as a formula: the state generator of book 16.1.
//!
//! The book lets a state be any set of base propositions. Here it must also have all that was proved to
//! hold in every reachable state, and must not be terminal, since no step is made there; so more can be
//! proved, and what is proved holds in every course of the game.

use ludex_logic::{LimitError, Meter};
use ludex_propnet::{Edge, Invariants};

use crate::Faithful;
use crate::finding::Reason;
use crate::sat::{Literal, Origin, Unrolling, Verdict};

/// Any state, the moves made in it, and the state after it.
pub(crate) struct Generator<'f> {
    unrolling: Unrolling<'f>,
    conflicts: u64,
    /// Questions asked.
    pub(crate) questions: u64,
}

/// Which of some things cannot be.
pub(crate) struct Impossible<T> {
    /// These cannot.
    pub(crate) proved: Vec<T>,
    /// For these the solver gave up.
    pub(crate) open: Vec<T>,
}

impl<'f> Generator<'f> {
    pub(crate) fn new(
        faithful: &'f Faithful,
        invariants: &Invariants,
        conflicts: u64,
        meter: Meter,
    ) -> Result<Self, Reason> {
        let circuit = &faithful.circuit;
        let mut unrolling = Unrolling::new(circuit, Origin::Any, meter);
        unrolling.demand_step(0)?;
        unrolling.demand_invariants(0, invariants)?;
        Ok(Self { unrolling, conflicts, questions: 0 })
    }

    /// The step as a formula.
    pub(crate) fn unrolling(&mut self) -> &mut Unrolling<'f> {
        &mut self.unrolling
    }

    /// That a base has this value before the step (frame 0) or after it (frame 1).
    pub(crate) fn base(&mut self, frame: usize, base: u32, value: bool) -> Result<Literal, Reason> {
        let literal = self.unrolling.base(frame, base)?;
        Ok(if value { literal } else { !literal })
    }

    /// What holds in the state before or after the step.
    pub(crate) fn edge(&mut self, frame: usize, edge: Edge) -> Result<Literal, Reason> {
        Ok(self.unrolling.literal(frame, edge)?)
    }

    /// That all of these are true.
    pub(crate) fn all(&mut self, literals: &[Literal]) -> Result<Literal, Reason> {
        Ok(self.unrolling.solver().conjunction(literals)?)
    }

    /// Which of these can never be true together with the assumptions. One question asks for any of
    /// them; each model rules out all that are true in it, so that few questions are needed.
    pub(crate) fn impossible<T>(
        &mut self,
        assumptions: &[Literal],
        candidates: Vec<(T, Literal)>,
    ) -> Result<Impossible<T>, LimitError> {
        let mut found = Impossible { proved: Vec::new(), open: Vec::new() };
        let mut waiting = vec![candidates];
        while let Some(mut group) = waiting.pop() {
            if group.is_empty() {
                continue;
            }
            let any = self.unrolling.solver().variable();
            self.unrolling.solver().clause(group.iter().map(|(_, literal)| *literal).chain([!any]))?;
            let mut question = assumptions.to_vec();
            question.push(any);
            self.questions += 1;
            match self.unrolling.solve(&question, self.conflicts)? {
                Verdict::Unsatisfiable => found.proved.extend(group.into_iter().map(|(thing, _)| thing)),
                Verdict::Satisfiable => {
                    let solver = self.unrolling.solver();
                    group.retain(|(_, literal)| !solver.value(*literal));
                    waiting.push(group);
                }
                Verdict::TooHard if group.len() == 1 => {
                    found.open.extend(group.into_iter().map(|(thing, _)| thing));
                }
                Verdict::TooHard => {
                    let rest = group.split_off(group.len() / 2);
                    waiting.push(rest);
                    waiting.push(group);
                }
            }
            // The question is over; its clause shall cost nothing any more.
            self.unrolling.solver().clause([!any])?;
        }
        Ok(found)
    }
}
