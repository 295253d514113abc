//! How much of the rules of games is found in records of their matches (book 20.3).
//!
//! `cargo bench -p ludex-benches --bench learned_rules [-- GAME... --matches=64 --time=60 --every=4 --threads=2
//! --json=PATH]`
//!
//! Of each game of the corpus (or of every fourth by name, with `--every=4`), so many matches are played at random
//! and learned from, and as many others are what the rules are scored on, for so many seconds a game at most (of
//! processor time, where one thread learns). As in the
//! IGGP data set (A. Cropper, R. Evans, M. Law: Inductive general game playing, 2020) a game is four tasks, goal, legal,
//! next and terminal, the facts of its rulesheet that hold in all states are given, and a task is perfect where nothing
//! is said wrongly of the other matches. WHOLE are games whose learned rules have the original's move sequences to
//! depth 4.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ludex::learn::{
    Fit, LearnOptions, Observations, Score, Vocabulary, learn_game, observe, observe_others, rulesheet,
};
use ludex_benches::{option_value, table, wanted};
use ludex_game::{Machine, Trace, perft, record_playouts};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, Clock};
use ludex_testkit::corpus::Corpus;
use ludex_testkit::{ThreadClock, WallClock, program, program_of, rule_machine};
use serde::Serialize;

/// Matches are so long at most.
const STEPS: u32 = 100;
/// So many states of other matches are scored.
const SCORED: usize = 500;
/// The depth to which move sequences are counted.
const DEPTH: u32 = 4;
/// Games with more sequences are not counted.
const MOST_STEPS: u64 = 400_000;
/// Sequences are counted where each task has this balanced accuracy at least.
const NEAR: f64 = 0.99;
/// What is not in the background.
const KEYWORDS: [&str; 9] = ["role", "init", "base", "input", "true", "legal", "next", "terminal", "goal"];

#[derive(Debug, Serialize)]
struct Row {
    game: String,
    states: usize,
    seconds: f64,
    /// By task: whether it is perfect, and its balanced accuracy.
    tasks: BTreeMap<String, (bool, f64)>,
    /// Relations of which something is said wrongly.
    wrong: Vec<Wrong>,
    /// Whether the learned rules have the move sequences of the original; nothing where that was too much to count, or
    /// the rules are not near.
    whole: Option<bool>,
}

/// A relation of which rules say something wrongly.
#[derive(Debug, Serialize)]
struct Wrong {
    relation: String,
    /// Atoms of the other matches that are said to hold and did not, and that held and are not said to.
    false_positives: u64,
    false_negatives: u64,
    /// Whether all that was learned from is explained.
    explained: bool,
    rules: usize,
    cost: f32,
    /// Why learning ended before it was done, where it did.
    stopped: Option<String>,
    clauses: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { relation, false_positives, false_negatives, rules, cost, .. } = self;
        let explained = if self.explained { "explained" } else { "not explained" };
        let stopped = self.stopped.as_deref().unwrap_or("not stopped");
        write!(
            out,
            "{relation}: {false_positives} said wrongly, {false_negatives} not said; {rules} rules "
        )?;
        write!(out, "of {cost:.0}; records {explained}, {stopped}")
    }
}

/// What is asked for on the command line.
struct Asked {
    matches: u32,
    time: Duration,
    threads: usize,
}

fn number(name: &str, otherwise: u64) -> Result<u64, String> {
    option_value(name).map_or(Ok(otherwise), |text| text.parse().map_err(|_| format!("{name}: no number")))
}

fn main() -> Result<(), String> {
    let Some(corpus) = Corpus::find("the benchmark of learned rules") else { return Ok(()) };
    let every = usize::try_from(number("--every", 1)?.max(1)).unwrap_or(1);
    let asked = Asked {
        matches: u32::try_from(number("--matches", 64)?).map_err(|_| "too many matches")?,
        time: Duration::from_secs(number("--time", 60)?),
        threads: usize::try_from(number("--threads", 2)?).unwrap_or(1),
    };
    let mut rows: Vec<Row> = Vec::new();
    for path in corpus.files("gdl", ".kif").iter().step_by(every) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if wanted(&name) {
            match learn(&name, path, &asked) {
                Ok(row) => {
                    eprintln!("{name}: {:?} in {:.0} s", row.tasks, row.seconds);
                    row.wrong.iter().for_each(|wrong| eprintln!("    {wrong}"));
                    rows.push(row);
                }
                Err(error) => eprintln!("{name}: {error}"),
            }
        }
    }
    show(&rows);
    if let Some(path) = option_value("--json") {
        let json = serde_json::to_string_pretty(&rows).map_err(|error| error.to_string())?;
        std::fs::write(path, json).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Learns a game and scores it.
fn learn(name: &str, path: &Path, asked: &Asked) -> Result<Row, String> {
    let game = program_of(path)?;
    let machine = rule_machine(&game).map_err(|error| error.to_string())?;
    let budget = Budget::unlimited().with_time(Arc::new(WallClock::start()), asked.time);
    let record = |seed| record_playouts(&*machine, name, asked.matches, seed, STEPS, &budget);
    let record = |seed| record(seed).map_err(|error| error.to_string());
    let (train, others): (Trace, Trace) = (record(1)?, record(100_000)?);
    let mut vocabulary = Vocabulary::default();
    let observed = observe(&[train], Some(&background(&game)), &mut vocabulary);
    let observed = observed.map_err(|error| error.to_string())?;
    let test = observe_others(&[others], &observed, &mut vocabulary).map_err(|error| error.to_string())?;
    let clock: Arc<dyn Clock> = match asked.threads {
        1 => Arc::new(ThreadClock::start()),
        _ => Arc::new(WallClock::start()),
    };
    let budget = Budget::unlimited().with_time(Arc::clone(&clock), asked.time);
    let begun = clock.now();
    let fits = learn_game(&observed, &vocabulary, LearnOptions::default(), asked.threads, &budget);
    let seconds = clock.now().saturating_sub(begun).as_secs_f64();
    let test = test.part(0..test.states.len().min(SCORED));
    let wrong = fits.iter().filter_map(|fit| wrong(fit, &observed, &test, &vocabulary)).collect();
    let tasks = tasks(&fits, &test, &vocabulary);
    let tasks =
        tasks.into_iter().map(|(task, score)| (task, (score.is_perfect(), score.balanced_accuracy())));
    let learned: Vec<_> = fits.iter().map(|fit| &fit.learned).collect();
    let rules = rulesheet(&learned, &observed, &observed.states[0], &vocabulary);
    let tasks: BTreeMap<String, (bool, f64)> = tasks.collect();
    // What is often wrong has other sequences.
    let is_near = tasks.values().all(|(_, accuracy)| *accuracy > NEAR);
    let expected = if is_near { sequences(&*machine) } else { None };
    let whole = expected.map(|expected| {
        program("learned", &rules, None)
            .ok()
            .and_then(|game| rule_machine(&game).ok())
            .and_then(|machine| sequences(&*machine))
            .is_some_and(|found| found == expected)
    });
    let states = observed.states.len();
    Ok(Row { game: name.to_owned(), states, seconds, tasks, wrong, whole })
}

/// What is wrong with what was learned of a relation, by other matches.
fn wrong(fit: &Fit, observed: &Observations, test: &Observations, vocabulary: &Vocabulary) -> Option<Wrong> {
    let relation = fit.learned.relation();
    let target = test.targets.iter().find(|target| target.relation == relation)?;
    let score = fit.learned.score(test, target, vocabulary);
    (!score.is_perfect()).then(|| Wrong {
        relation: vocabulary.pattern(relation),
        false_positives: score.false_positives,
        false_negatives: score.false_negatives,
        explained: fit.score.is_perfect(),
        rules: fit.learned.rules(),
        cost: fit.learned.cost(),
        stopped: fit.stopped.as_ref().map(ToString::to_string),
        clauses: fit.learned.clauses(observed, vocabulary),
    })
}

/// The facts of a rulesheet that hold in all states.
fn background(game: &GameProgram) -> String {
    let facts = game.program.clauses.iter().filter(|clause| clause.is_fact());
    let facts = facts.filter_map(|clause| {
        let atom = clause.head.ground()?;
        let name = game.program.relation_name(atom.relation);
        let args: Vec<String> = atom.args.iter().map(|&term| game.program.terms.prefix(term)).collect();
        (!KEYWORDS.contains(&name) && !args.is_empty()).then(|| format!("({name} {})", args.join(" ")))
    });
    facts.collect::<Vec<_>>().join("\n")
}

/// What was learned, scored on other matches, by task.
fn tasks(fits: &[Fit], test: &Observations, vocabulary: &Vocabulary) -> BTreeMap<String, Score> {
    let mut tasks: BTreeMap<String, Score> = BTreeMap::new();
    for target in &test.targets {
        let task = tasks.entry(vocabulary.get(target.relation).shape.keyword().to_owned()).or_default();
        match fits.iter().find(|fit| fit.learned.relation() == target.relation) {
            Some(fit) => task.add(fit.learned.score(test, target, vocabulary)),
            // Nothing is said of what was never seen.
            None => {
                let held: usize = target.seen.iter().map(|(_, held)| held.len()).sum();
                task.add(Score { false_negatives: held as u64, ..Score::default() });
            }
        }
    }
    tasks
}

/// The move sequences to [`DEPTH`], where they can be counted.
fn sequences(machine: &dyn Machine) -> Option<Vec<u128>> {
    let rows = perft(machine, DEPTH, &Budget::unlimited().with_work(MOST_STEPS)).ok()?;
    Some(rows.iter().map(|row| row.paths).collect())
}

fn show(rows: &[Row]) {
    let heading = ["game", "states", "goal", "legal", "next", "terminal", "whole", "s"];
    let mut lines = Vec::new();
    for row in rows {
        let task = |name: &str| match row.tasks.get(name) {
            Some((true, _)) => "perfect".to_owned(),
            Some((false, accuracy)) => format!("{:.2}", (100.0 * accuracy).min(99.99)),
            None => "-".to_owned(),
        };
        let mut line = vec![row.game.clone(), row.states.to_string()];
        line.extend(["goal", "legal", "next", "terminal"].map(task));
        line.push(row.whole.map_or("-", |whole| if whole { "yes" } else { "no" }).to_owned());
        line.push(format!("{:.0}", row.seconds));
        lines.push(line);
    }
    println!("{}", table(&heading, &lines));
    let all: Vec<(bool, f64)> = rows.iter().flat_map(|row| row.tasks.values().copied()).collect();
    let perfect = all.iter().filter(|(perfect, _)| *perfect).count();
    let mean = all.iter().map(|(_, accuracy)| accuracy).sum::<f64>() / all.len().max(1) as f64;
    println!(
        "\n{perfect} of {} tasks perfect, balanced accuracy {:.2} % in the mean",
        all.len(),
        100.0 * mean
    );
    let whole = rows.iter().filter(|row| row.whole == Some(true)).count();
    println!("{whole} of {} games have the move sequences of the original to depth {DEPTH}", rows.len());
}
