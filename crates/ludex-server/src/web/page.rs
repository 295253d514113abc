//! Pages from templates.

use askama::Template;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use super::assets;
use super::failure::WebFailure;

/// What is around every page.
#[derive(Clone, Debug)]
pub(super) struct PageLayout {
    /// The path of the section that the page is in.
    pub(super) section: &'static str,
    /// Whether there is a token.
    pub(super) token: bool,
    /// Whether whoever reads may not change anything.
    pub(super) locked: bool,
}

impl PageLayout {
    pub(super) fn sections(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("/games", "Games"),
            ("/players", "Players"),
            ("/matches", "Matches"),
            ("/tournaments", "Tournaments"),
            ("/ratings", "Ratings"),
        ]
    }

    pub(super) fn version(&self) -> &'static str {
        assets::version()
    }

    pub(super) fn release(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}

/// Goes to another page.
pub(super) fn to(place: &str) -> Response {
    Redirect::to(place).into_response()
}

/// A page.
pub(super) fn page(template: &impl Template) -> Response {
    page_with(StatusCode::OK, template)
}

/// A page with a status.
pub(super) fn page_with(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response(),
        Err(error) => WebFailure::from(error).into_response(),
    }
}
