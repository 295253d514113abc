//! Asking a router as browsers and programs do.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header, request};
use futures_util::StreamExt;
use ludex_server::manager::{Manager, ManagerOptions};
use ludex_server::model::MatchPlan;
use ludex_server::store::{SqliteStore, Store};
use ludex_server::web::{WebOptions, WebServer};
use serde_json::Value;
use tower::ServiceExt;

pub const TOKEN: &str = "a token nobody guesses";

pub fn router(options: WebOptions) -> (Router, Manager) {
    over(Arc::new(SqliteStore::in_memory().unwrap()), options)
}

/// The pages of a manager over a store.
pub fn over(store: Arc<dyn Store>, options: WebOptions) -> (Router, Manager) {
    let manager = Manager::start(store, ManagerOptions::default()).unwrap();
    (WebServer::new(manager.clone(), options).router(), manager)
}

pub fn on_loopback() -> (Router, Manager) {
    router(WebOptions::loopback(None))
}

pub struct Said {
    pub status: StatusCode,
    pub headers: header::HeaderMap,
    pub text: String,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// Where somebody is sent to.
    pub fn location(&self) -> String {
        self.headers[header::LOCATION].to_str().unwrap().to_owned()
    }
}

pub async fn ask(router: &Router, request: Request<Body>) -> Said {
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, 1 << 24).await.unwrap();
    Said { status: parts.status, headers: parts.headers, text: String::from_utf8_lossy(&bytes).into_owned() }
}

/// The first event of a stream of events, or why there is none.
pub async fn first_event(router: &Router, path: &str) -> Said {
    let request = Request::get(path).header(header::HOST, "127.0.0.1:8080").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let mut text = String::new();
    let mut chunks = body.into_data_stream();
    while !text.contains("\n\n") {
        let Some(chunk) = chunks.next().await else { break };
        text.push_str(&String::from_utf8_lossy(&chunk.unwrap()));
    }
    Said { status: parts.status, headers: parts.headers, text }
}

pub async fn get(router: &Router, path: &str) -> Said {
    get_with(router, path, &[]).await
}

pub async fn get_with(router: &Router, path: &str, headers: &[(&str, &str)]) -> Said {
    let request = Request::get(path).header(header::HOST, "127.0.0.1:8080");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    ask(router, request.body(Body::empty()).unwrap()).await
}

pub fn post(path: &str, body: &str) -> request::Builder {
    sending("POST", path, body)
}

pub fn sending(method: &str, path: &str, body: &str) -> request::Builder {
    let kind = if body.starts_with('{') { "application/json" } else { "application/x-www-form-urlencoded" };
    let request = Request::builder().method(method).uri(path);
    request.header(header::HOST, "127.0.0.1:8080").header(header::CONTENT_TYPE, kind)
}

pub async fn send(router: &Router, path: &str, body: &str) -> Said {
    ask(router, post(path, body).body(Body::from(body.to_owned())).unwrap()).await
}

/// Makes a match as a program does, and returns what the answer says.
pub async fn make_match(router: &Router, plan: &MatchPlan) -> Value {
    let body = serde_json::to_string(plan).unwrap();
    let request = post("/api/matches", &body).header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
    let said = ask(router, request.body(Body::from(body)).unwrap()).await;
    assert_eq!(said.status, StatusCode::CREATED, "{}", said.text);
    said.json()
}
