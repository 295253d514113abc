//! What people and programs are told when something cannot be.

use askama::Template;
use axum::Json;
use axum::body::to_bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::page::{PageLayout, page_with};
use crate::manager::ManagerError;
use crate::model::StoreError;

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
    layout: &'a PageLayout,
    title: &'a str,
    text: &'a str,
    login: bool,
}

/// That an answer is a page that says what went wrong beside what was filled in.
#[derive(Clone)]
struct OnPage(WebFailure);

/// As much of a refusal is told.
const MOST_WORDS: usize = 16 << 10;
/// What `tower_http` says in the middle of a body that is not waited for any longer; whoever reads bodies
/// repeats it.
const LATE: &str = "data was not received within the designated timeout";

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

    /// The server itself failed. What happened is logged under a number; who asked is told the number, and nothing of
    /// the server.
    pub(super) fn mistake(error: &dyn std::fmt::Display) -> Self {
        Self::logged(StatusCode::INTERNAL_SERVER_ERROR, "the server made a mistake", error)
    }

    fn logged(status: StatusCode, told: &str, error: &dyn std::fmt::Display) -> Self {
        // Where the system has no random numbers, failures have the same number, and are told apart by their times.
        let number = format!("{:08x}", getrandom::u32().unwrap_or_default());
        tracing::error!(number, %error, "a request failed");
        let told = sentence(told);
        Self::new(status, format!("{told} What happened is in the log of the server, under {number}."))
    }

    /// As a page that says it beside what was filled in; who prefers JSON gets that.
    pub(super) fn on(self, page: &impl Template) -> Response {
        let mut response = page_with(self.status, page);
        response.extensions_mut().insert(OnPage(self));
        response
    }

    /// The page of a form once more, with what is wrong.
    pub(super) fn again<T: Template, E: Into<Self>>(
        self,
        page: impl FnOnce(String) -> Result<T, E>,
    ) -> Result<Response, Self> {
        let shown = page(self.text.clone()).map_err(Into::into)?;
        Ok(self.on(&shown))
    }

    /// For programs.
    fn json(&self) -> Response {
        (self.status, Json(json!({ "error": self.text }))).into_response()
    }

    /// For programs or for people.
    pub(super) fn into_answer(self, json: bool, layout: &PageLayout) -> Response {
        if json { self.json() } else { self.page(layout) }
    }

    /// A failure as whoever asked can read it, whatever says in an answer why it refuses: a handler, or something
    /// else in a word, such as a path that knows no such method, a body that is too long or an address that cannot be
    /// read. All other answers stay as they are.
    pub(super) async fn told(mut response: Response, json: bool, layout: &PageLayout) -> Response {
        if let Some(failure) = response.extensions_mut().remove::<Self>() {
            let mut answer = failure.into_answer(json, layout);
            if let Some(later) = response.headers_mut().remove(header::RETRY_AFTER) {
                answer.headers_mut().insert(header::RETRY_AFTER, later);
            }
            return answer;
        }
        if let Some(OnPage(failure)) = response.extensions_mut().remove() {
            return if json { failure.json() } else { response };
        }
        let status = response.status();
        let kind = response.headers().get(header::CONTENT_TYPE);
        let is_word = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
        if !(status.is_client_error() || status.is_server_error()) || !is_word {
            return response;
        }
        let (parts, body) = response.into_parts();
        // It is in memory, and short.
        let text = to_bytes(body, MOST_WORDS).await.unwrap_or_default();
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        let failure = match text.as_str() {
            "" => Self::new(status, format!("{}.", status.canonical_reason().unwrap_or("It cannot be"))),
            late if late.contains(LATE) => {
                Self::new(StatusCode::REQUEST_TIMEOUT, "The body of the request did not come in time.")
            }
            _ => Self::new(status, text),
        };
        let mut answer = failure.into_answer(json, layout);
        if let Some(methods) = parts.headers.get(header::ALLOW) {
            answer.headers_mut().insert(header::ALLOW, methods.clone());
        }
        answer
    }

    /// For people.
    fn page(&self, layout: &PageLayout) -> Response {
        let title = match self.status {
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::UNAUTHORIZED => "Please log in",
            StatusCode::FORBIDDEN | StatusCode::MISDIRECTED_REQUEST => "Not allowed",
            status if status.is_server_error() => "Something went wrong",
            _ => "That did not work",
        };
        let login = self.status == StatusCode::UNAUTHORIZED;
        page_with(self.status, &ErrorPage { layout, title, text: &self.text, login })
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
            ManagerError::NotFound { .. } | ManagerError::NoAccounts => StatusCode::NOT_FOUND,
            ManagerError::Exists { .. }
            | ManagerError::InUse { .. }
            | ManagerError::Over { .. }
            | ManagerError::Taken
            | ManagerError::NotOver
            | ManagerError::Move(_) => StatusCode::CONFLICT,
            ManagerError::Hidden
            | ManagerError::Key
            | ManagerError::Forbidden(_)
            | ManagerError::Link
            | ManagerError::Banned(_) => StatusCode::FORBIDDEN,
            ManagerError::SignIn => StatusCode::UNAUTHORIZED,
            ManagerError::TooMany { .. } | ManagerError::Crowded { .. } => StatusCode::TOO_MANY_REQUESTS,
            ManagerError::Stopped | ManagerError::Busy => StatusCode::SERVICE_UNAVAILABLE,
            ManagerError::Store(failure) => {
                let status = match failure {
                    StoreError::Full { .. } | StoreError::TooLarge { .. } => StatusCode::INSUFFICIENT_STORAGE,
                    StoreError::Locked { .. }
                    | StoreError::Superseded { .. }
                    | StoreError::Unreachable { .. }
                    | StoreError::InDoubt { .. } => StatusCode::SERVICE_UNAVAILABLE,
                    _ => StatusCode::INTERNAL_SERVER_ERROR,
                };
                return Self::logged(status, &failure.in_general(), &error);
            }
            ManagerError::System(_) => return Self::mistake(&error),
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, sentence(&error.to_string()))
    }
}

/// A text with a capital and a full stop. Of what says nothing there is at least that.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.trim().chars();
    let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>());
    let mut text = first.unwrap_or_else(|| "It cannot be".to_owned()) + letters.as_str();
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}

impl From<askama::Error> for WebFailure {
    fn from(error: askama::Error) -> Self {
        Self::mistake(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_said_is_a_sentence() {
        assert_eq!(sentence("no room"), "No room.");
        assert_eq!(sentence("Is it so?"), "Is it so?");
        assert_eq!(sentence("  "), "It cannot be.");
        assert_eq!(sentence(""), "It cannot be.");
    }
}
