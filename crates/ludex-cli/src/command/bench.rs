//! `ludex bench`: random playouts against the clock, and beliefs.

mod belief;
#[cfg(feature = "server")]
mod serve;

use std::io::Write;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use ludex::engines::{InstructionSet, LaneProgram};
use ludex::game::{Batch, BatchOptions, Goal, Machine, Outcomes, Policy, Rng, Start, State};
use ludex::logic::{Budget, Clock, LimitError, begin_threads};
use ludex::{Engine, Game, SystemClock, UnknownEngine};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Context;
use crate::console::table;
use crate::engine_arguments::{EngineArguments, NetArguments};
use crate::failure::{Failure, say};
use crate::limits::{duration, duration_text, grouped, thread_count};
use crate::rulesheet::{ReadArguments, load_game};

/// Arguments of `bench`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "\
Examples:
  ludex bench connect-four
  ludex bench my-game.kif --seconds 10 --threads 4 --json
  ludex bench connect-four --engine all
  ludex bench connect-four --engine lanes --backend portable --lanes 256
  ludex bench blind-breakthrough --belief white --states 100000

Random games from the initial state are played. Where the rules can be made a net, lanes
play hundreds of them at a time; --engine net plays one at a time.

--json: an object with game, rulesheet_sha256, engine, backend, threads, lanes, setup_ms,
seconds, state_changes, state_changes_per_s, playouts, playouts_per_s, mean_length,
mean_goals (by role), memory_mb (at most so far, null where the system does not tell),
reason (of the choice of engine), faults (playouts without a result), and of nets atoms,
ground_rules, gates, operations (else null). With --engine all: a list of such objects.

--belief follows what a role is told in random matches of a GDL-II game instead: each of
the states that it holds possible is stepped on by random moves of the others, and those
that would have looked different are dropped. Its --json: game, role, engine, backend,
lanes, limit, matches, steps, exact_steps (all states known), lost_steps (none found),
mean_states, state_changes, seconds, state_changes_per_s.

`ludex bench serve` measures a Game Manager under load (`ludex bench serve --help`).",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct BenchArguments {
    #[cfg(feature = "server")]
    #[command(subcommand)]
    other: Option<Other>,

    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE", required = true)]
    file: Option<String>,

    /// What runs the game: auto, rules, net, lanes, or all of them one after the other
    #[arg(long, value_name = "ENGINE", default_value = "auto", help_heading = "Engine")]
    engine: BenchEngine,

    /// How long to play
    #[arg(long, short, value_name = "S", default_value = "3", value_parser = duration)]
    seconds: Duration,

    /// How many threads play
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = thread_count())]
    threads: u16,

    /// Decides the games that are played
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Measure how fast a role works out which states are possible
    #[arg(long, value_name = "ROLE", num_args = 0..=1, default_missing_value = "", conflicts_with = "threads")]
    belief: Option<String>,

    /// With --belief: how many possible states are kept at most
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "belief",
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000_000))]
    states: usize,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    net: NetArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What can be measured beside games.
#[cfg(feature = "server")]
#[derive(Debug, clap::Subcommand)]
enum Other {
    /// Measure a Game Manager under load: matches, watchers, a full store, a flood, a restart
    Serve(serve::BenchServeArguments),
}

impl BenchArguments {
    /// The game. Without one there is nothing else to be measured.
    fn file(&self) -> &str {
        self.file.as_deref().unwrap_or_default()
    }
}

/// The engines to measure.
#[derive(Clone, Copy, Debug)]
enum BenchEngine {
    One(Engine),
    All,
}

impl FromStr for BenchEngine {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "all" => Ok(Self::All),
            _ => name.parse().map(Self::One).map_err(|e: UnknownEngine| e.to_string()),
        }
    }
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
    reason: String,
    faults: u64,
    atoms: Option<usize>,
    ground_rules: Option<usize>,
    gates: Option<usize>,
    operations: Option<usize>,
}

/// What one thread, or all together, have played.
#[derive(Clone, Debug, Default)]
struct Tally {
    state_changes: u64,
    playouts: u64,
    /// Steps of the playouts that ended.
    steps: u64,
    goals: Vec<u64>,
    /// Playouts that got stuck or went on for too long.
    faults: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.state_changes += other.state_changes;
        self.playouts += other.playouts;
        self.steps += other.steps;
        self.faults += other.faults;
        self.goals.resize(self.goals.len().max(other.goals.len()), 0);
        self.goals.iter_mut().zip(&other.goals).for_each(|(sum, goal)| *sum += goal);
    }
}

/// One way to run the game.
struct Way {
    game: Game,
    /// The engine that plays; lanes where a net plays batches.
    engine: Engine,
    program: Option<Arc<LaneProgram>>,
    setup: Duration,
    /// What the backend that was asked for cannot do.
    remark: Option<String>,
}

/// Plays.
pub fn run(arguments: &BenchArguments, context: &mut Context) -> Result<(), Failure> {
    #[cfg(feature = "server")]
    if let Some(Other::Serve(arguments)) = &arguments.other {
        return serve::run(arguments, context);
    }
    if let Some(role) = &arguments.belief {
        return belief::run(arguments, role, context);
    }
    let engines: Vec<Engine> = match arguments.engine {
        BenchEngine::All => vec![Engine::Rules, Engine::Net, Engine::Lanes],
        BenchEngine::One(engine) => vec![engine],
    };
    let mut all = Vec::new();
    for engine in engines {
        let way = match prepare(arguments, engine, context) {
            Ok(way) => way,
            // The rule machine runs every game; that the others do not is part of the answer.
            Err(Failure::Input { message, .. }) if !all.is_empty() => {
                context.console.flush()?;
                say(&format!("{engine}: {message}"));
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let (sum, seconds, threads) = play(&way, arguments, context)?;
        if threads < arguments.threads {
            context.console.flush()?;
            say(&format!("{threads} of {} threads: the system has no more left", arguments.threads));
        }
        let figures = figures(&way, threads, &sum, seconds);
        if !arguments.json {
            if !all.is_empty() {
                writeln!(context.console)?;
            }
            show(&figures, &sum, context)?;
            context.console.flush()?;
        }
        all.push(figures);
    }
    if arguments.json {
        let text = match (&arguments.engine, all.first()) {
            (BenchEngine::One(_), Some(figures)) => serde_json::to_string_pretty(figures)?,
            _ => serde_json::to_string_pretty(&all)?,
        };
        writeln!(context.console, "{text}")?;
    }
    Ok(())
}

/// Loads the game for an engine, and makes lanes where they are to play.
fn prepare(arguments: &BenchArguments, engine: Engine, context: &Context) -> Result<Way, Failure> {
    let start = context.limits.now();
    let engine_arguments = EngineArguments { engine, net: arguments.net.clone() };
    let game = load_game(arguments.file(), &arguments.read, &engine_arguments, false, context)?;
    // Random games are a batch, which the automatic choice plays in lanes.
    let plays = match game.engine() {
        Engine::Net if engine == Engine::Auto => Engine::Lanes,
        other => other,
    };
    let options = arguments.net.lane_options();
    let program = (plays == Engine::Lanes).then(|| game.lanes(options)).flatten();
    let refusal = program.as_ref().and_then(|program| program.refusal());
    let remark = refusal.map(|why| format!("no machine code: {why}"));
    let setup = context.limits.now().saturating_sub(start);
    Ok(Way { game, engine: plays, program, setup, remark })
}

/// Plays on all threads that there are, this one among them; what they played, the seconds it took, and how many
/// they were.
fn play(way: &Way, arguments: &BenchArguments, context: &Context) -> Result<(Tally, f64, u16), Failure> {
    let begin = context.limits.now();
    let end = begin.saturating_add(arguments.seconds);
    let clock = Arc::clone(&context.limits.clock);
    let tallies: Vec<Result<Tally, Failure>> = std::thread::scope(|scope| {
        let part = |number: u16| {
            let (clock, context) = (&clock, &context.limits);
            let seed = arguments.seed.wrapping_add(u64::from(number) << 32);
            let report = number == 0;
            move || match &way.program {
                Some(program) => play_lanes(&way.game, program, seed, end, clock, context.budget(), report),
                None => play_until(&way.game, seed, end, clock, context.budget(), report),
            }
        };
        let others = begin_threads(scope, (1..arguments.threads).map(part));
        let mut tallies = vec![part(0)()];
        let joined = others.into_iter().map(|other| other.join());
        tallies.extend(joined.map(|tally| tally.unwrap_or_else(|_| Err(Failure::input("a thread failed")))));
        tallies
    });
    // There were no more than were asked for.
    let threads = tallies.len() as u16;
    let seconds = context.limits.now().saturating_sub(begin).as_secs_f64();
    let mut sum = Tally::default();
    for tally in tallies {
        sum.add(&tally?);
    }
    Ok((sum, seconds, threads))
}

/// A playout in lanes that takes more steps than this has no result.
const STEP_LIMIT: u32 = 10_000;

/// Plays batches of games in lanes until `end`, each batch to its end, larger ones as time allows: at
/// the end of a batch lanes run empty.
fn play_lanes(
    game: &Game,
    program: &Arc<LaneProgram>,
    seed: u64,
    end: Duration,
    clock: &Arc<SystemClock>,
    budget: &Budget,
    report: bool,
) -> Result<Tally, Failure> {
    let begin = clock.now();
    let total = end.saturating_sub(begin);
    let lanes = program.width().lanes() as u32;
    let mut engine = program.engine(&BatchOptions { budget: budget.clone(), records: false });
    let policy = Policy::uniform(STEP_LIMIT);
    let mut seeds = Rng::from_seed(seed);
    let mut tally = Tally { goals: vec![0; game.roles().len()], ..Tally::default() };
    let mut outcomes = Outcomes::default();
    let mut playouts = 2 * lanes;
    while clock.now() < end {
        let before = clock.now();
        let start = Start { state: game.initial().clone(), playouts };
        engine.playouts(&[start], &policy, seeds.bits(), &mut outcomes)?;
        for found in &outcomes.tallies {
            tally.state_changes += found.steps;
            tally.playouts += u64::from(found.finished);
            tally.steps += found.steps;
            tally.faults += u64::from(found.stuck + found.over_limit);
            let sum = |list: &Vec<(Goal, u32)>| -> u64 {
                list.iter().map(|&(goal, count)| u64::from(goal) * u64::from(count)).sum()
            };
            tally.goals.iter_mut().zip(&found.goals).for_each(|(goal, list)| *goal += sum(list));
        }
        let now = clock.now();
        let took = now.saturating_sub(before).as_secs_f64().max(1e-6);
        // As many as fit the time that is left, or eight times as many as before.
        let fitting = f64::from(playouts) / took * end.saturating_sub(now).as_secs_f64() * 0.9;
        let most = playouts.saturating_mul(8).min(1 << 24);
        playouts = (fitting as u32).clamp(2 * lanes, most);
        if report {
            let passed = now.saturating_sub(begin).as_millis() as u64;
            budget.report("playing", passed, Some(total.as_millis() as u64));
        }
    }
    Ok(tally)
}

/// Plays one random game after another until `end`. A game that takes too long is looked at from
/// time to time, so that the clock holds for slow games too.
fn play_until(
    game: &Game,
    seed: u64,
    end: Duration,
    clock: &Arc<SystemClock>,
    budget: &Budget,
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

fn figures(way: &Way, threads: u16, sum: &Tally, seconds: f64) -> Figures {
    let game = &way.game;
    let choice = game.choice();
    let net = choice.setup.as_ref();
    let ended = sum.playouts > 0;
    let mean = |total: u64| total as f64 / sum.playouts.max(1) as f64;
    let program = way.program.as_ref();
    let mut reason = choice.reason.clone();
    if way.engine == Engine::Lanes && choice.engine == Engine::Net {
        reason.push_str(", and random games fill lanes");
    }
    if let Some(remark) = &way.remark {
        reason = format!("{reason}; {remark}");
    }
    let goals = game.role_names().into_iter().zip(&sum.goals).filter(|_| ended);
    Figures {
        game: game.short_name().to_owned(),
        rulesheet_sha256: game.sha256().to_owned(),
        engine: way.engine.to_string(),
        backend: program.map_or("interpreter", |program| backend(program)),
        threads,
        lanes: program.map_or(1, |program| program.width().lanes() as u32),
        setup_ms: round(way.setup.as_secs_f64() * 1000.0),
        seconds: round(seconds),
        state_changes: sum.state_changes,
        state_changes_per_s: per_second(sum.state_changes, seconds),
        playouts: sum.playouts,
        playouts_per_s: per_second(sum.playouts, seconds),
        mean_length: ended.then(|| round(mean(sum.steps))),
        mean_goals: goals.map(|(role, &total)| (role, Value::from(round(mean(total))))).collect(),
        memory_mb: memory_mb(),
        reason,
        faults: sum.faults,
        atoms: net.map(|setup| setup.atoms),
        ground_rules: net.map(|setup| setup.rules),
        gates: net.map(|setup| setup.passes.after.gates),
        operations: match program {
            Some(program) => {
                let found = program.stream().statistics();
                Some(found.decide + found.advance + found.assess)
            }
            None => net.map(|setup| setup.passes.after.operations),
        },
    }
}

/// How many lanes there are, where there are some, before more is said.
fn lanes_text(lanes: u32) -> String {
    if lanes == 1 { String::new() } else { format!("{lanes} lanes, ") }
}

/// What computes the lanes in the end.
fn backend(program: &LaneProgram) -> &'static str {
    match (program.is_native(), program.instruction_set()) {
        (true, _) => "native",
        (false, InstructionSet::Portable) => "portable",
        (false, InstructionSet::Avx2) => "avx2",
        (false, InstructionSet::Avx512) => "avx512",
    }
}

fn per_second(count: u64, seconds: f64) -> f64 {
    round(count as f64 / seconds.max(1e-9))
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
    let lanes = lanes_text(figures.lanes);
    writeln!(
        console,
        "{}  engine {} ({}), {lanes}{threads}, {}",
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
    if figures.faults > 0 {
        writeln!(console, "no result      {} playouts", grouped(figures.faults.into()))?;
    }
    writeln!(console, "set-up         {:.0} ms{memory}", figures.setup_ms)?;
    if let (Some(atoms), Some(rules), Some(operations)) =
        (figures.atoms, figures.ground_rules, figures.operations)
    {
        let [atoms, rules, operations] = [atoms, rules, operations].map(|n| grouped(n as u128));
        writeln!(console, "net            {atoms} atoms, {rules} ground rules, {operations} operations")?;
    }
    writeln!(console, "chosen         {}", figures.reason)?;
    Ok(())
}
