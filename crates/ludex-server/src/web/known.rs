//! What somebody knows who plays a game in which players do not see everything: a section of the page of that seat, and
//! of no other. It is found out when the page asks for it, by a script or by a link.

use askama::Template;
use axum::extract::{Path, Query};
use axum::response::{Html, IntoResponse};
use ludex::matches::referee::SeatNumber;

use super::asked::{Answer, Asked};
use super::board::Drawing;
use super::failure::WebFailure;
use super::seats::SeatAddress;
use crate::manager::Manager;
use crate::preparation::{Known, KnownOutcome, ToldStep};

/// So many steps of what somebody did and saw have room, the last ones.
const STEPS: usize = 30;

/// The section.
#[derive(Template)]
#[template(path = "known.html")]
struct KnownSection {
    id: String,
    seat: u32,
    /// What is known, once that was asked for.
    known: String,
}

/// What is known.
#[derive(Template)]
#[template(path = "known_part.html")]
struct KnownPart<'a> {
    known: &'a Known,
    board: Drawing,
    late: bool,
    nothing: bool,
    /// The last steps with their numbers.
    told: Vec<(usize, &'a ToldStep)>,
    earlier: usize,
}

/// The section for the page of a seat; empty where there is nothing to be said. `asks` says whether what is known is to
/// stand there already.
pub(super) fn section(
    manager: &Manager,
    id: &str,
    seat: SeatNumber,
    asks: bool,
) -> Result<String, WebFailure> {
    if !manager.has_hidden_knowledge(id)? {
        return Ok(String::new());
    }
    let known = if asks { part(manager, id, seat)? } else { String::new() };
    Ok(KnownSection { id: id.to_owned(), seat: seat.0, known }.render()?)
}

/// What a seat knows; empty where there is nothing to be said.
fn part(manager: &Manager, id: &str, seat: SeatNumber) -> Result<String, WebFailure> {
    let Some(known) = manager.known_to(id, seat)? else { return Ok(String::new()) };
    let earlier = known.told.len().saturating_sub(STEPS);
    let shown = KnownPart {
        board: Drawing::of(&known.picture, false),
        late: known.outcome == KnownOutcome::Late,
        nothing: known.outcome == KnownOutcome::Nothing,
        told: (1..).zip(&known.told).skip(earlier).collect(),
        earlier,
        known: &known,
    };
    Ok(shown.render()?)
}

/// The same as an answer of its own, for scripts; only for who has the key of the seat.
pub(super) async fn show(
    asked: Asked,
    Path((id, seat)): Path<(String, u32)>,
    Query(address): Query<SeatAddress>,
) -> Answer {
    let seat = address.open(&asked, &id, seat).await?;
    asked
        .answer("", move |manager, _| -> Answer { Ok(Html(part(manager, &id, seat)?).into_response()) })
        .await
}
