//! What tree search asks of lanes: expanding nodes, and playouts in waves.
//!
//! `cargo bench -p ludex-benches --bench search [-- GAME...]`
//!
//! Each figure is in millions a second: states for expanding, state changes for playouts.
//! `LUDEX_BENCH_SECONDS` is the time of one measurement.

use std::sync::Arc;

use ludex_benches::{Stopwatch, figure, seconds_or, table, wanted};
use ludex_engine::{LaneOptions, LanePart, LaneProgram, NetMachine, NetOptions};
use ludex_game::{
    ActionId, Answer, Batch, BatchOptions, Expansion, Jobs, Machine, Outcomes, Policy, Rng, RoleId, Runner,
    Start, State, Wanted,
};
use ludex_logic::Budget;
use ludex_testkit::{bundled, program_of};

const GAMES: [&str; 3] = ["connect-four", "breakthrough", "reversi"];
/// Starts and playouts of each.
const WAVES: [(usize, u32); 7] = [(64, 4), (64, 8), (64, 16), (64, 32), (128, 8), (128, 16), (512, 1)];
/// No game among these is longer.
const STEP_LIMIT: u32 = 1000;

fn main() -> Result<(), String> {
    let seconds = seconds_or(0.3);
    let (mut expanding, mut playing) = (Vec::new(), Vec::new());
    for game in GAMES.into_iter().filter(|game| wanted(game)) {
        let name = format!("{game}.kif");
        let path = bundled().into_iter().find(|path| path.ends_with(&name)).ok_or(name)?;
        let machine = NetMachine::new(&program_of(&path)?, &NetOptions::default());
        let machine = machine.map_err(|error| error.to_string())?;
        let measure = Measure { program: machine.lanes(LaneOptions::default()), machine, seconds };
        let nodes = measure.nodes(1024).map_err(|error| error.to_string())?;
        let row = |cells: Answer<Vec<String>>| {
            let cells = cells.map_err(|error| error.to_string())?;
            Ok::<_, String>([vec![game.to_owned()], cells].concat())
        };
        expanding.push(row(measure.expanding(&nodes))?);
        playing.push(row(measure.playing(&nodes))?);
    }
    println!("expanding, millions of states a second\n");
    let columns = ["game", "nodes at once: 16", "64", "1024", "1024, terminal goals", "moves a node"];
    println!("{}", table(&columns, &expanding));
    println!("playouts, millions of state changes a second (share of the raw rate; lanes in use)\n");
    let waves = WAVES.map(|(starts, playouts)| format!("{starts} x {playouts}"));
    let mut columns = vec!["game", "raw"];
    columns.extend(waves.iter().map(String::as_str));
    println!("{}", table(&columns, &playing));
    Ok(())
}

/// One game.
struct Measure {
    machine: NetMachine,
    program: Arc<LaneProgram>,
    seconds: f64,
}

impl Measure {
    fn roles(&self) -> impl Iterator<Item = RoleId> + use<> {
        self.machine.signature().role_ids()
    }

    /// States from the middles of random games.
    fn nodes(&self, count: usize) -> Answer<Vec<State>> {
        let mut runner = self.machine.runner(&Budget::unlimited());
        let mut rng = Rng::from_seed(1);
        let mut nodes = Vec::new();
        while nodes.len() < count {
            runner.set(self.machine.initial())?;
            for _ in 0..rng.below(24) {
                if runner.terminal()? {
                    break;
                }
                let joint =
                    self.roles().map(|role| rng.pick(runner.legal(role)?).copied().ok_or_else(no_move));
                let joint = joint.collect::<Answer<Vec<_>>>()?;
                runner.step_legal(&joint)?;
            }
            if !runner.terminal()? {
                let mut state = State::default();
                runner.save(&mut state);
                nodes.push(state);
            }
        }
        Ok(nodes)
    }

    /// All joint moves of a node.
    fn add_jobs(&self, runner: &mut dyn Runner, node: &State, jobs: &mut Jobs) -> Answer<()> {
        runner.set(node)?;
        let number = jobs.add_state(node.words());
        let mut joints: Vec<Vec<ActionId>> = vec![Vec::new()];
        for role in self.roles() {
            let legal = runner.legal(role)?;
            joints =
                joints.iter().flat_map(|j| legal.iter().map(move |&a| [&j[..], &[a]].concat())).collect();
        }
        joints.iter().for_each(|joint| jobs.add(number, joint));
        Ok(())
    }

    fn expanding(&self, nodes: &[State]) -> Answer<Vec<String>> {
        let mut runner = self.machine.runner(&Budget::unlimited());
        let mut cells = Vec::new();
        let mut all = 0;
        for (at_once, goals) in
            [(16, Wanted::All), (64, Wanted::All), (1024, Wanted::All), (1024, Wanted::Terminal)]
        {
            let mut calls = Vec::new();
            for nodes in nodes.chunks(at_once) {
                let mut jobs = Jobs::default();
                jobs.want_goals(goals);
                nodes.iter().try_for_each(|node| self.add_jobs(&mut *runner, node, &mut jobs))?;
                calls.push(jobs);
            }
            all = calls.iter().map(Jobs::len).sum();
            let mut engine = self.program.engine(&BatchOptions::default());
            let mut out = Expansion::default();
            let (watch, mut states) = (Stopwatch::start(), 0);
            while watch.seconds() < self.seconds {
                for jobs in &calls {
                    engine.expand(jobs, &mut out)?;
                    states += out.len();
                }
            }
            cells.push(figure(states as f64 / watch.seconds() / 1e6));
        }
        cells.push(figure(all as f64 / nodes.len() as f64));
        Ok(cells)
    }

    /// State changes a second of calls with these starts.
    fn rate(&self, calls: &[Vec<Start>], policy: &Policy) -> Answer<f64> {
        let mut engine = self.program.engine(&BatchOptions::default());
        let mut out = Outcomes::default();
        let (watch, mut steps, mut seed) = (Stopwatch::start(), 0, 0);
        while watch.seconds() < self.seconds {
            for from in calls {
                seed += 1;
                engine.playouts(from, policy, seed, &mut out)?;
                steps += out.tallies.iter().map(|tally| tally.steps).sum::<u64>();
            }
        }
        Ok(steps as f64 / watch.seconds() / 1e6)
    }

    /// The share of the lanes that make a move.
    fn in_use(&self, from: &[Start], policy: &Policy) -> Answer<f64> {
        let mut engine = self.program.engine(&BatchOptions::default());
        let clock = ludex_benches::stages::WallClock::start();
        let profile = engine.profile(from, policy, 1, &clock, &mut Outcomes::default())?;
        let lanes = self.program.width().lanes() as f64;
        Ok(profile.state_changes as f64 / (profile.visits(LanePart::Decide) as f64 * lanes))
    }

    fn playing(&self, nodes: &[State]) -> Answer<Vec<String>> {
        let uniform = Policy::uniform(STEP_LIMIT);
        let single = [vec![Start { state: nodes[0].clone(), playouts: 100_000 }]];
        let raw = self.rate(&single, &uniform)?;
        let mut cells = vec![figure(raw)];
        for (starts, playouts) in WAVES {
            let start = |state: &State| Start { state: state.clone(), playouts };
            let calls: Vec<Vec<Start>> =
                nodes.chunks_exact(starts).map(|nodes| nodes.iter().map(start).collect()).collect();
            let rate = self.rate(&calls, &uniform)?;
            let in_use = self.in_use(&calls[0], &uniform)?;
            cells.push(format!("{} ({:.0} %; {:.0} %)", figure(rate), 100.0 * rate / raw, 100.0 * in_use));
        }
        Ok(cells)
    }
}

fn no_move() -> ludex_game::GameError {
    ludex_game::GameError::NoLegalMove { role: String::new() }
}
