//! Players in real time at a table.

use std::sync::Arc;
use std::time::Duration;

use ludex::game::{RoleId, TimedEvent, TimedRules, Timeline};
use ludex::gdl::{GameTime, LoadOptions, Source, load, parse, to_rtgdl};
use ludex::library;
use ludex::logic::{Budget, Clock};
use ludex::players::{Registry, Resources};
use ludex::{
    Engine, SystemClock, TimedRecord, TimedRecordTerms, TimedResult, TimedScene, TimedTable,
    TimedTableOptions, create_timed_player, record_timed_playouts, verify_timed_match,
};

use super::time;

/// A clock that stands still: thinking takes no time.
struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

fn rules(name: &str, text: &str) -> TimedRules {
    let checked = load(Arc::new(Source::new(name, text)), &LoadOptions::default());
    assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    ludex::timed_rules(checked, Engine::Auto, &Budget::unlimited(), &Budget::unlimited()).unwrap()
}

fn bundled(name: &str) -> TimedRules {
    let game = library::find(name).unwrap();
    rules(game.file, game.text)
}

fn play(rules: &TimedRules, players: &[&str], seed: u64, delay: &str) -> TimedResult {
    play_by(Arc::new(Still), rules, players, seed, delay)
}

fn play_by(
    clock: Arc<dyn Clock>,
    rules: &TimedRules,
    players: &[&str],
    seed: u64,
    delay: &str,
) -> TimedResult {
    let seated = players.iter().zip(0..).map(|(text, number)| {
        let resources = Resources::from_seed(seed * 10 + number);
        create_timed_player(rules, text, &Registry::default(), &resources).unwrap()
    });
    let options = TimedTableOptions {
        seed,
        delay: time(delay),
        longest: time("500"),
        unit: Duration::from_secs(1),
        clock,
        start_clock: Duration::from_millis(100),
        slice: Duration::from_millis(20),
        budget: Budget::unlimited(),
    };
    let table = TimedTable::new(rules, seated.collect(), options).unwrap();
    let result = table.play(&mut |_: &Timeline<'_>, _: TimedScene<'_>| {}).unwrap();
    assert_eq!(result.failures, []);
    result
}

/// The mean goal of the first player over so many matches.
fn mean_goal(name: &str, players: &[&str], matches: u64) -> f64 {
    let rules = bundled(name);
    let goals = (0..matches).map(|seed| {
        let result = play(&rules, players, seed + 1, "0");
        assert!(result.completed, "{name} with seed {seed}");
        f64::from(result.goals[0].unwrap())
    });
    goals.sum::<f64>() / matches as f64
}

#[test]
fn looking_ahead_beats_chance() {
    let ludex = "ludex:playouts=60";
    for (name, least) in [("timed-tic-tac-toe", 85.0), ("chess-clock", 85.0), ("respawning-armor", 100.0)] {
        let players = if name == "respawning-armor" { &[ludex][..] } else { &[ludex, "random"] };
        let mean = mean_goal(name, players, 10);
        assert!(mean >= least, "{name}: {mean}");
    }
}

#[test]
fn one_seed_makes_one_match() {
    let rules = bundled("reaction");
    let history = |seed| play(&rules, &["ludex:playouts=20", "ludex:playouts=20"], seed, "0.05").history;
    assert_eq!(history(4), history(4));
    assert_ne!(history(4), history(5));
}

#[test]
fn nobody_is_late_who_knows_how_long_messages_take() {
    let rules = bundled("timed-tic-tac-toe");
    for seed in 1..6 {
        let result = play(&rules, &["ludex:playouts=20", "ludex:playouts=20"], seed, "0.2");
        let late = result.history.iter().any(|event| match event {
            TimedEvent::Update(update) => !update.expired.is_empty(),
            TimedEvent::Wasted { .. } => true,
        });
        assert!(!late && result.refused.is_empty(), "seed {seed}: {:?}", result.history);
    }
}

/// A fruit ripens at each unit of time until it is rotten: it is worth most to pick it just before.
const FRUIT: &str = "role(you)
init(1.0,age(0))
next(1.0,age(M)) :- expired(age(N)) & succ(N,M)
next(T,age(N)) :- true(T,age(N)) & ~picked
picked :- does(you,pick)
next(infinity,eaten(N)) :- picked & true(T,age(N))
legal(you,pick) :- true(T,age(N))
terminal :- true(infinity,eaten(N))
terminal :- expired(age(4))
goal(you,V) :- true(infinity,eaten(N)) & worth(N,V)
goal(you,0) :- ~eaten
eaten :- true(infinity,eaten(N))
succ(0,1) succ(1,2) succ(2,3) succ(3,4)
worth(0,0) worth(1,10) worth(2,30) worth(3,100) worth(4,20)";

#[test]
fn it_waits_for_what_is_worth_waiting_for() {
    let result = play(&rules("fruit.gdl", FRUIT), &["ludex:playouts=100"], 1, "0");
    assert_eq!(result.goals, [Some(100)]);
    let at = result.time;
    assert!(at >= time("3") && at < time("4"), "picked at {at}");
}

/// The same, but the fruit is at its best at once: whoever thinks for long eats it rotten.
#[test]
fn it_acts_at_once_where_waiting_costs() {
    let falling = FRUIT.replace(
        "worth(0,0) worth(1,10) worth(2,30) worth(3,100)",
        "worth(0,100) worth(1,0) worth(2,0) worth(3,0)",
    );
    let falling = falling.replace("init(1.0,age(0))", "init(0.25,age(0))");
    let result = play(&rules("fruit.gdl", &falling), &["ludex:playouts=100"], 1, "0");
    assert_eq!((result.goals, result.time < time("0.25")), (vec![Some(100)], true));
}

#[test]
fn moves_that_come_too_late_change_nothing_and_only_their_player_is_told() {
    let rules = bundled("timed-tic-tac-toe");
    let x = "script:moves=0.2@mark(1,1)+0.3@mark(1,2)+0.6@mark(2,1)";
    let o = "script:moves=0.4@mark(1,1)+0.5@mark(2,2)";
    let result = play(&rules, &[x, o], 1, "0");
    let refused: Vec<String> =
        result.refused.iter().map(|refusal| format!("{} {}", refusal.time, refusal.role.0)).collect();
    assert_eq!(refused, ["0.3 0", "0.4 1"]);
    let moves = result.history.iter().filter(|event| match event {
        TimedEvent::Update(update) => !update.moves.is_empty(),
        TimedEvent::Wasted { .. } => false,
    });
    let times: Vec<String> = moves.map(|event| event.time().to_string()).collect();
    assert_eq!(times, ["0.2", "0.5", "0.6"]);
    assert_eq!((result.goals, result.time), (vec![Some(100), Some(0)], time("1.6")), "o is late then");
}

#[test]
fn what_is_recorded_is_what_the_rules_say() {
    let x = "script:moves=0.2@mark(1,1)+0.3@mark(1,2)";
    for (name, players) in [
        ("timed-tic-tac-toe", [x, "random"]),
        ("reaction", ["ludex:playouts=20", "random"]),
        ("hidden-duel", ["random", "ludex:playouts=20"]),
    ] {
        let rules = bundled(name);
        let result = play(&rules, &players, 3, "0.05");
        let terms = TimedRecordTerms { players: players.map(str::to_owned).to_vec(), ..Default::default() };
        let record = TimedRecord::read(&result.record(&rules, terms).write()).unwrap();
        let report = verify_timed_match(&rules, &record);
        assert!(report.mismatches.is_empty(), "{name}: {:?}", report.mismatches);
        assert_eq!((record.events.len(), record.is_completed), (result.history.len(), true));
        let mut wrong = record.clone();
        wrong.events.pop();
        assert!(!verify_timed_match(&rules, &wrong).mismatches.is_empty(), "{name}: the end is missing");
    }
}

#[test]
fn random_games_of_one_engine_are_those_of_the_other() {
    let timed: Vec<_> = library::all().iter().filter(|game| game.dialect.is_timed()).collect();
    assert!(timed.len() >= 15, "{}", timed.len());
    for game in timed {
        let checked = load(Arc::new(Source::new(game.file, game.text)), &LoadOptions::default());
        let by =
            |engine| ludex::timed_rules(checked.clone(), engine, &Budget::unlimited(), &Budget::unlimited());
        let rules = by(Engine::Rules).unwrap();
        let records = record_timed_playouts(&rules, 2, 1, time("20")).unwrap();
        assert_eq!(records, record_timed_playouts(&rules, 2, 1, time("20")).unwrap(), "{}", game.name);
        assert!(records.iter().any(|record| !record.events.is_empty()), "{}", game.name);
        for record in &records {
            let read = TimedRecord::read(&record.write()).unwrap();
            // Where there is no net, the rules are compared with themselves.
            let report = verify_timed_match(&by(Engine::Auto).unwrap(), &read);
            assert_eq!(report.mismatches, [], "{}", game.name);
            assert_eq!(report.steps as usize, record.events.len(), "{}", game.name);
        }
    }
}

#[test]
fn no_two_moves_have_the_same_time() {
    let rules = bundled("chicken");
    let result = play(&rules, &["script:moves=3@swerve", "script:moves=3@swerve"], 1, "0");
    let moves = result.history.iter().filter_map(|event| match event {
        TimedEvent::Update(update) => update.moves.first().map(|_| update.time.to_string()),
        TimedEvent::Wasted { .. } => None,
    });
    assert_eq!(moves.collect::<Vec<_>>(), ["3", "3.000000001"]);
    assert!(result.completed);
}

#[test]
fn strategies_for_gdl_play_games_with_turns() {
    // These strategies use the clock to get ready and to think.
    let clock = || Arc::new(SystemClock::start());
    for name in ["timed-tic-tac-toe", "chess-clock", "speed-breakthrough"] {
        let rules = bundled(name);
        let won = (1..7).filter(|&seed| {
            play_by(clock(), &rules, &["uct:playouts=300", "random"], seed, "0").goals[0] == Some(100)
        });
        let won = won.count();
        assert!(won >= 4, "{name}: {won} of 6");
    }
    // So do they where all move at once.
    let game = library::find("rock-paper-scissors").unwrap();
    let (sheet, _) = parse(Arc::new(Source::new(game.file, game.text)), None);
    let timed = to_rtgdl(&sheet, GameTime::ONE).unwrap();
    let rules = rules("rps.kif", timed.source.text());
    let result = play_by(clock(), &rules, &["uct:playouts=100", "random:mean=0.1"], 3, "0");
    assert!(result.completed && result.refused.is_empty());
    // All three rounds were played: nobody was late.
    assert!(result.history.len() >= 6, "{:?}", result.history);
}

#[test]
fn what_cannot_play_says_why() {
    let made = |name: &str, text| {
        let made = create_timed_player(&bundled(name), text, &Registry::default(), &Resources::default());
        made.err().unwrap_or_default()
    };
    for (name, text, expected) in [
        ("chicken", "nobody", "there is no strategy `nobody`"),
        ("chicken", "ludex:playouts=many", "`many` is not a value for the option `playouts` of `ludex`"),
        ("chicken", "ludex:slice=0", "`0` is not a value for the option `slice` of `ludex`"),
        ("chicken", "random:c=1", "`random` has no option `c`; it has mean"),
        ("reaction", "uct", "only rtGDL becomes GDL by leaving out the time; this is rtGDL-II"),
    ] {
        assert!(made(name, text).starts_with(expected), "{name} {text}: {}", made(name, text));
    }
}

/// Chance hides a ball on the left or on the right and tells nobody; a bell that tells rings after a random time. The
/// player is told of the bell, and where the ball was not.
const SHELLS: &str = "role(you) role(random)
init(infinity,hidden)
legal(random,hide(S)) :- true(infinity,hidden) & side(S)
legal(random,ring(2.0)) :- true(infinity,ball(S)) & ~true(infinity,rung)
next(infinity,ball(S)) :- does(random,hide(S))
next(infinity,ball(S)) :- true(infinity,ball(S))
next(infinity,rung) :- does(random,ring(T))
next(infinity,rung) :- true(infinity,rung)
sees(you,bell) :- does(random,ring(T))
sees(you,elsewhere(S)) :- does(random,ring(T)) & side(S) & ~true(infinity,ball(S))
legal(you,guess(S)) :- side(S) & true(infinity,rung)
next(infinity,guessed(S)) :- does(you,guess(S))
terminal :- true(infinity,guessed(S))
goal(you,100) :- true(infinity,guessed(S)) & true(infinity,ball(S))
goal(you,0) :- ~right
right :- true(infinity,guessed(S)) & true(infinity,ball(S))
side(left) side(right)";

#[test]
fn what_is_told_decides_what_is_believed() {
    let rules = rules("shells.gdl", SHELLS);
    for seed in 1..9 {
        let result = play(&rules, &["ludex:playouts=50"], seed, "0");
        assert_eq!(result.goals[0], Some(100), "seed {seed}: {:?}", result.history);
    }
}

/// There is one shot, and no random game waits until it hits.
#[test]
fn alone_it_does_not_act_for_nothing() {
    let mean = mean_goal("xwing", &["ludex:playouts=400"], 8);
    assert!(mean >= 50.0, "{mean}");
}

/// Chance answers a question at the moment at which it is put: the player is told of both in turn.
const QUESTION: &str = "role(you) role(random) init(10.0,clock) next(T,clock) :- true(T,clock)
legal(you,ask) :- ~asked
legal(you,guess(C)) :- answered & colour(C)
legal(random,answer(C)) :- asked & ~answered & colour(C)
asked :- true(infinity,asked)
answered :- true(infinity,answer(C))
next(infinity,asked) :- does(you,ask)
next(infinity,asked) :- asked
next(infinity,answer(C)) :- does(random,answer(C))
next(infinity,answer(C)) :- true(infinity,answer(C))
next(infinity,guessed(C)) :- does(you,guess(C))
sees(you,A) :- does(R,A)
terminal :- true(infinity,guessed(C))
terminal :- expired(clock)
goal(you,100) :- right
goal(you,0) :- ~right
right :- true(infinity,guessed(C)) & true(infinity,answer(C))
colour(red) colour(green) colour(blue) colour(white)";

#[test]
fn what_chance_does_at_once_is_believed() {
    let rules = rules("question.gdl", QUESTION);
    for seed in 1..9 {
        let result = play(&rules, &["ludex:playouts=50"], seed, "0");
        assert_eq!(result.goals, [Some(100), None], "seed {seed}: {:?}", result.history);
    }
}

#[test]
fn pieces_that_fall_are_known() {
    let mean = mean_goal("falling-blocks", &["ludex:playouts=40"], 4);
    assert!(mean >= 15.0, "{mean}");
}

#[test]
fn roles_are_those_of_the_machine() {
    let rules = bundled("hidden-duel");
    let random = rules.machine().random().unwrap();
    assert_ne!(random, RoleId(0));
    assert_eq!(rules.machine().roles().len(), rules.seats().len() + 1);
}
