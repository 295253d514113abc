//! Random games in real time and their tree, on both machines.

use ludex_engine::TimedNetMachine;
use ludex_game::{
    Rng, RoleId, TimedMachine, TimedPlayout, TimedPlayoutOptions, TimedRuleMachine, timed_perft,
    timed_playout,
};
use ludex_gdl::GameTime;
use ludex_logic::Budget;

use super::bundled::{games, program};
use super::game;

fn time(text: &str) -> GameTime {
    GameTime::parse(text).unwrap()
}

/// Random games from the initial state on.
fn playouts(
    machine: &dyn TimedMachine,
    options: &TimedPlayoutOptions,
    seed: u64,
    count: u32,
) -> Vec<TimedPlayout> {
    let mut runner = machine.runner(&Budget::unlimited());
    let mut rng = Rng::from_seed(seed);
    let play = |_| {
        runner.set(machine.initial()).unwrap();
        timed_playout(machine, &mut *runner, GameTime::ZERO, options, &mut rng).unwrap()
    };
    (0..count).map(play).collect()
}

#[test]
fn one_seed_gives_the_same_playouts_on_both_machines() {
    let mut compared = 0;
    for (name, text) in games() {
        let game = program(&name, text);
        let rules = TimedRuleMachine::new(&game, &Default::default()).unwrap();
        let Ok(net) = TimedNetMachine::new(&game, &Default::default()) else { continue };
        let options = TimedPlayoutOptions { events: 200, ..Default::default() };
        let played = playouts(&net, &options, 7, 5);
        assert_eq!(played, playouts(&rules, &options, 7, 5), "{name}");
        assert!(played.iter().all(|playout| playout.updates > 0), "{name}: {played:?}");
        compared += 1;
    }
    assert!(compared >= 5, "{compared}");
}

const BELL: &str = "role(a). role(b). init(1, bell). next(1, bell) :- expired(bell). next(T, bell) :- true(T, bell).
    legal(a, ring) :- true(T, bell). legal(b, stop) :- true(T, bell).
    next(infinity, stopped) :- does(b, stop). next(infinity, rung) :- does(a, ring). next(infinity, F) :- true(infinity, F).
    terminal :- true(infinity, stopped). goal(a, 100) :- true(infinity, rung). goal(b, 50).";

#[test]
fn waits_are_as_long_as_they_are_said_to_be() {
    let machine = TimedNetMachine::new(&game(BELL), &Default::default()).unwrap();
    let options = TimedPlayoutOptions { longest_wait: time("0.5"), ..Default::default() };
    let played = playouts(&machine, &options, 1, 2_000);
    assert!(played.iter().all(|playout| playout.terminal && playout.goals[1] == Some(50)));
    // Either role moves first as often as the other, so there is one move of `a` before the end on average. The shorter
    // of two waits is a sixth of a unit on average, and at the bell they are drawn anew.
    let mean = |value: &dyn Fn(&TimedPlayout) -> f64| played.iter().map(value).sum::<f64>() / 2_000.0;
    let rung = mean(&|playout| f64::from(u8::from(playout.goals[0] == Some(100))));
    assert!((rung - 0.5).abs() < 0.04, "{rung}");
    let length = mean(&|playout| playout.time.units() as f64 / 1e9);
    assert!((0.30..0.42).contains(&length), "{length}");
}

#[test]
fn playouts_end_at_their_limits() {
    let machine = TimedNetMachine::new(&game(BELL), &Default::default()).unwrap();
    let mut runner = machine.runner(&Budget::unlimited());
    let mut rng = Rng::from_seed(3);
    // Nobody moves before the time is over, but the bell rings twice.
    let options =
        TimedPlayoutOptions { longest_wait: time("1000000"), time: time("1.9"), ..Default::default() };
    let playout = timed_playout(&machine, &mut *runner, time("0.25"), &options, &mut rng).unwrap();
    assert_eq!((playout.updates, playout.time, playout.terminal), (2, time("1.9"), false));
    assert_eq!(runner.time_to_expiry(), Some(time("1")));
    let options = TimedPlayoutOptions { events: 3, ..options };
    let options = TimedPlayoutOptions { time: GameTime::MAX, ..options };
    let playout = timed_playout(&machine, &mut *runner, GameTime::ZERO, &options, &mut rng).unwrap();
    assert_eq!((playout.updates, playout.time), (3, time("3")));
}

#[test]
fn chance_moves_as_in_a_timeline() {
    // It draws at once: half of its moves are made at once, half after up to 2 units; these may be wasted.
    let text = "role(a). role(random). init(1, p). init(infinity, count(0)). next(1, p) :- expired(p). next(T, p) :- true(T, p).
        legal(random, now) :- true(infinity, count(0)). legal(random, late(2)) :- true(infinity, count(0)).
        next(infinity, count(1)) :- does(random, now). next(infinity, count(2)) :- does(random, late(2)).
        next(infinity, count(0)) :- true(infinity, count(0)) & ~moved. next(infinity, count(N)) :- true(infinity, count(N)) & distinct(N, 0).
        moved :- does(random, M). sees(a, N) :- does(random, N).
        terminal :- true(infinity, count(N)) & distinct(N, 0). goal(a, 100) :- true(infinity, count(2)). goal(a, 0) :- true(infinity, count(1)).";
    let game = game(text);
    let machine = TimedNetMachine::new(&game, &Default::default()).unwrap();
    let played = playouts(&machine, &TimedPlayoutOptions::default(), 5, 1_000);
    let late = played.iter().filter(|playout| playout.goals[0] == Some(100)).count();
    assert!((450..550).contains(&late), "{late}");
    assert!(played.iter().all(|playout| playout.terminal && playout.time <= time("2")));
    let rules = TimedRuleMachine::new(&game, &Default::default()).unwrap();
    assert_eq!(played, playouts(&rules, &TimedPlayoutOptions::default(), 5, 1_000));
}

#[test]
fn the_tree_is_counted() {
    let (_, text) = games().into_iter().find(|(name, _)| name == "timed-tic-tac-toe").unwrap();
    let game = program("timed-tic-tac-toe", text);
    let rules = TimedRuleMachine::new(&game, &Default::default()).unwrap();
    let net = TimedNetMachine::new(&game, &Default::default()).unwrap();
    let rows = timed_perft(&net, 3, time("0.5"), &Budget::unlimited()).unwrap();
    assert_eq!(rows, timed_perft(&rules, 3, time("0.5"), &Budget::unlimited()).unwrap());
    let counts: Vec<_> = rows.iter().map(|row| (row.time.to_string(), row.paths, row.terminals)).collect();
    // At 0: one of nine marks or none. At 0.5: 10 after none, 8 and none after each mark. At 1, who was silent at 0 and
    // 0.5 loses, whether there is a mark just then (10) or not: 10 after silence, 9 after each of nine marks and silence;
    // 9 after silence and each of nine marks, 1 + 7 after each of 72 pairs of marks.
    assert_eq!(counts[0], ("0".into(), 1, 0));
    assert_eq!(counts[1], ("0.5".into(), 10, 0));
    assert_eq!(counts[2], ("1".into(), 91, 0));
    assert_eq!(counts[3], ("1.5".into(), 10 + 81 + 81 + 576, 10 + 81));
}

#[test]
fn joint_moves_and_expiry_at_one_moment_are_one_update() {
    let machine = TimedNetMachine::new(&game(BELL), &Default::default()).unwrap();
    let rows = timed_perft(&machine, 2, time("1"), &Budget::unlimited()).unwrap();
    // At each moment `a` rings or not and `b` stops or not; a game that is stopped goes no further.
    let counts: Vec<_> = rows.iter().map(|row| (row.paths, row.distinct, row.terminals)).collect();
    assert_eq!(counts, [(1, 1, 0), (4, 4, 2), (8, 4, 4)]);
    // On a finer grid the bell rings between moments, too.
    let rows = timed_perft(&machine, 2, time("2.5"), &Budget::unlimited()).unwrap();
    assert_eq!(rows[2].paths, 8);
    assert!(machine.find_role("a") == Some(RoleId(0)));
}
