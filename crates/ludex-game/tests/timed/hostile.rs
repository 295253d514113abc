//! Games that are made to hurt: each ends in an answer or a typed error.

use std::sync::Arc;

use ludex_game::{
    GameError, Rng, RoleId, TimedError, TimedMachine, TimedRuleMachine, TimedRuleMachineOptions, Timeline,
    TimelineOptions,
};
use ludex_gdl::{GameTime, LoadOptions, Source, load};
use ludex_logic::{Budget, LimitError};

use super::{machine, time};

fn limited() -> Budget {
    Budget::unlimited().with_work(200_000).with_memory(64 << 20)
}

#[test]
fn histories_and_terms_stay_within_memory() {
    // Every update makes a new number and a longer term.
    let machine = machine(
        "role(a). init(0.1, tick). init(1, long(nil)). legal(a, go).
        next(0.1, tick) :- expired(tick). next(100, long(s(F))) :- true(T, long(F)) & expired(tick).
        terminal :- expired(long(nil)). goal(a, 0).",
    );
    let options = TimelineOptions { budget: limited(), ..TimelineOptions::default() };
    let mut timeline = Timeline::new(&machine, &options).unwrap();
    let error = timeline.advance_to(GameTime::MAX).unwrap_err();
    assert!(matches!(error, TimedError::Game(GameError::Limit(_))), "{error}");
}

#[test]
fn the_end_of_time_is_reached() {
    let machine = machine(
        "role(a). init(18446744073.709551614, p). next(18446744073.709551614, p) :- expired(p). legal(a, go).
        next(T, p) :- true(T, p). terminal :- true(T, q). goal(a, 0).",
    );
    let mut timeline = Timeline::new(&machine, &TimelineOptions::default()).unwrap();
    timeline.advance_to(GameTime::MAX).unwrap();
    assert_eq!(
        (timeline.history().len(), timeline.next_expiry()),
        (1, None),
        "the next one is beyond all times"
    );
    timeline.advance_to(GameTime::MAX).unwrap();
}

#[test]
fn delays_beyond_the_end_of_time_are_an_error() {
    let machine = machine(
        "role(a). role(random). init(infinity, p). legal(random, wait(18446744073)) :- true(infinity, p).
        next(T, p) :- true(T, p). sees(a, p) :- does(random, wait(T)). legal(a, go). terminal :- true(T, q). goal(a, 0).",
    );
    let mut found = false;
    for seed in 0..20 {
        let options = TimelineOptions { seed, ..TimelineOptions::default() };
        let mut timeline = Timeline::new(&machine, &options).unwrap();
        found |= timeline.advance_to(GameTime::MAX) == Err(TimedError::TooLate);
    }
    assert!(found);
}

#[test]
fn rules_that_explode_reach_the_limit() {
    let many: String = (0..200).map(|n| format!("n({n}). ")).collect();
    let text = format!(
        "{many} role(a). init(1, p). legal(a, go). terminal :- expired(q). goal(a, 0).
        next(T, f(A,B,C)) :- expired(p) & d(T) & n(A) & n(B) & n(C). d(1)."
    );
    let machine = machine(&text);
    let options = TimelineOptions { budget: limited(), ..TimelineOptions::default() };
    let mut timeline = Timeline::new(&machine, &options).unwrap();
    let error = timeline.advance_to(time("1")).unwrap_err();
    let limit = matches!(
        error,
        TimedError::Game(GameError::Limit(LimitError::Work { .. } | LimitError::Memory { .. }))
    );
    assert!(limit, "{error}");
}

/// Pieces that make rulesheets which are nearly right.
const PIECES: [&str; 40] = [
    "role(a). ",
    "role(random). ",
    "init(1, p). ",
    "init(0, p). ",
    "init(infinity, q(X)). ",
    "init(T, p) :- d(T). ",
    "d(0.5). ",
    "d(x). ",
    "d(99999999999999999999). ",
    "next(T, p) :- true(T, p). ",
    "next(T, F) :- true(T, F). ",
    "next(T, p) :- expired(p) & d(T). ",
    "next(0.000000001, p) :- expired(p). ",
    "next(-1, p). ",
    "next(1, s(F)) :- true(T, F). ",
    "next(F, F) :- true(T, F). ",
    "next(T, q(T)) :- true(T, p). ",
    "next(T, p) :- true(infinity, q(T)). ",
    "legal(a, go). ",
    "legal(a, m(T)) :- true(T, p). ",
    "legal(random, w(T)) :- d(T). ",
    "legal(random, go). ",
    "legal(R, M) :- does(R, M). ",
    "terminal :- expired(p). ",
    "terminal :- ~true(infinity, q(1)). ",
    "terminal. ",
    "goal(a, 50). ",
    "goal(R, T) :- role(R) & d(T). ",
    "sees(R, F) :- role(R) & true(T, F). ",
    "sees(a, p) :- expired(p). ",
    "expired(p). ",
    "true(1, p). ",
    "init(1, p, q). ",
    "next(p). ",
    "base(p). ",
    "p :- ~p. ",
    "next(1.00000000000, p) :- p. ",
    "next(0.1234567891, p). ",
    "init(infinity, infinity). ",
    "next(1, expired(F)) :- expired(F). ",
];

#[test]
fn nearly_right_games_do_no_harm() {
    let mut ran = 0;
    for seed in 0..600 {
        let mut rng = Rng::from_seed(seed);
        let mut text = String::from("role(a). init(1, p). next(T, p) :- true(T, p). ");
        for _ in 0..3 + rng.below(14) {
            text.push_str(PIECES[rng.below(PIECES.len() as u64) as usize]);
        }
        let checked = load(Arc::new(Source::new("test", text.as_str())), &LoadOptions::default());
        let Some(game) = checked.game.filter(|game| game.dialect.is_timed()) else { continue };
        let options = TimedRuleMachineOptions { budget: limited(), ..TimedRuleMachineOptions::default() };
        let Ok(machine) = TimedRuleMachine::new(&game, &options) else { continue };
        let options =
            TimelineOptions { budget: limited(), seed, updates_at_instant: 30, updates_per_unit: 60 };
        let Ok(mut timeline) = Timeline::new(&machine, &options) else { continue };
        for _ in 0..6 {
            let role = RoleId(rng.below(machine.roles().len() as u64 + 1) as u32);
            let Ok(legal) = timeline.legal(role).map(<[_]>::to_vec) else { break };
            let moves: Vec<_> = rng.pick(&legal).map(|&action| (role, action)).into_iter().collect();
            let _ = timeline.submit(&moves);
            let _ = timeline.goal(role);
            let later =
                GameTime::from_units(rng.below(1_000_000_000)).and_then(|by| timeline.now().checked_add(by));
            if timeline.advance_to(later.unwrap()).is_err() {
                break;
            }
            ran += 1;
        }
    }
    assert!(ran > 200, "{ran}");
}
