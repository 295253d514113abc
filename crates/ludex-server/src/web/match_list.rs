//! The list of matches, and small pictures of what is played.

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use ludex::matches::view::Viewer;
use serde::Deserialize;

use super::api::{list_link, path_part};
use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::page::PageLayout;
use super::rows::{FormChoice, MatchRow, rows};
use super::text::read_moment;
use crate::manager::Manager;
use crate::model::{MatchQuery, MatchStage, PageRequest};

/// So many matches stand on a page.
const PAGE: u64 = 25;
/// Milliseconds.
const DAY: u64 = 86_400_000;

#[derive(Template)]
#[template(path = "matches.html")]
struct MatchesPage {
    layout: PageLayout,
    title: String,
    address: MatchListAddress,
    stages: Vec<FormChoice>,
    /// Whether some are left out.
    filtered: bool,
    total: u64,
    /// Whether there may be more than were counted.
    least: bool,
    matches: Vec<MatchRow>,
    newest: Option<String>,
    older: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchListAddress {
    #[serde(default)]
    text: String,
    #[serde(default)]
    game: String,
    #[serde(default)]
    player: String,
    #[serde(default)]
    stage: String,
    #[serde(default)]
    tournament: String,
    /// Dates.
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
    after: Option<String>,
}

const STAGES: [MatchStage; 4] =
    [MatchStage::Planned, MatchStage::Running, MatchStage::Completed, MatchStage::Aborted];

impl MatchListAddress {
    fn fields(&self) -> [(&'static str, &str); 7] {
        [
            ("text", self.text.trim()),
            ("game", self.game.trim()),
            ("player", self.player.trim()),
            ("stage", &self.stage),
            ("tournament", &self.tournament),
            ("from", &self.from),
            ("to", &self.to),
        ]
    }

    /// The same list from its beginning.
    fn link(&self) -> String {
        list_link("/matches", &self.fields())
    }

    fn query(&self) -> Result<MatchQuery, WebFailure> {
        let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let stage = some(&self.stage).map(|name| {
            let wrong = || WebFailure::bad(format!("No match is {name}."));
            STAGES.into_iter().find(|stage| stage.name() == name).ok_or_else(wrong)
        });
        let date = |text: &String| {
            some(text)
                .map(|date| {
                    let wrong = || WebFailure::bad(format!("`{date}` is no date, such as 2026-01-31."));
                    read_moment(&format!("{date}T00:00")).ok_or_else(wrong)
                })
                .transpose()
        };
        Ok(MatchQuery {
            text: self.text.clone(),
            game: some(&self.game),
            player: some(&self.player),
            stage: stage.transpose()?,
            tournament: some(&self.tournament),
            since: date(&self.from)?,
            // The last day belongs to the list.
            until: date(&self.to)?.map(|day| day.saturating_add(DAY)),
            page: PageRequest { after: self.after.clone(), size: PAGE },
            ..MatchQuery::default()
        })
    }

    fn title(&self) -> String {
        let mut title = "Matches".to_owned();
        for (word, value) in [(" of ", &self.game), (" with ", &self.player)] {
            if !value.trim().is_empty() {
                title.push_str(word);
                title.push_str(value.trim());
            }
        }
        title
    }
}

pub(super) async fn list(asked: Asked, Query(address): Query<MatchListAddress>) -> Answer {
    asked
        .page("/matches", move |manager, layout| -> Result<_, WebFailure> {
            let (query, link) = (address.query()?, address.link());
            let found = manager.matches(&query)?;
            let stage = |stage: MatchStage| FormChoice::new(stage.name(), stage.name());
            Ok(MatchesPage {
                layout,
                title: address.title(),
                stages: STAGES.map(stage).into(),
                filtered: address.fields().iter().any(|(_, value)| !value.is_empty()),
                total: found.total,
                least: found.total_is_least,
                newest: address.after.is_some().then(|| link.clone()),
                older: found.next.map(|last| format!("{link}&after={}", path_part(&last))),
                matches: rows(found.items),
                address,
            })
        })
        .await
}

/// What is shown where there is no board, or none that may be seen.
pub(super) const NO_BOARD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"></svg>";

/// The board of a match as everybody may see it now, as a picture of its own.
pub(super) async fn board(asked: Asked, Path(id): Path<String>) -> Answer {
    let known = asked.headers.get(header::IF_NONE_MATCH).cloned();
    asked
        .answer("/matches", move |manager: &Manager, _| -> Answer {
            let view = manager.match_view(&id, Viewer::Spectator)?;
            let tag = format!("\"{}-{}\"", view.revision, env!("CARGO_PKG_VERSION"));
            let caching =
                [(header::ETAG, tag.clone()), (header::CACHE_CONTROL, "public, max-age=1".to_owned())];
            if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
                return Ok((StatusCode::NOT_MODIFIED, caching).into_response());
            }
            let board = view.board_svg.unwrap_or_else(|| NO_BOARD.to_owned());
            Ok((caching, [(header::CONTENT_TYPE, "image/svg+xml")], board).into_response())
        })
        .await
}
