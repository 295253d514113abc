//! Traces and match records.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use ludex::game::{Mismatch, RuleMachine, RuleMachineOptions, Trace, verify};
use ludex::gdl::{LoadOptions, Severity, Source, load};
use ludex::learn::{Learned, ObservationError, Vocabulary, observe, observe_others, rulesheet};

use super::report::Report;
use super::{LearnArguments, Task, learn_all};
use crate::Context;
use crate::failure::Failure;
use crate::input::read_text;
use crate::output::write_file;
use crate::rulesheet::reason;
use crate::trace_file::{Recorded, read};

/// Learns from records, writes a rulesheet and replays the records with it.
pub fn run(arguments: &LearnArguments, context: &mut Context) -> Result<(), Failure> {
    let begun = context.limits.now();
    let traces = read_all(&arguments.files, context)?;
    let tests = read_all(&arguments.test, context)?;
    let background =
        arguments.background.as_deref().map(|file| read_background(file, context)).transpose()?;
    let mut vocabulary = Vocabulary::default();
    let wrong = |error: ObservationError| Failure::input(error.to_string());
    let observed = observe(&traces, background.as_deref(), &mut vocabulary).map_err(wrong)?;
    let test = if tests.is_empty() {
        None
    } else {
        Some(observe_others(&tests, &observed, &mut vocabulary).map_err(wrong)?)
    };
    let learned = learn_all(&observed, test.as_ref(), &vocabulary, arguments, arguments.time, context);
    let (fits, tasks): (Vec<_>, Vec<Task>) = learned.into_iter().unzip();
    let rules: Vec<&Learned> = fits.iter().map(|fit| &fit.learned).collect();
    let text = rulesheet(&rules, &observed, &observed.states[0], &vocabulary);
    match &arguments.output {
        Some(output) => write_file(output, &text)?,
        None if arguments.json => {}
        None => writeln!(context.console, "{text}")?,
    }
    let replayed = replay(&text, &traces, context);
    let is_replayed = replayed.1.is_empty();
    let seconds = context.limits.now().saturating_sub(begun).as_secs_f64();
    let report =
        Report { tasks: &tasks, seconds, file: arguments.output.as_deref(), replayed: Some(replayed) };
    report.show(arguments.json, context)?;
    if is_replayed { Ok(()) } else { Err(Failure::Reported) }
}

/// Reads what was recorded in files and folders.
///
/// # Errors
/// A file cannot be read, or is of a match in real time.
pub fn read_all(files: &[String], context: &Context) -> Result<Vec<Trace>, Failure> {
    let mut traces = Vec::new();
    for file in files_of(files)? {
        let file = &file;
        for recorded in read(file, &context.limits)? {
            let (name, recorded) = recorded?;
            if recorded.is_empty() {
                continue;
            }
            traces.push(match recorded {
                Recorded::Trace(trace) | Recorded::Unordered(trace) => trace,
                Recorded::Match(record) => record.to_trace(),
                Recorded::Timed(_) => {
                    return Err(Failure::input(format!(
                        "`{name}` is of a match in real time, of which nothing is learned"
                    )));
                }
            });
        }
    }
    Ok(traces)
}

/// These files, and in place of a folder the files in it, by name.
fn files_of(names: &[String]) -> Result<Vec<String>, Failure> {
    let mut files = Vec::new();
    for name in names {
        if !Path::new(name).is_dir() {
            files.push(name.clone());
            continue;
        }
        let wrong =
            |error: std::io::Error| Failure::input(format!("cannot read `{name}`: {}", reason(&error)));
        let mut inside = Vec::new();
        for entry in fs::read_dir(name).map_err(wrong)? {
            let path = entry.map_err(wrong)?.path();
            if path.is_file() {
                inside.push(path.to_string_lossy().into_owned());
            }
        }
        inside.sort();
        files.append(&mut inside);
    }
    Ok(files)
}

/// Facts of a file in prefix notation, without comments.
fn read_background(file: &str, context: &Context) -> Result<String, Failure> {
    let text = read_text(file, &context.limits)?;
    Ok(text.lines().map(|line| line.split(';').next().unwrap_or_default()).collect::<Vec<_>>().join("\n"))
}

/// How many states of the records there are, and how what was learned differs from them.
fn replay(rules: &str, traces: &[Trace], context: &Context) -> (u64, Vec<String>) {
    let states = traces.iter().map(|trace| trace.steps.len() as u64).sum();
    let checked = load(Arc::new(Source::new("learned", rules)), &LoadOptions::default());
    let error = checked.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    let game = match (checked.game, error) {
        (Some(game), None) => game,
        (_, error) => {
            let why = error.map_or_else(String::new, |error| format!(": {}", error.message));
            return (states, vec![format!("the rules are incomplete{why}")]);
        }
    };
    let machine = match RuleMachine::new(&game, &RuleMachineOptions::default()) {
        Ok(machine) => machine,
        Err(error) => return (states, vec![error.to_string()]),
    };
    let mut differences = Vec::new();
    for trace in traces {
        let report = verify(&machine, trace, context.limits.budget());
        differences.extend(report.mismatches.iter().map(text));
    }
    (states, differences)
}

fn text(mismatch: &Mismatch) -> String {
    format!(
        "playout {}, step {}, {}: recorded {}, by the rules {}",
        mismatch.playout, mismatch.step, mismatch.what, mismatch.expected, mismatch.found
    )
}
