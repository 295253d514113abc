//! What is asked of a game, after its clauses (book 15.3 and exercise 15.2).

use std::fmt::Write;

use ludex_game::Rules;
use ludex_logic::{RelationId, TermId};

use super::clause::{TIME, Writer};
use super::{Own, TranslationError};
use crate::answer_sets::request::{Request, Task};

/// A request with the names that it is written in.
pub(super) struct Question<'a> {
    pub rules: &'a Rules,
    pub request: &'a Request,
    pub writer: &'a Writer<'a>,
    pub own: &'a Own,
}

impl Question<'_> {
    /// Appends it. Writing to a string cannot fail, so that results of `write!` are dropped.
    pub(super) fn write(&self, text: &mut String) -> Result<(), TranslationError> {
        match &self.request.task {
            Task::Evolution(moves) => return self.moves(moves, text),
            Task::PlanAsPrinted => self.choices_as_printed(text),
            Task::Plan => self.choices(text),
        }
        self.goal(text)?;
        let _ = writeln!(text, "\n#show {}/3.", self.name(self.rules.program().vocabulary.does));
        Ok(())
    }

    fn name(&self, relation: RelationId) -> &str {
        self.writer.names.relation(relation)
    }

    /// A term of the request, which must be made of names that the rules have.
    fn term(&self, term: TermId) -> Result<String, TranslationError> {
        let terms = self.rules.signature().terms();
        let written = self.writer.names.term(terms, term);
        written.ok_or_else(|| TranslationError::UnknownName(self.rules.text(term)))
    }

    /// The moves that are made (15.2).
    fn moves(&self, moves: &[Vec<TermId>], text: &mut String) -> Result<(), TranslationError> {
        let does = self.name(self.rules.program().vocabulary.does);
        text.push_str("\n% The moves.\n");
        for (at, joint) in moves.iter().enumerate() {
            for (&role, &action) in self.rules.signature().roles().iter().zip(joint) {
                let (role, action) = (self.term(role)?, self.term(action)?);
                let _ = writeln!(text, "{does}({role},{action},{}).", at + 1);
            }
        }
        Ok(())
    }

    /// Moves are chosen among `input`, as the book has it; among legal ones where there is no `input`.
    fn choices_as_printed(&self, text: &mut String) {
        let game = self.rules.program();
        let v = &game.vocabulary;
        let (role, does, legal) = (self.name(v.role), self.name(v.does), self.name(v.legal));
        let time = &self.own.time;
        let has_input = game.program.clauses.iter().any(|clause| clause.head.relation == v.input);
        let moves = if has_input && !self.writer.timed[v.input] {
            format!("{}(R,M)", self.name(v.input))
        } else {
            format!("{legal}(R,M,{TIME})")
        };
        let _ = write!(
            text,
            "\n% Each role makes one legal move at each time.\n\
             1 {{ {does}(R,M,{TIME}) : {moves} }} 1 :- {role}(R), {time}({TIME}).\n\
             :- {does}(R,M,{TIME}), not {legal}(R,M,{TIME}).\n"
        );
    }

    fn choices(&self, text: &mut String) {
        let v = &self.rules.program().vocabulary;
        let (role, does, legal) = (self.name(v.role), self.name(v.does), self.name(v.legal));
        let (terminal, terminated, time) = (self.name(v.terminal), &self.own.terminated, &self.own.time);
        let _ = write!(
            text,
            "\n% Each role makes one legal move at each time until the game is over.\n\
             1 {{ {does}(R,M,{TIME}) : {legal}(R,M,{TIME}) }} 1 :- {role}(R), {time}({TIME}), \
             not {terminated}({TIME}).\n\
             {terminated}({TIME}) :- {terminal}({TIME}), {time}({TIME}).\n\
             {terminated}({TIME}) :- {terminated}({TIME}-1), {time}({TIME}).\n"
        );
    }

    fn goal(&self, text: &mut String) -> Result<(), TranslationError> {
        let v = &self.rules.program().vocabulary;
        let (goal, terminal) = (self.name(v.goal), self.name(v.terminal));
        let Own { time, horizon, terminated, won } = self.own;
        text.push_str("\n% The game ends, and with a goal value that will do.\n");
        if let Some(&role) = self.rules.signature().roles().get(self.request.role.index()) {
            let role = self.term(role)?;
            let _ = match self.request.least_goal {
                100 => writeln!(text, "{won}({TIME}) :- {goal}({role},100,{TIME})."),
                least => {
                    writeln!(text, "{won}({TIME}) :- {goal}({role},N,{TIME}), N >= {least}, N <= 100.")
                }
            };
        }
        let _ = if self.request.task == Task::PlanAsPrinted {
            write!(
                text,
                ":- 0 {{ {terminal}({TIME}) : {time}({TIME}) }} 0.\n\
                 :- {terminal}({TIME}), not {won}({TIME}).\n"
            )
        } else {
            write!(
                text,
                ":- not {terminated}({horizon}).\n\
                 :- {terminal}({TIME}), not {terminated}({TIME}-1), not {won}({TIME}).\n"
            )
        };
        Ok(())
    }
}
