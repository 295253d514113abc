//! What pages say of the order in tournaments, of late entries, and of what is waited for.

use axum::http::StatusCode;
use ludex::matches::tournament::{Format, Tournament, TournamentGame, TournamentSetup};
use ludex_server::manager::Manager;
use ludex_server::model::{ClockPlan, MatchStage, PlayerKind, TournamentPlan};

use super::support::*;
use crate::manager_support::{remote, service, stage, tic_tac_toe, wait};

fn cup(format: Format, players: &[&str]) -> TournamentPlan {
    let games = vec![TournamentGame { name: "tic-tac-toe".to_owned(), seats: 0 }];
    let players = players.iter().map(|&player| player.to_owned()).collect();
    let tournament = Tournament { players, games, rounds: 2, seed: 3 };
    TournamentPlan::new("Cup", TournamentSetup::new(tournament, format), ClockPlan::new(60_000, 60_000))
}

fn register(manager: &Manager, people: &[&str]) {
    for person in people {
        manager.register_player(person, &PlayerKind::Person).unwrap();
    }
}

#[tokio::test]
async fn order_byes_and_late_entries_are_said() {
    let (router, manager) = on_loopback();
    register(&manager, &["Anna", "Bert", "Cleo", "Dora"]);
    let id = manager.create_tournament(&cup(Format::Swiss, &["Anna", "Bert", "Cleo"])).unwrap();
    let page = format!("/tournaments/{id}");
    let shown = get(&router, &page).await.text;
    for part in [
        "Order of the players",
        "the upper half of the list meets the lower half",
        "Cleo has a bye in round 1: the number of players is odd.",
        "Enter a player",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let said = send(&router, &format!("{page}/enter"), "player=Dora").await;
    assert_eq!((said.status, said.location()), (StatusCode::SEE_OTHER, page.clone()));
    assert_eq!(manager.tournament(&id).unwrap().ranking.len(), 4);
    let again = send(&router, &format!("{page}/enter"), "player=Dora").await;
    assert_eq!(again.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(again.text.contains("Dora cannot enter: it takes part already"), "{}", again.text);

    let id = manager.create_tournament(&cup(Format::SingleElimination, &["Anna", "Bert"])).unwrap();
    let shown = get(&router, &format!("/tournaments/{id}")).await.text;
    assert!(shown.contains("Nobody can enter this tournament now: the bracket was drawn at the start."));
    assert!(!shown.contains("Enter a player"));
}

#[tokio::test]
async fn who_is_waited_for_is_said_and_where_that_can_be_seen() {
    let (router, manager) = on_loopback();
    register(&manager, &["Anna", "Bert"]);
    let program = service("legal");
    manager.register_player("Program", &remote(&program)).unwrap();
    let casual = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 600_000)).unwrap();
    wait("a match", || (stage(&manager, &casual) == MatchStage::Running).then_some(()));
    let id = manager.create_tournament(&cup(Format::RoundRobin, &["Anna", "Program"])).unwrap();
    let waits = format!("Waits for Program, who has been playing match {casual} since ");
    let part = first_event(&router, &format!("/tournaments/{id}/live")).await.text;
    assert!(part.contains(&waits) && part.contains(&format!("href=\"/matches/{casual}\"")), "{part}");

    let second = manager.schedule(&tic_tac_toe(&["Bert", "Program"], 600_000)).unwrap();
    let page = get(&router, &format!("/matches/{second}")).await.text;
    assert!(page.contains("Waits until Program has no more to play in the tournament Cup."), "{page}");
    // Those that run have a small board in the list.
    let list = get(&router, "/matches").await.text;
    assert_eq!(list.matches("class=\"thumb listed\"").count(), 1, "{list}");
    manager.abort_match(&second, "enough of it").unwrap();
    let list = get(&router, "/matches?stage=aborted").await.text;
    assert!(list.contains("title=\"enough of it\""), "{list}");
}

#[tokio::test]
async fn tournaments_are_found_by_title_game_player_and_state() {
    let (router, manager) = on_loopback();
    register(&manager, &["Anna", "Bert", "Cleo", "Dora"]);
    let titled = |title: &str, players: &[&str]| {
        let plan = TournamentPlan { title: title.to_owned(), ..cup(Format::RoundRobin, players) };
        manager.create_tournament(&plan).unwrap()
    };
    let spring = titled("Spring cup", &["Anna", "Bert"]);
    let autumn = titled("Autumn cup", &["Anna", "Cleo"]);
    manager.enter_tournament(&spring, "Dora").unwrap();
    manager.pause_tournament(&autumn).unwrap();
    for (query, found) in [
        ("text=cup", [true, true]),
        ("text=spr", [true, false]),
        ("player=Cleo", [false, true]),
        ("player=Dora", [true, false]),
        ("stage=paused", [false, true]),
        ("game=tic-tac-toe&player=Anna", [true, true]),
        ("game=chess", [false, false]),
    ] {
        let page = get(&router, &format!("/tournaments?{query}")).await.text;
        assert_eq!(["Spring cup", "Autumn cup"].map(|title| page.contains(title)), found, "{query}");
        let told = get(&router, &format!("/api/tournaments?{query}")).await.json();
        assert_eq!(told["total"], found.iter().filter(|&&found| found).count(), "{query}");
    }
    assert_eq!(get(&router, "/tournaments?stage=lost").await.status, StatusCode::BAD_REQUEST);
}
