//! The interface for programs: JSON below `/api`, with the same abilities as the pages. What stands here is
//! described in `openapi.json`, which is kept by hand and compared with the table of paths by a test.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use ludex::matches::referee::SeatNumber;
use ludex::matches::view::Viewer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::accounts_api as accounts;
use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::routes::routes;
use super::seats::{self, JoinForm, SeatAddress, SeatGiven};
use super::{Web, live, ratings, records};
use crate::manager::{Manager, ManagerError};
use crate::model::{
    GameQuery, GameTag, MatchPlan, MatchQuery, MatchStage, NewGame, PageRequest, PlayerKind, PlayerQuery,
    Saying, Sides, TournamentDetail, TournamentPlan, TournamentQuery, TournamentStage,
};
use futures_util::future::BoxFuture;

const DESCRIPTION: &str = include_str!("../../static/openapi.json");

pub(super) type Shared = State<Arc<Web>>;

routes! {
    "/api/openapi.json": get description;
    "/api/status": get status;
    "/api/account": get accounts::own_account, delete accounts::leave;
    "/api/account/data": get accounts::data;
    "/api/account/sessions": get accounts::sessions;
    "/api/account/sessions/{id}": delete accounts::end_session;
    "/api/account/tokens": get accounts::tokens, post accounts::make_token;
    "/api/account/tokens/{id}": delete accounts::end_token;
    "/api/accounts": get accounts::list;
    "/api/accounts/{name}": delete accounts::delete;
    "/api/accounts/{name}/role": put accounts::set_role;
    "/api/accounts/{name}/ban": put accounts::ban, delete accounts::unban;
    "/api/hidden": get accounts::hidden, post accounts::hide;
    "/api/hidden/{kind}/{name}": delete accounts::show;
    "/api/owners/{kind}/{name}": put accounts::transfer;
    "/api/audit": get accounts::deeds;
    "/api/games": get games, post add_game;
    "/api/games/check": post check_game;
    "/api/games/{name}": get game;
    "/api/games/{name}/description": put describe_game;
    "/api/games/{name}/facts": get game_facts;
    "/api/games/{name}/how-to-play": get how_to_play;
    "/api/games/{name}/results": get game_results;
    "/api/players": get players, post register;
    "/api/players/{name}": get named(Manager::player), put edit_player;
    "/api/players/{name}/ratings": get named(Manager::player_ratings);
    "/api/players/{name}/ratings/history": get ratings::api_history;
    "/api/players/{name}/results": get named(Manager::player_results);
    "/api/players/{name}/secret": put set_secret;
    "/api/players/{name}/ping": post named(Manager::ping_player);
    "/api/players/{name}/retire": post done(Manager::retire_player);
    "/api/players/{name}/reactivate": post named(Manager::reactivate_player);
    "/api/matches": get matches, post schedule;
    "/api/matches/{id}": get named(Manager::match_detail);
    "/api/matches/{id}/view": get match_view;
    "/api/matches/{id}/steps/{step}": get match_step;
    "/api/matches/{id}/analysis": get match_analysis;
    "/api/matches/{id}/events": get match_events;
    "/api/matches/{id}/record": get records::one;
    "/api/matches/{id}/join": post join;
    "/api/matches/{id}/rematch": post rematch;
    "/api/matches/{id}/abort": post abort;
    "/api/matches/{id}/seats/{seat}": get seat_view;
    "/api/matches/{id}/seats/{seat}/events": get seat_events;
    "/api/matches/{id}/seats/{seat}/key": post renew_key;
    "/api/matches/{id}/seats/{seat}/move": post make_move;
    "/api/matches/{id}/seats/{seat}/say": post say;
    "/api/ratings": get ratings::api_list;
    "/api/matches/{id}/ratings": get named(Manager::match_ratings);
    "/api/records": get records::all;
    "/api/tournaments": get tournaments, post create_tournament;
    "/api/tournaments/{id}": get tournament;
    "/api/tournaments/{id}/ratings": get tournament_ratings;
    "/api/tournaments/{id}/events": get tournament_events;
    "/api/tournaments/{id}/records": get records::of_tournament;
    "/api/tournaments/{id}/pause": post done(Manager::pause_tournament);
    "/api/tournaments/{id}/resume": post done(Manager::resume_tournament);
    "/api/tournaments/{id}/end": post done(Manager::end_tournament);
    "/api/tournaments/{id}/enter": post enter;
    "/api/tournaments/{id}/strike": post strike;
}

/// Answers with what the manager says of something that has a name or an id.
fn named<T: Serialize + 'static>(
    question: fn(&Manager, &str) -> Result<T, ManagerError>,
) -> impl Fn(Shared, Path<String>) -> BoxFuture<'static, Answer> + Clone + Send + Sync + 'static {
    move |State(web), Path(name)| Box::pin(async move { web.json(move |m| question(m, &name)).await })
}

/// Does something with what has a name or an id, of which there is nothing to be said.
fn done(
    action: fn(&Manager, &str) -> Result<(), ManagerError>,
) -> impl Fn(Shared, Path<String>) -> BoxFuture<'static, Answer> + Clone + Send + Sync + 'static {
    move |State(web), Path(name)| Box::pin(async move { web.done(move |m| action(m, &name)).await })
}

async fn description() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], DESCRIPTION)
}

/// A text as part of an address.
pub(super) fn path_part(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let part = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(part).collect()
}

/// The address of a list at this path, from its beginning, with the fields of its form that are filled in.
pub(super) fn list_link(path: &str, fields: &[(&str, &str)]) -> String {
    let given = fields.iter().filter(|(_, value)| !value.is_empty());
    let parts: Vec<String> = given.map(|(name, value)| format!("{name}={}", path_part(value))).collect();
    format!("{path}?{}", parts.join("&"))
}

/// A text as the name of a file: what could mean anything else becomes `_`.
pub(super) fn file_name(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.chars().map(|c| if plain(c) { c } else { '_' }).collect()
}

impl Web {
    /// What the manager says, as JSON.
    pub(super) async fn json<T: Serialize>(
        self: &Arc<Self>,
        question: impl FnOnce(&Manager) -> Result<T, ManagerError> + Send + 'static,
    ) -> Answer {
        self.ask(move |manager| Ok(Json(question(manager)?).into_response())).await
    }

    /// Does something of which there is nothing to be said.
    pub(super) async fn done(
        self: &Arc<Self>,
        question: impl FnOnce(&Manager) -> Result<(), ManagerError> + Send + 'static,
    ) -> Answer {
        self.ask(move |manager| {
            question(manager)?;
            Ok(StatusCode::NO_CONTENT.into_response())
        })
        .await
    }
}

/// Something was made, and has this name.
fn created(id: String) -> Response {
    (StatusCode::CREATED, Json(json!({ "id": id }))).into_response()
}

async fn status(State(web): Shared) -> Answer {
    web.json(Manager::status).await
}

/// Which part of a list. What a list does not know is an error: who asks for what is left out in silence, as
/// the numbers of items that pages once began after, would get the same page again and again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GameListAddress {
    #[serde(default)]
    text: String,
    #[serde(default)]
    offered: bool,
    /// With commas between them.
    #[serde(default)]
    tags: String,
    after: Option<String>,
    size: Option<u64>,
}

pub(super) fn part(after: Option<String>, size: Option<u64>) -> PageRequest {
    PageRequest { after, size: size.unwrap_or(50) }
}

async fn games(State(web): Shared, Query(list): Query<GameListAddress>) -> Answer {
    let named = list.tags.split(',').map(str::trim).filter(|name| !name.is_empty());
    let unknown = |name: &str| WebFailure::bad(format!("There is no tag `{name}`."));
    let tags = named.map(|name| GameTag::named(name).ok_or_else(|| unknown(name)));
    let tags = tags.collect::<Result<Vec<GameTag>, WebFailure>>()?;
    let page = part(list.after, list.size);
    let (text, offered) = (list.text, list.offered);
    let query = GameQuery { text, offered, tags, page, ..GameQuery::default() };
    web.json(move |manager| manager.games(&query)).await
}

#[derive(Deserialize)]
struct GameDescription {
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
}

async fn describe_game(
    State(web): Shared,
    Path(name): Path<String>,
    Json(new): Json<GameDescription>,
) -> Answer {
    web.done(move |manager| manager.describe_game(&name, &new.title, &new.description)).await
}

#[derive(Deserialize)]
struct VersionAddress {
    version: Option<String>,
}

async fn game(State(web): Shared, Path(name): Path<String>, Query(at): Query<VersionAddress>) -> Answer {
    web.json(move |manager| manager.game(&name, at.version.as_deref())).await
}

async fn game_facts(
    State(web): Shared,
    Path(name): Path<String>,
    Query(at): Query<VersionAddress>,
) -> Answer {
    web.json(move |manager| manager.game_facts(&name, at.version.as_deref())).await
}

async fn how_to_play(
    State(web): Shared,
    Path(name): Path<String>,
    Query(at): Query<VersionAddress>,
) -> Answer {
    web.json(move |manager| {
        let guide = manager.guide(&manager.game(&name, at.version.as_deref())?)?;
        Ok(json!({ "features": guide.features, "parts": guide.parts }))
    })
    .await
}

async fn game_results(
    State(web): Shared,
    Path(name): Path<String>,
    Query(at): Query<VersionAddress>,
) -> Answer {
    web.json(move |manager| manager.game_results(&name, at.version.as_deref())).await
}

async fn check_game(asked: Asked, Json(new): Json<NewGame>) -> Answer {
    let actor = asked.actor().clone();
    asked.web.json(move |manager| manager.check_game_for(&actor, &new.name, &new.text)).await
}

async fn add_game(asked: Asked, Json(new): Json<NewGame>) -> Answer {
    let actor = asked.actor().clone();
    asked
        .web
        .ask(move |manager| match manager.add_game_for(&actor, &new) {
            Ok(check) => Ok((StatusCode::CREATED, Json(check)).into_response()),
            // The findings say more than a sentence.
            Err(ManagerError::Rejected(check)) => {
                Ok((StatusCode::UNPROCESSABLE_ENTITY, Json(check)).into_response())
            }
            Err(error) => Err(error.into()),
        })
        .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayerListAddress {
    #[serde(default)]
    text: String,
    #[serde(default)]
    retired: bool,
    after: Option<String>,
    size: Option<u64>,
}

async fn players(State(web): Shared, Query(list): Query<PlayerListAddress>) -> Answer {
    let PlayerListAddress { text, retired, after, size } = list;
    let query = PlayerQuery { text, retired, page: part(after, size), ..PlayerQuery::default() };
    web.json(move |manager| manager.players(&query)).await
}

#[derive(Deserialize)]
struct NewPlayer {
    name: String,
    #[serde(flatten)]
    kind: PlayerKind,
}

async fn register(asked: Asked, Json(new): Json<NewPlayer>) -> Answer {
    let actor = asked.actor().clone();
    asked
        .web
        .ask(move |manager| {
            let player = manager.register_player_for(&actor, &new.name, &new.kind)?;
            Ok((StatusCode::CREATED, Json(player)).into_response())
        })
        .await
}

async fn edit_player(State(web): Shared, Path(name): Path<String>, Json(kind): Json<PlayerKind>) -> Answer {
    web.json(move |manager| manager.edit_player(&name, &kind)).await
}

#[derive(Deserialize)]
struct WantedSecret {
    secret: Option<String>,
}

async fn set_secret(
    State(web): Shared,
    Path(name): Path<String>,
    Json(wanted): Json<WantedSecret>,
) -> Answer {
    web.done(move |manager| manager.set_player_secret(&name, wanted.secret.as_deref())).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MatchListAddress {
    #[serde(default)]
    text: String,
    game: Option<String>,
    player: Option<String>,
    tournament: Option<String>,
    stage: Option<MatchStage>,
    since: Option<u64>,
    until: Option<u64>,
    after: Option<String>,
    size: Option<u64>,
}

async fn matches(State(web): Shared, Query(list): Query<MatchListAddress>) -> Answer {
    let MatchListAddress { text, game, player, tournament, stage, since, until, after, size } = list;
    let page = part(after, size);
    let found = MatchQuery { text, game, player, stage, tournament, since, until, ..MatchQuery::default() };
    let query = MatchQuery { page, ..found };
    web.json(move |manager| manager.matches(&query)).await
}

/// A match was made: its name, and the keys of its people, which are told this once.
fn made(manager: &Manager, id: &str) -> Result<Response, WebFailure> {
    let seats = seats::given(manager, id)?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id, "seats": seats }))).into_response())
}

async fn schedule(asked: Asked, Json(plan): Json<MatchPlan>) -> Answer {
    let actor = asked.actor().clone();
    let make = move |manager: &Manager| manager.schedule_for(&actor, &plan, |plan| manager.schedule(plan));
    asked.web.ask(move |manager| made(manager, &make(manager)?)).await
}

async fn match_view(State(web): Shared, Path(id): Path<String>) -> Answer {
    web.json(move |manager| manager.match_view(&id, Viewer::Spectator)).await
}

async fn match_step(State(web): Shared, Path((id, step)): Path<(String, usize)>) -> Answer {
    web.json(move |manager| manager.match_step(&id, Viewer::Spectator, step)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnalysisAddress {
    step: Option<usize>,
}

/// What a position of a match that is over is worth, or how the match went.
async fn match_analysis(
    State(web): Shared,
    Path(id): Path<String>,
    Query(at): Query<AnalysisAddress>,
) -> Answer {
    web.ask(move |manager| {
        Ok(match at.step {
            Some(step) => Json(&*manager.analyse_position(&id, step)?).into_response(),
            None => Json(&*manager.analyse_match(&id)?).into_response(),
        })
    })
    .await
}

/// A view as JSON, again whenever the match has changed.
async fn match_events(asked: Asked, Path(id): Path<String>) -> Answer {
    view_events(asked, id, Viewer::Spectator).await
}

async fn view_events(asked: Asked, id: String, viewer: Viewer) -> Answer {
    live::of_match(asked, id, move |manager, id| {
        let view = manager.match_view(id, viewer)?;
        Ok((text(&view), view.stage.is_over()))
    })
    .await
}

/// Plain data with text keys: JSON can always hold it.
fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Seats see what others may not: who looks from one must have its key.
async fn seat_view(
    asked: Asked,
    Path((id, seat)): Path<(String, u32)>,
    Query(address): Query<SeatAddress>,
) -> Answer {
    let seat = address.open(&asked, &id, seat).await?;
    asked.web.json(move |manager| manager.match_view(&id, Viewer::Seat(seat))).await
}

/// What a seat sees as JSON, again whenever the match has changed.
async fn seat_events(
    asked: Asked,
    Path((id, seat)): Path<(String, u32)>,
    Query(address): Query<SeatAddress>,
) -> Answer {
    let seat = address.open(&asked, &id, seat).await?;
    view_events(asked, id, Viewer::Seat(seat)).await
}

async fn renew_key(State(web): Shared, Path((id, seat)): Path<(String, u32)>) -> Answer {
    web.ask(move |manager| {
        let renewed = manager.renew_seat_key(&id, SeatNumber(seat))?;
        let given = SeatGiven::of(&id, renewed);
        Ok((StatusCode::CREATED, Json(given)).into_response())
    })
    .await
}

#[derive(Deserialize)]
struct NewMove {
    step: usize,
    #[serde(rename = "move")]
    action: String,
}

async fn make_move(
    asked: Asked,
    Path((id, seat)): Path<(String, u32)>,
    Query(address): Query<SeatAddress>,
    Json(new): Json<NewMove>,
) -> Answer {
    let seat = address.open(&asked, &id, seat).await?;
    asked.web.done(move |manager| manager.submit_move(&id, seat, new.step, &new.action)).await
}

/// Takes a free seat, and says which it is.
async fn join(asked: Asked, Path(id): Path<String>, Json(form): Json<JoinForm>) -> Answer {
    let actor = asked.actor().clone();
    let sit_down = move |manager: &Manager| form.sit_down(manager, &actor, &id);
    asked.web.ask(move |m| Ok(Json(json!({ "seat": sit_down(m)? })).into_response())).await
}

#[derive(Deserialize)]
struct NewSaying {
    say: Saying,
}

async fn say(
    asked: Asked,
    Path((id, seat)): Path<(String, u32)>,
    Query(address): Query<SeatAddress>,
    Json(new): Json<NewSaying>,
) -> Answer {
    let seat = address.open(&asked, &id, seat).await?;
    asked.web.done(move |manager| manager.say(&id, seat, new.say)).await
}

async fn rematch(asked: Asked, Path(id): Path<String>) -> Answer {
    let actor = asked.actor().clone();
    asked.web.ask(move |m| made(m, &super::matches::again(m, &actor, &id, Sides::Same)?)).await
}

#[derive(Default, Deserialize)]
struct Reason {
    #[serde(default)]
    why: Option<String>,
}

async fn abort(State(web): Shared, Path(id): Path<String>, reason: Option<Json<Reason>>) -> Answer {
    let why = reason.and_then(|Json(reason)| reason.why);
    let why = why.unwrap_or_else(|| "the organiser ended it".to_owned());
    web.done(move |manager| manager.abort_match(&id, &why)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TournamentListAddress {
    #[serde(default)]
    text: String,
    game: Option<String>,
    player: Option<String>,
    stage: Option<TournamentStage>,
    after: Option<String>,
    size: Option<u64>,
}

async fn tournaments(State(web): Shared, Query(list): Query<TournamentListAddress>) -> Answer {
    let TournamentListAddress { text, game, player, stage, after, size } = list;
    let query = TournamentQuery { text, game, player, stage, page: part(after, size) };
    web.json(move |manager| manager.tournaments(&query)).await
}

async fn create_tournament(State(web): Shared, Json(plan): Json<TournamentPlan>) -> Answer {
    web.ask(move |manager| Ok(created(manager.create_tournament(&plan)?))).await
}

async fn tournament(State(web): Shared, Path(id): Path<String>) -> Answer {
    web.json(move |manager| Ok(told(&manager.tournament(&id)?))).await
}

/// How a tournament stands, as anybody may know it: while it is played, and players do not see everything in
/// one of its games, without its seed, from which the chances of all its matches follow.
fn told(detail: &TournamentDetail) -> Value {
    // Plain data with text keys: JSON can always hold it.
    let mut told = serde_json::to_value(detail).unwrap_or_default();
    if detail.hidden
        && detail.summary.stage != TournamentStage::Over
        && let Some(competition) = told.pointer_mut("/plan/competition").and_then(Value::as_object_mut)
    {
        competition.remove("seed");
    }
    told
}

#[derive(Deserialize)]
struct RatingAddress {
    points: Option<usize>,
}

async fn tournament_ratings(
    State(web): Shared,
    Path(id): Path<String>,
    Query(at): Query<RatingAddress>,
) -> Answer {
    let points = at.points.unwrap_or(100).clamp(2, 1000);
    web.json(move |manager| manager.rating_history(&id, points)).await
}

async fn tournament_events(asked: Asked, Path(id): Path<String>) -> Answer {
    let web = Arc::clone(&asked.web);
    live::of_tournament(asked, id, move |manager, id| {
        let change = *manager.watch_tournament(id)?.borrow();
        web.part(format!("{id} {change} as JSON"), true, || {
            let detail = manager.tournament(id)?;
            Ok((text(&told(&detail)), detail.summary.stage == TournamentStage::Over))
        })
    })
    .await
}

#[derive(Deserialize)]
struct NamedPlayer {
    player: String,
}

async fn enter(State(web): Shared, Path(id): Path<String>, Json(entered): Json<NamedPlayer>) -> Answer {
    web.done(move |manager| manager.enter_tournament(&id, &entered.player)).await
}

async fn strike(State(web): Shared, Path(id): Path<String>, Json(struck): Json<NamedPlayer>) -> Answer {
    web.done(move |manager| manager.strike_out(&id, &struck.player)).await
}

/// A page about the interface.
#[derive(askama::Template)]
#[template(path = "api.html")]
struct ApiPage {
    layout: super::page::PageLayout,
    entries: Vec<(String, String, String)>,
}

pub(super) async fn describe(asked: Asked) -> Response {
    let document: Value = serde_json::from_str(DESCRIPTION).unwrap_or_default();
    let mut entries = Vec::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, about) in methods.as_object().into_iter().flatten() {
            let summary = about["summary"].as_str().unwrap_or_default();
            entries.push((method.to_uppercase(), path.clone(), summary.to_owned()));
        }
    }
    super::page::page(&ApiPage { layout: asked.layout("/api"), entries })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_description_has_the_paths_and_methods_of_the_router() {
        let document: Value = serde_json::from_str(DESCRIPTION).unwrap();
        let paths = document["paths"].as_object().unwrap().iter();
        let described: BTreeSet<(&str, &str)> = paths
            .flat_map(|(path, methods)| {
                methods.as_object().unwrap().keys().map(move |method| (path.as_str(), method.as_str()))
            })
            .collect();
        let routed: BTreeSet<(&str, &str)> =
            ROUTES.iter().flat_map(|(path, methods)| methods.iter().map(|method| (*path, *method))).collect();
        assert_eq!(described, routed);
    }
}
