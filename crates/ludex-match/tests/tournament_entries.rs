//! Players who enter after the start.

use crate::tournaments_support::*;
use ludex_match::tournament::{EventError, Format, RunningTournament, TournamentEvent};

fn competition(format: Format, players: usize, rounds: u32) -> RunningTournament {
    RunningTournament::new(setup(format, players, rounds)).unwrap()
}

fn enter(player: &str) -> TournamentEvent {
    TournamentEvent::Entered { player: player.into() }
}

fn refusal(competition: &RunningTournament, player: &str) -> String {
    competition.check_entry(player).unwrap_err().to_string()
}

fn better(one: &str, other: &str) -> bool {
    one < other
}

#[test]
fn in_a_round_robin_whoever_enters_meets_everybody_who_is_left() {
    let mut four = competition(Format::RoundRobin, 4, 1);
    play_wave(&mut four, better);
    four.apply(&strike("d")).unwrap();
    let before = four.open_matches();
    four.apply(&enter("late")).unwrap();
    // Twice each, with changed seats, but for the one who was struck out before.
    assert_eq!(four.open_matches(), before + 6);
    assert!(four.may_play("late") && !four.may_play("d") && !four.may_play("nobody"));
    play(&mut four, better);
    let late = four.ranking().into_iter().find(|row| row.player == "late").unwrap();
    assert_eq!((late.won, late.lost, late.byes), (0, 6, 0));
    assert!(!four.may_play("late"));
}

#[test]
fn in_swiss_rounds_whoever_enters_is_paired_from_the_next_round_on() {
    let mut three = competition(Format::Swiss, 3, 2);
    three.apply(&enter("late")).unwrap();
    let in_first = three
        .encounters()
        .iter()
        .filter(|e| e.round == 1)
        .any(|e| e.players.iter().flatten().any(|name| name == "late"));
    assert!(!in_first);
    assert!(three.may_play("late"));
    play_wave(&mut three, better);
    let second: Vec<_> = three.encounters().into_iter().filter(|e| e.round == 2).collect();
    assert_eq!(second.len(), 2, "the number of players is even now: {second:?}");
    assert_eq!(refusal(&three, "later"), "later cannot enter: the last round is being played");
    play(&mut three, better);
    let late = three.ranking().into_iter().find(|row| row.player == "late").unwrap();
    assert_eq!((late.points, late.lost), (0.0, 1));
}

#[test]
fn in_an_open_ended_schedule_nobody_is_waited_for_to_catch_up() {
    let mut open = competition(Format::Open, 3, 1);
    for _ in 0..20 {
        play_wave(&mut open, better);
    }
    open.apply(&enter("late")).unwrap();
    for _ in 0..12 {
        play_wave(&mut open, better);
    }
    let of = |name: &str| {
        let found = open.results().into_iter().filter(|result| result.players.iter().any(|p| p == name));
        found.count()
    };
    assert!(of("late") > 3, "it plays");
    assert!(
        of("late") < of("a") / 2,
        "and does not make up for what it missed: {} of {}",
        of("late"),
        of("a")
    );
}

#[test]
fn where_the_start_decides_who_meets_whom_nobody_enters() {
    for (format, why) in [
        (Format::SingleElimination, "the bracket was drawn at the start"),
        (Format::DoubleElimination, "the bracket was drawn at the start"),
        (Format::Cumulative, "who shares a match with whom was fixed at the start"),
    ] {
        let mut competition = competition(format, 4, 1);
        let error = competition.apply(&enter("late")).unwrap_err();
        assert_eq!(error, EventError::Entry { player: "late".into(), why: why.into() });
        assert_eq!(competition.tournament().players.len(), 4);
        assert!(competition.may_play("a"));
    }
}

#[test]
fn who_takes_part_or_was_struck_out_does_not_enter_again() {
    let mut three = competition(Format::RoundRobin, 3, 1);
    assert_eq!(refusal(&three, "a"), "a cannot enter: it takes part already");
    three.apply(&strike("a")).unwrap();
    assert_eq!(refusal(&three, "a"), "a cannot enter: it was struck out for good");
    play(&mut three, better);
    assert_eq!(refusal(&three, "late"), "late cannot enter: everything is decided");
}

#[test]
fn entries_are_taken_up_with_all_other_events() {
    let terms = setup(Format::Swiss, 5, 3);
    let mut events = Vec::new();
    let mut swiss = RunningTournament::new(terms.clone()).unwrap();
    for event in [enter("late"), strike("b")] {
        swiss.apply(&event).unwrap();
        let text = serde_json::to_string(&event).unwrap();
        events.push(serde_json::from_str::<TournamentEvent>(&text).unwrap());
    }
    let again = RunningTournament::resume(terms, &events).unwrap();
    assert_eq!(again.encounters(), swiss.encounters());
    assert_eq!(again.tournament(), swiss.tournament());
}
