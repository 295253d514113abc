//! The seats of people: who gets onto one, and playing there.
//!
//! A seat is opened by its key, and by nothing else: not by the token, and not by sitting at this computer.
//! Whoever makes a match gets the keys of its people, in links. The page of a match offers the links of seats
//! that nobody has taken yet to whoever may make matches. A browser that has shown a key keeps it in a cookie
//! for this one seat.

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::IntoResponse;
use ludex::matches::referee::SeatNumber;
use ludex::matches::view::Viewer;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::asked::{Answer, Asked};
use super::course::SeatPart;
use super::failure::WebFailure;
use super::page::{PageLayout, page, to};
use super::sight::ROOM;
use super::{accept, known, live, seating, security};
use crate::manager::{Manager, ManagerError};
use crate::model::{Actor, MatchStage, PersonSeat, Saying, SeatSummary};

/// The name of the cookie that keeps the key of a seat.
const COOKIE: &str = "ludex-seat";

/// Where the page of a seat is.
fn path(id: &str, seat: SeatNumber) -> String {
    format!("/matches/{id}/seat/{}", seat.0)
}

/// The link that opens a seat, where its key is known.
fn link(id: &str, seat: &PersonSeat) -> Option<String> {
    seat.key.as_ref().map(|key| format!("{}?key={key}", path(id, seat.seat)))
}

/// A seat as the page of its match offers it.
pub(super) struct SeatLink {
    pub(super) href: String,
    pub(super) role: String,
    /// Whether its key is not known any more, and the address makes a new one.
    pub(super) renew: bool,
}

/// What the page of a match offers: to whoever may make matches the links that open seats nobody has taken
/// yet, or a way to new links; to everybody the way back to those that are taken, which needs the key.
pub(super) fn links(manager: &Manager, id: &str, locked: bool) -> Result<Vec<SeatLink>, ManagerError> {
    let seats = manager.person_seats(id)?.into_iter();
    let offered = seats.filter(|seat| seat.taken || !locked).take(super::sight::SEATS);
    let shown = |seat: PersonSeat| {
        let own = path(id, seat.seat);
        let (href, renew) = match (seat.taken, link(id, &seat)) {
            (true, _) => (own, false),
            (false, Some(link)) => (link, false),
            (false, None) => (format!("{own}/key"), true),
        };
        SeatLink { href, role: seat.role, renew }
    };
    Ok(offered.map(shown).collect())
}

/// Where somebody goes who has made a match: who plays alone against programs to the board at once.
pub(super) fn place(manager: &Manager, id: &str) -> Result<String, ManagerError> {
    let seats = manager.person_seats(id)?;
    Ok(match &seats[..] {
        [seat] => link(id, seat).unwrap_or_else(|| path(id, seat.seat)),
        _ => format!("/matches/{id}"),
    })
}

/// Where somebody goes who has made a match in order to play on this seat.
pub(super) fn own_place(manager: &Manager, id: &str, own: SeatNumber) -> Result<String, ManagerError> {
    let own_seat = manager.person_seats(id)?.into_iter().find(|seat| seat.seat == own);
    Ok(own_seat.and_then(|seat| link(id, &seat)).unwrap_or_else(|| format!("/matches/{id}")))
}

/// An invitation to a seat whose person the match waits for.
pub(super) struct Invitation {
    pub(super) seat: u32,
    pub(super) role: String,
    pub(super) player: String,
    /// The path of the link that invites.
    pub(super) path: String,
}

/// The invitations to the free seats of a match, for whoever may make matches.
pub(super) fn invitations(
    manager: &Manager,
    id: &str,
    locked: bool,
    own: Option<SeatNumber>,
) -> Result<Vec<Invitation>, ManagerError> {
    if locked {
        return Ok(Vec::new());
    }
    let free = manager
        .person_seats(id)?
        .into_iter()
        .filter(|seat| seat.awaited && !seat.taken && Some(seat.seat) != own);
    let invitation = |seat: PersonSeat| {
        let path = format!("/matches/{id}/join?key={}", seat.key?);
        Some(Invitation { seat: seat.seat.0, role: seat.role, player: seat.player, path })
    };
    Ok(free.filter_map(invitation).take(super::sight::SEATS).collect())
}

#[derive(Template)]
#[template(path = "join.html")]
struct JoinPage {
    layout: PageLayout,
    id: String,
    key: String,
    game: String,
    role: String,
    /// Who plays beside.
    others: String,
    /// What the invited person is called so far.
    player: String,
    /// Whether the person may say another name.
    named: bool,
    /// The name that was meant for them, where it is one.
    name: String,
}

/// Who follows an invitation is asked to sit down, by what name they like, if the seat is free, and looks on if it is not. To
/// look at the page takes no seat: programs look at links, too.
pub(super) async fn invitation(
    asked: Asked,
    Path(id): Path<String>,
    Query(address): Query<SeatAddress>,
) -> Answer {
    let key = address.key.unwrap_or_default();
    asked
        .answer("/matches", move |manager, layout| -> Answer {
            let (seat, taken) = manager.seat_of_key(&id, &key)?;
            let summary = manager.match_detail(&id)?.summary;
            if taken || summary.stage.is_over() {
                return Ok(to(&format!("/matches/{id}")));
            }
            let own = seat.0 as usize;
            let Some(SeatSummary { role, player, .. }) = summary.seats.get(own).cloned() else {
                return Ok(to(&format!("/matches/{id}")));
            };
            let others = summary.seats.iter().enumerate().filter(|(number, _)| *number != own);
            let others: Vec<&str> =
                others.take(super::sight::SEATS).map(|(_, seat)| seat.player.as_str()).collect();
            let others = others.join(", ");
            let named = summary.stage == MatchStage::Planned;
            let is_name = ![seating::PERSON, seating::FRIEND].contains(&player.as_str());
            let name = if is_name { player.clone() } else { String::new() };
            let game = summary.game;
            Ok(page(&JoinPage { layout, id, key, game, role, others, player, named, name }))
        })
        .await
}

/// How somebody sits down who was invited.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JoinForm {
    key: String,
    /// What the person wants to be called; empty for the name that the seat has.
    #[serde(default)]
    name: String,
}

impl JoinForm {
    /// Takes the seat.
    pub(super) fn sit_down(
        &self,
        manager: &Manager,
        actor: &Actor,
        id: &str,
    ) -> Result<SeatNumber, WebFailure> {
        // Only who is invited makes names known.
        manager.seat_of_key(id, &self.key)?;
        let named = Some(self.name.trim()).filter(|name| !name.is_empty()).or(actor.account.as_deref());
        let name = named.map(|name| seating::person(manager, actor, name)).transpose()?;
        Ok(manager.join(id, &self.key, name.as_deref())?)
    }
}

pub(super) async fn join(asked: Asked, Path(id): Path<String>, Form(form): Form<JoinForm>) -> Answer {
    let actor = asked.actor().clone();
    asked
        .go(move |manager| -> Result<String, WebFailure> {
            let seat = form.sit_down(manager, &actor, &id)?;
            Ok(format!("{}?key={}", path(&id, seat), form.key))
        })
        .await
}

/// A seat of a person as programs are told of it that make a match.
#[derive(Serialize)]
pub(super) struct SeatGiven {
    seat: u32,
    role: String,
    player: String,
    key: String,
    path: String,
}

impl SeatGiven {
    /// A seat whose key is known.
    pub(super) fn of(id: &str, seat: PersonSeat) -> Option<Self> {
        let path = link(id, &seat)?;
        let (number, key) = (seat.seat.0, seat.key?);
        Some(Self { seat: number, role: seat.role, player: seat.player, key, path })
    }
}

/// The seats of people in a match that was just made.
pub(super) fn given(manager: &Manager, id: &str) -> Result<Vec<SeatGiven>, ManagerError> {
    Ok(manager.person_seats(id)?.into_iter().filter_map(|seat| SeatGiven::of(id, seat)).collect())
}

/// Makes a new key for a seat that nobody has taken, and goes back to the page of the match, which has it.
pub(super) async fn renew(asked: Asked, Path((id, seat)): Path<(String, u32)>) -> Answer {
    asked.go(move |m| m.renew_seat_key(&id, SeatNumber(seat)).map(|_| format!("/matches/{id}"))).await
}

/// The key in the address.
#[derive(Deserialize)]
pub(super) struct SeatAddress {
    key: Option<String>,
    /// Whether what the seat knows is to stand on the page already: for who has no scripts.
    known: Option<u8>,
}

impl SeatAddress {
    /// The key that somebody shows, in the address or in a cookie; an empty one opens nothing.
    pub(super) fn shown(&self, headers: &HeaderMap) -> String {
        let kept = || security::cookie(headers, COOKIE).map(str::to_owned);
        self.key.clone().or_else(kept).unwrap_or_default()
    }

    /// Lets whoever shows its key onto a seat.
    pub(super) async fn open(&self, asked: &Asked, id: &str, seat: u32) -> Result<SeatNumber, WebFailure> {
        let (id, seat, key) = (id.to_owned(), SeatNumber(seat), self.shown(&asked.headers));
        asked.web.ask(move |manager| Ok(manager.open_seat(&id, seat, &key)?)).await?;
        Ok(seat)
    }
}

#[derive(Template)]
#[template(path = "seat.html")]
struct SeatPage {
    layout: PageLayout,
    id: String,
    game: String,
    seat: u32,
    role: String,
    /// Whom the match waits for.
    invitations: Vec<Invitation>,
    part: String,
    /// What the seat knows ([`super::known`]).
    known: String,
}

pub(super) async fn show(
    asked: Asked,
    Path((id, seat)): Path<(String, u32)>,
    Query(address): Query<SeatAddress>,
) -> Answer {
    let (key, is_ours) = (address.shown(&asked.headers), security::comes_from_here(&asked.headers));
    asked
        .answer("/matches", move |manager, layout| -> Answer {
            let number = SeatNumber(seat);
            let summary = manager.take_seat(&id, number, &key)?.summary;
            let (part, over) = part(manager, &id, number)?;
            let role = summary.seats.get(seat as usize).map_or_else(String::new, |seat| seat.role.clone());
            let own = path(&id, number);
            let known = known::section(manager, &id, number, address.known.is_some())?;
            // A browser that will send the cookie back goes on where the address tells nobody the key. One that
            // comes from another site will not, for this once.
            let mut response = if address.key.is_some() && is_ours {
                to(&own)
            } else {
                let invitations = match over {
                    true => Vec::new(),
                    false => invitations(manager, &id, !layout.own, Some(number))?,
                };
                page(&SeatPage { layout, id, game: summary.game, seat, role, invitations, part, known })
            };
            if let Some(key) = address.key {
                let cookie =
                    format!("{COOKIE}={key}; Path={own}; HttpOnly; SameSite=Strict; Max-Age=2592000");
                // A key that fits is hexadecimal digits, and the name of a match letters and digits.
                if let Ok(cookie) = HeaderValue::try_from(cookie) {
                    response.headers_mut().insert(header::SET_COOKIE, cookie);
                }
            }
            Ok(response)
        })
        .await
}

/// The part that changes, and whether it will change again.
fn part(manager: &Manager, id: &str, seat: SeatNumber) -> Result<(String, bool), WebFailure> {
    let summary = manager.match_detail(id)?.summary;
    let part = manager.excerpt(id, Viewer::Seat(seat), None, ROOM)?;
    Ok((SeatPart::of(manager, &summary, &part, seat.0)?.render()?, part.view.stage.is_over()))
}

pub(super) async fn watch(
    asked: Asked,
    Path((id, seat)): Path<(String, u32)>,
    Query(address): Query<SeatAddress>,
) -> Answer {
    let seat = address.open(&asked, &id, seat).await?;
    live::of_match(asked, id, move |manager, id| part(manager, id, seat)).await
}

#[derive(Deserialize)]
pub(super) struct MoveForm {
    step: usize,
    #[serde(rename = "move")]
    action: String,
}

pub(super) async fn make_move(
    asked: Asked,
    Path((id, seat)): Path<(String, u32)>,
    Query(address): Query<SeatAddress>,
    Form(form): Form<MoveForm>,
) -> Answer {
    let json = accept::prefers_json(&asked.headers);
    let seat = address.open(&asked, &id, seat).await?;
    asked
        .answer("", move |manager, _| -> Answer {
            manager.submit_move(&id, seat, form.step, &form.action)?;
            if json {
                return Ok(axum::Json(json!({ "taken": form.action })).into_response());
            }
            Ok(to(&path(&id, seat)))
        })
        .await
}

#[derive(Deserialize)]
pub(super) struct SayForm {
    say: Saying,
}

pub(super) async fn say(
    asked: Asked,
    Path((id, seat)): Path<(String, u32)>,
    Query(address): Query<SeatAddress>,
    Form(form): Form<SayForm>,
) -> Answer {
    let json = accept::prefers_json(&asked.headers);
    let seat = address.open(&asked, &id, seat).await?;
    asked
        .answer("", move |manager, _| -> Answer {
            manager.say(&id, seat, form.say)?;
            if json {
                return Ok(axum::Json(json!({ "said": form.say })).into_response());
            }
            Ok(to(&path(&id, seat)))
        })
        .await
}
