//! The analysis of a match that is over, below its replay: who asks gets what a position is worth, or how the match
//! went. It is asked for by a form, so that it works without scripts.

use askama::Template;
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;

use super::asked::Answer;
use super::chart::series;
use super::course_chart;
use super::failure::WebFailure;
use super::sight::SEATS;
use crate::manager::{Manager, ManagerError};
use crate::model::{MatchAnalysis, MatchSummary, MoveAnalysis, PositionAnalysis, RoleAnalysis, TurningPoint};

/// What is to be analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AnalysisWish {
    /// The position that is shown.
    Position,
    /// The whole match.
    Match,
}

/// So many lines have room in a chart, and as many colours.
const LINES: usize = 8;
/// So many moves of a role have room.
const MOVES: usize = 8;

/// The section of a replay.
#[derive(Template)]
#[template(path = "analysis.html")]
pub(super) struct AnalysisSection {
    id: String,
    step: usize,
    /// Why there is none.
    why_not: Option<&'static str>,
    /// What did not work.
    problem: String,
    position: String,
    whole: String,
}

/// What was found of a position.
#[derive(Template)]
#[template(path = "analysis_position.html")]
struct PositionPart<'a> {
    found: &'a PositionAnalysis,
    /// The roles but chance.
    roles: Vec<RoleShown<'a>>,
    /// Whether several choose at the same time, chance among them.
    simultaneous: bool,
    /// Whether more than two play.
    several: bool,
}

struct RoleShown<'a> {
    name: &'a str,
    value: Option<Worth>,
    moves: Vec<MoveLine>,
}

/// What something is worth.
struct Worth {
    text: String,
    proved: bool,
}

struct MoveLine {
    name: String,
    value: Option<Worth>,
    /// The part of all visits, in per cent.
    share: Option<u64>,
    /// Whether this one was made.
    made: bool,
}

/// What was found of a match.
#[derive(Template)]
#[template(path = "analysis_match.html")]
struct MatchPart<'a> {
    found: &'a MatchAnalysis,
    /// What stands before the number of a step in an address.
    link: String,
    chart: String,
    keys: Vec<(usize, &'a str)>,
    more_roles: usize,
    /// Of how many positions something was found.
    searched: usize,
    /// Whether some goals are proved.
    proved: bool,
    turn: Option<TurnShown<'a>>,
    /// Each position with what it is worth to the roles of the keys.
    rows: Vec<(usize, Vec<Option<Worth>>)>,
}

struct TurnShown<'a> {
    turn: &'a TurningPoint,
    before: String,
    after: String,
    cost: String,
}

fn worth(value: Option<f64>, proved: Option<u32>) -> Option<Worth> {
    value.map(|value| Worth { text: format!("{value:.0}"), proved: proved.is_some() })
}

fn move_line(found: &MoveAnalysis, visits: u64, made: bool) -> MoveLine {
    MoveLine {
        name: found.name.clone(),
        value: worth(found.value, found.proved),
        share: (visits > 0).then(|| found.visits.saturating_mul(100) / visits),
        made,
    }
}

fn role_shown(role: &RoleAnalysis) -> RoleShown<'_> {
    let visits = role.moves.iter().map(|found| found.visits).sum();
    let is_made = |found: &MoveAnalysis| role.made.as_ref().is_some_and(|made| made.action == found.action);
    let mut moves: Vec<MoveLine> =
        role.moves.iter().take(MOVES).map(|found| move_line(found, visits, is_made(found))).collect();
    // The move that was made stands there in any case.
    if let Some(made) = role.made.as_ref().filter(|_| role.choices > 1 && !moves.iter().any(|line| line.made))
    {
        moves.push(move_line(made, visits, true));
    }
    RoleShown { name: &role.name, value: worth(role.value, role.proved), moves }
}

fn position_part(found: &PositionAnalysis) -> PositionPart<'_> {
    let players = found.roles.iter().filter(|role| role.value.is_some() || !role.moves.is_empty());
    let roles: Vec<RoleShown<'_>> = players.take(SEATS).map(role_shown).collect();
    PositionPart { simultaneous: found.is_simultaneous(), several: roles.len() > 2, roles, found }
}

fn match_part<'a>(found: &'a MatchAnalysis, id: &str, step: usize) -> MatchPart<'a> {
    let has_value =
        |role: &usize| found.course.iter().any(|point| point.values.get(*role).copied().flatten().is_some());
    let roles: Vec<usize> = (0..found.names.len()).filter(has_value).collect();
    let shown = roles.get(..LINES).unwrap_or(&roles);
    let link = format!("/matches/{id}/replay?analysis=match&step=");
    let row = |point: &crate::model::CoursePoint| {
        let of = |&role: &usize| {
            let proved = point.proved.get(role).copied().flatten();
            worth(point.values.get(role).copied().flatten(), proved)
        };
        (point.step, shown.iter().map(of).collect())
    };
    let turn = found.turn.as_ref().map(|turn| TurnShown {
        before: format!("{:.0}", turn.before),
        after: format!("{:.0}", turn.after),
        cost: format!("{:.0}", turn.cost()),
        turn,
    });
    MatchPart {
        chart: course_chart::draw(found, shown, step, &link.replace('&', "&amp;")),
        keys: shown
            .iter()
            .map(|&role| (series(role), found.names.get(role).map_or("", String::as_str)))
            .collect(),
        more_roles: roles.len() - shown.len(),
        searched: found.course.iter().filter(|point| point.values.iter().any(Option::is_some)).count(),
        proved: found.course.iter().any(|point| point.proved.iter().any(Option::is_some)),
        rows: found.course.iter().map(row).collect(),
        turn,
        link,
        found,
    }
}

impl AnalysisSection {
    /// The section of the replay of a match, at a step, with what is wanted, and why that is not there, if it is not.
    pub(super) fn of(
        manager: &Manager,
        summary: &MatchSummary,
        step: usize,
        wish: Option<AnalysisWish>,
    ) -> Result<(Self, Option<WebFailure>), ManagerError> {
        let id = summary.id.clone();
        let why_not = manager.why_not_analysed(summary)?.map(crate::manager::NoAnalysis::reason);
        let empty =
            Self { id, step, why_not, problem: String::new(), position: String::new(), whole: String::new() };
        let (Some(wish), None) = (wish, why_not) else { return Ok((empty, None)) };
        Ok(match (wish, part(manager, &summary.id, step, wish)) {
            (AnalysisWish::Position, Ok(position)) => (Self { position, ..empty }, None),
            (AnalysisWish::Match, Ok(whole)) => (Self { whole, ..empty }, None),
            (_, Err(failure)) => (Self { problem: failure.text.clone(), ..empty }, Some(failure)),
        })
    }
}

/// What is wanted of a match, as a part of a page.
fn part(manager: &Manager, id: &str, step: usize, wish: AnalysisWish) -> Result<String, WebFailure> {
    Ok(match wish {
        AnalysisWish::Position => position_part(&*manager.analyse_position(id, step)?).render()?,
        AnalysisWish::Match => match_part(&*manager.analyse_match(id)?, id, step).render()?,
    })
}

/// The same as an answer of its own, for scripts.
pub(super) fn answer(manager: &Manager, id: &str, step: usize, wish: AnalysisWish) -> Answer {
    Ok(Html(part(manager, id, step, wish)?).into_response())
}

/// A page with the section; one that could not do what was wanted says so by its status, too.
pub(super) fn told(page: &impl Template, failure: Option<WebFailure>) -> Response {
    match failure {
        None => super::page::page(page),
        Some(failure) => failure.on(page),
    }
}
