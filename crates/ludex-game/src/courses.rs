//! Courses of a game that fit what a role was told, by a solver: a seam for machines that have one.

use ludex_logic::TermId;

use crate::belief::News;
use crate::error::Answer;
use crate::signature::{ActionId, RoleId};

/// What a role was told of a step.
#[derive(Clone, Copy, Debug)]
pub struct KnownStep<'n> {
    /// The role.
    pub role: RoleId,
    /// What it was told.
    pub news: &'n News,
    /// Whether that contradicts the rules: a move that was told was only made where it is legal, and what was seen is
    /// not asked about.
    pub is_passed_over: bool,
}

/// Something to be said of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// It is terminal.
    Over,
    /// A fact holds.
    Fact(TermId),
    /// A role may make a move.
    Legal(RoleId, TermId),
}

/// That a claim holds of a state, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The claim.
    pub claim: Claim,
    /// Whether it is to hold.
    pub holds: bool,
}

/// What comes of looking for a course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CourseAnswer {
    /// This one fits: its joint moves, indexed by role.
    Found(Vec<Vec<ActionId>>),
    /// None fits.
    None,
    /// There may be some or none.
    Unknown,
}

/// Finds courses of a game, from its initial state on, that fit what a role was told. In each, every role makes a legal
/// move in each step, and no state but the last one is terminal.
pub trait CourseSolver {
    /// Asks for courses that are longer by a step, of which this is known.
    ///
    /// # Errors
    /// A limit.
    fn add_step(&mut self, step: &KnownStep<'_>) -> Answer<()>;

    /// A course at whose end at least one condition of each of these lists is met.
    ///
    /// # Errors
    /// A limit of the budget. More than so many conflicts are no error.
    fn find(&mut self, demands: &[Vec<Condition>], conflicts: u64) -> Answer<CourseAnswer>;

    /// As [`CourseSolver::find`], with another state at the end than any that this found before.
    ///
    /// # Errors
    /// As there.
    fn find_other(&mut self, demands: &[Vec<Condition>], conflicts: u64) -> Answer<CourseAnswer>;
}
