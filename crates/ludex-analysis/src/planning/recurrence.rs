//! Courses that go round: a plan need not come back to a state it was in, so plans need not be longer than
//! the longest course that is never in one state twice (the recurrence diameter of Biere, Cimatti, Clarke and
//! Zhu, 1999). That two states differ is only said of those that a course showed to be the same (Eén and
//! Sörensson, 2003).

use rustc_hash::FxHashMap;

use super::courses::Courses;
use super::search::Stopped;
use crate::sat::{Literal, Verdict};

/// The first length that is asked about; the next one is twice as long.
const FIRST: usize = 32;
/// Conflicts that one question may cost.
const CONFLICTS: u64 = 5_000;
/// Courses that may show states to be the same, for one length.
const MOST_ROUNDS: usize = 400;

/// The question whether all courses of some length go round.
#[derive(Debug)]
pub(super) struct Recurrence {
    next: usize,
    /// Switches on that states differ.
    switch: Option<Literal>,
}

impl Recurrence {
    pub(super) fn new() -> Self {
        Self { next: FIRST, switch: None }
    }

    /// Whether it is the turn of courses of this length, which have not been asked about.
    pub(super) fn is_due(&self, length: usize) -> bool {
        length >= self.next
    }

    /// Whether every course of as many steps as there are is in some state twice; no, where that is not known. The
    /// assumptions say that courses have so many steps. Answers the questions it took, too.
    pub(super) fn holds(
        &mut self,
        courses: &mut Courses<'_>,
        assumptions: &[Literal],
    ) -> Result<(bool, u64), Stopped> {
        let length = courses.length();
        self.next = length.saturating_mul(2);
        let states = courses.states(length)?;
        let switch = match self.switch {
            Some(switch) => switch,
            None => courses.unrolling.solver().variable(),
        };
        self.switch = Some(switch);
        let mut assumed = assumptions.to_vec();
        assumed.push(switch);
        for round in 1..=MOST_ROUNDS as u64 {
            match courses.unrolling.solve(&assumed, CONFLICTS)? {
                Verdict::Unsatisfiable => return Ok((true, round)),
                Verdict::TooHard => return Ok((false, round)),
                Verdict::Satisfiable => {}
            }
            let same = same_states(courses, &states);
            if same.is_empty() {
                return Ok((false, round));
            }
            for (one, other) in same {
                let solver = courses.unrolling.solver();
                let mut clause = vec![!switch];
                for (&a, &b) in states[one].iter().zip(&states[other]) {
                    let differ = solver.variable();
                    solver.clause([!differ, a, b])?;
                    solver.clause([!differ, !a, !b])?;
                    clause.push(differ);
                }
                solver.clause(clause)?;
            }
        }
        Ok((false, MOST_ROUNDS as u64))
    }
}

/// Frames of the last model with the same state, each with the one before it.
fn same_states(courses: &mut Courses<'_>, states: &[Vec<Literal>]) -> Vec<(usize, usize)> {
    let solver = courses.unrolling.solver();
    let mut last: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
    let mut same = Vec::new();
    for (frame, state) in states.iter().enumerate() {
        let values = state.iter().map(|&literal| solver.value(literal)).collect();
        same.extend(last.insert(values, frame).map(|before| (before, frame)));
    }
    same
}
