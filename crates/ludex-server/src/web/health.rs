//! What watches over servers wants to know.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::Web;
use super::failure::WebFailure;
use crate::manager::{Manager, ManagerStatus};

/// 200 where all is well, 503 where it is not, and why.
pub(super) async fn healthz(State(web): State<Arc<Web>>) -> Response {
    let troubles = match web.ask(|manager| Ok(manager.status()?)).await {
        Ok(status) => status.troubles,
        Err(failure) => vec![failure.text],
    };
    let (status, word) = match troubles.is_empty() {
        true => (StatusCode::OK, "ok"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "trouble"),
    };
    (status, Json(json!({ "status": word, "troubles": troubles }))).into_response()
}

/// Figures in the text format of Prometheus.
pub(super) async fn metrics(State(web): State<Arc<Web>>) -> Result<Response, WebFailure> {
    let status = web.ask(|manager: &Manager| Ok(manager.status()?)).await?;
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, write(&status)).into_response())
}

fn write(status: &ManagerStatus) -> String {
    let figures = [
        ("games", "gauge", "Games in the library", status.games),
        ("players", "gauge", "Registered players", status.players),
        ("matches_running", "gauge", "Matches that run", status.running),
        ("matches_waiting", "gauge", "Matches that wait for their time or for room", status.waiting),
        ("matches_completed", "gauge", "Matches that were played to the end", status.completed),
        ("matches_aborted", "gauge", "Matches that ended early", status.aborted),
        ("tournaments_open", "gauge", "Tournaments that are not over", status.tournaments),
        ("games_ready", "gauge", "Games that are kept ready", status.ready_games),
        ("player_processes", "gauge", "Processes of built-in players", status.processes),
        ("steps_total", "counter", "Steps of all matches since the start", status.steps),
        ("troubles", "gauge", "What does not work at present", status.troubles.len() as u64),
    ];
    let mut text = String::new();
    for (name, kind, help, value) in figures {
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "# HELP ludex_{name} {help}.\n# TYPE ludex_{name} {kind}\nludex_{name} {value}");
    }
    text
}
