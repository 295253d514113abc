//! State changes per second of the rule machine, beside the interpreters that others wrote.
//!
//! `cargo bench -p ludex-benches --bench rules [-- GAME...]`. One thread plays random games of each
//! game for about two seconds (`LUDEX_BENCH_SECONDS`).

use std::path::Path;

use ludex_benches::peers::{Peer, Peers, best, geometric_mean};
use ludex_benches::play::play;
use ludex_benches::{Stopwatch, figure, seconds_or, table, wanted};
use ludex_game::{RuleMachine, RuleMachineOptions};
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
    let seconds = seconds_or(2.0);
    println!("Random play, one thread, {seconds} s of {} a game\n", Stopwatch::kind());
    match read_text(&corpus.path("peers.csv")) {
        Ok(peers) => beside_interpreters(&corpus, &Peers::read(&peers), seconds),
        Err(error) => eprintln!("skipped the comparison: {error}"),
    }
    println!();
    hard_games(&corpus, seconds);
}

fn beside_interpreters(corpus: &Corpus, peers: &Peers, seconds: f64) {
    let mut rows = Vec::new();
    let mut ratios: Vec<(f64, &str)> = Vec::new();
    for (game, others) in peers.games().filter(|(game, _)| wanted(game)) {
        let path = corpus.path(&format!("gdl/{game}.kif"));
        let measured = match measure(&path, seconds) {
            Ok(measured) => measured,
            Err(error) => {
                println!("{game}: {error}");
                ratios.push((f64::MIN_POSITIVE, game));
                continue;
            }
        };
        let (interpreters, compilers): (Vec<Peer>, Vec<Peer>) =
            others.iter().cloned().partition(|peer| INTERPRETERS.contains(&peer.engine.as_str()));
        let compiled = best(&compilers).map_or("-".to_owned(), |peer| figure(peer.changes));
        let Some(fastest) = best(&interpreters) else { continue };
        let row_of = |engine: &str| interpreters.iter().find(|peer| peer.engine == engine);
        let ratio = measured.per_second / fastest.changes;
        ratios.push((ratio, game));
        let others_length = row_of(INTERPRETERS[0]).and_then(|peer| peer.mean_length).unwrap_or(f64::NAN);
        let mut row = vec![game.to_owned(), setup(&measured), figure(measured.per_second)];
        row.extend(
            INTERPRETERS
                .iter()
                .map(|engine| row_of(engine).map_or("-".to_owned(), |peer| figure(peer.changes))),
        );
        row.extend([figure(ratio), figure(measured.mean_length), figure(others_length), compiled]);
        rows.push(row);
    }
    let mut heading = vec!["game", "set-up ms", "rule machine"];
    heading.extend(INTERPRETERS);
    heading.extend(["to the best", "mean length", "theirs", "best compiler"]);
    println!("State changes a second:\n\n{}", table(&heading, &rows));
    if let Some((slowest, game)) = ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0)) {
        let mean = geometric_mean(ratios.iter().map(|(ratio, _)| *ratio));
        println!(
            "to the best interpreter: {} times in the geometric mean over {} games, {} at least ({game})",
            figure(mean),
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
    let played = play(&machine, seconds).map_err(|error| error.to_string())?;
    Ok(Measured { setup_ms, per_second: played.per_second, mean_length: played.lengths.mean() })
}
