//! What a search for a plan says.

use ludex_game::Goal;

use super::model::Form;
use crate::{Reason, Witness};

/// The answer to the question for a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanReport {
    /// What came out.
    pub outcome: Outcome,
    /// The form of the rules that was searched. Where there is no plan, the one from which that is proved.
    pub form: Form,
    /// No plan of up to so many steps brings what is asked for, or, where a plan was found, as much as
    /// that plan with fewer steps. `None` if nothing of that kind was proved.
    pub refuted: Option<usize>,
    /// What it took.
    pub work: Work,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A plan, replayed on the rules.
    Found(Plan),
    /// There is none, which is proved.
    None(NoPlan),
    /// Not known.
    Undecided(Reason),
}

/// A plan that was replayed on the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The joint moves from the initial state to a terminal one.
    pub witness: Witness,
    /// What the last state is worth to the role.
    pub goal: Goal,
    /// Whether it is proved that no plan with fewer steps brings as much.
    pub is_shortest: bool,
    /// Whether it is proved that no plan brings more.
    pub is_best: bool,
    /// Why the search for a better one ended, where that was asked for and is not proved.
    pub stopped: Option<Reason>,
}

/// Why there is no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPlan {
    /// No state is worth that much.
    #[error("no rule gives the role so much")]
    NoSuchGoal,
    /// The courses of the game end, and none of them ends so.
    #[error("no course has more than {steps} steps, and none of them brings so much")]
    Exhausted {
        /// The most steps of a course.
        steps: usize,
    },
    /// A course with more steps comes back to a state that it was in, and none of those without such ways
    /// around ends so.
    #[error(
        "every course of more than {steps} steps comes back to a state it was in, and no shorter one brings so much"
    )]
    Recurring {
        /// The most steps of a course that is never in one state twice.
        steps: usize,
    },
    /// All states that can be reached were looked at.
    #[error("none of the {states} states that can be reached brings so much")]
    States {
        /// How many there are.
        states: u64,
    },
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// States that were looked at one by one, where all of them were searched.
    pub states: u64,
    /// Frames of the formula: the steps of the longest course that was looked at, and one.
    pub frames: usize,
    /// Variables of the formula.
    pub variables: u64,
    /// Literals in the clauses of the formula.
    pub literals: usize,
    /// Questions to the solver.
    pub questions: u64,
    /// Conflicts that the solver met.
    pub conflicts: u64,
}
