//! The question for a plan, and who answers it.

use ludex_game::{Goal, RoleId};
use ludex_logic::{Budget, LimitError};

use super::courses::Courses;
use super::model::{Form, Model};
use super::recurrence::Recurrence;
use super::replay::replayed;
use super::report::{NoPlan, Outcome, Plan, PlanReport, Work};
use super::states::States;
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

/// When all states are searched instead of ever longer courses, and how much that may cost. Few states are
/// found at once, and many are only looked for when the solver finds it hard, too.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    /// Once there is no plan of fewer steps than this, or after so many conflicts.
    steps: usize,
    conflicts: u64,
    work: u64,
}

const ATTEMPTS: [Attempt; 2] = [
    Attempt { steps: 16, conflicts: 5_000, work: 1 << 20 },
    Attempt { steps: 128, conflicts: 100_000, work: 1 << 29 },
];

/// Looks for a plan of a role from the initial state on: a course of the game, with one legal move of each
/// role in each step, to its first terminal state. A state without exactly one goal value is worth nothing.
///
/// Ends when a plan is found, when it is proved that there is none, or with the budget. See the
/// module for what is proved from which rules.
///
/// ```
/// use ludex_analysis::Subject;
/// use ludex_analysis::planning::{Outcome, PlanOptions, plan};
///
/// // The rules are those of buttons-and-lights.
/// # let rules = ludex_testkit::playable_bundled("buttons-and-lights")?;
/// let white = rules.find_role("white").expect("a role");
/// let report = plan(&Subject::new(&rules), white, &PlanOptions::default(), &Default::default());
/// let Outcome::Found(plan) = report.outcome else { panic!("all lights can be on") };
/// assert_eq!((plan.goal, plan.witness.steps.len()), (100, 6));
/// assert!(plan.witness.replay(&rules)?.terminal()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan(subject: &Subject, role: RoleId, options: &PlanOptions, budget: &Budget) -> PlanReport {
    let form = if options.faithful { Form::Faithful } else { Form::Optimised };
    let model = match form {
        Form::Faithful => Model::faithful(subject, budget),
        Form::Optimised | Form::States => Model::optimised(subject, budget),
    };
    let model = match model {
        Ok(model) => model,
        Err(error) => return without_net(subject, role, options, error.into(), budget),
    };
    let report = plan_on(subject, &model, role, options, budget);
    if report.form != Form::Optimised || !matches!(report.outcome, Outcome::None(_)) {
        return report;
    }
    let limited = budget.clone().with_work(budget.work().min(CONFIRMING_WORK));
    let Ok(model) = Model::faithful(subject, &limited) else { return report };
    let confirmed = plan_on(subject, &model, role, options, budget);
    if matches!(confirmed.outcome, Outcome::Undecided(_)) { report } else { confirmed }
}

/// A plan where the rules are no net: by looking at all states.
fn without_net(
    subject: &Subject,
    role: RoleId,
    options: &PlanOptions,
    why: Reason,
    budget: &Budget,
) -> PlanReport {
    let form = Form::States;
    let undecided = |why| {
        let outcome = Outcome::Undecided(why);
        PlanReport { outcome, form, refuted: None, work: Work::default() }
    };
    let Ok(states) = States::find(subject, u64::MAX, budget) else { return undecided(why) };
    let plan = match states.plan(role, options.target, options.others, &mut budget.meter()) {
        Ok(plan) => plan,
        Err(Stopped(reason)) => return undecided(reason),
    };
    let work = Work { states: states.count(), ..Work::default() };
    let (outcome, refuted) = match plan {
        None => (Outcome::None(NoPlan::States { states: states.count() }), None),
        Some(found) if found.witness.steps.len() > options.horizon => {
            (Outcome::Undecided(beyond(options.horizon)), Some(options.horizon))
        }
        Some(found) => {
            let refuted = found.witness.steps.len().checked_sub(1);
            let is_best = options.target == Target::Best;
            let plan =
                Plan { witness: found.witness, goal: found.goal, is_shortest: true, is_best, stopped: None };
            (Outcome::Found(plan), refuted)
        }
    };
    PlanReport { outcome, form, refuted, work }
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
    let form = if hunt.states > 0 { Form::States } else { model.form() };
    PlanReport { outcome, form, refuted: hunt.refuted, work: hunt.work() }
}

/// How a search ended.
pub(super) enum Ended {
    /// With all that was asked for.
    Satisfied,
    /// All courses end within so many steps, and nothing better is among them.
    Exhausted { steps: usize },
    /// Longer courses than this come back to a state they were in, and nothing better is among the others.
    Recurring { steps: usize },
    /// All states were looked at.
    States,
}

/// Why a search stopped early.
pub(super) struct Stopped(pub(super) Reason);

impl From<UnrollError> for Stopped {
    fn from(error: UnrollError) -> Self {
        Self(error.into())
    }
}

impl From<LimitError> for Stopped {
    fn from(limit: LimitError) -> Self {
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
    /// The attempts to look at all states so far, and how many there are, once they were.
    attempts: usize,
    states: u64,
    recurrence: Recurrence,
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
            attempts: 0,
            states: 0,
            recurrence: Recurrence::new(),
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

    /// The conflicts that a question may cost before all states are looked at.
    pub(super) fn patience(&mut self) -> u64 {
        let before = self.conflicts();
        ATTEMPTS.get(self.attempts).map_or(u64::MAX, |next| next.conflicts.saturating_sub(before).max(1))
    }

    /// Looks at all states when it is time to, and there are not too many. Whether that decides it.
    pub(super) fn states_decide(&mut self, length: usize) -> Result<bool, Stopped> {
        let conflicts = self.conflicts();
        let is_due = |next: &&Attempt| length >= next.steps || conflicts >= next.conflicts;
        match ATTEMPTS.get(self.attempts).filter(is_due) {
            Some(_) => self.look_at_states(),
            None => Ok(false),
        }
    }

    fn look_at_states(&mut self) -> Result<bool, Stopped> {
        let Some(attempt) = ATTEMPTS.get(self.attempts) else { return Ok(false) };
        self.attempts += 1;
        let states = match States::find(self.subject, attempt.work, self.budget) {
            Ok(states) => states,
            Err(Stopped(Reason::Limit(LimitError::Cancelled))) => {
                return Err(Stopped(LimitError::Cancelled.into()));
            }
            Err(_) => return Ok(false),
        };
        let (options, mut meter) = (self.options, self.budget.meter());
        let found = states.plan(self.role, options.target, options.others, &mut meter)?;
        self.states = states.count();
        self.best = None;
        if let Some(found) = found {
            let length = found.witness.steps.len();
            if length > options.horizon {
                self.refuted = Some(options.horizon);
                return Err(Stopped(beyond(options.horizon)));
            }
            self.refuted = length.checked_sub(1);
            let is_best = options.target == Target::Best || self.is_most(found.goal);
            let (witness, goal) = (found.witness, found.goal);
            self.best = Some(Plan { witness, goal, is_shortest: true, is_best, stopped: None });
        }
        Ok(true)
    }

    /// Whether no rule gives more.
    fn is_most(&self, goal: Goal) -> bool {
        self.values.last().is_none_or(|&most| goal >= most)
    }

    /// Whether every course of as many steps as there are comes back to a state it was in. The assumptions
    /// say that courses have so many steps.
    pub(super) fn recurs(&mut self, assumptions: &[Literal]) -> Result<bool, Stopped> {
        if self.attempts < ATTEMPTS.len() || !self.recurrence.is_due(self.courses.length()) {
            return Ok(false);
        }
        let (recurs, questions) = self.recurrence.holds(&mut self.courses, assumptions)?;
        self.questions += questions;
        Ok(recurs)
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
        let is_best = self.is_most(goal);
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
            (Some(plan), Ok(Ended::Satisfied | Ended::States)) => Outcome::Found(plan),
            (Some(plan), Ok(Ended::Exhausted { .. } | Ended::Recurring { .. })) => {
                Outcome::Found(Plan { is_best: true, ..plan })
            }
            (Some(plan), Err(Stopped(reason))) => Outcome::Found(Plan { stopped: Some(reason), ..plan }),
            (None, Ok(Ended::Exhausted { steps })) => Outcome::None(NoPlan::Exhausted { steps }),
            (None, Ok(Ended::Recurring { steps })) => Outcome::None(NoPlan::Recurring { steps }),
            (None, Ok(Ended::States)) => Outcome::None(NoPlan::States { states: self.states }),
            // Nothing satisfies but a plan.
            (None, Ok(Ended::Satisfied)) => Outcome::None(NoPlan::NoSuchGoal),
            (None, Err(Stopped(reason))) => Outcome::Undecided(reason),
        }
    }

    fn work(&mut self) -> Work {
        let frames = self.courses.unrolling.frame_count();
        let (questions, states) = (self.questions, self.states);
        let solver = self.courses.unrolling.solver();
        Work {
            states,
            frames,
            variables: solver.variable_count(),
            literals: solver.literal_count(),
            questions,
            conflicts: solver.conflict_count(),
        }
    }

    /// What there is to say where plans may be longer than may be looked at.
    pub(super) fn end_at_the_horizon(&mut self) -> Result<Ended, Stopped> {
        if self.look_at_states()? {
            return Ok(Ended::States);
        }
        Err(Stopped(beyond(self.options.horizon)))
    }
}

/// Says that plans may be longer than was looked at.
fn beyond(steps: usize) -> Reason {
    Reason::Method(format!("there is no plan of up to {steps} steps, and longer ones were not looked for"))
}
