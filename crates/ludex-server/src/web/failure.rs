//! What people and programs are told when something cannot be.

use askama::Template;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::page::{Frame, page_with};
use crate::manager::ManagerError;
use crate::store::StoreError;

/// Why something cannot be: a status and a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub(super) struct WebFailure {
    pub(super) status: StatusCode,
    pub(super) text: String,
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    frame: &'a Frame,
    title: &'a str,
    text: &'a str,
    login: bool,
}

impl WebFailure {
    pub(super) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    /// There is no such thing.
    pub(super) fn missing(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("There is no such {what}."))
    }

    /// It cannot be done as it was asked for.
    pub(super) fn bad(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    /// For programs.
    fn json(&self) -> Response {
        (self.status, Json(json!({ "error": self.text }))).into_response()
    }

    /// For programs or for people.
    pub(super) fn into_answer(self, json: bool, frame: &Frame) -> Response {
        if json { self.json() } else { self.page(frame) }
    }

    /// For people.
    fn page(&self, frame: &Frame) -> Response {
        let title = match self.status {
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::UNAUTHORIZED => "Please log in",
            StatusCode::FORBIDDEN | StatusCode::MISDIRECTED_REQUEST => "Not allowed",
            status if status.is_server_error() => "Something went wrong",
            _ => "That did not work",
        };
        let login = self.status == StatusCode::UNAUTHORIZED;
        page_with(self.status, &ErrorPage { frame, title, text: &self.text, login })
    }
}

impl IntoResponse for WebFailure {
    /// How it is said depends on who asked, which the guard knows: see `security::guard`.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<ManagerError> for WebFailure {
    fn from(error: ManagerError) -> Self {
        let status = match &error {
            ManagerError::NotFound { .. } => StatusCode::NOT_FOUND,
            ManagerError::Exists { .. }
            | ManagerError::InUse { .. }
            | ManagerError::Over { .. }
            | ManagerError::Move(_) => StatusCode::CONFLICT,
            ManagerError::Hidden | ManagerError::Key => StatusCode::FORBIDDEN,
            ManagerError::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            ManagerError::Stopped => StatusCode::SERVICE_UNAVAILABLE,
            ManagerError::Store(_) | ManagerError::System(_) => {
                tracing::error!(%error, "a request failed");
                match &error {
                    ManagerError::Store(StoreError::Full { .. }) => StatusCode::INSUFFICIENT_STORAGE,
                    ManagerError::Store(StoreError::Locked { .. }) => StatusCode::SERVICE_UNAVAILABLE,
                    _ => StatusCode::INTERNAL_SERVER_ERROR,
                }
            }
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let text = error.to_string();
        let mut letters = text.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>());
        let mut text = first.unwrap_or_default() + letters.as_str();
        if !text.ends_with(['.', '!', '?']) {
            text.push('.');
        }
        Self::new(status, text)
    }
}

impl From<askama::Error> for WebFailure {
    fn from(error: askama::Error) -> Self {
        tracing::error!(%error, "a page could not be written");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "The page could not be written.")
    }
}
