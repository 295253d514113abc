//! What handlers have of a request, and their way to the manager and back.

use std::convert::Infallible;
use std::sync::Arc;

use askama::Template;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;

use super::Web;
use super::failure::WebFailure;
use super::page::{PageLayout, page, to};
use super::security::{Caller, Visitor};
use super::visitors::Share;
use crate::manager::Manager;
use crate::model::Actor;

/// What comes of a request.
pub(super) type Answer = Result<Response, WebFailure>;

/// Who asks, and whom.
pub(super) struct Asked {
    pub(super) web: Arc<Web>,
    pub(super) headers: HeaderMap,
    pub(super) visitor: Visitor,
    pub(super) caller: Caller,
}

impl FromRequestParts<Arc<Web>> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, web: &Arc<Web>) -> Result<Self, Infallible> {
        let visitor = parts.extensions.get().copied().unwrap_or(Visitor(None));
        let caller = parts.extensions.get().cloned().unwrap_or_default();
        Ok(Self { web: Arc::clone(web), headers: parts.headers.clone(), visitor, caller })
    }
}

impl Asked {
    /// What is around a page of this section.
    pub(super) fn layout(&self, section: &'static str) -> PageLayout {
        self.web.layout(section, &self.caller)
    }

    /// Who asks.
    pub(super) fn actor(&self) -> &Actor {
        &self.caller.actor
    }

    /// Counts one more match of whoever makes it without an account where others have one.
    pub(super) fn counts_as_guest(&self) -> Result<(), WebFailure> {
        let is_guest = self.web.manager.accounts().is_some() && self.actor().account.is_none();
        if is_guest { self.web.visitors.now_and_then(self.visitor.0, Share::GuestMatch) } else { Ok(()) }
    }

    /// A page of this section, or whatever else is answered in its place.
    pub(super) async fn answer<E: Into<WebFailure>>(
        self,
        section: &'static str,
        make: impl FnOnce(&Manager, PageLayout) -> Result<Response, E> + Send + 'static,
    ) -> Answer {
        let layout = self.layout(section);
        self.web.ask(move |manager| make(manager, layout).map_err(Into::into)).await
    }

    /// A page of this section.
    pub(super) async fn page<T: Template, E: Into<WebFailure>>(
        self,
        section: &'static str,
        make: impl FnOnce(&Manager, PageLayout) -> Result<T, E> + Send + 'static,
    ) -> Answer {
        self.answer(section, move |manager, layout| make(manager, layout).map(|shown| page(&shown))).await
    }

    /// Does something, and goes to the page that shows what came of it.
    pub(super) async fn go<E: Into<WebFailure>>(
        self,
        act: impl FnOnce(&Manager) -> Result<String, E> + Send + 'static,
    ) -> Answer {
        self.web.ask(move |manager| Ok(to(&act(manager).map_err(Into::into)?))).await
    }
}
