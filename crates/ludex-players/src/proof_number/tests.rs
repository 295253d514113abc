//! What proof-number search finds, beside what is known.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use ludex_game::{ActionId, BatchOptions, Machine, Rng, RoleId, Runner, State};
use ludex_logic::Budget;
use ludex_testkit::{net_machine, program, program_of, seeds};

use super::{Found, Prizes, ProofGraph, ProofWave, Range};
use crate::solve::{SolveOptions, Values, solve};

/// Enough for any game here.
const MEMORY: usize = 1 << 28;

fn machine(text: &str) -> Arc<dyn Machine> {
    Arc::new(net_machine(&program("test", text, None).unwrap()).unwrap())
}

fn bundled(file: &str) -> Arc<dyn Machine> {
    let path = Path::new("../../games/gdl").join(file);
    Arc::new(net_machine(&program_of(&path).unwrap()).unwrap())
}

fn runner<'m>(machine: &'m Arc<dyn Machine>, state: &State) -> Box<dyn Runner + 'm> {
    let mut runner = machine.runner(&Budget::unlimited());
    runner.set(state).unwrap();
    runner
}

fn legal(machine: &Arc<dyn Machine>, runner: &mut dyn Runner) -> Vec<Vec<ActionId>> {
    machine.signature().role_ids().map(|role| runner.legal(role).unwrap().to_vec()).collect()
}

/// Searches from a state, for so many waves at most.
fn search(machine: &Arc<dyn Machine>, graph: &mut ProofGraph, state: &State, waves: usize) {
    let role = graph.asks().0;
    let legal = legal(machine, &mut *runner(machine, state));
    graph.set_root(state.words(), |role| &legal[role][..]);
    let options = BatchOptions { budget: Budget::unlimited(), records: false };
    let (mut batch, mut wave) = (machine.batch(&options), ProofWave::default());
    for _ in 0..waves {
        if wave.collect(graph, 512) == Found::Nothing {
            break;
        }
        wave.run(&mut *batch).unwrap();
        wave.finish(graph, |goals| goals[role].unwrap_or(0));
    }
}

fn graph(machine: &Arc<dyn Machine>, role: usize, prizes: &[u32], memory: usize) -> ProofGraph {
    let prizes = Prizes::of(prizes.iter().copied()).unwrap();
    ProofGraph::new(prizes, role, machine.signature().roles().len(), memory)
}

/// What a role can force in a state that is no end of the game.
fn proven(machine: &Arc<dyn Machine>, state: &State, role: usize, prizes: &[u32]) -> Range {
    let mut graph = graph(machine, role, prizes, MEMORY);
    search(machine, &mut graph, state, 100_000);
    graph.range(graph.find(state.words()).unwrap())
}

const fn exactly(goal: u8) -> Range {
    Range { least: Some(goal), most: Some(goal) }
}

/// Two roles take matches from heaps in turn; who takes the last one wins.
fn nim(heaps: &[usize]) -> String {
    let most = heaps.iter().copied().max().unwrap_or(0);
    let mut text = String::from(
        "(role left) (role right) (init (control left)) (opponent left right) (opponent right left)
        (<= (legal ?r (take ?h ?n)) (true (control ?r)) (true (heap ?h ?m)) (minus ?m ?n ?k))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (heap ?h ?k)) (does ?r (take ?h ?n)) (true (heap ?h ?m)) (minus ?m ?n ?k))
        (<= (next (heap ?h ?m)) (true (heap ?h ?m)) (does ?r (take ?g ?n)) (distinct ?g ?h))
        (<= (next (control ?r)) (true (control ?q)) (opponent ?q ?r))
        (<= some (true (heap ?h ?m)) (distinct ?m 0)) (<= terminal (not some))
        (<= (goal ?r 0) (true (control ?r))) (<= (goal ?r 100) (role ?r) (not (true (control ?r))))",
    );
    for (heap, size) in ('a'..).zip(heaps) {
        let _ = write!(text, "(init (heap {heap} {size}))");
    }
    for from in 1..=most {
        for taken in 1..=from {
            let _ = write!(text, "(minus {from} {taken} {})", from - taken);
        }
    }
    text
}

#[test]
fn nim_follows_the_xor_rule_for_both_roles() {
    for heaps in [[1, 2, 3], [3, 4, 5], [2, 4, 6], [1, 1, 0], [7, 7, 1], [5, 3, 6]] {
        let machine = machine(&nim(&heaps));
        let is_won = heaps.iter().fold(0, |xor, heap| xor ^ heap) != 0;
        let expected = [is_won, !is_won].map(|is_won| exactly(if is_won { 100 } else { 0 }));
        let found = [0, 1].map(|role| proven(&machine, machine.initial(), role, &[0, 100]));
        assert_eq!(found, expected, "{heaps:?}");
    }
}

/// A state after so many random moves, unless the game is over before.
fn wander(machine: &Arc<dyn Machine>, steps: usize, seed: u64) -> Option<State> {
    let mut rng = Rng::from_seed(seed);
    let mut runner = runner(machine, machine.initial());
    for _ in 0..steps {
        if runner.terminal().unwrap() {
            return None;
        }
        let legal = legal(machine, &mut *runner);
        let joint: Vec<_> = legal.iter().map(|moves| *rng.pick(moves).unwrap()).collect();
        runner.step(&joint).unwrap();
    }
    let mut state = State::default();
    runner.save(&mut state);
    (!runner.terminal().unwrap()).then_some(state)
}

#[test]
fn values_are_those_of_alpha_beta() {
    let mut checked = [0; 3];
    for (file, from, to) in [("tic-tac-toe.kif", 0, 7), ("connect-four.kif", 30, 40)] {
        let machine = bundled(file);
        for seed in seeds(60) {
            let steps = from + seed as usize % (to - from);
            let Some(state) = wander(&machine, steps, seed) else { continue };
            let options = SolveOptions { memory: MEMORY, ..SolveOptions::default() };
            let solution = solve(&machine, &state, &options, &Budget::unlimited()).unwrap();
            let Values::ZeroSum(values) = solution.values else { panic!("{:?}", solution.values) };
            for (role, value) in values.into_iter().enumerate() {
                let found = proven(&machine, &state, role, &[0, 50, 100]);
                assert_eq!(
                    found,
                    exactly(value as u8),
                    "{file} after {steps} steps, seed {seed}, role {role}"
                );
                checked[value as usize / 50] += 1;
            }
        }
    }
    assert!(checked.iter().all(|&count| count > 0), "all values were met: {checked:?}");
}

/// Both keep what they can force, move by move.
#[test]
fn lines_lead_to_what_was_proven() {
    let machine = bundled("connect-four.kif");
    let mut lengths = Vec::new();
    for seed in 1..400 {
        let Some(state) = wander(&machine, 28, seed) else { continue };
        let mut graph = graph(&machine, 0, &[0, 50, 100], MEMORY);
        search(&machine, &mut graph, &state, 100_000);
        let root = graph.find(state.words()).unwrap();
        let line = graph.line(root);
        let mut runner = runner(&machine, &state);
        for joint in &line {
            runner.step(joint).unwrap();
        }
        assert!(runner.terminal().unwrap(), "seed {seed}");
        let goal = runner.goal(RoleId(0)).unwrap().unwrap();
        assert_eq!(graph.range(root), exactly(goal as u8), "seed {seed}");
        lengths.push(line.len());
    }
    assert!(lengths.iter().any(|&length| length > 5), "{lengths:?}");
}

#[test]
fn with_little_memory_it_stops_and_begins_anew_at_another_state() {
    let machine = bundled("connect-four.kif");
    let mut small = graph(&machine, 0, &[0, 50, 100], 1 << 20);
    search(&machine, &mut small, machine.initial(), 100_000);
    assert!(small.is_full() && small.bytes() <= 1 << 20, "{} bytes", small.bytes());
    let unknown = Range { least: None, most: None };
    assert_eq!(small.range(small.find(machine.initial().words()).unwrap()), unknown);
    let late = (1..).find_map(|seed| wander(&machine, 38, seed)).unwrap();
    search(&machine, &mut small, &late, 100_000);
    assert_eq!(small.range(small.find(late.words()).unwrap()), proven(&machine, &late, 0, &[0, 50, 100]));
}

#[test]
fn goals_that_were_not_expected_make_everything_uncertain() {
    let machine = bundled("tic-tac-toe.kif");
    let found = proven(&machine, machine.initial(), 0, &[0, 100]);
    assert_eq!(found, Range { least: None, most: None }, "there are draws");
}

#[test]
fn where_several_roles_choose_nothing_is_known() {
    let machine = bundled("rock-paper-scissors.kif");
    let found = proven(&machine, machine.initial(), 0, &[0, 50, 100]);
    assert_eq!(found, Range { least: None, most: None });
}

#[test]
fn prizes_are_few_and_different() {
    assert_eq!(Prizes::of([0, 100, 50, 100]), Prizes::of([50, 100, 0]));
    assert_eq!(Prizes::of([0, 0]), None);
    assert_eq!(Prizes::of([0, 1, 2, 3]), None);
    assert_eq!(Prizes::of([0, 1000]), None);
}
