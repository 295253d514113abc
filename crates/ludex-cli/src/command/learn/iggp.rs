//! Tasks of the IGGP data set.

use std::path::Path;

use ludex::learn::{IggpError, Observations, Score, Vocabulary, read_iggp};

use super::report::Report;
use super::{LearnArguments, Task, learn_all, task};
use crate::Context;
use crate::failure::Failure;
use crate::input::read_recorded;
use crate::output::write_file;

/// Learns each task and scores it on the test beside it.
pub fn run(arguments: &LearnArguments, context: &mut Context) -> Result<(), Failure> {
    if arguments.background.is_some() || !arguments.test.is_empty() || !arguments.negatives.is_empty() {
        let why = "--background, --test and --negatives are for records: a task has its own";
        return Err(Failure::Usage(why.to_owned()));
    }
    let begun = context.limits.now();
    let mut tasks = Vec::new();
    let mut clauses = String::new();
    for (number, file) in arguments.files.iter().enumerate() {
        let mut vocabulary = Vocabulary::default();
        let train = read(file, &mut vocabulary, context)?;
        let beside = test_beside(file);
        let test = beside.map(|test| read(&test, &mut vocabulary, context)).transpose()?;
        let left = arguments.time.saturating_sub(context.limits.now().saturating_sub(begun));
        let time = left / u32::try_from(arguments.files.len() - number).unwrap_or(1);
        let learned = learn_all(&train, &vocabulary, arguments, 0, time, context);
        for fit in &learned {
            clauses.push_str(&fit.learned.clauses(&train, &vocabulary));
            clauses.push('\n');
        }
        let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
        let name = name.split('.').next().unwrap_or_default().trim_end_matches("_train").to_owned();
        tasks.push(together(name, learned.iter().map(|fit| task(fit, &train, test.as_ref(), &vocabulary))));
    }
    if let Some(output) = &arguments.output {
        write_file(output, &clauses)?;
    }
    let seconds = context.limits.now().saturating_sub(begun).as_secs_f64();
    let file = arguments.output.as_deref();
    let report = Report { tasks: &tasks, notes: &[], seconds, file, replayed: None };
    report.show(arguments.json, context)
}

fn read(file: &str, vocabulary: &mut Vocabulary, context: &Context) -> Result<Observations, Failure> {
    let text = read_recorded(file, &context.limits)?;
    let wrong =
        |error: IggpError| Failure::input(format!("`{file}` is no task of the IGGP data set: {error}"));
    read_iggp(&text, vocabulary).map_err(wrong)
}

/// The file of the test of a task, where there is one.
fn test_beside(file: &str) -> Option<String> {
    let (front, back) = file.rsplit_once("_train.")?;
    Some(format!("{front}_test.{back}")).filter(|test| Path::new(test).is_file())
}

/// The relations of a task as one.
fn together(name: String, parts: impl Iterator<Item = Task>) -> Task {
    let mut whole = Task {
        name,
        rules: 0,
        cost: 0.0,
        examples: [0, 0],
        learned: Score::default(),
        held_out: Score::default(),
        test: None,
        stopped: None,
        support: Vec::new(),
        silent: Vec::new(),
    };
    for part in parts {
        whole.rules += part.rules;
        whole.cost += part.cost;
        whole.examples = [0, 1].map(|side| whole.examples[side] + part.examples[side]);
        whole.learned.add(part.learned);
        whole.held_out.add(part.held_out);
        if let Some(score) = part.test {
            whole.test.get_or_insert_default().add(score);
        }
        whole.stopped = whole.stopped.or(part.stopped);
        whole.support.extend(part.support);
    }
    whole
}
