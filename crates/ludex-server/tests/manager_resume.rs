//! A manager that is cut off in the middle, and one that starts again on what it left.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ludex::matches::referee::{Entry, SeatNumber};
use ludex::matches::view::Viewer;
use ludex_server::manager::{GameLimits, Manager, ManagerOptions, MatchStage, PlayerKind};
use ludex_server::store::{SqliteOptions, SqliteStore, Store};

mod manager_support;

use manager_support::faulty::FaultyStore;
use manager_support::*;

#[test]
fn a_match_goes_on_where_it_was_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let service = service("legal");
    let manager = manager_in(folder.path());
    add_bundled(&manager, "tic-tac-toe");
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    manager.register_player("Program", &remote(&service)).unwrap();
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 30_000)).unwrap();
    let (seat, own) = (SeatNumber(0), Viewer::Seat(SeatNumber(0)));
    let turn = |manager: &Manager, step: usize| {
        wait("Anna's turn", || {
            let view = manager.match_view(&id, own).unwrap();
            let here = view.awaited && view.snapshot.steps.len() == step && view.own_moves[0] != "noop";
            (here || view.stage.is_over()).then_some(view)
        })
    };
    let view = turn(&manager, 0);
    manager.submit_move(&id, seat, 0, &view.own_moves[0]).unwrap();
    let step = wait("the second step", || {
        let view = manager.match_view(&id, own).unwrap();
        let steps = view.snapshot.steps.len();
        if view.awaited && view.own_moves == ["noop"] {
            let _ = manager.submit_move(&id, seat, steps, "noop");
        }
        (steps == 2 && view.awaited).then_some(steps)
    });
    let before = manager.match_view(&id, own).unwrap();
    drop(manager);

    let manager = manager_in(folder.path());
    let view = turn(&manager, step);
    assert_eq!(view.snapshot.steps, before.snapshot.steps, "nobody is told another history");
    assert_eq!(view.snapshot.state.facts, before.snapshot.state.facts);
    assert!(view.snapshot.clocks[0].left.unwrap() > 25_000, "a full clock");
    let mut steps = step;
    wait("the end", || {
        let view = manager.match_view(&id, own).unwrap();
        if view.awaited && view.snapshot.steps.len() == steps {
            manager.submit_move(&id, seat, steps, &view.own_moves[0]).unwrap();
            steps += 1;
        }
        view.stage.is_over().then_some(())
    });
    wait_for_end(&manager, &id);
    let record = manager.record(&id).unwrap();
    assert!(record.is_completed && record.errors.iter().flatten().all(String::is_empty), "{record:?}");
    let game = manager.prepared_game("tic-tac-toe", None).unwrap();
    assert!(ludex::verify_match(game.rules(), &record).mismatches.is_empty());
    drop(manager);
    let store = SqliteStore::open(folder.path(), &SqliteOptions::default()).unwrap();
    let entries = store.entries(&id).unwrap();
    assert_eq!(entries.iter().filter(|entry| matches!(entry, Entry::Resumed)).count(), 1);
}

#[test]
fn a_match_that_cannot_go_on_is_aborted_and_its_moves_stay() {
    let folder = tempfile::tempdir().unwrap();
    let manager = manager_in(folder.path());
    add_bundled(&manager, "tic-tac-toe");
    for name in ["Anna", "Ben"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Ben"], 30_000)).unwrap();
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
    let entries = store.entries(&id).unwrap();
    assert!(matches!(entries[0], Entry::Opened { .. }));
    assert!(matches!(entries.last(), Some(Entry::Ended { aborted: Some(_) })));
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
        let id = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 60_000)).unwrap();
        let view = |seat| manager.match_view(&id, Viewer::Seat(SeatNumber(seat))).unwrap();
        wait("that both are asked", || (view(0).awaited && view(1).awaited).then_some(()));
        full.store(true, Ordering::SeqCst);
        for seat in [0, 1] {
            let action = view(seat).own_moves[0].clone();
            manager.submit_move(&id, SeatNumber(seat), 0, &action).unwrap();
        }
        if waits {
            wait("that it is put off", || {
                manager
                    .status()
                    .unwrap()
                    .troubles
                    .iter()
                    .any(|trouble| trouble.contains("no room"))
                    .then_some(())
            });
        }
        manager.abort_match(&id, "enough").unwrap();
        if !waits {
            wait("that it is put off", || (!manager.status().unwrap().troubles.is_empty()).then_some(()));
        }
        assert!(!manager.match_detail(&id).unwrap().summary.stage.is_over(), "that cannot be written yet");
        full.store(false, Ordering::SeqCst);
        let end = wait_for_end(&manager, &id);
        assert_eq!(end.snapshot.aborted.as_deref(), Some("enough"), "waits: {waits}");
        assert_eq!(manager.status().unwrap().troubles, [""; 0]);
    }
}
