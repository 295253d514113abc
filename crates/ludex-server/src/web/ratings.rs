//! Ratings over all matches: the leaderboards, those of a player, and what a match has changed.

use askama::Template;
use axum::extract::{Path, Query, State};
use serde::Deserialize;

use super::api::{Shared, list_link, part, path_part};
use super::asked::{Answer, Asked};
use super::chart::{self, RatingScale};
use super::failure::WebFailure;
use super::page::PageLayout;
use super::players;
use super::rows::FormChoice;
use super::text::moment;
use crate::manager::{Manager, ManagerError};
use crate::model::{GameKind, PageRequest, PlayerRating, Population, RatingChange, RatingQuery, RatingScope};
use ludex::tournament::{Rating, RatingPoint};

/// So many players stand on a page.
const PAGE: u64 = 50;
/// So many points has the curve of a rating.
const POINTS: usize = 200;
/// So many ratings of a player are shown.
const SHOWN: usize = 16;

/// A row of a leaderboard, or of the ratings of a player.
pub(super) struct RatingLine {
    /// Who, or over which matches.
    pub(super) name: String,
    pub(super) place: String,
    pub(super) rating: String,
    pub(super) interval: String,
    pub(super) provisional: bool,
    pub(super) matches: u64,
    pub(super) trend: String,
    pub(super) last: String,
}

impl RatingLine {
    fn new(rating: &PlayerRating, name: String, place: String) -> Self {
        let skill = rating.skill;
        Self {
            name,
            place,
            rating: format!("{:.0}", skill.rating),
            interval: format!("{:.0} to {:.0}", skill.low(), skill.high()),
            provisional: rating.provisional,
            matches: rating.matches,
            trend: rating.trend.map_or_else(|| "–".to_owned(), change),
            last: moment(rating.last),
        }
    }
}

/// A change with its sign.
fn change(points: f64) -> String {
    if points.abs() < 0.5 { "0".to_owned() } else { format!("{points:+.0}") }
}

/// Where the leaderboard of some matches is.
fn leaderboard(scope: &RatingScope) -> String {
    list_link("/ratings", &[("scope", &scope.to_string())])
}

#[derive(Template)]
#[template(path = "ratings.html")]
struct RatingsPage {
    layout: PageLayout,
    title: String,
    scopes: Vec<FormChoice>,
    chosen: String,
    game: String,
    who: &'static str,
    populations: Vec<FormChoice>,
    total: u64,
    trend: u64,
    lines: Vec<RatingLine>,
    first: Option<String>,
    more: Option<String>,
}

/// Which leaderboard.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RatingsAddress {
    #[serde(default)]
    scope: String,
    /// A game, in place of the scope.
    #[serde(default)]
    game: String,
    #[serde(default)]
    who: Population,
    after: Option<String>,
}

impl RatingsAddress {
    fn scope(&self) -> Result<RatingScope, WebFailure> {
        match (self.game.trim(), self.scope.trim()) {
            ("", "") => Ok(RatingScope::All),
            ("", text) => read_scope(text),
            (game, _) => Ok(RatingScope::Game(game.to_owned())),
        }
    }
}

fn read_scope(text: &str) -> Result<RatingScope, WebFailure> {
    RatingScope::read(text).ok_or_else(|| WebFailure::bad(format!("There are no ratings for `{text}`.")))
}

fn population(who: Population) -> &'static str {
    match who {
        Population::Both => "both",
        Population::People => "people",
        Population::Programs => "programs",
    }
}

pub(super) async fn list(asked: Asked, Query(address): Query<RatingsAddress>) -> Answer {
    asked
        .page("/ratings", move |manager, layout| -> Result<_, WebFailure> {
            let scope = address.scope()?;
            let who = population(address.who);
            let link = list_link("/ratings", &[("scope", &scope.to_string()), ("who", who)]);
            let page = PageRequest { after: address.after.clone(), size: PAGE };
            let found = manager.leaderboard(&RatingQuery { scope: scope.clone(), who: address.who, page })?;
            let line = |rating: &PlayerRating| {
                RatingLine::new(rating, rating.player.clone(), players::place(&rating.player))
            };
            let kinds = GameKind::ALL.map(RatingScope::Kind);
            let scopes = std::iter::once(RatingScope::All).chain(kinds);
            let populations = [Population::Both, Population::Programs, Population::People].map(|who| {
                let words = match who {
                    Population::Both => "Programs and people",
                    Population::Programs => "Programs",
                    Population::People => "People",
                };
                FormChoice::new(population(who), words)
            });
            let game = match &scope {
                RatingScope::Game(game) => game.clone(),
                RatingScope::All | RatingScope::Kind(_) => String::new(),
            };
            Ok(RatingsPage {
                layout,
                title: format!("Ratings: {}", scope.words()),
                scopes: scopes.map(|scope| FormChoice::new(scope.to_string(), scope.words())).collect(),
                chosen: scope.to_string(),
                game,
                who,
                populations: populations.into(),
                total: found.total,
                trend: PlayerRating::TREND,
                lines: found.items.iter().map(line).collect(),
                first: address.after.is_some().then(|| link.clone()),
                more: found.next.map(|last| format!("{link}&after={}", path_part(&last))),
            })
        })
        .await
}

/// The ratings of a player over all matches, as its page shows them.
#[derive(Template)]
#[template(path = "player_ratings.html")]
struct PlayerRatings {
    lines: Vec<RatingLine>,
    trend: u64,
    chart: String,
}

/// The ratings of a player over all matches, with a curve of the one over all games; empty where it has none.
pub(super) fn of_player(manager: &Manager, name: &str) -> Result<String, WebFailure> {
    let mut ratings = manager.player_ratings(name)?;
    if ratings.is_empty() {
        return Ok(String::new());
    }
    ratings.sort_by_key(|rating| match rating.scope {
        RatingScope::All => (0, 0),
        RatingScope::Kind(kind) => (1, kind as u64),
        RatingScope::Game(_) => (2, u64::MAX - rating.matches),
    });
    let moments = manager.rating_moments(name, &RatingScope::All, POINTS)?;
    let point = |moment: crate::model::RatingMoment| RatingPoint {
        matches: usize::try_from(moment.matches).unwrap_or(usize::MAX),
        ratings: vec![Rating {
            elo: moment.rating,
            low: moment.rating - 2.0 * moment.deviation,
            high: moment.rating + 2.0 * moment.deviation,
        }],
    };
    let points: Vec<RatingPoint> = moments.into_iter().map(point).collect();
    let line =
        |rating: &PlayerRating| RatingLine::new(rating, rating.scope.words(), leaderboard(&rating.scope));
    let lines = ratings.iter().take(SHOWN).map(line).collect();
    let chart = chart::draw_on(RatingScale::Absolute, &points, 1);
    Ok(PlayerRatings { lines, trend: PlayerRating::TREND, chart }.render()?)
}

/// What a match has changed for a player over all games.
pub(super) struct ChangeLine {
    player: String,
    place: String,
    after: String,
    change: String,
    others: Vec<String>,
}

/// What a match has changed in ratings, as its page shows it.
#[derive(Template)]
#[template(path = "match_ratings.html")]
struct MatchRatings {
    lines: Vec<ChangeLine>,
}

/// What a match has changed in ratings; empty where it has changed none.
pub(super) fn of_match(manager: &Manager, id: &str) -> Result<String, WebFailure> {
    let changes = manager.match_ratings(id)?;
    if changes.is_empty() {
        return Ok(String::new());
    }
    let over_all = changes.iter().filter(|change| change.scope == RatingScope::All);
    let line = |all: &RatingChange| {
        let others = changes.iter().filter(|other| other.player == all.player && other.scope != all.scope);
        let other = |one: &RatingChange| {
            format!("{}: {:.0} ({})", one.scope.words(), one.after, change(one.after - one.before))
        };
        ChangeLine {
            place: players::place(&all.player),
            player: all.player.clone(),
            after: format!("{:.0}", all.after),
            change: change(all.after - all.before),
            others: others.map(other).collect(),
        }
    };
    Ok(MatchRatings { lines: over_all.map(line).collect() }.render()?)
}

/// Which part of which leaderboard.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListAddress {
    scope: Option<String>,
    #[serde(default)]
    who: Population,
    after: Option<String>,
    size: Option<u64>,
}

pub(super) async fn api_list(State(web): Shared, Query(list): Query<ListAddress>) -> Answer {
    let scope = list.scope.as_deref().map(read_scope).transpose()?.unwrap_or_default();
    let query = RatingQuery { scope, who: list.who, page: part(list.after, list.size) };
    web.json(move |manager| manager.leaderboard(&query)).await
}

#[derive(Deserialize)]
pub(super) struct HistoryAddress {
    scope: Option<String>,
    points: Option<usize>,
}

pub(super) async fn api_history(
    State(web): Shared,
    Path(name): Path<String>,
    Query(at): Query<HistoryAddress>,
) -> Answer {
    let scope = at.scope.as_deref().map(read_scope).transpose()?.unwrap_or_default();
    let points = at.points.unwrap_or(POINTS).clamp(2, 1000);
    web.json(move |manager| -> Result<_, ManagerError> { manager.rating_moments(&name, &scope, points) })
        .await
}
