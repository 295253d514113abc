//! Pages of matches.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use ludex::matches::view::Viewer;
use serde::Deserialize;

use super::course::MatchPart;
use super::failure::WebFailure;
use super::fields::Fields;
use super::page::{Frame, page};
use super::rows::{self, FormChoice, MatchRow, rows};
use super::seats::{self, SeatLink};
use super::security::Visitor;
use super::sight::{ROOM, SEATS};
use super::{Web, games, live, seating, text};
use crate::manager::{
    ClockPlan, Manager, ManagerError, MatchPlan, MatchQuery, MatchStage, PageRequest, SeatPlan,
};

/// How much longer answers are waited for than players are told, in milliseconds: the network takes its time.
pub(super) const GRACE: u64 = 500;

/// So many seconds. More than there can be are as many as there can be.
pub(super) fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}

#[derive(Template)]
#[template(path = "matches.html")]
struct MatchesPage {
    frame: Frame,
    game: String,
    matches: Vec<MatchRow>,
    newest: Option<String>,
    older: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListAddress {
    #[serde(default)]
    game: String,
    after: Option<String>,
}

const PAGE: u64 = 25;

pub(super) async fn list(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Query(address): Query<ListAddress>,
) -> Result<Response, WebFailure> {
    let frame = web.frame("/matches", &headers);
    web.ask(move |manager| {
        let ListAddress { game, after } = address;
        let link = format!("/matches?game={}", super::api::path_part(&game));
        let newest = after.is_some().then(|| link.clone());
        let found = manager.matches(&MatchQuery {
            game: Some(game.clone()).filter(|game| !game.is_empty()),
            page: PageRequest { after, size: PAGE },
            ..MatchQuery::default()
        })?;
        let older = found.next.map(|last| format!("{link}&after={}", super::api::path_part(&last)));
        Ok(page(&MatchesPage { frame, matches: rows(found.items), newest, older, game }))
    })
    .await
}

#[derive(Template)]
#[template(path = "match_new.html")]
struct NewMatchPage {
    frame: Frame,
    problem: String,
    games: Vec<FormChoice>,
    game: String,
    roles: Vec<String>,
    /// How many seats there are beside those that stand there one by one, and who has them.
    more_seats: usize,
    others: String,
    players: Vec<FormChoice>,
    seats: Vec<String>,
    start_clock: String,
    play_clock: String,
}

#[derive(Deserialize)]
pub(super) struct NewMatchAddress {
    game: Option<String>,
}

pub(super) async fn form(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Query(address): Query<NewMatchAddress>,
) -> Result<Response, WebFailure> {
    let frame = web.frame("/matches", &headers);
    let game = address.game.unwrap_or_else(|| "tic-tac-toe".to_owned());
    web.ask(move |manager| Ok(page(&new_match_page(manager, frame, game, &Fields::default())?))).await
}

/// The form, with what was filled in before.
fn new_match_page(
    manager: &Manager,
    frame: Frame,
    game: String,
    fields: &Fields,
) -> Result<NewMatchPage, ManagerError> {
    let (mut roles, problem) = match manager.game_facts(&game, None) {
        Ok(facts) => (facts.seats, String::new()),
        Err(error @ ManagerError::NotFound { .. }) => return Err(error),
        Err(error) => (Vec::new(), WebFailure::from(error).text),
    };
    let players = seating::choices(manager)?;
    let person = players.first().map_or_else(String::new, |choice| choice.value.clone());
    let usual = players.iter().find(|choice| choice.value.ends_with("ludex"));
    let usual = usual.map_or_else(|| person.clone(), |choice| choice.value.clone());
    let chosen: Vec<&str> = fields.all("seat").collect();
    let seat = |seat: usize| match chosen.get(seat) {
        Some(choice) => (*choice).to_owned(),
        None if seat == 0 => person.clone(),
        None => usual.clone(),
    };
    let clock = |name: &str, usual: &str| match fields.text(name) {
        "" => usual.to_owned(),
        text => text.to_owned(),
    };
    let more_seats = roles.len().saturating_sub(SEATS);
    roles.truncate(SEATS);
    Ok(NewMatchPage {
        frame,
        problem,
        games: games::choices(manager)?,
        game,
        more_seats,
        others: match fields.text("others") {
            "" => usual.clone(),
            chosen => chosen.to_owned(),
        },
        seats: (0..roles.len()).map(seat).collect(),
        roles,
        players,
        start_clock: clock("start_clock", "10"),
        play_clock: clock("play_clock", "60"),
    })
}

pub(super) async fn add(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Form(fields): Form<Vec<(String, String)>>,
) -> Result<Response, WebFailure> {
    let frame = web.frame("/matches", &headers);
    let fields = Fields(fields);
    web.ask(move |manager| {
        let planned = plan(manager, &fields).and_then(|plan| Ok((manager.schedule(&plan)?, plan)));
        match planned {
            Ok((id, plan)) => {
                let place = match plan.begin {
                    None => seats::place(manager, &id)?,
                    Some(_) => format!("/matches/{id}"),
                };
                Ok(Redirect::to(&place).into_response())
            }
            Err(failure) => {
                let game = fields.text("game").to_owned();
                let problem = failure.text.clone();
                let shown = NewMatchPage { problem, ..new_match_page(manager, frame, game, &fields)? };
                Ok(failure.on(&shown))
            }
        }
    })
    .await
}

fn plan(manager: &Manager, fields: &Fields) -> Result<MatchPlan, WebFailure> {
    let scramble = fields.text("scramble") == "1";
    let mut seats = Vec::new();
    for choice in fields.all("seat") {
        let player = seating::player(manager, choice)?;
        seats.push(SeatPlan { player, scramble, rulesheet: None });
    }
    if let others @ 1.. = fields.get::<usize>("other_seats")?.unwrap_or(0) {
        let all = manager.game_facts(fields.text("game"), None)?.seats.len();
        let player = seating::player(manager, fields.text("others"))?;
        let other = SeatPlan { player, scramble, rulesheet: None };
        seats.resize((seats.len().saturating_add(others)).min(all), other);
    }
    let begin = match fields.text("start_at") {
        "" => None,
        text => {
            let moment = text::read_moment(text);
            Some(moment.ok_or_else(|| WebFailure::bad(format!("`{text}` is no date and time.")))?)
        }
    };
    Ok(MatchPlan {
        game: fields.text("game").to_owned(),
        version: None,
        seats,
        clocks: clocks(fields)?,
        seed: fields.get("seed")?,
        begin,
        patience: Default::default(),
        step_limit: None,
        points_per_second: None,
        introduce: false,
    })
}

/// The clocks that a form asks for.
pub(super) fn clocks(fields: &Fields) -> Result<ClockPlan, WebFailure> {
    let needed = |name: &str| {
        let time = fields.milliseconds(name)?;
        time.ok_or_else(|| WebFailure::bad(format!("The field {name} must not be empty.")))
    };
    let increment = fields.milliseconds("increment")?.unwrap_or(0);
    let bank = fields.milliseconds("bank")?.map(|bank| (bank, increment));
    Ok(ClockPlan { start: needed("start_clock")?, play: needed("play_clock")?, bank, grace: GRACE })
}

#[derive(Template)]
#[template(path = "match.html")]
struct MatchPage {
    frame: Frame,
    id: String,
    game: String,
    players: String,
    /// The tournament that the match is part of: its id and its name.
    tournament: Option<(String, String)>,
    over: bool,
    persons: Vec<SeatLink>,
    part: String,
}

pub(super) async fn show(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, WebFailure> {
    let frame = web.frame("/matches", &headers);
    let shared = Arc::clone(&web);
    web.ask(move |manager| {
        let detail = manager.match_detail(&id)?;
        let over = detail.summary.stage.is_over();
        let persons = if over { Vec::new() } else { seats::links(manager, &id, frame.locked)? };
        let part = shared.finished_part(id.clone(), || match_part(manager, &id))?.0;
        let summary = detail.summary;
        let players = rows::players(&summary);
        let tournament = match summary.tournament {
            Some(tournament) => {
                let title = manager.tournament(&tournament)?.summary.title;
                Some((tournament, title))
            }
            None => None,
        };
        Ok(page(&MatchPage { frame, game: summary.game, players, tournament, over, persons, part, id }))
    })
    .await
}

/// The part that changes, and whether it will change again.
pub(super) fn match_part(manager: &Manager, id: &str) -> Result<(String, bool), WebFailure> {
    let summary = manager.match_detail(id)?.summary;
    let part = manager.excerpt(id, Viewer::Spectator, None, ROOM)?;
    Ok((MatchPart::of(manager, &summary, &part, false)?.render()?, part.view.stage.is_over()))
}

pub(super) async fn watch(
    State(web): State<Arc<Web>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<Response, WebFailure> {
    live::of_match(web, visitor, id, match_part).await
}

#[derive(Template)]
#[template(path = "replay.html")]
struct ReplayPage {
    frame: Frame,
    id: String,
    game: String,
    players: String,
    step: usize,
    last: usize,
    part: String,
}

#[derive(Deserialize)]
pub(super) struct ReplayAddress {
    #[serde(default)]
    step: usize,
    part: Option<u8>,
}

pub(super) async fn replay(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    Query(address): Query<ReplayAddress>,
) -> Result<Response, WebFailure> {
    let frame = web.frame("/matches", &headers);
    let shared = Arc::clone(&web);
    web.ask(move |manager| {
        let summary = manager.match_detail(&id)?.summary;
        if summary.stage == MatchStage::Planned {
            return Ok(Redirect::to(&format!("/matches/{id}")).into_response());
        }
        let over = summary.stage.is_over();
        let last = summary.steps as usize;
        let step = address.step.min(last);
        let (part, _) = shared.finished_part(format!("{id} {step}"), || {
            let part = manager.excerpt(&id, Viewer::Spectator, Some(step), ROOM)?;
            Ok((MatchPart::of(manager, &summary, &part, true)?.render()?, over))
        })?;
        if address.part.is_some() {
            return Ok(Html(part).into_response());
        }
        let players = rows::players(&summary);
        Ok(page(&ReplayPage { frame, id, game: summary.game, players, step, last, part }))
    })
    .await
}

pub(super) async fn abort(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
) -> Result<Response, WebFailure> {
    web.ask(move |manager| {
        manager.abort_match(&id, "the organiser ended it")?;
        Ok(Redirect::to(&format!("/matches/{id}")).into_response())
    })
    .await
}

pub(super) async fn rematch(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
) -> Result<Response, WebFailure> {
    web.ask(move |manager| {
        let new = manager.rematch(&id)?;
        Ok(Redirect::to(&seats::place(manager, &new)?).into_response())
    })
    .await
}
