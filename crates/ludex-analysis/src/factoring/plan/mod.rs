//! Games of one player, solved factor by factor (book 11.3 and 11.4): breadth first in each factor, and
//! the plans put together under the limits of the whole game. The states looked at are the sum over the
//! factors, and not the product.
//!
//! `search` is the search in one factor, `outcome` says what the end and the goals make of what factors
//! come to, `planner` puts plans together.
//!
//! **When a plan is known to be the best.** What factors cannot come to, one by one, the game cannot come to:
//! if no combination of what they can come to in so many steps is worth more, no plan is. For that, each
//! course of the game must be a course of each search. It is where each step is looked at in all factors.
//! It need not be where each factor is searched by the moves that are made in it alone: a factor may change
//! while moves are made elsewhere, or by the clock. Where one does, such a search still finds plans (which
//! are replayed on the rules), but what it does not find may exist, and a search step by step has the word.
//! Where neither knows, the whole game has to be searched ([`Factors::solve`]).

mod outcome;
mod planner;
mod search;

use ludex_game::{Goal, RoleId};
use ludex_logic::{Budget, TermId};

use super::Factors;
use crate::Subject;
use crate::finding::Reason;
use crate::planning::{self, Form, Outcome, PlanOptions, Target};
use planner::{Combined, Planner, Reach};

/// The share of the time that a search may take after which another one has the word.
const SHARE: f64 = 0.5;
/// What the search step by step may cost: it may look at each state of a factor at each step.
const STEP_BY_STEP: u64 = 20_000_000;

/// A plan for the whole game, verified on the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactorPlan {
    /// The moves, from the state in which the game was taken apart.
    pub moves: Vec<TermId>,
    /// What they lead to.
    pub value: Goal,
}

/// What the factors say of plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactorSolution {
    /// The best plan that was found; none where nothing was found that is worth anything.
    pub plan: Option<FactorPlan>,
    /// Whether it is known that none brings more.
    pub standing: Standing,
    /// States of factors that were looked at, all together.
    pub nodes: u64,
}

/// Whether a plan is known to be the best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is proved that no plan brings more.
    Best(Evidence),
    /// There may be a better one.
    Found(Reason),
}

/// What proves that there is no better plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// No rule gives more.
    Goals,
    /// Whatever the factors come to, one by one, is not worth more.
    Factors,
    /// All states of the whole game were looked at.
    States {
        /// How many there are.
        states: u64,
    },
    /// A solver for formulas, asked about the whole game.
    Formula,
}

impl Evidence {
    /// One word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Evidence::Goals => "goals",
            Evidence::Factors => "factors",
            Evidence::States { .. } => "states",
            Evidence::Formula => "formula",
        }
    }
}

impl Factors {
    /// The best plan that the factors give, with the fewest steps for its value; for games of one player.
    /// Where a limit of the budget ends the search, what was found so far stands.
    ///
    /// # Errors
    /// [`Reason::Method`] for games of several players, and where the game was not taken apart from the
    /// initial state on.
    pub fn plan(&self, most_steps: usize, budget: &Budget) -> Result<FactorSolution, Reason> {
        let circuit = &self.faithful.circuit;
        if circuit.moves.len() != 1 {
            return Err(Reason::Method("plans are for games of one player".to_owned()));
        }
        let initial: Vec<bool> = circuit.bases.iter().map(|base| base.initial).collect();
        if initial != self.state {
            return Err(Reason::Method("plans are made from the initial state".to_owned()));
        }
        let possible = self.net.goals[0].iter().filter(|(_, edge)| edge.constant() != Some(false));
        let mut hunt = Hunt {
            open: possible.map(|&(value, _)| value).filter(|&value| value > 0).rev().collect(),
            refuted: Vec::new(),
            plan: None,
            most_steps,
            nodes: 0,
        };
        let ended = self.hunt(&mut hunt, budget);
        Ok(hunt.conclude(ended))
    }

    fn hunt(&self, hunt: &mut Hunt, budget: &Budget) -> Result<(), Reason> {
        let mut planner = Planner::new(self, budget.meter())?;
        if planner.is_exact() {
            return hunt.run(&mut planner);
        }
        planner.spend_from(budget.clone().with_share_of_time(SHARE).meter());
        let ended = hunt.run(&mut planner);
        if hunt.open.is_empty() {
            return ended;
        }
        let limited = budget.clone().with_work(budget.work().min(STEP_BY_STEP));
        hunt.run(&mut Planner::step_by_step(self, limited.meter())?)
    }

    /// The same, and where the factors do not know whether their plan is the best, the whole game is
    /// searched: all states, if they are few enough, else with a solver for formulas.
    ///
    /// # Errors
    /// As [`Factors::plan`].
    pub fn solve(
        &self,
        subject: &Subject,
        most_steps: usize,
        budget: &Budget,
    ) -> Result<FactorSolution, Reason> {
        let mut solution = self.plan(most_steps, &budget.clone().with_share_of_time(SHARE))?;
        if matches!(solution.standing, Standing::Best(_)) {
            return Ok(solution);
        }
        let options = PlanOptions { target: Target::Best, ..PlanOptions::default() };
        let report = planning::plan(subject, RoleId(0), &options, budget);
        let evidence = match report.form {
            Form::States => Evidence::States { states: report.work.states },
            Form::Faithful | Form::Optimised => Evidence::Formula,
        };
        match report.outcome {
            Outcome::Found(found) => {
                let known = solution.plan.as_ref().map_or(0, |plan| plan.value);
                if found.goal > known {
                    let moves = found.witness.steps.concat();
                    solution.plan = Some(FactorPlan { moves, value: found.goal });
                }
                match found.stopped {
                    _ if found.is_best => solution.standing = Standing::Best(evidence),
                    Some(reason) => solution.standing = Standing::Found(reason),
                    None => {}
                }
            }
            Outcome::None(_) => solution.standing = Standing::Best(evidence),
            Outcome::Undecided(reason) => solution.standing = Standing::Found(reason),
        }
        Ok(solution)
    }
}

/// The search for plans of all values, the best first.
struct Hunt {
    /// Values above that of the plan that were not refuted, the best first.
    open: Vec<Goal>,
    /// Values that no plan brings.
    refuted: Vec<Goal>,
    plan: Option<FactorPlan>,
    most_steps: usize,
    nodes: u64,
}

impl Hunt {
    /// Looks for a plan that is better than the one there is.
    fn run(&mut self, planner: &mut Planner<'_>) -> Result<(), Reason> {
        let mut ended = Ok(());
        for value in std::mem::take(&mut self.open) {
            match ended.clone().and_then(|()| self.look_for(value, planner)) {
                Ok(Combined::Plan(moves)) => {
                    self.plan = Some(FactorPlan { moves, value });
                    break;
                }
                Ok(Combined::None) => self.refuted.push(value),
                Ok(Combined::Open) => self.open.push(value),
                Err(reason) => {
                    self.open.push(value);
                    ended = Err(reason);
                }
            }
        }
        self.nodes += planner.nodes();
        ended
    }

    /// A plan of this value with as few steps as possible.
    fn look_for(&self, value: Goal, planner: &mut Planner<'_>) -> Result<Combined, Reason> {
        let mut said = Combined::None;
        for steps in 0..=self.most_steps {
            match planner.reach(steps)? {
                Reach::More => {}
                Reach::Nothing => return Ok(said),
                Reach::Unknown => return Ok(Combined::Open),
            }
            match planner.combine(value, steps)? {
                plan @ Combined::Plan(_) => return Ok(plan),
                Combined::Open => said = Combined::Open,
                Combined::None => {}
            }
            if planner.is_over(steps) {
                return Ok(said);
            }
        }
        Ok(Combined::Open)
    }

    fn conclude(self, ended: Result<(), Reason>) -> FactorSolution {
        let standing = match ended {
            _ if self.open.is_empty() && self.refuted.is_empty() => Standing::Best(Evidence::Goals),
            _ if self.open.is_empty() => Standing::Best(Evidence::Factors),
            Err(reason) => Standing::Found(reason),
            Ok(()) => {
                let what = "what the factors can come to one by one may not be possible together";
                Standing::Found(Reason::Method(what.to_owned()))
            }
        };
        FactorSolution { plan: self.plan, standing, nodes: self.nodes }
    }
}
