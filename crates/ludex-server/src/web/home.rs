//! The first page, and the quick way into a match.

use askama::Template;
use axum::Form;
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::page::PageLayout;
use super::rows::{FormChoice, MatchRow, rows};
use super::{games, seating, seats};
use crate::manager::{Manager, ManagerError};
use crate::model::{ClockPlan, MatchPlan, MatchQuery, MatchStage, PageRequest, SeatPlan};

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    layout: PageLayout,
    running: Vec<MatchRow>,
    finished: Vec<MatchRow>,
    games: Vec<FormChoice>,
    game: &'static str,
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
    let opponents = seating::choices(manager)?;
    let best = |choice: &&FormChoice| choice.value == "ludex" || choice.value == "strategy:ludex";
    Ok(HomePage {
        layout,
        running: rows(manager.matches(&of(MatchStage::Running, 10))?.items),
        finished: rows(manager.matches(&of(MatchStage::Completed, 8))?.items),
        games: games::choices(manager)?,
        game: "tic-tac-toe",
        opponent: opponents.iter().find(best).map_or_else(String::new, |choice| choice.value.clone()),
        opponents,
    })
}

#[derive(Deserialize)]
pub(super) struct QuickForm {
    game: String,
    opponent: String,
    #[serde(default)]
    play_clock: Option<f64>,
    #[serde(default)]
    seat: usize,
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
            let seconds = if facts.real_time { 1.0 } else { form.play_clock.unwrap_or(60.0) };
            let play = super::matches::milliseconds(seconds);
            let clocks = ClockPlan { start: 10_000, play, bank: None, grace: super::matches::GRACE };
            let id = manager.schedule(&MatchPlan::new(form.game, seats.collect(), clocks))?;
            Ok(seats::place(manager, &id)?)
        })
        .await
}
