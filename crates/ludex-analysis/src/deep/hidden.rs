//! What roles of GDL-II games cannot know.

use ludex_game::{Position, RoleId};
use ludex_gdl::Span;
use ludex_logic::{Budget, TermId};

use super::{CONFLICTS, Deep};
use crate::role_knowledge::{Knows, Question, RoleKnowledge, RoleKnowledgeOptions, TwoCourses};
use crate::subject::Subject;
use crate::well_formed::WellFormedOptions;

impl Deep<'_> {
    /// Roles that cannot always know their moves, the end or their result. Where all is seen there is nothing to ask.
    pub(super) fn roles_knowledge(
        &mut self,
        subject: &Subject,
        options: &WellFormedOptions,
        budget: &Budget,
    ) {
        if self.rules.has_perfect_information() {
            return;
        }
        let options = RoleKnowledgeOptions {
            most_steps: options.most_steps,
            conflicts: CONFLICTS,
            ..RoleKnowledgeOptions::default()
        };
        let seats = self.rules.seats();
        for (number, &role) in seats.iter().enumerate() {
            budget.report("looking for what roles cannot know", number as u64, Some(seats.len() as u64));
            // Each has the same part of the time.
            let part = budget.clone().with_share_of_time(1.0 / (seats.len() - number) as f64);
            let known = RoleKnowledge::find(subject, role, &options, &part);
            for question in Question::ALL {
                match known.about(question) {
                    Knows::Always => {}
                    Knows::NotAlways(courses) => self.role_cannot_know(role, question, courses),
                    Knows::Undecided(reason) => {
                        let what = what(question);
                        self.open(
                            &format!("whether `{}` always knows {what}", self.rules.role_name(role)),
                            reason,
                        );
                    }
                }
            }
        }
    }

    fn role_cannot_know(&mut self, role: RoleId, question: Question, courses: &TwoCourses) {
        // They were replayed when they were found.
        let Ok(ends) = courses.replay(self.rules) else { return };
        let name = self.rules.role_name(role);
        let vocabulary = &self.rules.program().vocabulary;
        let (check, spans): (&str, Vec<Span>) = match question {
            Question::Moves => ("moves-unknown", self.clauses_about(vocabulary.legal, role)),
            Question::End => ("end-unknown", self.clauses(vocabulary.terminal)),
            Question::Result => ("result-unknown", self.clauses_about(vocabulary.goal, role)),
        };
        let message = format!("`{name}` cannot always know {}", what(question));
        let [one, other] = [&courses.one, &courses.other].map(|course| self.moves(&course.steps));
        let [at_one, at_other] = self.ends_in_words(&ends, role, question);
        let hint = format!("these look the same to it: {one} ({at_one}), and {other} ({at_other})");
        self.diagnose(check, &spans, message, |found| found.hint(hint));
    }

    /// What a question is about at the ends of both courses.
    fn ends_in_words(&self, ends: &[Position; 2], role: RoleId, question: Question) -> [String; 2] {
        let legal = |end: &Position| end.legal(role).unwrap_or_default();
        let [one, other] = ends;
        match question {
            Question::Moves => {
                let (first, second) = (legal(one), legal(other));
                [self.only_here(&first, &second), self.only_here(&second, &first)]
            }
            Question::End => [one, other].map(|end| match end.terminal() {
                Ok(true) => "the game is over".to_owned(),
                _ => "it goes on".to_owned(),
            }),
            Question::Result => [one, other].map(|end| {
                let goal = end.goals().ok().and_then(|goals| goals.get(role.index()).copied().flatten());
                goal.map_or_else(|| "no single goal".to_owned(), |goal| format!("goal {goal}"))
            }),
        }
    }

    /// The moves that are legal here and not there.
    fn only_here(&self, here: &[TermId], there: &[TermId]) -> String {
        let only: Vec<TermId> = here.iter().copied().filter(|action| !there.contains(action)).collect();
        let only = if only.is_empty() { "none".to_owned() } else { self.some(&only) };
        format!("legal only here: {only}")
    }
}

fn what(question: Question) -> &'static str {
    match question {
        Question::Moves => "which moves are legal",
        Question::End => "whether the game is over",
        Question::Result => "its result at the end",
    }
}
