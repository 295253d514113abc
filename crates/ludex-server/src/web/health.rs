//! What watches over servers wants to know.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::Web;
use super::failure::WebFailure;

/// 200 where all is well, 503 where it is not, and why.
pub(super) async fn healthz(State(web): State<Arc<Web>>) -> Response {
    let troubles = match web.ask_aside(|manager| Ok(manager.status()?)).await {
        Ok(status) => status.troubles,
        Err(failure) => vec![failure.text],
    };
    let (status, word) = match troubles.is_empty() {
        true => (StatusCode::OK, "ok"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "trouble"),
    };
    (status, Json(json!({ "status": word, "troubles": troubles }))).into_response()
}

/// Metrics in the text format of Prometheus.
pub(super) async fn metrics(State(web): State<Arc<Web>>) -> Result<Response, WebFailure> {
    let text = web.ask(|manager| Ok(manager.metrics()?)).await?;
    let kind = [(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")];
    Ok((kind, text).into_response())
}
