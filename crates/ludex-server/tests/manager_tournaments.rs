//! Tournaments that a manager holds.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use ludex::matches::tournament::{Format, Tournament, TournamentGame, TournamentSetup};
use ludex_server::manager::{Manager, ManagerError, ManagerOptions, PingOptions};
use ludex_server::model::{
    ClockPlan, MatchQuery, MatchStage, PlayerKind, TournamentDetail, TournamentPlan, TournamentQuery,
    TournamentStage,
};
use ludex_server::player::RunningPlayer;
use ludex_server::store::SqliteStore;

use crate::manager_support::faulty::FaultyStore;
use crate::manager_support::*;
#[cfg(feature = "postgres")]
use crate::store::postgres_place::Place;

fn plan(format: Format, rounds: u32, players: &[&str]) -> TournamentPlan {
    let tournament = Tournament {
        players: players.iter().map(|player| (*player).to_owned()).collect(),
        games: vec![TournamentGame { name: "tic-tac-toe".to_owned(), seats: 0 }],
        rounds,
        seed: 11,
    };
    let competition =
        TournamentSetup { attempts: NonZeroU32::MIN, ..TournamentSetup::new(tournament, format) };
    let mut plan = TournamentPlan::new("Cup", competition, ClockPlan::new(5_000, 5_000));
    (plan.scramble, plan.terms.introduce) = (true, true);
    plan
}

/// Three players: each plays a match once only.
fn register(manager: &Manager, strategy: &str) -> [RunningPlayer; 3] {
    ["Alpha", "Beta", "Gamma"].map(|name| {
        let service = service(strategy);
        manager.register_player(name, &remote(&service)).unwrap();
        service
    })
}

fn wait_until_over(manager: &Manager, id: &str) -> TournamentDetail {
    wait("the end of a tournament", || {
        let detail = manager.tournament(id).unwrap();
        (detail.summary.stage == TournamentStage::Over).then_some(detail)
    })
}

#[test]
fn a_round_robin_is_paused_survives_a_restart_and_ends() {
    let folder = private_folder();
    is_paused_survives_and_ends(&|| manager_in(folder.path()));
}

#[cfg(feature = "postgres")]
#[test]
fn a_round_robin_in_postgres_is_paused_survives_a_restart_and_ends() {
    let Some(place) = Place::new() else { return };
    is_paused_survives_and_ends(&|| manager_over(Arc::new(place.open())));
}

fn is_paused_survives_and_ends(start: &dyn Fn() -> Manager) {
    let manager = start();
    add_bundled(&manager, "tic-tac-toe");
    let _services = register(&manager, "random");
    let id = manager.create_tournament(&plan(Format::RoundRobin, 2, &["alpha", "Beta", "Gamma"])).unwrap();
    wait("a result", || (manager.tournament(&id).unwrap().summary.results > 0).then_some(()));
    manager.pause_tournament(&id).unwrap();
    let paused = wait("that matches end", || {
        let detail = manager.tournament(&id).unwrap();
        detail.running.is_empty().then_some(detail)
    });
    assert_eq!(paused.summary.stage, TournamentStage::Paused);
    assert!(paused.open_matches > 0, "it was paused in the middle");
    drop(manager);

    let manager = start();
    let again = manager.tournament(&id).unwrap();
    assert_eq!(again.ranking, paused.ranking);
    assert_eq!(again.summary, paused.summary);
    let seats = again.plan.competition.tournament.games[0].seats;
    assert_eq!((seats, again.plan.competition.tournament.players[0].as_str()), (2, "Alpha"));
    assert!(matches!(manager.retire_player("Beta"), Err(ManagerError::InUse { .. })));
    manager.resume_tournament(&id).unwrap();
    wait("another result", || {
        (manager.tournament(&id).unwrap().summary.results > paused.summary.results).then_some(())
    });
    // Matches are cut off, and go on.
    drop(manager);
    let manager = start();
    let over = wait_until_over(&manager, &id);
    assert_eq!((over.summary.results, over.open_matches), (12, 0));
    assert_eq!(over.standings.completed, 12, "{:?}", over.standings);
    assert_eq!(over.standings.pairings.len(), 6);
    assert!(over.ranking.iter().all(|ranked| ranked.won + ranked.drawn + ranked.lost == 8));
    let history = manager.rating_history(&id, 5).unwrap();
    assert!(history.len() <= 5 && history.last().unwrap().matches == 12, "{history:?}");
    let query = MatchQuery { tournament: Some(id.clone()), ..MatchQuery::default() };
    let matches = manager.matches(&query).unwrap();
    assert_eq!(matches.total, 12, "no match was played twice");
    assert!(matches.items.iter().all(|found| found.stage == MatchStage::Completed));
    assert_eq!(
        manager.tournaments(&TournamentQuery::default()).unwrap().items[0].stage,
        TournamentStage::Over
    );
    assert!(matches!(manager.pause_tournament(&id), Err(ManagerError::Over { .. })));
    assert!(matches!(manager.pause_tournament("t0"), Err(ManagerError::NotFound { .. })));
    manager.retire_player("Beta").unwrap();
}

#[test]
fn who_is_struck_out_plays_no_more() {
    let manager = manager();
    let _services = register(&manager, "random");
    let id = manager.create_tournament(&plan(Format::Open, 1, &["Alpha", "Beta", "Gamma"])).unwrap();
    wait("results", || (manager.tournament(&id).unwrap().summary.results > 3).then_some(()));
    assert!(matches!(manager.strike_out(&id, "Nobody"), Err(ManagerError::NotFound { .. })));
    manager.strike_out(&id, "Gamma").unwrap();
    let before = manager.tournament(&id).unwrap().summary.results;
    wait("more results", || (manager.tournament(&id).unwrap().summary.results > before + 3).then_some(()));
    let detail = manager.tournament(&id).unwrap();
    assert!(detail.ranking.iter().any(|ranked| ranked.player == "Gamma" && ranked.struck_out));
    assert!(detail.running.iter().all(|found| found.seats.iter().all(|seat| seat.player != "Gamma")));
    manager.retire_player("Gamma").unwrap();
    manager.end_tournament(&id).unwrap();
    assert!(matches!(manager.end_tournament(&id), Err(ManagerError::Over { .. })));
    let query = MatchQuery { tournament: Some(id), ..MatchQuery::default() };
    wait("that all matches are over", || {
        manager.matches(&query).unwrap().items.iter().all(|found| found.stage.is_over()).then_some(())
    });
}

#[test]
fn every_format_comes_to_its_end() {
    let manager = manager();
    let _services = register(&manager, "legal");
    let ids: Vec<String> =
        [Format::Swiss, Format::SingleElimination, Format::DoubleElimination, Format::Cumulative]
            .into_iter()
            .map(|format| manager.create_tournament(&plan(format, 1, &["Alpha", "Beta", "Gamma"])).unwrap())
            .collect();
    for id in ids {
        let over = wait_until_over(&manager, &id);
        assert!(over.summary.results > 0 && over.ranking.len() == 3, "{over:?}");
    }
}

#[test]
fn what_cannot_be_held_is_refused() {
    let manager = manager();
    manager.register_player("Alpha", &PlayerKind::Person).unwrap();
    manager.register_player("Beta", &PlayerKind::Person).unwrap();
    let refused = |plan: &TournamentPlan| manager.create_tournament(plan).unwrap_err();
    let alone = plan(Format::RoundRobin, 1, &["Alpha"]);
    assert!(matches!(refused(&alone), ManagerError::Tournament(_)));
    let twice = plan(Format::RoundRobin, 1, &["Alpha", "alpha"]);
    assert!(matches!(refused(&twice), ManagerError::Tournament(_)));
    let missing = plan(Format::RoundRobin, 1, &["Alpha", "Nobody"]);
    assert!(matches!(refused(&missing), ManagerError::NotFound { what: "player", .. }));
    let mut game = plan(Format::RoundRobin, 1, &["Alpha", "Beta"]);
    game.competition.tournament.games[0].name = "none".to_owned();
    assert!(matches!(refused(&game), ManagerError::NotFound { what: "game", .. }));
    let untitled = TournamentPlan { title: " ".into(), ..plan(Format::Open, 1, &["Alpha", "Beta"]) };
    assert!(matches!(refused(&untitled), ManagerError::Invalid(_)));
}

/// While the disk takes its time with the end of a match, tournaments can be looked at.
#[test]
fn nobody_who_looks_waits_for_the_disk() {
    let store = FaultyStore::new();
    let slow = store.slow_ends();
    let manager = Manager::start(Arc::new(store), options()).unwrap();
    add_bundled(&manager, "tic-tac-toe");
    let _services = register(&manager, "random");
    slow.on.store(true, Ordering::SeqCst);
    let id = manager.create_tournament(&plan(Format::RoundRobin, 1, &["Alpha", "Beta", "Gamma"])).unwrap();
    wait("the end of a match", || (slow.under_way.load(Ordering::SeqCst) > 0).then_some(()));
    let (said, heard) = mpsc::channel();
    let (looking, looked_at) = (manager.clone(), id.clone());
    let looking = std::thread::spawn(move || {
        let results = looking.tournament(&looked_at).unwrap().summary.results;
        let needed = looking.retire_player("Beta");
        said.send((results, matches!(needed, Err(ManagerError::InUse { .. })))).unwrap();
    });
    let seen = heard.recv_timeout(Duration::from_secs(60));
    slow.on.store(false, Ordering::SeqCst);
    looking.join().unwrap();
    assert_eq!(seen, Ok((0, true)), "whoever looked had to wait");
    assert_eq!(wait_until_over(&manager, &id).summary.results, 6);
}

/// People sit at several boards; a program somewhere else may be able to play no more than one match, and is waited for.
#[test]
fn a_casual_match_holds_no_tournament_up_unless_a_remote_player_is_in_it() {
    let manager = manager();
    for person in ["Anna", "Bert"] {
        manager.register_player(person, &PlayerKind::Person).unwrap();
    }
    let begun = |id: &str| {
        wait("that a match is under way", || (stage(&manager, id) == MatchStage::Running).then_some(()));
    };
    begun(&manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 600_000)).unwrap());
    let cup = manager.create_tournament(&plan(Format::RoundRobin, 1, &["Anna", "Bert"])).unwrap();
    wait("a match of the tournament", || {
        (!manager.tournament(&cup).unwrap().running.is_empty()).then_some(())
    });
    manager.end_tournament(&cup).unwrap();

    let program = service("legal");
    manager.register_player("Program", &remote(&program)).unwrap();
    let casual = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 600_000)).unwrap();
    begun(&casual);
    let cup = manager.create_tournament(&plan(Format::RoundRobin, 1, &["Anna", "Program"])).unwrap();
    // The scheduler has looked at the tournament when a match that was wanted later is under way.
    begun(&manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 600_000)).unwrap());
    assert!(manager.tournament(&cup).unwrap().running.is_empty());
    manager.abort_match(&casual, "enough").unwrap();
    wait("a match of the tournament", || {
        (!manager.tournament(&cup).unwrap().running.is_empty()).then_some(())
    });
}

/// A casual match of a program that may be able to play no more than one waits for the tournament; of one that said in a
/// match that it is available, a casual match holds nothing up.
#[test]
fn a_tournament_has_remote_players_first() {
    let manager = manager();
    let program = service("legal");
    manager.register_player("Program", &remote(&program)).unwrap();
    for person in ["Anna", "Bert"] {
        manager.register_player(person, &PlayerKind::Person).unwrap();
    }
    let cup = manager.create_tournament(&plan(Format::RoundRobin, 1, &["Anna", "Program"])).unwrap();
    let casual = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 600_000)).unwrap();
    let other = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 600_000)).unwrap();
    // What was wanted later is under way.
    wait("another match", || (stage(&manager, &other) == MatchStage::Running).then_some(()));
    assert_eq!(stage(&manager, &casual), MatchStage::Planned);
    manager.end_tournament(&cup).unwrap();
    wait("the casual match", || (stage(&manager, &casual) == MatchStage::Running).then_some(()));
}

#[test]
fn a_program_that_says_that_it_is_available_plays_beside_a_casual_match() {
    let ping = PingOptions { every: Duration::from_millis(50), ..PingOptions::default() };
    let store = SqliteStore::in_memory().unwrap();
    let manager = Manager::start(Arc::new(store), ManagerOptions { ping, ..options() }).unwrap();
    add_bundled(&manager, "tic-tac-toe");
    let program = service("legal");
    manager.register_player("Program", &remote(&program)).unwrap();
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    let casual = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 600_000)).unwrap();
    wait("the casual match", || (stage(&manager, &casual) == MatchStage::Running).then_some(()));
    let cup = manager.create_tournament(&plan(Format::RoundRobin, 1, &["Anna", "Program"])).unwrap();
    wait("a match of the tournament", || {
        (!manager.tournament(&cup).unwrap().running.is_empty()).then_some(())
    });
    assert_eq!(stage(&manager, &casual), MatchStage::Running);
}

/// However many casual matches there are, those under way and those that wait for a later day.
#[test]
fn casual_matches_leave_room_for_tournaments() {
    let store = SqliteStore::in_memory().unwrap();
    let mut options = options();
    options.matches.running = 1;
    let manager = Manager::start(Arc::new(store), options).unwrap();
    add_bundled(&manager, "tic-tac-toe");
    for person in ["Anna", "Bert"] {
        manager.register_player(person, &PlayerKind::Person).unwrap();
    }
    let casual = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 600_000)).unwrap();
    wait("the casual match", || (stage(&manager, &casual) == MatchStage::Running).then_some(()));
    let second = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 600_000)).unwrap();
    let cup = manager.create_tournament(&plan(Format::RoundRobin, 1, &["Anna", "Bert"])).unwrap();
    wait("a match of the tournament", || {
        let running = manager.tournament(&cup).unwrap().running;
        running.iter().any(|found| found.stage == MatchStage::Running).then_some(())
    });
    assert_eq!(stage(&manager, &second), MatchStage::Planned);
}

#[test]
fn who_enters_late_plays_after_a_restart_too() {
    let folder = private_folder();
    let manager = manager_in(folder.path());
    add_bundled(&manager, "tic-tac-toe");
    let _services = register(&manager, "legal");
    let id = manager.create_tournament(&plan(Format::RoundRobin, 1, &["Alpha", "Beta"])).unwrap();
    manager.pause_tournament(&id).unwrap();
    manager.enter_tournament(&id, "gamma").unwrap();
    assert!(matches!(manager.enter_tournament(&id, "Gamma"), Err(ManagerError::Invalid(_))));
    assert!(matches!(manager.enter_tournament(&id, "Nobody"), Err(ManagerError::NotFound { .. })));
    drop(manager);

    let manager = manager_in(folder.path());
    let detail = manager.tournament(&id).unwrap();
    assert_eq!(detail.summary.players, 3);
    assert_eq!(detail.plan.competition.tournament.players, ["Alpha", "Beta", "Gamma"]);
    manager.resume_tournament(&id).unwrap();
    let over = wait_until_over(&manager, &id);
    let late = over.ranking.iter().find(|ranked| ranked.player == "Gamma").unwrap();
    assert_eq!(late.won + late.drawn + late.lost, 4, "{:?}", over.ranking);
}
