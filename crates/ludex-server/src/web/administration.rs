//! Pages for whoever looks after what others have brought, and after accounts.

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query};
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::page::PageLayout;
use super::text::moment;
use crate::manager::{Accounts, Manager, ManagerError};
use crate::model::{AccountSummary, Actor, AuditEntry, HiddenThing, PageRequest, Role, Thing, ThingKind};

struct HiddenLine {
    kind: &'static str,
    name: String,
    place: String,
    at: String,
    by: String,
    why: String,
}

impl From<HiddenThing> for HiddenLine {
    fn from(hidden: HiddenThing) -> Self {
        let Thing { kind, name } = hidden.thing;
        let folder = match kind {
            ThingKind::Game => "games",
            ThingKind::Player => "players",
            ThingKind::Match => "matches",
        };
        let place = format!("/{folder}/{}", super::api::path_part(&name));
        Self { kind: kind.name(), name, place, at: moment(hidden.at), by: hidden.by, why: hidden.why }
    }
}

#[derive(Template)]
#[template(path = "administration.html")]
struct AdministrationPage {
    layout: PageLayout,
    problem: String,
    hidden: Vec<HiddenLine>,
    /// Where the list goes on.
    next: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HiddenAddress {
    #[serde(default)]
    after_kind: String,
    #[serde(default)]
    after_name: String,
}

fn administration_page(
    manager: &Manager,
    layout: PageLayout,
    address: &HiddenAddress,
) -> Result<AdministrationPage, ManagerError> {
    let behind = ThingKind::named(&address.after_kind).map(|kind| Thing::new(kind, &address.after_name));
    let hidden: Vec<HiddenLine> =
        manager.need_accounts()?.hidden(behind.as_ref())?.into_iter().map(HiddenLine::from).collect();
    let is_long = hidden.len() as u64 >= PageRequest::MOST;
    let next = hidden.last().filter(|_| is_long).map(|last| {
        let name = super::api::path_part(&last.name);
        format!("/administration?after_kind={}&after_name={name}", last.kind)
    });
    Ok(AdministrationPage { layout, problem: String::new(), hidden, next: next.unwrap_or_default() })
}

pub(super) async fn show(asked: Asked, Query(address): Query<HiddenAddress>) -> Answer {
    asked.page("", move |manager, layout| administration_page(manager, layout, &address)).await
}

/// Does something, and shows the page again, with what is wrong if something is.
async fn moderate(
    asked: Asked,
    act: impl FnOnce(&Accounts, &Actor) -> Result<(), ManagerError> + Send + 'static,
) -> Answer {
    let actor = asked.actor().clone();
    asked
        .answer("", move |manager, layout| -> Answer {
            match act(&*manager.need_accounts()?, &actor) {
                Ok(()) => Ok(super::page::to("/administration")),
                Err(error) => WebFailure::from(error).again(|problem| -> Result<_, ManagerError> {
                    let shown = administration_page(manager, layout, &HiddenAddress::default())?;
                    Ok(AdministrationPage { problem, ..shown })
                }),
            }
        })
        .await
}

#[derive(Deserialize)]
pub(super) struct ThingForm {
    kind: ThingName,
    name: String,
    #[serde(default)]
    why: String,
    /// The account that something is given to; empty for the organiser.
    #[serde(default)]
    account: String,
}

/// What kind of thing, by its name.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ThingName {
    Game,
    Player,
    Match,
}

impl ThingName {
    pub(super) fn thing(self, name: &str) -> Thing {
        let kind = match self {
            Self::Game => ThingKind::Game,
            Self::Player => ThingKind::Player,
            Self::Match => ThingKind::Match,
        };
        Thing::new(kind, name.trim())
    }
}

pub(super) async fn hide(asked: Asked, Form(form): Form<ThingForm>) -> Answer {
    moderate(asked, move |accounts, actor| accounts.hide(actor, &form.kind.thing(&form.name), &form.why))
        .await
}

pub(super) async fn show_again(asked: Asked, Form(form): Form<ThingForm>) -> Answer {
    moderate(asked, move |accounts, actor| accounts.show(actor, &form.kind.thing(&form.name))).await
}

pub(super) async fn transfer(asked: Asked, Form(form): Form<ThingForm>) -> Answer {
    moderate(asked, move |accounts, actor| {
        let to = Some(form.account.trim()).filter(|name| !name.is_empty());
        accounts.transfer(actor, &form.kind.thing(&form.name), to)
    })
    .await
}

struct AccountLine {
    name: String,
    role: &'static str,
    mail: String,
    created: String,
    seen: String,
    banned: bool,
    why: String,
}

impl From<AccountSummary> for AccountLine {
    fn from(account: AccountSummary) -> Self {
        Self {
            role: account.role.name(),
            mail: account.mail.unwrap_or_default(),
            created: moment(account.created),
            seen: account.seen.map_or_else(|| "never".to_owned(), moment),
            banned: account.banned.is_some(),
            why: account.why.unwrap_or_default(),
            name: account.name,
        }
    }
}

#[derive(Template)]
#[template(path = "administration_accounts.html")]
struct AccountsPage {
    layout: PageLayout,
    problem: String,
    text: String,
    accounts: Vec<AccountLine>,
    total: u64,
    next: String,
    roles: Vec<&'static str>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AccountsAddress {
    #[serde(default)]
    text: String,
    after: Option<String>,
}

/// So many accounts are on a page.
const ACCOUNTS: u64 = 100;

fn accounts_page(
    manager: &Manager,
    layout: PageLayout,
    AccountsAddress { text, after }: AccountsAddress,
) -> Result<AccountsPage, ManagerError> {
    let found = manager.need_accounts()?.list(&text, &PageRequest { after, size: ACCOUNTS })?;
    let link = format!("/administration/accounts?text={}", super::api::path_part(&text));
    let next = found.next.map(|last| format!("{link}&after={}", super::api::path_part(&last)));
    Ok(AccountsPage {
        layout,
        problem: String::new(),
        text,
        accounts: found.items.into_iter().map(AccountLine::from).collect(),
        total: found.total,
        next: next.unwrap_or_default(),
        roles: Role::ALL.into_iter().skip(1).map(Role::name).collect(),
    })
}

pub(super) async fn accounts(asked: Asked, Query(address): Query<AccountsAddress>) -> Answer {
    asked.page("", move |manager, layout| accounts_page(manager, layout, address)).await
}

/// Does something with accounts, and shows their page again, with what is wrong if something is.
async fn administer(
    asked: Asked,
    act: impl FnOnce(&Accounts, &Actor) -> Result<(), ManagerError> + Send + 'static,
) -> Answer {
    let actor = asked.actor().clone();
    asked
        .answer("", move |manager, layout| -> Answer {
            match act(&*manager.need_accounts()?, &actor) {
                Ok(()) => Ok(super::page::to("/administration/accounts")),
                Err(error) => WebFailure::from(error).again(|problem| -> Result<_, ManagerError> {
                    let shown = accounts_page(manager, layout, AccountsAddress::default())?;
                    Ok(AccountsPage { problem, ..shown })
                }),
            }
        })
        .await
}

#[derive(Deserialize)]
pub(super) struct RoleForm {
    role: String,
}

/// The role of this name.
pub(super) fn role_named(name: &str) -> Result<Role, ManagerError> {
    Role::named(name).ok_or_else(|| ManagerError::Invalid(format!("there is no role `{name}`")))
}

pub(super) async fn set_role(asked: Asked, Path(name): Path<String>, Form(form): Form<RoleForm>) -> Answer {
    administer(asked, move |accounts, actor| accounts.set_role(actor, &name, role_named(&form.role)?)).await
}

#[derive(Deserialize)]
pub(super) struct BanForm {
    #[serde(default)]
    why: String,
}

pub(super) async fn ban(asked: Asked, Path(name): Path<String>, Form(form): Form<BanForm>) -> Answer {
    administer(asked, move |accounts, actor| accounts.ban(actor, &name, &form.why)).await
}

pub(super) async fn unban(asked: Asked, Path(name): Path<String>) -> Answer {
    administer(asked, move |accounts, actor| accounts.unban(actor, &name)).await
}

pub(super) async fn delete(asked: Asked, Path(name): Path<String>) -> Answer {
    administer(asked, move |accounts, actor| accounts.delete(actor, &name)).await
}

struct DeedLine {
    at: String,
    entry: AuditEntry,
}

#[derive(Template)]
#[template(path = "administration_log.html")]
struct LogPage {
    layout: PageLayout,
    deeds: Vec<DeedLine>,
    next: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogAddress {
    before: Option<u64>,
}

pub(super) async fn log(asked: Asked, Query(address): Query<LogAddress>) -> Answer {
    asked
        .page("", move |manager, layout| -> Result<_, ManagerError> {
            let deeds = manager.need_accounts()?.deeds(address.before)?;
            let last = deeds.last().filter(|_| deeds.len() as u64 >= PageRequest::MOST);
            let next = last.map(|last| format!("/administration/log?before={}", last.number));
            let next = next.unwrap_or_default();
            let line = |entry: AuditEntry| DeedLine { at: moment(entry.at), entry };
            Ok(LogPage { layout, deeds: deeds.into_iter().map(line).collect(), next })
        })
        .await
}
