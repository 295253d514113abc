//! Playouts that see one move ahead: what they do in games where that is plain, and lanes against the
//! rule machine.

use std::collections::BTreeMap;

use ludex_engine::{Backend, LaneMachine, LaneOptions, LaneWidth, NetMachine, NetOptions};
use ludex_game::{
    BatchOptions, DecisiveMoves, Goal, Machine, Outcomes, Policy, Rng, RoleId, Stakes, Start, State,
};
use ludex_gdl::GameProgram;
use ludex_logic::Budget;
use ludex_propnet::CircuitEvaluator;
use ludex_testkit::corpus::stem;
use ludex_testkit::{bundled, deviation, program, program_of, rounds, rule_machine, seeds, small_games};

/// The first role has one shot, of which some let the second win at once, one is a draw, and one loses by
/// itself. What is open is up to the game.
const THREATS: &str = "
    (role x) (role o) (init (at start))
    (shot a) (shot b) (shot c)
    (<= (legal x ?m) (true (at start)) (shot ?m))
    (<= (legal x give-up) (true (at start)))
    (<= (legal x wait) (not (true (at start))))
    (<= (legal o wait) (true (at start)))
    (<= (legal o strike) (not (true (at start))))
    (<= (legal o rest) (not (true (at start))))
    (<= (next (at ?m)) (true (at start)) (does x ?m))
    (<= (next (at lost)) (true (at ?m)) (shot ?m) (open ?m) (does o strike))
    (<= (next (at drawn)) (true (at ?m)) (shot ?m) (not (open ?m)) (does o strike))
    (<= (next (at drawn)) (does o rest))
    (<= over (true (at lost))) (<= over (true (at drawn))) (<= over (true (at give-up)))
    (<= terminal over)
    (<= (goal x 50) (true (at drawn))) (<= (goal o 50) (true (at drawn)))
    (<= (goal x 0) (true (at lost))) (<= (goal x 0) (true (at give-up)))
    (<= (goal o 100) (true (at lost))) (<= (goal o 100) (true (at give-up)))";

fn threats(open: &[&str]) -> GameProgram {
    let open: String = open.iter().map(|shot| format!("(open {shot})")).collect();
    program("threats", &format!("{THREATS} {open}"), None).unwrap()
}

fn lanes(game: &GameProgram, width: LaneWidth) -> LaneMachine {
    let budget = Budget::unlimited().with_work(100_000_000);
    let net = NetMachine::new(game, &NetOptions { budget, ..NetOptions::default() }).unwrap();
    LaneMachine::new(net, LaneOptions { width: Some(width), backend: Backend::Auto }, 1)
}

/// All roles play for 100 and avoid 0, but for the random one.
fn decisive_moves(machine: &dyn Machine, retries: u32) -> DecisiveMoves {
    let signature = machine.signature();
    let stakes = |role| (Some(role) != signature.random()).then_some(Stakes { win: 100, loss: 0 });
    DecisiveMoves { stakes: signature.role_ids().map(stakes).collect(), retries }
}

/// How often each result (goals, length) came.
fn results(
    machine: &dyn Machine,
    from: &State,
    decisive_moves: DecisiveMoves,
    playouts: u32,
) -> BTreeMap<String, u32> {
    let mut batch = machine.batch(&BatchOptions { records: true, ..BatchOptions::default() });
    let policy = Policy { decisive_moves: Some(decisive_moves), ..Policy::uniform(40) };
    let mut out = Outcomes::default();
    let start = Start { state: from.clone(), playouts };
    batch.playouts(&[start], &policy, seeds(1).start, &mut out).unwrap();
    let mut counts = BTreeMap::new();
    for record in out.records {
        let goals: Vec<Option<Goal>> = record.goals;
        *counts.entry(format!("{goals:?} {} {:?}", record.steps, record.fault)).or_default() += 1;
    }
    counts
}

/// The machines that play a game.
fn machines(game: &GameProgram) -> Vec<Box<dyn Machine>> {
    vec![
        rule_machine(game).unwrap(),
        Box::new(lanes(game, LaneWidth::W64)),
        Box::new(lanes(game, LaneWidth::W256)),
        Box::new(lanes(game, LaneWidth::W512)),
    ]
}

const DRAWN: &str = "[Some(50), Some(50)] 2 None";
const LOST: &str = "[Some(0), Some(100)] 2 None";

#[test]
fn a_threat_is_always_blocked_where_it_can_be() {
    for machine in machines(&threats(&["a", "b"])) {
        let found = results(&*machine, machine.initial(), decisive_moves(&*machine, 8), 3000);
        assert_eq!(found, BTreeMap::from([(DRAWN.to_owned(), 3000)]));
    }
}

#[test]
fn retries_are_counted() {
    for machine in machines(&threats(&["a", "b"])) {
        for (retries, share) in [(0, 2.0 / 3.0), (1, 1.0 / 3.0), (2, 0.0)] {
            let found = results(&*machine, machine.initial(), decisive_moves(&*machine, retries), 6000);
            let lost = f64::from(found.get(LOST).copied().unwrap_or(0)) / 6000.0;
            assert!(
                (lost - share).abs() < 0.028 * f64::from(u8::from(share > 0.0)) + 1e-9,
                "{retries}: {lost}"
            );
            assert_eq!(found.values().sum::<u32>(), 6000);
            assert_eq!(found.len(), if share > 0.0 { 2 } else { 1 }, "{found:?}");
        }
    }
}

#[test]
fn a_win_is_taken_where_nothing_prevents_it() {
    for machine in machines(&threats(&["a", "b", "c"])) {
        let found = results(&*machine, machine.initial(), decisive_moves(&*machine, 8), 1000);
        assert_eq!(found, BTreeMap::from([(LOST.to_owned(), 1000)]));
    }
}

/// A playout never goes back beyond its start.
#[test]
fn the_start_is_not_taken_back() {
    for machine in machines(&threats(&["a", "b"])) {
        let mut runner = machine.runner(&Budget::unlimited());
        let signature = machine.signature();
        let terms = signature.terms();
        let legal = runner.legal(RoleId(0)).unwrap().to_vec();
        let shot = |&a: &_| terms.prefix(signature.action(a)) == "a";
        let first = legal.into_iter().find(shot).unwrap();
        let wait = runner.legal(RoleId(1)).unwrap()[0];
        runner.step(&[first, wait]).unwrap();
        let mut from = State::default();
        runner.save(&mut from);
        let found = results(&*machine, &from, decisive_moves(&*machine, 8), 500);
        assert_eq!(found, BTreeMap::from([("[Some(0), Some(100)] 1 None".to_owned(), 500)]));
    }
}

/// Who sees nothing plays at random, loses by itself, and is not made to pay for it.
#[test]
fn roles_without_stakes_play_as_ever() {
    for machine in machines(&threats(&["a", "b"])) {
        let mut decisive_moves = decisive_moves(&*machine, 8);
        decisive_moves.stakes[0] = None;
        let found = results(&*machine, machine.initial(), decisive_moves, 8000);
        let share = |result: &str| f64::from(found.get(result).copied().unwrap_or(0)) / 8000.0;
        assert!((share("[Some(0), Some(100)] 1 None") - 0.25).abs() < 0.025, "{found:?}");
        assert!((share(LOST) - 0.5).abs() < 0.025, "{found:?}");
        assert!((share(DRAWN) - 0.25).abs() < 0.025, "{found:?}");
    }
}

/// Games of every kind, some of them with moves at the same time, a random role or one player.
fn games() -> Vec<(String, GameProgram)> {
    small_games().iter().map(|path| (stem(path), program_of(path).unwrap())).collect()
}

#[test]
fn sighted_lanes_are_distributed_like_the_rules_written_down_plainly() {
    let count = 1_000 * rounds(1) as u32;
    let mut differs = 0;
    for (name, game) in games() {
        let rules = rule_machine(&game).unwrap();
        let expected = results(&*rules, rules.initial(), decisive_moves(&*rules, 3), count);
        for width in [LaneWidth::W64, LaneWidth::W512] {
            let machine = lanes(&game, width);
            let found = results(&machine, machine.initial(), decisive_moves(&machine, 3), 4 * count);
            let far = deviation(&expected, &found);
            assert!(far < 4.5, "{name}, {width:?}: {far}\n{expected:?}\n{found:?}");
            let blind = DecisiveMoves { stakes: Vec::new(), retries: 0 };
            let plain = results(&machine, machine.initial(), blind, 4 * count);
            differs += u32::from(deviation(&plain, &found) > 4.5);
        }
    }
    assert!(differs >= 6, "decisive_moves changes something in {differs} cases");
}

/// What a circuit foresees of a move is what comes of it.
#[test]
fn decisive_circuits_say_what_moves_come_to() {
    let (mut looked, mut ends) = (0, 0);
    let more = bundled()
        .into_iter()
        .filter(|path| path.ends_with("connect-four.kif") || path.ends_with("breakthrough.kif"));
    let more: Vec<_> = more.map(|path| (format!("{path:?}"), program_of(&path).unwrap())).collect();
    for (name, game) in games().into_iter().chain(more) {
        let machine = NetMachine::new(&game, &NetOptions::default()).unwrap();
        let (signature, bases) = (machine.signature(), machine.circuit().bases.len());
        let decisive_moves = decisive_moves(&machine, 1);
        let circuit =
            machine.lane_circuit().decisive_moves(&decisive_moves, &Budget::unlimited()).unwrap().unwrap();
        let evaluator = CircuitEvaluator::new(&circuit);
        let mut rng = Rng::from_seed(seeds(1).start);
        let mut runner = machine.runner(&Budget::unlimited());
        let mut state = State::default();
        for _ in 0..30 * rounds(1) {
            runner.set(machine.initial()).unwrap();
            while !runner.terminal().unwrap() {
                runner.save(&mut state);
                let bit = |base: u32| state.words()[base as usize / 64] >> (base % 64) & 1 == 1;
                let values = evaluator.evaluate(bit, |_, _| false);
                let legal: Vec<Vec<_>> =
                    signature.role_ids().map(|role| runner.legal(role).unwrap().to_vec()).collect();
                let choosers: Vec<usize> = (0..legal.len()).filter(|&role| legal[role].len() > 1).collect();
                let mut joint: Vec<_> = legal.iter().map(|moves| moves[0]).collect();
                if let &[role] = &choosers[..]
                    && let Some(stakes) = decisive_moves.of(role)
                {
                    let moves = &machine.circuit().moves[role];
                    for &action in &legal[role] {
                        joint[role] = action;
                        runner.step(&joint).unwrap();
                        let terminal = runner.terminal().unwrap();
                        let goal = runner.goal(RoleId(role as u32)).unwrap();
                        runner.set(&state).unwrap();
                        let term = signature.action(action);
                        let number = moves.iter().position(|&m| m == term).unwrap();
                        let wins = terminal && goal.is_some_and(|goal| goal >= stakes.win);
                        let loses = terminal && goal.is_some_and(|goal| goal <= stakes.loss);
                        let seen =
                            [number, moves.len() + number].map(|at| values.get(circuit.legal[role][at]));
                        assert_eq!(seen, [wins, loses], "{name}, {}", signature.terms().prefix(term));
                        looked += 1;
                        ends += u32::from(wins || loses);
                    }
                }
                joint = legal.iter().map(|moves| *rng.pick(moves).unwrap()).collect();
                runner.step(&joint).unwrap();
            }
        }
        assert_eq!(circuit.bases.len(), bases);
    }
    assert!(looked > 5_000 && ends > 200, "{looked} moves, {ends} ends");
}
