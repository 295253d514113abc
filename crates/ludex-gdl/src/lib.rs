//! Rulesheets of the Game Description Language family: text to rulesheet, checks, lowering to a
//! logic program, printing, converting and renaming.
//!
//! This crate does no input or output and knows nothing of states or moves.
#![forbid(unsafe_code)]

mod check;
mod convert;
mod diagnostic;
mod dialect;
mod edit;
mod epilog;
mod from_epilog;
mod from_steps;
mod game_program;
mod incomplete;
mod load;
mod lower;
pub mod minimize;
mod occurrences;
mod parse;
mod print;
pub mod report;
mod scramble;
mod sdl;
mod source;
#[cfg(test)]
mod tests;
mod time;
mod to_epilog;
mod to_real_time;
mod to_sentences;
mod to_steps;
mod tree;
mod without_time;

pub use check::{CHECKS, Check, Explanation, check};
pub use convert::{convert, to_gdl_ii};
pub use diagnostic::{Code, Diagnostic, Fix, Label, Severity, TextEdit};
pub use dialect::{RANDOM_WITHOUT_PERCEPTS, detect};
pub use edit::Edit;
pub use from_epilog::{FromEpilogError, from_epilog};
pub use from_steps::{WithoutStepsError, without_steps};
pub use game_program::{Dialect, GameProgram, Vocabulary};
pub use incomplete::{GameSentences, Open};
pub use load::{Checked, Level, LoadOptions, UnknownCheck, load};
pub use lower::{MAX_NESTING, lower, lower_question, lower_sentences};
pub use occurrences::{Occurrence, OccurrenceKind, Occurrences, Symbol};
pub use parse::{Part, SYNTAX, detect_notation, parse, parse_term, parse_terms, split};
pub use print::{fmt, print, print_clauses, print_term, same_rules, spell_constant, spell_variable};
pub use scramble::{Renaming, is_keyword, is_number, scramble, unscramble};
pub use sdl::HistoryProgram;
pub use source::{LineColumn, Source, Span};
pub use time::{GameTime, INFINITY, Lifetime, LifetimeError, TimeError};
pub use to_epilog::{ToEpilogError, to_epilog};
pub use to_real_time::{ToRealTimeError, to_rtgdl};
pub use to_sentences::{Completion, ToIgdlError, to_igdl};
pub use to_steps::{WithStepsError, with_steps};
pub use tree::{Comment, Item, NameId, Node, NodeId, NodeKind, Notation, Rulesheet, Tree};
pub use without_time::{NotRealTime, WithoutTime, without_time};
