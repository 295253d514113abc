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
fn a_match_goes_on_with_another_process_of_its_built_in_player() {
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        let store = SqliteStore::open(&folder.path().join("data"), &SqliteOptions::default()).unwrap();
        Manager::start(Arc::new(store), options()).unwrap()
    };
    let manager = start();
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    manager.register_player("Robot", &PlayerKind::BuiltIn { strategy: "legal".into() }).unwrap();
    let id = manager.schedule(&tic_tac_toe(["Anna", "Robot"], 30_000)).unwrap();
    // Anna moves when she is asked; how many steps the match has then.
    let move_on = |manager: &Manager| {
        let view = wait("Anna's turn", || {
            let view = manager.match_view(&id, Viewer::Seat(SeatNumber(0))).unwrap();
            let asked = view.awaited && view.own_moves.len() > 1;
            (asked || view.stage.is_over()).then_some(view)
        });
        if !view.stage.is_over() {
            let step = view.snapshot.steps.len();
            manager.submit_move(&id, SeatNumber(0), step, &view.own_moves[0]).unwrap();
        }
        view
    };
    assert_eq!(move_on(&manager).snapshot.steps.len(), 0);
    wait("an answer", || {
        let view = manager.match_view(&id, Viewer::Seat(SeatNumber(0))).unwrap();
        (view.awaited && view.snapshot.steps.len() == 2).then_some(())
    });
    drop(manager);
    let manager = start();
    while !move_on(&manager).stage.is_over() {}
    let stage = || manager.match_detail(&id).unwrap().summary.stage;
    wait("that it is kept", || (stage() == MatchStage::Completed).then_some(()));
    let record = manager.record(&id).unwrap().in_steps().unwrap();
    assert!(record.is_completed && record.errors.iter().flatten().all(String::is_empty), "{record:?}");
}
