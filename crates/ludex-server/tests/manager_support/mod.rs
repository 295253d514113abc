//! Managers with players that answer at once, for tests.

pub mod faulty;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_server::manager::{Manager, ManagerOptions};
use ludex_server::model::{ClockPlan, MatchPlan, MatchStage, MatchView, NewGame, PlayerKind, SeatPlan};
use ludex_server::player::{PlayerOptions, PlayerServer, RunningPlayer};
use ludex_server::store::{SqliteOptions, SqliteStore, Store};

use ludex::matches::view::Viewer;

/// A player service in this process.
pub fn service(strategy: &str) -> RunningPlayer {
    let options = PlayerOptions { strategy: strategy.to_owned(), ..PlayerOptions::default() };
    let server = PlayerServer::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, options).unwrap();
    server.start().unwrap()
}

pub fn remote(player: &RunningPlayer) -> PlayerKind {
    PlayerKind::Remote { address: player.address().to_string(), notation: Default::default() }
}

pub fn options() -> ManagerOptions {
    ManagerOptions { bundled_games: false, ..ManagerOptions::default() }
}

/// A manager that keeps nothing, with tic-tac-toe.
pub fn manager() -> Manager {
    let manager = Manager::start(Arc::new(SqliteStore::in_memory().unwrap()), options()).unwrap();
    add_bundled(&manager, "tic-tac-toe");
    manager
}

/// A folder for its owner alone, as a store wants it.
pub fn private_folder() -> tempfile::TempDir {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir().unwrap()
}

/// A manager on a folder.
pub fn manager_in(folder: &std::path::Path) -> Manager {
    manager_over(Arc::new(SqliteStore::open(folder, &SqliteOptions::default()).unwrap()))
}

/// A manager over a store.
pub fn manager_over(store: Arc<dyn Store>) -> Manager {
    Manager::start(store, options()).unwrap()
}

pub fn add_bundled(manager: &Manager, name: &str) {
    let text = ludex::library::find(name).unwrap().text.to_owned();
    manager.add_game(&NewGame { name: name.to_owned(), text, ..NewGame::default() }).unwrap();
}

/// Tic-tac-toe between these players, with so many milliseconds for each move.
pub fn tic_tac_toe(players: &[&str], play: u64) -> MatchPlan {
    let seat = |player: &&str| SeatPlan { player: (*player).to_owned(), ..SeatPlan::default() };
    let seats = players.iter().map(seat).collect();
    MatchPlan { seed: Some(5), ..MatchPlan::new("tic-tac-toe", seats, ClockPlan::new(play, play)) }
}

#[expect(clippy::disallowed_methods, reason = "tests look at the clock")]
pub fn now() -> Instant {
    Instant::now()
}

/// Waits until something is so, but not for ever.
pub fn wait<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let until = now() + Duration::from_secs(300);
    while now() < until {
        if let Some(found) = found() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("waited too long: {what}");
}

/// Waits until a match is over, for the store, too.
pub fn wait_for_end(manager: &Manager, id: &str) -> MatchView {
    wait("the end of a match", || {
        let over = manager.match_detail(id).unwrap().summary.stage.is_over();
        over.then(|| manager.match_view(id, Viewer::Spectator).unwrap())
    })
}

pub fn stage(manager: &Manager, id: &str) -> MatchStage {
    manager.match_detail(id).unwrap().summary.stage
}
