//! Terms, states and sentences as text.

use ludex::game::incomplete::{Axiom, Example, ExampleStep, IncompleteGame};
use ludex::gdl::GameSentences;
use ludex::logic::TermId;

/// A term as the rulesheet would write it.
pub fn term(sentences: &GameSentences, term: TermId) -> String {
    sentences.theory.terms.shown_in(term, sentences.notation)
}

/// Terms side by side; `-` where there is none.
pub fn terms(sentences: &GameSentences, all: &[TermId]) -> String {
    if all.is_empty() {
        return "-".to_owned();
    }
    all.iter().map(|&one| term(sentences, one)).collect::<Vec<_>>().join(", ")
}

/// What stays in a course, of all that is not known.
pub fn stays(sentences: &GameSentences, example: &Example) -> String {
    example.stays.iter().map(|held| sentences.atom_text(held)).collect::<Vec<_>>().join(", ")
}

/// A step of a course: facts, and the moves where some are made.
pub fn step(game: &IncompleteGame, step: &ExampleStep) -> String {
    let sentences = game.sentences();
    let facts = terms(sentences, &step.facts);
    let moves: Vec<String> = sentences
        .roles
        .iter()
        .zip(&step.moves)
        .filter_map(|(&role, made)| {
            made.map(|made| format!("{} does {}", term(sentences, role), term(sentences, made)))
        })
        .collect();
    if moves.is_empty() { facts } else { format!("{facts}; {}", moves.join(", ")) }
}

/// The line of a sentence, counted from 1, and its text on one line.
pub fn sentence(sentences: &GameSentences, number: usize) -> (usize, String) {
    let Some(&span) = sentences.spans.as_slice().get(number) else { return (0, String::new()) };
    let text = sentences.source.text().get(span.range()).unwrap_or_default();
    let line = sentences.source.position(span.start as usize).line;
    (line, text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What a reason says.
pub fn reason(sentences: &GameSentences, reason: Result<usize, Axiom>) -> String {
    match reason {
        Ok(number) => {
            let (line, text) = sentence(sentences, number);
            format!("line {line}: {text}")
        }
        Err(axiom) => format!("in every game: {axiom}"),
    }
}

/// The one of some terms that is meant by a text in either notation, as a number.
pub fn find(sentences: &GameSentences, among: &[TermId], text: &str) -> Option<usize> {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let close = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let terms = &sentences.theory.terms;
    among.iter().position(|&term| {
        plain(&terms.prefix(term)) == plain(text) || close(&terms.infix(term)) == close(text)
    })
}
