//! Managers that share a database.

use std::sync::Arc;
use std::time::Duration;

use ludex::matches::referee::SeatNumber;
use ludex::matches::view::Viewer;
use ludex_server::manager::{Manager, ManagerOptions, SharingOptions, Whereabouts};
use ludex_server::membership::LeaseOptions;
use ludex_server::model::{MatchView, PlayerKind};

use crate::manager_support::*;
use crate::store::postgres_place::Place;

/// A manager that nobody takes for dead, however busy the machine is.
fn member(place: &Place, address: &str) -> Manager {
    let lease =
        LeaseOptions { renew: Duration::from_millis(200), ..LeaseOptions::lasting(Duration::from_secs(300)) };
    let sharing = SharingOptions { address: address.to_owned(), lease };
    Manager::start(Arc::new(place.open()), ManagerOptions { sharing, ..options() }).unwrap()
}

/// Whose turn it is, where a manager knows that.
fn turn(manager: &Manager, id: &str) -> Option<(SeatNumber, MatchView)> {
    (0..2).find_map(|seat| {
        let view = manager.match_view(id, Viewer::Seat(SeatNumber(seat))).ok()?;
        view.awaited.then_some((SeatNumber(seat), view))
    })
}

/// What a server had that was taken for dead goes on once, and the server is one again.
#[test]
fn a_server_that_was_taken_for_dead_begins_anew() {
    let Some(place) = Place::new() else { return };
    let managers = [member(&place, "127.0.0.1:1"), member(&place, "127.0.0.1:2")];
    let [first, second] = &managers;
    add_bundled(first, "tic-tac-toe");
    for name in ["Anna", "Bert"] {
        first.register_player(name, &PlayerKind::Person).unwrap();
    }
    let id = first.schedule(&tic_tac_toe(&["Anna", "Bert"], 3_600_000)).unwrap();
    let (seat, view) = wait("a turn", || turn(first, &id));
    first.submit_move(&id, seat, 0, &view.own_moves[0]).unwrap();
    let (seat, view) = wait("the next turn", || turn(first, &id));
    assert_eq!(first.where_is_match(&id).unwrap(), Whereabouts::Here);
    let elsewhere = second.where_is_match(&id).unwrap();
    assert!(matches!(&elsewhere, Whereabouts::At(_, address) if address == "127.0.0.1:1"), "{elsewhere:?}");
    // As somebody would who does not hear of it.
    place.client().execute("DELETE FROM members WHERE address = '127.0.0.1:1'", &[]).unwrap();
    let number = |manager: &Manager| match manager.where_is_match(&id) {
        Ok(Whereabouts::At(number, _)) => Some(number),
        _ => None,
    };
    // One of them has it now, the first one under another number at most.
    let Whereabouts::At(before, _) = elsewhere else { return };
    let owner = wait("that somebody goes on", || {
        let is_new = number(second) != Some(before);
        managers.iter().find(|manager| {
            is_new
                && turn(manager, &id).is_some()
                && manager.where_is_match(&id).ok() == Some(Whereabouts::Here)
                && managers.iter().any(|other| number(other).is_some_and(|number| number != before))
        })
    });
    owner.submit_move(&id, seat, 1, &view.own_moves[0]).unwrap();
    wait("the third turn", || turn(owner, &id).filter(|(_, view)| view.snapshot.steps.len() == 2));
    // Both are servers: each has what it makes.
    for manager in &managers {
        let own = wait("another match", || manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 3_600_000)).ok());
        assert_eq!(manager.where_is_match(&own).unwrap(), Whereabouts::Here);
    }
    owner.abort_match(&id, "enough").unwrap();
    let view = wait_for_end(owner, &id);
    assert_eq!(view.snapshot.steps.len(), 2);
}

/// What a server has that ends, another one has at once.
#[test]
fn a_server_that_ends_hands_over() {
    let Some(place) = Place::new() else { return };
    let (first, second) = (member(&place, ""), member(&place, ""));
    add_bundled(&first, "tic-tac-toe");
    for name in ["Anna", "Bert"] {
        first.register_player(name, &PlayerKind::Person).unwrap();
    }
    let id = first.schedule(&tic_tac_toe(&["Anna", "Bert"], 3_600_000)).unwrap();
    let (seat, view) = wait("a turn", || turn(&first, &id));
    // Nobody reaches the first one.
    assert_eq!(second.where_is_match(&id).unwrap(), Whereabouts::Nowhere);
    first.shutdown(Duration::ZERO);
    wait("the same turn", || turn(&second, &id));
    assert_eq!(second.where_is_match(&id).unwrap(), Whereabouts::Here);
    second.submit_move(&id, seat, 0, &view.own_moves[0]).unwrap();
    wait("the next turn", || turn(&second, &id).filter(|(_, view)| view.snapshot.steps.len() == 1));
    let alone = |metrics: &String| metrics.contains("\nludex_members 1\n");
    let metrics = wait("that it is alone", || second.metrics().ok().filter(alone));
    assert!(metrics.contains("\nludex_takeovers_total 1\n"), "{metrics}");
    assert_eq!(second.match_detail(&id).unwrap().summary.steps, 1);
}
