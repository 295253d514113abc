//! A match is the fold of its journal.

use ludex_game::{Goal, Rng, TimedEvent, TimedRules, TimedState};
use ludex_gdl::GameTime;
use ludex_match::MatchStatus;
use ludex_match::referee::real_time::{TimedEntry, TimedReferee, Verdict};
use ludex_match::referee::{Event, RefereeError};

use super::chance::BELL;
use super::harness::{Harness, milliseconds, seconds, setup};
use super::{GUNS, bundled, parse, time};

/// All that a match tells of itself.
pub type Told = (Vec<TimedEvent>, TimedState, GameTime, Vec<Option<Goal>>, MatchStatus, bool);

fn told(referee: &TimedReferee) -> Told {
    let course = referee.course();
    let (events, state, goals) = (course.events().to_vec(), course.state().clone(), course.goals().to_vec());
    (events, state, course.now(), goals, course.status().clone(), referee.has_ended())
}

/// A match in which players say what they like at random times, and what it told after each entry.
pub fn play(rules: &TimedRules, words: &[&str], seed: u64) -> (Harness, Vec<Told>) {
    let mut match_ = Harness::new(rules, setup(rules));
    let mut rng = Rng::from_seed(seed);
    match_.is_quick = false;
    let mut after = Vec::new();
    let mut write = |match_: &mut Harness| {
        while match_.write_one() {
            after.push(told(&match_.referee));
        }
    };
    match_.on(Event::Begin);
    write(&mut match_);
    for seat in 0..rules.seats().len() {
        match_.say(seat, "READY");
    }
    write(&mut match_);
    while !match_.referee.has_ended() {
        match_.wait(milliseconds(rng.below(4_000)));
        let seat = rng.below(rules.seats().len() as u64) as usize;
        match_.say(seat, rng.pick(words).unwrap());
        if rng.below(3) > 0 {
            write(&mut match_);
        }
    }
    write(&mut match_);
    (match_, after)
}

/// The same moves from an entry on, at the same times.
fn go_on(rules: &TimedRules, whole: &Harness, entries: usize) -> Harness {
    let mut match_ = Harness::resume(rules, &whole.journal[..entries]);
    match_.now = seconds(9_999);
    match_.on(Event::Begin);
    if !whole.journal[..entries].iter().any(|entry| matches!(entry, TimedEntry::Ready { .. })) {
        (0..rules.seats().len()).for_each(|seat| match_.say(seat, "READY"));
    }
    for arrival in &whole.referee.record().moves[match_.referee.course().arrivals().len()..] {
        let clock = match_.referee.clock().expect("it goes on");
        match_.wait(clock.moment(arrival.time) - match_.now);
        match &arrival.verdict {
            Verdict::Made(text) => match_.say(arrival.seat.0 as usize, text),
            Verdict::Refused(_) => match_.say(arrival.seat.0 as usize, "(no move)"),
        }
    }
    if !match_.referee.has_ended() {
        match_.wait(seconds(2_000));
    }
    match_
}

#[test]
fn a_match_goes_on_from_each_entry() {
    let marks: Vec<String> = (1..=3).flat_map(|m| (1..=3).map(move |n| format!("(mark {m} {n})"))).collect();
    let marks: Vec<&str> = marks.iter().map(String::as_str).chain(["nonsense"]).collect();
    for seed in 0..4 {
        for (rules, words) in [
            (parse("guns.gdl", GUNS), &["fire", "hide"][..]),
            (parse("bell.gdl", BELL), &["push", "((", "pull"]),
            (bundled("timed-tic-tac-toe"), &marks),
        ] {
            let (whole, after) = play(&rules, words, seed);
            let events = whole.referee.record().events;
            for entries in 1..=whole.journal.len() {
                let again = TimedReferee::resume(rules.clone(), &whole.journal[..entries]).unwrap();
                assert_eq!(told(&again), after[entries - 1], "{} {seed} {entries}", rules.short_name());
                let again = go_on(&rules, &whole, entries);
                let record = again.referee.record();
                assert_eq!(record.events, events, "{} {seed} {entries}", rules.short_name());
                assert_eq!(record.goal_values, whole.referee.record().goal_values);
            }
        }
    }
}

#[test]
fn after_a_break_everybody_hears_what_was_last_and_how_late_it_is() {
    let rules = parse("guns.gdl", GUNS);
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.wait(seconds(10));
    match_.say(1, "fire");
    let mut again = Harness::resume(&rules, &match_.journal);
    again.now = seconds(5);
    again.on(Event::Begin);
    assert_eq!(
        again.heard(),
        ["0: play (nil fire) 0.5", "1: play (nil fire) 0.5", "0: play nil 0.5", "1: play nil 0.5"]
    );
    // While there was no referee there was no time: red's gun is loaded a unit of time later.
    again.wait(seconds(20));
    again.say(0, "fire");
    assert_eq!(again.heard()[0], "0: play (fire nil) 1.5");
    let numbers = again.sent.iter().map(|sent| sent.message);
    assert!(numbers.into_iter().all(|number| match_.sent.iter().all(|sent| sent.message != number)));
}

#[test]
fn journals_are_plain_text_and_come_back() {
    let rules = parse("guns.gdl", GUNS);
    let (whole, _) = play(&rules, &["fire", "hide"], 3);
    for entry in &whole.journal {
        let text = serde_json::to_string(entry).unwrap();
        assert_eq!(serde_json::from_str::<TimedEntry>(&text).unwrap(), *entry, "{text}");
    }
    let record = whole.referee.record();
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<ludex_match::TimedRecord>(&text).unwrap(), record);
}

#[test]
fn journals_of_other_matches_are_refused() {
    let rules = parse("guns.gdl", GUNS);
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.wait(seconds(12));
    match_.say(1, "fire");
    match_.wait(seconds(60));
    let journal = match_.journal.clone();
    let refused = |change: &dyn Fn(&mut Vec<TimedEntry>)| {
        let mut changed = journal.clone();
        change(&mut changed);
        TimedReferee::resume(rules.clone(), &changed).err()
    };
    assert_eq!(refused(&|_| ()), None);
    assert_eq!(refused(&|journal| journal.clear()), Some(RefereeError::Empty));
    assert!(matches!(refused(&|journal| drop(journal.remove(0))), Some(RefereeError::Order { .. })));
    assert!(matches!(refused(&|journal| drop(journal.remove(1))), Some(RefereeError::Order { .. })));
    let with_moves = journal
        .iter()
        .position(|entry| matches!(entry, TimedEntry::Happened { moves, .. } if !moves.is_empty()))
        .unwrap();
    let earlier = |journal: &mut Vec<TimedEntry>| {
        if let TimedEntry::Happened { moves, .. } = &mut journal[with_moves] {
            moves[0].time = time("0.25");
        }
    };
    assert!(matches!(refused(&earlier), Some(RefereeError::Arrival { .. })));
    let other = |journal: &mut Vec<TimedEntry>| {
        if let TimedEntry::Happened { moves, .. } = &mut journal[with_moves] {
            moves[0].verdict = Verdict::Made("hide".into());
        }
    };
    assert!(matches!(refused(&other), Some(RefereeError::Arrival { .. })));
    let last = journal.iter().position(TimedEntry::ends_match).unwrap();
    let goes_on = |journal: &mut Vec<TimedEntry>| {
        if let TimedEntry::Happened { last, .. } = &mut journal[last] {
            *last = false;
        }
    };
    assert!(matches!(refused(&goes_on), Some(RefereeError::End { .. })));
    let others = TimedReferee::resume(parse("bell.gdl", BELL), &journal).err();
    assert!(matches!(others, Some(RefereeError::OtherRules { .. })));
}
