//! `ludex bench`: random playouts against the clock.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use ludex::game::{Machine, Rng, State};
use ludex::logic::{Clock, LimitError};
use ludex::Game;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Context;
use crate::clock::SystemClock;
use crate::console::table;
use crate::engine_arguments::EngineArguments;
use crate::failure::Failure;
use crate::limits::{duration, duration_text, grouped};
use crate::rulesheet::{ReadArguments, load_game};

/// Arguments of `bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex bench connect-four
  ludex bench my-game.kif --seconds 10 --threads 4 --json

--json: an object with game, rulesheet_sha256, engine, backend, threads, lanes, setup_ms,
seconds, state_changes, state_changes_per_s, playouts, playouts_per_s, mean_length,
mean_goals (by role), memory_mb (at most so far, null where the system does not tell).")]
pub struct BenchArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// How long to play
    #[arg(long, short, value_name = "S", default_value = "3", value_parser = duration)]
    seconds: Duration,

    /// How many threads play
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Decides the games that are played
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    engine: EngineArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Figures {
    game: String,
    rulesheet_sha256: String,
    engine: String,
    backend: &'static str,
    threads: u16,
    lanes: u32,
    setup_ms: f64,
    seconds: f64,
    state_changes: u64,
    state_changes_per_s: f64,
    playouts: u64,
    playouts_per_s: f64,
    mean_length: Option<f64>,
    mean_goals: Map<String, Value>,
    memory_mb: Option<f64>,
}

/// What one thread, or all together, have played.
#[derive(Clone, Debug, Default)]
struct Tally {
    state_changes: u64,
    playouts: u64,
    /// Steps of the playouts that ended.
    steps: u64,
    goals: Vec<u64>,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.state_changes += other.state_changes;
        self.playouts += other.playouts;
        self.steps += other.steps;
        self.goals.resize(self.goals.len().max(other.goals.len()), 0);
        self.goals.iter_mut().zip(&other.goals).for_each(|(sum, goal)| *sum += goal);
    }
}

/// Plays.
pub fn run(arguments: &BenchArguments, context: &mut Context) -> Result<(), Failure> {
    let start = context.limits.now();
    let game = load_game(&arguments.file, &arguments.read, &arguments.engine, false, context)?;
    let setup = context.limits.now().saturating_sub(start);
    let begin = context.limits.now();
    let end = begin.saturating_add(arguments.seconds);
    let clock = Arc::clone(&context.limits.clock);
    let tallies: Vec<Result<Tally, Failure>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..arguments.threads)
            .map(|number| {
                let (game, clock, context) = (&game, &clock, &context.limits);
                let seed = arguments.seed.wrapping_add(u64::from(number) << 32);
                scope.spawn(move || play_until(game, seed, end, clock, context.budget(), number == 0))
            })
            .collect();
        threads
            .into_iter()
            .map(|t| t.join().unwrap_or_else(|_| Err(Failure::input("a thread failed"))))
            .collect()
    });
    let seconds = context.limits.now().saturating_sub(begin).as_secs_f64();
    let mut sum = Tally::default();
    for tally in tallies {
        sum.add(&tally?);
    }
    let figures = figures(&game, arguments, &sum, setup, seconds);
    let console = &mut context.console;
    if arguments.json {
        writeln!(console, "{}", serde_json::to_string_pretty(&figures)?)?;
        return Ok(());
    }
    show(&figures, &sum, context)
}

/// Plays one random game after another until `end`. A game that takes too long is looked at from
/// time to time, so that the clock holds for slow games too.
fn play_until(
    game: &Game,
    seed: u64,
    end: Duration,
    clock: &Arc<SystemClock>,
    budget: &ludex::logic::Budget,
    report: bool,
) -> Result<Tally, Failure> {
    let begin = clock.now();
    let total = end.saturating_sub(begin);
    let machine: &Arc<dyn Machine> = game.machine();
    let mut runner = machine.runner(budget);
    let initial: State = game.initial().clone();
    let mut rng = Rng::from_seed(seed);
    let mut tally = Tally { goals: vec![0; game.roles().len()], ..Tally::default() };
    let (mut length, mut chunk) = (0u64, 1u32);
    loop {
        let before = clock.now();
        if before >= end {
            return Ok(tally);
        }
        let playout = match runner.playout(&mut rng, chunk) {
            Ok(playout) => playout,
            // What was played until the deadline counts.
            Err(ludex::game::GameError::Limit(LimitError::Deadline)) if tally.playouts > 0 => {
                return Ok(tally);
            }
            Err(error) => return Err(error.into()),
        };
        tally.state_changes += u64::from(playout.steps);
        length += u64::from(playout.steps);
        if playout.terminal {
            tally.playouts += 1;
            tally.steps += length;
            length = 0;
            let goals = tally.goals.iter_mut().zip(&playout.goals);
            goals.for_each(|(sum, goal)| *sum += u64::from(goal.unwrap_or(0)));
            runner.set(&initial)?;
        } else {
            let took = clock.now().saturating_sub(before);
            if took < Duration::from_millis(10) {
                chunk = chunk.saturating_mul(2);
            } else if took > Duration::from_millis(100) {
                chunk = (chunk / 2).max(1);
            }
        }
        if report {
            let passed = before.saturating_sub(begin).as_millis() as u64;
            budget.report("playing", passed, Some(total.as_millis() as u64));
        }
    }
}

fn figures(game: &Game, arguments: &BenchArguments, sum: &Tally, setup: Duration, seconds: f64) -> Figures {
    let mean = |total: u64| total as f64 / sum.playouts.max(1) as f64;
    let per_second = |count: u64| round(count as f64 / seconds.max(1e-9));
    Figures {
        game: game.short_name().to_owned(),
        rulesheet_sha256: game.sha256().to_owned(),
        engine: game.engine().to_string(),
        backend: "interpreter",
        threads: arguments.threads,
        lanes: 1,
        setup_ms: round(setup.as_secs_f64() * 1000.0),
        seconds: round(seconds),
        state_changes: sum.state_changes,
        state_changes_per_s: per_second(sum.state_changes),
        playouts: sum.playouts,
        playouts_per_s: per_second(sum.playouts),
        mean_length: (sum.playouts > 0).then(|| round(mean(sum.steps))),
        mean_goals: game
            .role_names()
            .into_iter()
            .zip(&sum.goals)
            .filter(|_| sum.playouts > 0)
            .map(|(role, &total)| (role, Value::from(round(mean(total)))))
            .collect(),
        memory_mb: memory_mb(),
    }
}

/// To a thousandth: more digits are noise.
fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// The most memory the process has used, in MiB, where the system tells.
fn memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(round(kilobytes / 1024.0))
}

fn show(figures: &Figures, sum: &Tally, context: &mut Context) -> Result<(), Failure> {
    let console = &mut context.console;
    let threads =
        if figures.threads == 1 { "1 thread".into() } else { format!("{} threads", figures.threads) };
    writeln!(
        console,
        "{}  engine {} ({}), {threads}, {}",
        console.bold(&figures.game),
        figures.engine,
        figures.backend,
        duration_text(Duration::from_secs_f64(figures.seconds)),
    )?;
    let whole = |number: f64| grouped(number as u128);
    let rows = vec![
        ["", "IN ALL", "PER SECOND"].map(str::to_owned).to_vec(),
        vec!["state changes".into(), grouped(sum.state_changes.into()), whole(figures.state_changes_per_s)],
        vec!["playouts".into(), grouped(sum.playouts.into()), whole(figures.playouts_per_s)],
    ];
    let text = table(console, &rows, &[false, true, true]);
    console.write_all(text.as_bytes())?;
    if let Some(length) = figures.mean_length {
        writeln!(console, "mean length    {length:.2}")?;
        let goals: Vec<String> =
            figures.mean_goals.iter().map(|(r, g)| format!("{r} {:.2}", g.as_f64().unwrap_or(0.0))).collect();
        writeln!(console, "mean goals     {}", goals.join(", "))?;
    } else {
        writeln!(console, "no playout ended in this time")?;
    }
    let memory = figures.memory_mb.map(|m| format!(", memory {m:.0} MB")).unwrap_or_default();
    writeln!(console, "set-up         {:.0} ms{memory}", figures.setup_ms)?;
    Ok(())
}
