//! The whole rulesheet: what is the game's own, and below it the libraries that it builds on.

use ludex_gdl::Notation;

use super::answers::{AnswerError, Answers, Hidden, Pieces, Shape, Turns, Win};
use super::{board_rules, counting_rules, end_rules};
use crate::rule_library::{Selection, comment, in_notation};

/// A rulesheet on its way.
pub(super) struct Draft<'a> {
    pub answers: &'a Answers,
    selection: Selection,
    out: String,
}

impl Answers {
    /// The rulesheet, with comments that explain it.
    ///
    /// # Errors
    /// Answers do not go together.
    pub fn rules(&self) -> Result<String, AnswerError> {
        self.together()?;
        let mut draft = Draft { answers: self, selection: Selection::new(), out: String::new() };
        draft.header();
        draft.players()?;
        if self.shape == Shape::None {
            counting_rules::write(&mut draft)?;
        } else {
            board_rules::write(&mut draft)?;
        }
        end_rules::write(&mut draft)?;
        draft.libraries()
    }

    /// After how many steps the time is up, where a game would not end by itself or is to be made in time.
    pub(super) fn limit(&self) -> Option<u32> {
        let (width, height) = self.size;
        let alone = match (self.shape, self.pieces, self.win()) {
            (Shape::None, _, Win::Score(target)) => target / 2 + 2,
            (_, Pieces::Place, Win::Line(length)) => length + 1,
            (_, Pieces::Place, Win::Capture(number)) => 2 * number + 1,
            (_, Pieces::Place, Win::Score(target)) => target + 1,
            (_, Pieces::Place, Win::Reach) => height + 1,
            (_, Pieces::Move, Win::Reach) => height,
            (_, Pieces::Move, Win::Capture(number) | Win::Score(number)) => number * (height - 1) + height,
            (_, Pieces::Move, Win::Line(_)) => width * height,
        };
        let together = match (self.shape, self.win()) {
            (Shape::None, Win::Score(target)) => 2 * target,
            _ => 2 * width * height,
        };
        match (self.turns, self.hidden, self.pieces) {
            // Some steps fail.
            (Turns::Single, Hidden::Dice, _) => Some(2 * alone),
            (Turns::Single, ..) => Some(alone),
            (Turns::Alternating, Hidden::None, Pieces::Place) if self.shape != Shape::None => None,
            _ => Some(together),
        }
    }

    /// Whether the end of the game is announced one step after it is decided, because players do not see it.
    pub(super) fn is_announced(&self) -> bool {
        self.hidden == Hidden::Moves
    }

    /// What the win of a role is called: what players do not see becomes a fact before it is announced.
    pub(super) fn winning(&self) -> &'static str {
        if self.is_announced() { "achieves" } else { "wins" }
    }

    /// The condition that it is the turn of the role `?r`.
    pub(super) fn turn(&self) -> &'static str {
        match self.turns {
            Turns::Alternating => "(true (control ?r))",
            Turns::Simultaneous | Turns::Single => "(player ?r)",
        }
    }

    /// What the relation of neighbours is called.
    pub(super) fn beside(&self) -> &'static str {
        if self.shape == Shape::Hex { "hex_adjacent" } else { "adjacent" }
    }
}

impl Draft<'_> {
    /// A heading.
    pub fn section(&mut self, title: &str) {
        let line = format!("==== {title} ====");
        self.out.push('\n');
        self.comment(&line);
    }

    /// Rules in prefix notation below an explanation.
    pub fn rules(&mut self, idea: &str, rules: &str) {
        self.out.push('\n');
        self.comment(idea);
        self.out.push_str(&in_notation(rules, self.notation()));
    }

    /// Takes parts of a library.
    pub fn include(&mut self, library: &str, parts: &[&str]) -> Result<(), AnswerError> {
        Ok(self.selection.add(library, parts)?)
    }

    /// Sets a parameter of the libraries.
    pub fn set(&mut self, parameter: &str, value: &str) -> Result<(), AnswerError> {
        Ok(self.selection.set(parameter, value)?)
    }

    fn notation(&self) -> Notation {
        self.answers.notation()
    }

    fn comment(&mut self, text: &str) {
        let notation = self.notation();
        comment(&mut self.out, text, notation);
    }

    fn header(&mut self) {
        let text = format!("{}: {}", self.answers.name(), description(self.answers));
        self.comment(&text);
    }

    /// Roles and turns, and what of them is the same in all games.
    fn players(&mut self) -> Result<(), AnswerError> {
        self.set("roles", &self.answers.roles().join(","))?;
        self.include("turns", &["player"])?;
        match self.answers.turns {
            Turns::Alternating => self.include("turns", &["control", "noop"])?,
            Turns::Simultaneous | Turns::Single => {}
        }
        if self.answers.hidden == Hidden::Dice {
            self.set("sides", "6")?;
            self.include("dice", &["throw", "shown"])?;
        }
        if let Some(limit) = self.answers.limit() {
            self.set("limit", &limit.to_string())?;
            self.include("steps", &[])?;
        }
        if self.answers.has_points() {
            if let Win::Capture(target) | Win::Score(target) = self.answers.win() {
                self.set("target", &target.to_string())?;
            }
            self.include("scores", &["score", "has_target"])?;
        }
        Ok(())
    }

    fn libraries(mut self) -> Result<String, AnswerError> {
        self.section("What the rules above build on");
        self.out.push('\n');
        self.comment(
            "These sections come from libraries of rules. `ludex rules NAME --set NAME=VALUE --into FILE` writes \
             one anew, with other sizes, or adds one; `ludex rules` lists them.",
        );
        self.out.push('\n');
        let text = self.selection.text(self.notation())?;
        self.out.push_str(&text);
        Ok(self.out)
    }
}

impl Answers {
    /// Whether points are counted.
    pub(super) fn has_points(&self) -> bool {
        matches!(self.win(), Win::Capture(_) | Win::Score(_))
    }
}

/// The game in plain words.
fn description(answers: &Answers) -> String {
    let (width, height) = answers.size;
    let who = match answers.turns {
        Turns::Alternating => "two players take turns",
        Turns::Simultaneous => "two players move at the same time",
        Turns::Single => "one player moves alone",
    };
    let how = match (answers.shape, answers.pieces) {
        (Shape::None, _) => " and name a number from 1 to 3 in each move".to_owned(),
        (shape, pieces) => {
            let cells = if shape == Shape::Hex { "hexagons" } else { "cells" };
            let what = match pieces {
                Pieces::Place => "put a piece on an empty cell",
                Pieces::Move => "move a piece to a neighbouring cell",
            };
            format!(" on {width}x{height} {cells} and {what}")
        }
    };
    let how = if answers.has_opponent() { how } else { alone(&how) };
    let win = match (answers.shape, answers.pieces, answers.win()) {
        (Shape::None, _, _) => {
            let Win::Score(target) = answers.win() else { return String::new() };
            format!("Who comes to {target} first wins")
        }
        (_, _, Win::Line(length)) => format!("Who has {length} in a row wins"),
        (_, Pieces::Place, Win::Reach) => "Whose pieces connect the lowest row with the highest wins".into(),
        (_, Pieces::Move, Win::Reach) => "Who gets to the far row wins".into(),
        (_, Pieces::Place, Win::Capture(number)) => {
            format!(
                "A piece between two of the other kind changes sides; who has done that {number} times wins"
            )
        }
        (_, Pieces::Move, Win::Capture(number)) => format!("Who captures {number} pieces wins"),
        (_, Pieces::Place, Win::Score(target)) => {
            format!("A piece that is put beside no other is a point; who has {target} wins")
        }
        (_, Pieces::Move, Win::Score(target)) => {
            format!("A piece that gets to the far row is a point; who has {target} wins")
        }
    };
    let hidden = match answers.hidden {
        Hidden::None => "",
        Hidden::Moves => " Neither sees what the other does.",
        Hidden::Dice => " With each move a die is thrown, and on a 1 the move fails.",
    };
    let limit =
        answers.limit().map_or(String::new(), |limit| format!(" The time is up after {limit} steps."));
    format!("{who}{how}. {win}.{limit}{hidden}")
}

/// What two do, said of one.
fn alone(how: &str) -> String {
    how.replace("and name", "and names").replace("and put", "and puts").replace("and move", "and moves")
}
