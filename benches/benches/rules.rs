//! State changes per second of the rule machine, beside the interpreters that others wrote.
//!
//! `cargo bench -p ludex-benches --bench rules [-- GAME...]`. One thread plays random games of each
//! game for about two seconds (`LUDEX_BENCH_SECONDS`).

use std::collections::BTreeMap;
use std::path::Path;

use ludex_benches::{Stopwatch, figure, table, wanted};
use ludex_game::{Machine, Rng, RuleMachine, RuleMachineOptions};
use ludex_logic::Budget;
use ludex_testkit::corpus::{Corpus, read_text};
use ludex_testkit::program_of;

/// The engines of `peers.csv` that interpret the rules, as the rule machine does.
const INTERPRETERS: [&str; 3] = ["ggpbase_prover", "palamedes_jocular", "rekkura"];

/// Games on which interpreters are slow or give up.
const HARD: [&str; 7] =
    ["crisscross", "merrills", "mummymaze1p", "pentago", "hitori", "laikLee_hex", "slaughter"];

/// The set-up time: processor time is told in steps of some milliseconds.
fn setup(measured: &Measured) -> String {
    if measured.setup_ms < 10.0 { "< 10".to_owned() } else { figure(measured.setup_ms) }
}

struct Measured {
    setup_ms: f64,
    per_second: f64,
    mean_length: f64,
}

fn main() {
    let Some(corpus) = Corpus::find("the benchmark of the rule machine") else { return };
    let seconds = std::env::var("LUDEX_BENCH_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(2.0);
    println!("Random play, one thread, {seconds} s of {} a game\n", Stopwatch::kind());
    match read_text(&corpus.path("peers.csv")) {
        Ok(peers) => beside_interpreters(&corpus, &read_peers(&peers), seconds),
        Err(error) => eprintln!("skipped the comparison: {error}"),
    }
    println!();
    hard_games(&corpus, seconds);
}

/// State changes per second by game and engine, and the mean length that was measured with them.
type Peers = BTreeMap<String, BTreeMap<String, (f64, f64)>>;

fn read_peers(csv: &str) -> Peers {
    let mut peers = Peers::new();
    for line in csv.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if let [game, engine, changes, _, length, ..] = cells[..]
            && let Ok(changes) = changes.parse()
        {
            let length = length.parse().unwrap_or(f64::NAN);
            peers.entry(game.to_owned()).or_default().insert(engine.to_owned(), (changes, length));
        }
    }
    peers
}

fn beside_interpreters(corpus: &Corpus, peers: &Peers, seconds: f64) {
    let mut rows = Vec::new();
    let mut ratios: Vec<(f64, &str)> = Vec::new();
    for (game, others) in peers.iter().filter(|(game, _)| wanted(game)) {
        let path = corpus.path(&format!("gdl/{game}.kif"));
        let measured = match measure(&path, seconds) {
            Ok(measured) => measured,
            Err(error) => {
                println!("{game}: {error}");
                ratios.push((f64::MIN_POSITIVE, game));
                continue;
            }
        };
        let best = |interpreters: bool| {
            let among =
                others.iter().filter(|(engine, _)| INTERPRETERS.contains(&engine.as_str()) == interpreters);
            among.map(|(_, (changes, _))| *changes).max_by(f64::total_cmp)
        };
        let compiled = best(false).map_or("-".to_owned(), figure);
        let Some(best) = best(true) else { continue };
        let ratio = measured.per_second / best;
        ratios.push((ratio, game));
        let others_length = others.get(INTERPRETERS[0]).map_or(f64::NAN, |(_, length)| *length);
        let mut row = vec![game.clone(), setup(&measured), figure(measured.per_second)];
        row.extend(INTERPRETERS.iter().map(|engine| match others.get(*engine) {
            Some((changes, _)) => figure(*changes),
            None => "-".to_owned(),
        }));
        row.extend([figure(ratio), figure(measured.mean_length), figure(others_length), compiled]);
        rows.push(row);
    }
    let mut heading = vec!["game", "set-up ms", "rule machine"];
    heading.extend(INTERPRETERS);
    heading.extend(["to the best", "mean length", "theirs", "best compiler"]);
    println!("State changes a second:\n\n{}", table(&heading, &rows));
    if let Some((slowest, game)) = ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0)) {
        let mean = ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64;
        println!(
            "to the best interpreter: {} times in the geometric mean over {} games, {} at least ({game})",
            figure(mean.exp()),
            ratios.len(),
            figure(*slowest)
        );
    }
}

fn hard_games(corpus: &Corpus, seconds: f64) {
    let mut rows = Vec::new();
    for game in HARD.iter().filter(|game| wanted(game)) {
        match measure(&corpus.path(&format!("gdl/{game}.kif")), seconds) {
            Ok(measured) => {
                let figures = [figure(measured.per_second), figure(measured.mean_length)];
                rows.push([(*game).to_owned(), setup(&measured)].into_iter().chain(figures).collect());
            }
            Err(error) => println!("{game}: {error}"),
        }
    }
    let heading = ["hard game", "set-up ms", "state changes a second", "mean length"];
    println!("{}", table(&heading, &rows));
}

fn measure(path: &Path, seconds: f64) -> Result<Measured, String> {
    let setup = Stopwatch::start();
    let game = program_of(path)?;
    let machine =
        RuleMachine::new(&game, &RuleMachineOptions::default()).map_err(|error| error.to_string())?;
    let setup_ms = setup.seconds() * 1e3;
    play(&machine, setup_ms, seconds).map_err(|error| error.to_string())
}

fn play(machine: &dyn Machine, setup_ms: f64, seconds: f64) -> ludex_game::Answer<Measured> {
    let mut runner = machine.runner(&Budget::unlimited());
    let mut rng = Rng::from_seed(1);
    let (mut changes, mut playouts, mut finished, mut length) = (0u64, 0u64, 0u64, 0u64);
    // The clock is looked at after so many steps: rarely enough to cost nothing, often enough that
    // slow games end in time.
    let mut chunk = 1;
    let watch = Stopwatch::start();
    let mut passed = 0.0;
    while passed < seconds {
        let before = passed;
        let mut left = chunk;
        while left > 0 {
            let playout = runner.playout(&mut rng, left)?;
            left -= playout.steps.min(left);
            changes += u64::from(playout.steps);
            length += u64::from(playout.steps);
            if playout.terminal {
                playouts += 1;
                finished += length;
                length = 0;
                runner.set(machine.initial())?;
                // A game that is over at once would never use the steps up.
                left = left.saturating_sub(1);
            }
        }
        passed = watch.seconds();
        if passed - before < 0.02 && chunk < 1 << 24 {
            chunk *= 2;
        }
    }
    let mean_length = if playouts == 0 { f64::NAN } else { finished as f64 / playouts as f64 };
    Ok(Measured { setup_ms, per_second: changes as f64 / passed, mean_length })
}
