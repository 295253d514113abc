//! Records of matches in real time, compared with the rules.

use ludex_match::referee::SeatNumber;
use ludex_match::referee::real_time::Verdict;
use ludex_match::{Fault, MatchMismatch, TimedRecord, TimedReplay, verify_timed_match};

use super::chance::BELL;
use super::resume::play;
use super::{GUNS, bundled, parse, time};

/// A shot that hits half a second later, unless the target has moved away by then; and dice that are thrown at once.
const DICE: &str = "
    role(random) role(a)
    init(8,end) init(infinity,away) init(1,tick)
    next(T,end) :- true(T,end)
    next(1,tick) :- expired(tick)
    next(T,tick) :- true(T,tick)
    next(infinity,rolling) :- expired(tick)
    next(infinity,here) :- does(a,go)
    next(T,here) :- true(T,here) & ~leaves
    next(infinity,away) :- leaves
    next(T,away) :- true(T,away) & ~goes
    leaves :- does(a,leave)
    goes :- does(a,go)
    legal(a,go) :- true(T,away)
    legal(a,leave) :- true(T,here)
    legal(random,shoot(0.5)) :- true(T,here)
    legal(random,roll(N)) :- true(T,rolling) & number(N)
    number(1) number(2) number(3)
    sees(a,rolled(N)) :- does(random,roll(N))
    sees(a,bang) :- does(random,shoot(0.5))
    terminal :- expired(end)
    goal(a,50) goal(random,0)
";

fn records() -> Vec<(ludex_game::TimedRules, TimedRecord)> {
    let marks = ["(mark 1 1)", "(mark 1 2)", "(mark 2 2)", "(mark 3 3)", "(mark 2 1)"];
    [
        (parse("guns.gdl", GUNS), &["fire", "hide", "(("][..]),
        (parse("bell.gdl", BELL), &["push", "pull"][..]),
        (parse("dice.gdl", DICE), &["go", "leave"][..]),
        (bundled("timed-tic-tac-toe"), &marks[..]),
    ]
    .into_iter()
    .flat_map(|(rules, words)| {
        (0..6).map(move |seed| {
            let record = play(&rules, words, seed).0.referee.record();
            (rules.clone(), record)
        })
    })
    .collect()
}

#[test]
fn the_rules_bear_out_what_a_referee_records() {
    let (mut wasted, mut rolled) = (0, 0);
    for (rules, record) in records() {
        assert_eq!(record.contradiction(), None);
        let text = record.write();
        assert_eq!(TimedRecord::read(&text).unwrap(), record);
        let report = verify_timed_match(&rules, &record);
        assert_eq!(report.mismatches, [], "{text}");
        assert_eq!(report.steps, record.events.len() as u64);
        wasted += record.events.iter().filter(|event| event.wasted.is_some()).count();
        rolled += record
            .events
            .iter()
            .filter(|event| event.moves[0].as_deref().is_some_and(|made| made.starts_with("(roll")))
            .count();
    }
    assert!(wasted > 0 && rolled > 0, "{wasted} {rolled}");
}

#[test]
fn a_replay_goes_through_the_states() {
    let rules = parse("guns.gdl", GUNS);
    let (match_, _) = play(&rules, &["fire"], 2);
    let record = match_.referee.record();
    let mut replay = TimedReplay::new(&rules, &record).unwrap();
    while replay.advance().unwrap() {}
    let course = match_.referee.course();
    assert_eq!((replay.state(), replay.updated()), (course.state(), course.updated()));
    assert_eq!(replay.goals().unwrap(), course.goals());
    assert!(replay.terminal().unwrap());
}

/// The differences of a record that was changed.
fn changed(
    rules: &ludex_game::TimedRules,
    record: &TimedRecord,
    change: impl FnOnce(&mut TimedRecord),
) -> Vec<MatchMismatch> {
    let mut other = record.clone();
    change(&mut other);
    assert_ne!(other, *record, "nothing was changed");
    verify_timed_match(rules, &other).mismatches
}

#[test]
fn whatever_is_changed_is_noticed() {
    for (rules, record) in records() {
        let noticed = |what: &str, change: &dyn Fn(&mut TimedRecord)| {
            let found = changed(&rules, &record, change);
            assert!(!found.is_empty(), "{what} of {}", record.write());
        };
        noticed("goals", &|record| record.goal_values.as_mut().unwrap()[0] = Some(77));
        noticed("end", &|record| record.is_completed = false);
        noticed("roles", &|record| record.roles.reverse());
        noticed("names", &|record| drop(record.player_names_from_host.pop()));
        noticed("last event", &|record| drop(record.events.pop()));
        noticed("time", &|record| record.time = record.time.checked_add(time("0.1")).unwrap());
        for number in 0..record.events.len() {
            // A delayed move may come when the next one did, or so often.
            let of_chance = record.roles[0] == "random" && record.events[number].moves[0].is_some();
            if !of_chance && record.events[number].wasted.is_none() {
                noticed("event that is missing", &|record| drop(record.events.remove(number)));
            }
            noticed("event that comes twice", &|record| {
                let event = record.events[number].clone();
                record.events.insert(number, event);
            });
            noticed("move that is missing", &|record| drop(record.events[number].moves.pop()));
            if !record.events[number].expired.is_empty() {
                noticed("what expired", &|record| drop(record.events[number].expired.pop()));
                noticed("when it expired", &|record| {
                    let event = &mut record.events[number];
                    event.time = event.time.checked_add(time("0.000000001")).unwrap();
                });
            }
            for role in 0..record.events[number].told.len() {
                noticed("what was told", &|record| {
                    let told = &mut record.events[number].told[role];
                    *told = if told.is_some() { None } else { Some(vec!["bang".into()]) };
                });
            }
        }
        for number in 0..record.moves.len() {
            let is_made = matches!(record.moves[number].verdict, Verdict::Made(_));
            if is_made {
                noticed("move that came", &|record| drop(record.moves.remove(number)));
                noticed("who moved", &|record| record.moves[number].seat = SeatNumber(9));
                noticed("legal move that was refused", &|record| {
                    if let Verdict::Made(text) = &record.moves[number].verdict {
                        record.moves[number].verdict = Verdict::Refused(Fault::Illegal(text.clone()));
                    }
                });
            }
        }
    }
}

#[test]
fn contradictions_need_no_rules() {
    let (_, mut record) = records().swap_remove(0);
    record.is_aborted = true;
    assert!(record.contradiction().is_some());
    record.is_aborted = false;
    record.rulesheet.push('%');
    assert!(record.contradiction().is_some());
    assert!(TimedRecord::read("{}").is_err());
    assert!(TimedRecord::read(&record.write().replacen("\"time\":\"", "\"time\":\"-", 1)).is_err());
}
