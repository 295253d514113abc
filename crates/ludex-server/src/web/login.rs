//! Logging in with the token.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use serde::Deserialize;

use super::failure::WebFailure;
use super::page::{Frame, page};
use super::security::Visitor;
use super::{Web, security};

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage {
    frame: Frame,
    problem: &'static str,
}

#[derive(Deserialize)]
pub(super) struct LoginForm {
    token: String,
}

pub(super) async fn show(State(web): State<Arc<Web>>, headers: HeaderMap) -> Response {
    page(&LoginPage { frame: web.frame("", &headers), problem: "" })
}

pub(super) async fn log_in(
    State(web): State<Arc<Web>>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    Form(form): Form<LoginForm>,
) -> Result<Response, WebFailure> {
    let Some(token) = &web.options.token else { return Ok(Redirect::to("/").into_response()) };
    if web.guesses.judged(visitor.0, token.is(form.token.trim())).await? {
        return Ok(([(header::SET_COOKIE, token.log_in())], Redirect::to("/")).into_response());
    }
    let problem = "This is not the token.";
    let page = LoginPage { frame: web.frame("", &headers), problem };
    Ok(WebFailure::new(StatusCode::UNAUTHORIZED, problem).on(&page))
}

pub(super) async fn log_out() -> Response {
    ([(header::SET_COOKIE, security::LOG_OUT)], Redirect::to("/")).into_response()
}
