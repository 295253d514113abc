//! A manager whose database is away for a while.

use std::sync::Arc;

use ludex::matches::referee::SeatNumber;
use ludex::matches::view::Viewer;
use ludex_server::manager::ManagerError;
use ludex_server::model::{PlayerKind, StoreError};

use crate::manager_support::*;
use crate::store::postgres_place::Place;

/// What cannot be written is told to nobody; when the database is back, the match goes on where it was.
#[test]
fn a_match_waits_while_postgres_is_away() {
    let Some(place) = Place::alone(true) else { return };
    let cluster = place.cluster.clone().unwrap();
    let manager = manager_over(Arc::new(place.open()));
    add_bundled(&manager, "tic-tac-toe");
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 3_600_000)).unwrap();
    // Whoever is asked after so many steps, if somebody is.
    let asked = |step: usize| {
        (0..2).find_map(|seat| {
            let view = manager.match_view(&id, Viewer::Seat(SeatNumber(seat))).ok()?;
            (view.awaited && view.snapshot.steps.len() == step).then_some((SeatNumber(seat), view))
        })
    };
    for (step, away) in [true, false, true].into_iter().enumerate() {
        let (seat, view) = wait("a turn", || asked(step));
        let action = &view.own_moves[0];
        if away {
            cluster.crash();
            let error = manager.status().unwrap_err();
            assert!(matches!(error, ManagerError::Store(StoreError::Unreachable { .. })), "{error}");
        }
        manager.submit_move(&id, seat, step, action).unwrap();
        if away {
            std::thread::sleep(std::time::Duration::from_millis(1500));
            assert!(asked(step + 1).is_none(), "what is not written is told to nobody");
            cluster.start();
        }
        // A move that could not be written before the match was put off is asked for again.
        wait("the next turn", || {
            if asked(step).is_some() {
                let _ = manager.submit_move(&id, seat, step, action);
            }
            asked(step + 1)
        });
    }
    wait("that all is well", || manager.status().unwrap().troubles.is_empty().then_some(()));
    manager.abort_match(&id, "enough").unwrap();
    let view = wait_for_end(&manager, &id);
    assert_eq!(view.snapshot.steps.len(), 3);
    drop(manager);
    assert_eq!(manager_over(Arc::new(place.open())).status().unwrap().aborted, 1);
}
