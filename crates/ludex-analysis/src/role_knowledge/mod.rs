//! Whether a role of a GDL-II game can always know which moves it has, whether the game is over, and what its result is
//! (book 17.6; Schiffel and Thielscher, 2014, ask for all three of games that are well formed).
//!
//! A role cannot know something where it differs at the ends of two courses that look the same to it: in which it made the
//! same moves and saw the same. `pairs` searches the pairs of states that such courses lead to, on any machine;
//! `formulas` proves by induction that there are no such courses, and finds them with a solver up to a length.

mod formulas;
mod pairs;
#[cfg(test)]
mod tests;

use ludex_game::{Answer, MoveError, Position, RoleId, Rules};
use ludex_logic::Budget;

pub use crate::sat::Question;

use crate::finding::{Reason, Witness};
use crate::subject::Subject;

/// Two courses that look the same to a role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TwoCourses {
    /// The one.
    pub one: Witness,
    /// The other, with as many steps.
    pub other: Witness,
}

/// Whether a role always knows something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Knows {
    /// It is the same at the ends of any two courses that look the same to the role.
    Always,
    /// It differs at the ends of these.
    NotAlways(TwoCourses),
    /// Not found out.
    Undecided(Reason),
}

/// What a role can always know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleKnowledge {
    /// The role.
    pub role: RoleId,
    /// Whether it always knows which moves it has, where the game goes on.
    pub moves: Knows,
    /// Whether it always knows if the game is over.
    pub end: Knows,
    /// Whether it always knows its goal value at the end.
    pub result: Knows,
}

/// How hard to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleKnowledgeOptions {
    /// The most pairs of states that are searched before the solver is asked.
    pub few_pairs: usize,
    /// The most pairs of states that are searched where the rules are no net, so that there is nothing to ask.
    pub most_pairs: usize,
    /// The longest courses that are looked at with the solver.
    pub most_steps: usize,
    /// Conflicts that one question to the solver may cost.
    pub conflicts: u64,
}

impl Default for RoleKnowledgeOptions {
    fn default() -> Self {
        Self { few_pairs: 20_000, most_pairs: 500_000, most_steps: 64, conflicts: 20_000 }
    }
}

impl RoleKnowledge {
    /// Finds out what can be found out within the budget and the limits of the options.
    pub fn find(subject: &Subject, role: RoleId, options: &RoleKnowledgeOptions, budget: &Budget) -> Self {
        let mut known = Self::open(role);
        match known.try_all(subject, options, budget) {
            Ok(()) => {}
            Err(reason) => known.explain(&reason),
        }
        known
    }

    fn open(role: RoleId) -> Self {
        let open = || Knows::Undecided(Reason::Method("nothing was tried".to_owned()));
        Self { role, moves: open(), end: open(), result: open() }
    }

    /// The answer to a question.
    pub fn about(&self, question: Question) -> &Knows {
        match question {
            Question::Moves => &self.moves,
            Question::End => &self.end,
            Question::Result => &self.result,
        }
    }

    fn about_mut(&mut self, question: Question) -> &mut Knows {
        match question {
            Question::Moves => &mut self.moves,
            Question::End => &mut self.end,
            Question::Result => &mut self.result,
        }
    }

    /// The questions without an answer.
    fn undecided(&self) -> Vec<Question> {
        let is_open = |question: &Question| matches!(self.about(*question), Knows::Undecided(_));
        Question::ALL.into_iter().filter(is_open).collect()
    }

    /// Answers all open questions.
    fn always(&mut self) {
        self.undecided().into_iter().for_each(|question| *self.about_mut(question) = Knows::Always);
    }

    /// Says why questions are open.
    fn explain(&mut self, reason: &Reason) {
        for question in self.undecided() {
            *self.about_mut(question) = Knows::Undecided(reason.clone());
        }
    }

    fn try_all(
        &mut self,
        subject: &Subject,
        options: &RoleKnowledgeOptions,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let rules = subject.rules();
        self.search_pairs(rules, options.few_pairs, budget)?;
        if self.undecided().is_empty() {
            return Ok(());
        }
        match subject.faithful(budget) {
            Ok(faithful) => self.ask_solver(rules, &faithful, options, budget),
            Err(error) => {
                self.explain(&error.into());
                self.search_pairs(rules, options.most_pairs, budget)
            }
        }
    }

    /// Takes two courses for an answer, if they are one.
    fn refute(&mut self, rules: &Rules, question: Question, courses: TwoCourses) {
        let role = self.role;
        *self.about_mut(question) = if courses.differ_in(rules, role, question).unwrap_or(false) {
            Knows::NotAlways(courses)
        } else {
            Knows::Undecided(Reason::Method("the solver's courses do not replay on the rules".to_owned()))
        };
    }
}

impl TwoCourses {
    /// The positions at both ends.
    ///
    /// # Errors
    /// As [`Witness::replay`].
    pub fn replay(&self, rules: &Rules) -> Result<[Position; 2], MoveError> {
        Ok([self.one.replay(rules)?, self.other.replay(rules)?])
    }

    /// Whether they look the same to a role, and differ at their ends in what a question is about.
    ///
    /// # Errors
    /// When a move is not legal where it is made, or a limit on questions is reached.
    pub fn differ_in(&self, rules: &Rules, role: RoleId, question: Question) -> Result<bool, MoveError> {
        if self.one.steps.len() != self.other.steps.len() {
            return Ok(false);
        }
        let (mut one, mut other) = (rules.start(), rules.start());
        for (step, other_step) in self.one.steps.iter().zip(&self.other.steps) {
            one.advance(step)?;
            other.advance(other_step)?;
            let is_same_move = step.get(role.index()) == other_step.get(role.index());
            if !is_same_move || one.percepts(role) != other.percepts(role) {
                return Ok(false);
            }
        }
        Ok(ends_differ([&one, &other], role, question)?)
    }
}

/// Whether two positions differ in what a question is about.
fn ends_differ([one, other]: [&Position; 2], role: RoleId, question: Question) -> Answer<bool> {
    let (over, other_over) = (one.terminal()?, other.terminal()?);
    Ok(match question {
        Question::End => over != other_over,
        Question::Moves => !over && !other_over && one.legal(role)? != other.legal(role)?,
        Question::Result => {
            over && other_over && one.goals()?.get(role.index()) != other.goals()?.get(role.index())
        }
    })
}
