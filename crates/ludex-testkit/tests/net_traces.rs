//! The corpus's traces through the net machine and the lanes: each recorded joint move is made in one
//! lane while the others play at random. A seeded sample, or with `LUDEX_SOAK` all of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ludex_engine::{Backend, LaneMachine, LaneOptions, NetMachine, NetOptions};
use ludex_game::{Machine, Rng, Trace, verify};
use ludex_logic::{Budget, Clock};
use ludex_testkit::corpus::{Corpus, read_trace, stem};
use ludex_testkit::{program_of, rounds, seeds};

/// Time since the test began.
struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
    fn start() -> Arc<dyn Clock> {
        Arc::new(Self(Instant::now()))
    }
}

impl Clock for Stopwatch {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// What became of the traces.
#[derive(Default)]
struct Report {
    states: u64,
    compared: usize,
    refused: Vec<String>,
    failures: Vec<String>,
}

fn compare(machine: &dyn Machine, engine: &str, trace: &Trace, report: &Mutex<Report>) {
    let found = verify(machine, trace, &Budget::unlimited());
    let mut report = report.lock().unwrap();
    report.states += found.steps;
    for m in found.mismatches.iter().take(3) {
        let game = &trace.header.game;
        let (playout, step, what) = (m.playout, m.step, &m.what);
        let (expected, found) = (&m.expected, &m.found);
        let text = format!("{game}, {engine}, {playout}:{step} {what}: expected {expected}, found {found}");
        eprintln!("{text}");
        report.failures.push(text);
    }
}

/// Verifies one trace on the net machine and on lanes.
fn trace(path: &Path, corpus: &Corpus, limits: &dyn Fn() -> Budget, report: &Mutex<Report>) {
    let trace = read_trace(path).unwrap();
    let name = stem(path).trim_end_matches(".jsonl").to_owned();
    let game = program_of(&corpus.path("gdl").join(format!("{name}.kif"))).unwrap();
    let net = match NetMachine::new(&game, &NetOptions { budget: limits(), ..NetOptions::default() }) {
        Ok(net) => net,
        Err(error) => {
            eprintln!("no net: {name}: {error}");
            report.lock().unwrap().refused.push(name);
            return;
        }
    };
    compare(&net, "net machine", &trace, report);
    let lanes =
        |net: Arc<NetMachine>, backend| LaneMachine::new(net, LaneOptions { width: None, backend }, 1);
    let interpreted = lanes(Arc::new(net), Backend::Avx512);
    compare(&interpreted, "interpreted lanes", &trace, report);
    let native = lanes(interpreted.into_net(), Backend::Native);
    if native.lanes().is_native() {
        compare(&native, "native lanes", &trace, report);
    }
    report.lock().unwrap().compared += 1;
}

/// Verifies traces by as many threads as there are processors.
fn verify_all(paths: &[PathBuf], corpus: &Corpus, limits: &(dyn Fn() -> Budget + Sync)) -> Report {
    let report = Mutex::default();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            trace(path, corpus, limits, &report);
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    report.into_inner().unwrap()
}

#[test]
fn nets_agree_with_the_recorded_prover() {
    let Some(corpus) = Corpus::find("the traces on nets") else { return };
    let mut paths = corpus.files("traces", ".jsonl.gz");
    assert_eq!(paths.len(), 193);
    let is_soak = rounds(1) > 1;
    let clock = Stopwatch::start();
    let limits = || {
        let budget = Budget::unlimited().with_memory(4 << 30);
        if is_soak {
            budget.with_time(Arc::clone(&clock), Duration::from_secs(60))
        } else {
            budget.with_work(20_000_000).with_memory(1 << 28)
        }
    };
    if !is_soak {
        let mut rng = Rng::from_seed(seeds(1).start);
        let drawn = (0..30).map(|_| paths.swap_remove(rng.below(paths.len() as u64) as usize));
        paths = drawn.collect();
    }
    let report = verify_all(&paths, &corpus, &limits);
    let Report { states, compared, refused, failures } = &report;
    eprintln!("{compared} of {} games have nets, {states} states; none: {}", paths.len(), refused.join(" "));
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    let least = if is_soak { paths.len() * 92 / 100 } else { paths.len() / 2 };
    assert!(*compared >= least, "only {compared} of {} games have nets within the limits", paths.len());
}
