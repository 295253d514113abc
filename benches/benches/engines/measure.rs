//! What is measured of one game, in a process of its own.

use std::num::NonZeroUsize;
use std::sync::Arc;

use ludex_benches::again::resident_and_peak;
use ludex_benches::play::{Lengths, Played, play};
use ludex_benches::stages::{Stages, WallClock, milliseconds};
use ludex_benches::{Stopwatch, has_option, processor_seconds_of_all_threads, seconds_or};
use ludex_engine::{
    Backend, LaneEngine, LaneOptions, LanePart, LaneProfile, LaneProgram, LaneWidth, NetMachine, NetOptions,
    StreamStatistics,
};
use ludex_game::{
    Answer, Batch, BatchOptions, Machine, Outcomes, Policy, RuleMachine, RuleMachineOptions, Start, State,
    Tally,
};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, Clock};
use ludex_testkit::corpus::Corpus;
use ludex_testkit::program_of;
use serde::{Deserialize, Serialize};

use crate::late::{Late, late};

/// The most that preparing a net may take.
const SETUP_SECONDS: u64 = 120;
const SETUP_BYTES: usize = 4_000_000_000;

/// No game of the corpus is longer.
const POLICY: Policy = Policy::uniform(5000);

/// Milliseconds from the text to lanes that can run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Setup {
    pub read: f64,
    pub ground: f64,
    pub net: f64,
    pub passes: f64,
    pub invariants: f64,
    pub lanes: f64,
}

impl Setup {
    pub fn total(&self) -> f64 {
        self.read + self.ground + self.net + self.passes + self.invariants + self.lanes
    }
}

/// How large a game is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Size {
    pub bases: usize,
    pub moves: usize,
    /// And-gates and two-input operations of the circuit that lanes run.
    pub gates: usize,
    pub operations: usize,
    /// Operations of the phases, and slots.
    pub decide: usize,
    pub advance: usize,
    pub assess: usize,
    pub slots: usize,
    /// Megabytes accounted for: the net machine, the lanes' program, and the lanes themselves.
    pub net_mb: f64,
    pub program_mb: f64,
    pub engine_mb: f64,
    /// Megabytes of the process when all of it is ready, and the most until then.
    pub resident_mb: f64,
    pub peak_mb: f64,
}

/// Lanes with one backend and width.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lanes {
    pub backend: String,
    pub width: usize,
    pub is_native: bool,
    pub played: Played,
}

/// Lanes on threads.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Threads {
    pub threads: usize,
    /// State changes in a second of each thread's processor time.
    pub of_a_thread: f64,
    /// State changes in a second on the wall, of all threads.
    pub on_the_wall: f64,
}

/// Shares of the time of lanes, by part, and more about a step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Breakdown {
    /// Parts with their shares of the time.
    pub shares: Vec<(String, f64)>,
    /// The share of lanes that made a move, over all steps.
    pub in_use: f64,
    /// Nanoseconds of one step of all lanes.
    pub step_ns: f64,
}

/// All about one game.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Why there is no net.
    pub error: Option<String>,
    pub setup: Setup,
    pub size: Size,
    pub rules: Option<Played>,
    pub net: Option<Played>,
    /// The lanes that are chosen where nothing is asked for.
    pub lanes: Option<Lanes>,
    pub all: Vec<Lanes>,
    pub breakdown: Breakdown,
    /// From the start of the game and from later states, specialised or not.
    pub late: Vec<Late>,
    /// With one thread, and with as many as there are processors.
    pub threads: Vec<Threads>,
    /// What was found wrong.
    pub wrong: Vec<String>,
}

/// Measures one game.
pub fn measure(game: &str) -> Figures {
    let mut figures = Figures::default();
    if let Err(error) = fill(game, &mut figures) {
        figures.error = Some(error);
    }
    figures
}

fn fill(game: &str, figures: &mut Figures) -> Result<(), String> {
    let corpus = Corpus::find(game).ok_or("no corpus")?;
    let path = corpus.path(&format!("gdl/{game}.kif"));
    if has_option("--one-state") {
        return one_state(&path, figures);
    }
    let seconds = seconds_or(if has_option("--sample") { 0.1 } else { 0.5 });
    let machine = prepare(&path, figures)?;
    let text = |error: ludex_game::GameError| error.to_string();
    let program = machine.lanes(LaneOptions::default());
    let auto = lanes(machine.initial(), &program, seconds).map_err(text)?;
    figures.breakdown = breakdown(&machine, &program, &auto, seconds).map_err(text)?;
    figures.threads = on_threads(&machine, &program, &auto, seconds).map_err(text)?;
    figures.late = late(&machine, seconds).map_err(text)?;
    figures.net = Some(play(&machine, seconds).map_err(text)?);
    let rules = RuleMachine::new(&program_of(&path)?, &RuleMachineOptions::default()).map_err(text)?;
    figures.rules = Some(play(&rules, seconds).map_err(text)?);
    for (backend, width) in configurations() {
        let program = machine.lanes(LaneOptions { width: Some(width), backend });
        if backend == Backend::Native && !program.is_native() {
            continue;
        }
        let measured = lanes(machine.initial(), &program, seconds).map_err(text)?;
        figures.all.push(Lanes { backend: backend.to_string(), ..measured });
        let expected =
            sample(&machine, &machine.lanes(LaneOptions { width: Some(width), ..PLAIN })).map_err(text)?;
        if sample(&machine, &program).map_err(text)? != expected {
            figures.wrong.push(format!("{backend} with {} lanes plays other games", width.lanes()));
        }
    }
    figures.lanes = Some(auto);
    compare_lengths(figures);
    Ok(())
}

/// The net machine and the rule machine alone.
fn one_state(path: &std::path::Path, figures: &mut Figures) -> Result<(), String> {
    let text = |error: ludex_game::GameError| error.to_string();
    let game = program_of(path)?;
    let net = NetMachine::new(&game, &NetOptions::default()).map_err(|error| error.to_string())?;
    figures.net = Some(play(&net, seconds_or(0.5)).map_err(text)?);
    let rules = RuleMachine::new(&game, &RuleMachineOptions::default()).map_err(text)?;
    figures.rules = Some(play(&rules, seconds_or(0.5)).map_err(text)?);
    Ok(())
}

const PLAIN: LaneOptions = LaneOptions { width: None, backend: Backend::Portable };

fn configurations() -> Vec<(Backend, LaneWidth)> {
    use LaneWidth::{W64, W256, W512};
    if has_option("--sample") {
        return vec![(Backend::Portable, W512), (Backend::Avx512, W512)];
    }
    let interpreters = [Backend::Portable, Backend::Avx2, Backend::Avx512];
    let interpreted =
        interpreters.into_iter().flat_map(|backend| [W64, W256, W512].map(|width| (backend, width)));
    interpreted.chain([W256, W512].map(|width| (Backend::Native, width))).collect()
}

/// Prepares the game, several times if that takes little, and notes the fastest.
fn prepare(path: &std::path::Path, figures: &mut Figures) -> Result<NetMachine, String> {
    let (machine, setup) = prepare_once(path)?;
    let program = machine.lanes(LaneOptions::default());
    let engine = program.engine(&BatchOptions::default());
    figures.size = size(&machine, &program, &engine);
    figures.setup = setup;
    let mut spent = setup.total();
    for _ in 0..4 {
        if spent > 2000.0 || has_option("--sample") {
            break;
        }
        let (_, again) = prepare_once(path)?;
        spent += again.total();
        if again.total() < figures.setup.total() {
            figures.setup = again;
        }
    }
    Ok(machine)
}

fn prepare_once(path: &std::path::Path) -> Result<(NetMachine, Setup), String> {
    let stages = Arc::new(Stages::start());
    let begin = stages.now();
    let game: GameProgram = program_of(path)?;
    let read = stages.now();
    let budget = Budget::unlimited()
        .with_memory(SETUP_BYTES)
        .with_time(Arc::new(WallClock::start()), std::time::Duration::from_secs(SETUP_SECONDS))
        .with_progress(Arc::clone(&stages) as Arc<dyn ludex_logic::Progress>);
    let options = NetOptions { budget, ..NetOptions::default() };
    let machine = NetMachine::new(&game, &options).map_err(|error| error.to_string())?;
    let made = stages.now();
    machine.lanes(LaneOptions::default());
    let end = stages.now();
    // A stage that was not come to takes no time.
    let proving = stages.begin_of("proving invariants").unwrap_or(made);
    let shrinking = stages.begin_of("shrinking the circuit").unwrap_or(proving);
    let making = stages.begin_of("making the net").unwrap_or(shrinking);
    let setup = Setup {
        read: milliseconds(begin, read),
        ground: milliseconds(read, making),
        net: milliseconds(making, shrinking),
        passes: milliseconds(shrinking, proving),
        invariants: milliseconds(proving, made),
        lanes: milliseconds(made, end),
    };
    Ok((machine, setup))
}

fn size(machine: &NetMachine, program: &LaneProgram, engine: &LaneEngine) -> Size {
    let circuit = machine.lane_circuit();
    let StreamStatistics { decide, advance, assess, slots, .. } = program.stream().statistics();
    let (resident_mb, peak_mb) = resident_and_peak();
    Size {
        bases: circuit.bases.len(),
        moves: circuit.moves.iter().map(Vec::len).sum(),
        gates: circuit.gate_count(),
        operations: circuit.operation_count(),
        decide,
        advance,
        assess,
        slots,
        net_mb: machine.bytes() as f64 / 1e6,
        program_mb: program.bytes() as f64 / 1e6,
        engine_mb: engine.bytes() as f64 / 1e6,
        resident_mb,
        peak_mb,
    }
}

fn from_initial(machine: &NetMachine, playouts: u32) -> [Start; 1] {
    [Start { state: machine.initial().clone(), playouts }]
}

/// What a few playouts with one seed come to: it must not depend on the backend.
fn sample(machine: &NetMachine, program: &Arc<LaneProgram>) -> Answer<Vec<Tally>> {
    let mut out = Outcomes::default();
    let from = from_initial(machine, 2 * program.width().lanes() as u32);
    program.engine(&BatchOptions::default()).playouts(&from, &POLICY, 7, &mut out)?;
    Ok(out.tallies)
}

/// Plays until so much time has passed, many games at a time, so that it matters little that lanes
/// wait for the last game.
pub(crate) fn lanes(start: &State, program: &Arc<LaneProgram>, seconds: f64) -> Answer<Lanes> {
    let mut engine = program.engine(&BatchOptions::default());
    let mut out = Outcomes::default();
    let mut playouts = 4 * program.width().lanes() as u32;
    let (mut passed, mut lengths) = (0.0, Lengths::default());
    for seed in 0.. {
        let from = [Start { state: start.clone(), playouts }];
        let watch = Stopwatch::start();
        engine.playouts(&from, &POLICY, seed, &mut out)?;
        if watch.wall_seconds() < seconds / 4.0 && playouts < 1 << 28 {
            playouts *= 2;
            continue;
        }
        passed += watch.seconds();
        let tally = &out.tallies[0];
        lengths.games += u64::from(tally.playouts());
        lengths.sum += tally.steps;
        lengths.squares += tally.squared_steps;
        if passed >= seconds {
            break;
        }
    }
    Ok(Lanes {
        backend: if program.is_native() { "native".to_owned() } else { "interpreter".to_owned() },
        width: program.width().lanes(),
        is_native: program.is_native(),
        played: Played { per_second: lengths.sum as f64 / passed, lengths },
    })
}

/// Playouts that take about so many seconds.
fn playouts_for(lanes: &Lanes, seconds: f64) -> u32 {
    let games = lanes.played.per_second * seconds / lanes.played.lengths.mean().max(1.0);
    (games as u32).max(4 * lanes.width as u32)
}

fn breakdown(
    machine: &NetMachine,
    program: &Arc<LaneProgram>,
    auto: &Lanes,
    seconds: f64,
) -> Answer<Breakdown> {
    let mut engine = program.engine(&BatchOptions::default());
    let from = from_initial(machine, playouts_for(auto, seconds));
    let clock = WallClock::start();
    let profile: LaneProfile = engine.profile(&from, &POLICY, 1, &clock, &mut Outcomes::default())?;
    let rounds = profile.visits(LanePart::Decide) as f64;
    // Looking at the clock takes as long as a part of a small game.
    let look = cost_of_looking(&clock);
    let time =
        |part: LanePart| (profile.time(part).as_secs_f64() - profile.visits(part) as f64 * look).max(0.0);
    let total: f64 = LanePart::ALL.map(time).iter().sum();
    Ok(Breakdown {
        shares: LanePart::ALL.map(|part| (part.name().to_owned(), time(part) / total)).to_vec(),
        in_use: profile.state_changes as f64 / (rounds * auto.width as f64),
        step_ns: auto.width as f64 / auto.played.per_second * 1e9,
    })
}

/// Seconds that a look at the clock takes, when nothing comes between.
fn cost_of_looking(clock: &WallClock) -> f64 {
    let looks = 200;
    let batch = |_| {
        let begin = clock.now();
        let mut end = begin;
        for _ in 0..looks {
            end = clock.now();
        }
        (end - begin).as_secs_f64() / f64::from(looks)
    };
    (0..100).map(batch).fold(f64::INFINITY, f64::min)
}

fn on_threads(
    machine: &NetMachine,
    program: &Arc<LaneProgram>,
    auto: &Lanes,
    seconds: f64,
) -> Answer<Vec<Threads>> {
    let all = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    [NonZeroUsize::MIN, all]
        .into_iter()
        .map(|threads| on_so_many(machine, program, auto, seconds, threads))
        .collect()
}

fn on_so_many(
    machine: &NetMachine,
    program: &Arc<LaneProgram>,
    auto: &Lanes,
    seconds: f64,
    threads: NonZeroUsize,
) -> Answer<Threads> {
    // Enough portions for all threads, and enough time for the system to count it.
    let count = threads.get() as u32;
    let playouts =
        playouts_for(auto, f64::from(count) * seconds.max(1.0)).max(16 * count * auto.width as u32);
    let from = from_initial(machine, playouts);
    let mut out = Outcomes::default();
    let (watch, begin) = (Stopwatch::start(), processor_seconds_of_all_threads());
    program.playouts_on_threads((&from, &POLICY, 1), &BatchOptions::default(), threads, &mut out)?;
    let wall = watch.wall_seconds();
    let processor = begin.zip(processor_seconds_of_all_threads()).map(|(begin, end)| end - begin);
    let steps = out.tallies[0].steps as f64;
    Ok(Threads {
        threads: threads.get(),
        of_a_thread: steps / processor.unwrap_or(wall * f64::from(count)),
        on_the_wall: steps / wall,
    })
}

/// All engines must play games of the same length.
fn compare_lengths(figures: &mut Figures) {
    let Some(expected) = figures.lanes.as_ref().map(|lanes| lanes.played.lengths) else { return };
    let one = [("the rule machine", figures.rules), ("the net machine", figures.net)];
    let one = one.into_iter().filter_map(|(name, played)| Some((name.to_owned(), played?.lengths)));
    let many = figures.all.iter();
    let many =
        many.map(|lanes| (format!("{} with {} lanes", lanes.backend, lanes.width), lanes.played.lengths));
    for (name, lengths) in one.chain(many).filter(|(_, lengths)| lengths.games > 1) {
        let allowed = 5.0 * expected.error().hypot(expected.deviation() / (lengths.games as f64).sqrt());
        let difference = (lengths.mean() - expected.mean()).abs();
        if difference > allowed + 1e-9 {
            let text =
                format!("mean length {:.3} with {name}, {:.3} in lanes", lengths.mean(), expected.mean());
            figures.wrong.push(text);
        }
    }
}
