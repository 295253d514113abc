//! From Epilog to GDL: the same game without operations.

use std::sync::Arc;

use crate::convert::{comment, read_back};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::detect;
use crate::epilog::in_gdl;
use crate::game_program::Dialect;
use crate::print::print;
use crate::source::Source;
use crate::tree::Rulesheet;

/// Why a rulesheet in Epilog does not become one in GDL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FromEpilogError {
    /// It is in another language.
    #[error("only Epilog loses its operations; this is {dialect}")]
    NotEpilog {
        /// The language.
        dialect: Dialect,
    },
    /// Some statements have no meaning.
    #[error("{}", .findings.first().map_or("the rules have errors", |found| &found.message))]
    Wrong {
        /// What is wrong with them.
        findings: Vec<Diagnostic>,
    },
}

/// A game of Epilog as one of GDL, in the same notation. Comments and the order of the statements are kept, where they are
/// statements of the game: `base`, `action` and what nothing asks for are left out. What every game of Epilog has in common is said
/// below the others.
///
/// ```
/// use std::sync::Arc;
/// use ludex_gdl::{Dialect, Source, detect, from_epilog, load, parse};
///
/// let text = "role(you) init(control(you)) init(lit) legal(press) press :: lit ==> ~lit\n\
///     press :: ~lit ==> lit\ngoal(you,100) :- ~lit\nterminal :- ~lit";
/// let (lamp, _) = parse(Arc::new(Source::new("lamp.hrf", text)), None);
/// let plain = from_epilog(&lamp)?;
/// assert_eq!(detect(&plain).0, Dialect::Gdl);
/// assert!(plain.source.text().contains("deleted(lit) :- does(R,press) & true(lit)"));
/// assert!(plain.source.text().contains("next(lit) :- true(lit) & ~deleted(lit)"));
/// assert!(!load(plain.source, &Default::default()).has_errors());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FromEpilogError`].
pub fn from_epilog(rulesheet: &Rulesheet) -> Result<Rulesheet, FromEpilogError> {
    let dialect = detect(rulesheet).0;
    if dialect != Dialect::Epilog {
        return Err(FromEpilogError::NotEpilog { dialect });
    }
    let converted = in_gdl(rulesheet);
    let findings: Vec<Diagnostic> =
        converted.diagnostics.into_iter().filter(|found| found.severity == Severity::Error).collect();
    if !findings.is_empty() {
        return Err(FromEpilogError::Wrong { findings });
    }
    let notation = rulesheet.notation;
    let mut authors = converted.rulesheet;
    let common = authors.items.split_off(converted.written);
    let mut text = print(&authors, notation);
    text.push('\n');
    text.push_str(&comment(notation, "Who is in control moves, and what is not deleted goes on."));
    // The places of these rules are those of others.
    let source = Arc::new(Source::new(rulesheet.source.name(), ""));
    let common = Rulesheet { items: common, comments: Vec::new(), source, ..authors };
    text.push_str(&print(&common, notation));
    Ok(read_back(rulesheet, text, notation))
}
