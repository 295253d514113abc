//! The built-in players of a Game Manager: processes of this command.

use std::sync::Arc;
use std::time::Duration;

use crate::server::wait;
use ludex::matches::referee::SeatNumber;
use ludex::matches::view::Viewer;
use ludex_server::manager::{BuiltInOptions, Manager, ManagerError, ManagerOptions};
use ludex_server::model::{ClockPlan, MatchPlan, MatchStage, PlayerKind, SeatPlan};
use ludex_server::store::{SqliteOptions, SqliteStore};

fn options() -> ManagerOptions {
    let program = assert_cmd::cargo::cargo_bin("ludex");
    ManagerOptions { built_in: Some(BuiltInOptions::of(program)), ..ManagerOptions::default() }
}

/// Tic-tac-toe between these players, with so many milliseconds for each move.
fn tic_tac_toe(players: [&str; 2], play: u64) -> MatchPlan {
    let seat = |player: &str| SeatPlan { player: player.to_owned(), ..SeatPlan::default() };
    let plan = MatchPlan::new("tic-tac-toe", players.map(seat).into(), ClockPlan::new(play, play));
    let mut plan = MatchPlan { seed: Some(5), ..plan };
    plan.terms.introduce = true;
    plan
}

#[test]
fn built_in_players_are_processes() {
    let manager = Manager::start(Arc::new(SqliteStore::in_memory().unwrap()), options()).unwrap();
    for strategy in ["random", "legal"] {
        let kind = PlayerKind::BuiltIn { strategy: strategy.to_owned() };
        manager.register_player(&format!("the-{strategy}-one"), &kind).unwrap();
    }
    let unknown = PlayerKind::BuiltIn { strategy: "genius".into() };
    assert!(matches!(manager.register_player("x", &unknown), Err(ManagerError::Strategy(_))));
    let mut plan = tic_tac_toe(["the-random-one", "the-legal-one"], 5_000);
    plan.seats[0].scramble = true;
    let id = manager.schedule(&plan).unwrap();
    let stage = || manager.match_detail(&id).unwrap().summary.stage;
    wait("the end of the match", || stage().is_over().then_some(()));
    let view = manager.match_view(&id, Viewer::Spectator).unwrap();
    assert_eq!(view.stage, MatchStage::Completed, "{:?}", view.snapshot.aborted);
    let record = manager.record(&id).unwrap().in_steps().unwrap();
    assert!(record.errors.iter().flatten().all(String::is_empty), "{:?}", record.errors);
    assert_eq!(manager.status().unwrap().processes, 2);
    manager.shutdown(Duration::ZERO);
    assert_eq!(manager.status().unwrap().processes, 0);
}

/// A new process knows nothing of the matches of the one before, and can only guess what moves are legal.
#[test]
fn a_match_of_a_built_in_player_that_is_gone_is_aborted() {
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        let store = SqliteStore::open(&folder.path().join("data"), &SqliteOptions::default()).unwrap();
        Manager::start(Arc::new(store), options()).unwrap()
    };
    let manager = start();
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    manager.register_player("Robot", &PlayerKind::BuiltIn { strategy: "legal".into() }).unwrap();
    let id = manager.schedule(&tic_tac_toe(["Anna", "Robot"], 30_000)).unwrap();
    wait("Anna's turn", || {
        let view = manager.match_view(&id, Viewer::Seat(SeatNumber(0))).unwrap();
        (view.awaited && view.own_moves.len() > 1).then_some(())
    });
    drop(manager);
    let manager = start();
    let stage = || manager.match_detail(&id).unwrap().summary.stage;
    wait("the end of the match", || stage().is_over().then_some(()));
    assert_eq!(stage(), MatchStage::Aborted);
    let record = manager.record(&id).unwrap().in_steps().unwrap();
    assert!(record.is_aborted, "{record:?}");
    assert!(record.abort_cause.unwrap().contains("Robot is built in"));
}
