//! What a role can force within some steps, against all others together.
//!
//! An AND/OR search over states, in which a solver answers three kinds of questions. (1) *Can what is
//! wanted be reached at all* within the steps that are left, if all roles work for it? If not, the state
//! is lost, whatever is done; if so, the role's first move on that course is tried first. (2) *Why does
//! this move win*, and (3) *why do all moves lose*: the solver's core names the bases on which that
//! depends, and so each state that is solved stands for all states that agree with it there: a
//! [cube](cubes). Cubes are learned as clauses, as counterexamples are in expansions of quantified
//! formulas (Janota, Klieber, Marques-Silva and Clarke, 2012); that cores make them larger is the idea of
//! property-directed reachability (Bradley, 2011) and of SAT-based game solving (Morgenstern, Gesell and
//! Schneider, 2013).
//!
//! The role moves first and the others reply, knowing its move, as in the book's minimax: where all move
//! at once, what is forced so is forced, but more might be with luck. A role that moves at random may make
//! any move. All roles see everything.
//!
//! Steps grow one by one, so the first strategy takes as few steps as possible. All is proved of the
//! faithful circuit, and a strategy is played through on the rules against every reply. This is for small
//! games: each state takes a question or two, and the strategy has a node for each state that may come up.
//!
//! Where there are few states, all of them are looked at instead, backwards from those that are won
//! (`super::states`): that ends also where courses go round for ever, as a search with ever more steps does
//! not.

mod cubes;
mod reach;
mod search;
mod step;
mod strategy;
#[cfg(test)]
mod tests;

use ludex_game::{Goal, RoleId};
use ludex_logic::{Budget, LimitError};

pub use strategy::{Strategy, StrategyNode};

use super::model::Model;
use super::search::{Stopped, Target};
use super::states::States;
use crate::{Reason, Subject};
use reach::FOREVER;
use search::{Fate, Search};

/// Whether a role can force at least so much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForceReport {
    /// The answer.
    pub outcome: ForceOutcome,
    /// It cannot be forced within so many steps, which is proved.
    pub refuted: Option<usize>,
    /// What it took.
    pub work: ForceWork,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForceOutcome {
    /// It can.
    Forced {
        /// What is forced.
        goal: Goal,
        /// How, played through on the rules.
        strategy: Strategy,
    },
    /// It cannot within the steps that were asked for, which is proved; it may with more.
    NotWithin {
        /// The steps.
        steps: usize,
    },
    /// It never can, which is proved.
    Never,
    /// Not known.
    Undecided(Reason),
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForceWork {
    /// States that were looked at.
    pub states: u64,
    /// Whether these are all states that can be reached, looked at without the solver.
    pub all: bool,
    /// Questions to the solver.
    pub questions: u64,
    /// Sets of states that are known to be won.
    pub won: usize,
    /// Sets of states that are known to be lost for some number of steps.
    pub lost: usize,
}

/// What a search of all states may cost at first, and what it may cost once the solver was asked in vain.
const FIRST_WORK: u64 = 1 << 23;
const MORE_WORK: u64 = 1 << 30;
/// The steps, or questions to the solver, after which it was asked in vain.
const STEPS_IN_VAIN: u32 = 16;
const QUESTIONS_IN_VAIN: u64 = 20_000;

/// Whether a role can force, within so many steps from the initial state on and whatever others do, that
/// the game ends with what it wants. For [`Target::Best`], it is the most that can be forced so; what is
/// said to be refuted is then the next better goal.
///
/// Nothing is said of games in which roles do not know the state.
pub fn force(
    subject: &Subject,
    role: RoleId,
    target: Target,
    horizon: usize,
    budget: &Budget,
) -> ForceReport {
    Inquiry::new(subject, role, horizon, budget).answer(|inquiry| inquiry.run(target))
}

/// The same by the solver alone.
#[cfg(test)]
pub(super) fn force_by_solver(
    subject: &Subject,
    role: RoleId,
    target: Target,
    horizon: usize,
    budget: &Budget,
) -> ForceReport {
    let mut inquiry = Inquiry::new(subject, role, horizon, budget);
    inquiry.has_tried_all = true;
    inquiry.answer(|inquiry| inquiry.by_solver(target))
}

struct Inquiry<'i> {
    subject: &'i Subject,
    role: RoleId,
    horizon: usize,
    budget: &'i Budget,
    report: ForceReport,
    /// Whether a long search of all states was tried.
    has_tried_all: bool,
}

/// How the question for one goal value ended.
enum Answered {
    Goal(ForceOutcome),
    /// All states were looked at, which answers for all values.
    All(ForceOutcome),
}

impl<'i> Inquiry<'i> {
    fn new(subject: &'i Subject, role: RoleId, horizon: usize, budget: &'i Budget) -> Self {
        let report = ForceReport { outcome: ForceOutcome::Never, refuted: None, work: ForceWork::default() };
        Self { subject, role, horizon, budget, report, has_tried_all: false }
    }

    fn answer(mut self, ask: impl FnOnce(&mut Self) -> Result<ForceOutcome, Stopped>) -> ForceReport {
        let outcome = ask(&mut self).unwrap_or_else(|Stopped(reason)| ForceOutcome::Undecided(reason));
        ForceReport { outcome, ..self.report }
    }

    fn run(&mut self, target: Target) -> Result<ForceOutcome, Stopped> {
        if !self.subject.rules().has_perfect_information() {
            let what = "roles do not see everything, so a strategy may not depend on the state";
            return Err(Stopped(Reason::Method(what.to_owned())));
        }
        match self.by_states(target, FIRST_WORK)? {
            Some(outcome) => Ok(outcome),
            None => self.by_solver(target),
        }
    }

    /// The answer by looking at all states; none where there are too many.
    fn by_states(&mut self, target: Target, work: u64) -> Result<Option<ForceOutcome>, Stopped> {
        let states = match States::find(self.subject, work, self.budget) {
            Ok(states) => states,
            Err(Stopped(Reason::Limit(LimitError::Cancelled))) => {
                return Err(Stopped(LimitError::Cancelled.into()));
            }
            Err(_) => return Ok(None),
        };
        let found = states.force(self.role, target, &mut self.budget.meter())?;
        self.report.work = ForceWork { states: states.count(), all: true, ..ForceWork::default() };
        self.report.refuted = None;
        let Some(found) = found else { return Ok(Some(ForceOutcome::Never)) };
        if found.within as usize > self.horizon {
            if target == Target::Best {
                // Another value may be forced in fewer steps.
                self.report.work = ForceWork::default();
                return Ok(None);
            }
            self.report.refuted = Some(self.horizon);
            return Ok(Some(ForceOutcome::NotWithin { steps: self.horizon }));
        }
        self.report.refuted = (found.within as usize).checked_sub(1);
        Ok(Some(ForceOutcome::Forced { goal: found.goal, strategy: found.strategy }))
    }

    fn by_solver(&mut self, target: Target) -> Result<ForceOutcome, Stopped> {
        let model = Model::faithful(self.subject, self.budget).map_err(|error| Stopped(error.into()))?;
        let goals = match target {
            Target::AtLeast(least) => vec![least],
            Target::Best => {
                model.circuit().goals[self.role.index()].iter().rev().map(|goal| goal.0).collect()
            }
        };
        let mut outcome = ForceOutcome::Never;
        for goal in goals {
            outcome = match (self.at_least(&model, target, goal)?, outcome) {
                (Answered::All(outcome), _) => return Ok(outcome),
                // What may be forced later is not known to be never forced.
                (Answered::Goal(ForceOutcome::Never), before @ ForceOutcome::NotWithin { .. }) => before,
                (Answered::Goal(forced @ ForceOutcome::Forced { .. }), _) => return Ok(forced),
                (Answered::Goal(other), _) => other,
            };
        }
        Ok(outcome)
    }

    fn at_least(&mut self, model: &Model, target: Target, least: Goal) -> Result<Answered, Stopped> {
        let role = self.role.index();
        let mut search = Search::new(model, role, least, self.budget)?;
        let initial: Vec<bool> = model.circuit().bases.iter().map(|base| base.initial).collect();
        let horizon = u32::try_from(self.horizon).unwrap_or(FOREVER).min(FOREVER - 1);
        let before = self.report.work;
        for steps in 0..=horizon {
            self.budget.report("looking for strategies within so many steps", u64::from(steps), None);
            let fate = loop {
                let in_vain = steps >= STEPS_IN_VAIN || search.is_paused();
                if !self.has_tried_all && in_vain {
                    self.has_tried_all = true;
                    if let Some(outcome) = self.by_states(target, MORE_WORK)? {
                        return Ok(Answered::All(outcome));
                    }
                }
                let most_questions = if self.has_tried_all { u64::MAX } else { QUESTIONS_IN_VAIN };
                let fate = search.decide(initial.clone(), steps, most_questions);
                self.report.work = before.and(&search);
                if let Some(fate) = fate? {
                    break fate;
                }
            };
            match fate {
                Fate::Won { .. } => {
                    let strategy = Strategy::collect(&mut search, model, role)?;
                    let checked = strategy.check(self.subject.rules(), self.role, least);
                    checked.map_err(|wrong| Stopped(Reason::Method(wrong.to_string())))?;
                    return Ok(Answered::Goal(ForceOutcome::Forced { goal: least, strategy }));
                }
                Fate::Lost { steps: FOREVER } => return Ok(Answered::Goal(ForceOutcome::Never)),
                Fate::Lost { .. } => self.report.refuted = Some(steps as usize),
            }
        }
        Ok(Answered::Goal(ForceOutcome::NotWithin { steps: horizon as usize }))
    }
}

impl ForceWork {
    /// This with what a search took.
    fn and(self, search: &Search<'_>) -> Self {
        let (won, lost) = search.known();
        Self {
            all: false,
            states: self.states + search.states,
            questions: self.questions + search.questions(),
            won: self.won + won,
            lost: self.lost + lost,
        }
    }
}
