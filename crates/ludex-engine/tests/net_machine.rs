//! The net machine says what the rule machine says.

use std::path::Path;

use ludex_engine::{NetMachine, NetMachineError, NetOptions};
use ludex_game::{
    ActionId, GameError, Goal, Machine, Rng, Runner, State, playthrough, record_playouts, verify,
};
use ludex_gdl::GameProgram;
use ludex_logic::Budget;
use ludex_testkit::corpus::{Corpus, stem};
use ludex_testkit::{bundled, one_part_of, program, program_of, rule_machine};

fn options() -> NetOptions {
    NetOptions { budget: Budget::unlimited().with_memory(1 << 30), ..NetOptions::default() }
}

fn net(game: &GameProgram) -> NetMachine {
    NetMachine::new(game, &options()).unwrap()
}

/// Plays the same seeded games on both machines.
fn assert_agrees(name: &str, game: &GameProgram, machine: &NetMachine, seeds: u64, limit: u32) {
    let rules = rule_machine(game).unwrap();
    let budget = Budget::unlimited();
    for seed in 0..seeds {
        let ours = playthrough(machine, seed, limit, &budget);
        let theirs = playthrough(&*rules, seed, limit, &budget);
        if ours != theirs {
            let trace = record_playouts(&*rules, name, 1, seed, limit, &budget);
            let report = trace.map(|trace| verify(machine, &trace, &budget).mismatches);
            panic!("{name}: {ours:?} is not {theirs:?}; {:?}", report.map(|m| m.into_iter().next()));
        }
        let (mut our_rng, mut their_rng) = (Rng::from_seed(seed), Rng::from_seed(seed));
        let ours = machine.runner(&budget).playout(&mut our_rng, limit);
        let theirs = rules.runner(&budget).playout(&mut their_rng, limit);
        assert_eq!(ours, theirs, "{name}");
        assert_eq!(our_rng, their_rng, "{name}: as many numbers were drawn");
    }
}

/// All a runner says of its state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    state: State,
    terminal: bool,
    legal: Vec<Vec<ActionId>>,
    goals: Vec<Option<Goal>>,
}

fn see(machine: &dyn Machine, runner: &mut dyn Runner) -> Seen {
    let mut state = State::default();
    runner.save(&mut state);
    let roles = || machine.signature().role_ids();
    Seen {
        state,
        terminal: runner.terminal().unwrap(),
        legal: roles().map(|role| runner.legal(role).unwrap().to_vec()).collect(),
        goals: roles().map(|role| runner.goal(role).unwrap()).collect(),
    }
}

/// Sets states in random order, near and far, and steps on from them.
fn assert_jumps(name: &str, machine: &NetMachine, seed: u64) {
    let budget = Budget::unlimited();
    let mut rng = Rng::from_seed(seed);
    let mut runner = machine.runner(&budget);
    let mut seen = vec![(see(machine, &mut *runner), Vec::new(), None)];
    for _ in 0..60 {
        let last = seen.len() - 1;
        let joint: Vec<ActionId> =
            seen[last].0.legal.iter().filter_map(|list| rng.pick(list).copied()).collect();
        if seen[last].0.terminal || joint.len() < machine.signature().roles().len() {
            break;
        }
        runner.step(&joint).unwrap();
        seen[last].1 = joint;
        seen[last].2 = Some(last + 1);
        seen.push((see(machine, &mut *runner), Vec::new(), None));
    }
    for round in 0..200 {
        // Now and then one state is set again and again, as a search does with its root.
        let at = if round % 3 == 0 { seen.len() / 2 } else { rng.below(seen.len() as u64) as usize };
        let (expected, joint, next) = &seen[at];
        runner.set(&expected.state).unwrap();
        assert_eq!(&see(machine, &mut *runner), expected, "{name}: state {at}");
        if let Some(next) = *next {
            runner.step(joint).unwrap();
            assert_eq!(see(machine, &mut *runner), seen[next].0, "{name}: after state {at}");
        }
        if round % 5 == 0 {
            // A game may get stuck; the runner can be set again all the same.
            let _ = runner.playout(&mut rng, 10);
        }
    }
}

#[test]
fn agrees_with_the_rule_machine_on_bundled_games() {
    for path in one_part_of(4, bundled()) {
        let name = stem(&path);
        // Figure 9.3 of the book is no game: its end depends on moves.
        let Ok(game) = program_of(&path) else { continue };
        let machine = match NetMachine::new(&game, &options()) {
            Ok(machine) => machine,
            Err(error) => panic!("{name}: {error}"),
        };
        assert_agrees(&name, &game, &machine, 3, 60);
        assert_jumps(&name, &machine, 7);
    }
}

#[test]
fn agrees_with_the_rule_machine_on_real_games() {
    let Some(corpus) = Corpus::find("agrees_with_the_rule_machine_on_real_games") else { return };
    let games = [
        "gdl/blocker.kif",
        "gdl/buttons.kif",
        "gdl/chineseCheckers2.kif",
        "gdl/dualConnect4.kif",
        "gdl/eightPuzzle.kif",
        "gdl/ghostMaze2p.kif",
        "gdl/gomoku_11x11.kif",
        "gdl/lightsOut.kif",
        "gdl/nineBoardTicTacToe.kif",
        "gdl/pentago.kif",
        "gdl/qyshinsu.kif",
    ];
    for path in games {
        let path = corpus.path(path);
        let game = program_of(&path).unwrap();
        let machine = net(&game);
        assert_agrees(&stem(&path), &game, &machine, 1, 30);
        assert_jumps(&stem(&path), &machine, 3);
    }
}

/// Bridges are built and burnt; whether the last place can be reached decides what is legal.
const BRIDGES: &str = "
(role builder) (role burner)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(place 1) (place 2) (place 3) (place 4) (place 5)
(init (bridge 1 2)) (init (bridge 3 4)) (init (age 1))
(<= (reach 1) (true (bridge 1 ?x)))
(<= (reach ?y) (reach ?x) (true (bridge ?x ?y)))
(<= (legal builder (build ?x ?y)) (place ?x) (place ?y) (distinct ?x ?y) (not (true (bridge ?x ?y))))
(<= (legal builder rest) (reach 5))
(<= (legal burner (burn ?x ?y)) (true (bridge ?x ?y)))
(<= (legal burner walk) (not (reach 5)))
(<= (legal burner (guard ?x)) (place ?x) (not (reach ?x)))
(<= (next (bridge ?x ?y)) (does builder (build ?x ?y)))
(<= (next (bridge ?x ?y)) (true (bridge ?x ?y)) (not (does burner (burn ?x ?y))))
(<= (next (age ?m)) (true (age ?n)) (succ ?n ?m))
(<= (next old) (true (age 5)))
(<= (next old) (true old))
(<= terminal (true old) (reach 5))
(<= (goal builder 100) (reach 5)) (<= (goal builder 0) (not (reach 5)))
(<= (goal burner 100) (not (reach 5))) (<= (goal burner 0) (reach 5))
";

#[test]
fn recursions_grow_and_start_anew() {
    let game = program("bridges", BRIDGES, None).unwrap();
    let machine = net(&game);
    assert!(!machine.circuit().loops.is_empty(), "the game has a recursion that changes");
    assert_agrees("bridges", &game, &machine, 20, 80);
    (0..5).for_each(|seed| assert_jumps("bridges", &machine, seed));
}

fn tic_tac_toe() -> GameProgram {
    program_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl/tic-tac-toe.kif")).unwrap()
}

#[test]
fn only_legal_moves_are_made() {
    let game = tic_tac_toe();
    let machine = net(&game);
    let mut runner = machine.runner(&Budget::unlimited());
    let before = see(&machine, &mut *runner);
    let wrong: Vec<ActionId> = before.legal.iter().rev().map(|list| list[0]).collect();
    assert!(matches!(runner.step(&wrong), Err(GameError::IllegalMove { .. })));
    let unknown = [ActionId(1_000_000), before.legal[1][0]];
    assert!(matches!(runner.step(&unknown), Err(GameError::UnknownAction { .. })));
    assert_eq!(see(&machine, &mut *runner), before, "a refused move changes nothing");
}

#[test]
fn states_go_through_facts() {
    let game = tic_tac_toe();
    let machine = net(&game);
    let mut facts = Vec::new();
    machine.facts(machine.initial(), &mut facts);
    assert_eq!(&machine.state_of(&facts).unwrap(), machine.initial());
    let name = game.roles[0];
    assert!(matches!(machine.state_of(&[name]), Err(GameError::UnknownFact { .. })));
    let mut runner = machine.runner(&Budget::unlimited());
    for foreign in [machine.initial().with_words(&[u64::MAX; 9]), State::default()] {
        assert_eq!(runner.set(&foreign), Err(GameError::ForeignState));
    }
}

#[test]
fn limits_are_told() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl/checkers.kif");
    let game = program_of(&path).unwrap();
    let budget = Budget::unlimited().with_work(1_000);
    let error = NetMachine::new(&game, &NetOptions { budget, ..NetOptions::default() }).unwrap_err();
    assert!(matches!(error, NetMachineError::Grounding(_) | NetMachineError::Limit(_)), "{error}");
}

/// A move is legal only if it is made.
const MALFORMED: &str = "
(role a) (init p)
(<= (legal a x) (true p))
(<= (legal a y) (does a x))
(<= (next p) (true p) (not (does a y)))
(<= terminal (not (true p)))
(goal a 50)
";

#[test]
fn questions_about_a_state_must_not_depend_on_moves() {
    let Ok(game) = program("malformed", MALFORMED, None) else { return };
    let error = NetMachine::new(&game, &options()).unwrap_err();
    assert!(matches!(error, NetMachineError::Circuit(_)), "{error}");
}
