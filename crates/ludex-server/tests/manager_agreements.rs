//! What people agree on beside moves, and whom a match waits for.

use ludex::matches::referee::SeatNumber;
use ludex::matches::view::Viewer;
use ludex_server::manager::{Manager, ManagerError};
use ludex_server::model::{
    ClockPlan, MatchPlan, MatchStage, MatchView, OfferKind, PlayerKind, Saying, SeatPlan,
};

use crate::manager_support::*;

const SEATS: [SeatNumber; 2] = [SeatNumber(0), SeatNumber(1)];

fn with_people() -> Manager {
    let manager = manager();
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    manager
}

fn view(manager: &Manager, id: &str, seat: usize) -> MatchView {
    manager.match_view(id, Viewer::Seat(SEATS[seat])).unwrap()
}

/// Waits until a seat is asked after so many steps.
fn asked(manager: &Manager, id: &str, seat: usize, steps: usize) -> MatchView {
    wait("that somebody is asked", || {
        let view = view(manager, id, seat);
        (view.awaited && view.snapshot.steps.len() == steps).then_some(view)
    })
}

/// A match in which both have marked a cell.
fn begun(manager: &Manager) -> String {
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 3_600_000)).unwrap();
    for (step, action) in ["(mark 2 2)", "(mark 1 1)"].iter().enumerate() {
        asked(manager, &id, step, step);
        manager.submit_move(&id, SEATS[step], step, action).unwrap();
    }
    asked(manager, &id, 0, 2);
    id
}

fn refused(said: Result<(), ManagerError>) {
    assert!(matches!(said, Err(ManagerError::Move(_))), "{said:?}");
}

#[test]
fn who_resigns_has_lost_and_the_record_says_so() {
    let manager = with_people();
    let id = begun(&manager);
    refused(manager.say(&id, SeatNumber(7), Saying::Resign));
    assert!(view(&manager, &id, 1).may_say.contains(&Saying::Resign));
    assert!(manager.match_view(&id, Viewer::Spectator).unwrap().may_say.is_empty());
    manager.say(&id, SEATS[1], Saying::Resign).unwrap();
    let end = wait_for_end(&manager, &id);
    assert_eq!((end.stage, end.snapshot.aborted), (MatchStage::Completed, None));
    assert_eq!(end.snapshot.settled.unwrap().words, "black resigned");
    let summary = manager.match_detail(&id).unwrap().summary;
    assert_eq!(summary.seats.iter().map(|seat| seat.goal).collect::<Vec<_>>(), [Some(100), Some(0)]);
    assert_eq!(summary.aborted.as_deref(), Some("black resigned"));
    let record = manager.record(&id).unwrap().in_steps().unwrap();
    assert_eq!(record.abort_cause.as_deref(), Some("black resigned"));
    assert!(matches!(manager.say(&id, SEATS[0], Saying::Resign), Err(ManagerError::Over { .. })));
}

#[test]
fn a_draw_takes_two() {
    let manager = with_people();
    let id = begun(&manager);
    refused(manager.say(&id, SEATS[1], Saying::Accept));
    manager.say(&id, SEATS[0], Saying::OfferDraw).unwrap();
    let offer = view(&manager, &id, 1).offer.unwrap();
    assert_eq!((offer.seat, offer.kind), (SEATS[0], OfferKind::Draw));
    // Nobody agrees with themselves.
    refused(manager.say(&id, SEATS[0], Saying::Accept));
    manager.say(&id, SEATS[1], Saying::Decline).unwrap();
    assert_eq!(view(&manager, &id, 0).offer, None);

    // With the next step an offer is forgotten.
    manager.say(&id, SEATS[1], Saying::OfferDraw).unwrap();
    manager.submit_move(&id, SEATS[0], 2, "(mark 3 1)").unwrap();
    asked(&manager, &id, 1, 3);
    assert_eq!(view(&manager, &id, 0).offer, None);
    refused(manager.say(&id, SEATS[0], Saying::Accept));

    manager.say(&id, SEATS[1], Saying::OfferDraw).unwrap();
    manager.say(&id, SEATS[0], Saying::Accept).unwrap();
    let end = wait_for_end(&manager, &id);
    let settled = end.snapshot.settled.unwrap();
    assert_eq!(settled.goals, [Some(50), Some(50)]);
    assert_eq!(settled.words, "a draw was agreed, which black had offered");
}

#[test]
fn a_move_is_taken_back_if_the_other_agrees() {
    let manager = with_people();
    let id = begun(&manager);
    manager.say(&id, SEATS[1], Saying::AskBack).unwrap();
    let kind = view(&manager, &id, 0).offer.unwrap().kind;
    assert_eq!(kind, OfferKind::TakeBack { steps: 1 }, "it is the other's turn again");
    manager.say(&id, SEATS[0], Saying::Accept).unwrap();
    let again = asked(&manager, &id, 1, 1);
    assert_eq!((again.own_moves.len(), again.offer), (8, None));
    // What was offered in a state that was taken back is not offered in the one that comes in its place.
    manager.say(&id, SEATS[0], Saying::OfferDraw).unwrap();
    manager.submit_move(&id, SEATS[1], 1, "(mark 1 3)").unwrap();
    asked(&manager, &id, 0, 2);
    manager.say(&id, SEATS[1], Saying::AskBack).unwrap();
    manager.say(&id, SEATS[0], Saying::Accept).unwrap();
    assert_eq!(asked(&manager, &id, 1, 1).offer, None);
    manager.submit_move(&id, SEATS[1], 1, "(mark 3 3)").unwrap();
    asked(&manager, &id, 0, 2);
    let step = &manager.match_view(&id, Viewer::Spectator).unwrap().snapshot.steps[1];
    assert_eq!(step.moves[1].as_deref(), Some("(mark 3 3)"));
    assert_eq!(step.forced, [true, false], "who waits has no choice");
    manager.abort_match(&id, "enough").unwrap();
    wait_for_end(&manager, &id);
    assert_eq!(manager.record(&id).unwrap().in_steps().unwrap().taken_back, 2);
}

/// A program of others would not know where the match is then, and agrees to nothing.
#[test]
fn programs_of_others_take_nothing_back() {
    let manager = with_people();
    let service = service("legal");
    manager.register_player("Program", &remote(&service)).unwrap();
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 20_000)).unwrap();
    asked(&manager, &id, 0, 0);
    manager.submit_move(&id, SEATS[0], 0, "(mark 2 2)").unwrap();
    let view = asked(&manager, &id, 0, 2);
    assert_eq!(view.may_say, [Saying::Resign]);
    refused(manager.say(&id, SEATS[0], Saying::AskBack));
    refused(manager.say(&id, SEATS[0], Saying::OfferDraw));
    // Nor can it begin in the middle.
    manager.say(&id, SEATS[0], Saying::Resign).unwrap();
    wait_for_end(&manager, &id);
    let on = manager.play_on(&id, 2, &tic_tac_toe(&["Anna", "Program"], 20_000));
    assert!(matches!(&on, Err(ManagerError::Invalid(why)) if why.contains("Program")), "{on:?}");
}

#[test]
fn a_match_goes_on_from_another_ones_state() {
    let manager = with_people();
    let id = begun(&manager);
    let plan = tic_tac_toe(&["Bert", "Anna"], 3_600_000);
    let on = manager.play_on(&id, 1, &plan);
    assert!(matches!(on, Err(ManagerError::Invalid(_))), "it is not over: {on:?}");
    manager.abort_match(&id, "enough").unwrap();
    wait_for_end(&manager, &id);
    let on = manager.play_on(&id, 1, &plan).unwrap();
    let view = asked(&manager, &on, 1, 1);
    assert_eq!(view.own_moves.len(), 8);
    assert_eq!(view.snapshot.steps[0].moves[0].as_deref(), Some("(mark 2 2)"));
    assert!(matches!(manager.play_on(&id, 3, &plan), Err(ManagerError::Invalid(_))), "there is no such step");
}

/// The clock of nobody runs before all have sat down, and each has its own.
#[test]
fn a_match_waits_for_its_people() {
    let manager = with_people();
    let own = |play| Some(ClockPlan::new(3_600_000, play));
    let seats = [("Anna", 7_200_000), ("Bert", 60_000)].map(|(player, play)| SeatPlan {
        player: player.to_owned(),
        clocks: own(play),
        awaited: true,
        ..SeatPlan::default()
    });
    let plan = MatchPlan { seats: seats.to_vec(), ..tic_tac_toe(&[], 1_000) };
    let id = manager.schedule(&plan).unwrap();
    let keys: Vec<String> =
        manager.person_seats(&id).unwrap().into_iter().map(|seat| seat.key.unwrap()).collect();
    wait("that both are waited for", || {
        (manager.match_view(&id, Viewer::Spectator).unwrap().empty_seats == SEATS).then_some(())
    });
    assert_eq!(manager.seat_of_key(&id, &keys[1]).unwrap(), (SEATS[1], false));
    assert!(matches!(manager.seat_of_key(&id, "0"), Err(ManagerError::Key)));
    manager.take_seat(&id, SEATS[1], &keys[1]).unwrap();
    assert_eq!(manager.seat_of_key(&id, &keys[1]).unwrap(), (SEATS[1], true));
    wait("that one is waited for", || {
        (manager.match_view(&id, Viewer::Spectator).unwrap().empty_seats == [SEATS[0]]).then_some(())
    });
    assert!(!view(&manager, &id, 0).awaited);
    manager.take_seat(&id, SEATS[0], &keys[0]).unwrap();
    let view = asked(&manager, &id, 0, 0);
    assert!(view.snapshot.clocks[0].left.unwrap() > 7_000_000, "{:?}", view.snapshot.clocks);
    assert!(view.empty_seats.is_empty());
    // Of several who follow an invitation at once, one sits down.
    let open = manager.schedule(&plan).unwrap();
    let key = manager.person_seats(&open).unwrap().remove(0).key.unwrap();
    let joined: Vec<bool> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| manager.join(&open, &key, Some("Bert")))).collect();
        all.into_iter().map(|one| one.join().unwrap().is_ok()).collect()
    });
    assert_eq!(joined.iter().filter(|joined| **joined).count(), 1);
    assert_eq!(manager.match_detail(&open).unwrap().summary.seats[0].player, "Bert");
    // Whoever made it can call it off.
    let off = manager.schedule(&plan).unwrap();
    manager.abort_match(&off, "enough").unwrap();
    assert_eq!(wait_for_end(&manager, &off).snapshot.aborted.as_deref(), Some("enough"));
    // Who does not come for so long is not waited for any more.
    let seats = vec![
        SeatPlan {
            clocks: own(60_000).map(|clocks| ClockPlan { start: 1, ..clocks }),
            ..plan.seats[0].clone()
        };
        2
    ];
    let late = manager.schedule(&MatchPlan { seats, ..plan.clone() }).unwrap();
    let ended = wait_for_end(&manager, &late);
    assert_eq!(ended.snapshot.aborted.as_deref(), Some("nobody has taken the seat of white"));
    let too_long = SeatPlan { clocks: Some(ClockPlan::new(1, u64::MAX)), ..plan.seats[0].clone() };
    let plan = MatchPlan { seats: vec![too_long; 2], ..plan };
    assert!(matches!(manager.schedule(&plan), Err(ManagerError::Invalid(_))));
}
