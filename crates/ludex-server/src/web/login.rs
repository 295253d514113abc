//! Logging in with the token.

use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::page::{Frame, page_with};
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
    page_with(StatusCode::OK, &LoginPage { frame: web.frame("", &headers), problem: "" })
}

pub(super) async fn log_in(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Form(form): Form<LoginForm>,
) -> Response {
    match &web.options.token {
        Some(token) if token.is(form.token.trim()) => {
            ([(header::SET_COOKIE, token.log_in())], Redirect::to("/")).into_response()
        }
        Some(_) => {
            security::wrong_token().await;
            let page = LoginPage { frame: web.frame("", &headers), problem: "This is not the token." };
            page_with(StatusCode::UNAUTHORIZED, &page)
        }
        None => Redirect::to("/").into_response(),
    }
}

pub(super) async fn log_out() -> Response {
    ([(header::SET_COOKIE, security::LOG_OUT)], Redirect::to("/")).into_response()
}
