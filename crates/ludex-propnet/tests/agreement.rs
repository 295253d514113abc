//! Forward, backward, circuit and rules: one game.

use std::sync::Arc;

use ludex_game::{Rng, RuleMachine, RuleMachineOptions, playthrough};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::ground::{GroundOptions, ground};
use ludex_logic::{Budget, TermId};
use ludex_propnet::{
    Circuit, CircuitEvaluator, GateValues, NetOracle, NodeId, Propagation, Propnet, Simulator,
};

use crate::games::{FIGURE, bundled, game, net, read};

/// Both simulators say the same as the rules in a whole seeded game.
fn play(game: &GameProgram, net: &Arc<Propnet>, seed: u64, limit: u32) {
    let rules = RuleMachine::new(game, &RuleMachineOptions { tune: false, ..RuleMachineOptions::default() });
    let budget = Budget::unlimited();
    let expected = playthrough(&rules.unwrap(), seed, limit, &budget);
    for propagation in [Propagation::Forward, Propagation::Backward] {
        let oracle = NetOracle::new(game, Arc::clone(net), propagation, Notation::Prefix);
        assert_eq!(playthrough(&oracle, seed, limit, &budget), expected, "{propagation:?}");
    }
}

/// The circuit says the same as the simulator along a seeded game.
fn follow(net: &Propnet, seed: u64, limit: u32) {
    let circuit = Circuit::from_net(net);
    circuit.check().unwrap();
    let evaluator = CircuitEvaluator::new(&circuit);
    let mut simulator = Simulator::new(net, Propagation::Forward);
    let mut rng = Rng::from_seed(seed);
    let count = net.game_bases().len();
    let mut state: Vec<bool> = circuit.bases.iter().map(|b| b.initial).collect();
    assert_eq!(state, net.initial()[..count]);
    for _ in 0..limit {
        let still = evaluator.in_state(&state, &[]);
        assert_eq!(still.get(circuit.terminal), simulator.terminal(&state));
        let mut joint: Vec<u32> = Vec::new();
        let mut moves: Vec<NodeId> = Vec::new();
        for role in 0..net.roles().len() {
            let legal = legal(&circuit, &still, role);
            let names: Vec<TermId> = legal.iter().map(|&m| circuit.moves[role][m as usize]).collect();
            let nodes = simulator.legals(role, &state);
            assert_eq!(names, nodes.iter().map(|&n| net.term(n).unwrap()).collect::<Vec<_>>());
            assert_eq!(goal(&circuit, &still, role), simulator.reward(role, &state));
            let Some(&chosen) = rng.pick(&legal) else { return };
            joint.push(chosen);
            moves.push(net.legal_inputs()[role][chosen as usize]);
        }
        let after = evaluator.in_state(&state, &joint);
        for (role, percepts) in circuit.percepts.iter().enumerate() {
            let seen: Vec<TermId> = percepts.iter().filter(|p| after.get(p.1)).map(|p| p.0).collect();
            assert_eq!(seen, simulator.percepts(role, &moves, &state));
        }
        let next = simulator.next(&moves, &state);
        assert_eq!(evaluator.next(&state, &joint), next[..count]);
        state = next[..count].to_vec();
        if still.get(circuit.terminal) {
            return;
        }
    }
}

fn legal(circuit: &Circuit, values: &GateValues, role: usize) -> Vec<u32> {
    (0..).zip(&circuit.legal[role]).filter(|&(_, &edge)| values.get(edge)).map(|(at, _)| at).collect()
}

fn goal(circuit: &Circuit, values: &GateValues, role: usize) -> Option<u32> {
    let mut found = circuit.goals[role].iter().filter(|g| values.get(g.1)).map(|g| g.0);
    found.next().filter(|_| found.next().is_none())
}

#[test]
fn the_example_of_the_book() {
    let game = game(FIGURE);
    let net = Arc::new(net(&game, &GroundOptions::faithful()));
    play(&game, &net, 1, 10);
    follow(&net, 1, 10);
}

#[test]
fn bundled_games() {
    let mut played = 0;
    for path in bundled() {
        let game = read(&path);
        // Faithful nets are larger; only some are small enough for a test.
        for (options, work) in [(GroundOptions::optimised(), 1_000_000), (GroundOptions::faithful(), 100_000)]
        {
            let options = options.with_budget(Budget::unlimited().with_work(work));
            let Ok(grounding) = ground(&game.program, &options) else { continue };
            let net = Arc::new(Propnet::new(&game, &grounding).unwrap());
            if net.node_count() > 10_000 {
                continue;
            }
            play(&game, &net, 1, 8);
            follow(&net, 2, 8);
            played += 1;
        }
    }
    assert!(played > 40, "{played} nets");
}

/// A graph whose arcs the player switches on and off; ways through it are recursive in several forms,
/// and what may be done depends on them, negated.
const WAYS: &str = "
    (role you) (node 1) (node 2) (node 3) (node 4)
    (init (arc 1 2)) (init (arc 2 1)) (init (arc 3 4)) (init (step 0))
    (<= (legal you (switch ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y) (not (way ?x ?x)))
    (<= (legal you (switch ?x ?y)) (true (arc ?x ?y)) (not (odd ?x ?y)))
    (<= (legal you wait) (even 1 1))
    (legal you rest)
    (<= (way ?x ?y) (true (arc ?x ?y)))
    (<= (way ?x ?z) (way ?x ?y) (way ?y ?z))
    (<= (odd ?x ?y) (true (arc ?x ?y)))
    (<= (odd ?x ?z) (even ?x ?y) (true (arc ?y ?z)))
    (<= (even ?x ?z) (odd ?x ?y) (true (arc ?y ?z)))
    (<= (soon ?x ?y) (does you (switch ?x ?y)))
    (<= (soon ?x ?y) (way ?x ?y))
    (<= (soon ?x ?z) (soon ?x ?y) (soon ?y ?z))
    (<= (next (arc ?x ?y)) (true (arc ?x ?y)) (not (does you (switch ?x ?y))))
    (<= (next (arc ?x ?y)) (does you (switch ?x ?y)) (not (true (arc ?x ?y))))
    (<= (next (met ?x)) (soon ?x ?x))
    (<= (next (step 1)) (true (step 0)))
    (<= (goal you 100) (way 1 4)) (<= (goal you 30) (not (way 1 4)))
    (<= (goal you 30) (true (met 4)))
    (<= terminal (way 4 1) (true (met 3)) (even 2 4))";

#[test]
fn recursion_is_the_least_fixpoint() {
    let game = game(WAYS);
    for options in [GroundOptions::optimised(), GroundOptions::faithful()] {
        let net = Arc::new(net(&game, &options));
        assert!(net.recursive().len() >= 2);
        let circuit = Circuit::from_net(&net);
        assert!(circuit.loops.iter().all(|found| !found.feedback.is_empty()));
        for seed in 0..40 {
            play(&game, &net, seed, 30);
            follow(&net, seed, 30);
        }
    }
}

#[test]
fn questions_about_a_state_leave_moves_out() {
    let game = game(
        "(role you) (init p) (legal you a) (<= (legal you b) (way you)) (<= (next p) (does you b))
         (<= (way ?x) (does ?x a)) (<= (way ?x) (true p) (again ?x)) (<= (again ?x) (way ?x))
         (<= (again you) (true q)) (<= (next q) (way you)) (<= (goal you 10) (way you))
         (<= (goal you 20) (not (way you))) (<= terminal (not (again you)) (true q))",
    );
    let net = Arc::new(net(&game, &GroundOptions::faithful()));
    let circuit = Circuit::from_net(&net);
    assert_eq!(circuit.loops.len(), 2, "once with moves, once without");
    let depends = circuit.depends_on_moves();
    assert!(!depends[circuit.terminal.gate().index()]);
    assert!(circuit.bases.iter().any(|base| depends[base.next.gate().index()]));
    for seed in 0..20 {
        play(&game, &net, seed, 10);
        follow(&net, seed, 10);
    }
}
