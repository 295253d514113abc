//! Uploading: what can be played is accepted, what cannot is kept as a draft, and nothing of it is offered.

use axum::http::StatusCode;
use ludex_server::manager::{Manager, ManagerError};
use ludex_server::model::{MatchPlan, NewGame};

use super::support::*;
use crate::manager_support::{remote, service, tic_tac_toe};

/// A game that does not end, and one that does.
const ENDLESS: &str = "(role a) (init (p 1)) (legal a go) (next (p 1)) (<= terminal (true (p 2))) (goal a 0)";
const ENDING: &str = "(role a) (init (p 1)) (legal a go) (next (p 2)) (<= terminal (true (p 2))) (goal a 0)";

fn form(name: &str, text: &str, action: &str) -> String {
    let text: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("name={name}&text={text}&do={action}")
}

fn add(manager: &Manager, name: &str, text: &str, draft: bool) -> Result<String, ManagerError> {
    let new = NewGame { name: name.into(), text: text.into(), draft, ..NewGame::default() };
    manager.add_game(&new).map(|check| check.sha256)
}

#[tokio::test]
async fn what_nobody_can_play_is_refused_in_red_and_kept_as_a_draft() {
    let (router, manager) = on_loopback();
    let said = send(&router, "/games", &form("long", ENDLESS, "add")).await;
    assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY);
    let (top, rest) = said.text.split_once("<form").unwrap();
    assert!(top.contains("notice bad") && top.contains("The game does not end"), "{top}");
    assert!(rest.contains("value=\"draft\"") && rest.contains("That can be done with these rules"), "{rest}");
    assert!(manager.game("long", None).is_err(), "it was not kept");

    let said = send(&router, "/games", &form("long", ENDLESS, "draft")).await;
    assert_eq!(said.status, StatusCode::SEE_OTHER, "{}", said.text);
    let page = get(&router, &said.location()).await.text;
    let above = page.split("<h2>").next().unwrap();
    assert!(above.contains("notice bad") && above.contains("The game does not end"), "{above}");
    assert!(above.contains("This version is a draft") && !above.contains("New match"), "{above}");
    for page in ["/", "/matches/new", "/tournaments/new"] {
        assert!(!get(&router, page).await.text.contains("\"long\""), "{page}");
    }
    assert!(get(&router, "/games").await.text.contains(">draft<"));
    let names = get(&router, "/api/games?offered=true&size=500").await.text;
    assert!(
        !names.contains("\"long\"") && names.contains("\"tic-tac-toe\"") && !names.contains("\"figure-9-3\"")
    );

    // It is gone on with, and is a game then.
    let hash = manager.game("long", None).unwrap().version.sha256;
    let form_page = get(&router, &format!("/games/new?from=long&version={hash}")).await.text;
    assert!(form_page.contains("(true (p 2))"), "{form_page}");
    let said = send(&router, "/games", &form("long", ENDING, "add")).await;
    assert_eq!((said.status, said.location()), (StatusCode::SEE_OTHER, "/games/long?added=1".to_owned()));
    let page = get(&router, "/games/long").await.text;
    assert!(page.contains("New match") && !page.contains("is a draft"), "{page}");
    assert!(get(&router, "/matches/new").await.text.contains("\"long\""));
}

#[tokio::test]
async fn drafts_are_not_played_and_do_not_take_the_place_of_games() {
    let (router, manager) = on_loopback();
    let program = service("legal");
    manager.register_player("Program", &remote(&program)).unwrap();
    let plan = |game: &str, version: Option<&str>| {
        let plan = tic_tac_toe(&["Program"], 20_000);
        MatchPlan { game: game.into(), version: version.map(str::to_owned), ..plan }
    };
    add(&manager, "long", ENDLESS, true).unwrap();
    let refused = manager.schedule(&plan("long", None)).unwrap_err().to_string();
    assert_eq!(refused, "the game `long` cannot be played: it is a draft");
    let good = add(&manager, "short", ENDING, false).unwrap();
    let draft = add(&manager, "short", ENDLESS, true).unwrap();
    assert_eq!(manager.game("short", None).unwrap().version.sha256, good);
    assert!(manager.schedule(&plan("short", Some(&draft))).is_err());
    manager.schedule(&plan("short", None)).unwrap();
    let page = get(&router, "/games/short").await.text;
    assert!(page.contains("A newer version is a draft") && page.contains(&draft[..12]), "{page}");
    // What was accepted once stays so.
    add(&manager, "short", ENDING, true).unwrap();
    assert!(manager.game("short", Some(&good)).unwrap().version.offered);
}

/// Rules that need a waived finding are there to be read.
#[tokio::test]
async fn rules_that_cannot_be_run_say_why_and_are_not_offered() {
    let (router, manager) = on_loopback();
    let page = get(&router, "/games/figure-9-3").await;
    assert_eq!(page.status, StatusCode::OK);
    let above = page.text.split("<h2>").next().unwrap();
    assert!(above.contains("<p>The rulesheet has errors.</p>") && !above.contains("New match"), "{above}");
    assert!(!above.contains("draft"), "nobody is to go on with it: {above}");
    assert!(page.text.contains("depends on the move"), "what is wrong is said: {}", page.text);
    assert!(get(&router, "/games").await.text.contains(">to be read<"));
    for page in ["/", "/matches/new", "/tournaments/new"] {
        assert!(!get(&router, page).await.text.contains("figure-9-3"), "{page}");
    }
    let facts = get(&router, "/api/games/figure-9-3/facts").await;
    assert_eq!(facts.json()["error"], "The rulesheet has errors.");
    let plan = MatchPlan { game: "figure-9-3".into(), ..tic_tac_toe(&[], 20_000) };
    let refused = manager.schedule(&plan).unwrap_err().to_string();
    assert_eq!(refused, "the game `figure-9-3` cannot be played: its rules are only there to be read");
}

#[tokio::test]
async fn the_editor_is_told_findings_a_state_and_why_a_move_is_legal() {
    let (router, manager) = on_loopback();
    let text = manager.game("tic-tac-toe", None).unwrap().text;
    let ask = async |question: serde_json::Value| {
        let said = send(&router, "/games/editor", &question.to_string()).await;
        assert_eq!(said.status, StatusCode::OK, "{}", said.text);
        said.json()
    };
    let wrong = ask(serde_json::json!({ "text": "(role a)\n(legal a (m ?x))" })).await;
    assert_eq!(wrong["marks"], serde_json::json!([[2, "error"]]), "what is nowhere marks no line: {wrong}");
    assert!(wrong["findings"].as_str().unwrap().contains("data-line=\"2\""), "{wrong}");
    assert!(!wrong["state"].as_str().unwrap().contains("<svg"), "{wrong}");

    let moves = |white: &str, black: &str| serde_json::json!({ "moves": [white, black] });
    let steps = [moves("(mark 2 2)", "noop"), moves("noop", "(mark 1 1)"), moves("(mark 2 2)", "noop")];
    let told = ask(serde_json::json!({ "text": text, "steps": steps })).await;
    assert_eq!(told["made"], 2, "the third move is not legal: {told}");
    let state = told["state"].as_str().unwrap();
    assert!(state.contains("<svg") && state.contains("Step 3: `(mark 2 2)` is not a legal move"), "{state}");

    let told = ask(serde_json::json!({ "text": text, "why": [0, "(mark 2 2)"] })).await;
    let state = told["state"].as_str().unwrap();
    assert!(state.contains("Why (legal white (mark 2 2))?"), "{state}");
    assert!(state.contains("it is so in this state") && state.contains(">line "), "{state}");
    let told = ask(serde_json::json!({ "text": text, "why": [7, "(mark 2 2)"] })).await;
    assert!(told["state"].as_str().unwrap().contains("There is no such move"), "{told}");
    let empty = ask(serde_json::json!({ "text": "  " })).await;
    assert_eq!(empty["findings"], "");
}

/// In real time, time passes between moves, and whoever does not move at a moment need not.
#[tokio::test]
async fn the_editor_lets_time_pass() {
    let (router, manager) = on_loopback();
    let text = manager.game("chess-clock", None).unwrap().text;
    let ask = async |steps: serde_json::Value| {
        let question = serde_json::json!({ "text": text, "steps": steps }).to_string();
        let told = send(&router, "/games/editor", &question).await.json();
        (told["made"].as_u64().unwrap(), told["state"].as_str().unwrap().to_owned())
    };
    let take = |white: &str, black: &str| serde_json::json!({ "moves": [white, black] });
    let (made, state) =
        ask(serde_json::json!([{ "advance": "2.5" }, take("(take 2)", ""), { "advance": "1" }])).await;
    assert_eq!(made, 3);
    assert!(state.contains("Time 3.5") && state.contains("(does not move)"), "{state}");
    assert!(state.contains("1 passed"), "{state}");
    // White has moved, and has no say now; the clock of black ends at 2.5 + 120.
    let (made, state) =
        ask(serde_json::json!([{ "advance": "2.5" }, take("(take 2)", ""), take("(take 1)", "")])).await;
    assert!(made == 2 && state.contains("At 2.5: `(take 1)` is not legal for `white`"), "{state}");
    let (made, state) = ask(serde_json::json!([{ "advance": "2.5" }, take("(take 2)", ""), "next"])).await;
    assert!(made == 3 && state.contains("Time 122.5") && state.contains("The game is over."), "{state}");
    for (steps, problem) in [
        (serde_json::json!([{ "advance": "soon" }]), "`soon` is no time"),
        (serde_json::json!([take("", "")]), "At 0: "),
        (serde_json::json!([{ "moves": ["", "", "(take 1)"] }]), "there are not so many roles"),
        (serde_json::json!(["next", "next"]), "the game is over"),
    ] {
        let (_, state) = ask(steps).await;
        assert!(state.contains(problem), "{problem}: {state}");
    }
}

/// Games in sentences are walked about in as all others are.
#[tokio::test]
async fn the_editor_steps_through_sentences() {
    let (router, manager) = on_loopback();
    let text = manager.game("once-each", None).unwrap().text;
    let told = send(&router, "/games/editor", &serde_json::json!({ "text": text }).to_string()).await.json();
    let state = told["state"].as_str().unwrap().to_owned();
    let first = |role: usize| {
        let after = state.split(&format!("id=\"move-{role}\"")).nth(1).unwrap();
        after.split("value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let roles = state.matches("class=\"role-moves\"").count();
    let moves: Vec<String> = (0..roles).map(first).collect();
    let question = serde_json::json!({ "text": text, "steps": [{ "moves": moves }] }).to_string();
    let told = send(&router, "/games/editor", &question).await.json();
    assert_eq!(told["made"], 1, "{moves:?}: {told}");
    let question = serde_json::json!({ "text": text, "steps": ["next"] }).to_string();
    let told = send(&router, "/games/editor", &question).await.json();
    assert!(told["state"].as_str().unwrap().contains("Time passes in games in real time only"), "{told}");
}

/// Whoever may not change anything does not make the server work on rules.
#[tokio::test]
async fn the_editor_is_for_those_who_may_upload() {
    let (router, _) = router(ludex_server::web::WebOptions::public(TOKEN));
    let said = send(&router, "/games/editor", "{\"text\":\"(role a)\"}").await;
    assert_eq!(said.status, StatusCode::UNAUTHORIZED);
    assert!(!get(&router, "/games/new").await.text.contains("editor.js"));
}
