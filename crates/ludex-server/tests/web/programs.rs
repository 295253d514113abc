//! What programs rely on beside the answers themselves: failures that they can read, lists that can be gone
//! through while they grow, and the header in which they say what they want.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use futures_util::StreamExt;
use ludex_server::manager::Manager;
use ludex_server::model::{MatchQuery, PlayerKind};
use ludex_server::web::{ConnectionLimits, WebOptions};
use serde_json::Value;
use tower::ServiceExt;

use super::support::*;
use crate::manager_support::tic_tac_toe;

/// Matches that are over without having begun.
fn add_matches(manager: &Manager, count: usize) {
    let mut plan = tic_tac_toe(&["Anna", "Bert"], 60_000);
    plan.begin = Some(ludex_server::driver::unix_milliseconds() + 80_000_000);
    for _ in 0..count {
        let id = manager.schedule(&plan).unwrap();
        manager.abort_match(&id, "enough").unwrap();
    }
}

/// The names of the matches in lines of records.
fn names(text: &str) -> Vec<String> {
    let name =
        |line: &str| serde_json::from_str::<Value>(line).unwrap()["matchId"].as_str().unwrap().to_owned();
    text.lines().map(name).collect()
}

/// While the first records are read, matches are added: the others come all the same, and none comes twice.
#[tokio::test]
async fn records_come_once_while_matches_are_added() {
    let (router, manager) = on_loopback();
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    add_matches(&manager, 120);
    let known = manager.matches(&MatchQuery::default()).unwrap().total as usize;
    let request =
        Request::get("/records.jsonl").header(header::HOST, "127.0.0.1").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let mut portions = response.into_body().into_data_stream();
    let mut text = String::new();
    while let Some(portion) = portions.next().await {
        text.push_str(std::str::from_utf8(&portion.unwrap()).unwrap());
        add_matches(&manager, 10);
    }
    let found = names(&text);
    let distinct: BTreeSet<&String> = found.iter().collect();
    assert_eq!((distinct.len(), found.len()), (known, known));
    // The list of matches is gone through in the same way.
    let known = manager.matches(&MatchQuery::default()).unwrap().total as usize;
    let listed = listed(&router, "/api/matches?size=25", "id", || add_matches(&manager, 3)).await;
    let distinct: BTreeSet<&String> = listed.iter().collect();
    assert_eq!((distinct.len(), listed.len()), (known, known));
}

/// What items of a list are called, page by page; before each next page something is done.
async fn listed(router: &Router, address: &str, name: &str, mut meanwhile: impl FnMut()) -> Vec<String> {
    let (mut after, mut listed) = (String::new(), Vec::new());
    loop {
        let page = get(router, &format!("{address}{after}")).await.json();
        let items = page["items"].as_array().unwrap();
        listed.extend(items.iter().map(|item| item[name].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else { return listed };
        after = format!("&after={next}");
        meanwhile();
    }
}

/// Games and players go by their names, and players' names by their letters, whatever the case.
#[tokio::test]
async fn games_and_players_come_once_while_some_are_added() {
    let (router, manager) = on_loopback();
    let mut next = ('a'..='z').map(|letter| format!("a-{letter}"));
    for name in ["Emil", "berta", "Anna", "Dora", "Carl"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let mut add = || drop(manager.register_player(&next.next().unwrap(), &PlayerKind::Person).unwrap());
    let found = listed(&router, "/api/players?size=2", "name", &mut add).await;
    let people = ["Anna", "berta", "Carl", "Dora", "Emil"];
    assert_eq!(found.iter().filter(|name| people.contains(&name.as_str())).collect::<Vec<_>>(), people);
    let found = listed(&router, "/api/games?size=7", "name", || {}).await;
    assert_eq!(found.len() as u64, manager.status().unwrap().games);
    assert!(found.is_sorted());
}

async fn asked(router: &Router, request: Request<Body>) -> (StatusCode, Value) {
    let said = ask(router, request).await;
    let kind = said.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    assert!(kind.starts_with("application/json"), "{kind}: {} {}", said.status, said.text);
    (said.status, said.json())
}

/// Whoever refuses a request, the router, what reads it, or a handler: programs read it as JSON.
#[tokio::test]
async fn failures_below_api_are_json_whoever_finds_them() {
    let (router, _manager) = on_loopback();
    let long = format!("{{\"name\":\"x\",\"text\":\"{}\"}}", "a".repeat(5 << 20));
    let cases = [
        ("GET", "/api/nowhere", "", 404),
        ("GET", "/api/games/none", "", 404),
        ("PATCH", "/api/games", "", 405),
        ("GET", "/api/matches?size=many", "", 400),
        ("GET", "/api/matches?stage=over", "", 400),
        // Pages were numbered once; who still counts on is told.
        ("GET", "/api/matches?text=a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q", "", 422),
        ("GET", "/api/games?text=a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q", "", 422),
        ("GET", "/api/matches?offset=50", "", 400),
        ("GET", "/api/games?offset=50", "", 400),
        ("GET", "/api/players?offset=50", "", 400),
        ("GET", "/api/tournaments?offset=50", "", 400),
        ("GET", "/api/matches?after=none", "", 404),
        ("GET", "/api/tournaments?after=none", "", 404),
        ("GET", "/api/matches/m1/steps/first", "", 400),
        ("GET", "/api/matches/%ff/steps/1", "", 400),
        ("POST", "/api/games", "{\"name\":", 400),
        ("POST", "/api/games", "{\"text\":\"(role a)\"}", 422),
        ("POST", "/api/games", "name=x", 415),
        ("POST", "/api/games", &long, 413),
    ];
    for (method, path, body, status) in cases {
        let request = sending(method, path, body).body(Body::from(body.to_owned())).unwrap();
        let (found, json) = asked(&router, request).await;
        assert_eq!(found.as_u16(), status, "{method} {path}: {json}");
        assert!(json["error"].as_str().is_some_and(|text| !text.is_empty()), "{method} {path}: {json}");
    }
    let request = sending("DELETE", "/api/games", "").body(Body::empty()).unwrap();
    let said = ask(&router, request).await;
    assert_eq!(said.headers[header::ALLOW], "GET,HEAD,POST", "what is possible is still said");
    // People get the same as pages.
    for (path, status) in [
        ("/matches?offset=25", 400),
        ("/matches?after=none", 404),
        ("/tournaments?offset=100", 400),
        ("/games/none", 404),
    ] {
        let said = get(&router, path).await;
        assert_eq!(said.status.as_u16(), status);
        assert!(said.text.starts_with("<!doctype html>"), "{}", said.text);
    }
}

/// A body that stops coming is a failure as all others.
#[tokio::test]
async fn a_body_that_does_not_come_is_told_as_json() {
    let limits = ConnectionLimits { body: Duration::from_millis(20), ..ConnectionLimits::default() };
    let (router, _manager) = router(WebOptions::loopback(None).with_limits(limits));
    let never = Body::from_stream(futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>());
    let request = sending("POST", "/api/games", "{").body(never).unwrap();
    let (status, json) = asked(&router, request).await;
    assert_eq!(status, StatusCode::REQUEST_TIMEOUT, "{json}");
}

/// Who likes JSON better gets failures in JSON on pages, too; browsers and who takes anything get pages.
#[tokio::test]
async fn what_is_asked_for_is_read_with_its_weights() {
    let (router, _manager) = on_loopback();
    for (accept, json) in [
        ("application/json", true),
        ("application/json, text/plain, */*", true),
        ("text/html;q=0.1, application/*;q=0.2", true),
        ("text/html, application/json;q=0.9", false),
        ("*/*", false),
    ] {
        let said = get_with(&router, "/games/none", &[("accept", accept)]).await;
        let kind = said.headers[header::CONTENT_TYPE].to_str().unwrap().to_owned();
        assert_eq!(kind.starts_with("application/json"), json, "{accept}: {kind}");
    }
}
