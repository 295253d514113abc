//! The first page.

use askama::Template;

use super::asked::{Answer, Asked};
use super::page::PageLayout;
use super::rows::{FormChoice, MatchRow, rows};
use super::{games, seating};
use crate::manager::{Manager, ManagerError};
use crate::model::{MatchQuery, MatchStage, PageRequest};

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    layout: PageLayout,
    running: Vec<MatchRow>,
    finished: Vec<MatchRow>,
    games: Vec<FormChoice>,
    game: &'static str,
    levels: Vec<FormChoice>,
    opponents: Vec<FormChoice>,
    opponent: String,
}

pub(super) async fn show(asked: Asked) -> Answer {
    asked.page("/", home_page).await
}

fn home_page(manager: &Manager, layout: PageLayout) -> Result<HomePage, ManagerError> {
    let of = |stage, size| MatchQuery {
        stage: Some(stage),
        page: PageRequest::first(size),
        ..MatchQuery::default()
    };
    let (levels, opponents) = (seating::levels(manager), seating::others(manager)?);
    let usual = levels.get(1).or(opponents.first());
    Ok(HomePage {
        layout,
        running: rows(manager.matches(&of(MatchStage::Running, 10))?.items),
        finished: rows(manager.matches(&of(MatchStage::Completed, 8))?.items),
        games: games::choices(manager)?,
        game: "tic-tac-toe",
        opponent: usual.map_or_else(String::new, |choice| choice.value.clone()),
        levels,
        opponents,
    })
}
