//! What watches over servers wants to know.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::Web;
use super::failure::WebFailure;

/// 200 as long as the process answers at all: what other servers, or databases, are down for is nothing that a new
/// start would mend.
pub(super) async fn livez() -> Response {
    Json(json!({ "status": "ok" })).into_response()
}

/// 200 where requests are welcome, 503 where others should have them: the server is about to end, or something does not
/// work.
pub(super) async fn readyz(State(web): State<Arc<Web>>) -> Response {
    if *web.leaving.borrow() {
        return told(&["the server is about to end".to_owned()], "ending");
    }
    healthz(State(web)).await
}

/// 200 where all is well, 503 where it is not, and why.
pub(super) async fn healthz(State(web): State<Arc<Web>>) -> Response {
    let troubles = match web.ask_aside(|manager| Ok(manager.status()?)).await {
        Ok(status) => status.troubles,
        Err(failure) => vec![failure.text],
    };
    told(&troubles, "trouble")
}

fn told(troubles: &[String], word: &str) -> Response {
    let (status, word) = match troubles.is_empty() {
        true => (StatusCode::OK, "ok"),
        false => (StatusCode::SERVICE_UNAVAILABLE, word),
    };
    (status, Json(json!({ "status": word, "troubles": troubles }))).into_response()
}

/// Metrics in the text format of Prometheus.
pub(super) async fn metrics(State(web): State<Arc<Web>>) -> Result<Response, WebFailure> {
    let shared = Arc::clone(&web);
    let figures = web.ask_aside(move |manager| {
        Ok(manager
            .metrics_with(|registry| shared.requests.register(registry, shared.visitors.streams_open()))?)
    });
    let kind = [(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")];
    Ok((kind, figures.await?).into_response())
}
