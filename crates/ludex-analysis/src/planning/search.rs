//! The question for a plan, and who answers it.

use ludex_game::{Goal, RoleId};
use ludex_logic::Budget;

use super::courses::Courses;
use super::model::{Form, Model};
use super::replay::replayed;
use super::report::{NoPlan, Outcome, Plan, PlanReport, Work};
use super::{any, bound, shortest};
use crate::sat::{Literal, UnrollError, Verdict};
use crate::{Reason, Subject, Witness};

/// What a plan is to bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A terminal state that is worth at least so much.
    AtLeast(Goal),
    /// A terminal state that is worth as much as can be reached.
    Best,
}

/// Which plan is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// One with as few steps as possible: courses grow one step at a time.
    Shortest,
    /// Any: courses grow in larger steps, and no length is worked at for long while others may be
    /// easier.
    Any,
}

/// What other roles do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// They have one legal move each all along the plan, so that the role alone decides.
    Forced,
    /// They help: the plan has the moves of all roles.
    Helping,
}

/// How to look for a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// What it is to bring.
    pub target: Target,
    /// Which one is looked for.
    pub search: Search,
    /// What other roles do.
    pub others: Others,
    /// The most steps of a plan.
    pub horizon: usize,
    /// Searches the faithful circuit at once, so that whatever is proved is proved of it.
    pub faithful: bool,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            target: Target::AtLeast(100),
            search: Search::Shortest,
            others: Others::Forced,
            horizon: 10_000,
            faithful: false,
        }
    }
}

/// What may be spent on the faithful circuit where it only has to confirm what is known.
const CONFIRMING_WORK: u64 = 200_000_000;

/// Looks for a plan of a role from the initial state on: a course of the game, with one legal move of each
/// role in each step, to its first terminal state. A state without exactly one goal value is worth nothing.
///
/// Ends when a plan is found, when it is proved that there is none, or with the budget. See the
/// module for what is proved from which rules.
pub fn plan(subject: &Subject, role: RoleId, options: &PlanOptions, budget: &Budget) -> PlanReport {
    let form = if options.faithful { Form::Faithful } else { Form::Optimised };
    let model = match form {
        Form::Faithful => Model::faithful(subject, budget),
        Form::Optimised => Model::optimised(subject, budget),
    };
    let model = match model {
        Ok(model) => model,
        Err(error) => {
            let outcome = Outcome::Undecided(error.into());
            return PlanReport { outcome, form, refuted: None, work: Work::default() };
        }
    };
    let report = plan_on(subject, &model, role, options, budget);
    if form == Form::Faithful || !matches!(report.outcome, Outcome::None(_)) {
        return report;
    }
    let limited = budget.clone().with_work(budget.work().min(CONFIRMING_WORK));
    let Ok(model) = Model::faithful(subject, &limited) else { return report };
    let confirmed = plan_on(subject, &model, role, options, budget);
    if matches!(confirmed.outcome, Outcome::Undecided(_)) { report } else { confirmed }
}

/// The same on a circuit of the game that is already there. What is said of plans that do not exist is then
/// proved of this circuit.
pub fn plan_on(
    subject: &Subject,
    model: &Model,
    role: RoleId,
    options: &PlanOptions,
    budget: &Budget,
) -> PlanReport {
    let mut hunt = Hunt::new(subject, model, role, options, budget);
    let outcome = if hunt.least.is_none() {
        Outcome::None(NoPlan::NoSuchGoal)
    } else {
        let ended = match options.search {
            Search::Shortest => shortest::search(&mut hunt),
            Search::Any => any::search(&mut hunt),
        };
        hunt.conclude(ended)
    };
    PlanReport { outcome, form: model.form(), refuted: hunt.refuted, work: hunt.work() }
}

/// How a search ended.
pub(super) enum Ended {
    /// With all that was asked for.
    Satisfied,
    /// All courses end within so many steps, and nothing better is among them.
    Exhausted { steps: usize },
}

/// Why a search stopped early.
pub(super) struct Stopped(pub(super) Reason);

impl From<UnrollError> for Stopped {
    fn from(error: UnrollError) -> Self {
        Self(error.into())
    }
}

impl From<ludex_logic::LimitError> for Stopped {
    fn from(limit: ludex_logic::LimitError) -> Self {
        Self(Reason::Limit(limit))
    }
}

/// A search under way: what both ways of searching share.
pub(super) struct Hunt<'s> {
    subject: &'s Subject,
    model: &'s Model,
    role: RoleId,
    pub(super) options: &'s PlanOptions,
    pub(super) budget: &'s Budget,
    pub(super) courses: Courses<'s>,
    /// The values that states may have for the role, ascending.
    values: Vec<Goal>,
    /// What is looked for now: at least so much. `None` if nothing is worth that.
    pub(super) least: Option<Goal>,
    best: Option<Plan>,
    /// See [`PlanReport::refuted`].
    pub(super) refuted: Option<usize>,
    questions: u64,
}

impl<'s> Hunt<'s> {
    fn new(
        subject: &'s Subject,
        model: &'s Model,
        role: RoleId,
        options: &'s PlanOptions,
        budget: &'s Budget,
    ) -> Self {
        let goals = &model.circuit().goals[role.index()];
        let possible = goals.iter().filter(|(_, edge)| edge.constant() != Some(false));
        let values: Vec<Goal> = possible.map(|&(value, _)| value).collect();
        let least = match options.target {
            Target::AtLeast(least) => values.iter().any(|&value| value >= least).then_some(least),
            Target::Best => values.first().copied(),
        };
        let courses = Courses::new(model, role.index(), options.others, budget.meter());
        Self {
            subject,
            model,
            role,
            options,
            budget,
            courses,
            values,
            least,
            best: None,
            refuted: None,
            questions: 0,
        }
    }

    /// A number of steps that every plan has that brings what is looked for now.
    pub(super) fn fewest_steps(&self) -> Result<usize, Stopped> {
        match (self.options.target, self.least) {
            (Target::AtLeast(least), _) => {
                bound::fewest_steps(self.model, self.role.index(), least, self.budget.meter())
            }
            _ => Ok(0),
        }
    }

    /// Asks the solver.
    pub(super) fn ask(&mut self, assumptions: &[Literal], conflicts: u64) -> Result<Verdict, Stopped> {
        self.questions += 1;
        Ok(self.courses.unrolling.solve(assumptions, conflicts)?)
    }

    /// The conflicts so far.
    pub(super) fn conflicts(&mut self) -> u64 {
        self.courses.unrolling.solver().conflict_count()
    }

    /// Takes the course of the last question up, which ends after so many steps. Answers whether nothing
    /// better is to be looked for.
    pub(super) fn take(&mut self, length: usize) -> Result<bool, Stopped> {
        let witness = Witness { steps: self.courses.steps(length) };
        let goal = replayed(self.subject, self.role, &witness)?;
        let Some(goal) = goal.filter(|&goal| self.least.is_some_and(|least| goal >= least)) else {
            // Its end has several values, and so none.
            self.courses.exclude(length)?;
            return Ok(false);
        };
        let is_best = self.values.last().is_none_or(|&most| goal >= most);
        let is_shortest = self.options.search == Search::Shortest;
        self.best = Some(Plan { witness, goal, is_shortest, is_best, stopped: None });
        let more = self.values.iter().copied().find(|&value| value > goal);
        match self.options.target {
            Target::AtLeast(_) => Ok(true),
            Target::Best => {
                self.least = more;
                Ok(more.is_none())
            }
        }
    }

    fn conclude(&mut self, ended: Result<Ended, Stopped>) -> Outcome {
        match (self.best.take(), ended) {
            (Some(plan), Ok(Ended::Satisfied)) => Outcome::Found(plan),
            (Some(plan), Ok(Ended::Exhausted { .. })) => Outcome::Found(Plan { is_best: true, ..plan }),
            (Some(plan), Err(Stopped(reason))) => Outcome::Found(Plan { stopped: Some(reason), ..plan }),
            (None, Ok(Ended::Exhausted { steps })) => Outcome::None(NoPlan::Exhausted { steps }),
            // Nothing satisfies but a plan.
            (None, Ok(Ended::Satisfied)) => Outcome::None(NoPlan::NoSuchGoal),
            (None, Err(Stopped(reason))) => Outcome::Undecided(reason),
        }
    }

    fn work(&mut self) -> Work {
        let frames = self.courses.unrolling.frame_count();
        let questions = self.questions;
        let solver = self.courses.unrolling.solver();
        Work {
            frames,
            variables: solver.variable_count(),
            literals: solver.literal_count(),
            questions,
            conflicts: solver.conflict_count(),
        }
    }

    /// Says that plans may be longer than was looked at.
    pub(super) fn at_the_horizon(&self) -> Stopped {
        let steps = self.options.horizon;
        let what = format!("there is no plan of up to {steps} steps, and longer ones were not looked for");
        Stopped(Reason::Method(what))
    }
}
