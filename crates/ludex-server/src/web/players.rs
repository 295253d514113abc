//! Pages of players.

use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use ludex::matches::referee::SeatNotation;
use ludex::players::{Registry, StrategyInfo};
use serde::Deserialize;

use super::failure::WebFailure;
use super::page::{Frame, page};
use super::rows::{MatchRow, rows};
use super::text::{decimal, moment};
use super::{Web, seating};
use crate::manager::{
    Manager, ManagerError, MatchQuery, PageRequest, PlayerKind, PlayerQuery, PlayerSummary, Presence,
    all_pages,
};

struct PlayerLine {
    name: String,
    place: String,
    notation: &'static str,
    remote: bool,
    retired: bool,
    state: &'static str,
    mood: &'static str,
    seen: String,
    matches: u64,
    failures: u64,
}

impl From<&PlayerSummary> for PlayerLine {
    fn from(player: &PlayerSummary) -> Self {
        let (place, notation, remote) = match &player.kind {
            PlayerKind::Remote { address, notation } => {
                let notation = match notation {
                    SeatNotation::Prefix => "prefix",
                    SeatNotation::Infix => "infix",
                };
                (address.clone(), notation, true)
            }
            PlayerKind::BuiltIn { strategy } => (format!("built in: {strategy}"), "", false),
            PlayerKind::Person => ("a person".to_owned(), "", false),
        };
        let there = &player.availability;
        let (state, mood) = match there.presence {
            _ if player.retired => ("retired", ""),
            Presence::Unknown if remote => ("not asked yet", ""),
            Presence::Unknown | Presence::Available => ("available", "good"),
            Presence::Busy => ("busy", "warn"),
            Presence::Away => ("no answer", "bad"),
        };
        let seen = match (&there.cause, there.last_seen) {
            (Some(cause), _) if there.presence == Presence::Away => cause.clone(),
            (_, Some(seen)) if remote => {
                let took = there.took.map(|took| format!(", {took} ms")).unwrap_or_default();
                format!("{}{took}", moment(seen))
            }
            _ => String::new(),
        };
        let faults = player.statistics.faults;
        Self {
            name: player.name.clone(),
            place,
            notation,
            remote,
            retired: player.retired,
            state,
            mood,
            seen,
            matches: player.statistics.matches,
            failures: u64::from(faults.late) + u64::from(faults.illegal) + u64::from(faults.failed),
        }
    }
}

struct StrategyLine {
    name: &'static str,
    text: &'static str,
}

#[derive(Template)]
#[template(path = "players.html")]
struct PlayersPage {
    frame: Frame,
    problem: String,
    /// The field that the problem is about.
    wrong: &'static str,
    players: Vec<PlayerLine>,
    strategies: Vec<StrategyLine>,
    retired: Vec<String>,
    name: String,
    address: String,
}

/// The players that are retired, by name.
fn retired(manager: &Manager) -> Result<Vec<String>, ManagerError> {
    let query = |page| PlayerQuery { retired: true, page, ..PlayerQuery::default() };
    let all = all_pages(|page| manager.players(&query(page)))?;
    Ok(all.into_iter().filter(|player| player.retired).map(|player| player.name).collect())
}

fn players_page(manager: &Manager, frame: Frame) -> Result<PlayersPage, ManagerError> {
    let line = |strategy: &StrategyInfo| StrategyLine { name: strategy.name, text: strategy.description };
    Ok(PlayersPage {
        frame,
        problem: String::new(),
        wrong: "",
        players: seating::registered(manager)?.iter().map(PlayerLine::from).collect(),
        strategies: manager.registry().strategies().map(line).collect(),
        retired: retired(manager)?,
        name: String::new(),
        address: String::new(),
    })
}

pub(super) async fn list(State(web): State<Arc<Web>>, headers: HeaderMap) -> Result<Response, WebFailure> {
    let frame = web.frame("/players", &headers);
    web.ask(move |manager| Ok(page(&players_page(manager, frame)?))).await
}

#[derive(Deserialize)]
pub(super) struct PlayerForm {
    name: String,
    address: String,
    #[serde(default)]
    notation: SeatNotation,
}

pub(super) async fn register(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Form(form): Form<PlayerForm>,
) -> Result<Response, WebFailure> {
    let frame = web.frame("/players", &headers);
    web.ask(move |manager| {
        let (name, address) = (form.name.trim().to_owned(), form.address.trim().to_owned());
        let kind = kind_of(manager.registry(), &address, form.notation);
        match manager.register_player(&name, &kind) {
            Ok(_) => Ok(Redirect::to("/players").into_response()),
            Err(error) => {
                let wrong = match &error {
                    ManagerError::Name { .. } | ManagerError::Exists { .. } => "name",
                    _ => "address",
                };
                let failure = WebFailure::from(error);
                let problem = failure.text.clone();
                let page = PlayersPage { problem, wrong, name, address, ..players_page(manager, frame)? };
                Ok(failure.on(&page))
            }
        }
    })
    .await
}

/// What a player is whose address, strategy or `person` stands in the field of a form.
fn kind_of(registry: &Registry, address: &str, notation: SeatNotation) -> PlayerKind {
    let strategy = address.split(':').next().unwrap_or_default();
    if address == "person" {
        PlayerKind::Person
    } else if registry.find(strategy).is_some() {
        PlayerKind::BuiltIn { strategy: address.to_owned() }
    } else {
        PlayerKind::Remote { address: address.to_owned(), notation }
    }
}

/// The other way round.
fn field_of(kind: &PlayerKind) -> (String, SeatNotation) {
    match kind {
        PlayerKind::Remote { address, notation } => (address.clone(), *notation),
        PlayerKind::BuiltIn { strategy } => (strategy.clone(), SeatNotation::default()),
        PlayerKind::Person => ("person".to_owned(), SeatNotation::default()),
    }
}

#[derive(Template)]
#[template(path = "player.html")]
struct PlayerPage {
    frame: Frame,
    problem: String,
    player: PlayerLine,
    address: String,
    infix: bool,
    figures: Vec<(&'static str, String)>,
    matches: Vec<MatchRow>,
}

fn player_page(manager: &Manager, frame: Frame, name: &str) -> Result<PlayerPage, ManagerError> {
    let player = manager.player(name)?;
    let query = MatchQuery {
        player: Some(player.name.clone()),
        page: PageRequest::first(20),
        ..MatchQuery::default()
    };
    let (address, notation) = field_of(&player.kind);
    Ok(PlayerPage {
        frame,
        problem: String::new(),
        player: PlayerLine::from(&player),
        address,
        infix: notation == SeatNotation::Infix,
        figures: figures(&player),
        matches: rows(manager.matches(&query)?.items),
    })
}

pub(super) async fn show(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Path(name): Path<String>,
) -> Result<Response, WebFailure> {
    let frame = web.frame("/players", &headers);
    web.ask(move |manager| Ok(page(&player_page(manager, frame, &name)?))).await
}

#[derive(Deserialize)]
pub(super) struct EditForm {
    address: String,
    #[serde(default)]
    notation: SeatNotation,
}

pub(super) async fn edit(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Path(name): Path<String>,
    Form(form): Form<EditForm>,
) -> Result<Response, WebFailure> {
    let frame = web.frame("/players", &headers);
    web.ask(move |manager| {
        let address = form.address.trim();
        match manager.edit_player(&name, &kind_of(manager.registry(), address, form.notation)) {
            Ok(player) => Ok(to_page(&player.name)),
            Err(error) => {
                let (failure, infix) = (WebFailure::from(error), form.notation == SeatNotation::Infix);
                let (problem, address) = (failure.text.clone(), address.to_owned());
                let page = PlayerPage { problem, address, infix, ..player_page(manager, frame, &name)? };
                Ok(failure.on(&page))
            }
        }
    })
    .await
}

/// Back to the page of a player.
fn to_page(name: &str) -> Response {
    Redirect::to(&format!("/players/{}", super::api::path_part(name))).into_response()
}

fn figures(player: &PlayerSummary) -> Vec<(&'static str, String)> {
    let (there, all) = (&player.availability, &player.statistics);
    let mut figures = Vec::new();
    if there.asked > 0 {
        figures.push(("Answers to pings", format!("{} of {}", there.answered, there.asked)));
    }
    for (name, value) in &there.says {
        figures.push(("It says", format!("{name}: {value}")));
    }
    figures.extend([
        ("Matches", format!("{} played, {} running, {} aborted", all.matches, all.running, all.aborted)),
        ("Mean goal", all.goal.map_or_else(|| "–".to_owned(), decimal)),
        ("Moves", all.steps.to_string()),
        ("Late answers", all.faults.late.to_string()),
        ("Illegal moves", all.faults.illegal.to_string()),
        ("No answer", all.faults.failed.to_string()),
    ]);
    figures
}

pub(super) async fn ping(
    State(web): State<Arc<Web>>,
    Path(name): Path<String>,
) -> Result<Response, WebFailure> {
    web.ask(move |manager| {
        manager.ping_player(&name)?;
        Ok(to_page(&name))
    })
    .await
}

pub(super) async fn retire(
    State(web): State<Arc<Web>>,
    Path(name): Path<String>,
) -> Result<Response, WebFailure> {
    web.ask(move |manager| {
        manager.retire_player(&name)?;
        Ok(to_page(&name))
    })
    .await
}

pub(super) async fn reactivate(
    State(web): State<Arc<Web>>,
    Path(name): Path<String>,
) -> Result<Response, WebFailure> {
    web.ask(move |manager| {
        manager.reactivate_player(&name)?;
        Ok(to_page(&name))
    })
    .await
}
