//! Giving a game another title and description.

use askama::Template;
use axum::Form;
use axum::extract::Path;
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::page::{PageLayout, to};

#[derive(Template)]
#[template(path = "game_describe.html")]
struct DescribePage {
    layout: PageLayout,
    problem: String,
    name: String,
    title: String,
    description: String,
}

pub(super) async fn form(asked: Asked, Path(name): Path<String>) -> Answer {
    asked
        .page("/games", move |manager, layout| -> Result<_, WebFailure> {
            let detail = manager.game(&name, None)?;
            let (title, description) = (detail.summary.title, detail.description);
            Ok(DescribePage { layout, problem: String::new(), name, title, description })
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
    asked: Asked,
    Path(name): Path<String>,
    Form(form): Form<DescribeForm>,
) -> Answer {
    asked
        .answer("/games", move |manager, layout| {
            // A form sends line ends as pairs.
            let (title, description) = (form.title, form.description.replace("\r\n", "\n"));
            match manager.describe_game(&name, &title, &description) {
                Ok(()) => Ok(to(&format!("/games/{}", super::api::path_part(&name)))),
                Err(error) => WebFailure::from(error).again(|problem| -> Result<_, WebFailure> {
                    Ok(DescribePage { layout, problem, name, title, description })
                }),
            }
        })
        .await
}
