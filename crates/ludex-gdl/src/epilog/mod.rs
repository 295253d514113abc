//! Epilog, the newer notation of Stanford's Gamemaster, as games of GDL.
//!
//! A sheet speaks of the state by bare facts (`cell(1,1,b)`), of moves without roles, and of what moves change by operations
//! (`mark(M,N) :: control(R) ==> ~cell(M,N,b) & cell(M,N,R)`). In GDL:
//!
//! - A relation without a fact, rule or operation in the sheet is about the state: `p(X)` becomes `true(p(X))`.
//! - Who is in control has the legal moves; all others have one move, `noop` or a name that the sheet does not use. A state in
//!   which several roles are in control, which no known game has, lets each of them move.
//! - An operation says what its move adds and deletes (`operations.rs`); what is not deleted goes on. A fact that is both added
//!   and deleted holds.
//! - `~p(X)` where X has no value yet asks a helper relation, which holds where there is any X (`reading.rs`).
//! - Arithmetic becomes tables of the numbers that can turn up (`numbers.rs`), and counting a recursion over what can be
//!   counted (`counting.rs`).
//! - `base` and `action` are for readers: the engine of Gamemaster does not look at them either.
//!
//! Its engine does not ask whether the game is over before the first move; here a game may be over at once. Where it says that a
//! goal without an answer is 0, here the role has no goal value.
//!
//! The notation is Gamemaster's; what its engine does was compared with records of it, state by state.

mod built_in;
mod conversion;
mod counting;
mod names;
mod numbers;
mod operations;
mod reading;
mod sheet;
#[cfg(test)]
mod tests;
mod writer;

use std::sync::Arc;

use self::built_in::BuiltIn;
use self::conversion::{Conversion, VersionRules, read_all};
use self::names::Names;
use self::operations::Shapes;
use self::sheet::Sheet;
use self::writer::Writer;
use crate::check::check_epilog;
use crate::diagnostic::{Diagnostic, Severity};
use crate::game_program::{Dialect, GameProgram};
use crate::lower::lower_leniently;
use crate::tree::Rulesheet;

/// Whether a name has a meaning of its own: a keyword, or a relation that is built in.
pub(crate) fn is_word(name: &str) -> bool {
    matches!(name, "role" | "base" | "action" | "init" | "legal" | "goal" | "terminal" | "control")
        || matches!(name, "true" | "false" | "distinct" | "countofall")
        || BuiltIn::is_named(name)
        || BuiltIn::is_unsupported(name)
}

/// The rules of a sheet in Epilog as rules of GDL. Places are those of the sheet.
pub(crate) struct InGdl {
    /// The rules that the author wrote, followed by those that every game of Epilog has.
    pub rulesheet: Rulesheet,
    /// So many are the author's.
    pub written: usize,
    pub diagnostics: Vec<Diagnostic>,
    /// What roles do that are not in control.
    wait: String,
    /// The relations that no author wrote, each with the one that it is a version of.
    renamed: Vec<(String, String)>,
}

/// What a rulesheet in Epilog is as a game.
pub(crate) struct Lowered {
    /// The game, where the rules have a meaning.
    pub game: Option<GameProgram>,
    /// What was found out while the rules were read.
    pub diagnostics: Vec<Diagnostic>,
    /// What the checks found.
    pub findings: Vec<Diagnostic>,
}

/// Reads and checks a rulesheet in Epilog.
pub(crate) fn lower(rulesheet: &Rulesheet) -> Lowered {
    let in_gdl = in_gdl(rulesheet);
    let mut diagnostics = in_gdl.diagnostics;
    let is_wrong = |found: &[Diagnostic]| found.iter().any(|one| one.severity == Severity::Error);
    if is_wrong(&diagnostics) {
        return Lowered { game: None, diagnostics, findings: Vec::new() };
    }
    let mut lowered = lower_leniently(&in_gdl.rulesheet, Dialect::Gdl);
    diagnostics.append(&mut lowered.diagnostics);
    let mut findings = check_epilog(&in_gdl.rulesheet, &lowered.game, &lowered.broken);
    findings.iter_mut().for_each(|found| in_words_of_author(found, &in_gdl.renamed));
    let mut game = lowered.game;
    game.dialect = Dialect::Epilog;
    let wait = game.program.terms.constant(&in_gdl.wait);
    game.waiting = Some(wait);
    let is_whole = lowered.broken.iter().all(|&broken| !broken);
    Lowered { game: is_whole.then_some(game), diagnostics, findings }
}

/// The rules of GDL that say what a sheet says.
pub(crate) fn in_gdl(rulesheet: &Rulesheet) -> InGdl {
    let (sheet, mut diagnostics) = Sheet::read(rulesheet);
    let (mut reading, effects) = read_all(&sheet);
    diagnostics.append(&mut reading.diagnostics);
    if diagnostics.iter().any(|found| found.severity == Severity::Error) {
        let nothing = Rulesheet { items: Vec::new(), ..rulesheet.clone() };
        let (wait, renamed) = (String::new(), Vec::new());
        return InGdl { rulesheet: nothing, written: 0, diagnostics, wait, renamed };
    }
    let mut tree = sheet.tree.clone();
    let names = Names::new(&reading, &mut tree);
    let versions = reading.versions.into_iter().map(|(version, rules)| VersionRules {
        name: version.name,
        arity: version.bound.len(),
        rules,
    });
    let mut conversion = Conversion {
        sheet: &sheet,
        writer: Writer::new(tree, sheet.notation, &names),
        names: &names,
        versions: versions.collect(),
        effects,
        shapes: Shapes::default(),
        diagnostics: Vec::new(),
    };
    let written = conversion.convert();
    diagnostics.append(&mut conversion.diagnostics);
    let mut writer = conversion.writer;
    if !writer.counts.is_empty() {
        // What is counted may be numbers, and numbers may be how much was counted.
        let before = writer.items.len();
        numbers::write(&mut writer, &mut Vec::new());
        let tables = writer.items.len() - before;
        counting::write(&mut writer, &mut diagnostics);
        writer.items.drain(before..before + tables);
    }
    numbers::write(&mut writer, &mut diagnostics);
    diagnostics.sort_by_key(|found| found.span);
    let rulesheet = Rulesheet {
        source: Arc::clone(&rulesheet.source),
        notation: rulesheet.notation,
        tree: writer.tree,
        items: writer.items,
        comments: rulesheet.comments.clone(),
    };
    InGdl { rulesheet, written, diagnostics, wait: names.wait.clone(), renamed: names.renamed.clone() }
}

/// Says what was found of a relation under the name that the author gave it.
fn in_words_of_author(found: &mut Diagnostic, renamed: &[(String, String)]) {
    for (name, written) in renamed {
        let quoted = format!("`{name}`");
        if found.message.contains(&quoted) {
            found.message = found.message.replace(&quoted, &format!("`{written}`"));
        }
    }
}
