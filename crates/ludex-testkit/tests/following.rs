//! What a role may hold possible after a step: lanes, the net machine and the rule machine, against all joint moves.

use std::collections::BTreeMap;

use ludex_engine::{Backend, LaneMachine, LaneOptions, LaneWidth, NetMachine, NetOptions};
use ludex_game::{
    ActionId, BatchOptions, GameError, Machine, Observation, Rng, RoleId, Runner, Start, State, Survivors,
};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, TermId};
use ludex_testkit::{bundled, program_of, rounds, rule_machine, seeds};

/// Facts in words.
fn text(machine: &dyn Machine, state: &State) -> String {
    let mut facts = Vec::new();
    machine.facts(state, &mut facts);
    facts.iter().map(|&fact| machine.signature().text(fact)).collect::<Vec<_>>().join(" ")
}

/// A step of a random game: where it began, the joint move, and what each role saw.
struct Step {
    before: State,
    joint: Vec<ActionId>,
    percepts: Vec<Vec<TermId>>,
}

fn random_steps(runner: &mut dyn Runner, roles: u32, rng: &mut Rng) -> Vec<Step> {
    let mut steps = Vec::new();
    while !runner.terminal().unwrap() && steps.len() < 20 {
        let mut before = State::default();
        runner.save(&mut before);
        let draw = |role| *rng.pick(runner.legal(RoleId(role)).unwrap()).unwrap();
        let joint: Vec<ActionId> = (0..roles).map(draw).collect();
        runner.step(&joint).unwrap();
        let percepts = (0..roles).map(|role| runner.percepts(RoleId(role)).to_vec()).collect();
        steps.push(Step { before, joint, percepts });
    }
    steps
}

/// Every state that fits, with how likely it is that a random step leads to it and fits.
fn all(runner: &mut dyn Runner, step: &Step, role: RoleId, machine: &dyn Machine) -> BTreeMap<String, f64> {
    runner.set(&step.before).unwrap();
    let mut joints = vec![(Vec::new(), 1.0)];
    for other in 0..step.joint.len() as u32 {
        let legal = match RoleId(other) == role {
            true => vec![step.joint[role.index()]],
            false => runner.legal(RoleId(other)).unwrap().to_vec(),
        };
        let more = |(joint, odds): &(Vec<ActionId>, f64)| {
            let (joint, odds, count) = (joint.clone(), *odds, legal.len() as f64);
            legal
                .clone()
                .into_iter()
                .map(move |a| ([&joint[..], &[a]].concat(), odds / count))
                .collect::<Vec<_>>()
        };
        joints = joints.iter().flat_map(more).collect();
    }
    let mut found = BTreeMap::new();
    for (joint, odds) in joints {
        runner.set(&step.before).unwrap();
        runner.step(&joint).unwrap();
        if runner.percepts(role) == step.percepts[role.index()] {
            let mut state = State::default();
            runner.save(&mut state);
            *found.entry(text(machine, &state)).or_default() += odds;
        }
    }
    found
}

/// A role's part of a step in the ids of a machine.
fn action_of(machine: &dyn Machine, rules: &dyn Machine, action: ActionId) -> ActionId {
    machine.signature().find_action(rules.signature().action(action)).unwrap()
}

/// Compares what random steps lead to with what all joint moves lead to.
fn check(name: &str, machine: &dyn Machine, rules: &dyn Machine, seed: u64) {
    const TRIES: u32 = 3_000;
    let mut runner = rules.runner(&Budget::unlimited());
    let roles = rules.signature().roles().len() as u32;
    let mut rng = Rng::from_seed(seed);
    let mut batch = machine.batch(&BatchOptions::default());
    let mut out = Survivors::default();
    for step in random_steps(&mut *runner, roles, &mut rng) {
        let role = RoleId(rng.below(u64::from(roles)) as u32);
        let expected = all(&mut *runner, &step, role, rules);
        let mut facts = Vec::new();
        rules.facts(&step.before, &mut facts);
        let state = machine.state_of(&facts).unwrap();
        let observed = Observation {
            role,
            action: action_of(machine, rules, step.joint[role.index()]),
            percepts: &step.percepts[role.index()],
        };
        let starts = [0, TRIES].map(|playouts| Start { state: state.clone(), playouts });
        batch.follow(&starts, &observed, seed, &mut out).unwrap();
        let mut found: BTreeMap<String, f64> = BTreeMap::new();
        for number in 0..out.len() {
            assert_eq!(out.starts[number], 1);
            *found.entry(text(machine, &out.to_state(number))).or_default() += 1.0;
        }
        assert!(found.keys().all(|state| expected.contains_key(state)), "{name}: a state that does not fit");
        for (state, odds) in expected {
            let (mean, count) = (odds * f64::from(TRIES), found.get(&state).copied().unwrap_or(0.0));
            let deviation = (mean * (1.0 - odds)).sqrt();
            assert!((count - mean).abs() <= 5.5 * deviation + 1e-6, "{name}: {count} of {mean}: {state}");
        }
    }
}

fn nets(game: &GameProgram) -> [Box<dyn Machine>; 3] {
    let net = || NetMachine::new(game, &NetOptions::default()).unwrap();
    let lanes = |width| {
        let options = LaneOptions { width: Some(width), backend: Backend::Auto };
        Box::new(LaneMachine::new(net(), options, 1)) as Box<dyn Machine>
    };
    [Box::new(net()), lanes(LaneWidth::W64), lanes(LaneWidth::W512)]
}

#[test]
fn random_steps_fit_what_a_role_saw_and_are_as_likely_as_they_should_be() {
    let hidden =
        bundled().into_iter().filter(|path| path.components().any(|part| part.as_os_str() == "gdl-ii"));
    let mut games = 0;
    for path in hidden {
        let name = path.display().to_string();
        if name.contains("battleship") || name.contains("breakthrough") || name.contains("liars") {
            // They have too many joint moves to go through.
            continue;
        }
        let game = program_of(&path).unwrap();
        let rules = rule_machine(&game).unwrap();
        for seed in seeds(rounds(1)) {
            check(&name, &*rules, &*rules, seed);
            nets(&game).iter().for_each(|machine| check(&name, &**machine, &*rules, seed));
        }
        games += 1;
    }
    assert!(games > 6);
}

#[test]
fn what_cannot_be_leads_nowhere() {
    let path = bundled().into_iter().find(|path| path.ends_with("gdl-ii/blind-tic-tac-toe.kif")).unwrap();
    let game = program_of(&path).unwrap();
    let rules = rule_machine(&game).unwrap();
    let mut out = Survivors::default();
    for machine in nets(&game).iter().chain([&rules]) {
        let mut batch = machine.batch(&BatchOptions::default());
        let mut runner = machine.runner(&Budget::unlimited());
        let legal: Vec<ActionId> = runner.legal(RoleId(0)).unwrap().to_vec();
        let other = runner.legal(RoleId(1)).unwrap()[4];
        let random = runner.legal(RoleId(2)).unwrap()[0];
        let from = [Start { state: machine.initial().clone(), playouts: 100 }];
        let seen = |action, percepts| Observation { role: RoleId(0), action, percepts };
        // White's role is what nobody sees; black has marks of its own.
        let nobody = [machine.signature().roles()[0]];
        for observed in [seen(legal[0], &nobody[..]), seen(random, &[])] {
            batch.follow(&from, &observed, 1, &mut out).unwrap();
            assert!(out.is_empty());
        }
        runner.step(&[legal[0], other, random]).unwrap();
        let mut state = State::default();
        runner.save(&mut state);
        let from = [Start { state, playouts: 100 }];
        batch.follow(&from, &seen(legal[0], &[]), 1, &mut out).unwrap();
        assert!(out.is_empty(), "a cell can be tried once");
        let from = [Start { state: State::default(), playouts: 1 }];
        let foreign = batch.follow(&from, &seen(legal[0], &[]), 1, &mut out);
        assert_eq!(foreign, Err(GameError::ForeignState));
    }
}
