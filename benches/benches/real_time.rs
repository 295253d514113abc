//! Updates per second of the machines for games in real time, side by side.
//!
//! `cargo bench -p ludex-benches --bench real_time [-- GAME...]`. One thread plays random games of each bundled game in
//! real time on the rule machine and on the net machine, for about a second each (`LUDEX_BENCH_SECONDS`). Both play the
//! same games: where they do not, the exit code is 1.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ludex_benches::peers::geometric_mean;
use ludex_benches::{Stopwatch, figure, seconds_or, table, wanted};
use ludex_engine::TimedNetMachine;
use ludex_game::{
    PlayoutStart, Rng, TimedAnswer, TimedMachine, TimedPlayout, TimedPlayoutOptions, TimedRuleMachine,
};
use ludex_logic::Budget;
use ludex_testkit::program_of;

/// The first games, which both machines have to play alike.
const COMPARED: usize = 20;

/// So many updates and games are made between two looks at the clock.
const BETWEEN_LOOKS: u64 = 2_000;

/// How random games went on one machine.
struct Played {
    per_second: f64,
    first: Vec<TimedPlayout>,
    mean_length: f64,
}

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/rtgdl");
    let seconds = seconds_or(1.0);
    println!(
        "Random play in real time, one thread, {seconds} s of {} a game and machine\n",
        Stopwatch::kind()
    );
    let (mut rows, mut ratios, mut differ) = (Vec::new(), Vec::new(), false);
    for path in rulesheets(&folder) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !wanted(&name) {
            continue;
        }
        match measure(&path, seconds) {
            Ok((rules, net, setup_ms)) => {
                if rules.first != net.first {
                    println!("{name}: the machines play different games");
                    differ = true;
                }
                let ratio = net.per_second / rules.per_second;
                ratios.push((ratio, name.clone()));
                let figures = [rules.per_second, net.per_second, ratio, net.mean_length, setup_ms];
                rows.push([name].into_iter().chain(figures.map(figure)).collect());
            }
            Err(error) => println!("{name}: {error}"),
        }
    }
    let heading = ["game", "rule machine", "net machine", "ratio", "updates a game", "set-up of the net, ms"];
    println!("Updates a second:\n\n{}", table(&heading, &rows));
    if let Some((least, game)) = ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0)) {
        let mean = geometric_mean(ratios.iter().map(|(ratio, _)| *ratio));
        let (mean, least) = (figure(mean), figure(*least));
        println!("{mean} times in the geometric mean over {} games, {least} at least ({game})", ratios.len());
    }
    ExitCode::from(u8::from(differ))
}

fn rulesheets(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gdl"))
        .collect();
    paths.sort();
    paths
}

/// Both machines, and the time that it takes to prepare the net.
fn measure(path: &Path, seconds: f64) -> Result<(Played, Played, f64), String> {
    let game = program_of(path)?;
    let rules = TimedRuleMachine::new(&game, &Default::default()).map_err(|error| error.to_string())?;
    let watch = Stopwatch::start();
    let net = TimedNetMachine::new(&game, &Default::default()).map_err(|error| error.to_string())?;
    let setup_ms = watch.wall_seconds() * 1e3;
    let rules = play(&rules, seconds).map_err(|error| error.to_string())?;
    let net = play(&net, seconds).map_err(|error| error.to_string())?;
    Ok((rules, net, setup_ms))
}

fn play(machine: &dyn TimedMachine, seconds: f64) -> TimedAnswer<Played> {
    let mut runner = machine.runner(&Budget::unlimited());
    let mut rng = Rng::from_seed(1);
    let options = TimedPlayoutOptions { events: 1_000, ..Default::default() };
    let (mut updates, mut first, mut games) = (0u64, Vec::new(), 0u64);
    let watch = Stopwatch::start();
    // The processor time is told in steps of some milliseconds, and asking takes as long as some dozens of updates.
    while first.len() < COMPARED || watch.seconds() < seconds {
        let next_look = updates + games + BETWEEN_LOOKS;
        while first.len() < COMPARED || updates + games < next_look {
            runner.set(machine.initial())?;
            let playout = runner.playout(PlayoutStart::default(), &options, &mut rng)?;
            updates += u64::from(playout.updates);
            games += 1;
            if first.len() < COMPARED {
                first.push(playout);
            }
        }
    }
    let per_second = updates as f64 / watch.seconds();
    Ok(Played { per_second, first, mean_length: updates as f64 / games as f64 })
}
