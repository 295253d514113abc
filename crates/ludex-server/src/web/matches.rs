//! Pages of matches.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query};
use axum::response::{Html, IntoResponse};
use ludex::matches::referee::Patience;
use ludex::matches::view::Viewer;
use serde::Deserialize;

use super::analysis::{self, AnalysisSection, AnalysisWish};
use super::asked::{Answer, Asked};
use super::course::MatchPart;
use super::failure::WebFailure;
use super::fields::Fields;
use super::page::{PageLayout, to};
use super::rows::{self, FormChoice};
use super::seats::{self, Invitation, SeatLink};
use super::sight::{ROOM, SEATS};
use super::{games, live, ratings, seating, sitting_down, text};
use crate::manager::{Manager, ManagerError};
use crate::model::{Actor, ClockPlan, MatchDetail, MatchPlan, MatchStage, PlayerKind, SeatPlan, Sides};

/// How much longer answers are waited for than players are told, in milliseconds: the network takes its time.
pub(super) const GRACE: u64 = 500;

/// So many seconds. More than there can be are as many as there can be.
pub(super) fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}

#[derive(Template)]
#[template(path = "match_new.html")]
struct NewMatchPage {
    layout: PageLayout,
    problem: String,
    games: Vec<FormChoice>,
    game: String,
    roles: Vec<String>,
    /// How many seats there are beside those that stand there one by one, and who has them.
    more_seats: usize,
    others: String,
    players: Vec<FormChoice>,
    seats: Vec<String>,
    /// What players can be told in place of the rules, if there is a choice, and what each is told.
    sheets: Vec<FormChoice>,
    told: Vec<String>,
    start_clock: String,
    play_clock: String,
    /// Whether the game goes on in real time.
    real_time: bool,
}

#[derive(Deserialize)]
pub(super) struct NewMatchAddress {
    game: Option<String>,
}

pub(super) async fn form(asked: Asked, Query(address): Query<NewMatchAddress>) -> Answer {
    let game = address.game.unwrap_or_else(|| "tic-tac-toe".to_owned());
    let make = move |manager: &Manager, layout| new_match_page(manager, layout, game, &Fields::default());
    asked.page("/matches", make).await
}

/// The form, with what was filled in before.
fn new_match_page(
    manager: &Manager,
    layout: PageLayout,
    game: String,
    fields: &Fields,
) -> Result<NewMatchPage, ManagerError> {
    let mut sheets = Vec::new();
    let (mut roles, real_time, problem) = match manager.game_facts(&game, None) {
        Ok(facts) => {
            sheets = games::sheets(manager, &game, &facts)?;
            (facts.seats, facts.real_time, String::new())
        }
        Err(error @ ManagerError::NotFound { .. }) => return Err(error),
        Err(error) => (Vec::new(), false, WebFailure::from(error).text),
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
    let chosen: Vec<&str> = fields.all("sheet").collect();
    let told = |seat: usize| chosen.get(seat).map_or_else(String::new, |choice| (*choice).to_owned());
    let clock = |name: &str, usual: &str| match fields.text(name) {
        "" => usual.to_owned(),
        text => text.to_owned(),
    };
    let more_seats = roles.len().saturating_sub(SEATS);
    roles.truncate(SEATS);
    Ok(NewMatchPage {
        layout,
        problem,
        games: games::choices(manager)?,
        game,
        more_seats,
        others: match fields.text("others") {
            "" => usual.clone(),
            chosen => chosen.to_owned(),
        },
        seats: (0..roles.len()).map(seat).collect(),
        told: (0..roles.len()).map(told).collect(),
        sheets,
        roles,
        players,
        start_clock: clock("start_clock", "10"),
        play_clock: clock("play_clock", if real_time { "1" } else { "60" }),
        real_time,
    })
}

pub(super) async fn add(asked: Asked, Form(fields): Form<Vec<(String, String)>>) -> Answer {
    let fields = Fields(fields);
    let actor = asked.actor().clone();
    asked
        .answer("/matches", move |manager, layout| {
            let schedule = |plan: MatchPlan| {
                let id = manager.schedule_for(&actor, &plan, |plan| manager.schedule(plan))?;
                Ok((id, plan.begin))
            };
            let planned = plan(manager, &actor, &fields).and_then(schedule);
            match planned {
                Ok((id, None)) => Ok(to(&seats::place(manager, &id)?)),
                Ok((id, Some(_))) => Ok(to(&format!("/matches/{id}"))),
                Err(failure) => failure.again(|problem| -> Result<_, ManagerError> {
                    let game = fields.text("game").to_owned();
                    Ok(NewMatchPage { problem, ..new_match_page(manager, layout, game, &fields)? })
                }),
            }
        })
        .await
}

fn plan(manager: &Manager, actor: &Actor, fields: &Fields) -> Result<MatchPlan, WebFailure> {
    let scramble = fields.text("scramble") == "1";
    let mut seats = Vec::new();
    let mut sheets = fields.all("sheet");
    for choice in fields.all("seat") {
        let player = seating::own_player(manager, actor, choice)?;
        let sheet = sheets.next().filter(|sheet| !sheet.is_empty());
        let rulesheet = sheet.map(|sheet| manager.game(sheet, None)).transpose()?.map(|game| game.text);
        seats.push(SeatPlan { player, scramble, rulesheet, ..SeatPlan::default() });
    }
    if let others @ 1.. = fields.get::<usize>("other_seats")?.unwrap_or(0) {
        let all = manager.game_facts(fields.text("game"), None)?.seats.len();
        let player = seating::player(manager, fields.text("others"))?;
        let other = SeatPlan { player, scramble, ..SeatPlan::default() };
        seats.resize((seats.len().saturating_add(others)).min(all), other);
    }
    let clocks = clocks(fields)?;
    let at_ease = fields.text("unhurried") == "1";
    let of_people =
        if at_ease { sitting_down::unhurried() } else { sitting_down::chosen(clocks.play, clocks.bank) };
    // A player may have thousands of seats.
    let mut known = BTreeMap::new();
    for seat in &mut seats {
        let is_person = match known.get(&seat.player) {
            Some(&is_person) => is_person,
            None => manager.player(&seat.player)?.kind == PlayerKind::Person,
        };
        known.insert(seat.player.clone(), is_person);
        if is_person {
            (seat.clocks, seat.awaited) = (Some(of_people), true);
        }
    }
    let begin = match fields.text("start_at") {
        "" => None,
        text => {
            let moment = text::read_moment(text);
            Some(moment.ok_or_else(|| WebFailure::bad(format!("`{text}` is no date and time.")))?)
        }
    };
    let mut plan = MatchPlan::new(fields.text("game"), seats, clocks);
    plan.terms.time_cost = fields.get("time_cost")?;
    if at_ease {
        plan.terms.patience = Patience::Abort(3);
    }
    Ok(MatchPlan { seed: fields.get("seed")?, begin, ..plan })
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
    layout: PageLayout,
    id: String,
    game: String,
    players: String,
    /// The tournament that the match is part of: its id and its name.
    tournament: Option<(String, String)>,
    over: bool,
    persons: Vec<SeatLink>,
    invitations: Vec<Invitation>,
    part: String,
    /// What it has changed in ratings; empty where it has changed none.
    ratings: String,
}

pub(super) async fn show(asked: Asked, Path(id): Path<String>) -> Answer {
    let web = Arc::clone(&asked.web);
    asked
        .page("/matches", move |manager, layout| -> Result<_, WebFailure> {
            let summary = manager.match_detail(&id)?.summary;
            let over = summary.stage.is_over();
            let persons = if over { Vec::new() } else { seats::links(manager, &id, !layout.own)? };
            let invitations = match over {
                true => Vec::new(),
                false => seats::invitations(manager, &id, !layout.own, None)?,
            };
            let part = web.part(id.clone(), false, || match_part(manager, &id))?.0;
            let players = rows::players(&summary);
            let title = |id: String| manager.tournament_summary(&id).map(|tournament| (id, tournament.title));
            let tournament = summary.tournament.map(title).transpose()?;
            Ok(MatchPage {
                layout,
                game: summary.game,
                players,
                tournament,
                over,
                persons,
                invitations,
                part,
                ratings: if over { ratings::of_match(manager, &id)? } else { String::new() },
                id,
            })
        })
        .await
}

/// The part that changes, and whether it will change again.
pub(super) fn match_part(manager: &Manager, id: &str) -> Result<(String, bool), WebFailure> {
    let summary = manager.match_detail(id)?.summary;
    let part = manager.excerpt(id, Viewer::Spectator, None, ROOM)?;
    Ok((MatchPart::of(manager, &summary, &part, false)?.render()?, part.view.stage.is_over()))
}

pub(super) async fn watch(asked: Asked, Path(id): Path<String>) -> Answer {
    live::of_match(asked, id, match_part).await
}

#[derive(Template)]
#[template(path = "replay.html")]
struct ReplayPage {
    layout: PageLayout,
    id: String,
    game: String,
    players: String,
    step: usize,
    last: usize,
    /// Whether it went on in real time.
    real_time: bool,
    /// Who can be played against from here on, and the seats; none where nobody can play on.
    opponents: Vec<FormChoice>,
    seats: Vec<String>,
    part: String,
    /// The analysis, or what asks for it; empty while the match is played.
    analysis: String,
}

#[derive(Deserialize)]
pub(super) struct ReplayAddress {
    #[serde(default)]
    step: usize,
    part: Option<u8>,
    analysis: Option<AnalysisWish>,
}

pub(super) async fn replay(
    asked: Asked,
    Path(id): Path<String>,
    Query(address): Query<ReplayAddress>,
) -> Answer {
    let web = Arc::clone(&asked.web);
    asked
        .answer("/matches", move |manager, layout| -> Answer {
            let MatchDetail { summary, hidden, .. } = manager.match_detail(&id)?;
            if summary.stage == MatchStage::Planned {
                return Ok(to(&format!("/matches/{id}")));
            }
            let over = summary.stage.is_over();
            let last = summary.steps as usize;
            let step = address.step.min(last);
            if let (Some(wish), Some(_)) = (address.analysis, address.part) {
                return analysis::answer(manager, &id, step, wish);
            }
            let (part, _) = web.part(format!("{id} {step}"), false, || {
                let part = manager.excerpt(&id, Viewer::Spectator, Some(step), ROOM)?;
                Ok((MatchPart::of(manager, &summary, &part, true)?.render()?, over))
            })?;
            if address.part.is_some() {
                return Ok(Html(part).into_response());
            }
            let players = rows::players(&summary);
            let real_time = manager.is_in_real_time(&summary)?;
            let (analysis, failure) = if over {
                let (section, failure) = AnalysisSection::of(manager, &summary, step, address.analysis)?;
                (section.render()?, failure)
            } else {
                (String::new(), None)
            };
            let can_play_on = over && !real_time && !layout.locked && !hidden;
            let opponents = if can_play_on { seating::levels(manager) } else { Vec::new() };
            let seats = summary.seats.iter().take(SEATS).map(|seat| seat.role.clone()).collect();
            let game = summary.game;
            let shown = ReplayPage {
                layout,
                id,
                game,
                players,
                step,
                last,
                real_time,
                opponents,
                seats,
                part,
                analysis,
            };
            Ok(analysis::told(&shown, failure))
        })
        .await
}

pub(super) async fn abort(asked: Asked, Path(id): Path<String>) -> Answer {
    let why = "the organiser ended it";
    asked.go(move |manager| manager.abort_match(&id, why).map(|()| format!("/matches/{id}"))).await
}

pub(super) async fn rematch(asked: Asked, Path(id): Path<String>) -> Answer {
    let actor = asked.actor().clone();
    asked
        .go(move |manager| -> Result<_, WebFailure> {
            Ok(seats::place(manager, &again(manager, &actor, &id, Sides::Changed)?)?)
        })
        .await
}

/// The same match again, for somebody. Who plays by the name of another account is invited as a friend.
pub(super) fn again(manager: &Manager, actor: &Actor, id: &str, sides: Sides) -> Result<String, WebFailure> {
    let mut plan = manager.rematch_plan(id, sides)?;
    let mut friend = None;
    for seat in &mut plan.seats {
        if manager.check_person(actor, &seat.player).is_err() {
            let friend = match &mut friend {
                Some(known) => known,
                none => none.insert(seating::player(manager, seating::FRIEND)?),
            };
            seat.player.clone_from(friend);
        }
    }
    Ok(manager.schedule_for(actor, &plan, |plan| manager.schedule(plan))?)
}
