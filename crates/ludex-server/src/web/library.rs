//! The list of games: found by words and tags, each with a small picture of its board.

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::Deserialize;

use super::api::path_part;
use super::asked::{Answer, Asked};
use super::board::alone;
use super::failure::WebFailure;
use super::match_list::NO_BOARD;
use super::page::PageLayout;
use super::rows::FormChoice;
use crate::manager::Manager;
use crate::model::{GameFeatures, GameQuery, GameSummary, GameTag, PageRequest};

/// So many games stand on a page.
const PAGE: u64 = 60;

/// A game in the list.
struct GameTile {
    name: String,
    title: String,
    dialect: String,
    tags: Vec<&'static str>,
    matches: u64,
    bundled: bool,
    /// Whether it is offered to be played.
    offered: bool,
    /// Where the picture of its board is.
    board: Option<String>,
}

impl From<GameSummary> for GameTile {
    fn from(game: GameSummary) -> Self {
        let board = game.features.is_none_or(|features| features.board);
        Self {
            board: board.then(|| board_place(&game.name, &game.version)),
            tags: words(game.features.as_ref()),
            name: game.name,
            title: game.title,
            dialect: game.dialect,
            matches: game.matches,
            bundled: game.bundled,
            offered: game.offered,
        }
    }
}

/// The tags of a game, as people read them.
pub(super) fn words(features: Option<&GameFeatures>) -> Vec<&'static str> {
    features.map(|features| features.tags().map(GameTag::words).collect()).unwrap_or_default()
}

/// Where the picture of the first state of a version of a game is. The address changes with the version and the release, so
/// that browsers may keep what they got.
fn board_place(name: &str, version: &str) -> String {
    let version = version.get(..12).unwrap_or(version);
    format!("/games/{}/board.svg?{version}-{}", path_part(name), env!("CARGO_PKG_VERSION"))
}

/// Something by which games are found: one of several tags, or any.
struct TagChoice {
    name: &'static str,
    label: &'static str,
    options: Vec<FormChoice>,
}

impl TagChoice {
    fn new(name: &'static str, label: &'static str, tags: &[GameTag], chosen: &str) -> Self {
        let option = |tag: &GameTag| {
            let mut words = tag.words().to_owned();
            // Words begin with a capital letter where they stand alone.
            if let Some(first) = words.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            FormChoice { chosen: tag.name() == chosen, ..FormChoice::new(tag.name(), words) }
        };
        Self { name, label, options: tags.iter().map(option).collect() }
    }
}

#[derive(Template)]
#[template(path = "games.html")]
struct GamesPage {
    layout: PageLayout,
    text: String,
    choices: [TagChoice; 3],
    filtered: bool,
    games: Vec<GameTile>,
    total: u64,
    first: Option<String>,
    next: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LibraryAddress {
    #[serde(default)]
    text: String,
    #[serde(default)]
    players: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    length: String,
    after: Option<String>,
}

impl LibraryAddress {
    fn tags(&self) -> Result<Vec<GameTag>, WebFailure> {
        let named = [&self.players, &self.kind, &self.length].into_iter().filter(|name| !name.is_empty());
        let tag = |name: &String| {
            let wrong = || WebFailure::bad(format!("No game is called `{name}` here."));
            GameTag::named(name).ok_or_else(wrong)
        };
        named.map(tag).collect()
    }

    /// The same list from its beginning.
    fn link(&self) -> String {
        let fields = [
            ("text", self.text.trim()),
            ("players", &self.players),
            ("kind", &self.kind),
            ("length", &self.length),
        ];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
        let parts: Vec<String> = given.map(|(name, value)| format!("{name}={}", path_part(value))).collect();
        format!("/games?{}", parts.join("&"))
    }
}

pub(super) async fn list(asked: Asked, Query(address): Query<LibraryAddress>) -> Answer {
    asked.page("/games", move |manager, layout| library_page(manager, layout, address)).await
}

fn library_page(
    manager: &Manager,
    layout: PageLayout,
    address: LibraryAddress,
) -> Result<GamesPage, WebFailure> {
    let (tags, link) = (address.tags()?, address.link());
    let LibraryAddress { text, players, kind, length, after } = address;
    let choices = [
        TagChoice::new(
            "players",
            "Players",
            &[GameTag::OnePlayer, GameTag::TwoPlayers, GameTag::MorePlayers],
            &players,
        ),
        TagChoice::new(
            "kind",
            "Kind",
            &[GameTag::Hidden, GameTag::Chance, GameTag::Simultaneous, GameTag::RealTime],
            &kind,
        ),
        TagChoice::new("length", "Length", &[GameTag::Short, GameTag::Medium, GameTag::Long], &length),
    ];
    let filtered = !tags.is_empty() || !text.trim().is_empty();
    let first = after.is_some().then(|| link.clone());
    let page = PageRequest { after, size: PAGE };
    let found = manager.games(&GameQuery { text: text.clone(), tags, page, ..GameQuery::default() })?;
    Ok(GamesPage {
        layout,
        text,
        choices,
        filtered,
        games: found.items.into_iter().map(GameTile::from).collect(),
        total: found.total,
        first,
        next: found.next.map(|last| format!("{link}&after={}", path_part(&last))),
    })
}

/// The board of the first state as a picture of its own.
pub(super) async fn board(asked: Asked, Path(name): Path<String>) -> Answer {
    let known = asked.headers.get(header::IF_NONE_MATCH).cloned();
    asked
        .answer("/games", move |manager, _| -> Answer {
            let detail = manager.game(&name, None)?;
            let tag = format!("\"{}-{}\"", detail.version.sha256, env!("CARGO_PKG_VERSION"));
            let caching =
                [(header::ETAG, tag.clone()), (header::CACHE_CONTROL, "public, max-age=86400".to_owned())];
            if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
                return Ok((StatusCode::NOT_MODIFIED, caching).into_response());
            }
            // A page may have been sent before it was known that nobody can play the game.
            let Some(about) = manager.described(&detail)?.1 else {
                return Ok(([(header::CONTENT_TYPE, "image/svg+xml")], NO_BOARD).into_response());
            };
            // Small, the boards alone can be told apart; what stands around them cannot be read.
            let boards = about.picture.boards;
            let board = if boards.is_empty() { about.board_svg } else { alone(&boards) };
            Ok((caching, [(header::CONTENT_TYPE, "image/svg+xml")], board).into_response())
        })
        .await
}
