//! The first page, and the quick way into a match.

use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::failure::WebFailure;
use super::page::{Frame, page};
use super::rows::{FormChoice, MatchRow, rows};
use super::{Web, games, seating, seats};
use crate::manager::{ClockPlan, MatchPlan, MatchQuery, MatchStage, PageRequest, SeatPlan};

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    frame: Frame,
    running: Vec<MatchRow>,
    finished: Vec<MatchRow>,
    games: Vec<FormChoice>,
    game: &'static str,
    opponents: Vec<FormChoice>,
    opponent: String,
}

pub(super) async fn show(State(web): State<Arc<Web>>, headers: HeaderMap) -> Result<Response, WebFailure> {
    let frame = web.frame("/", &headers);
    web.ask(move |manager| {
        let of = |stage, size| MatchQuery {
            stage: Some(stage),
            page: PageRequest::first(size),
            ..MatchQuery::default()
        };
        let opponents = seating::choices(manager)?;
        let best = |choice: &&FormChoice| choice.value == "ludex" || choice.value == "strategy:ludex";
        Ok(page(&HomePage {
            frame,
            running: rows(manager.matches(&of(MatchStage::Running, 10))?.items),
            finished: rows(manager.matches(&of(MatchStage::Completed, 8))?.items),
            games: games::choices(manager)?,
            game: "tic-tac-toe",
            opponent: opponents.iter().find(best).map_or_else(String::new, |choice| choice.value.clone()),
            opponents,
        }))
    })
    .await
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
pub(super) async fn quick(
    State(web): State<Arc<Web>>,
    Form(form): Form<QuickForm>,
) -> Result<Response, WebFailure> {
    web.ask(move |manager| {
        let seats = manager.game_facts(&form.game, None)?.seats.len();
        let own = form.seat.min(seats.saturating_sub(1));
        let person = seating::player(manager, "guest")?;
        let opponent = seating::player(manager, &form.opponent)?;
        let seat = |seat: usize| SeatPlan {
            player: if seat == own { person.clone() } else { opponent.clone() },
            ..SeatPlan::default()
        };
        let play = super::matches::milliseconds(form.play_clock.unwrap_or(60.0));
        let clocks = ClockPlan { start: 10_000, play, bank: None, grace: super::matches::GRACE };
        let id = manager.schedule(&MatchPlan {
            game: form.game,
            version: None,
            seats: (0..seats).map(seat).collect(),
            clocks,
            seed: None,
            begin: None,
            patience: Default::default(),
            step_limit: None,
            points_per_second: None,
            introduce: false,
        })?;
        Ok(Redirect::to(&seats::place(manager, &id)?).into_response())
    })
    .await
}
