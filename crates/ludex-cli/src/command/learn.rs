//! `ludex learn`: the rules of a game from records of its matches.

mod from_records;
mod iggp;
mod report;
mod sample;

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use ludex::game::Trace;
use ludex::learn::{Fit, LearnOptions, Observations, Score, Vocabulary, learn_game};

use crate::Context;
use crate::failure::Failure;
use crate::limits::{duration, thread_count};
use crate::output::check_writable;

/// Arguments of `learn`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex learn matches -o learned.gdl             a folder of records
  ludex learn traces.jsonl.gz --test more.jsonl.gz --background board.kif -o learned.gdl
  ludex learn matches --negatives wrong.jsonl --noise 0.01 -o learned.gdl
  ludex learn --format iggp tron_next_train.dat.gz

RECORDS are what `ludex verify` reads, traces and match records, or folders of them. What
was seen of states, legal moves, ends and goals is explained by rules for next, legal,
terminal and goal: few and short ones that hold of all that was recorded. Orders of
numbers and letters are found in the records, and can be used in rules. So are sums of
numbers, and moves that were ever legal, unless --background names a file with facts that
hold in all states.

The language of rules grows until rules that were learned of three states of four are
right about the fourth. BALANCED is the mean of two shares: of what held, how much the
rules say; of what did not hold, how much they do not say. It is told of the records, of
that fourth (HELD OUT), and with --test of other records (TEST). Each rule is written with
the number of examples that it explains; LEAST is that of the rule that explains fewest.
Then the records are replayed with what was learned. What differs is learned from again
until all is replayed or time is over; the exit code is 1 where records are not replayed.

Records need not say which moves were legal: then rules are learned of which moves were
made, and nobody made others. --negatives takes records that are no correct matches: their
last step that no correct record has, too, is taken to be what is wrong. With --noise
rules need not explain all, and records that differ are told and no failure. Of records
of more states than --states, playouts at even distances are learned from.

--format iggp reads learning tasks of the IGGP data set (Cropper, Evans, Law 2020); a file
NAME_train.dat is scored on NAME_test.dat beside it.
--json: an object with seconds, tasks (a list of objects with task, rules, cost, examples,
balanced, held_out, test, perfect, stopped, support, silent), mean_balanced, perfect,
file, notes, replayed (states, differences: a list of texts, records: those that are not
replayed, with record and differences, negatives, and accepted: those of them that are
replayed; null where nothing is). perfect and mean_balanced are of the test where there is
one, and else of what was learned from.")]
pub struct LearnArguments {
    /// Traces and match records, or tasks of the IGGP data set
    #[arg(value_name = "RECORDS", required = true)]
    files: Vec<String>,

    /// Write the rules to this file
    #[arg(long, short, value_name = "OUT")]
    output: Option<String>,

    /// How RECORDS are written: records or iggp
    #[arg(long, value_name = "FORMAT", default_value = "records", value_parser = format)]
    format: Format,

    /// Facts that hold in all states: a file in prefix notation
    #[arg(long, value_name = "FILE")]
    background: Option<String>,

    /// Records that are not learned from, on which the rules are scored
    #[arg(long, value_name = "RECORDS")]
    test: Vec<String>,

    /// Records of what cannot be played: none of them may be replayed by the rules
    #[arg(long, value_name = "RECORDS", num_args = 1..)]
    negatives: Vec<String>,

    /// What share of what was recorded is wrong, from 0 to 0.3
    #[arg(long, value_name = "F", default_value_t = 0.0, value_parser = noise)]
    noise: f64,

    /// Learn from so many states at most, of playouts at even distances
    #[arg(long, value_name = "N", default_value_t = MOST_STATES)]
    states: usize,

    /// Learn for so long at most
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = duration)]
    time: Duration,

    /// How many threads learn
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = thread_count())]
    threads: u16,

    /// Decides all chances
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Records,
    Iggp,
}

fn format(name: &str) -> Result<Format, String> {
    match name {
        "records" => Ok(Format::Records),
        "iggp" => Ok(Format::Iggp),
        _ => Err("the formats are records and iggp".to_owned()),
    }
}

fn noise(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=MOST_NOISE).contains(share));
    share.ok_or_else(|| format!("`{text}` is no number from 0 to {MOST_NOISE}"))
}

/// Where more is wrong, most of what follows from three facts is.
const MOST_NOISE: f64 = 0.3;

/// So many states are learned from where nothing else is said.
const MOST_STATES: usize = 20_000;

/// Records for a player that learns from them: all playouts, or where there are very many those at even distances.
///
/// # Errors
/// A file cannot be read, or is none of records.
pub fn read_all(files: &[String], context: &Context) -> Result<Vec<Trace>, Failure> {
    let sample = sample::Sample::read(files, MOST_STATES, 0.0, context)?;
    for note in sample.notes() {
        // Where nobody reads it, nobody misses it.
        let _ = writeln!(io::stderr(), "{note}");
    }
    Ok(sample.traces())
}

/// Learns.
pub fn run(arguments: &LearnArguments, context: &mut Context) -> Result<(), Failure> {
    arguments.output.as_deref().map_or(Ok(()), check_writable)?;
    match arguments.format {
        Format::Records => from_records::run(arguments, context),
        Format::Iggp => iggp::run(arguments, context),
    }
}

/// What came of learning one relation, or of a task of several.
struct Task {
    name: String,
    rules: usize,
    cost: f32,
    /// How many examples there are: atoms that hold of a state, and that do not.
    examples: [u64; 2],
    learned: Score,
    held_out: Score,
    test: Option<Score>,
    stopped: Option<String>,
    /// How many examples each rule explains.
    support: Vec<usize>,
    /// Values that never came, by column.
    silent: Vec<String>,
}

impl Task {
    /// What is told of it: on other matches where there are any.
    fn judged(&self) -> Score {
        self.test.unwrap_or(self.learned)
    }
}

/// Learns all targets.
fn learn_all(
    observed: &Observations,
    vocabulary: &Vocabulary,
    arguments: &LearnArguments,
    round: u64,
    time: Duration,
    context: &Context,
) -> Vec<Fit> {
    let budget = context.limits.budget().clone().with_time(Arc::clone(&context.limits.clock) as _, time);
    let seed = arguments.seed.wrapping_add(round);
    let options = LearnOptions { seed, noise: arguments.noise, ..LearnOptions::default() };
    learn_game(observed, vocabulary, options, usize::from(arguments.threads), &budget)
}

/// So many values that never came are told of a column.
const SHOWN: usize = 8;

/// What came of learning a relation, scored on other observations where there are any.
fn task(fit: &Fit, observed: &Observations, test: Option<&Observations>, vocabulary: &Vocabulary) -> Task {
    let relation = fit.learned.relation();
    let of = |seen: &Observations| {
        let target = seen.targets.iter().find(|target| target.relation == relation)?;
        Some(fit.learned.score(seen, target, vocabulary))
    };
    let silent = |(column, values): (usize, Vec<u32>)| {
        let names: Vec<&str> = values.iter().take(SHOWN).map(|&value| vocabulary.name(value)).collect();
        let more =
            if values.len() > SHOWN { format!("... ({} in all)", values.len()) } else { String::new() };
        format!("argument {}: {}{more}", column + 1, names.join(" "))
    };
    let target = observed.targets.iter().find(|target| target.relation == relation);
    let score = fit.score;
    Task {
        name: vocabulary.pattern(relation),
        rules: fit.learned.rules(),
        cost: fit.learned.cost(),
        examples: [
            score.true_positives + score.false_negatives,
            score.true_negatives + score.false_positives,
        ],
        learned: score,
        held_out: fit.held_out,
        test: test.and_then(of),
        stopped: fit.stopped.as_ref().map(ToString::to_string),
        support: fit.learned.support().collect(),
        silent: target.map_or_else(Vec::new, |target| {
            observed.silent(target, vocabulary).into_iter().map(silent).collect()
        }),
    }
}
