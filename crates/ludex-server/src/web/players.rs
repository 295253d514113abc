//! Pages of players.

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query};
use ludex::matches::referee::SeatNotation;
use ludex::players::{Registry, StrategyInfo};
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::page::{PageLayout, to};
use super::ratings;
use super::results::PlayerPart;
use super::rows::{MatchRow, rows};
use super::text::{decimal, moment};
use crate::manager::{Manager, ManagerError};
use crate::model::{MatchQuery, PageRequest, PlayerKind, PlayerQuery, PlayerSummary, Presence, all_pages};

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
    faults: u64,
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
            faults: faults.all(),
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
    layout: PageLayout,
    problem: String,
    /// The field that the problem is about.
    wrong: &'static str,
    players: Vec<PlayerLine>,
    /// How many there are in all, and where the list begins and goes on, where it is long.
    total: u64,
    first: Option<String>,
    next: Option<String>,
    strategies: Vec<StrategyLine>,
    retired: Vec<String>,
    /// Which players are looked for.
    text: String,
    name: String,
    address: String,
}

/// The players that are retired, by name.
fn retired(manager: &Manager) -> Result<Vec<String>, ManagerError> {
    let query =
        |page| PlayerQuery { retired: true, only_retired: true, brief: true, page, ..PlayerQuery::default() };
    let all = all_pages(|page| manager.players(&query(page)))?;
    Ok(all.into_iter().map(|player| player.name).collect())
}

/// So many players are on a page.
const PLAYERS: u64 = 100;

fn players_page(
    manager: &Manager,
    layout: PageLayout,
    PlayersAddress { text, after }: PlayersAddress,
) -> Result<PlayersPage, ManagerError> {
    let link = format!("/players?text={}", super::api::path_part(&text));
    let first = after.is_some().then(|| link.clone());
    let page = PageRequest { after, size: PLAYERS };
    let found = manager.players(&PlayerQuery { text: text.clone(), page, ..PlayerQuery::default() })?;
    let line = |strategy: &StrategyInfo| StrategyLine { name: strategy.name, text: strategy.description };
    Ok(PlayersPage {
        layout,
        problem: String::new(),
        wrong: "",
        players: found.items.iter().map(PlayerLine::from).collect(),
        total: found.total,
        first,
        next: found.next.map(|last| format!("{link}&after={}", super::api::path_part(&last))),
        strategies: manager.registry().strategies().map(line).collect(),
        retired: retired(manager)?,
        text,
        name: String::new(),
        address: String::new(),
    })
}

/// Which players are wanted, and which part of the list.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayersAddress {
    #[serde(default)]
    text: String,
    after: Option<String>,
}

pub(super) async fn list(asked: Asked, Query(address): Query<PlayersAddress>) -> Answer {
    asked.page("/players", move |manager, layout| players_page(manager, layout, address)).await
}

#[derive(Deserialize)]
pub(super) struct PlayerForm {
    name: String,
    address: String,
    #[serde(default)]
    notation: SeatNotation,
}

pub(super) async fn register(asked: Asked, Form(form): Form<PlayerForm>) -> Answer {
    let (name, address) = (form.name.trim().to_owned(), form.address.trim().to_owned());
    let actor = asked.actor().clone();
    asked
        .answer("/players", move |manager, layout| {
            let Err(error) = manager.register_player_for(
                &actor,
                &name,
                &kind_of(manager.registry(), &address, form.notation),
            ) else {
                return Ok(to("/players"));
            };
            let wrong = match &error {
                ManagerError::Name { .. } | ManagerError::Exists { .. } => "name",
                _ => "address",
            };
            WebFailure::from(error).again(|problem| -> Result<_, ManagerError> {
                Ok(PlayersPage {
                    problem,
                    wrong,
                    name,
                    address,
                    ..players_page(manager, layout, PlayersAddress::default())?
                })
            })
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
    layout: PageLayout,
    problem: String,
    player: PlayerLine,
    address: String,
    infix: bool,
    numbers: Vec<(&'static str, String)>,
    results: PlayerPart,
    /// The ratings over all matches; empty where there are none.
    ratings: String,
    matches: Vec<MatchRow>,
    all_matches: String,
}

fn player_page(manager: &Manager, layout: PageLayout, name: &str) -> Result<PlayerPage, WebFailure> {
    let player = manager.player(name)?;
    let query = MatchQuery {
        player: Some(player.name.clone()),
        page: PageRequest::first(20),
        ..MatchQuery::default()
    };
    let (address, notation) = field_of(&player.kind);
    Ok(PlayerPage {
        layout,
        problem: String::new(),
        player: PlayerLine::from(&player),
        address,
        infix: notation == SeatNotation::Infix,
        numbers: numbers(&player),
        results: PlayerPart::of(manager, &player.name)?,
        ratings: ratings::of_player(manager, &player.name)?,
        all_matches: format!("/matches?player={}", super::api::path_part(&player.name)),
        matches: rows(manager.matches(&query)?.items),
    })
}

pub(super) async fn show(asked: Asked, Path(name): Path<String>) -> Answer {
    asked.page("/players", move |manager, layout| player_page(manager, layout, &name)).await
}

#[derive(Deserialize)]
pub(super) struct EditForm {
    address: String,
    #[serde(default)]
    notation: SeatNotation,
}

pub(super) async fn edit(asked: Asked, Path(name): Path<String>, Form(form): Form<EditForm>) -> Answer {
    asked
        .answer("/players", move |manager, layout| {
            let address = form.address.trim().to_owned();
            match manager.edit_player(&name, &kind_of(manager.registry(), &address, form.notation)) {
                Ok(player) => Ok(to(&place(&player.name))),
                Err(error) => WebFailure::from(error).again(|problem| -> Result<_, WebFailure> {
                    let infix = form.notation == SeatNotation::Infix;
                    Ok(PlayerPage { problem, address, infix, ..player_page(manager, layout, &name)? })
                }),
            }
        })
        .await
}

#[derive(Deserialize)]
pub(super) struct SecretForm {
    secret: String,
}

pub(super) async fn set_secret(
    asked: Asked,
    Path(name): Path<String>,
    Form(form): Form<SecretForm>,
) -> Answer {
    asked
        .answer("/players", move |manager, layout| {
            let secret = Some(form.secret.trim()).filter(|secret| !secret.is_empty());
            match manager.set_player_secret(&name, secret) {
                Ok(()) => Ok(to(&place(&name))),
                Err(error) => WebFailure::from(error).again(|problem| -> Result<_, WebFailure> {
                    Ok(PlayerPage { problem, ..player_page(manager, layout, &name)? })
                }),
            }
        })
        .await
}

/// Where the page of a player is.
pub(super) fn place(name: &str) -> String {
    format!("/players/{}", super::api::path_part(name))
}

fn numbers(player: &PlayerSummary) -> Vec<(&'static str, String)> {
    let (there, all) = (&player.availability, &player.statistics);
    let mut numbers = Vec::new();
    if there.asked > 0 {
        numbers.push(("Answers to pings", format!("{} of {}", there.answered, there.asked)));
    }
    for (name, value) in &there.says {
        numbers.push(("It says", format!("{name}: {value}")));
    }
    numbers.extend([
        ("Matches", format!("{} played, {} running, {} aborted", all.matches, all.running, all.aborted)),
        ("Mean goal", all.goal.map_or_else(|| "–".to_owned(), decimal)),
        ("Moves", all.steps.to_string()),
        ("Late answers", all.faults.late.to_string()),
        ("Illegal moves", all.faults.illegal.to_string()),
        ("No answer", all.faults.failed.to_string()),
    ]);
    numbers
}

pub(super) async fn ping(asked: Asked, Path(name): Path<String>) -> Answer {
    asked.go(move |manager| manager.ping_player(&name).map(|_| place(&name))).await
}

pub(super) async fn retire(asked: Asked, Path(name): Path<String>) -> Answer {
    asked.go(move |manager| manager.retire_player(&name).map(|()| place(&name))).await
}

pub(super) async fn reactivate(asked: Asked, Path(name): Path<String>) -> Answer {
    asked.go(move |manager| manager.reactivate_player(&name).map(|_| place(&name))).await
}
