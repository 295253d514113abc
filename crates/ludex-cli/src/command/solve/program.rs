//! `ludex solve FILE.lp`: the models of an answer set program (book 15.1).

use std::io::Write;
use std::time::Duration;

use ludex::analysis::answer_sets::{AnswerSets, End, Program, ProgramTextError};
use serde_json::json;

use super::{DEFAULT_TIME, SolveArguments};
use crate::Context;
use crate::console::wrapped;
use crate::failure::{Failure, NONE, UNDECIDED};
use crate::input::read_text;
use crate::limits::duration_text;

/// The most models where no other number is given.
const MODELS: usize = 10;

/// Whether this is the name of an answer set program, and not of a game.
pub fn is_program(file: &str) -> bool {
    std::path::Path::new(file).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("lp"))
}

/// Shows the models.
pub fn run(arguments: &SolveArguments, context: &mut Context) -> Result<(), Failure> {
    if let Some(option) = arguments.option_for_games() {
        return Err(Failure::Usage(format!(
            "`{option}` is for games, and `{}` is a program",
            arguments.file
        )));
    }
    let file = &arguments.file;
    let budget = context.limits.analysis_budget(DEFAULT_TIME);
    let began = context.limits.now();
    let text = read_text(file, &context.limits)?;
    let program = match Program::read_within(&text, &budget) {
        Ok(program) => Ok(program),
        Err(ProgramTextError::Limit(limit)) => Err(limit),
        Err(error) => return Err(Failure::input(format!("{file}, {error}"))),
    };
    let most = match arguments.models.unwrap_or(MODELS) {
        0 => usize::MAX,
        most => most,
    };
    let (program, answer) = match program {
        Ok(program) => {
            let answer = program.models(most, &budget);
            (program, answer)
        }
        Err(limit) => {
            let answer = AnswerSets { models: Vec::new(), end: End::Stopped(limit), loops: 0 };
            (Program::new(), answer)
        }
    };
    let models: Vec<Vec<String>> = answer.models.iter().map(|model| names(&program, model)).collect();
    let time = context.limits.now().saturating_sub(began);
    if arguments.json {
        let object = json!({
            "program": file,
            "result": result(&answer),
            "models": models,
            "are_all": answer.end == End::All,
            "reason": reason(&answer),
            "atoms": program.atoms().len(),
            "rules": program.rules().len(),
            "seconds": (time.as_secs_f64() * 1000.0).round() / 1000.0,
        });
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
    } else {
        show(&program, &answer, &models, time, context)?;
    }
    match (&answer.end, models.is_empty()) {
        (End::Stopped(_), _) => Err(Failure::Code(UNDECIDED)),
        (End::All, true) => Err(Failure::Code(NONE)),
        _ => Ok(()),
    }
}

/// The names of a model's atoms, by name and then by their numbers.
fn names(program: &Program, model: &[ludex::analysis::answer_sets::Atom]) -> Vec<String> {
    program.names(model).into_iter().map(str::to_owned).collect()
}

fn result(answer: &AnswerSets) -> &'static str {
    match (&answer.end, answer.models.is_empty()) {
        (_, false) => "found",
        (End::Stopped(_), true) => "undecided",
        (_, true) => "none",
    }
}

fn reason(answer: &AnswerSets) -> Option<String> {
    if let End::Stopped(limit) = &answer.end { Some(limit.to_string()) } else { None }
}

fn show(
    program: &Program,
    answer: &AnswerSets,
    models: &[Vec<String>],
    time: Duration,
    context: &mut Context,
) -> Result<(), Failure> {
    let console = &mut context.console;
    let count = models.len();
    let plural = if count == 1 { "" } else { "s" };
    let title = match (&answer.end, count) {
        (End::All, 0) => "No answer set".to_owned(),
        (End::All, _) => format!("{count} answer set{plural}"),
        (End::Enough, _) => format!("The first {count} answer set{plural}; `--models` allows more"),
        (End::Stopped(limit), 0) => format!("Not decided whether there is an answer set: {limit}"),
        (End::Stopped(limit), _) => format!("{count} answer set{plural}, and perhaps more: {limit}"),
    };
    writeln!(console, "{}", console.bold(&title))?;
    let width = console.width();
    for (number, model) in (1..).zip(models) {
        let atoms = if model.is_empty() { "(no atoms)".to_owned() } else { model.join(" ") };
        let begin = format!("{number:>3}  ");
        write!(console, "{begin}{}", wrapped(&atoms, width, begin.len()))?;
    }
    let (atoms, rules) = (program.atoms().len(), program.rules().len());
    let work = format!("{atoms} atoms, {rules} rules without variables, {}", duration_text(time));
    writeln!(console, "{}", console.dim(&work))?;
    Ok(())
}
