//! Matches in real time at a manager: played by people, cut off and gone on with, seen again.

use ludex::gdl::GameTime;
use ludex::matches::referee::SeatNumber;
use ludex::matches::referee::real_time::Verdict;
use ludex::matches::tournament::{Format, Tournament, TournamentGame, TournamentSetup};
use ludex::matches::view::Viewer;
use ludex::{Playable, TimedRecord, verify_timed_match};
use ludex_server::manager::{Manager, ManagerError};
use ludex_server::model::{
    ClockPlan, MatchPlan, MatchStage, MatchView, PlayerKind, SeatPlan, TournamentPlan,
};

use crate::manager_support::*;

/// A match between Anna and Ben in which a unit of time lasts so many milliseconds.
fn plan(game: &str, unit: u64) -> MatchPlan {
    let seats = ["Anna", "Ben"].map(|player| SeatPlan { player: player.to_owned(), ..SeatPlan::default() });
    MatchPlan { seed: Some(5), ..MatchPlan::new(game, seats.to_vec(), ClockPlan::new(60_000, unit)) }
}

/// Has a match begin between people.
fn begin(manager: &Manager, game: &str, unit: u64) -> String {
    let id = manager.schedule(&plan(game, unit)).unwrap();
    wait("the beginning", || {
        let view = manager.match_view(&id, Viewer::Spectator).unwrap();
        view.real_time.is_some_and(|time| time.is_running).then_some(())
    });
    id
}

fn with_people(manager: &Manager, game: &str) {
    add_bundled(manager, game);
    for name in ["Anna", "Ben"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
}

/// Makes a move as soon as it is legal: the view in which it was.
fn make(manager: &Manager, id: &str, seat: u32, action: &str) -> MatchView {
    let seat = SeatNumber(seat);
    wait(action, || {
        let view = manager.match_view(id, Viewer::Seat(seat)).unwrap();
        let legal = view.awaited && view.own_moves.iter().any(|own| own == action);
        // It may be legal no more when it comes.
        (legal && manager.submit_move(id, seat, 0, action).is_ok()).then_some(view)
    })
}

/// Waits until a seat has made so many moves.
fn moves(manager: &Manager, id: &str, role: usize, count: usize) {
    wait("the moves to be made", || {
        let view = manager.match_view(id, Viewer::Spectator).unwrap();
        let made = view.snapshot.steps.iter().filter(|step| {
            step.moves.get(role).is_some_and(|action| action.as_ref().is_some_and(|text| !text.is_empty()))
        });
        (made.count() >= count).then_some(())
    });
}

fn timed_record(manager: &Manager, id: &str) -> TimedRecord {
    manager.record(id).unwrap().in_time().unwrap()
}

/// The record is one of a match by the rules, and its states can be seen again one by one.
fn check_record(manager: &Manager, id: &str, game: &str) -> TimedRecord {
    let record = timed_record(manager, id);
    let Playable::InTime(rules) = manager.prepared_game(game, None).unwrap() else {
        panic!("{game} goes on in real time");
    };
    assert_eq!(verify_timed_match(&rules, &record).mismatches, []);
    let detail = manager.match_detail(id).unwrap();
    assert_eq!(detail.summary.steps as usize, record.events.len());
    for step in 0..=record.events.len() {
        let shown = manager.match_step(id, Viewer::Spectator, step).unwrap();
        assert_eq!(shown.state.step, step);
        assert!(shown.state.facts.is_some_and(|facts| !facts.is_empty()));
        assert_eq!(shown.step.is_some(), step < record.events.len());
    }
    assert!(manager.match_step(id, Viewer::Spectator, record.events.len() + 1).is_err());
    record
}

#[test]
fn people_play_in_real_time() {
    let manager = manager();
    with_people(&manager, "rapid-connect-four");
    let id = begin(&manager, "rapid-connect-four", 300);
    for number in 0..4 {
        let view = make(&manager, &id, 0, "(drop 1)");
        assert!(view.real_time.is_some_and(|time| time.is_running && time.lifetimes.is_some()));
        moves(&manager, &id, 0, number + 1);
        if number == 1 {
            make(&manager, &id, 1, "(drop 2)");
        }
    }
    let view = wait_for_end(&manager, &id);
    assert_eq!(view.stage, MatchStage::Completed);
    let goals: Vec<_> =
        manager.match_detail(&id).unwrap().summary.seats.iter().map(|seat| seat.goal).collect();
    assert_eq!(goals, [Some(100), Some(0)]);
    let record = check_record(&manager, &id, "rapid-connect-four");
    let made: Vec<(u32, &Verdict)> = record.moves.iter().map(|came| (came.seat.0, &came.verdict)).collect();
    assert_eq!(made.iter().filter(|(seat, _)| *seat == 0).count(), 4);
    assert!(made.iter().all(|(_, verdict)| matches!(verdict, Verdict::Made(_))), "{made:?}");
    // Who has dropped waits for a unit of time.
    let own: Vec<GameTime> =
        record.moves.iter().filter(|came| came.seat.0 == 0).map(|came| came.time).collect();
    assert!(own.windows(2).all(|pair| pair[1].checked_sub(pair[0]).unwrap() >= GameTime::ONE), "{own:?}");
}

#[test]
fn a_move_that_is_not_legal_now_is_refused_at_once() {
    let manager = manager();
    with_people(&manager, "rapid-connect-four");
    let id = begin(&manager, "rapid-connect-four", 60_000);
    make(&manager, &id, 0, "(drop 1)");
    moves(&manager, &id, 0, 1);
    for action in ["(drop 1)", "(drop 8)", "nonsense (("] {
        let refused = manager.submit_move(&id, SeatNumber(0), 0, action);
        assert!(matches!(refused, Err(ManagerError::Move(_))), "{action}: {refused:?}");
    }
    manager.abort_match(&id, "enough").unwrap();
    wait_for_end(&manager, &id);
    let record = check_record(&manager, &id, "rapid-connect-four");
    assert_eq!(record.abort_cause.as_deref(), Some("enough"));
    assert_eq!(record.moves.len(), 1, "nobody else heard of it");
}

#[test]
fn a_match_in_real_time_goes_on_where_it_was_cut_off() {
    let folder = private_folder();
    let manager = manager_in(folder.path());
    with_people(&manager, "rapid-connect-four");
    let id = begin(&manager, "rapid-connect-four", 400);
    make(&manager, &id, 0, "(drop 3)");
    moves(&manager, &id, 0, 1);
    make(&manager, &id, 1, "(drop 4)");
    moves(&manager, &id, 1, 1);
    let before = timed_record(&manager, &id);
    drop(manager);

    let manager = manager_in(folder.path());
    for number in 1..4 {
        make(&manager, &id, 0, "(drop 3)");
        moves(&manager, &id, 0, number + 1);
    }
    assert_eq!(wait_for_end(&manager, &id).stage, MatchStage::Completed);
    let record = check_record(&manager, &id, "rapid-connect-four");
    assert_eq!(record.events[..before.events.len()], before.events, "nobody is told another history");
    assert_eq!(record.goal_values, Some(vec![Some(100), Some(0)]));
}

#[test]
fn what_is_hidden_stays_hidden_while_the_match_lasts() {
    let manager = manager();
    with_people(&manager, "hidden-duel");
    let id = begin(&manager, "hidden-duel", 60_000);
    let own = manager.match_view(&id, Viewer::Seat(SeatNumber(0))).unwrap();
    assert!(own.partial && !own.own_moves.is_empty());
    make(&manager, &id, 0, &own.own_moves[0].clone());
    wait("the own move", || {
        let view = manager.match_view(&id, Viewer::Seat(SeatNumber(0))).unwrap();
        let seen = view.snapshot.steps.iter().any(|step| step.moves[0].as_ref() == own.own_moves.first());
        assert!(view.snapshot.state.facts.is_none());
        assert!(view.real_time.is_some_and(|time| time.lifetimes.is_none() && time.updated.is_none()));
        seen.then_some(())
    });
    let spectator = manager.match_view(&id, Viewer::Spectator).unwrap();
    assert!(spectator.partial && spectator.snapshot.steps.is_empty());
    assert!(matches!(manager.record(&id), Err(ManagerError::Hidden)));
    manager.abort_match(&id, "enough").unwrap();
    wait_for_end(&manager, &id);
    let record = check_record(&manager, &id, "hidden-duel");
    assert!(!record.events.is_empty());
}

#[test]
fn terms_of_games_in_steps_and_matches_without_end_are_refused() {
    let manager = manager();
    with_people(&manager, "rapid-connect-four");
    let mut wanted = plan("rapid-connect-four", 1_000);
    wanted.terms.clocks.bank = Some((1_000, 0));
    let refused = manager.schedule(&wanted).unwrap_err().to_string();
    assert!(refused.contains("means nothing in a game in real time"), "{refused}");

    // A tournament would abort all of them.
    let tournament = Tournament {
        players: ["Anna", "Ben"].map(str::to_owned).into(),
        games: vec![TournamentGame { name: "rapid-connect-four".to_owned(), seats: 0 }],
        rounds: 1,
        seed: 5,
    };
    let setup = TournamentSetup::new(tournament, Format::RoundRobin);
    let mut cup = TournamentPlan::new("Cup", setup, ClockPlan::new(5_000, 5_000));
    cup.terms.clocks.bank = Some((1_000, 0));
    let refused = manager.create_tournament(&cup).unwrap_err().to_string();
    assert!(refused.contains("means nothing in a game in real time"), "{refused}");

    let mut short = plan("rapid-connect-four", 20);
    (short.terms.clocks.start, short.terms.step_limit) = (0, Some(3));
    let id = manager.schedule(&short).unwrap();
    wait_for_end(&manager, &id);
    let why = manager.match_detail(&id).unwrap().summary.aborted.unwrap();
    assert!(why.contains("as long as a match may last"), "{why}");
}
