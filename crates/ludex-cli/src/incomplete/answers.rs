//! `query` and `why` about sentences: entailed, refuted or unknown.

use std::io::Write;
use std::sync::Arc;

use ludex::game::incomplete::{Axiom, Course, Example, IncompleteGame};
use ludex::gdl::{GameSentences, Source, lower_question, parse, report};
use ludex::logic::TermId;
use ludex::logic::relational::{Answer, StatedSentence};
use serde_json::{Value, json};

use super::arguments::{SightArguments, course};
use super::{game_of, texts};
use crate::Context;
use crate::failure::Failure;
use crate::query_text::notation_of;
use crate::reasoning::StateArguments;

/// So many states are named where several are possible.
const MOST_STATES: usize = 64;

/// What people ask.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The sentence.
    pub sentence: &'a str,
    /// What was done.
    pub state: &'a StateArguments,
    /// What was seen.
    pub sight: &'a SightArguments,
    /// Whether the answer is for a program.
    pub as_json: bool,
}

/// What is asked of sentences.
struct Question {
    stated: Vec<StatedSentence>,
}

impl Question {
    fn read(sentences: &GameSentences, text: &str) -> Result<Self, Failure> {
        let source = Arc::new(Source::new("the sentence", text));
        let (sheet, mut diagnostics) =
            parse(Arc::clone(&source), Some(notation_of(text, sentences.notation)));
        if diagnostics.is_empty() && sheet.items.is_empty() {
            return Err(Failure::input("the query is empty"));
        }
        if diagnostics.is_empty() {
            match lower_question(sentences, &sheet) {
                Ok(stated) => return Ok(Self { stated }),
                Err(found) => diagnostics = found,
            }
        }
        Err(Failure::input(report::plain(&source, &diagnostics).trim_end().to_owned()))
    }
}

/// An instance of what is asked, with its answer.
struct Answered {
    values: Box<[TermId]>,
    answer: Answer,
}

/// Asks all instances of a sentence; several sentences are asked together, without values.
fn answers(course: &mut Course<'_>, question: &Question) -> Result<Vec<Answered>, Failure> {
    let game = course.game();
    let mut answered = Vec::new();
    for instance in game.grounding().questions[..question.stated.len()].iter().flatten() {
        let answer = course.ask(course.now(), instance.edge)?;
        answered.push(Answered { values: instance.values.clone(), answer });
    }
    Ok(answered)
}

/// `ludex query` about sentences.
///
/// # Errors
/// What cannot be read; a limit.
pub fn query(
    sentences: &Arc<GameSentences>,
    asked: &Asked<'_>,
    context: &mut Context,
) -> Result<(), Failure> {
    let question = Question::read(sentences, asked.sentence)?;
    let game = game_of(sentences, &question.stated, false, context)?;
    let mut course = course(&game, asked.state, asked.sight, context)?;
    let answered = answers(&mut course, &question)?;
    let names: Vec<String> = match &question.stated[..] {
        [one] => one
            .free
            .iter()
            .map(|&v| sentences.notation.variable(sentences.theory.terms.name(one.variables[v])))
            .collect(),
        _ => Vec::new(),
    };
    let values = |answered: &Answered| -> String {
        let pairs = names.iter().zip(&answered.values);
        pairs
            .map(|(name, &value)| format!("{name}={}", texts::term(sentences, value)))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut states = Vec::new();
    let step = course.now();
    let complete = course.states(step, MOST_STATES, |facts| states.push(facts))?;
    let console = &mut context.console;
    if asked.as_json {
        let instances = answered.iter().map(|one| {
            let pairs = names.iter().zip(&one.values);
            let object: serde_json::Map<String, Value> =
                pairs.map(|(name, &value)| (name.clone(), texts::term(sentences, value).into())).collect();
            json!({ "values": object, "answer": one.answer.to_string() })
        });
        let states: Vec<Value> = states
            .iter()
            .map(|facts| facts.iter().map(|&fact| texts::term(sentences, fact)).collect::<Vec<_>>().into())
            .collect();
        let object = json!({
            "query": asked.sentence,
            "step": course.now() + 1,
            "answer": names.is_empty().then(|| together(&answered).to_string()),
            "variables": names,
            "answers": instances.collect::<Vec<_>>(),
            "states": states,
            "states_are_all": complete,
        });
        writeln!(console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    if names.is_empty() {
        writeln!(console, "{}", together(&answered))?;
    } else {
        for answer in [Answer::Entailed, Answer::Unknown, Answer::Refuted, Answer::Contradictory] {
            let such: Vec<String> = answered.iter().filter(|one| one.answer == answer).map(values).collect();
            if !such.is_empty() {
                writeln!(console, "{}", console.bold(&answer.to_string()))?;
                console.write_all(console.columns(2, &such).as_bytes())?;
            }
        }
    }
    let count = if complete { states.len().to_string() } else { format!("more than {MOST_STATES}") };
    let plural = if states.len() == 1 { "state is" } else { "states are" };
    writeln!(console, "{}", console.dim(&format!("step {}: {count} {plural} possible", course.now() + 1)))?;
    Ok(())
}

/// The answer to all instances together: what holds for all of them.
fn together(answered: &[Answered]) -> Answer {
    let any = |answer| answered.iter().any(|one| one.answer == answer);
    if any(Answer::Contradictory) {
        Answer::Contradictory
    } else if any(Answer::Refuted) {
        Answer::Refuted
    } else if any(Answer::Unknown) {
        Answer::Unknown
    } else {
        Answer::Entailed
    }
}

/// What explains an answer.
enum Explanation {
    /// Sentences and axioms that it follows from.
    Reasons(Vec<Result<usize, Axiom>>),
    /// A course in which it holds, and one in which it does not.
    Courses([Example; 2]),
}

/// `ludex why` about sentences.
///
/// # Errors
/// What cannot be read; a limit.
pub fn why(sentences: &Arc<GameSentences>, asked: &Asked<'_>, context: &mut Context) -> Result<(), Failure> {
    let question = Question::read(sentences, asked.sentence)?;
    let mut game = game_of(sentences, &question.stated, true, context)?;
    let all = game.conjunction(0..question.stated.len());
    let mut course = course(&game, asked.state, asked.sight, context)?;
    let step = course.now();
    let answer = course.ask(step, all)?;
    let explanation = match answer {
        Answer::Entailed => Explanation::Reasons(course.reasons(step, all)?.unwrap_or_default()),
        Answer::Refuted => Explanation::Reasons(course.reasons(step, !all)?.unwrap_or_default()),
        Answer::Contradictory => Explanation::Reasons(course.contradiction()?.unwrap_or_default()),
        Answer::Unknown => {
            let mut example =
                |value| -> Result<_, Failure> { Ok(course.example(step, all, value)?.unwrap_or_default()) };
            Explanation::Courses([example(true)?, example(false)?])
        }
    };
    let console = &mut context.console;
    if asked.as_json {
        let object = explanation_json(&game, asked.sentence, answer, &explanation);
        writeln!(console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    writeln!(console, "{}", console.bold(&answer.to_string()))?;
    match &explanation {
        Explanation::Reasons(reasons) => {
            for &reason in reasons {
                writeln!(console, "  {}", texts::reason(sentences, reason))?;
            }
        }
        Explanation::Courses(courses) => {
            for (course, title) in courses.iter().zip(["it may hold", "it may fail"]) {
                let stays = texts::stays(sentences, course);
                let stays = if stays.is_empty() { stays } else { format!(" with {stays}") };
                writeln!(console, "{title}{stays}")?;
                for (number, step) in course.steps.iter().enumerate() {
                    writeln!(console, "  step {}: {}", number + 1, texts::step(&game, step))?;
                }
            }
        }
    }
    Ok(())
}

fn explanation_json(game: &IncompleteGame, text: &str, answer: Answer, explanation: &Explanation) -> Value {
    let sentences = game.sentences();
    let mut object = json!({ "sentence": text, "answer": answer.to_string() });
    match explanation {
        Explanation::Reasons(reasons) => {
            let said = reasons.iter().filter_map(|reason| reason.ok());
            let lines = said.map(|number| {
                let (line, text) = texts::sentence(sentences, number);
                json!({ "line": line, "text": text })
            });
            object["sentences"] = lines.collect::<Vec<_>>().into();
            let axioms = reasons.iter().filter_map(|reason| reason.err()).map(|axiom| axiom.to_string());
            object["in_every_game"] = axioms.collect::<Vec<_>>().into();
        }
        Explanation::Courses(courses) => {
            for (course, name) in courses.iter().zip(["may_hold", "may_fail"]) {
                let steps = course.steps.iter().map(|step| {
                    let term = |&term: &TermId| texts::term(sentences, term);
                    json!({
                        "facts": step.facts.iter().map(term).collect::<Vec<_>>(),
                        "moves": step.moves.iter().map(|made| made.as_ref().map(term)).collect::<Vec<_>>(),
                    })
                });
                let stays: Vec<String> = course.stays.iter().map(|held| sentences.atom_text(held)).collect();
                object[name] = json!({ "stays": stays, "steps": steps.collect::<Vec<_>>() });
            }
        }
    }
    object
}
