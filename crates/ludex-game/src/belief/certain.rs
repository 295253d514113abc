//! What is certain although the states that are possible are too many to list: refutation by the solver.

use std::sync::Arc;

use ludex_logic::{Budget, LimitError, TermId};

use super::weighted::WeightedStates;
use super::{Belief, BeliefError};
use crate::courses::{Claim, Condition, CourseAnswer, CourseSolver};
use crate::error::GameError;
use crate::machine::Runner;
use crate::signature::ActionId;

/// What a role can be certain of: what is so in every state that fits what it was told.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Certain {
    /// The facts that hold, in canonical order.
    pub facts: Vec<TermId>,
    /// The moves of the role that are legal, in canonical order.
    pub moves: Vec<TermId>,
    /// Whether the game is over.
    pub is_over: bool,
    /// Whether nothing else is certain. Otherwise something that is so in all states held possible was neither proved
    /// nor refuted.
    pub is_all: bool,
}

/// A search for proofs: the claims that are open, and those that are proved.
struct Claims {
    /// What every course is asked for beside that it fits.
    given: Vec<Vec<Condition>>,
    open: Vec<Claim>,
    proved: Vec<Claim>,
    /// Claims about which the solver does not know.
    undecided: Vec<Claim>,
}

impl Claims {
    /// Nothing is said about this one, nor about others, which depend on it.
    fn give_up(&mut self, claim: Claim) {
        self.undecided.push(claim);
        self.undecided.append(&mut self.open);
    }
}

impl Belief {
    /// What is certain. Where the states held possible are all, that is what is so in all of them. A sample is no proof:
    /// a claim that holds in all of it is certain where the solver of the machine finds no course that fits the news and
    /// at whose end the claim fails. A course that is found refutes it, and its state is added to the sample, which may
    /// make it a little larger than [`BeliefOptions::limit`](super::BeliefOptions::limit). Where the machine has no
    /// solver, or steps had to be passed over, nothing is certain of a sample.
    ///
    /// # Errors
    /// As [`Belief::update`]. When a limit of the budget ends the proofs, what was proved until then is certain, and
    /// no error is told.
    pub fn certain(&mut self, budget: &Budget) -> Result<Certain, BeliefError> {
        self.update(budget)?;
        if self.certain.is_none() {
            let found = self.find_certain(budget)?;
            self.certain = Some(found);
        }
        Ok(self.certain.clone().unwrap_or_default())
    }

    fn find_certain(&mut self, budget: &Budget) -> Result<Certain, BeliefError> {
        if self.exact {
            let claims = self.claims(budget)?;
            return Ok(self.certain_of(claims, true));
        }
        let machine = Arc::clone(&self.machine);
        let is_asked = self.options.conflicts > 0 && self.passed_over.is_empty();
        let solver = if is_asked { machine.course_solver(None, budget) } else { None };
        let Some(mut solver) = solver else { return Ok(Certain::default()) };
        let mut claims =
            Claims { given: Vec::new(), open: Vec::new(), proved: Vec::new(), undecided: Vec::new() };
        match self.prove(&mut *solver, &mut claims, budget) {
            Err(BeliefError::Game(GameError::Limit(limit))) if limit != LimitError::Cancelled => {}
            proved => proved?,
        }
        let is_all = claims.open.is_empty() && claims.undecided.is_empty();
        Ok(self.certain_of(claims.proved, is_all))
    }

    /// Claims that are proved, in order.
    fn certain_of(&self, claims: Vec<Claim>, is_all: bool) -> Certain {
        let mut certain = Certain { is_all, ..Certain::default() };
        for claim in claims {
            match claim {
                Claim::Fact(fact) => certain.facts.push(fact),
                Claim::Legal(_, action) => certain.moves.push(action),
                Claim::Over => certain.is_over = true,
            }
        }
        let terms = self.machine.signature().terms();
        certain.facts.sort_by(|&a, &b| terms.compare(a, b));
        certain.moves.sort_by(|&a, &b| terms.compare(a, b));
        certain
    }

    /// What is so in all states held possible.
    fn claims(&mut self, budget: &Budget) -> Result<Vec<Claim>, BeliefError> {
        let role = self.role;
        let mut claims: Vec<Claim> = self.known_facts(budget)?.into_iter().map(Claim::Fact).collect();
        claims.extend(self.legal_in_all(budget)?.into_iter().map(|action| Claim::Legal(role, action)));
        claims.extend(self.is_over(budget)?.in_all.then_some(Claim::Over));
        Ok(claims)
    }

    /// Proves or refutes what is so in all states of the sample.
    fn prove(
        &mut self,
        solver: &mut dyn CourseSolver,
        claims: &mut Claims,
        budget: &Budget,
    ) -> Result<(), BeliefError> {
        let machine = Arc::clone(&self.machine);
        let mut runner = machine.runner(budget);
        claims.open = self.claims(budget)?;
        self.tell(solver, self.news.len())?;
        if claims.open.contains(&Claim::Over) {
            self.prove_end(solver, &mut *runner, claims, budget)?;
        } else {
            // The role would have been told of the end.
            claims.given = vec![vec![Condition { claim: Claim::Over, holds: false }]];
        }
        while !claims.open.is_empty() {
            let failing: Vec<Condition> =
                claims.open.iter().map(|&claim| Condition { claim, holds: false }).collect();
            match self.ask(solver, &claims.given, failing)? {
                CourseAnswer::None => claims.proved.append(&mut claims.open),
                CourseAnswer::Found(course) if self.refute(&mut *runner, &course, claims)? => {}
                CourseAnswer::Found(_) => claims.undecided.append(&mut claims.open),
                CourseAnswer::Unknown => self.prove_each(solver, &mut *runner, claims)?,
            }
        }
        Ok(())
    }

    /// Whether all states that fit are terminal, as those of the sample are. Where one is not, the match goes on, and
    /// that one takes the place of the sample.
    fn prove_end(
        &mut self,
        solver: &mut dyn CourseSolver,
        runner: &mut dyn Runner,
        claims: &mut Claims,
        budget: &Budget,
    ) -> Result<(), BeliefError> {
        let goes_on = Condition { claim: Claim::Over, holds: false };
        claims.open.retain(|&claim| claim != Claim::Over);
        match self.ask(solver, &[], vec![goes_on])? {
            CourseAnswer::None => claims.proved.push(Claim::Over),
            CourseAnswer::Unknown => claims.give_up(Claim::Over),
            CourseAnswer::Found(course) => match self.replay(runner, &course)? {
                None => claims.give_up(Claim::Over),
                Some((state, told)) => {
                    self.possible = WeightedStates::only(state, told);
                    claims.open = self.claims(budget)?;
                    claims.given = vec![vec![goes_on]];
                }
            },
        }
        Ok(())
    }

    /// Proves the claims one by one, which is easier than all at once.
    fn prove_each(
        &mut self,
        solver: &mut dyn CourseSolver,
        runner: &mut dyn Runner,
        claims: &mut Claims,
    ) -> Result<(), BeliefError> {
        while let Some(&claim) = claims.open.last() {
            match self.ask(solver, &claims.given, vec![Condition { claim, holds: false }])? {
                CourseAnswer::Found(course) if self.refute(runner, &course, claims)? => continue,
                CourseAnswer::None => claims.proved.push(claim),
                CourseAnswer::Found(_) | CourseAnswer::Unknown => claims.undecided.push(claim),
            }
            claims.open.pop();
        }
        Ok(())
    }

    /// Asks for a course in which one of these is so.
    fn ask(
        &self,
        solver: &mut dyn CourseSolver,
        given: &[Vec<Condition>],
        one_of: Vec<Condition>,
    ) -> Result<CourseAnswer, BeliefError> {
        let demands = [given, &[one_of]].concat();
        Ok(solver.find(&demands, self.options.conflicts)?)
    }

    /// Adds the state at the end of a course to the sample, and drops the claims that fail there. Whether one did.
    fn refute(
        &mut self,
        runner: &mut dyn Runner,
        course: &[Vec<ActionId>],
        claims: &mut Claims,
    ) -> Result<bool, BeliefError> {
        let Some((state, told)) = self.replay(runner, course)? else { return Ok(false) };
        let signature = Arc::clone(self.machine.signature());
        let mut facts = Vec::new();
        self.machine.facts(&state, &mut facts);
        let legal: Vec<TermId> = runner.legal(self.role)?.iter().map(|&id| signature.action(id)).collect();
        let is_over = runner.terminal()?;
        let before = claims.open.len();
        claims.open.retain(|claim| match claim {
            Claim::Over => is_over,
            Claim::Fact(fact) => facts.contains(fact),
            Claim::Legal(_, action) => legal.contains(action),
        });
        let weight = self.weight_of_new();
        self.possible.add(state.tag(), state.words(), &told, weight);
        self.possible.normalise();
        Ok(claims.open.len() < before)
    }
}
