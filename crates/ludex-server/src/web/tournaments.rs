//! Pages of tournaments.

use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query};
use ludex::tournament::{Format, Tournament, TournamentGame, TournamentSetup};
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::fields::Fields;
use super::page::{PageLayout, page, to};
use super::rows::FormChoice;
use super::tournament_part::TournamentPart;
use super::{Web, games, live, matches, seating};
use crate::manager::{Manager, ManagerError, drawn_seed};
use crate::model::{
    MatchQuery, PageRequest, TournamentPlan, TournamentQuery, TournamentStage, TournamentSummary,
};

struct TournamentTile {
    id: String,
    name: String,
    format: &'static str,
    players: usize,
    games: String,
    status: &'static str,
    mood: &'static str,
    progress: String,
}

impl From<TournamentSummary> for TournamentTile {
    fn from(summary: TournamentSummary) -> Self {
        let plural = |count: u64, one: &str, many: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {many}"),
        };
        Self {
            id: summary.id,
            name: summary.title,
            format: format_name(summary.format),
            players: summary.players,
            games: plural(summary.games as u64, "game", "games"),
            status: summary.stage.name(),
            mood: mood(summary.stage),
            progress: plural(summary.results, "result", "results"),
        }
    }
}

/// How the stage of a tournament is coloured.
pub(super) fn mood(stage: TournamentStage) -> &'static str {
    match stage {
        TournamentStage::Running => "live",
        TournamentStage::Paused => "warn",
        TournamentStage::Over => "good",
    }
}

/// What a format is called.
pub(super) fn format_name(format: Format) -> &'static str {
    match format {
        Format::RoundRobin => "Round robin",
        Format::Swiss => "Swiss",
        Format::SingleElimination => "Single elimination",
        Format::DoubleElimination => "Double elimination",
        Format::Cumulative => "Cumulative score",
        Format::Open => "Open-ended",
        Format::Ladder => "Ladder",
    }
}

#[derive(Template)]
#[template(path = "tournaments.html")]
struct TournamentsPage {
    layout: PageLayout,
    address: ListAddress,
    stages: Vec<FormChoice>,
    /// Whether some are left out.
    filtered: bool,
    total: u64,
    tournaments: Vec<TournamentTile>,
    newest: Option<String>,
    older: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListAddress {
    #[serde(default)]
    text: String,
    #[serde(default)]
    game: String,
    #[serde(default)]
    player: String,
    #[serde(default)]
    stage: String,
    after: Option<String>,
}

const STAGES: [TournamentStage; 3] =
    [TournamentStage::Running, TournamentStage::Paused, TournamentStage::Over];

impl ListAddress {
    fn fields(&self) -> [(&'static str, &str); 4] {
        let Self { text, game, player, stage, .. } = self;
        [("text", text.trim()), ("game", game.trim()), ("player", player.trim()), ("stage", stage)]
    }

    /// The same list from its beginning.
    fn link(&self) -> String {
        super::api::list_link("/tournaments", &self.fields())
    }

    fn query(&self) -> Result<TournamentQuery, WebFailure> {
        let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let stage = some(&self.stage).map(|name| {
            let wrong = || WebFailure::bad(format!("No tournament is {name}."));
            STAGES.into_iter().find(|stage| stage.name() == name).ok_or_else(wrong)
        });
        Ok(TournamentQuery {
            text: self.text.clone(),
            game: some(&self.game),
            player: some(&self.player),
            stage: stage.transpose()?,
            page: PageRequest { after: self.after.clone(), size: PAGE },
        })
    }
}

const PAGE: u64 = 100;

pub(super) async fn list(asked: Asked, Query(address): Query<ListAddress>) -> Answer {
    asked
        .page("/tournaments", move |manager, layout| -> Result<_, WebFailure> {
            let (query, link) = (address.query()?, address.link());
            let found = manager.tournaments(&query)?;
            let stage = |stage: TournamentStage| FormChoice::new(stage.name(), stage.name());
            Ok(TournamentsPage {
                layout,
                stages: STAGES.map(stage).into(),
                filtered: address.fields().iter().any(|(_, value)| !value.is_empty()),
                total: found.total,
                newest: address.after.is_some().then(|| link.clone()),
                older: found.next.map(|last| format!("{link}&after={}", super::api::path_part(&last))),
                tournaments: found.items.into_iter().map(TournamentTile::from).collect(),
                address,
            })
        })
        .await
}

#[derive(Template)]
#[template(path = "tournament_new.html")]
struct NewTournamentPage {
    layout: PageLayout,
    problem: String,
    name: String,
    formats: Vec<FormChoice>,
    format: String,
    rounds: String,
    players: Vec<FormChoice>,
    games: Vec<FormChoice>,
}

fn new_page(
    manager: &Manager,
    layout: PageLayout,
    fields: &Fields,
) -> Result<NewTournamentPage, ManagerError> {
    let mark = |mut choices: Vec<FormChoice>, name: &str| {
        let chosen: Vec<&str> = fields.all(name).collect();
        choices.iter_mut().for_each(|choice| choice.chosen = chosen.contains(&choice.value.as_str()));
        choices
    };
    let formats = Format::ALL.map(|format| FormChoice::new(format.name(), format_name(format)));
    let or = |name: &str, usual: &str| match fields.text(name) {
        "" => usual.to_owned(),
        text => text.to_owned(),
    };
    Ok(NewTournamentPage {
        layout,
        problem: String::new(),
        name: fields.text("name").to_owned(),
        formats: formats.into(),
        format: or("format", Format::RoundRobin.name()),
        rounds: or("rounds", "1"),
        players: mark(seating::choices(manager)?, "player"),
        games: mark(games::choices(manager)?, "game"),
    })
}

pub(super) async fn form(asked: Asked) -> Answer {
    asked.page("/tournaments", |manager, layout| new_page(manager, layout, &Fields::default())).await
}

pub(super) async fn add(asked: Asked, Form(fields): Form<Vec<(String, String)>>) -> Answer {
    let fields = Fields(fields);
    asked
        .answer("/tournaments", move |manager, layout| {
            match plan(manager, &fields).and_then(|plan| Ok(manager.create_tournament(&plan)?)) {
                Ok(id) => Ok(to(&place(&id))),
                Err(failure) => failure.again(|problem| -> Result<_, ManagerError> {
                    Ok(NewTournamentPage { problem, ..new_page(manager, layout, &fields)? })
                }),
            }
        })
        .await
}

fn plan(manager: &Manager, fields: &Fields) -> Result<TournamentPlan, WebFailure> {
    let format = fields.text("format");
    let format = format.parse::<Format>().map_err(|error| WebFailure::bad(format!("{error}.")))?;
    let players = fields.all("player").map(|choice| seating::player(manager, choice));
    let players = players.collect::<Result<Vec<_>, _>>()?;
    // The manager knows how many seats games have.
    let games = fields.all("game").map(|name| TournamentGame { name: name.to_owned(), seats: 0 });
    let seed = match fields.get("seed")? {
        Some(seed) => seed,
        None => drawn_seed()?,
    };
    let rounds = fields.get("rounds")?.unwrap_or(1);
    let tournament = Tournament { players, games: games.collect(), rounds, seed };
    let mut competition = TournamentSetup::new(tournament, format);
    competition.legs = fields.get("legs")?.unwrap_or(competition.legs);
    competition.replays = fields.get("replays")?.unwrap_or(0);
    competition.simultaneous = fields.get("simultaneous")?;
    competition.per_day = fields.get("per_day")?;
    let mut plan = TournamentPlan::new(fields.text("name"), competition, matches::clocks(fields)?);
    plan.terms.introduce = fields.text("introduce") == "1";
    plan.terms.time_cost = fields.get("time_cost")?;
    Ok(TournamentPlan { scramble: fields.text("scramble") == "1", ..plan })
}

#[derive(Template)]
#[template(path = "tournament.html")]
struct TournamentPage {
    layout: PageLayout,
    id: String,
    name: String,
    over: bool,
    paused: bool,
    players: Vec<String>,
    part: String,
    /// Who can enter late, and why nobody can, where nobody can.
    newcomers: Vec<FormChoice>,
    no_entry: Option<&'static str>,
}

pub(super) async fn show(asked: Asked, Path(id): Path<String>) -> Answer {
    let web = Arc::clone(&asked.web);
    asked
        .page("/tournaments", move |manager, layout| -> Result<_, WebFailure> {
            let detail = manager.tournament(&id)?;
            let stage = detail.summary.stage;
            let there = detail.ranking.iter().filter(|player| !player.struck_out);
            let players = there.map(|player| player.player.clone()).collect();
            let part = part(&web, manager, &id)?.0;
            let (over, paused) = (stage == TournamentStage::Over, stage == TournamentStage::Paused);
            let no_entry = if over { None } else { manager.entry_refusal(&id)? };
            let newcomers = if over || no_entry.is_some() { Vec::new() } else { seating::choices(manager)? };
            let name = detail.summary.title;
            Ok(TournamentPage { layout, id, name, over, paused, players, part, newcomers, no_entry })
        })
        .await
}

/// The part that changes, and whether it will change again. It is made once for each change, for all who look.
fn part(web: &Web, manager: &Manager, id: &str) -> Result<(String, bool), WebFailure> {
    let change = *manager.watch_tournament(id)?.borrow();
    let outlook = manager.tournament_outlook(id)?;
    web.part(format!("{id} {change} {outlook:?}"), true, || {
        let detail = manager.tournament(id)?;
        let history = manager.rating_history(id, 60)?;
        let tournament = Some(id.to_owned());
        let query = MatchQuery { tournament, page: PageRequest::first(30), ..MatchQuery::default() };
        let matches = manager.matches(&query)?.items;
        let over = detail.summary.stage == TournamentStage::Over;
        Ok((TournamentPart::of(&detail, outlook, &history, matches).render()?, over))
    })
}

pub(super) async fn watch(asked: Asked, Path(id): Path<String>) -> Answer {
    let web = Arc::clone(&asked.web);
    live::of_tournament(asked, id, move |manager, id| part(&web, manager, id)).await
}

/// Where the page of a tournament is.
fn place(id: &str) -> String {
    format!("/tournaments/{id}")
}

pub(super) async fn pause(asked: Asked, Path(id): Path<String>) -> Answer {
    asked.go(move |manager| manager.pause_tournament(&id).map(|()| place(&id))).await
}

pub(super) async fn resume(asked: Asked, Path(id): Path<String>) -> Answer {
    asked.go(move |manager| manager.resume_tournament(&id).map(|()| place(&id))).await
}

/// Whether a tournament is really to end: asked on a page, so that it needs no script.
#[derive(Template)]
#[template(path = "tournament_end.html")]
struct EndPage {
    layout: PageLayout,
    id: String,
    name: String,
    running: usize,
}

pub(super) async fn ask_end(asked: Asked, Path(id): Path<String>) -> Answer {
    asked
        .answer("/tournaments", move |manager, layout| -> Answer {
            let detail = manager.tournament(&id)?;
            if detail.summary.stage == TournamentStage::Over {
                return Ok(to(&place(&id)));
            }
            let (name, running) = (detail.summary.title, detail.running.len());
            Ok(page(&EndPage { layout, id, name, running }))
        })
        .await
}

pub(super) async fn end(asked: Asked, Path(id): Path<String>) -> Answer {
    asked.go(move |manager| manager.end_tournament(&id).map(|()| place(&id))).await
}

pub(super) async fn enter(
    asked: Asked,
    Path(id): Path<String>,
    Form(fields): Form<Vec<(String, String)>>,
) -> Answer {
    let fields = Fields(fields);
    asked
        .answer("/tournaments", move |manager, _| -> Answer {
            manager.enter_tournament(&id, &seating::player(manager, fields.text("player"))?)?;
            Ok(to(&place(&id)))
        })
        .await
}

pub(super) async fn strike(
    asked: Asked,
    Path(id): Path<String>,
    Form(fields): Form<Vec<(String, String)>>,
) -> Answer {
    let fields = Fields(fields);
    asked.go(move |manager| manager.strike_out(&id, fields.text("player")).map(|()| place(&id))).await
}
