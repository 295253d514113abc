//! A rulesheet with its cases from a few answers: what a game of one's own begins with.
//!
//! ```
//! use ludex::GameOptions;
//! use ludex::new_game::Answers;
//!
//! let mut answers = Answers::new("four-corners")?;
//! answers.answer("board", "4x4")?;
//! answers.answer("win", "line:4")?;
//! let rules = answers.rules()?;
//! let game = ludex::Game::parse("four-corners.kif", &rules, &GameOptions::default())?;
//! assert_eq!(game.role_names(), ["white", "black"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod board_rules;
#[cfg(feature = "analysis")]
mod cases;
mod counting_rules;
mod draft;
mod end_rules;
mod question;

pub use answers::{AnswerError, Answers, Hidden, Pieces, Shape, Turns, Win};
#[cfg(feature = "analysis")]
pub use cases::CasesError;
pub use question::{Question, questions};
