//! State changes per second of all engines, beside what others reach.
//!
//! `cargo bench -p ludex-benches --bench engines [-- OPTION... GAME...]`
//!
//! The games of `peers.csv` and some large ones, or those of them that are named, are each measured in a
//! process of their own.
//! Options: `--sample` is a quick look, with less time and fewer backends; `--corpus` takes all games of
//! the corpus; `--one-state` measures the rule machine and the net machine alone; `--json=PATH` writes all
//! figures to a file. `LUDEX_BENCH_SECONDS` is the time of one measurement. The exit code is 1 where
//! something was wrong, such as a mean length that is not the others'.

mod late;
mod measure;
mod report;

use ludex_benches::again::{only_game, run_again, tell};
use ludex_benches::peers::{Peer, Peers, SameRun};
use ludex_benches::{has_option, option_value, wanted};
use ludex_testkit::corpus::{Corpus, read_text, stem};
use measure::{Figures, measure};

/// Games with large nets that nobody else was measured on. There are larger ones, which take minutes each.
const LARGE: [&str; 7] = [
    "amazons_10x10",
    "chess_200",
    "minichess-evilconjuncts",
    "othello-comp2007",
    "checkers-mustjump",
    "skirmishNew",
    "ttcc4",
];

fn main() -> std::process::ExitCode {
    if let Some(game) = only_game() {
        tell(&measure(&game));
        return std::process::ExitCode::SUCCESS;
    }
    let Some(corpus) = Corpus::find("the benchmark of all engines") else {
        return std::process::ExitCode::SUCCESS;
    };
    let read = |name: &str| {
        read_text(&corpus.path(name)).unwrap_or_else(|error| {
            eprintln!("nothing to compare with: {error}");
            String::new()
        })
    };
    let peers = Peers::read(&read("peers.csv"));
    let same_run = SameRun::read(&read("peers-same-run.csv"));
    let games: Vec<String> = if has_option("--corpus") {
        corpus.files("gdl", ".kif").iter().map(|path| stem(path)).collect()
    } else {
        peers.games().map(|(game, _)| game).chain(LARGE).map(str::to_owned).collect()
    };
    let mut measured = Vec::new();
    for game in games.into_iter().filter(|game| wanted(game)) {
        eprintln!("{game}");
        let mut figures: Figures =
            run_again(&game).unwrap_or_else(|error| Figures { error: Some(error), ..Figures::default() });
        compare_with_peers(&mut figures, peers.of(&game));
        measured.push((game, figures));
    }
    report::print(&measured, &peers, &same_run);
    if let Some(path) = option_value("--json") {
        let object: serde_json::Map<_, _> =
            measured.iter().map(|(game, figures)| (game.clone(), serde_json::json!(figures))).collect();
        let written = serde_json::to_string_pretty(&object).map_err(|error| error.to_string());
        if let Err(error) = written.and_then(|text| std::fs::write(&path, text).map_err(|e| e.to_string())) {
            eprintln!("{path}: {error}");
        }
    }
    if measured.iter().any(|(_, figures)| !figures.wrong.is_empty()) { 1.into() } else { 0.into() }
}

/// The others must have played games of the same length. What they played in one second is taken for
/// all they played, which allows too much rather than too little.
fn compare_with_peers(figures: &mut Figures, peers: &[Peer]) {
    let Some(lanes) = &figures.lanes else { return };
    let ours = lanes.played.lengths;
    for Peer { engine, playouts, mean_length, .. } in peers {
        let Some(theirs) = mean_length else { continue };
        let allowed = 0.051 + 5.0 * ours.deviation() / playouts.max(1.0).sqrt();
        if (ours.mean() - theirs).abs() > allowed {
            figures.wrong.push(format!("mean length {:.2}, but {theirs} with {engine}", ours.mean()));
        }
    }
}
