//! Time that passes, and chance.

use ludex_game::{
    GameError, RoleId, TimedError, TimedEvent, TimedMachine, TimedRuleMachine, TimedState, Timeline,
    TimelineOptions, UpdateLimit,
};

use super::{machine, texts, time};

fn timeline(machine: &TimedRuleMachine, seed: u64) -> Timeline<'_> {
    Timeline::new(machine, &TimelineOptions { seed, ..TimelineOptions::default() }).unwrap()
}

/// What happened, as `1.5 a:go -bell`; `!` stands before what was wasted.
fn history(timeline: &Timeline<'_>) -> Vec<String> {
    let machine = timeline.machine();
    let text = |event: &TimedEvent| match event {
        TimedEvent::Wasted { time, action } => format!("{time} !{}", machine.text(*action)),
        TimedEvent::Update(update) => {
            let mut parts = vec![update.time.to_string()];
            parts.extend(update.moves.iter().map(|&(role, action)| {
                format!("{}:{}", machine.text(machine.roles()[role.index()]), machine.text(action))
            }));
            parts.extend(update.expired.iter().map(|&fact| format!("-{}", machine.text(fact))));
            parts.join(" ")
        }
    };
    timeline.history().iter().map(text).collect()
}

const CAT: &str = "
    role(alice).
    init(1.0, appear(cat)).
    next(3.0, disappear(C)) :- expired(appear(C)).
    next(T, disappear(C)) :- true(T, disappear(C)).
    next(1.0, appear(C)) :- expired(disappear(C)).
    next(T, appear(C)) :- true(T, appear(C)).
    next(T, stroked) :- true(T, stroked).
    next(infinity, stroked) :- does(alice, stroke).
    legal(alice, stroke).
    terminal :- true(T, stroked) & ~here.
    here :- true(T, disappear(C)).
    goal(alice, 100) :- true(T, stroked).
    goal(alice, 0) :- ~true(infinity, stroked).
";

#[test]
fn the_last_update_is_kept_with_the_state_before_it() {
    let machine = machine(CAT);
    let mut timeline = timeline(&machine, 1);
    timeline.advance_to(time("0.5")).unwrap();
    assert!(timeline.last_update().is_none());
    timeline.advance_to(time("4.25")).unwrap();
    let facts = |state: &TimedState| {
        let facts = state.facts().iter();
        facts.map(|(lifetime, fact)| format!("{lifetime} {}", machine.text(*fact))).collect::<Vec<_>>()
    };
    let last = |timeline: &Timeline<'_>| {
        let last = timeline.last_update().unwrap();
        (facts(last.before), last.elapsed.to_string(), last.update.time.to_string())
    };
    let expected =
        |before: &str, elapsed: &str, at: &str| (vec![before.to_owned()], elapsed.to_owned(), at.to_owned());
    assert_eq!(last(&timeline), expected("3 disappear(cat)", "3", "4"));
    let stroke = timeline.find_move(RoleId(0), "stroke").unwrap();
    timeline.submit(&[(RoleId(0), stroke)]).unwrap();
    assert_eq!(last(&timeline), expected("1 appear(cat)", "0.25", "4.25"));
    let timeline = timeline.put_aside().take_up(&machine).unwrap();
    assert_eq!(last(&timeline), expected("1 appear(cat)", "0.25", "4.25"));
}

#[test]
fn what_expires_on_the_way_happens() {
    let machine = machine(CAT);
    let mut timeline = timeline(&machine, 1);
    timeline.advance_to(time("0.999999999")).unwrap();
    assert_eq!((history(&timeline).len(), timeline.next_expiry()), (0, Some(time("1"))));
    timeline.advance_to(time("8.25")).unwrap();
    let expected = ["1 -appear(cat)", "4 -disappear(cat)", "5 -appear(cat)", "8 -disappear(cat)"];
    assert_eq!((history(&timeline), timeline.now()), (expected.map(str::to_owned).to_vec(), time("8.25")));
    assert_eq!(timeline.advance_to(time("8")), Err(TimedError::Past { now: time("8.25"), time: time("8") }));
    let (lifetime, _) = timeline.state().facts()[0];
    assert_eq!(timeline.left(lifetime).unwrap().to_string(), "0.75");
    // At 9 the cat is back and then stroked: two updates at one moment.
    timeline.advance_to(time("9")).unwrap();
    let stroke = timeline.legal(RoleId(0)).unwrap()[0];
    timeline.submit(&[(RoleId(0), stroke)]).unwrap();
    assert_eq!(history(&timeline)[4..], ["9 -appear(cat)", "9 alice:stroke"]);
    timeline.advance_to(time("1000")).unwrap();
    assert_eq!((timeline.now(), timeline.is_over()), (time("12"), true), "time stands still");
    assert_eq!(timeline.goal(RoleId(0)), Ok(Some(100)));
    assert_eq!(timeline.submit(&[(RoleId(0), stroke)]), Err(GameError::Over.into()));
}

#[test]
fn events_at_one_moment_make_one_update() {
    let machine = machine(CAT);
    let mut timeline = timeline(&machine, 1);
    timeline.advance_before(time("4")).unwrap();
    assert_eq!((history(&timeline).len(), timeline.now()), (1, time("4")));
    let stroke = timeline.legal(RoleId(0)).unwrap()[0];
    timeline.submit(&[(RoleId(0), stroke)]).unwrap();
    assert_eq!(history(&timeline)[1..], ["4 alice:stroke -disappear(cat)"]);
    assert!(timeline.is_over());
}

#[test]
fn wrong_moves_are_no_events() {
    let machine = machine(CAT);
    let mut timeline = timeline(&machine, 1);
    timeline.advance_to(time("2")).unwrap();
    let before = (history(&timeline), texts(&machine, timeline.state()));
    let cat = machine.find_term("cat").unwrap().unwrap();
    for _ in 0..2_000 {
        assert!(matches!(
            timeline.submit(&[(RoleId(0), cat)]),
            Err(TimedError::Game(GameError::IllegalMove { .. }))
        ));
    }
    assert_eq!(timeline.submit(&[]), Err(TimedError::NoEvent));
    assert_eq!((history(&timeline), texts(&machine, timeline.state())), before);
}

/// The four moves of section 6.1; each move of chance is remembered.
const CHANCE: &str = "
    role(a). role(random).
    init(10, match). init(infinity, ready).
    legal(random, wait) :- true(infinity, ready).
    legal(random, move(right)) :- true(infinity, ready).
    legal(random, shot(0,pistol)) :- true(infinity, ready).
    legal(random, shot(2,blaster)) :- true(infinity, ready).
    legal(a, hide) :- true(infinity, ready).
    next(T, match) :- true(T, match).
    next(infinity, ready) :- true(infinity, ready) & ~did & ~does(a, hide).
    did :- does(random, M).
    next(infinity, done(M)) :- does(random, M).
    next(infinity, done(M)) :- true(infinity, done(M)).
    sees(a, bang) :- does(random, shot(T,W)).
    terminal :- expired(match).
    goal(a, 50).
";

#[test]
fn chance_acts_at_once_or_after_a_while() {
    let machine = machine(CHANCE);
    assert_eq!(machine.random(), Some(RoleId(1)));
    let mut counts = std::collections::BTreeMap::new();
    let mut waits = Vec::new();
    for seed in 0..400 {
        let mut timeline = timeline(&machine, seed);
        let first = match timeline.pending() {
            None => history(&timeline).join(","),
            Some(pending) => {
                assert!(timeline.history().is_empty());
                assert!(pending.due > time("0") && pending.due <= time("2"), "{pending:?}");
                waits.push(pending.due);
                timeline.advance_before(pending.due).unwrap();
                assert!(timeline.history().is_empty());
                timeline.advance_to(pending.due).unwrap();
                history(&timeline).join(",").replace(&pending.due.to_string(), "later")
            }
        };
        *counts.entry(first).or_insert(0) += 1;
    }
    let names: Vec<&str> = counts.keys().map(String::as_str).collect();
    let expected =
        ["0 random:move(right)", "0 random:shot(0,pistol)", "0 random:wait", "later random:shot(2,blaster)"];
    assert_eq!(names, expected);
    assert!(counts.values().all(|count| (65..135).contains(count)), "{counts:?}");
    let early = waits.iter().filter(|&&wait| wait < time("1")).count();
    assert!((30..70).contains(&(100 * early / waits.len())), "{early} of {}", waits.len());
    assert!(waits.iter().any(|wait| wait.units() % 1_000 != 0), "times are not on a grid");
    let again = timeline(&machine, 3);
    assert_eq!((again.pending(), history(&again)), {
        let same = timeline(&machine, 3);
        (same.pending(), history(&same))
    });
}

/// A seed whose first move is the one with a delay.
fn delayed(machine: &TimedRuleMachine) -> Timeline<'_> {
    (0..).map(|seed| timeline(machine, seed)).find(|timeline| timeline.pending().is_some()).unwrap()
}

#[test]
fn a_pending_move_is_wasted_where_it_is_no_longer_legal() {
    let machine = machine(CHANCE);
    let mut timeline = delayed(&machine);
    let due = timeline.pending().unwrap().due;
    let hide = timeline.legal(RoleId(0)).unwrap()[0];
    timeline.submit(&[(RoleId(0), hide)]).unwrap();
    assert!(timeline.pending().is_some(), "it stays pending, whatever happens meanwhile");
    timeline.advance_to(time("9")).unwrap();
    assert_eq!(history(&timeline), ["0 a:hide".to_owned(), format!("{due} !shot(2,blaster)")]);
    assert_eq!(timeline.pending(), None);
    assert_eq!(texts(&machine, timeline.state()), ["10 match"], "a wasted move is no update");
    timeline.advance_to(time("11")).unwrap();
    assert_eq!((timeline.now(), history(&timeline)[2].as_str()), (time("10"), "10 -match"));
}

#[test]
fn a_pending_move_meets_others_in_one_update() {
    let machine = machine(CHANCE);
    let mut timeline = delayed(&machine);
    let due = timeline.pending().unwrap().due;
    timeline.advance_before(due).unwrap();
    let hide = timeline.legal(RoleId(0)).unwrap()[0];
    timeline.submit(&[(RoleId(0), hide)]).unwrap();
    assert_eq!(history(&timeline), [format!("{due} a:hide random:shot(2,blaster)")]);
    let TimedEvent::Update(update) = &timeline.history()[0] else { panic!("an update") };
    let told: Vec<usize> = update.told.iter().map(|told| told.as_ref().map_or(0, Vec::len)).collect();
    assert_eq!(told, [1, 0]);
    let shot = machine.find_term("wait").unwrap().unwrap();
    let of_chance = timeline.submit(&[(RoleId(1), shot)]);
    assert!(matches!(of_chance, Err(TimedError::OfChance { .. })), "{of_chance:?}");
}

#[test]
fn chance_draws_anew_only_when_nothing_is_pending() {
    let machine = machine(
        "role(a). role(random). init(3, match). next(T, match) :- true(T, match). legal(random, tick(0.5)).
        legal(a, look). sees(a, tick) :- does(random, tick(T)). next(T, seen) :- true(T, seen). terminal :- expired(match).
        next(infinity, seen) :- does(a, look). goal(a, 50).",
    );
    let mut timeline = timeline(&machine, 5);
    let look = timeline.legal(RoleId(0)).unwrap()[0];
    for moment in ["0.1", "0.2", "0.3"] {
        let pending = timeline.pending().unwrap();
        timeline.advance_to(time(moment)).unwrap();
        timeline.submit(&[(RoleId(0), look)]).unwrap();
        let is_due = pending.due <= time(moment);
        assert_eq!(timeline.pending() == Some(pending), !is_due);
    }
    timeline.advance_to(time("5")).unwrap();
    let times: Vec<_> = timeline.history().iter().map(TimedEvent::time).collect();
    assert!(times.is_sorted() && timeline.now() == time("3"));
    let ticks = history(&timeline).iter().filter(|event| event.contains("tick")).count();
    assert!((6..30).contains(&ticks), "{ticks}");
}

#[test]
fn silence_tells_nothing() {
    // Who moves is told only to who sees it; what one sees anyway is no news.
    let machine = machine(
        "role(a). role(b). init(1, bell). init(infinity, sun). legal(a, whisper). legal(a, shout).
        next(T, F) :- true(T, F). sees(R, sun) :- role(R) & true(infinity, sun). sees(b, noise) :- does(a, shout).
        sees(R, ding) :- role(R) & expired(bell). terminal :- expired(bell). goal(R, 50) :- role(R).",
    );
    let mut timeline = timeline(&machine, 1);
    for text in ["whisper", "shout"] {
        let action = machine.find_term(text).unwrap().unwrap();
        timeline.submit(&[(RoleId(0), action)]).unwrap();
    }
    timeline.advance_to(time("1")).unwrap();
    let told: Vec<Vec<Option<Vec<String>>>> = timeline
        .history()
        .iter()
        .map(|event| match event {
            TimedEvent::Update(update) => {
                let texts = |seen: &Vec<_>| seen.iter().map(|&percept| machine.text(percept)).collect();
                update.told.iter().map(|told| told.as_ref().map(texts)).collect()
            }
            TimedEvent::Wasted { .. } => Vec::new(),
        })
        .collect();
    let seen = |texts: [&str; 2]| Some(texts.map(str::to_owned).to_vec());
    let ding = seen(["ding", "sun"]);
    assert_eq!(told, [vec![None, None], vec![None, seen(["noise", "sun"])], vec![ding.clone(), ding]]);
}

#[test]
fn updates_without_end_are_an_error() {
    let machine = machine(
        "role(a). role(random). init(1, p). legal(random, spin) :- true(T, p). next(T, p) :- true(T, p).
        sees(a, spin) :- does(random, spin). terminal :- expired(p). legal(a, wait) :- true(T, p). goal(a, 50).",
    );
    let error = Timeline::new(&machine, &TimelineOptions::default()).map(|_| ()).unwrap_err();
    let cause = "`random` makes `spin` again".to_owned();
    let (limit, within, rule) = (1_000, UpdateLimit::Instant, Some("1:36".to_owned()));
    assert_eq!(error, TimedError::TooManyUpdates { time: time("0"), limit, within, cause, rule });

    let machine = super::machine(
        "role(a). init(0.000000001, tick).\n next(0.000000001, tick) :- expired(tick). legal(a, go). terminal :- false.
        goal(a, 50). false :- true(infinity, never).",
    );
    let options = TimelineOptions { updates_per_unit: 500, ..TimelineOptions::default() };
    let mut timeline = Timeline::new(&machine, &options).unwrap();
    let error = timeline.advance_to(time("1")).unwrap_err();
    let expected = TimedError::TooManyUpdates {
        time: time("0.000000501"),
        limit: 500,
        within: UpdateLimit::Unit,
        cause: "`tick` expires again".into(),
        rule: Some("2:2".into()),
    };
    assert_eq!(error, expected);
    let text = "more than 500 updates in one unit of time at the time 0.000000501: `tick` expires again (the rule at 2:2)";
    assert_eq!(error.to_string(), text);
}
