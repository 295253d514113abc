//! Messages that come too late, twice, or not at all.

use ludex_game::TimedRules;
use ludex_match::message::News;
use ludex_match::service::{TimedDoubt, TimedFollower};

use super::chance::BELL;
use super::{GUNS, parse, time};

fn moves(red: Option<&str>, blue: Option<&str>) -> News {
    News::Moves([red, blue].map(|made| made.map(str::to_owned)).to_vec().into())
}

fn follower(rules: TimedRules) -> TimedFollower {
    TimedFollower::new(rules).unwrap()
}

#[test]
fn messages_find_their_place_by_their_times() {
    let mut known = follower(parse("guns.gdl", GUNS));
    known.hear(time("0"), &News::Nothing).unwrap();
    // Blue cannot shoot twice at once: a shot is missing that came before, or rather was overtaken.
    known.hear(time("2.25"), &moves(None, Some("fire"))).unwrap();
    known.hear(time("2.3"), &moves(None, Some("fire"))).unwrap();
    let Some(TimedDoubt::Impossible { time: when, .. }) = known.doubt() else {
        panic!("{:?}", known.doubt())
    };
    assert_eq!(*when, time("2.3"));

    let mut known = follower(parse("guns.gdl", GUNS));
    known.hear(time("2.25"), &moves(Some("fire"), None)).unwrap();
    known.hear(time("0.6"), &moves(None, Some("fire"))).unwrap();
    known.hear(time("2.25"), &moves(Some("fire"), None)).unwrap();
    assert_eq!((known.doubt(), known.time(), known.moves().len()), (None, time("2.25"), 2));
    let times = known
        .with(|timeline| timeline.history().iter().map(|event| event.time().to_string()).collect::<Vec<_>>());
    assert_eq!(times.unwrap(), ["0.5", "0.6", "1.5", "2.1", "2.25"]);
    known.hear(time("0.6"), &moves(Some("fire"), None)).unwrap();
    assert_eq!(known.doubt(), Some(&TimedDoubt::Contradiction { time: time("0.6") }));
}

#[test]
fn percepts_are_counted() {
    let mut known = follower(parse("bell.gdl", BELL));
    let told =
        |turn, percept: &str| News::Percepts { turn, action: None, percepts: Some(vec![percept.to_owned()]) };
    known.hear(time("1"), &told(1, "pushed")).unwrap();
    assert_eq!(known.doubt(), None);
    known.hear(time("2"), &told(3, "ding")).unwrap();
    assert_eq!(known.doubt(), Some(&TimedDoubt::Missing { number: 2 }));
    known.hear(time("2.5"), &News::Nothing).unwrap();
    assert_eq!(known.doubt(), Some(&TimedDoubt::Missing { number: 2 }));
    known.hear(time("1.5"), &told(2, "ding")).unwrap();
    assert_eq!((known.doubt(), known.own_news().len(), known.time()), (None, 3, time("2.5")));
}
