//! Incomplete descriptions (book 19): IGDL, IGDL-II and ISDL, which are sentences in place of rules.
//!
//! A rulesheet becomes [`GameSentences`], which can be asked what they entail. Where these define everything that a game
//! needs, or leave open only what was decided before it began, they are a game that runs, too ([`program`]).

mod cases;
mod check;
mod definitions;
mod game_sentences;
mod program;
mod unrolled;
mod writer;

use std::sync::Arc;

use ludex_logic::relational::{
    Grounding, GroundingError, GroundingOptions, Moment, PremiseId, Reasoner, Root, SentenceId,
};
use ludex_logic::sat::Verdict;
use ludex_logic::{AtomId, Budget, Id};

use crate::check::registry::{CONTRADICTION, ENDLESS_TERMS, LEFT_OPEN, UNSUPPORTED_DIALECT};
use crate::diagnostic::{Diagnostic, Severity};
use crate::game_program::{Dialect, GameProgram};
use crate::lower::lower_sentences;
use crate::source::Span;
use crate::tree::Rulesheet;

use definitions::Definitions;

pub use definitions::Open;
pub use game_sentences::GameSentences;
pub(crate) use game_sentences::changing;

/// Steps of grounding and solving that checking a rulesheet may take.
const WORK: u64 = 100_000_000;
/// Bytes that it may take.
const MEMORY: usize = 1 << 30;
/// So many things that nothing defines are asked for one by one.
const MOST_ASKED: usize = 1000;
/// So many things that are left open are named.
const MOST_NAMED: usize = 6;

/// What a rulesheet of sentences is.
pub(crate) struct Read {
    pub sentences: Option<Arc<GameSentences>>,
    /// The game, where nothing is left open but what is decided before it begins.
    pub game: Option<GameProgram>,
    /// Why there is no game that runs, where the sentences as such are in order.
    pub not_runnable: Option<Diagnostic>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads and checks a rulesheet of sentences.
pub(crate) fn read(rulesheet: &Rulesheet, dialect: Dialect) -> Read {
    let (sentences, mut diagnostics) = lower_sentences(rulesheet, dialect);
    diagnostics.extend(check::check(rulesheet, dialect));
    let mut read = Read { sentences: sentences.map(Arc::new), game: None, not_runnable: None, diagnostics };
    let Some(sentences) = read.sentences.clone() else { return read };
    if read.diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return read;
    }
    let start = rulesheet.items.first().map_or(Span::default(), |item| item.span);
    match look_through(&sentences) {
        Ok(Looked::Contradictory(found)) => read.diagnostics.push(found),
        Ok(Looked::Runs(game, open, unheeded)) => {
            if let Some(sentence) = unheeded {
                let message = "no game that runs heeds this sentence: it restricts what others define";
                let hint = "`ludex query` and `why` heed it; define what is meant with `<=>`";
                read.diagnostics.push(LEFT_OPEN.at(sentences.spans[sentence], message).hint(hint));
            }
            if !open.is_empty() {
                read.diagnostics.push(LEFT_OPEN.at(start, open_text(&sentences, &open)));
            }
            read.game = Some(*game);
        }
        Ok(Looked::Open(open)) => {
            let text = open_text(&sentences, &open);
            if open != [Open::Steps] {
                read.diagnostics.push(LEFT_OPEN.at(start, text.clone()));
            }
            let hint = "`ludex query`, `why` and `solve` ask what these sentences entail; what runs must be decided before the first step";
            let message = format!("this cannot be run: {text}");
            read.not_runnable = Some(UNSUPPORTED_DIALECT.at(start, message).hint(hint));
        }
        Err(error @ GroundingError::Endless { .. }) => {
            let hint =
                "functions may only be applied to things of another kind: name what they can be applied to";
            read.diagnostics.push(ENDLESS_TERMS.at(start, error.to_string()).hint(hint));
        }
        Err(GroundingError::Limit(limit)) => {
            let message = format!("whether the sentences contradict each other was not found out: {limit}");
            read.diagnostics.push(LEFT_OPEN.at(start, message));
        }
    }
    read
}

fn open_text(sentences: &GameSentences, open: &[Open]) -> String {
    let named: Vec<String> = open.iter().take(MOST_NAMED).map(|open| open.text(sentences)).collect();
    let more = open.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the sentences leave open {}{more}", named.join(", "))
}

enum Looked {
    Contradictory(Diagnostic),
    /// A game, what is open until it begins, and a sentence that says more than the game has.
    Runs(Box<GameProgram>, Vec<Open>, Option<SentenceId>),
    Open(Vec<Open>),
}

fn look_through(sentences: &GameSentences) -> Result<Looked, GroundingError> {
    let budget = Budget::unlimited().with_work(WORK).with_memory(MEMORY);
    let theory = &sentences.theory;
    let together = GroundingOptions { each_alone: false, budget: budget.clone() };
    let alone = GroundingOptions { each_alone: true, budget: budget.clone() };
    let grounding = Grounding::new(theory, &[], &together)?;
    let reason = |grounding: &Grounding| -> Result<(Reasoner, Moment), GroundingError> {
        let mut reasoner = Reasoner::new(grounding, theory.sentences.len(), |_| false, budget.meter());
        let moment = reasoner.add_moment(grounding)?;
        Ok((reasoner, moment))
    };
    let (mut reasoner, moment) = reason(&grounding)?;
    if !reasoner.is_possible(&[])? {
        let (mut reasoner, _) = reason(&Grounding::new(theory, &[], &alone)?)?;
        let needed = reasoner.contradiction(&[])?.unwrap_or_default();
        return Ok(Looked::Contradictory(contradiction(sentences, &needed)));
    }
    let definitions = Definitions::find(sentences, &grounding);
    let unheeded = unheeded(sentences, &definitions, &grounding, &mut reasoner, moment)?;
    cases::demand_start(&mut reasoner, moment, &grounding, &sentences.vocabulary)?;
    if !reasoner.is_possible(&[])? {
        let grounding = Grounding::new(theory, &[], &alone)?;
        let (mut reasoner, moment) = reason(&grounding)?;
        cases::demand_start(&mut reasoner, moment, &grounding, &sentences.vocabulary)?;
        let needed = reasoner.contradiction(&[])?.unwrap_or_default();
        let hint = "what they say of any step they say of the first one, where what `init` says holds";
        return Ok(Looked::Contradictory(contradiction(sentences, &needed).hint(hint)));
    }
    let open = definitions.open(sentences, &grounding);
    let are_few = open.len() <= MOST_ASKED;
    let mut named = Vec::new();
    for open in &open {
        // What the sentences decide together is not open, even if none defines it.
        let is_asked = are_few && open.is_lasting(sentences);
        if !(is_asked && is_decided(&mut reasoner, moment, &grounding, open)?) {
            named.push(open.clone());
        }
    }
    Ok(match program::program(sentences, grounding, definitions, &open, &budget)? {
        Ok(game) => Looked::Runs(Box::new(game), named, unheeded),
        Err(open) => Looked::Open(open),
    })
}

/// A sentence that defines nothing, is about what changes and does not follow from the others at every step.
fn unheeded(
    sentences: &GameSentences,
    definitions: &Definitions,
    grounding: &Grounding,
    reasoner: &mut Reasoner,
    moment: Moment,
) -> Result<Option<SentenceId>, GroundingError> {
    let changes = |atom: &AtomId| sentences.changes[grounding.atoms[*atom].relation];
    let is_suspect = |root: &&Root| {
        !definitions.is_by(root) && grounding.formulas.atoms_in([root.edge]).iter().any(changes)
    };
    for root in grounding.roots.iter().filter(is_suspect).take(MOST_ASKED) {
        let wrong = reasoner.literal(grounding, moment, !root.edge)?;
        let others = reasoner.premises().iter().enumerate();
        let others =
            others.filter(|(number, _)| *number != root.sentence.index()).map(|(_, &granted)| granted);
        let assumptions: Vec<_> = others.chain([wrong]).collect();
        if reasoner.solver().solve(&assumptions, u64::MAX)? == Verdict::Satisfiable {
            return Ok(Some(root.sentence));
        }
    }
    Ok(None)
}

/// Whether an atom has the same value in all models.
fn is_decided(
    reasoner: &mut Reasoner,
    moment: Moment,
    grounding: &Grounding,
    open: &Open,
) -> Result<bool, GroundingError> {
    let Open::Atom(atom) = open else { return Ok(false) };
    let known = grounding.find(atom).and_then(|id| grounding.formulas.find_atom(id));
    let Some(edge) = known else { return Ok(false) };
    let literal = reasoner.literal(grounding, moment, edge)?;
    Ok(reasoner.answer(literal, &[])?.value().is_some())
}

/// Points at sentences that contradict each other.
fn contradiction(sentences: &GameSentences, needed: &[PremiseId]) -> Diagnostic {
    let spans = sentences.spans.as_slice();
    let mut spans: Vec<Span> =
        needed.iter().filter_map(|premise| spans.get(premise.index()).copied()).collect();
    spans.sort_unstable();
    let Some((last, others)) = spans.split_last() else {
        return CONTRADICTION.at(Span::default(), "the sentences contradict each other");
    };
    let message = match others.len() {
        0 => "this sentence contradicts itself".to_owned(),
        1 => "this sentence contradicts another one".to_owned(),
        count => format!("this sentence and {count} others contradict each other"),
    };
    let mut found =
        CONTRADICTION.at(*last, message).hint("without any one of them there is no contradiction");
    if others.is_empty() {
        found.hint = None;
    }
    for &other in others {
        found = found.label(other, "with this one");
    }
    found
}

#[cfg(test)]
mod tests;
