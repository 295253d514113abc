//! Pages and answers with ratings.

use axum::http::StatusCode;
use ludex::matches::tournament::{Format, Tournament, TournamentGame, TournamentSetup};
use ludex_server::manager::Manager;
use ludex_server::model::{ClockPlan, RatingQuery, TournamentPlan};

use super::support::*;
use crate::manager_support::{remote, service, tic_tac_toe, wait, wait_for_end};

/// Matches between programs, until one has won; that match.
fn won(manager: &Manager) -> String {
    wait("a match that somebody wins", || {
        let id = manager.schedule(&tic_tac_toe(&["Ape", "Bee"], 20_000)).unwrap();
        wait_for_end(manager, &id);
        let seats = manager.match_detail(&id).unwrap().summary.seats;
        (seats[0].goal != seats[1].goal).then_some(id)
    })
}

#[tokio::test]
async fn a_match_changes_ratings_on_all_pages_that_show_them() {
    let (router, manager) = on_loopback();
    let empty = get(&router, "/ratings").await;
    assert!(
        empty.status == StatusCode::OK && empty.text.contains("Nobody is rated here yet"),
        "{}",
        empty.text
    );
    let programs = [service("legal"), service("legal")];
    for (name, program) in ["Ape", "Bee"].iter().zip(&programs) {
        manager.register_player(name, &remote(program)).unwrap();
    }
    let before = get(&router, "/players/Ape").await.text;
    assert!(!before.contains("Ratings over all matches"), "{before}");
    let id = won(&manager);
    wait("that it is counted", || (!manager.match_ratings(&id).unwrap().is_empty()).then_some(()));
    won(&manager);
    wait("that both are counted", || {
        let rated = manager.leaderboard(&RatingQuery::default()).unwrap().items;
        (rated[0].matches > 1).then_some(())
    });

    let shown = get(&router, "/ratings").await.text;
    for part in ["Ratings: All games", "2 players.", "/players/Ape", "Little is known of this rating"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // Each kind and each game has its own; others have none.
    for (address, has) in [
        ("?scope=kind%3Atwo-players", true),
        ("?game=tic-tac-toe", true),
        ("?scope=kind%3Ahidden", false),
        ("?who=people", false),
        ("?who=programs&scope=", true),
    ] {
        let page = get(&router, &format!("/ratings{address}")).await;
        assert_eq!(page.text.contains("/players/Ape"), has, "{address}: {}", page.text);
    }
    let player = get(&router, "/players/Ape").await.text;
    for part in ["Ratings over all matches", "<svg", "Two players who see everything", "game%3Atic-tac-toe"] {
        assert!(player.contains(part), "{part}: {player}");
    }
    let shown = get(&router, &format!("/matches/{id}")).await.text;
    assert!(shown.contains("<h2>Ratings</h2>") && shown.contains("Change by this match"), "{shown}");
    let said = get(&router, &format!("/api/matches/{id}/ratings")).await.json();
    assert_eq!(said.as_array().unwrap().len(), 6);
    let history = get(&router, "/api/players/ape/ratings/history?scope=game:tic-tac-toe").await.json();
    assert!(history.as_array().unwrap().len() > 1 && history[0]["matches"] == 1, "{history}");
    let page = get(&router, "/api/ratings?size=1&scope=game:tic-tac-toe").await.json();
    let next = page["next"].as_str().unwrap();
    let page = get(&router, &format!("/api/ratings?size=1&scope=game:tic-tac-toe&after={next}")).await.json();
    assert!(page["items"].as_array().unwrap().len() == 1 && page["next"].is_null(), "{page}");
    for wrong in
        ["/ratings?scope=none", "/ratings?who=apes", "/ratings?page=2", "/api/ratings?scope=kind:none"]
    {
        assert_eq!(get(&router, wrong).await.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    assert_eq!(get(&router, "/ratings?after=Nobody").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_ladder_has_a_page_and_says_who_rests() {
    let (router, manager) = on_loopback();
    let programs = [service("legal"), service("legal")];
    for (name, program) in ["Ape", "Bee"].iter().zip(&programs) {
        manager.register_player(name, &remote(program)).unwrap();
    }
    let form = get(&router, "/tournaments/new").await.text;
    assert!(form.contains(">Ladder</option>") && form.contains("name=\"per_day\""), "{form}");
    let games = vec![TournamentGame { name: "tic-tac-toe".to_owned(), seats: 0 }];
    let players = vec!["Ape".to_owned(), "Bee".to_owned()];
    let setup = TournamentSetup::new(Tournament { players, games, rounds: 1, seed: 3 }, Format::Ladder);
    let setup = TournamentSetup { per_day: std::num::NonZeroU32::new(2), ..setup };
    let plan = TournamentPlan::new("Day and night", setup, ClockPlan::new(20_000, 20_000));
    let id = manager.create_tournament(&plan).unwrap();
    wait("two matches", || (manager.tournament(&id).unwrap().summary.results == 2).then_some(()));
    let shown = get(&router, &format!("/tournaments/{id}")).await.text;
    for part in ["Ladder: 2 matches finished", " ± ", "Ape rests until", "Bee rests until", "Enter a player"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
