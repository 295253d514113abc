//! A manager that is cut off in the middle, and one that starts again on what it left.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ludex::matches::referee::{Entry, EntryNumber, SeatNumber};
use ludex::matches::view::Viewer;
use ludex_server::journal::{JournalLine, KeptEntry};
use ludex_server::manager::{GameLimits, Manager, ManagerError, ManagerOptions};
use ludex_server::model::{MatchStage, PlayerKind, Sides};
use ludex_server::store::{SqliteOptions, SqliteStore, Store};

use crate::manager_support::faulty::FaultyStore;
use crate::manager_support::*;
#[cfg(feature = "postgres")]
use crate::store::postgres_place::Place;

#[test]
fn a_match_goes_on_where_it_was_cut_off() {
    let folder = private_folder();
    goes_on_where_it_was_cut_off(&|| Arc::new(store_in(folder.path())));
}

#[cfg(feature = "postgres")]
#[test]
fn a_match_in_postgres_goes_on_where_it_was_cut_off() {
    let Some(place) = Place::new() else { return };
    goes_on_where_it_was_cut_off(&|| Arc::new(place.open()));
}

fn goes_on_where_it_was_cut_off(open: &dyn Fn() -> Arc<dyn Store>) {
    let service = service("legal");
    let manager = manager_over(open());
    add_bundled(&manager, "tic-tac-toe");
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    manager.register_player("Program", &remote(&service)).unwrap();
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 3_600_000)).unwrap();
    let (seat, own) = (SeatNumber(0), Viewer::Seat(SeatNumber(0)));
    let turn = |manager: &Manager, step: usize| {
        wait("Anna's turn", || {
            let view = manager.match_view(&id, own).unwrap();
            let here = view.awaited && view.snapshot.steps.len() == step;
            (here || view.stage.is_over()).then_some(view)
        })
    };
    let view = turn(&manager, 0);
    manager.submit_move(&id, seat, 0, &view.own_moves[0]).unwrap();
    let step = wait("the second step", || {
        let view = manager.match_view(&id, own).unwrap();
        let steps = view.snapshot.steps.len();
        (steps == 2 && view.awaited).then_some(steps)
    });
    let before = manager.match_view(&id, own).unwrap();
    drop(manager);

    let manager = manager_over(open());
    let view = turn(&manager, step);
    assert_eq!(view.snapshot.steps, before.snapshot.steps, "nobody is told another history");
    assert_eq!(view.snapshot.state.facts, before.snapshot.state.facts);
    assert!(view.snapshot.clocks[0].left.unwrap() > 3_000_000, "a full clock");
    let mut steps = step;
    wait("the end", || {
        let view = manager.match_view(&id, own).unwrap();
        if view.awaited && view.snapshot.steps.len() >= steps {
            steps = view.snapshot.steps.len();
            manager.submit_move(&id, seat, steps, &view.own_moves[0]).unwrap();
            steps += 1;
        }
        view.stage.is_over().then_some(())
    });
    wait_for_end(&manager, &id);
    let record = manager.record(&id).unwrap().in_steps().unwrap();
    assert!(record.is_completed && record.errors.iter().flatten().all(String::is_empty), "{record:?}");
    let game = manager.prepared_game("tic-tac-toe", None).unwrap();
    assert!(ludex::verify_match(game.in_steps().unwrap().rules(), &record).mismatches.is_empty());
    drop(manager);
    let entries = open().entries(&id).unwrap().in_steps();
    assert_eq!(entries.iter().filter(|entry| matches!(entry, Entry::Resumed)).count(), 1);
}

#[test]
fn a_match_that_cannot_go_on_is_aborted_and_its_moves_stay() {
    let folder = private_folder();
    let manager = manager_in(folder.path());
    add_bundled(&manager, "tic-tac-toe");
    for name in ["Anna", "Ben"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Ben"], 3_600_000)).unwrap();
    wait("that it runs", || (stage(&manager, &id) == MatchStage::Running).then_some(()));
    wait("Anna's turn", || {
        manager.match_view(&id, Viewer::Seat(SeatNumber(0))).unwrap().awaited.then_some(())
    });
    drop(manager);
    // The game cannot be prepared any more.
    let games = GameLimits { memory: 1, ..GameLimits::default() };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path(), &Default::default()).unwrap());
    let manager = Manager::start(store, ManagerOptions { games, ..options() }).unwrap();
    wait("the end", || (stage(&manager, &id) == MatchStage::Aborted).then_some(()));
    let why = manager.match_detail(&id).unwrap().summary.aborted.unwrap();
    assert!(why.contains("memory limit"), "{why}");
    drop(manager);
    let store = SqliteStore::open(folder.path(), &SqliteOptions::default()).unwrap();
    let entries = store.entries(&id).unwrap().in_steps();
    assert!(matches!(entries[0], Entry::Opened { .. }));
    assert!(matches!(entries.last(), Some(Entry::Ended { aborted: Some(_), settled: None })));
}

#[test]
fn a_match_that_is_put_off_is_still_aborted_when_that_was_wanted() {
    // Wanted while the match still tries to write, and when it waits until there is room again.
    for waits in [false, true] {
        let store = FaultyStore::new();
        let full = store.switch();
        let manager = Manager::start(Arc::new(store), options()).unwrap();
        add_bundled(&manager, "tic-tac-toe");
        for name in ["Anna", "Bert"] {
            manager.register_player(name, &PlayerKind::Person).unwrap();
        }
        let id = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 3_600_000)).unwrap();
        let view = |seat| manager.match_view(&id, Viewer::Seat(SeatNumber(seat))).unwrap();
        // Who has no choice is not asked.
        wait("that one is asked", || (view(0).awaited && !view(1).awaited).then_some(()));
        full.store(true, Ordering::SeqCst);
        let action = view(0).own_moves[0].clone();
        manager.submit_move(&id, SeatNumber(0), 0, &action).unwrap();
        if waits {
            wait("that it is put off", || {
                manager
                    .status()
                    .unwrap()
                    .troubles
                    .iter()
                    .any(|trouble| trouble.contains("no room") && !trouble.starts_with("nothing"))
                    .then_some(())
            });
        }
        manager.abort_match(&id, "enough").unwrap();
        if !waits {
            wait("that it is said", || (!manager.status().unwrap().troubles.is_empty()).then_some(()));
        }
        assert!(!manager.match_detail(&id).unwrap().summary.stage.is_over(), "that cannot be written yet");
        full.store(false, Ordering::SeqCst);
        let end = wait_for_end(&manager, &id);
        assert_eq!(end.snapshot.aborted.as_deref(), Some("enough"), "waits: {waits}");
        wait("that all is well", || manager.status().unwrap().troubles.is_empty().then_some(()));
    }
}

/// A folder with a match of two people in which nobody has moved yet, of a manager that ended as it should.
fn waiting_match(folder: &std::path::Path) -> String {
    let manager = manager_in(folder);
    add_bundled(&manager, "tic-tac-toe");
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 3_600_000)).unwrap();
    wait_until_asked(&manager, &id);
    id
}

fn wait_until_asked(manager: &Manager, id: &str) {
    let is_asked = |seat| manager.match_view(id, Viewer::Seat(SeatNumber(seat))).unwrap().awaited;
    wait("that somebody is asked", || (is_asked(0) || is_asked(1)).then_some(()));
}

fn store_in(folder: &std::path::Path) -> SqliteStore {
    SqliteStore::open(folder, &SqliteOptions::default()).unwrap()
}

/// A resumption counts before it begins, and no more while players think, once something is written of the match or
/// the manager ends as it should. What an earlier end of the process left of it stays until then.
#[test]
fn a_resumption_counts_while_its_referee_works() {
    let folder = private_folder();
    let id = waiting_match(folder.path());
    let count = || {
        let database = rusqlite::Connection::open(folder.path().join("ludex.db")).unwrap();
        database.query_row("SELECT resumptions FROM matches", [], |row| row.get::<_, u32>(0)).unwrap()
    };
    let counts = |number: u32| wait("the count", || (count() == number).then_some(()));
    assert_eq!(count(), 0, "it has only begun");
    assert_eq!(
        store_in(folder.path()).begin_resumption(&id).unwrap(),
        1,
        "the process ended while it worked"
    );
    let manager = manager_in(folder.path());
    wait_until_asked(&manager, &id);
    counts(1);
    manager.submit_move(&id, SeatNumber(0), 0, "(mark 1 1)").unwrap();
    counts(0);
    drop(manager);
    // However often the process ends while players think, that is none of the match's fault.
    for _ in 0..4 {
        let manager = manager_in(folder.path());
        wait_until_asked(&manager, &id);
        counts(0);
        drop(manager);
    }
}

/// A manager finds a match that was gone on with three times, and each time the process ended. It is not gone on
/// with once more, and another one is.
#[test]
fn a_match_that_ended_the_process_again_and_again_is_aborted() {
    let folder = private_folder();
    let id = waiting_match(folder.path());
    let store = store_in(folder.path());
    assert_eq!([(); 3].map(|()| store.begin_resumption(&id).unwrap()), [1, 2, 3]);
    let before = store.entries(&id).unwrap().in_steps();
    drop(store);
    let manager = manager_in(folder.path());
    wait("the end", || (stage(&manager, &id) == MatchStage::Aborted).then_some(()));
    let why = manager.match_detail(&id).unwrap().summary.aborted.unwrap();
    assert_eq!(why, "it was gone on with 3 times, and each time the server ended before anything came of it");
    assert_eq!(manager.status().unwrap().troubles, [""; 0]);
    let again = manager.rematch(&id, Sides::Same).unwrap();
    wait_until_asked(&manager, &again);
    drop(manager);
    let after = store_in(folder.path()).entries(&id).unwrap().in_steps();
    assert_eq!(after[..before.len()], before);
    assert_eq!(
        after[before.len()..],
        [Entry::Ended { aborted: Some(why), settled: None }],
        "no referee looked at it"
    );
}

/// A match whose last step ended it came through all of its rules, and players may have been told the end: that
/// stands, however often the server ended before it was written, and whoever wanted it to end earlier.
#[test]
fn a_match_that_was_over_stays_as_it_ended() {
    for wanted in [false, true] {
        let folder = private_folder();
        let id = waiting_match(folder.path());
        let store = store_in(folder.path());
        let moves = [["(mark 1 1)", "noop"], ["noop", "(mark 2 1)"], ["(mark 1 2)", "noop"]];
        let moves = moves.into_iter().chain([["noop", "(mark 2 2)"], ["(mark 1 3)", "noop"]]);
        let mut lines = Vec::new();
        for (number, joint) in (store.entries(&id).unwrap().len() as u64..).zip(moves) {
            let entry = Entry::Stepped {
                joint: joint.map(str::to_owned).to_vec(),
                faults: vec![None; 2],
                times: vec![Some(1); 2],
                at: None,
                last: joint[0] == "(mark 1 3)",
            };
            lines.push(JournalLine {
                match_id: id.clone(),
                number: EntryNumber(number),
                entry: KeptEntry::of(&entry).unwrap(),
            });
        }
        store.journal().unwrap().append(&lines).unwrap();
        assert_eq!([(); 3].map(|()| store.begin_resumption(&id).unwrap()), [1, 2, 3]);
        if wanted {
            store.want_abort(&id, "enough").unwrap();
        }
        drop(store);
        let manager = manager_in(folder.path());
        let end = wait_for_end(&manager, &id);
        assert_eq!((end.stage, end.snapshot.aborted), (MatchStage::Completed, None), "wanted: {wanted}");
        drop(manager);
        let entries = store_in(folder.path()).entries(&id).unwrap().in_steps();
        assert_eq!(entries.last(), Some(&Entry::Ended { aborted: None, settled: None }));
    }
}

/// Whoever wants a match to end is heard, whatever ends the process meanwhile.
#[test]
fn an_abort_during_a_resumption_is_kept() {
    for suspect in [false, true] {
        let folder = private_folder();
        let id = waiting_match(folder.path());
        let store = store_in(folder.path());
        if suspect {
            store.begin_resumption(&id).unwrap();
        }
        store.want_abort(&id, "enough").unwrap();
        drop(store);
        let manager = manager_in(folder.path());
        wait("the end", || (stage(&manager, &id) == MatchStage::Aborted).then_some(()));
        let why = manager.match_detail(&id).unwrap().summary.aborted;
        assert_eq!(why.as_deref(), Some("enough"), "suspect: {suspect}");
    }
    // What is wanted of a match under way is written before it is done.
    let folder = private_folder();
    let id = waiting_match(folder.path());
    let manager = manager_in(folder.path());
    wait_until_asked(&manager, &id);
    manager.abort_match(&id, "enough").unwrap();
    drop(manager);
    assert_eq!(store_in(folder.path()).find_match(&id).unwrap().wanted_abort.as_deref(), Some("enough"));
}

/// Keys are kept nowhere: after a new start a seat that nobody has taken gets a new one, and who has taken a seat
/// still opens it with the old one.
#[test]
fn seats_are_opened_by_their_keys_after_a_new_start() {
    let folder = private_folder();
    let manager = manager_in(folder.path());
    add_bundled(&manager, "tic-tac-toe");
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 3_600_000)).unwrap();
    let keys: Vec<String> =
        manager.person_seats(&id).unwrap().into_iter().map(|seat| seat.key.unwrap()).collect();
    manager.take_seat(&id, SeatNumber(0), &keys[0]).unwrap();
    assert_eq!(manager.person_seats(&id).unwrap()[0].key, None, "it is known to who has it");
    for file in ["ludex.db", "ludex.db-wal"] {
        let bytes = std::fs::read(folder.path().join(file)).unwrap();
        for key in &keys {
            assert!(!bytes.windows(key.len()).any(|part| part == key.as_bytes()), "{file}");
        }
    }
    drop(manager);
    let manager = manager_in(folder.path());
    let seats = manager.person_seats(&id).unwrap();
    assert!(seats[0].taken && !seats[1].taken && seats.iter().all(|seat| seat.key.is_none()));
    manager.take_seat(&id, SeatNumber(0), &keys[0]).unwrap();
    assert!(matches!(manager.renew_seat_key(&id, SeatNumber(0)), Err(ManagerError::Taken)));
    let renewed = manager.renew_seat_key(&id, SeatNumber(1)).unwrap().key.unwrap();
    assert_eq!(manager.person_seats(&id).unwrap()[1].key.as_deref(), Some(&*renewed));
    assert!(matches!(manager.take_seat(&id, SeatNumber(1), &keys[1]), Err(ManagerError::Key)));
    manager.take_seat(&id, SeatNumber(1), &renewed).unwrap();
}
