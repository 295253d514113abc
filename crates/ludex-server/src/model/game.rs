//! What there is to know about games.

use ludex::gdl::{Checked, Diagnostic, Severity, Span, report};
use serde::{Deserialize, Serialize};

/// A rulesheet for the library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewGame {
    /// The name: lower-case letters, digits and hyphens, such as `tic-tac-toe`. If there is a game of this
    /// name, this is a new version of it.
    pub name: String,
    /// What it is, in a few words.
    #[serde(default)]
    pub title: String,
    /// What there is to say about it: plain text.
    #[serde(default)]
    pub description: String,
    /// The rules.
    pub text: String,
    /// Whether it is kept without being offered to be played. Rules that nobody can play can only be kept so.
    #[serde(default)]
    pub draft: bool,
}

/// Which games are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameQuery {
    /// Words that stand in the name or the title.
    #[serde(default)]
    pub text: String,
    /// Whether only those are wanted that are offered to be played.
    #[serde(default)]
    pub offered: bool,
    /// Only those for which all of these stand.
    #[serde(default)]
    pub tags: Vec<super::GameTag>,
    /// Whether what moderators have hidden is left out.
    #[serde(skip)]
    pub without_hidden: bool,
    /// Which part of the list.
    #[serde(default)]
    pub page: super::PageRequest,
}

/// A game in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameSummary {
    /// The name.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// The language of the present version, such as `GDL-II`.
    pub dialect: String,
    /// The SHA-256 of the present version, in hexadecimal.
    pub version: String,
    /// How many versions there are.
    pub versions: u64,
    /// Whether it came with Ludex.
    pub bundled: bool,
    /// When the present version came, in milliseconds since 1970.
    pub added: u64,
    /// How many matches there are of it.
    pub matches: u64,
    /// Whether it is offered to be played: it is no draft, and no rules that only stand there to be read.
    pub offered: bool,
    /// What tells it from others; none where that was not found out yet.
    pub features: Option<super::GameFeatures>,
}

/// A version of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameVersion {
    /// The SHA-256 of its text, in hexadecimal.
    pub sha256: String,
    /// Its language.
    pub dialect: String,
    /// `prefix` or `infix`.
    pub notation: String,
    /// When it came, in milliseconds since 1970.
    pub added: u64,
    /// Whether it is offered to be played.
    pub offered: bool,
}

/// All that is kept of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameDetail {
    /// What the list says.
    pub summary: GameSummary,
    /// What there is to say about it: plain text.
    pub description: String,
    /// Its versions, newest first.
    pub versions: Vec<GameVersion>,
    /// The rules of the version that was asked for.
    pub text: String,
    /// Which version that is.
    pub version: GameVersion,
}

/// What can be said about a game after preparing it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameFacts {
    /// The roles in order, in prefix notation.
    pub roles: Vec<String>,
    /// Those of them that somebody plays: all but `random` in GDL-II.
    pub seats: Vec<String>,
    /// Whether players do not see everything.
    pub hidden: bool,
    /// Whether it goes on in real time.
    pub real_time: bool,
    /// How many bytes, lines and clauses the rulesheet has.
    pub bytes: usize,
    /// Lines.
    pub lines: usize,
    /// Clauses: facts and rules.
    pub clauses: usize,
    /// How many facts hold in the beginning.
    pub initial_facts: usize,
    /// How many legal moves each role has in the beginning.
    pub initial_moves: Vec<usize>,
    /// The board in the beginning as an SVG document.
    pub board_svg: String,
    /// The same as lines of text.
    pub board_text: String,
    /// What the checks had to say: warnings and notes.
    pub check: GameCheck,
}

/// What the checks say about a rulesheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameCheck {
    /// Whether the game can be offered to be played: there is no error, it can be prepared, and somebody can play it.
    pub accepted: bool,
    /// The language, as far as it is clear.
    pub dialect: String,
    /// The SHA-256 of the text, in hexadecimal.
    pub sha256: String,
    /// The findings, ordered by place; of more than a thousand, errors before others.
    pub findings: Vec<GameFinding>,
    /// How many findings are left out.
    pub left_out: usize,
    /// The findings drawn under the text, as the command shows them.
    pub drawn: String,
    /// Why the game cannot be prepared within its limits, where that was tried and failed.
    pub heavy: Option<String>,
    /// Why nobody can play the game, in sentences. It may be kept as a draft.
    pub unplayable: Vec<String>,
}

/// One finding about a rulesheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameFinding {
    /// The kind, such as `L001`.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: TextPlace,
    /// Other places that matter, and what is there.
    pub labels: Vec<(TextPlace, String)>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// A piece of a text. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPlace {
    /// The byte where it begins.
    pub start: usize,
    /// The byte after its end.
    pub end: usize,
    /// The line where it begins.
    pub line: usize,
    /// The column where it begins.
    pub column: usize,
    /// The line where it ends.
    pub end_line: usize,
    /// The column after its end.
    pub end_column: usize,
}

/// So many findings are told at once: a text of a megabyte can have hundreds of thousands.
const MOST_FINDINGS: usize = 1000;

impl GameCheck {
    /// What the checks say.
    pub fn of(checked: &Checked, sha256: String) -> Self {
        // Why rules without an error are no game that can be run belongs to what is found.
        let all: Vec<Diagnostic> = checked.diagnostics.iter().chain(&checked.not_runnable).cloned().collect();
        let all = &all[..];
        let Some(left_out) = all.len().checked_sub(MOST_FINDINGS).filter(|&more| more > 0) else {
            return Self::of_parts(checked, all, sha256);
        };
        let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        let errors = all.iter().filter(is_error).count();
        let (mut errors, mut others) = (errors.min(MOST_FINDINGS), MOST_FINDINGS.saturating_sub(errors));
        let mut is_shown = |diagnostic: &&Diagnostic| {
            let room = if is_error(diagnostic) { &mut errors } else { &mut others };
            let has_room = *room > 0;
            *room = room.saturating_sub(1);
            has_room
        };
        let shown: Vec<Diagnostic> = all.iter().filter(|diagnostic| is_shown(diagnostic)).cloned().collect();
        Self { left_out, ..Self::of_parts(checked, &shown, sha256) }
    }

    fn of_parts(checked: &Checked, diagnostics: &[Diagnostic], sha256: String) -> Self {
        let source = &checked.rulesheet.source;
        let place = |span: Span| {
            let (from, to) = (source.position(span.range().start), source.position(span.range().end));
            TextPlace {
                start: span.range().start,
                end: span.range().end,
                line: from.line,
                column: from.column,
                end_line: to.line,
                end_column: to.column,
            }
        };
        let findings = diagnostics.iter().map(|diagnostic| GameFinding {
            code: diagnostic.code.to_string(),
            severity: diagnostic.severity.to_string(),
            message: diagnostic.message.clone(),
            place: place(diagnostic.span),
            labels: diagnostic.labels.iter().map(|l| (place(l.span), l.text.clone())).collect(),
            hint: diagnostic.hint.clone(),
        });
        Self {
            accepted: !checked.has_errors() && checked.game.is_some(),
            dialect: checked.dialect.to_string(),
            sha256,
            findings: findings.collect(),
            left_out: 0,
            drawn: report::plain(source, diagnostics),
            heavy: None,
            unplayable: Vec::new(),
        }
    }
}

impl GameCheck {
    /// Why the game cannot be played, in a sentence or more; empty where it can.
    pub fn refusal(&self) -> String {
        match &self.heavy {
            Some(heavy) => heavy.clone(),
            None if !self.unplayable.is_empty() => self.unplayable.join(" "),
            None if self.accepted => String::new(),
            None if self.findings.iter().any(|finding| finding.severity == "error") => {
                "the rulesheet has errors".to_owned()
            }
            None => "the rulesheet is no game that can be run".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use ludex::gdl::{LoadOptions, Source, load};

    use super::*;

    #[test]
    fn of_many_findings_errors_are_told_first() {
        let text = format!("{}(legal ?x go)", "(role a)\n".repeat(3 * MOST_FINDINGS));
        let checked = load(Source::new("many", text.as_str()).into(), &LoadOptions::default());
        let check = GameCheck::of(&checked, String::new());
        assert_eq!(check.findings.len(), MOST_FINDINGS);
        assert_eq!(check.left_out, checked.diagnostics.len() - MOST_FINDINGS);
        assert!(check.findings.last().is_some_and(|last| last.severity == "error"), "the error comes last");
    }
}
