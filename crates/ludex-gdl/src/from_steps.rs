//! From SDL to GDL: the same game, whose states remember what the rules ask of earlier steps.

use std::sync::Arc;

use crate::convert::{comment, read_back};
use crate::diagnostic::Diagnostic;
use crate::dialect::detect;
use crate::game_program::Dialect;
use crate::lower::lower_leniently;
use crate::print::print;
use crate::sdl;
use crate::source::Source;
use crate::tree::Rulesheet;

/// Why a rulesheet does not become one without steps.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WithoutStepsError {
    /// It is not in SDL.
    #[error("only SDL becomes GDL by leaving out the steps; this is {dialect}")]
    NotSdl {
        /// The language.
        dialect: Dialect,
    },
    /// The rules have no meaning.
    #[error("{}", .findings.first().map_or("the rules have errors", |found| &found.message))]
    Wrong {
        /// What is wrong with them.
        findings: Vec<Diagnostic>,
    },
}

/// A game of SDL (book 18) as one of GDL, in the same notation; one with percepts becomes GDL-II. Comments and the order of the
/// rules are kept; what states have to remember is said in rules of its own, below the others.
///
/// ```
/// use std::sync::Arc;
/// use ludex_gdl::{Dialect, Source, detect, load, parse, without_steps};
///
/// let text = "role(you) step(1) step(2) step(3) successor(1,2) successor(2,3) true(at(1),1)
///     true(at(2),N) :- does(you,go,M) & successor(M,N). legal(you,go,N) :- true(at(1),N).
///     legal(you,rest,N) :- does(you,go,M) & successor(M,N).
///     goal(you,100,N) :- true(at(2),N). goal(you,0,N) :- true(at(1),N). terminal(3).";
/// let (walk, _) = parse(Arc::new(Source::new("walk.gdl", text)), None);
/// let plain = without_steps(&walk)?;
/// assert_eq!(detect(&plain).0, Dialect::Gdl);
/// assert!(plain.source.text().contains("legal(you,rest) :- true(previous(does(you,go)))"));
/// assert!(!load(plain.source, &Default::default()).has_errors());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WithoutStepsError`].
pub fn without_steps(rulesheet: &Rulesheet) -> Result<Rulesheet, WithoutStepsError> {
    let dialect = detect(rulesheet).0;
    if !dialect.has_steps() || dialect.is_incomplete() {
        return Err(WithoutStepsError::NotSdl { dialect });
    }
    let written = lower_leniently(rulesheet, dialect);
    if written.broken.iter().any(|&broken| broken) {
        return Err(WithoutStepsError::Wrong { findings: written.diagnostics });
    }
    let without = sdl::without_steps(rulesheet, &written.game)
        .map_err(|findings| WithoutStepsError::Wrong { findings })?;
    let notation = rulesheet.notation;
    let mut authors = without.rulesheet;
    let memory = authors.items.split_off(without.written);
    let mut text = print(&authors, notation);
    text.push('\n');
    text.push_str(&comment(notation, "What a state remembers of the steps before it."));
    // The places of these rules are those of others.
    let source = Arc::new(Source::new(rulesheet.source.name(), ""));
    let memory = Rulesheet { items: memory, comments: Vec::new(), source, ..authors };
    text.push_str(&print(&memory, notation));
    Ok(read_back(rulesheet, text, notation))
}
