//! What is told when something cannot be: as whoever asked can read it, and nothing of the server itself.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::http::{StatusCode, header};
use ludex_server::model::PlayerKind;
use ludex_server::web::WebOptions;

use super::support::*;
use crate::manager_support::faulty::{FaultyStore, SECRET};

/// Forms that fail, each in its own way, with the status where it is not the manager who says so: they say it
/// themselves, they cannot be read, the router refuses them.
fn failing_forms() -> Vec<(&'static str, &'static str, String, Option<u16>)> {
    let form = |path, body: &str, status| ("POST", path, body.to_owned(), status);
    vec![
        form("/matches", "game=none&seat=x", None),
        form("/matches", "game=tic-tac-toe&seat=Anna&seat=Anna", None),
        form("/games", "name=mine&do=add&text=(role+a", None),
        form("/games", "name=../mine&do=add&text=(role+a)", None),
        form("/games", "name=mine&do=check&text=(role+a", None),
        form("/games", "do=add", Some(422)),
        form("/games/none/describe", "title=a&description=b", None),
        form("/players", "name=two&address=nowhere:port:more", None),
        form("/players", "name=Anna&address=person", None),
        form("/players/Anna/edit", "address=nowhere:port:more", None),
        form("/players/none/retire", "", None),
        form("/tournaments", "title=x", None),
        form("/tournaments/none/pause", "", None),
        form("/quick", "game=none", None),
        form("/login", "", Some(422)),
        form("/nowhere", "", Some(404)),
        ("PUT", "/players", String::new(), Some(405)),
        form("/games", &format!("name=x&text={}", "a".repeat(5 << 20)), Some(413)),
    ]
}

#[tokio::test]
async fn forms_that_fail_say_so_in_json_to_who_prefers_it() {
    let (router, manager) = on_loopback();
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    for (method, path, body, status) in failing_forms() {
        for (accept, json) in [("application/json", true), ("text/html, */*;q=0.5", false)] {
            let request = sending(method, path, &body).header(header::ACCEPT, accept);
            let said = ask(&router, request.body(Body::from(body.clone())).unwrap()).await;
            let text: String = said.text.chars().take(300).collect();
            let place = format!("{method} {path} {:.40} as {accept}: {} {text}", body, said.status);
            assert!(said.status.is_client_error(), "{place}");
            assert!(status.is_none_or(|status| said.status.as_u16() == status), "{place}");
            let kind = said.headers[header::CONTENT_TYPE].to_str().unwrap();
            assert_eq!(kind.starts_with("application/json"), json, "{place}");
            match json {
                true => assert!(said.json()["error"].as_str().is_some_and(|text| text.len() > 5), "{place}"),
                false => assert!(said.text.starts_with("<!doctype html>"), "{place}"),
            }
        }
    }
    // As a form that is not what it says that it is.
    let request = sending("POST", "/players", "{").header(header::ACCEPT, "application/json");
    let said = ask(&router, request.body(Body::from("{")).unwrap()).await;
    assert!(said.status == StatusCode::UNSUPPORTED_MEDIA_TYPE && said.json()["error"].is_string());
}

#[tokio::test]
async fn wrong_tokens_are_told_as_wanted() {
    let (router, _manager) = router(WebOptions::public(TOKEN));
    for (path, body, name, value) in [
        ("/login", "token=wrong", "x-nothing", ""),
        ("/players", "name=a&address=person", "authorization", "Bearer wrong"),
        ("/players", "name=a&address=person", "x-nothing", ""),
    ] {
        let request = post(path, body).header(header::ACCEPT, "application/json").header(name, value);
        let said = ask(&router, request.body(Body::from(body)).unwrap()).await;
        assert_eq!(said.status, StatusCode::UNAUTHORIZED, "{path}: {}", said.text);
        assert!(said.json()["error"].is_string(), "{path}");
    }
}

/// What fails in the server is told with a number, under which its log has the rest; where the database is and what
/// the system says of it is told nobody, on no page.
#[tokio::test]
async fn nobody_is_told_where_things_are() {
    let store = FaultyStore::new();
    let full = store.switch();
    let (router, manager) = over(Arc::new(store), WebOptions::loopback(None));
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    full.store(true, Ordering::SeqCst);
    let add = "{\"name\":\"Bert\",\"kind\":\"person\"}";
    for (path, body) in [
        ("/api/players", add),
        ("/players", "name=Bert&address=person"),
        ("/players/Anna/retire", ""),
        ("/games/tic-tac-toe/describe", "title=a&description=b"),
    ] {
        let mut numbers = Vec::new();
        for _ in 0..2 {
            let said = send(&router, path, body).await;
            assert_eq!(said.status, StatusCode::INSUFFICIENT_STORAGE, "{path}: {}", said.text);
            assert!(said.text.contains("There is no room left on the disk."), "{path}: {}", said.text);
            assert!(!said.text.contains(SECRET) && !said.text.contains("ludex.db"), "{path}: {}", said.text);
            let number = said.text.split("of the server, under ").nth(1).map(|rest| rest[..8].to_owned());
            numbers.push(number.unwrap_or_else(|| panic!("{path}: {}", said.text)));
        }
        assert!(numbers[0] != numbers[1] && numbers[0].bytes().all(|b| b.is_ascii_hexdigit()), "{numbers:?}");
    }
    for page in ["/healthz", "/api/status", "/", "/metrics"] {
        let said = get(&router, page).await;
        assert!(!said.text.contains(SECRET) && !said.text.contains("ludex.db"), "{page}: {}", said.text);
    }
}
