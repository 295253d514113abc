//! Names and texts that are made to be taken for something else.

use axum::http::{StatusCode, header};
use ludex::matches::tournament::{Format, Tournament, TournamentGame, TournamentSetup};
use ludex_server::model::{ClockPlan, NewGame, PlayerKind, TournamentPlan};
use serde_json::json;

use super::support::*;
use crate::manager_support::{tic_tac_toe, wait_for_end};

/// Turns what follows round for whoever reads it.
const ROUND: char = '\u{202e}';

fn hostile() -> String {
    format!("<script>alert(1)</script>\"'><img src=x onerror=y>&amp;{ROUND}{{{{7*7}}}}")
}

/// Nothing of it is a tag or ends an attribute.
fn is_harmless(what: &str, page: &str) {
    for live in ["<script>alert", "<img src=x", "\"'><", "<img/src", "</script>\"", "<b>bold"] {
        assert!(!page.contains(live), "{what} has {live}:\n{page}");
    }
    // The only scripts are our own.
    assert_eq!(
        page.matches("<script").count(),
        page.matches("<script src=\"/static/ludex.js?").count(),
        "{what}"
    );
}

#[tokio::test]
async fn names_that_could_be_anything_else_are_refused() {
    let (router, _manager) = on_loopback();
    let long = "x".repeat(100_000);
    for name in ["<script>", "\"quoted\"", "a'b", "\u{202e}evil", "a b", "..", "a/b", "%2e%2e", &long] {
        for (path, body) in [
            ("/api/players", json!({ "name": name, "kind": "person" })),
            ("/api/games", json!({ "name": name, "text": "(role a)" })),
        ] {
            let said = send(&router, path, &body.to_string()).await;
            assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY, "{path} {name}");
            assert!(said.text.len() < 2000, "an answer is not as long as what was sent");
            assert!(said.json()["error"].is_string());
        }
    }
}

#[tokio::test]
async fn titles_and_descriptions_are_escaped() {
    let (router, manager) = on_loopback();
    let text = manager.game("tic-tac-toe", None).unwrap().text;
    let (title, description) = (hostile(), hostile());
    let new = NewGame { name: "mine".into(), title: title.clone(), description, text, draft: false };
    manager.add_game(&new).unwrap();
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let games = vec![TournamentGame { name: "mine".to_owned(), seats: 0 }];
    let tournament = Tournament { players: vec!["Anna".into(), "Bert".into()], games, rounds: 1, seed: 3 };
    let competition = TournamentSetup::new(tournament, Format::RoundRobin);
    let cup = TournamentPlan::new(title.clone(), competition, ClockPlan::new(20_000, 20_000));
    let id = manager.create_tournament(&cup).unwrap();
    let pages = [
        "/games",
        "/games/mine",
        "/games/mine/describe",
        "/tournaments",
        &format!("/tournaments/{id}"),
        &format!("/tournaments/{id}/end"),
        "/",
    ];
    for page in pages {
        let said = get(&router, page).await;
        assert_eq!(said.status, StatusCode::OK, "{page}");
        is_harmless(page, &said.text);
    }
    // In JSON it is what it was.
    let said = get(&router, "/api/games/mine").await;
    assert_eq!(said.json()["summary"]["title"], title);
    assert_eq!(said.headers[header::CONTENT_TYPE], "application/json");
    let said = get(&router, &format!("/api/tournaments/{id}")).await;
    assert_eq!(said.json()["plan"]["title"], title);
    manager.end_tournament(&id).unwrap();
}

#[tokio::test]
async fn words_of_rulesheets_are_escaped_in_pages_boards_and_messages() {
    let (router, manager) = on_loopback();
    let role = "<img/src=x/onerror=y>";
    let text = format!(
        "(role {role}) (role a&b) (init (cell 1 1 <b>bold{ROUND})) (init (cell 1 2 </script>)) (init (step 1))
         (<= (legal {role} (mark 1 </script>)) (true (step 1))) (<= (legal {role} (mark 2 <b>bold)) (true (step 1)))
         (<= (legal a&b noop) (true (step 1)))
         (<= (next (cell ?x ?y ?z)) (true (cell ?x ?y ?z))) (<= (next (step 2)) (true (step 1)))
         (<= terminal (true (step 2))) (goal {role} 100) (goal a&b 0)"
    );
    let new = NewGame { name: "odd".into(), text, ..NewGame::default() };
    if let Err(error) = manager.add_game(&new) {
        panic!("{error}: {}", manager.check_game("odd", &new.text).unwrap().drawn);
    }
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let plan =
        ludex_server::model::MatchPlan { game: "odd".into(), ..tic_tac_toe(&["Anna", "Bert"], 60_000) };
    let made = make_match(&router, &plan).await;
    let id = made["id"].as_str().unwrap();
    let seat = made["seats"][0]["path"].as_str().unwrap();
    let pages = [
        "/games/odd".to_owned(),
        "/matches/new?game=odd".to_owned(),
        format!("/matches/{id}"),
        seat.to_owned(),
        format!("/matches/{id}/replay"),
    ];
    for page in &pages {
        let said = get(&router, page).await;
        assert_eq!(said.status, StatusCode::OK, "{page}");
        is_harmless(page, &said.text);
    }
    manager.abort_match(id, &hostile()).unwrap();
    wait_for_end(&manager, id);
    for page in [format!("/matches/{id}"), format!("/matches/{id}/replay"), "/games/odd/rules".to_owned()] {
        let said = get(&router, &page).await;
        if page.ends_with("/rules") {
            assert_eq!(said.headers[header::CONTENT_TYPE], "text/plain; charset=utf-8");
            assert_eq!(said.headers[header::CONTENT_DISPOSITION], "attachment; filename=\"odd.kif\"");
        } else {
            is_harmless(&page, &said.text);
        }
    }
    let detail = get(&router, &format!("/api/matches/{id}")).await.json();
    assert_eq!(detail["summary"]["aborted"], hostile());
    assert_eq!(detail["summary"]["seats"][0]["role"], role);
}

#[tokio::test]
async fn what_is_asked_for_by_an_odd_name_is_not_repeated_raw() {
    let (router, _manager) = on_loopback();
    for path in [
        "/games/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/players/%22%3E%3Cscript%3Ealert(1)",
        "/matches/%3Cscript%3Ealert/seat/0",
        "/matches?game=%22%27%3E%3Cscript%3Ealert(1)",
    ] {
        let said = get(&router, path).await;
        is_harmless(path, &said.text);
    }
    let said = get(&router, "/matches/a%0D%0Ab%22/record.json").await;
    assert_eq!(said.status, StatusCode::NOT_FOUND);
}
