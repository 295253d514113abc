//! What proof-number search finds, beside what is known.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use ludex_game::{ActionId, BatchOptions, Machine, Rng, RoleId, Runner, State};
use ludex_gdl::Notation;
use ludex_logic::Budget;
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{net_machine, program, program_of, seeds};

use super::{Found, Prizes, ProofBatch, ProofGraph, Range};
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

/// Searches from a state, for so many batches at most.
fn search(machine: &Arc<dyn Machine>, graph: &mut ProofGraph, state: &State, batches: usize) {
    search_for(machine, graph, state, batches, |goal| goal);
}

/// The same for what goals are worth.
fn search_for(
    machine: &Arc<dyn Machine>,
    graph: &mut ProofGraph,
    state: &State,
    batches: usize,
    worth: fn(u32) -> u32,
) {
    let role = graph.asks().0;
    let legal = legal(machine, &mut *runner(machine, state));
    graph.set_root(state.words(), |role| &legal[role][..]);
    let options = BatchOptions { budget: Budget::unlimited(), records: false };
    let (mut batch, mut leaves) = (machine.batch(&options), ProofBatch::default());
    for _ in 0..batches {
        if leaves.collect(graph, 512) == Found::Nothing {
            break;
        }
        leaves.run(&mut *batch).unwrap();
        leaves.finish(graph, |goals| worth(goals[role].unwrap_or(0)));
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

/// In half of the memory, states are forgotten and looked at again.
#[test]
fn with_little_memory_proofs_are_found_that_do_not_fit_into_it() {
    let machine = bundled("connect-four.kif");
    let mut checked = 0;
    for seed in 1..200 {
        let Some(state) = wander(&machine, 24, seed) else { continue };
        let mut large = graph(&machine, 0, &[0, 50, 100], MEMORY);
        search(&machine, &mut large, &state, 400);
        let found = large.range(large.find(state.words()).unwrap());
        if !(1_000..20_000).contains(&large.len()) || found.least.is_none() {
            continue;
        }
        let limit = large.bytes() / 2;
        let mut small = graph(&machine, 0, &[0, 50, 100], limit);
        search(&machine, &mut small, &state, 20_000);
        println!("{seed}: {} states, room {}, {}", large.len(), small.capacity(), small.examined());
        assert_eq!(small.range(small.find(state.words()).unwrap()), found, "seed {seed}");
        assert!(small.bytes() <= limit && small.len() < large.len(), "{} bytes", small.bytes());
        assert!(small.examined() > small.capacity() as u64, "seed {seed}: {}", small.examined());
        checked += 1;
        if checked == 4 {
            break;
        }
    }
    assert!(checked > 1, "{checked}");
}

/// Where the first state of connect four is asked about, no memory is enough; the search goes on nevertheless.
#[test]
fn a_full_graph_is_no_end() {
    let machine = bundled("connect-four.kif");
    let mut small = graph(&machine, 0, &[0, 50, 100], 1 << 20);
    search(&machine, &mut small, machine.initial(), 300);
    let (some, room) = (small.examined(), small.capacity() as u64);
    search(&machine, &mut small, machine.initial(), 300);
    assert!(some > 2 * room && small.examined() > some + 2 * room, "{some} {} {room}", small.examined());
    assert!(small.bytes() <= 1 << 20);
    let late = (1..).find_map(|seed| wander(&machine, 38, seed)).unwrap();
    search(&machine, &mut small, &late, 100);
    assert_eq!(small.range(small.find(late.words()).unwrap()), proven(&machine, &late, 0, &[0, 50, 100]));
}

/// However much is forgotten, it is not forgotten which moves of the root keep what is proven.
#[test]
fn what_is_proven_of_a_root_is_proven_of_one_of_its_moves() {
    let machine = bundled("connect-four.kif");
    let mut checked = 0;
    for seed in 1..60 {
        let Some(state) = wander(&machine, 28, seed) else { continue };
        // The role that moves.
        let role = usize::from(runner(&machine, &state).legal(RoleId(0)).unwrap().len() == 1);
        let mut small = graph(&machine, role, &[0, 50, 100], 1 << 16);
        search(&machine, &mut small, &state, 20_000);
        let root = small.find(state.words()).unwrap();
        let Range { least: Some(least), most: Some(most) } = small.range(root) else { continue };
        assert_eq!(least, most);
        let keeps = |range: &Range| range.least.is_some_and(|kept| kept >= least);
        assert!(least == 0 || small.ranges_below_root().any(|range| keeps(&range)), "seed {seed}");
        // All moves are asked about in the end.
        let is_known = |range: Range| {
            range.least.is_some_and(|kept| kept >= least) || range.most.is_some_and(|most| most < least)
        };
        assert!(least == 0 || small.ranges_below_root().all(is_known), "seed {seed}");
        checked += u32::from(least > 0);
    }
    assert!(checked > 5, "{checked}");
}

/// What a role can force in random games with others against it, at least and at most: where several roles choose at
/// once, anything.
fn forced(machine: &Arc<dyn Machine>, state: &State, role: usize, left: &mut u32) -> Option<[u8; 2]> {
    *left = left.checked_sub(1)?;
    let mut runner = runner(machine, state);
    if runner.terminal().unwrap() {
        return Some([bucket(runner.goal(RoleId(role as u32)).unwrap().unwrap_or(0)) as u8; 2]);
    }
    let legal = legal(machine, &mut *runner);
    let mut choosers = (0..legal.len()).filter(|&role| legal[role].len() > 1);
    let mover = choosers.next().unwrap_or(0);
    if choosers.next().is_some() || legal.iter().any(Vec::is_empty) {
        return Some([0, 100]);
    }
    let mut found: Option<[u8; 2]> = None;
    for &action in &legal[mover] {
        let mut joint: Vec<ActionId> = legal.iter().map(|moves| moves[0]).collect();
        joint[mover] = action;
        runner.set(state).unwrap();
        runner.step(&joint).unwrap();
        let mut next = State::default();
        runner.save(&mut next);
        let [least, most] = forced(machine, &next, role, left)?;
        let better = |a: u8, b: u8| if mover == role { a.max(b) } else { a.min(b) };
        found = Some(found.map_or([least, most], |[a, b]| [better(a, least), better(b, most)]));
    }
    found
}

/// Goals as one of three prizes.
fn bucket(goal: u32) -> u32 {
    match goal {
        0..34 => 0,
        34..67 => 50,
        _ => 100,
    }
}

/// In very little memory, what is found is true, and mostly it is found.
#[test]
fn in_random_games_what_is_found_is_what_can_be_forced() {
    let (mut found_exact, mut all_exact, mut swept) = (0, 0, 0);
    for seed in seeds(80) {
        let knobs = Knobs {
            steps: 4 + (seed % 5) as u32,
            size: 1,
            random: false,
            sees: false,
            ..Knobs::from_seed(seed)
        };
        let rules = generate(seed, &knobs).to_string();
        let program = program("random", &rules, Some(Notation::Prefix)).unwrap();
        let Ok(machine) = net_machine(&program) else { continue };
        let machine: Arc<dyn Machine> = Arc::new(machine);
        if runner(&machine, machine.initial()).terminal().unwrap() {
            continue;
        }
        for role in 0..machine.signature().roles().len() {
            let Some([least, most]) = forced(&machine, machine.initial(), role, &mut 20_000) else {
                continue;
            };
            for memory in [1_500, 3_000, 10_000] {
                let mut small = graph(&machine, role, &[0, 50, 100], memory);
                search_for(&machine, &mut small, machine.initial(), 2_000, bucket);
                swept += u32::from(small.examined() > small.len() as u64);
                let Some(root) = small.find(machine.initial().words()) else { continue };
                let found = small.range(root);
                let what = format!("seed {seed}, role {role}, {memory} bytes: {found:?}, {least} to {most}");
                assert!(found.least.is_none_or(|found| found <= least), "{what}");
                assert!(found.most.is_none_or(|found| found >= most), "{what}");
                all_exact += u32::from(least == most);
                found_exact += u32::from(least == most && found == exactly(least));
            }
        }
    }
    assert!(2 * found_exact > all_exact && all_exact > 20 && swept > 5, "{found_exact} {all_exact} {swept}");
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
