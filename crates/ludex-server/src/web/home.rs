//! The first page, and the quick way into a match.

use askama::Template;
use axum::Form;
use ludex::matches::referee::Patience;
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::page::PageLayout;
use super::rows::{FormChoice, MatchRow, rows};
use super::{games, seating, seats};
use crate::manager::{Manager, ManagerError};
use crate::model::{ClockPlan, MatchPlan, MatchQuery, MatchStage, PageRequest, PlayerKind, SeatPlan};

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    layout: PageLayout,
    running: Vec<MatchRow>,
    finished: Vec<MatchRow>,
    games: Vec<FormChoice>,
    game: &'static str,
    levels: Vec<FormChoice>,
    opponents: Vec<FormChoice>,
    opponent: String,
}

pub(super) async fn show(asked: Asked) -> Answer {
    asked.page("/", home_page).await
}

fn home_page(manager: &Manager, layout: PageLayout) -> Result<HomePage, ManagerError> {
    let of = |stage, size| MatchQuery {
        stage: Some(stage),
        page: PageRequest::first(size),
        ..MatchQuery::default()
    };
    let (levels, opponents) = (seating::levels(manager), seating::others(manager)?);
    let usual = levels.get(1).or(opponents.first());
    Ok(HomePage {
        layout,
        running: rows(manager.matches(&of(MatchStage::Running, 10))?.items),
        finished: rows(manager.matches(&of(MatchStage::Completed, 8))?.items),
        games: games::choices(manager)?,
        game: "tic-tac-toe",
        opponent: usual.map_or_else(String::new, |choice| choice.value.clone()),
        levels,
        opponents,
    })
}

#[derive(Deserialize)]
pub(super) struct QuickForm {
    game: String,
    opponent: String,
    /// Seconds a move; empty for as long as one likes.
    #[serde(default)]
    play_clock: String,
    #[serde(default)]
    seat: usize,
}

/// To get ready: who is ready sooner, says so.
const START: u64 = 10_000;
/// For a move where nobody hurries: four hours. Who has not moved then has left, and the match ends.
const UNHURRIED: u64 = 4 * 3_600_000;
/// For a move against programs that use all the time there is.
const SHORT: u64 = 10_000;

/// How long a move may take if nobody says so, and what is done about who takes longer. People and the levels that are made for
/// them take no more time than they need.
fn usual_pace(manager: &Manager, opponent: &str) -> Result<(u64, Patience), WebFailure> {
    Ok(match manager.player(opponent)?.kind {
        PlayerKind::BuiltIn { strategy } if !seating::is_level(&strategy) => (SHORT, Patience::default()),
        PlayerKind::Remote { .. } => (SHORT, Patience::default()),
        PlayerKind::Person | PlayerKind::BuiltIn { .. } => (UNHURRIED, Patience::Abort(1)),
    })
}

/// A person takes a seat, and the same opponent all others.
pub(super) async fn quick(asked: Asked, Form(form): Form<QuickForm>) -> Answer {
    asked
        .go(move |manager| -> Result<_, WebFailure> {
            let facts = manager.game_facts(&form.game, None)?;
            let seats = facts.seats.len();
            let own = form.seat.min(seats.saturating_sub(1));
            let person = seating::player(manager, "guest")?;
            let opponent = seating::player(manager, &form.opponent)?;
            let player = |seat: usize| if seat == own { &person } else { &opponent };
            let seats =
                (0..seats).map(|seat| SeatPlan { player: player(seat).clone(), ..SeatPlan::default() });
            // In real time nobody has so many seconds for a move: there, a second is a unit of game time.
            let (play, patience) = match (facts.real_time, form.play_clock.trim()) {
                (true, _) => (1_000, Patience::default()),
                (false, "") => usual_pace(manager, &opponent)?,
                (false, seconds) => {
                    let seconds = seconds.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
                    let wrong =
                        || WebFailure::bad("The seconds for a move are a number, or none.".to_owned());
                    (super::matches::milliseconds(seconds.ok_or_else(wrong)?), Patience::default())
                }
            };
            let clocks = ClockPlan { start: START, play, bank: None, grace: super::matches::GRACE };
            let mut plan = MatchPlan::new(form.game, seats.collect(), clocks);
            plan.terms.patience = patience;
            let id = manager.schedule(&plan)?;
            Ok(seats::place(manager, &id)?)
        })
        .await
}
