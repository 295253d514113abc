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

mod cubes;
mod reach;
mod search;
mod step;
mod strategy;
#[cfg(test)]
mod tests;

use ludex_game::{Goal, RoleId};
use ludex_logic::Budget;

pub use strategy::{Strategy, StrategyNode};

use super::model::Model;
use super::search::{Stopped, Target};
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
    /// States that were looked at with the solver.
    pub states: u64,
    /// Questions to the solver.
    pub questions: u64,
    /// Sets of states that are known to be won.
    pub won: usize,
    /// Sets of states that are known to be lost for some number of steps.
    pub lost: usize,
}

/// Whether a role can force, within so many steps from the initial state on and whatever others do, that
/// the game ends with what it wants. For [`Target::Best`], it is the most that can be forced so; what is
/// said to be refuted is then the next better goal.
pub fn force(
    subject: &Subject,
    role: RoleId,
    target: Target,
    horizon: usize,
    budget: &Budget,
) -> ForceReport {
    let mut report = ForceReport { outcome: ForceOutcome::Never, refuted: None, work: ForceWork::default() };
    let mut inquiry = Inquiry { subject, role, horizon, budget, report: &mut report };
    let ended = inquiry.run(target);
    report.outcome = ended.unwrap_or_else(|Stopped(reason)| ForceOutcome::Undecided(reason));
    report
}

struct Inquiry<'i> {
    subject: &'i Subject,
    role: RoleId,
    horizon: usize,
    budget: &'i Budget,
    report: &'i mut ForceReport,
}

impl Inquiry<'_> {
    fn run(&mut self, target: Target) -> Result<ForceOutcome, Stopped> {
        let model = Model::faithful(self.subject, self.budget).map_err(|error| Stopped(error.into()))?;
        let circuit = model.circuit();
        if circuit.percepts.iter().any(|percepts| !percepts.is_empty()) {
            let what = "roles do not see everything, so a strategy may not depend on the state";
            return Err(Stopped(Reason::Method(what.to_owned())));
        }
        let goals = match target {
            Target::AtLeast(least) => vec![least],
            Target::Best => circuit.goals[self.role.index()].iter().rev().map(|goal| goal.0).collect(),
        };
        let mut outcome = ForceOutcome::Never;
        for goal in goals {
            outcome = match (self.at_least(&model, goal)?, outcome) {
                // What may be forced later is not known to be never forced.
                (ForceOutcome::Never, before @ ForceOutcome::NotWithin { .. }) => before,
                (forced @ ForceOutcome::Forced { .. }, _) => return Ok(forced),
                (other, _) => other,
            };
        }
        Ok(outcome)
    }

    fn at_least(&mut self, model: &Model, least: Goal) -> Result<ForceOutcome, Stopped> {
        let role = self.role.index();
        let mut search = Search::new(model, role, least, self.budget)?;
        let initial: Vec<bool> = model.circuit().bases.iter().map(|base| base.initial).collect();
        let horizon = u32::try_from(self.horizon).unwrap_or(FOREVER).min(FOREVER - 1);
        let before = self.report.work;
        for steps in 0..=horizon {
            self.budget.report("looking for strategies within so many steps", u64::from(steps), None);
            let fate = search.decide(initial.clone(), steps);
            self.report.work = before.and(&search);
            match fate? {
                Fate::Won { .. } => {
                    let strategy = Strategy::collect(&mut search, model, role)?;
                    let checked = strategy.check(self.subject.rules(), self.role, least);
                    checked.map_err(|wrong| Stopped(Reason::Method(wrong.to_string())))?;
                    return Ok(ForceOutcome::Forced { goal: least, strategy });
                }
                Fate::Lost { steps: FOREVER } => return Ok(ForceOutcome::Never),
                Fate::Lost { .. } => self.report.refuted = Some(steps as usize),
            }
        }
        Ok(ForceOutcome::NotWithin { steps: horizon as usize })
    }
}

impl ForceWork {
    /// This with what a search took.
    fn and(self, search: &Search<'_>) -> Self {
        let (won, lost) = search.known();
        Self {
            states: self.states + search.states,
            questions: self.questions + search.questions(),
            won: self.won + won,
            lost: self.lost + lost,
        }
    }
}
