//! Which games of the corpus can be grounded and made a net, and what that takes.
//!
//! `cargo bench -p ludex-benches --bench grounding [-- --json=PATH] [GAME...]`. Each game is grounded in
//! a process of its own, within 60 s and 4 GB.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ludex_benches::again::{only_game, resident_and_peak, run_again, tell};
use ludex_benches::stages::{Stages, WallClock, milliseconds};
use ludex_benches::{figure, option_value, table, wanted};
use ludex_logic::Budget;
use ludex_logic::ground::{GroundOptions, ground};
use ludex_propnet::passes::{Pass, PassSet, optimise};
use ludex_propnet::{Circuit, Propnet};
use ludex_testkit::corpus::{Corpus, stem};
use ludex_testkit::program_of;
use serde::{Deserialize, Serialize};

const SECONDS: u64 = 60;
const BYTES: usize = 4_000_000_000;

/// The goal of a good share of games: within so many milliseconds and megabytes.
const QUICK_MS: f64 = 10_000.0;
const SMALL_MB: f64 = 1000.0;

/// What grounding a game came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Grounded {
    error: Option<String>,
    /// Grounding alone.
    ground_ms: f64,
    atoms: usize,
    rules: usize,
    literals: usize,
    /// The most memory of the process until the grounding was there, and what was accounted for it.
    peak_mb: f64,
    held_mb: f64,
    /// Making the circuit and all passes, without invariants.
    passes_ms: f64,
    gates: usize,
    operations: usize,
    /// The most memory of the process until the end.
    peak_after_passes_mb: f64,
}

impl Grounded {
    fn is_quick_and_small(&self) -> bool {
        self.error.is_none() && self.ground_ms < QUICK_MS && self.peak_mb < SMALL_MB
    }
}

fn main() {
    if let Some(game) = only_game() {
        let mut grounded = Grounded::default();
        if let Err(error) = fill(&game, &mut grounded) {
            grounded.error = Some(error);
        }
        return tell(&grounded);
    }
    let Some(corpus) = Corpus::find("the table of groundings") else { return };
    let mut measured: BTreeMap<String, Grounded> = BTreeMap::new();
    for game in corpus.files("gdl", ".kif").iter().map(|path| stem(path)).filter(|game| wanted(game)) {
        let grounded =
            run_again(&game).unwrap_or_else(|error| Grounded { error: Some(error), ..Grounded::default() });
        eprintln!("{game} {:.0} ms", grounded.ground_ms);
        measured.insert(game, grounded);
    }
    print(&measured);
    if let Some(path) = option_value("--json") {
        let text = serde_json::to_string_pretty(&measured).map_err(|error| error.to_string());
        if let Err(error) = text.and_then(|text| std::fs::write(&path, text).map_err(|e| e.to_string())) {
            eprintln!("{path}: {error}");
        }
    }
}

fn fill(game: &str, grounded: &mut Grounded) -> Result<(), String> {
    let corpus = Corpus::find(game).ok_or("no corpus")?;
    let program = program_of(&corpus.path(&format!("gdl/{game}.kif")))?;
    let stages = Stages::start();
    let begin = stages.now();
    let budget = Budget::unlimited()
        .with_memory(BYTES)
        .with_time(Arc::new(WallClock::start()), Duration::from_secs(SECONDS));
    let result = ground(&program.program, &GroundOptions::optimised().with_budget(budget.clone()));
    let ground_end = stages.now();
    grounded.ground_ms = milliseconds(begin, ground_end);
    grounded.peak_mb = resident_and_peak().1;
    let grounding = result.map_err(|error| error.to_string())?;
    grounded.atoms = grounding.atom_count();
    grounded.rules = grounding.rule_count();
    grounded.literals = grounding.literal_count();
    grounded.held_mb = grounding.bytes() as f64 / 1e6;
    let net = Propnet::new(&program, &grounding).map_err(|error| error.to_string())?;
    drop(grounding);
    let mut circuit = Circuit::from_net(&net);
    drop(net);
    // As in the net machine: shared parts of gates are for lanes only.
    let passes = PassSet::all().without(Pass::Factors).without(Pass::CommonPairs);
    optimise(&mut circuit, &passes, &budget).map_err(|error| error.to_string())?;
    grounded.passes_ms = milliseconds(ground_end, stages.now());
    grounded.gates = circuit.gate_count();
    grounded.operations = circuit.operation_count();
    grounded.peak_after_passes_mb = resident_and_peak().1;
    Ok(())
}

fn print(measured: &BTreeMap<String, Grounded>) {
    let heading = [
        "game",
        "ground ms",
        "atoms",
        "rules",
        "literals",
        "peak MB",
        "passes ms",
        "gates",
        "operations",
        "peak MB at the end",
    ];
    let row = |(game, g): (&String, &Grounded)| {
        let mut row = vec![game.clone(), figure(g.ground_ms)];
        row.extend([g.atoms, g.rules, g.literals].map(|count| count.to_string()));
        row.extend([figure(g.peak_mb), figure(g.passes_ms), g.gates.to_string(), g.operations.to_string()]);
        row.push(figure(g.peak_after_passes_mb));
        row
    };
    let rows: Vec<Vec<String>> = measured.iter().filter(|(_, g)| g.error.is_none()).map(row).collect();
    println!("{}", table(&heading, &rows));
    let mut slowest: Vec<(&String, &Grounded)> = measured.iter().collect();
    slowest.sort_by(|a, b| b.1.ground_ms.total_cmp(&a.1.ground_ms));
    println!(
        "Slowest:\n\n{}",
        table(&heading, &slowest.iter().take(12).map(|&pair| row(pair)).collect::<Vec<_>>())
    );
    for (game, grounded) in measured {
        if let Some(error) = &grounded.error {
            println!("{game}: {error} ({} ms, {} MB)", figure(grounded.ground_ms), figure(grounded.peak_mb));
        }
    }
    let count = measured.len().max(1) as f64;
    let share = |of: usize| figure(100.0 * of as f64 / count);
    let quick = measured.values().filter(|grounded| grounded.is_quick_and_small()).count();
    let made = measured.values().filter(|grounded| grounded.error.is_none()).count();
    let median = slowest.get(slowest.len() / 2).map_or(0.0, |(_, grounded)| grounded.ground_ms);
    println!(
        "\n{} games: {} % grounded under 10 s and 1 GB, {} % at all; median {} ms",
        measured.len(),
        share(quick),
        share(made),
        figure(median)
    );
}
