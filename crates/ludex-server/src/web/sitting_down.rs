//! The quick ways to a seat: a match of a game against one opponent, from its beginning or from a state of a match that is
//! over.

use axum::Form;
use axum::extract::Path;
use ludex::matches::referee::{Patience, SeatNumber};
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::matches::{GRACE, milliseconds};
use super::{seating, seats};
use crate::manager::Manager;
use crate::model::{Actor, ClockPlan, GameFacts, MatchPlan, PlayerKind, SeatPlan, ThingKind};

/// Where nobody hurries: four hours. Who has not moved then has left, and the match ends.
const UNHURRIED: u64 = 4 * 3_600_000;
/// To get ready: who is ready sooner, says so.
const START: u64 = 10_000;
/// For a move against programs that use all the time there is.
const SHORT: u64 = 10_000;
/// In real time, what a unit of game time lasts.
const UNIT: u64 = 1_000;

/// What somebody chooses who wants to play.
#[derive(Deserialize)]
pub(super) struct SeatForm {
    /// The game, where it is not that of another match.
    #[serde(default)]
    game: String,
    /// From which state of another match on.
    #[serde(default)]
    step: usize,
    opponent: String,
    /// Seconds a move; empty for as long as one likes.
    #[serde(default)]
    play_clock: String,
    #[serde(default)]
    seat: usize,
    /// What the person is called.
    #[serde(default)]
    name: String,
}

/// A person takes a seat, and the same opponent all others.
pub(super) async fn quick(asked: Asked, Form(form): Form<SeatForm>) -> Answer {
    let actor = asked.actor().clone();
    asked.counts_as_guest()?;
    asked
        .go(move |manager| -> Result<_, WebFailure> {
            manager.is_seen(&actor, ThingKind::Game, &form.game)?;
            let facts = manager.game_facts(&form.game, None)?;
            let (own, plan) = form.plan(manager, &actor, &form.game, &facts)?;
            let id = manager.schedule_for(&actor, &plan, |plan| manager.schedule(plan))?;
            Ok(seats::own_place(manager, &id, own)?)
        })
        .await
}

/// A person goes on from a state of a match that is over.
pub(super) async fn play_on(asked: Asked, Path(id): Path<String>, Form(form): Form<SeatForm>) -> Answer {
    let actor = asked.actor().clone();
    asked.counts_as_guest()?;
    asked
        .go(move |manager| -> Result<_, WebFailure> {
            let summary = manager.match_detail(&id)?.summary;
            let facts = manager.game_facts(&summary.game, Some(&summary.version))?;
            let (own, plan) = form.plan(manager, &actor, &summary.game, &facts)?;
            let id = manager.schedule_for(&actor, &plan, |plan| manager.play_on(&id, form.step, plan))?;
            Ok(seats::own_place(manager, &id, own)?)
        })
        .await
}

impl SeatForm {
    /// The match that is wanted, and the seat of whoever wants it.
    fn plan(
        &self,
        manager: &Manager,
        actor: &Actor,
        game: &str,
        facts: &GameFacts,
    ) -> Result<(SeatNumber, MatchPlan), WebFailure> {
        let seats = facts.seats.len();
        let own = self.seat.min(seats.saturating_sub(1));
        let person = seating::person(manager, actor, &self.name)?;
        let opponent = seating::player(manager, &self.opponent)?;
        let against_person = manager.player(&opponent)?.kind == PlayerKind::Person;
        let (play, own_play, patience) = match (facts.real_time, self.seconds()?) {
            // Nobody has so many seconds for a move there.
            (true, _) => (UNIT, UNIT, Patience::default()),
            (false, Some(chosen)) => (chosen, chosen, Patience::default()),
            (false, None) => {
                let (play, patience) = usual_pace(manager, &opponent)?;
                (play, UNHURRIED, patience)
            }
        };
        let seat = |seat: usize| {
            let player = if seat == own { &person } else { &opponent };
            let planned = SeatPlan { player: player.clone(), ..SeatPlan::default() };
            if seat == own || against_person {
                SeatPlan { clocks: Some(chosen(own_play, None)), awaited: true, ..planned }
            } else {
                planned
            }
        };
        let clocks = ClockPlan { start: START, play, bank: None, grace: GRACE };
        let mut plan = MatchPlan::new(game, (0..seats).map(seat).collect(), clocks);
        plan.terms.patience = patience;
        Ok((SeatNumber(u32::try_from(own).unwrap_or_default()), plan))
    }

    /// The milliseconds for a move that somebody chose.
    fn seconds(&self) -> Result<Option<u64>, WebFailure> {
        let text = self.play_clock.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
        let wrong = || WebFailure::bad("The seconds for a move are a number, or none.".to_owned());
        Ok(Some(milliseconds(seconds.ok_or_else(wrong)?)))
    }
}

/// How long a move of an opponent may take if nobody says so, and what is done about who takes longer.
fn usual_pace(manager: &Manager, opponent: &str) -> Result<(u64, Patience), WebFailure> {
    Ok(match manager.player(opponent)?.kind {
        // People, and the levels that are made for them, take no more time than they need.
        PlayerKind::BuiltIn { strategy } if seating::is_level(&strategy) => (UNHURRIED, Patience::Abort(1)),
        PlayerKind::Person => (UNHURRIED, Patience::Abort(1)),
        // A program may be late once or twice, and who has left does not keep it for days.
        PlayerKind::BuiltIn { .. } | PlayerKind::Remote { .. } => (SHORT, Patience::Abort(3)),
    })
}

/// The clocks of a person with so many milliseconds for a move, and for all of them. The match waits for hours until somebody
/// has come.
pub(super) fn chosen(play: u64, bank: Option<(u64, u64)>) -> ClockPlan {
    ClockPlan { start: UNHURRIED, play, bank, grace: GRACE }
}

/// The clocks of a person who has as much time as they like.
pub(super) fn unhurried() -> ClockPlan {
    chosen(UNHURRIED, None)
}
