//! `ludex verify`: whether the rules give what others recorded.

mod report;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ludex::game::sha256;
use ludex::gdl::{self, Source};
use ludex::{MatchMismatch, MatchRecord, Playable, check_shape, verify_match, verify_timed_match};
use serde_json::{Value, json};

use crate::Context;
use crate::failure::{Failure, say};
use crate::input::read_text;
use crate::limits::{Limits, grouped};
use crate::rulesheet::{LoadArguments, load_source, read_source, timed_rules};
use crate::trace_file::{Recorded, read, stem};
use report::{Report, Verdict, summary};

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex verify traces/*.jsonl.gz --games gdl/
  ludex verify match.json --rules my-game.kif
  ludex verify tic-tac-toe.jsonl                 a bundled game
  ludex verify tables/records.parquet            of `ludex tournament --parquet tables`

A TRACE is a file with one JSON object a line, the match JSON that `ludex play --record`
writes, one match or many with one on each line, or an XML trace of the Dresden Game
Controller; each may be compressed with gzip. A Parquet file with columns `match` and
`record` has a match record in each row. Without --rules and --games the rules are
those in the record, or are looked for beside the trace and among the bundled games.
Records of matches in real time are compared event by event.
Rules that do not have the SHA-256 of a match that holds none are a difference. Of a match
whose rules are nowhere the lengths of its lists are compared, and the exit code is 1.
--json: one object per trace, each on its line: trace (of many matches in a file with #
and the number, or in Parquet the match), engine, steps, mismatches (a list of objects
with playout, step, what, expected, found).
--parquet writes a row for each trace: file, match, result (same, different, unplayed,
unchecked where there are no rules, error) and message.
Exit code 1 if anything differs.")]
pub struct VerifyArguments {
    /// Files to compare with
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<String>,

    /// The rulesheet of all traces: a file or the name of a bundled game
    #[arg(long, value_name = "FILE", conflicts_with = "games")]
    rules: Option<String>,

    /// The folder with the rulesheet of each trace
    #[arg(long, value_name = "DIR")]
    games: Option<PathBuf>,

    /// So many differences of one trace are shown
    #[arg(long, value_name = "N", default_value_t = 5)]
    show: usize,

    /// Say something about traces that differ only
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    load: LoadArguments,

    /// Write what came of each trace to this file, as a table of Parquet
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Compares.
pub fn run(arguments: &VerifyArguments, context: &mut Context) -> Result<(), Failure> {
    let mut report = Report::new(arguments.parquet.is_some())?;
    let verified = verify_files(arguments, &mut report, context);
    report.write(arguments.parquet.as_deref())?;
    verified
}

fn verify_files(
    arguments: &VerifyArguments,
    report: &mut Report,
    context: &mut Context,
) -> Result<(), Failure> {
    let (mut bad, mut traces, mut states, mut differences) = (false, 0usize, 0u64, 0usize);
    for (number, file) in arguments.traces.iter().enumerate() {
        let total = arguments.traces.len() as u64;
        context.limits.budget().report("traces", number as u64, Some(total));
        match verify_file(file, arguments, report, context) {
            Ok(compared) => {
                traces += compared.traces;
                states += compared.states;
                differences += compared.differences;
                bad |= compared.differences > 0;
            }
            // The other traces are compared all the same.
            Err(failure @ (Failure::Input { .. } | Failure::Reported)) if arguments.traces.len() > 1 => {
                context.console.flush()?;
                if let Failure::Input { message, hint } = failure {
                    Failure::Input { message: format!("{file}: {message}"), hint }
                        .report(context.console.error_color);
                }
                traces += 1;
                bad = true;
            }
            Err(other) => return Err(other),
        }
    }
    if !arguments.json && traces > 1 {
        writeln!(
            context.console,
            "{} traces, {} states, {} differences",
            grouped(traces as u128),
            grouped(states.into()),
            grouped(differences as u128),
        )?;
    }
    if bad { Err(Failure::Reported) } else { Ok(()) }
}

/// What was compared.
struct Compared {
    traces: usize,
    states: u64,
    differences: usize,
}

/// The game of the last trace: matches in a file are mostly of few games, one after the other.
type LastGame = Option<(RulesOf, Playable)>;

/// Compares all that is in a file.
fn verify_file(
    file: &str,
    arguments: &VerifyArguments,
    report: &mut Report,
    context: &mut Context,
) -> Result<Compared, Failure> {
    let mut compared = Compared { traces: 0, states: 0, differences: 0 };
    let mut last = None;
    let traces = read(file, &context.limits).inspect_err(|failure| report.add_failure(file, failure))?;
    for trace in traces {
        let (name, recorded) = trace.inspect_err(|failure| report.add_failure(file, failure))?;
        let called = recorded.match_name().to_owned();
        compared.traces += 1;
        if recorded.is_empty() {
            report.add(file, &called, Verdict::Unplayed, None);
            if arguments.json {
                let line = json!({"trace": name, "engine": null, "steps": 0, "mismatches": []});
                writeln!(context.console, "{line}")?;
            } else if !arguments.quiet {
                writeln!(context.console, "{name}: aborted before anything was played")?;
            }
            continue;
        }
        match verify_trace((file, &name), recorded, &mut last, arguments, context) {
            Ok((states, mismatches)) => {
                let verdict = if mismatches.is_empty() { Verdict::Same } else { Verdict::Different };
                report.add(file, &called, verdict, summary(&mismatches));
                compared.states += states;
                compared.differences += mismatches.len();
            }
            Err(Uncompared { failure, verdict }) => {
                if let Failure::Input { message, .. } = &failure {
                    report.add(file, &called, verdict, Some(message.clone()));
                }
                return Err(failure);
            }
        }
    }
    Ok(compared)
}

/// Why a trace was not compared.
struct Uncompared {
    failure: Failure,
    verdict: Verdict,
}

impl From<Failure> for Uncompared {
    fn from(failure: Failure) -> Self {
        Self { failure, verdict: Verdict::Error }
    }
}

/// Compares a trace of a file with the rules that belong to it; gives the states compared and the differences found.
fn verify_trace(
    (file, name): (&str, &str),
    recorded: Recorded,
    last: &mut LastGame,
    arguments: &VerifyArguments,
    context: &mut Context,
) -> Result<(u64, Vec<Value>), Uncompared> {
    let rules = match (rules_of(file, &recorded, arguments, &context.limits), &recorded) {
        (Err(failure), Recorded::Match(record)) => {
            // What can be said without rules is said.
            verify_lists(name, record, arguments, context)?;
            return Err(Uncompared { failure, verdict: Verdict::Unchecked });
        }
        (rules, _) => rules?,
    };
    let is_timed = matches!(recorded, Recorded::Timed(_));
    let is_same = |(before, game): &(RulesOf, Playable)| {
        *before == rules && is_timed == matches!(game, Playable::InTime(_))
    };
    let game = match last.take().filter(is_same) {
        Some((_, game)) => game,
        None => load(&rules, is_timed, arguments, context)?,
    };
    let compared = verify_one(name, recorded, &game, arguments, context)?;
    *last = Some((rules, game));
    Ok(compared)
}

/// The rules that belong to a trace.
#[derive(PartialEq, Eq)]
enum RulesOf {
    /// A file, or the name of a bundled game.
    File(String),
    /// The text in a record, and what to call it.
    Text(String, String),
}

fn load(
    rules: &RulesOf,
    is_timed: bool,
    arguments: &VerifyArguments,
    context: &Context,
) -> Result<Playable, Failure> {
    let (source, options) = match rules {
        RulesOf::File(file) => read_source(file, &arguments.load.read, context)?,
        RulesOf::Text(name, text) => {
            (Source::new(name.as_str(), text.as_str()), arguments.load.read.options()?)
        }
    };
    if is_timed {
        return timed_rules(gdl::load(Arc::new(source), &options), &arguments.load.engine, context)
            .map(Playable::InTime);
    }
    let game = load_source(source, options, &arguments.load.engine, false, context)?;
    Ok(Playable::InSteps(game))
}

/// Compares a trace with a game.
fn verify_one(
    file: &str,
    mut recorded: Recorded,
    game: &Playable,
    arguments: &VerifyArguments,
    context: &mut Context,
) -> Result<(u64, Vec<Value>), Failure> {
    // Of a match without rules of its own that is a difference; traces of others may well give the digest of another
    // notation.
    let is_difference = matches!(&recorded, Recorded::Match(record) if record.rulesheet.is_none());
    if !is_difference && recorded.sha256().is_some_and(|digest| digest != game.sha256()) && !arguments.quiet {
        say(&format!("{file}: recorded with another version of the rules"));
    }
    if let (Recorded::Unordered(trace), Playable::InSteps(game)) = (&mut recorded, game) {
        let terms = game.signature().terms();
        let roles: Vec<String> = game.signature().roles().iter().map(|&r| terms.prefix(r)).collect();
        trace.order_roles(&roles);
    }
    let (steps, mismatches) = compare(game, &recorded);
    let engine = Some(game.engine_name());
    tell(file, engine, (steps, &mismatches), "all as recorded", arguments, context)?;
    Ok((steps, mismatches))
}

/// Compares the lists of a record with each other, where there are no rules to compare it with.
fn verify_lists(
    file: &str,
    record: &MatchRecord,
    arguments: &VerifyArguments,
    context: &mut Context,
) -> Result<(), Failure> {
    let mismatches = objects(&check_shape(record));
    let steps = record.states.len() as u64;
    let fine = "only the lengths of the lists were compared, and they fit";
    tell(file, None, (steps, &mismatches), fine, arguments, context)?;
    context.console.flush()?;
    Ok(())
}

/// Says what came of a comparison: of so many states, with these differences.
fn tell(
    file: &str,
    engine: Option<String>,
    (steps, mismatches): (u64, &[Value]),
    fine: &str,
    arguments: &VerifyArguments,
    context: &mut Context,
) -> Result<(), Failure> {
    let console = &mut context.console;
    if arguments.json {
        let line = json!({"trace": file, "engine": engine, "steps": steps, "mismatches": mismatches});
        writeln!(console, "{line}")?;
        return Ok(());
    }
    if mismatches.is_empty() {
        if !arguments.quiet {
            writeln!(console, "{file}: {} states, {fine}", grouped(steps.into()))?;
        }
        return Ok(());
    }
    let count = mismatches.len();
    let plural = if count == 1 { "" } else { "s" };
    let line = format!("{file}: {} states, {count} difference{plural}", grouped(steps.into()));
    writeln!(console, "{}", console.styled("31", &line))?;
    for mismatch in mismatches.iter().take(arguments.show) {
        let text = |key: &str| text_of(mismatch, key);
        writeln!(console, "  playout {}, step {}: {}", text("playout"), text("step"), text("what"))?;
        writeln!(console, "    recorded: {}", text("expected"))?;
        writeln!(console, "    found:    {}", text("found"))?;
    }
    if count > arguments.show {
        writeln!(console, "  ... and {} more (`--show` allows more)", count - arguments.show)?;
    }
    Ok(())
}

/// What a difference has under a name, for people.
fn text_of(mismatch: &Value, key: &str) -> String {
    match mismatch.get(key) {
        Some(Value::String(text)) if text.is_empty() => "nothing".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn compare(game: &Playable, recorded: &Recorded) -> (u64, Vec<Value>) {
    match (game, recorded) {
        (Playable::InSteps(game), Recorded::Trace(trace) | Recorded::Unordered(trace)) => {
            let report = game.verify(trace);
            let objects = report.mismatches.iter().map(|m| {
                json!({
                    "playout": m.playout, "step": m.step, "what": m.what.to_string(),
                    "expected": m.expected, "found": m.found,
                })
            });
            (report.steps, objects.collect())
        }
        (Playable::InSteps(game), Recorded::Match(record)) => {
            let report = verify_match(game.rules(), record);
            (report.steps, objects(&report.mismatches))
        }
        (Playable::InTime(rules), Recorded::Timed(record)) => {
            let report = verify_timed_match(rules, record);
            (report.steps, objects(&report.mismatches))
        }
        // Rules are loaded as the record needs them.
        (Playable::InTime(_), _) | (Playable::InSteps(_), Recorded::Timed(_)) => {
            let [what, expected, found] = ["time", "in real time or not", "the other"].map(str::to_owned);
            (0, objects(&[MatchMismatch { step: 0, what, expected, found }]))
        }
    }
}

fn objects(mismatches: &[MatchMismatch]) -> Vec<Value> {
    let object = |m: &MatchMismatch| json!({"playout": 0, "step": m.step, "what": m.what, "expected": m.expected, "found": m.found});
    mismatches.iter().map(object).collect()
}

fn rules_of(
    file: &str,
    recorded: &Recorded,
    arguments: &VerifyArguments,
    limits: &Limits,
) -> Result<RulesOf, Failure> {
    if let Some(rules) = &arguments.rules {
        return Ok(RulesOf::File(rules.clone()));
    }
    let (game, rulesheet) = recorded.game();
    if let Some(text) = recorded.rulesheet().filter(|_| arguments.games.is_none()) {
        return Ok(RulesOf::Text(game, text.to_owned()));
    }
    // The name in the record may be a title or a path; nothing outside of the folder is looked at.
    let name = |text: &str| Path::new(text).file_name().map(|n| n.to_string_lossy().into_owned());
    let stems = [Some(game.clone()), Some(stem(file))].into_iter().flatten().filter_map(|s| name(&s));
    let mut files = Vec::new();
    for stem in stems {
        files.extend([".kif", ".gdl", ".hrf"].map(|ending| format!("{stem}{ending}")));
    }
    files.extend(rulesheet.iter().filter_map(|r| name(r)));
    let beside = Path::new(file).parent().map(Path::to_path_buf).unwrap_or_default();
    let folder = arguments.games.clone().unwrap_or(beside);
    let there: Vec<PathBuf> = files.iter().map(|f| folder.join(f)).filter(|path| path.is_file()).collect();
    // The rules it was recorded with are better than rules of a fitting name.
    let same = there.iter().find(|path| recorded.sha256().is_some_and(|sha| digest(path, limits) == sha));
    if let Some(found) = same.or(there.first()) {
        return Ok(RulesOf::File(found.to_string_lossy().into_owned()));
    }
    if arguments.games.is_none() && ludex::library::find(&game).is_some() {
        return Ok(RulesOf::File(game));
    }
    let folder = folder.display().to_string();
    let place = if folder.is_empty() { ".".to_owned() } else { folder };
    Err(Failure::input(format!("no rulesheet of `{game}` in `{place}`"))
        .hint("`--rules FILE` or `--games DIR` says where the rules are"))
}

/// The SHA-256 of a file, in hexadecimal; empty where it cannot be read.
fn digest(path: &Path, limits: &Limits) -> String {
    let text = read_text(&path.to_string_lossy(), limits);
    text.map_or_else(|_| String::new(), |text| sha256(&text))
}
