//! Ladders that a manager holds, and ratings that follow from its matches.

use std::num::NonZeroU32;

use ludex::matches::tournament::{Format, Tournament, TournamentGame, TournamentSetup};
use ludex_server::manager::{Manager, ManagerError};
use ludex_server::model::{
    ClockPlan, MatchQuery, MatchStage, PlayerKind, RatingQuery, RatingScope, TournamentPlan, TournamentStage,
};
use ludex_server::player::RunningPlayer;

use crate::manager_support::*;

fn ladder(players: &[&str]) -> TournamentPlan {
    let tournament = Tournament {
        players: players.iter().map(|player| (*player).to_owned()).collect(),
        games: vec![TournamentGame { name: "tic-tac-toe".to_owned(), seats: 0 }],
        rounds: 1,
        seed: 11,
    };
    let setup = TournamentSetup::new(tournament, Format::Ladder);
    let setup = TournamentSetup { simultaneous: NonZeroU32::new(1), ..setup };
    TournamentPlan::new("Ladder", setup, ClockPlan::new(5_000, 5_000))
}

fn register(manager: &Manager) -> [RunningPlayer; 3] {
    ["Alpha", "Beta", "Gamma"].map(|name| {
        let service = service("random");
        manager.register_player(name, &remote(&service)).unwrap();
        service
    })
}

fn results(manager: &Manager, id: &str) -> u64 {
    manager.tournament(id).unwrap().summary.results
}

#[test]
fn a_ladder_goes_on_after_a_restart_until_it_is_ended() {
    let folder = private_folder();
    let manager = manager_in(folder.path());
    add_bundled(&manager, "tic-tac-toe");
    let _services = register(&manager);
    let id = manager.create_tournament(&ladder(&["alpha", "Beta"])).unwrap();
    wait("three results", || (results(&manager, &id) >= 3).then_some(()));
    manager.enter_tournament(&id, "Gamma").unwrap();
    drop(manager);

    let manager = manager_in(folder.path());
    let before = results(&manager, &id);
    assert!(before >= 3);
    wait("more results", || {
        let detail = manager.tournament(&id).unwrap();
        let all = detail.ranking.iter().all(|ranked| ranked.won + ranked.drawn + ranked.lost > 0);
        (all && detail.summary.results > before).then_some(())
    });
    manager.pause_tournament(&id).unwrap();
    let paused = wait("that matches end", || {
        let detail = manager.tournament(&id).unwrap();
        detail.running.is_empty().then_some(detail)
    });
    assert_eq!(paused.summary.stage, TournamentStage::Paused);
    assert!(paused.ranking.iter().all(|ranked| ranked.deviation.is_some_and(|deviation| deviation < 350.0)));
    manager.resume_tournament(&id).unwrap();
    wait("one more", || (results(&manager, &id) > paused.summary.results).then_some(()));
    manager.end_tournament(&id).unwrap();
    assert_eq!(manager.tournament(&id).unwrap().summary.stage, TournamentStage::Over);
    // All of it is in the ratings over all matches, too, in a moment.
    wait("that all are rated", || {
        let rated = manager.leaderboard(&RatingQuery::default()).unwrap().items;
        (rated.len() == 3).then_some(())
    });
    let game = manager.player_ratings("alpha").unwrap();
    assert!(game.iter().any(|rating| rating.scope == RatingScope::Game("tic-tac-toe".into())), "{game:?}");
}

#[test]
fn a_ladder_leaves_players_to_others() {
    let manager = manager();
    let _services = register(&manager);
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    let refused = manager.create_tournament(&ladder(&["Alpha", "Anna"]));
    assert!(matches!(refused, Err(ManagerError::Invalid(_))), "{refused:?}");
    // Anna does not move, so this one goes on.
    let casual = manager.schedule(&tic_tac_toe(&["Anna", "Alpha"], 600_000)).unwrap();
    wait("the casual match", || (stage(&manager, &casual) == MatchStage::Running).then_some(()));
    let id = manager.create_tournament(&ladder(&["Alpha", "Beta", "Gamma"])).unwrap();
    let refused = manager.enter_tournament(&id, "Anna");
    assert!(matches!(refused, Err(ManagerError::Invalid(_))), "{refused:?}");
    wait("results", || (results(&manager, &id) >= 4).then_some(()));
    let own = MatchQuery {
        tournament: Some(id.clone()),
        player: Some("Alpha".to_owned()),
        ..MatchQuery::default()
    };
    assert_eq!(manager.matches(&own).unwrap().total, 0);
    manager.abort_match(&casual, "enough").unwrap();
    wait("a match of Alpha", || (manager.matches(&own).unwrap().total > 0).then_some(()));
}
