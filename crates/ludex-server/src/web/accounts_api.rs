//! Accounts and moderation for programs: the same abilities as the pages.

use axum::Json;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Deserialize;

use super::account::{data_of, judge, own};
use super::administration::{ThingName, role_named};
use super::api::part;
use super::asked::{Answer, Asked};
use crate::manager::{Accounts, ManagerError};
use crate::model::{Actor, Scope, Thing, ThingKind};

type Done = Result<(), ManagerError>;

/// Does something of which there is nothing to be said.
async fn act(asked: Asked, act: impl FnOnce(&Accounts, &Actor) -> Done + Send + 'static) -> Answer {
    let actor = asked.actor().clone();
    asked.web.done(move |manager| act(&*manager.need_accounts()?, &actor)).await
}

pub(super) async fn own_account(asked: Asked) -> Answer {
    let (name, _) = own(&asked)?;
    asked.web.json(move |manager| Ok(manager.need_accounts()?.find(&name)?.summary())).await
}

pub(super) async fn data(asked: Asked) -> Answer {
    let (name, _) = own(&asked)?;
    asked.web.ask(move |manager| Ok(data_of(manager, &name)?)).await
}

#[derive(Deserialize)]
pub(super) struct Leaving {
    #[serde(default)]
    password: String,
}

pub(super) async fn leave(asked: Asked, Json(leaving): Json<Leaving>) -> Answer {
    let (name, _) = own(&asked)?;
    let own_name = name.clone();
    let leaving = asked.web.ask(move |m| Ok(m.need_accounts()?.leave(&own_name, &leaving.password)));
    let outcome = leaving.await?;
    judge(&asked, &name, &outcome).await?;
    outcome?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn sessions(asked: Asked) -> Answer {
    let (name, _) = own(&asked)?;
    asked.web.json(move |manager| manager.need_accounts()?.sessions(&name)).await
}

pub(super) async fn end_session(asked: Asked, Path(id): Path<String>) -> Answer {
    let (name, _) = own(&asked)?;
    act(asked, move |accounts, _| accounts.end_session(&name, &id)).await
}

pub(super) async fn tokens(asked: Asked) -> Answer {
    let (name, _) = own(&asked)?;
    asked.web.json(move |manager| manager.need_accounts()?.tokens(&name)).await
}

#[derive(Deserialize)]
pub(super) struct WantedToken {
    name: String,
    scopes: Vec<Scope>,
    #[serde(default = "usual_days")]
    days: u64,
}

fn usual_days() -> u64 {
    90
}

pub(super) async fn make_token(asked: Asked, Json(wanted): Json<WantedToken>) -> Answer {
    let actor = asked.actor().clone();
    asked
        .web
        .ask(move |manager| {
            let WantedToken { name, scopes, days } = wanted;
            let made = manager.need_accounts()?.make_token(&actor, &name, &scopes, days)?;
            Ok((StatusCode::CREATED, Json(made)).into_response())
        })
        .await
}

pub(super) async fn end_token(asked: Asked, Path(id): Path<String>) -> Answer {
    let (name, _) = own(&asked)?;
    act(asked, move |accounts, _| accounts.end_token(&name, &id)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AccountListAddress {
    #[serde(default)]
    text: String,
    after: Option<String>,
    size: Option<u64>,
}

pub(super) async fn list(asked: Asked, Query(list): Query<AccountListAddress>) -> Answer {
    let AccountListAddress { text, after, size } = list;
    asked.web.json(move |manager| manager.need_accounts()?.list(&text, &part(after, size))).await
}

pub(super) async fn delete(asked: Asked, Path(name): Path<String>) -> Answer {
    act(asked, move |accounts, actor| accounts.delete(actor, &name)).await
}

#[derive(Deserialize)]
pub(super) struct WantedRole {
    role: String,
}

pub(super) async fn set_role(
    asked: Asked,
    Path(name): Path<String>,
    Json(wanted): Json<WantedRole>,
) -> Answer {
    act(asked, move |accounts, actor| accounts.set_role(actor, &name, role_named(&wanted.role)?)).await
}

#[derive(Deserialize)]
pub(super) struct Reason {
    #[serde(default)]
    why: String,
}

pub(super) async fn ban(asked: Asked, Path(name): Path<String>, Json(reason): Json<Reason>) -> Answer {
    act(asked, move |accounts, actor| accounts.ban(actor, &name, &reason.why)).await
}

pub(super) async fn unban(asked: Asked, Path(name): Path<String>) -> Answer {
    act(asked, move |accounts, actor| accounts.unban(actor, &name)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HiddenListAddress {
    after_kind: Option<ThingName>,
    #[serde(default)]
    after_name: String,
}

pub(super) async fn hidden(asked: Asked, Query(list): Query<HiddenListAddress>) -> Answer {
    let behind = list.after_kind.map(|kind| kind.thing(&list.after_name));
    asked.web.json(move |manager| manager.need_accounts()?.hidden(behind.as_ref())).await
}

#[derive(Deserialize)]
pub(super) struct WantedHidden {
    kind: ThingName,
    name: String,
    #[serde(default)]
    why: String,
}

pub(super) async fn hide(asked: Asked, Json(wanted): Json<WantedHidden>) -> Answer {
    act(asked, move |accounts, actor| accounts.hide(actor, &wanted.kind.thing(&wanted.name), &wanted.why))
        .await
}

/// The thing that a path names.
fn thing(kind: &str, name: &str) -> Result<Thing, ManagerError> {
    let not_found =
        || ManagerError::NotFound { what: "kind of thing", name: kind.chars().take(20).collect() };
    Ok(Thing::new(ThingKind::named(kind).ok_or_else(not_found)?, name))
}

pub(super) async fn show(asked: Asked, Path((kind, name)): Path<(String, String)>) -> Answer {
    act(asked, move |accounts, actor| accounts.show(actor, &thing(&kind, &name)?)).await
}

#[derive(Deserialize)]
pub(super) struct WantedOwner {
    account: Option<String>,
}

pub(super) async fn transfer(
    asked: Asked,
    Path((kind, name)): Path<(String, String)>,
    Json(wanted): Json<WantedOwner>,
) -> Answer {
    act(asked, move |accounts, actor| {
        accounts.transfer(actor, &thing(&kind, &name)?, wanted.account.as_deref())
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogAddress {
    before: Option<u64>,
}

pub(super) async fn deeds(asked: Asked, Query(address): Query<LogAddress>) -> Answer {
    asked.web.json(move |manager| manager.need_accounts()?.deeds(address.before)).await
}
