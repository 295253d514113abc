//! Random games in real time and their tree, on both machines.

use ludex_engine::TimedNetMachine;
use ludex_game::{
    DecisionMoments, Moment, Pace, PlayoutStart, Rng, RoleId, TimedMachine, TimedPlayout,
    TimedPlayoutOptions, TimedRuleMachine, timed_perft, timed_playout,
};
use ludex_gdl::GameTime;
use ludex_logic::Budget;

use super::bundled::{games, program};
use super::{compare, game};

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
        runner.playout(PlayoutStart::default(), options, &mut rng).unwrap()
    };
    (0..count).map(play).collect()
}

/// Both paces, with games that are cut off and games that are not.
fn all_options() -> Vec<TimedPlayoutOptions> {
    let decisions = DecisionMoments { tick: time("0.3"), margin: time("0.1") };
    let paces = [Pace::Waits { longest: time("1") }, Pace::Decisions(decisions)];
    let with = |events| paces.map(|pace| TimedPlayoutOptions { pace, events, ..Default::default() });
    [with(7), with(200)].concat()
}

/// Plays random games on both machines and compares them, with the states that they end in: on the net machine as it
/// plays them and update by update. Each goes on from the initial state, or from where the last one ended.
pub(super) fn compare_playouts(
    rules: &TimedRuleMachine,
    net: &TimedNetMachine,
    options: &TimedPlayoutOptions,
    seed: u64,
    count: u32,
    what: &str,
) -> Vec<TimedPlayout> {
    let mut by_rules = rules.runner(&Budget::unlimited());
    let mut by_net = net.runner(&Budget::unlimited());
    let mut stepwise = net.runner(&Budget::unlimited());
    let [mut one, mut two, mut three] = [seed; 3].map(Rng::from_seed);
    let mut played = Vec::new();
    let start = PlayoutStart::default();
    for number in 0..count {
        let what = format!("{what}, game {number}, {options:?}");
        if number % 4 != 3 || by_rules.terminal().unwrap() {
            for runner in [&mut by_rules, &mut by_net, &mut stepwise] {
                runner.set(rules.initial()).unwrap();
            }
        }
        let playout = by_rules.playout(start, options, &mut one).unwrap();
        assert_eq!(by_net.playout(start, options, &mut two).unwrap(), playout, "{what}");
        compare(rules, &mut *by_net, &mut *by_rules, &what);
        let mut updates = 0;
        let told = |_: GameTime, _: bool| updates += 1;
        assert_eq!(
            timed_playout(net, &mut *stepwise, start, options, &mut three, told).unwrap(),
            playout,
            "{what}"
        );
        assert_eq!((updates, stepwise.state()), (playout.updates, by_rules.state()), "{what}");
        played.push(playout);
    }
    assert_eq!([&one, &two], [&two, &three], "{what}");
    played
}

#[test]
fn one_seed_gives_the_same_playouts_on_both_machines() {
    let mut compared = 0;
    for (name, text) in games() {
        let game = program(&name, text);
        let rules = TimedRuleMachine::new(&game, &Default::default()).unwrap();
        let Ok(net) = TimedNetMachine::new(&game, &Default::default()) else { continue };
        for options in all_options() {
            let count = if options.events > 100 { 8 } else { 40 };
            let played = compare_playouts(&rules, &net, &options, 7, count, &name);
            assert!(
                played.iter().filter(|playout| playout.updates > 0).count() > count as usize / 2,
                "{name}"
            );
        }
        compared += 1;
    }
    assert!(compared >= 13, "{compared}");
}

#[test]
fn what_was_learned_of_small_games_stays_right() {
    for (name, text) in games() {
        if !["chicken", "cheshire-cat", "reaction", "respawning-armor"].contains(&name.as_str()) {
            continue;
        }
        let game = program(&name, text);
        let rules = TimedRuleMachine::new(&game, &Default::default()).unwrap();
        let net = TimedNetMachine::new(&game, &Default::default()).unwrap();
        for seed in 0..3 {
            // Each runner goes on with what those before it have learned.
            compare_playouts(&rules, &net, &TimedPlayoutOptions::default(), seed, 150, &name);
        }
    }
}

#[test]
fn playouts_go_on_from_a_moment() {
    let (_, text) = games().into_iter().find(|(name, _)| name == "reaction").unwrap();
    let game = program("reaction", text);
    let rules = TimedRuleMachine::new(&game, &Default::default()).unwrap();
    let net = TimedNetMachine::new(&game, &Default::default()).unwrap();
    let mut rng = Rng::from_seed(4);
    let mut waiting = 0;
    for _ in 0..30 {
        let mut by_rules = rules.runner(&Budget::unlimited());
        let mut by_net = net.runner(&Budget::unlimited());
        let mut moment = Moment::start(&rules, &mut *by_rules, &mut rng, |_| {}).unwrap();
        for _ in 0..6 {
            let next = moment.next_event().unwrap();
            let wait =
                if rng.below(2) == 0 { next } else { GameTime::from_units(rng.below(next.units())).unwrap() };
            moment.wait(&rules, &mut *by_rules, &mut rng, wait, |_| {}).unwrap();
        }
        waiting += u32::from(moment.pending().is_some());
        by_net.set(moment.state()).unwrap();
        let mut other = rng.clone();
        for options in all_options() {
            by_rules.set(moment.state()).unwrap();
            by_net.set(moment.state()).unwrap();
            let playout = by_rules.playout((&moment).into(), &options, &mut rng);
            assert_eq!(by_net.playout((&moment).into(), &options, &mut other), playout);
        }
    }
    assert!(waiting > 5, "{waiting}");
}

const BELL: &str = "role(a). role(b). init(1, bell). next(1, bell) :- expired(bell). next(T, bell) :- true(T, bell).
    legal(a, ring) :- true(T, bell). legal(b, stop) :- true(T, bell).
    next(infinity, stopped) :- does(b, stop). next(infinity, rung) :- does(a, ring). next(infinity, F) :- true(infinity, F).
    terminal :- true(infinity, stopped). goal(a, 100) :- true(infinity, rung). goal(b, 50).";

#[test]
fn waits_are_as_long_as_they_are_said_to_be() {
    let machine = TimedNetMachine::new(&game(BELL), &Default::default()).unwrap();
    let options = TimedPlayoutOptions { pace: Pace::Waits { longest: time("0.5") }, ..Default::default() };
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
    let options = TimedPlayoutOptions {
        pace: Pace::Waits { longest: time("1000000") },
        time: time("1.9"),
        ..Default::default()
    };
    let playout =
        runner.playout(PlayoutStart { passed: time("0.25"), pending: None }, &options, &mut rng).unwrap();
    assert_eq!((playout.updates, playout.time, playout.terminal), (2, time("1.9"), false));
    assert_eq!(runner.time_to_expiry(), Some(time("1")));
    let options = TimedPlayoutOptions { events: 3, ..options };
    let options = TimedPlayoutOptions { time: GameTime::MAX, ..options };
    let playout = runner.playout(PlayoutStart::default(), &options, &mut rng).unwrap();
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
