//! What keeps others out, and what every answer has.

use std::time::Duration;

use axum::body::Body;
use axum::http::{StatusCode, header};
use ludex_server::model::PlayerKind;
use ludex_server::web::WebOptions;

use super::support::*;
use crate::manager_support::now;

#[tokio::test]
async fn every_page_is_there_and_may_load_nothing_from_elsewhere() {
    let (router, _manager) = on_loopback();
    let pages = [
        "/",
        "/games",
        "/games/new",
        "/games/tic-tac-toe",
        "/games/tic-tac-toe/rules",
        "/players",
        "/matches",
        "/matches/new",
        "/matches/new?game=nim",
        "/tournaments",
        "/tournaments/new",
        "/api",
        "/login",
        "/healthz",
        "/metrics",
        "/static/style.css",
        "/static/ludex.js",
        "/static/icon.svg",
        "/api/openapi.json",
        "/api/status",
        "/api/games",
        "/api/players",
        "/api/matches",
        "/api/tournaments",
    ];
    for page in pages {
        let said = get(&router, page).await;
        assert_eq!(said.status, StatusCode::OK, "{page}");
        let policy = said.headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{page}");
        assert_eq!(said.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff", "{page}");
        if page != "/api/openapi.json" {
            for foreign in ["src=\"http", "href=\"http", " style=\"", " onclick="] {
                assert!(!said.text.contains(foreign), "{page} has {foreign}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_said_to_people_and_to_programs() {
    let (router, _manager) = on_loopback();
    for page in ["/nowhere", "/games/none", "/matches/none", "/matches/none/live", "/tournaments/none"] {
        let said = get(&router, page).await;
        assert_eq!(said.status, StatusCode::NOT_FOUND, "{page}");
        assert!(said.text.contains("<h1>Not found</h1>"), "{page}");
    }
    for path in
        ["/api/nowhere", "/api/games/none", "/api/matches/none/record", "/api/tournaments/none/events"]
    {
        let said = get(&router, path).await;
        assert_eq!(said.status, StatusCode::NOT_FOUND, "{path}");
        assert!(said.text.starts_with("{\"error\":"), "{path}: {}", said.text);
    }
}

#[tokio::test]
async fn changes_come_from_our_own_pages_only() {
    let (router, manager) = on_loopback();
    let body = "name=one&address=person";
    let refused = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "null"),
        ("origin", "http://evil.example"),
        ("host", "evil.example:8080"),
    ];
    for (name, value) in refused {
        let mut request = post("/players", body).body(Body::from(body)).unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
        let said = ask(&router, request).await;
        assert!(said.status.is_client_error(), "{name}: {value}");
        assert!(manager.player("one").is_err(), "{name}: {value}");
    }
    let mut request = post("/players", body).body(Body::from(body)).unwrap();
    request.headers_mut().insert("origin", "http://127.0.0.1:8080".parse().unwrap());
    assert_eq!(ask(&router, request).await.status, StatusCode::SEE_OTHER);
    assert_eq!(manager.player("one").unwrap().kind, PlayerKind::Person);
}

#[tokio::test]
async fn whoever_changes_something_needs_the_token() {
    let (router, manager) = router(WebOptions::public(TOKEN));
    let body = "{\"name\":\"one\",\"kind\":\"person\"}";
    assert_eq!(send(&router, "/api/players", body).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(send(&router, "/login", "token=wrong").await.status, StatusCode::UNAUTHORIZED);
    assert!(manager.player("one").is_err());
    let bearer = post("/api/players", body).header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
    let said = ask(&router, bearer.body(Body::from(body)).unwrap()).await;
    assert_eq!(said.status, StatusCode::CREATED);
    let said = send(&router, "/login", "token=a+token+nobody+guesses").await;
    let cookie = said.headers[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Strict") && !cookie.contains(TOKEN), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let body = "name=two&address=person";
    let request = post("/players", body).header(header::COOKIE, cookie).body(Body::from(body)).unwrap();
    assert_eq!(ask(&router, request).await.status, StatusCode::SEE_OTHER);
    assert!(get(&router, "/").await.text.contains("Log in"));
}

/// A wrong token waits on every way as it does at the form: as a bearer, and as a cookie, which is taken away.
/// Nobody learns sooner whether a guess was right.
#[tokio::test]
async fn wrong_tokens_wait_on_every_way() {
    let (router, manager) = router(WebOptions::public(TOKEN));
    let body = "{\"name\":\"one\",\"kind\":\"person\"}";
    let wrong = "Bearer another token that is long";
    let wait = Duration::from_millis(500);
    let begun = now();
    let request =
        post("/api/players", body).header(header::AUTHORIZATION, wrong).body(Body::from(body)).unwrap();
    let said = ask(&router, request).await;
    assert!(said.status == StatusCode::UNAUTHORIZED && begun.elapsed() >= wait, "{:?}", begun.elapsed());
    let begun = now();
    let said = get_with(&router, "/api/status", &[("authorization", wrong)]).await;
    assert!(said.status == StatusCode::UNAUTHORIZED && begun.elapsed() >= wait, "{}", said.text);
    let begun = now();
    let said = get_with(&router, "/", &[("cookie", "ludex=0123456789abcdef")]).await;
    assert!(said.status == StatusCode::OK && begun.elapsed() >= wait, "{:?}", begun.elapsed());
    assert!(said.headers[header::SET_COOKIE].to_str().unwrap().starts_with("ludex=; Path=/;"));
    let right = format!("Bearer {TOKEN}");
    assert_eq!(get_with(&router, "/api/status", &[("authorization", &right)]).await.status, StatusCode::OK);
    assert!(manager.player("one").is_err());
}

#[tokio::test]
async fn rulesheets_are_checked_with_their_place_and_nothing_of_them_is_taken_for_html() {
    let (router, _manager) = on_loopback();
    let text = "(role <script>alert(1)</script>";
    let form = "name=mine&do=add&text=(role+%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    let said = send(&router, "/games", form).await;
    assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(said.text.contains("line 1, column"), "{}", said.text);
    assert!(!said.text.contains("<script>alert") && !said.text.contains(text));
    let said = send(
        &router,
        "/games",
        "name=mine&do=check&text=(role+a)(init+p)(next+q)(legal+a+x)(goal+a+100)(%3C%3D+terminal+(true+q))",
    )
    .await;
    assert_eq!(said.status, StatusCode::OK);
    assert_eq!(get(&router, "/games/mine").await.status, StatusCode::NOT_FOUND, "it was only checked");
    let said = send(&router, "/players", "name=%3Cb%3E&address=%22%3E%3Cscript%3E").await;
    assert!(said.status.is_client_error());
    assert!(!said.text.contains("<b>&") && !said.text.contains("<script>"));
}

#[tokio::test]
async fn long_bodies_are_refused() {
    let (router, _manager) = on_loopback();
    let body = format!("name=x&text={}", "a".repeat(5 << 20));
    assert_eq!(send(&router, "/games", &body).await.status, StatusCode::PAYLOAD_TOO_LARGE);
}
