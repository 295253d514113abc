//! Finding states by the solver of the machine, where searching through the past found none.

use std::sync::Arc;

use ludex_logic::{Budget, LimitError};

use super::told::ToldByRole;
use super::weighted::WeightedStates;
use super::{Belief, BeliefError, FEW, News};
use crate::batch::Observation;
use crate::courses::{Claim, Condition, CourseAnswer, CourseSolver, KnownStep};
use crate::error::GameError;
use crate::machine::Runner;
use crate::signature::{ActionId, RoleId};
use crate::state::State;

/// What one search for states by the solver may spend, where the budget has more: a few seconds, which players have.
const MOST_WORK: u64 = 10_000_000;

/// How courses end that are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CourseEnd {
    /// So many of the news they fit.
    steps: usize,
    /// Whether the last state is terminal.
    is_over: bool,
}

/// What the solver said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// There are courses, and states were found.
    Found,
    /// There is no such course.
    None,
    /// It was not asked, or gave up.
    Unknown,
}

impl Belief {
    /// States by the solver where there are none, or else these that are over.
    ///
    /// # Errors
    /// [`BeliefError::Impossible`] where the solver says that no state fits, [`BeliefError::Lost`] where it does not
    /// know.
    pub(super) fn take_solved_or(
        &mut self,
        runner: &mut dyn Runner,
        ended: WeightedStates,
        budget: &Budget,
    ) -> Result<(), BeliefError> {
        if !self.possible.is_empty() {
            return Ok(());
        }
        let steps = self.news.len();
        let mut said = self.solve(runner, CourseEnd { steps, is_over: false }, budget)?;
        if said == Asked::Found {
            return Ok(());
        }
        self.possible = ended;
        if self.possible.is_empty() && said == Asked::None {
            said = self.solve(runner, CourseEnd { steps, is_over: true }, budget)?;
        }
        match said {
            _ if !self.possible.is_empty() => Ok(()),
            Asked::None => Err(BeliefError::Impossible),
            Asked::Found | Asked::Unknown => Err(BeliefError::Lost),
        }
    }

    /// States by the solver that fit all news, or at least those up to the next one: how many of the news they fit.
    pub(super) fn solve_news(
        &mut self,
        runner: &mut dyn Runner,
        budget: &Budget,
    ) -> Result<Option<usize>, BeliefError> {
        for steps in [self.news.len(), self.done + 1] {
            if self.solve(runner, CourseEnd { steps, is_over: false }, budget)? == Asked::Found {
                return Ok(Some(steps));
            }
        }
        Ok(None)
    }

    /// Asks the solver for states, once for each kind of course after each news.
    fn solve(
        &mut self,
        runner: &mut dyn Runner,
        end: CourseEnd,
        budget: &Budget,
    ) -> Result<Asked, BeliefError> {
        if let Some(&said) = self.asked.get(&end) {
            return Ok(said);
        }
        // Whatever limit ends it now would end it again.
        self.asked.insert(end, Asked::Unknown);
        let mut found = WeightedStates::default();
        let said = match self.solve_anew(runner, end, &mut found, budget) {
            Err(BeliefError::Game(GameError::Limit(LimitError::Cancelled))) => {
                return Err(LimitError::Cancelled.into());
            }
            Err(_) if !found.is_empty() => Asked::Found,
            Err(BeliefError::Game(GameError::Limit(LimitError::Work { .. } | LimitError::Memory { .. }))) => {
                Asked::Unknown
            }
            said => said?,
        };
        if !found.is_empty() {
            found.normalise();
            self.possible = found;
        }
        self.asked.insert(end, said);
        Ok(said)
    }

    fn solve_anew(
        &mut self,
        runner: &mut dyn Runner,
        end: CourseEnd,
        found: &mut WeightedStates,
        budget: &Budget,
    ) -> Result<Asked, BeliefError> {
        let machine = Arc::clone(&self.machine);
        let limits = budget.clone().with_work(budget.work().min(MOST_WORK));
        let seed = self.options.seed.wrapping_add(end.steps as u64);
        let conflicts = self.options.conflicts;
        let solver = machine.course_solver(Some(seed), &limits).filter(|_| conflicts > 0);
        let Some(mut solver) = solver else { return Ok(Asked::Unknown) };
        self.tell(&mut *solver, end.steps)?;
        let demands = [vec![Condition { claim: Claim::Over, holds: end.is_over }]];
        while found.len() < self.options.limit.min(2 * FEW) {
            match solver.find_other(&demands, conflicts)? {
                CourseAnswer::Found(course) => match self.replay(runner, &course)? {
                    Some((state, told)) => found.add(state.tag(), state.words(), &told, 1.0),
                    None => return Ok(Asked::Unknown),
                },
                CourseAnswer::None if found.is_empty() => return Ok(Asked::None),
                CourseAnswer::Unknown if found.is_empty() => return Ok(Asked::Unknown),
                CourseAnswer::None | CourseAnswer::Unknown => break,
            };
        }
        Ok(Asked::Found)
    }

    /// Tells the solver of the first so many news.
    pub(super) fn tell(&self, solver: &mut dyn CourseSolver, steps: usize) -> Result<(), BeliefError> {
        for (number, news) in self.news[..steps].iter().enumerate() {
            let is_passed_over = self.passed_over.contains(&number);
            solver.add_step(&KnownStep { role: self.role, news, is_passed_over })?;
        }
        Ok(())
    }

    /// The state at the end of a course, with what the roles were told; `None` where it is no course of the game, or
    /// does not fit the news.
    pub(super) fn replay(
        &self,
        runner: &mut dyn Runner,
        course: &[Vec<ActionId>],
    ) -> Result<Option<(State, ToldByRole)>, BeliefError> {
        runner.set(self.machine.initial())?;
        let mut told = self.nothing_told();
        for (step, joint) in course.iter().enumerate() {
            match runner.step(joint) {
                Err(error) if error.is_about_moves() => return Ok(None),
                made => made?,
            }
            if let News::Percepts { percepts, .. } = &self.news[step] {
                let observed = Observation { role: self.role, action: joint[self.role.index()], percepts };
                let fits = observed.fits(runner.percepts(self.role));
                if !fits && !self.passed_over.contains(&step) {
                    return Ok(None);
                }
            }
            self.tell_roles(&mut told, joint, runner);
        }
        let mut state = State::default();
        runner.save(&mut state);
        Ok(Some((state, told)))
    }

    /// Adds what the roles were told by a step that was just made, where that is noted.
    pub(super) fn tell_roles(&self, told: &mut ToldByRole, joint: &[ActionId], runner: &dyn Runner) {
        let signature = self.machine.signature();
        for ((role, told), &action) in (0..).map(RoleId).zip(told).zip(joint) {
            *told = told.and(signature.action(action), runner.percepts(role));
        }
    }
}
