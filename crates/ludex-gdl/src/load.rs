//! Text to checked game in one call.

use std::sync::Arc;

use crate::check::Check;
use crate::check::check_lowered;
use crate::check::registry::UNSUPPORTED_DIALECT;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::detect;
use crate::epilog;
use crate::game_program::{Dialect, GameProgram};
use crate::incomplete::{self, GameSentences};
use crate::lower::lower_leniently;
use crate::parse::{Read, read};
use crate::sdl;
use crate::source::Source;
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
    /// not supported, or leave something open that comes up in the game; if there is one, the diagnostics may still have errors.
    pub game: Option<GameProgram>,
    /// Its sentences, in the languages that have sentences in place of rules; there are none if some could not be read.
    pub sentences: Option<Arc<GameSentences>>,
    /// Why there is no game, where sentences are in order and leave something open: an error for who wants to run them.
    pub not_runnable: Option<Diagnostic>,
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
/// with a bracket too few is anybody's guess. Clauses in another notation are an error that can be waived
/// by name; then they are read as the others are, whatever comes of it.
///
/// ```
/// use std::sync::Arc;
/// use ludex_gdl::{LoadOptions, Source, load};
///
/// let text = "(role you) (init off) (legal you press) (next on) (goal you 100) (<= terminal (true on))";
/// let checked = load(Arc::new(Source::new("lamp.kif", text)), &LoadOptions::default());
/// assert!(!checked.has_errors());
/// let game = checked.game.unwrap();
/// assert_eq!(game.program.relation_name(game.vocabulary.terminal), "terminal");
/// ```
pub fn load(source: Arc<Source>, options: &LoadOptions) -> Checked {
    let Read { rulesheet, foreign, errors } = read(source, options.notation);
    // What is left of a game of another family tells no language.
    let is_foreign = foreign.as_ref().is_some_and(|found| found.code == UNSUPPORTED_DIALECT.code);
    let mut diagnostics: Vec<Diagnostic> = foreign.into_iter().collect();
    options.apply(&mut diagnostics);
    if !diagnostics.iter().any(|d| d.severity == Severity::Error) {
        diagnostics.extend(errors);
    }
    let (detected, remarks) = if is_foreign { (Dialect::Gdl, Vec::new()) } else { detect(&rulesheet) };
    let dialect = options.dialect.unwrap_or(detected);
    if options.dialect.is_none() {
        diagnostics.extend(remarks);
    }
    let (mut game, mut sentences, mut not_runnable) = (None, None, None);
    if !diagnostics.iter().any(|d| d.severity == Severity::Error) {
        if dialect.is_incomplete() {
            let read = incomplete::read(&rulesheet, dialect);
            diagnostics.extend(read.diagnostics);
            (game, sentences, not_runnable) = (read.game, read.sentences, read.not_runnable);
        } else if dialect.has_steps() {
            let lowered = sdl::lower(&rulesheet, dialect);
            diagnostics.extend(lowered.diagnostics);
            diagnostics.extend(lowered.findings);
            game = lowered.game;
        } else if dialect == Dialect::Epilog {
            let lowered = epilog::lower(&rulesheet);
            diagnostics.extend(lowered.diagnostics);
            diagnostics.extend(lowered.findings);
            game = lowered.game;
        } else {
            let lowered = lower_leniently(&rulesheet, dialect);
            diagnostics.extend(lowered.diagnostics);
            diagnostics.extend(check_lowered(&rulesheet, &lowered.game, &lowered.broken));
            let whole = lowered.broken.iter().all(|&broken| !broken);
            game = whole.then_some(lowered.game);
        }
    }
    options.apply(&mut diagnostics);
    diagnostics.sort_by_key(|d| (d.span, d.code));
    Checked { rulesheet, dialect, game, sentences, not_runnable, diagnostics }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "(role a) (init p) (legal a x) (goal a 100) (<= terminal (not (true p)))";

    fn codes(text: &str, options: &LoadOptions) -> Vec<(String, Severity)> {
        let checked = load(Arc::new(Source::new("x", text)), options);
        checked.diagnostics.iter().map(|d| (d.code.to_string(), d.severity)).collect()
    }

    #[test]
    fn severities_are_silenced_and_raised() {
        let text = format!("{GAME} (unused 1)");
        let mut options = LoadOptions::default();
        assert_eq!(codes(&text, &options), [("L051".into(), Severity::Warning)]);
        options.set_level("unused-relation", Level::Deny).unwrap();
        assert_eq!(codes(&text, &options), [("L051".into(), Severity::Error)]);
        options.set_level("L051", Level::Allow).unwrap();
        assert_eq!(codes(&text, &options), []);
        assert_eq!(options.set_level("unused", Level::Allow), Err(UnknownCheck("unused".into())));
    }

    #[test]
    fn an_error_that_is_waived_leaves_a_game() {
        let text = format!("{GAME} (<= (legal a y) (does a x))");
        let checked = load(Arc::new(Source::new("x", text.as_str())), &LoadOptions::default());
        assert!(checked.has_errors() && checked.game.is_some());
        let mut options = LoadOptions::default();
        options.set_level("does-dependency", Level::Warn).unwrap();
        assert_eq!(codes(&text, &options), [("L045".into(), Severity::Warning)]);
    }

    #[test]
    fn clauses_of_another_notation_can_be_waived() {
        let text = format!("{GAME}\nterminal :- touch(x).");
        let mut options = LoadOptions::default();
        assert_eq!(codes(&text, &options), [("L003".into(), Severity::Error)]);
        options.set_level("mixed-notations", Level::Warn).unwrap();
        let checked = load(Arc::new(Source::new("x", text.as_str())), &options);
        assert!(checked.game.is_some() && !checked.has_errors());
        assert_eq!(checked.diagnostics.iter().filter(|d| d.code == Code(3)).count(), 1);
    }

    #[test]
    fn notation_goes_by_content() {
        let infix = "role(a) init(p) legal(a,x) goal(a,100) terminal :- true(p) & ~true(q)";
        for (name, text, notation) in [
            ("a.kif", infix, Notation::Infix),
            ("a.gdl", GAME, Notation::Prefix),
            ("a.kif", "open", Notation::Prefix),
            ("a.gdl", "open", Notation::Infix),
        ] {
            let checked = load(Arc::new(Source::new(name, text)), &LoadOptions::default());
            assert_eq!(checked.rulesheet.notation, notation, "{name}");
            assert!(!checked.diagnostics.iter().any(|d| d.code == crate::SYNTAX), "{name}");
        }
    }

    #[test]
    fn syntax_errors_come_alone() {
        assert_eq!(codes("(role a", &LoadOptions::default()), [("L001".into(), Severity::Error)]);
        let checked = load(Arc::new(Source::new("x", "(role a")), &LoadOptions::default());
        assert!(checked.game.is_none());
    }

    #[test]
    fn other_languages_are_recognised() {
        let text = "(role a) (=> (role ?x) (legal ?x go))";
        let checked = load(Arc::new(Source::new("x", text)), &LoadOptions::default());
        assert_eq!(checked.dialect, Dialect::Igdl);
        assert!(checked.game.is_none() && checked.sentences.is_some() && checked.not_runnable.is_some());
        assert_eq!(codes(text, &LoadOptions::default()), [("L088".into(), Severity::Note)]);
        let steps = "(role a) (<= (true p ?n) (does ?r a ?m) (true q ?m))";
        let options = LoadOptions { dialect: Some(Dialect::Gdl), ..LoadOptions::default() };
        assert!(codes(steps, &options).iter().any(|(code, _)| code == "L026"));
    }

    #[test]
    fn real_time_is_read_in_the_papers_symbols() {
        let text = "role(x) . init(1.0, control(x))\ninit(infinity, price(2.50)).\n\
            next(T, control(R))\n  ⇐ true(T, control(R)) ∧ ¬expired(bell) ∧ (does(R, go) ∨ R≠y) .\n\
            next(infinity, price(P)) ⇐ true(infinity, price(P)) .\n\
            legal(R, go) ⇐ true (T, control(R)).\nterminal ⇐ expired(control(x)) .\ngoal(x, 100.0) .";
        for notation in [Notation::Infix, Notation::Prefix] {
            let (sheet, _) = crate::parse::parse(Arc::new(Source::new("x", text)), None);
            assert_eq!(sheet.notation, Notation::Infix);
            let text = crate::print::print(&sheet, notation);
            let checked = load(Arc::new(Source::new("x", text.as_str())), &LoadOptions::default());
            assert_eq!((checked.dialect, checked.rulesheet.notation), (Dialect::RtGdl, notation), "{text}");
            assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
            assert!(text.contains("1.0") && text.contains("2.50") && !text.contains('\''), "{text}");
            let game = checked.game.unwrap();
            let terms = &game.program.terms;
            for (written, number) in [("1.0", "1"), ("2.50", "2.5"), ("100.0", "100")] {
                assert!(terms.find_symbol(number).is_some() && terms.find_symbol(written).is_none());
            }
        }
        let fine = text.replace("2.50", "0.1234567891");
        assert_eq!(codes(&fine, &LoadOptions::default()), [("L064".into(), Severity::Error)]);
        // In other languages it is a name like any other.
        let plain = GAME
            .replace("(init p)", "(init (p 1.0 0.12345678912))")
            .replace("(true p)", "(true (p 1.0 0.12345678912))");
        assert_eq!(codes(&plain, &LoadOptions::default()), []);
    }
}
