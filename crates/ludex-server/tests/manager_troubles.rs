//! A manager whose database cannot be written: what it says, and that nothing is lost.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ludex::matches::referee::{Entry, SeatNumber};
use ludex::matches::view::Viewer;
use ludex_server::manager::{Manager, ManagerError};
use ludex_server::model::{MatchStage, NewGame, PlayerKind, StoreError};
use ludex_server::store::{SqliteOptions, SqliteStore};

use crate::manager_support::*;

/// A manager on a folder, which does not wait long for locks, and whose database grows no larger than this.
fn impatient(folder: &Path, most_bytes: Option<u64>) -> Manager {
    let sqlite = SqliteOptions { patience: Duration::from_millis(50), most_bytes, ..Default::default() };
    Manager::start(Arc::new(SqliteStore::open(folder, &sqlite).unwrap()), options()).unwrap()
}

/// The journal of a match as another program reads it.
fn entries(folder: &Path, id: &str) -> Vec<Entry> {
    let database = rusqlite::Connection::open(folder.join("ludex.db")).unwrap();
    let mut statement =
        database.prepare("SELECT entry FROM entries WHERE match = ?1 ORDER BY number").unwrap();
    let rows = statement.query_map([id], |row| row.get::<_, String>(0)).unwrap();
    rows.map(|text| serde_json::from_str(&text.unwrap()).unwrap()).collect()
}

/// Makes the moves of a person until so many steps are made, or the match is over.
fn play_until(manager: &Manager, id: &str, steps: usize) {
    let seat = SeatNumber(0);
    wait("the moves of a person", || {
        let view = manager.match_view(id, Viewer::Seat(seat)).unwrap();
        let made = view.snapshot.steps.len();
        if made < steps && view.awaited {
            // Somebody may have been quicker: the clock, or the end of the match.
            let _ = manager.submit_move(id, seat, made, &view.own_moves[0]);
        }
        (made >= steps || view.stage.is_over()).then_some(())
    });
}

fn troubles(manager: &Manager) -> String {
    manager.status().unwrap().troubles.join("; ")
}

#[test]
fn a_lock_of_another_program_is_said_and_costs_nothing() {
    let folder = private_folder();
    let folder = folder.path();
    let service = service("legal");
    let manager = impatient(folder, None);
    add_bundled(&manager, "tic-tac-toe");
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    manager.register_player("Program", &remote(&service)).unwrap();
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 3_600_000)).unwrap();
    play_until(&manager, &id, 2);
    let before = entries(folder, &id);

    let other = rusqlite::Connection::open(folder.join("ludex.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let is_locked = |error: ManagerError| {
        let text = error.to_string();
        assert!(matches!(error, ManagerError::Store(StoreError::Locked { .. })), "{error:?}");
        assert!(text.ends_with("is locked by another program"), "{text}");
    };
    is_locked(manager.schedule(&tic_tac_toe(&["Anna", "Program"], 3_600_000)).unwrap_err());
    is_locked(manager.register_player("Ben", &PlayerKind::Person).unwrap_err());
    let view = manager.match_view(&id, Viewer::Seat(SeatNumber(0))).unwrap();
    assert_eq!(view.snapshot.steps.len(), 2, "it can be looked at");
    manager.submit_move(&id, SeatNumber(0), 2, &view.own_moves[0]).unwrap();
    wait("that it is said", || troubles(&manager).contains("is locked by another program").then_some(()));
    assert_eq!(entries(folder, &id), before, "and nobody was told of anything that is not written");
    other.execute_batch("ROLLBACK").unwrap();

    // The match goes on where it was, with no step more than were told.
    play_until(&manager, &id, usize::MAX);
    let view = wait_for_end(&manager, &id);
    assert_eq!(view.stage, MatchStage::Completed, "{:?}", view.snapshot.aborted);
    assert!(entries(folder, &id).starts_with(&before));
    let record = manager.record(&id).unwrap().in_steps().unwrap();
    assert!(record.errors.iter().flatten().all(String::is_empty), "{record:?}");
    let game = manager.prepared_game("tic-tac-toe", None).unwrap();
    assert!(ludex::verify_match(game.in_steps().unwrap().rules(), &record).mismatches.is_empty());
    wait("that all is well again", || troubles(&manager).is_empty().then_some(()));
    let again = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 3_600_000)).unwrap();
    manager.abort_match(&again, "enough").unwrap();
}

/// A lock that passes while a write is tried again is noticed by nobody.
#[test]
fn a_lock_for_a_moment_ends_no_match() {
    let folder = private_folder();
    let folder = folder.path();
    let service = service("random");
    let manager = impatient(folder, None);
    add_bundled(&manager, "tic-tac-toe");
    for name in ["Alpha", "Beta"] {
        manager.register_player(name, &remote(&service)).unwrap();
    }
    let other = rusqlite::Connection::open(folder.join("ludex.db")).unwrap();
    other.busy_timeout(Duration::from_secs(5)).unwrap();
    let ids: Vec<String> =
        (0..4).map(|_| manager.schedule(&tic_tac_toe(&["Alpha", "Beta"], 5_000)).unwrap()).collect();
    for _ in 0..3 {
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        std::thread::sleep(Duration::from_millis(120));
        other.execute_batch("ROLLBACK").unwrap();
        std::thread::sleep(Duration::from_millis(150));
    }
    for id in ids {
        let view = wait_for_end(&manager, &id);
        assert_eq!(view.stage, MatchStage::Completed, "{:?}", view.snapshot.aborted);
    }
}

#[test]
fn a_full_disk_is_said_and_loses_nothing() {
    let folder = private_folder();
    let folder = folder.path();
    let service = service("legal");
    let manager = impatient(folder, Some(700 << 10));
    add_bundled(&manager, "tic-tac-toe");
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    manager.register_player("Program", &remote(&service)).unwrap();
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 3_600_000)).unwrap();
    play_until(&manager, &id, 2);
    // Versions of a game fill the rest.
    let text = ludex::library::find("nim").unwrap().text;
    let mut kept = 0;
    let error = loop {
        let text = format!("{text}\n; {kept} {}", "x".repeat(if kept < 3 { 100_000 } else { 700 }));
        match manager.add_game(&NewGame { name: "nim".into(), text, ..NewGame::default() }) {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < 190, "it is never full");
    };
    assert!(matches!(error, ManagerError::Store(StoreError::Full { .. })), "{error:?}");
    assert!(error.to_string().starts_with("there is no room left on the disk of"), "{error}");
    let view = manager.match_view(&id, Viewer::Seat(SeatNumber(0))).unwrap();
    let before = entries(folder, &id);
    // Small entries may still fit; in the end there is no room for them either.
    let mut others = Vec::new();
    let full = wait("that it is full", || {
        match manager.schedule(&tic_tac_toe(&["Anna", "Program"], 3_600_000)) {
            Ok(other) => others.push(other),
            Err(error) => return Some(error),
        }
        None
    });
    assert!(matches!(full, ManagerError::Store(StoreError::Full { .. })), "{full:?}");
    manager.submit_move(&id, SeatNumber(0), 2, &view.own_moves[0]).unwrap();
    wait("that it is said", || troubles(&manager).contains("no room left on the disk").then_some(()));
    assert_eq!(manager.game("nim", None).unwrap().summary.versions, kept, "what was kept can be read");
    drop(manager);

    // With more room all goes on.
    let manager = impatient(folder, None);
    assert_eq!(manager.game("nim", None).unwrap().summary.versions, kept);
    for id in std::iter::once(&id).chain(&others) {
        wait("a place", || (stage(&manager, id) == MatchStage::Running).then_some(()));
        play_until(&manager, id, usize::MAX);
        let view = wait_for_end(&manager, id);
        assert_eq!(view.stage, MatchStage::Completed, "{:?}", view.snapshot.aborted);
    }
    assert!(entries(folder, &id).starts_with(&before));
    assert_eq!(troubles(&manager), "");
    let game = manager.prepared_game("tic-tac-toe", None).unwrap();
    assert!(
        ludex::verify_match(
            game.in_steps().unwrap().rules(),
            &manager.record(&id).unwrap().in_steps().unwrap()
        )
        .mismatches
        .is_empty()
    );
}
