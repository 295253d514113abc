//! Answers whether a step of the game can break facts: one step from any state, as a formula.
//!
//! Each fact has a selector, so that one solver serves the whole induction, and the selectors in the core
//! of a refutation are the facts it relies on. Each question is about one fact: about several at once, they take the
//! solver up to twice as long.

use ludex_logic::{LimitError, Meter};

use super::fact::Fact;
use crate::Circuit;
use crate::sat::{Literal, Solver, UnrollError, Unrolling, Verdict};

/// An answer to a question.
pub(super) enum Answer {
    /// No step breaks the fact; the facts this relies on.
    No(Vec<u32>),
    /// A step breaks it.
    Yes(Witness),
    /// Too hard.
    Unknown,
}

/// A state and a joint move that break a fact.
pub(super) struct Witness {
    /// Per base.
    pub(super) state: Vec<bool>,
    /// Per role and move.
    pub(super) made: Vec<Vec<bool>>,
}

/// A fact in the formula.
struct Stated {
    /// Demands it of the state before the step.
    selector: Literal,
    /// That it does not hold after the step.
    violation: Literal,
}

/// One step of a circuit's game.
pub(super) struct Step<'c> {
    unrolling: Unrolling<'c>,
    /// Per fact.
    stated: Vec<Stated>,
    queries: u64,
}

impl<'c> Step<'c> {
    pub(super) fn new(circuit: &'c Circuit, meter: Meter) -> Self {
        let unrolling = Unrolling::with_free_recursion(circuit, meter);
        Self { unrolling, stated: Vec::new(), queries: 0 }
    }

    /// The questions asked so far.
    pub(super) fn queries(&self) -> u64 {
        self.queries
    }

    /// The solver, for its counts.
    pub(super) fn solver(&mut self) -> &mut Solver {
        self.unrolling.solver()
    }

    /// Whether a step from a state in which the assumed facts hold can break the fact with this number, found
    /// with at most so many conflicts.
    pub(super) fn breaks(
        &mut self,
        asked: u32,
        facts: &[Fact],
        assumed: impl Fn(u32) -> bool,
        conflicts: u64,
    ) -> Result<Answer, LimitError> {
        match self.ask(asked, facts, assumed, conflicts) {
            Ok(answer) => Ok(answer),
            Err(UnrollError::Limit(limit)) => Err(limit),
            Err(UnrollError::Recursion { .. }) => Ok(Answer::Unknown),
        }
    }

    fn ask(
        &mut self,
        asked: u32,
        facts: &[Fact],
        assumed: impl Fn(u32) -> bool,
        conflicts: u64,
    ) -> Result<Answer, UnrollError> {
        if self.queries == 0 {
            self.unrolling.demand_step(0)?;
        }
        self.queries += 1;
        for fact in &facts[self.stated.len()..] {
            let selector = self.solver().variable();
            self.unrolling.demand_fact_if(selector, 0, fact)?;
            let violation = self.unrolling.violation(1, fact)?;
            self.stated.push(Stated { selector, violation });
        }
        let left = (0..).zip(&self.stated).filter(|&(number, _)| assumed(number));
        let mut assumptions: Vec<Literal> = left.map(|(_, stated)| stated.selector).collect();
        assumptions.push(self.stated[asked as usize].violation);
        Ok(match self.solver().solve(&assumptions, conflicts)? {
            Verdict::Unsatisfiable => Answer::No(self.core()),
            Verdict::Satisfiable => Answer::Yes(self.witness()),
            Verdict::TooHard => Answer::Unknown,
        })
    }

    /// The facts that the last answer relies on. Where the rules alone exclude what was asked for, there
    /// are none.
    fn core(&mut self) -> Vec<u32> {
        let solver = self.unrolling.solver();
        let used = (0..).zip(&self.stated).filter(|&(_, stated)| solver.is_in_core(stated.selector));
        used.map(|(number, _)| number).collect()
    }

    fn witness(&mut self) -> Witness {
        let state = self.unrolling.first_state();
        let moves = &self.unrolling.circuit().moves;
        let mut is_made = |role: usize, number: usize| {
            let made = self.unrolling.made(0, role, number);
            self.unrolling.solver().value(made)
        };
        let made = moves.iter().enumerate();
        let made = made.map(|(role, list)| (0..list.len()).map(|at| is_made(role, at)).collect()).collect();
        Witness { state, made }
    }
}
