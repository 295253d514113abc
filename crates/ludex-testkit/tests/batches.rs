//! Lanes against the rule machine, state by state and in distribution.

use std::collections::BTreeMap;

use ludex_engine::{Backend, LaneMachine, LaneOptions, LaneWidth, NetMachine, NetOptions};
use ludex_game::{
    ActionId, BatchOptions, Expansion, Goal, Jobs, Machine, Outcomes, PlayoutFault, Policy, Rng, RoleId,
    Start, State,
};
use ludex_gdl::GameProgram;
use ludex_logic::Budget;
use ludex_testkit::corpus::{Corpus, stem};
use ludex_testkit::{bundled, deviation, program, program_of, rounds, rule_machine, seeds, small_games};

fn lanes(game: &GameProgram, width: LaneWidth, backend: Backend) -> LaneMachine {
    let budget = Budget::unlimited().with_work(100_000_000);
    let net = NetMachine::new(game, &NetOptions { budget, ..NetOptions::default() }).unwrap();
    LaneMachine::new(net, LaneOptions { width: Some(width), backend }, 1)
}

/// Small games of every kind, and such whose rules are recursive over what changes.
fn games() -> Vec<(String, GameProgram)> {
    let mut paths = small_games();
    paths.extend(bundled().into_iter().filter(|path| stem(path) == "8-puzzle"));
    if let Some(corpus) = Corpus::find("batches of real games") {
        paths.extend(
            ["blocker", "ghostMaze2p", "buttons"].map(|n| corpus.path("gdl").join(format!("{n}.kif"))),
        );
    }
    let mut found: Vec<_> = paths.iter().map(|p| (stem(p), program_of(p).unwrap())).collect();
    found.push(("stuck".into(), program("stuck", STUCK, None).unwrap()));
    assert!(found.len() > 9);
    found
}

/// One role may run out of moves, and the game may go on for ever.
const STUCK: &str = "
    (role a) (role b) (init (at 1)) (arc 1 2) (arc 2 3) (arc 2 1) (arc 3 1) (arc 1 5) (arc 5 4)
    (<= (way ?x ?y) (true (at ?x)) (arc ?x ?y))
    (<= (way ?x ?z) (way ?x ?y) (arc ?y ?z) (true (open ?y)))
    (<= (legal a (go ?y)) (way ?x ?y))
    (legal b shut) (<= (legal b (open ?x)) (arc ?x ?y) (not (true (open ?x))))
    (<= (next (at ?y)) (does a (go ?y)))
    (<= (next (open ?x)) (does b (open ?x)))
    (<= (next (open ?x)) (true (open ?x)) (not (does b shut)))
    (<= terminal (true (at 5)) (true (open 2)))
    (<= (goal a 100) (true (at 5))) (<= (goal a 0) (not (true (at 5))))
    (<= (goal b 50) (true (open 3))) (<= (goal b 30) (not (true (open 3))))";

type Result = (Vec<Option<Goal>>, u32, Option<PlayoutFault>);

/// How often each result of a playout was met.
fn results(machine: &dyn Machine, playouts: u32, step_limit: u32, seed: u64) -> BTreeMap<String, f64> {
    let mut batch = machine.batch(&BatchOptions { records: true, ..BatchOptions::default() });
    let mut out = Outcomes::default();
    let start = Start { state: machine.initial().clone(), playouts };
    batch.playouts(&[start], &Policy::uniform(step_limit), seed, &mut out).unwrap();
    assert_eq!(out.tallies[0].playouts(), playouts);
    let mut counts = BTreeMap::new();
    for record in out.records {
        let result: Result = (record.goals, record.steps, record.fault);
        *counts.entry(format!("{result:?}")).or_default() += 1.0;
    }
    counts
}

#[test]
fn playouts_in_lanes_are_distributed_like_those_of_the_rules() {
    let seed = seeds(1).start;
    let count = 1_000 * rounds(1) as u32;
    let mut faults = 0;
    for (name, game) in games() {
        let rules = rule_machine(&game).unwrap();
        let expected = results(&*rules, count, 40, seed + 1);
        for width in [LaneWidth::W64, LaneWidth::W512] {
            let machine = lanes(&game, width, Backend::Auto);
            let found = results(&machine, 4 * count, 40, seed + 2);
            let far = deviation(&expected, &found);
            assert!(far < 4.5, "{name}, {width:?}: {far}\n{expected:?}\n{found:?}");
            faults += found.keys().filter(|key| key.contains("Stuck") || key.contains("OverLimit")).count();
        }
    }
    assert!(faults >= 4, "games that do not end are among them");
}

/// The comparison can fail: a start one move later is noticed.
#[test]
fn another_distribution_is_noticed() {
    let path = bundled().into_iter().find(|p| p.ends_with("tic-tac-toe.kif")).unwrap();
    let rules = rule_machine(&program_of(&path).unwrap()).unwrap();
    let same = results(&*rules, 1_000, 40, 1);
    assert!(deviation(&same, &results(&*rules, 1_000, 40, 2)) < 4.5);
    assert!(deviation(&same, &results(&*rules, 1_000, 7, 2)) > 4.5);
}

#[test]
fn tic_tac_toe_at_random_is_worth_what_it_should_be() {
    let path = bundled().into_iter().find(|p| p.ends_with("gdl/tic-tac-toe.kif")).unwrap();
    let game = program_of(&path).unwrap();
    let playouts = if rounds(1) > 1 { 1_000_000 } else { 100_000 };
    for backend in [Backend::Portable, Backend::Avx2, Backend::Avx512, Backend::Native] {
        let machine = lanes(&game, LaneWidth::W512, backend);
        let mut out = Outcomes::default();
        let start = Start { state: machine.initial().clone(), playouts };
        let policy = Policy::uniform(20);
        let mut batch = machine.batch(&BatchOptions::default());
        batch.playouts(&[start], &policy, seeds(1).start, &mut out).unwrap();
        let (tally, root) = (&out.tallies[0], f64::from(playouts).sqrt());
        let goal = tally.mean_goal(RoleId(0)).unwrap();
        let length = tally.steps as f64 / f64::from(playouts);
        assert!((goal - 64.84).abs() < 0.005 + 4.5 * 45.0 / root, "{backend}: {goal}");
        assert!((length - 7.626).abs() < 0.0005 + 4.5 * 1.3 / root, "{backend}: {length}");
    }
}

/// Facts, whether the state is terminal, goals and legal moves by role.
type InTerms = (Vec<String>, bool, Vec<Option<Goal>>, Vec<Vec<String>>);

/// A state of an expansion in terms.
fn in_terms(machine: &dyn Machine, expansion: &Expansion, number: usize) -> InTerms {
    let signature = machine.signature();
    let terms = signature.terms();
    let mut facts = Vec::new();
    machine.facts(&expansion.to_state(number), &mut facts);
    let legal = signature.role_ids().map(|role| expansion.legal(number, role));
    let text = |moves: &[ActionId]| moves.iter().map(|&a| terms.prefix(signature.action(a))).collect();
    let facts = facts.iter().map(|&f| terms.prefix(f)).collect();
    (facts, expansion.terminal(number), expansion.goals(number).to_vec(), legal.map(text).collect())
}

/// Jobs along random games: the same ones for both machines.
fn jobs(rules: &dyn Machine, lanes: &dyn Machine, seed: u64, count: usize) -> (Jobs, Jobs) {
    let mut rng = Rng::from_seed(seed);
    let mut runner = rules.runner(&Budget::unlimited());
    let (mut ours, mut theirs) = (Jobs::default(), Jobs::default());
    while ours.len() < count {
        runner.set(rules.initial()).unwrap();
        for _ in 0..40 {
            if runner.terminal().unwrap() {
                break;
            }
            let roles = rules.signature().role_ids();
            let joint: Option<Vec<ActionId>> =
                roles.map(|role| rng.pick(runner.legal(role).unwrap()).copied()).collect();
            let Some(joint) = joint else { break };
            let (mut state, mut facts) = (State::default(), Vec::new());
            runner.save(&mut state);
            rules.facts(&state, &mut facts);
            let action = |&a: &ActionId| lanes.signature().find_action(rules.signature().action(a)).unwrap();
            let moves: Vec<ActionId> = joint.iter().map(action).collect();
            let number = ours.add_state(lanes.state_of(&facts).unwrap().words());
            ours.add(number, &moves);
            let number = theirs.add_state(state.words());
            theirs.add(number, &joint);
            runner.step(&joint).unwrap();
        }
    }
    (ours, theirs)
}

#[test]
fn expanding_in_lanes_is_what_the_rules_say() {
    for (name, game) in games() {
        let rules = rule_machine(&game).unwrap();
        for (width, backend) in [(LaneWidth::W64, Backend::Portable), (LaneWidth::W256, Backend::Auto)] {
            let machine = lanes(&game, width, backend);
            let count = 150 * rounds(1) as usize;
            let (ours, theirs) = jobs(&*rules, &machine, seeds(1).start + 3, count);
            let (mut found, mut expected) = (Expansion::default(), Expansion::default());
            machine.batch(&BatchOptions::default()).expand(&ours, &mut found).unwrap();
            rules.batch(&BatchOptions::default()).expand(&theirs, &mut expected).unwrap();
            assert_eq!(found.len(), expected.len());
            for at in 0..found.len() {
                let (found, expected) = (in_terms(&machine, &found, at), in_terms(&*rules, &expected, at));
                assert_eq!(found, expected, "{name}, {width:?}");
            }
        }
    }
}
