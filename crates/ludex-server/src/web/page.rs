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
    /// Whether there are accounts, and whether anybody may make one.
    pub(super) accounts: bool,
    pub(super) sign_up: bool,
    /// The name of the account that whoever reads is signed in to.
    pub(super) account: Option<String>,
    /// Whether whoever reads may make no matches.
    pub(super) locked: bool,
    /// Whether they may change what the page is about.
    pub(super) own: bool,
    /// Whether they may play at once, register players, look after what others have brought, and after accounts.
    pub(super) plays: bool,
    pub(super) registers: bool,
    pub(super) moderates: bool,
    pub(super) administers: bool,
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

    /// What a person is called who gives no name.
    pub(super) fn person(&self) -> &str {
        self.account.as_deref().unwrap_or(super::seating::PERSON)
    }

    /// Where somebody says who they are.
    pub(super) fn sign_in_path(&self) -> &'static str {
        if self.accounts { "/sign-in" } else { "/login" }
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
