//! Logging in with the token.

use askama::Template;
use axum::Form;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::guesses::Whom;
use super::page::{PageLayout, page, to};
use super::security;

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage {
    layout: PageLayout,
    problem: &'static str,
}

#[derive(Deserialize)]
pub(super) struct LoginForm {
    token: String,
}

pub(super) async fn show(asked: Asked) -> Response {
    if asked.web.manager.accounts().is_some() {
        return to("/sign-in");
    }
    page(&LoginPage { layout: asked.layout(""), problem: "" })
}

pub(super) async fn log_in(asked: Asked, Form(form): Form<LoginForm>) -> Answer {
    let Some(token) = &asked.web.options.token else { return Ok(to("/")) };
    if asked.web.guesses.judged(Whom::Address(asked.visitor.0), token.is(form.token.trim())).await? {
        return Ok(([(header::SET_COOKIE, token.log_in())], to("/")).into_response());
    }
    let problem = "This is not the token.";
    Ok(WebFailure::new(StatusCode::UNAUTHORIZED, problem)
        .on(&LoginPage { layout: asked.layout(""), problem }))
}

pub(super) async fn log_out() -> Response {
    ([(header::SET_COOKIE, security::LOG_OUT)], to("/")).into_response()
}
