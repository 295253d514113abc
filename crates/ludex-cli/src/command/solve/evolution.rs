//! `ludex solve --moves`: what holds at which step of a course of moves (book 15.2).

use std::io::Write;

use ludex::analysis::answer_sets::evolution;
use ludex::logic::TermId;
use serde_json::json;

use super::Question;
use crate::Context;
use crate::failure::Failure;
use crate::moves_text::{split, text_or_file};

/// Shows the table. Moves need not be legal; each step has a move of each role.
pub fn run(question: &Question<'_>, text: &str, context: &mut Context) -> Result<(), Failure> {
    let game = question.game;
    let text = text_or_file(text, &context.limits)?;
    let roles = game.roles().len();
    // A text without semicolons and line breaks has one move for each step.
    let steps = match &split(&text)[..] {
        [moves] if roles == 1 => moves.iter().map(|word| vec![word.clone()]).collect(),
        steps => steps.to_vec(),
    };
    let term = |word: &String| -> Result<TermId, Failure> {
        let known = game.find_term(word).map_err(|e| Failure::input(e.to_string()))?;
        known.ok_or_else(|| Failure::input(format!("the game has no move `{word}`")))
    };
    let mut moves: Vec<Vec<TermId>> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        if step.len() != roles {
            return Err(Failure::input(format!("step {} has {} moves", number + 1, step.len()))
                .hint(format!("a step lists the moves of {}", game.role_names().join(", "))));
        }
        moves.push(step.iter().map(term).collect::<Result<_, _>>()?);
    }
    let course = evolution(game.rules(), &moves)?;
    if !question.arguments.json {
        context.console.write_all(course.text(game.rules()).as_bytes())?;
        return Ok(());
    }
    let rows: Vec<_> = course
        .rows(game.rules())
        .into_iter()
        .map(|(name, holds)| {
            let times = holds.iter().zip(1..).filter(|(holds, _)| **holds);
            json!({ "proposition": name, "times": times.map(|(_, time): (_, u64)| time).collect::<Vec<_>>() })
        })
        .collect();
    let object = json!({ "game": game.short_name(), "moves": steps, "rows": rows });
    writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
    Ok(())
}
