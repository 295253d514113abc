//! Text to checked game in one call.

use std::sync::Arc;

use crate::check::check_lowered;
use crate::check::registry::{self, Check};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::game_program::{Dialect, GameProgram};
use crate::lower::lower_leniently;
use crate::parse::parse;
use crate::source::{Source, Span};
use crate::tree::{Notation, Rulesheet};

/// What becomes of the diagnostics of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// They are left out.
    Allow,
    /// They are warnings.
    Warn,
    /// They are errors.
    Deny,
}

/// How to read a rulesheet.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The notation, if it is not to be detected.
    pub notation: Option<Notation>,
    /// The language, if it is not to be detected.
    pub dialect: Option<Dialect>,
    /// Severities other than the default ones; of two for one code the later holds.
    pub levels: Vec<(Code, Level)>,
}

/// There is no such check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no check `{0}`")]
pub struct UnknownCheck(pub String);

impl LoadOptions {
    /// Sets what becomes of the diagnostics with this code (`L030`) or check name (`unsafe-rule`).
    ///
    /// # Errors
    /// [`UnknownCheck`] for any other text.
    pub fn set_level(&mut self, code_or_name: &str, level: Level) -> Result<(), UnknownCheck> {
        let check = Check::find(code_or_name).ok_or_else(|| UnknownCheck(code_or_name.to_owned()))?;
        self.levels.push((check.code, level));
        Ok(())
    }

    /// Applies the levels to some diagnostics.
    pub fn apply(&self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.retain_mut(|diagnostic| {
            match self.levels.iter().rev().find(|(code, _)| *code == diagnostic.code) {
                Some((_, Level::Allow)) => return false,
                Some((_, Level::Warn)) => diagnostic.severity = Severity::Warning,
                Some((_, Level::Deny)) => diagnostic.severity = Severity::Error,
                None => {}
            }
            true
        });
    }
}

/// A rulesheet with everything that was found out about it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The rulesheet as it was written.
    pub rulesheet: Rulesheet,
    /// Its language, detected or forced.
    pub dialect: Dialect,
    /// Its logic program. There is none if some of the text could not be read or the language is
    /// not supported; if there is one, the diagnostics may still have errors.
    pub game: Option<GameProgram>,
    /// All findings, ordered by place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Checked {
    /// Whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }
}

/// Reads, lowers and checks a rulesheet.
///
/// After a syntax error only syntax errors are reported: what is missing or unused in a rulesheet
/// with a bracket too few is anybody's guess.
pub fn load(source: Arc<Source>, options: &LoadOptions) -> Checked {
    let (rulesheet, mut diagnostics) = parse(source, options.notation);
    let (detected, remarks) = detect(&rulesheet);
    let dialect = options.dialect.unwrap_or(detected);
    if options.dialect.is_none() {
        diagnostics.extend(remarks);
    }
    let mut game = None;
    if !diagnostics.iter().any(|d| d.severity == Severity::Error) {
        if dialect.is_supported() {
            let lowered = lower_leniently(&rulesheet, dialect);
            diagnostics.extend(lowered.diagnostics);
            diagnostics.extend(check_lowered(&rulesheet, &lowered.game, &lowered.broken));
            let whole = lowered.broken.iter().all(|&broken| !broken);
            game = whole.then_some(lowered.game);
        } else {
            diagnostics.push(
                registry::UNSUPPORTED_DIALECT
                    .at(Span::new(0, 0), format!("{dialect} is not supported yet"))
                    .hint("GDL and GDL-II are; if this is one of them, say so with `--dialect`"),
            );
        }
    }
    options.apply(&mut diagnostics);
    diagnostics.sort_by_key(|d| (d.span, d.code));
    Checked { rulesheet, dialect, game, diagnostics }
}

/// GDL-II where some head sees something, else GDL.
fn detect(rulesheet: &Rulesheet) -> (Dialect, Vec<Diagnostic>) {
    let sees = |item: &crate::tree::Item| rulesheet.tree.head(item.head) == Some(("sees", 2));
    let dialect = if rulesheet.items.iter().any(sees) { Dialect::GdlII } else { Dialect::Gdl };
    (dialect, Vec::new())
}
