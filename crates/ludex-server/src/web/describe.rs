//! Giving a game another title and description.

use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::Web;
use super::failure::WebFailure;
use super::page::{Frame, page};

#[derive(Template)]
#[template(path = "game_describe.html")]
struct DescribePage {
    frame: Frame,
    problem: String,
    name: String,
    title: String,
    description: String,
}

pub(super) async fn form(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Path(name): Path<String>,
) -> Result<Response, WebFailure> {
    let frame = web.frame("/games", &headers);
    web.ask(move |manager| {
        let detail = manager.game(&name, None)?;
        let (title, description) = (detail.summary.title, detail.description);
        Ok(page(&DescribePage { frame, problem: String::new(), name, title, description }))
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct DescribeForm {
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
}

pub(super) async fn describe(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Path(name): Path<String>,
    Form(form): Form<DescribeForm>,
) -> Result<Response, WebFailure> {
    let frame = web.frame("/games", &headers);
    web.ask(move |manager| {
        // A form sends line ends as pairs.
        let (title, description) = (form.title, form.description.replace("\r\n", "\n"));
        match manager.describe_game(&name, &title, &description) {
            Ok(()) => Ok(Redirect::to(&format!("/games/{}", super::api::path_part(&name))).into_response()),
            Err(error) => {
                let failure = WebFailure::from(error);
                let problem = failure.text.clone();
                Ok(failure.on(&DescribePage { frame, problem, name, title, description }))
            }
        }
    })
    .await
}
