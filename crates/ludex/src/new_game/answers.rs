//! Answers, and which of them go together.

use std::fmt;

use ludex_gdl::Notation;

use super::question::questions;
use crate::rule_library::is_name;

/// What a game is played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A board of squares.
    Square,
    /// A board of hexagons.
    Hex,
    /// No board: numbers are added.
    None,
}

/// What players do with pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// They put them on empty cells.
    Place,
    /// They move them to neighbouring cells.
    Move,
}

/// Who moves when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Two players in turn.
    Alternating,
    /// Two players at the same time.
    Simultaneous,
    /// One player.
    Single,
}

/// How one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Win {
    /// So many pieces in a row.
    Line(u32),
    /// A chain from side to side, or a piece on the far row.
    Reach,
    /// So many captures.
    Capture(u32),
    /// So many points.
    Score(u32),
}

/// What is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// Nothing.
    None,
    /// The moves of the opponent.
    Moves,
    /// What a die will show.
    Dice,
}

/// Why an answer is none, or does not go with the others.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The name cannot be that of a file and of a game.
    #[error(
        "a game cannot be called `{0}`: a name has letters, digits, `-` and `_`, at most 60 of them, and begins with a letter"
    )]
    Name(String),
    /// There is no such question.
    #[error("nothing is asked that is called `{0}`")]
    Question(String),
    /// It is none of the answers.
    #[error("`{question}` cannot be `{answer}`: {expected}")]
    Answer {
        /// The question.
        question: &'static str,
        /// The answer.
        answer: String,
        /// What can be answered.
        expected: String,
    },
    /// Rules cannot be written, which is a mistake in the libraries.
    #[error(transparent)]
    Rules(#[from] crate::rule_library::RuleLibraryError),
}

/// The answers to all questions: what was said, and else what is usual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    name: String,
    /// What it is played on.
    pub(super) shape: Shape,
    /// Columns and rows.
    pub(super) size: (u32, u32),
    pub(super) pieces: Pieces,
    pub(super) turns: Turns,
    win: Option<Win>,
    pub(super) hidden: Hidden,
    roles: Option<Vec<String>>,
    notation: Notation,
}

/// Names that mean something in the rules.
const TAKEN: [&str; 6] = ["empty", "stone", "noop", "pass", "over", "random"];

/// What the sizes of a board can be.
const SIZES: std::ops::RangeInclusive<u32> = 3..=12;

/// The targets of games without a board.
const TARGETS: std::ops::RangeInclusive<u32> = 5..=60;

impl Answers {
    /// The usual game: three in a row on 3x3 cells.
    ///
    /// # Errors
    /// The name is none.
    pub fn new(name: &str) -> Result<Self, AnswerError> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_good = name.len() <= 60
            && name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && name.bytes().all(is_part);
        if !is_good {
            return Err(AnswerError::Name(name.escape_debug().take(80).collect()));
        }
        Ok(Self {
            name: name.to_owned(),
            shape: Shape::Square,
            size: (3, 3),
            pieces: Pieces::Place,
            turns: Turns::Alternating,
            win: None,
            hidden: Hidden::None,
            roles: None,
            notation: Notation::Prefix,
        })
    }

    /// Whether a question still matters, after the answers to those before it.
    pub fn asks(&self, question: &str) -> bool {
        match question {
            "board" | "pieces" => self.shape != Shape::None,
            _ => true,
        }
    }

    /// Answers a question. Answers that others depend on are to be given first, in the order of [`questions`].
    ///
    /// # Errors
    /// There is no such question, or it cannot be answered so.
    pub fn answer(&mut self, question: &str, answer: &str) -> Result<(), AnswerError> {
        let Some(asked) = questions().iter().find(|asked| asked.name == question) else {
            return Err(AnswerError::Question(question.to_owned()));
        };
        let refuse = |expected: String| AnswerError::Answer {
            question: asked.name,
            answer: answer.escape_debug().take(80).collect(),
            expected,
        };
        if !self.asks(question) {
            return Err(refuse("there is no board".into()));
        }
        let words: Vec<&str> = asked.answers.iter().map(|(word, _)| *word).collect();
        let choices = || refuse(format!("it is one of {}", words.join(", ")));
        let before = self.clone();
        match question {
            "shape" => self.shape = shape(answer).ok_or_else(choices)?,
            "board" => self.size = size(answer).ok_or_else(|| refuse(board_sizes()))?,
            "pieces" => {
                self.pieces = match answer {
                    "place" => Pieces::Place,
                    "move" => Pieces::Move,
                    _ => return Err(choices()),
                }
            }
            "turns" => self.turns = turns(answer).ok_or_else(choices)?,
            "win" => self.win = Some(self.read_win(answer).map_err(refuse)?),
            "hidden" => self.hidden = hidden(answer).ok_or_else(choices)?,
            "roles" => self.roles = Some(self.read_roles(answer).map_err(refuse)?),
            _ => {
                self.notation = match answer {
                    "prefix" => Notation::Prefix,
                    "infix" => Notation::Infix,
                    _ => return Err(choices()),
                }
            }
        }
        let result = self.together();
        if result.is_err() {
            *self = before;
        }
        result
    }

    /// What a question is answered with if nothing else is said.
    pub fn usual(&self, question: &str) -> String {
        match question {
            "shape" => "square".into(),
            "board" => "3x3".into(),
            "pieces" => "place".into(),
            "turns" => "alternating".into(),
            "win" => Self { win: None, ..self.clone() }.win().to_string(),
            "hidden" => "none".into(),
            "roles" => Self { roles: None, ..self.clone() }.roles().join(","),
            _ => "prefix".into(),
        }
    }

    /// What a question is answered with now.
    pub fn answer_to(&self, question: &str) -> String {
        let word = |word: &str| word.to_owned();
        match question {
            "shape" => word(match self.shape {
                Shape::Square => "square",
                Shape::Hex => "hex",
                Shape::None => "none",
            }),
            "board" => format!("{}x{}", self.size.0, self.size.1),
            "pieces" => word(match self.pieces {
                Pieces::Place => "place",
                Pieces::Move => "move",
            }),
            "turns" => word(match self.turns {
                Turns::Alternating => "alternating",
                Turns::Simultaneous => "simultaneous",
                Turns::Single => "single",
            }),
            "win" => self.win().to_string(),
            "hidden" => word(match self.hidden {
                Hidden::None => "none",
                Hidden::Moves => "moves",
                Hidden::Dice => "dice",
            }),
            "roles" => self.roles().join(","),
            _ => word(if self.notation == Notation::Prefix { "prefix" } else { "infix" }),
        }
    }

    /// The name of the game.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the rules are written.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// How one wins.
    pub fn win(&self) -> Win {
        match (self.win, self.shape, self.pieces) {
            (Some(win), ..) => win,
            (None, Shape::None, _) => Win::Score(21),
            (None, _, Pieces::Place) => Win::Line(3),
            (None, _, Pieces::Move) => Win::Reach,
        }
    }

    /// The names of the players.
    pub fn roles(&self) -> Vec<String> {
        match (&self.roles, self.turns) {
            (Some(roles), _) => roles.clone(),
            (None, Turns::Single) => vec!["robot".into()],
            (None, _) => vec!["white".into(), "black".into()],
        }
    }

    /// Whether there are two players.
    pub(super) fn has_opponent(&self) -> bool {
        self.turns != Turns::Single
    }

    /// Whether answers go together that were good when they were given.
    ///
    /// # Errors
    /// They do not.
    pub fn together(&self) -> Result<(), AnswerError> {
        let refuse = |question: &'static str, answer: String, expected: String| {
            Err(AnswerError::Answer { question, answer, expected })
        };
        if let Some(win) = self.win
            && let Err(expected) = self.read_win(&win.to_string())
        {
            return refuse("win", win.to_string(), expected);
        }
        if let Some(roles) = &self.roles
            && let Err(expected) = self.read_roles(&roles.join(","))
        {
            return refuse("roles", roles.join(","), expected);
        }
        if self.hidden == Hidden::Moves && !self.has_opponent() {
            return refuse("hidden", "moves".into(), "a single player has no opponent".into());
        }
        Ok(())
    }

    fn read_win(&self, answer: &str) -> Result<Win, String> {
        let (kind, number) = match answer.split_once(':') {
            Some((kind, number)) => (kind, Some(number)),
            None => (answer, None),
        };
        let most = self.most(kind).ok_or_else(|| match self.shape {
            Shape::None => "without a board it is score:T".to_owned(),
            _ => "it is one of line:K, reach, capture:N, score:T".to_owned(),
        })?;
        let numbers = match kind {
            "reach" if number.is_none() => return Ok(Win::Reach),
            "reach" => return Err("`reach` has no number".into()),
            "line" => 3..=most,
            _ if self.shape == Shape::None => TARGETS,
            _ => 1..=most,
        };
        let usual = if kind == "line" { 3 } else { most.min(2) };
        let number = match number {
            None if self.shape == Shape::None => 21,
            None => usual,
            Some(text) => text
                .parse()
                .ok()
                .filter(|number| numbers.contains(number) && text.bytes().all(|b| b.is_ascii_digit()))
                .ok_or_else(|| {
                    let (least, most) = (numbers.start(), numbers.end());
                    let which = if least == most {
                        least.to_string()
                    } else {
                        format!("a number from {least} to {most}")
                    };
                    format!("after `{kind}:` stands {which} here")
                })?,
        };
        Ok(match kind {
            "line" => Win::Line(number),
            "capture" => Win::Capture(number),
            _ => Win::Score(number),
        })
    }

    /// The greatest number for a way to win; nothing where one cannot win so. Each player can get as far, whatever
    /// its opponent has done before.
    fn most(&self, kind: &str) -> Option<u32> {
        let (width, height) = self.size;
        // Cells without a common neighbour in between: every second one of every second row.
        let apart = width.div_ceil(2) * height.div_ceil(2);
        Some(match (kind, self.shape, self.pieces) {
            ("score", Shape::None, _) => *TARGETS.end(),
            (_, Shape::None, _) => return None,
            ("reach", ..) => 0,
            // As many pieces as there are columns belong to each player.
            ("line", _, Pieces::Move) => width.min(10),
            ("line", _, Pieces::Place) => width.max(height).min(10),
            // Where both move at the same time, a last piece always gets away.
            ("capture", _, Pieces::Move) if self.turns == Turns::Simultaneous => width - 1,
            ("capture" | "score", _, Pieces::Move) => width,
            ("capture", _, Pieces::Place) => (width * height / 9).min(width),
            ("score", _, Pieces::Place) if self.has_opponent() => apart.div_ceil(2),
            ("score", _, Pieces::Place) => apart,
            _ => return None,
        })
    }

    fn read_roles(&self, answer: &str) -> Result<Vec<String>, String> {
        let names: Vec<String> = answer.split(',').map(|name| name.trim().to_owned()).collect();
        let wanted = if self.has_opponent() { 2 } else { 1 };
        let differ = names.iter().enumerate().all(|(at, name)| !names[..at].contains(name));
        let are_good = names.iter().all(|name| is_name(name) && !TAKEN.contains(&name.as_str()));
        if names.len() != wanted || !differ {
            return Err(match wanted {
                1 => "there is one player".into(),
                _ => "there are two players, and their names differ".into(),
            });
        }
        if !are_good {
            return Err("a name has small letters, digits and `_`, begins with a letter, and is no word of the language".into());
        }
        Ok(names)
    }
}

impl fmt::Display for Win {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line:{number}"),
            Self::Reach => f.write_str("reach"),
            Self::Capture(number) => write!(f, "capture:{number}"),
            Self::Score(number) => write!(f, "score:{number}"),
        }
    }
}

fn shape(answer: &str) -> Option<Shape> {
    Some(match answer {
        "square" => Shape::Square,
        "hex" => Shape::Hex,
        "none" => Shape::None,
        _ => return None,
    })
}

fn turns(answer: &str) -> Option<Turns> {
    Some(match answer {
        "alternating" => Turns::Alternating,
        "simultaneous" => Turns::Simultaneous,
        "single" => Turns::Single,
        _ => return None,
    })
}

fn hidden(answer: &str) -> Option<Hidden> {
    Some(match answer {
        "none" => Hidden::None,
        "moves" => Hidden::Moves,
        "dice" => Hidden::Dice,
        _ => return None,
    })
}

fn size(answer: &str) -> Option<(u32, u32)> {
    let (width, height) = answer.split_once('x')?;
    let read = |text: &str| {
        let number: u32 = text.parse().ok()?;
        (SIZES.contains(&number) && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
    };
    Some((read(width)?, read(height)?))
}

fn board_sizes() -> String {
    format!("it is WxH, such as 3x3, each from {} to {}", SIZES.start(), SIZES.end())
}
