//! The page of one's own account.

use askama::Template;
use axum::Form;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::fields::Fields;
use super::guesses::Whom;
use super::page::{PageLayout, page, to};
use super::security::{SESSION, cookie, session_cookie};
use super::text::moment;
use crate::manager::{Accounts, Manager, ManagerError, SessionInfo, TokenInfo};
use crate::model::{Scope, account_key};

struct SessionLine {
    id: String,
    about: String,
    used: String,
    expires: String,
    /// Whether it is the one in which the page is read.
    own: bool,
}

struct TokenLine {
    id: String,
    name: String,
    scopes: String,
    used: String,
    expires: String,
}

impl From<TokenInfo> for TokenLine {
    fn from(token: TokenInfo) -> Self {
        let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.name()).collect();
        let used = token.used.map_or_else(|| "never".to_owned(), moment);
        Self {
            id: token.id,
            name: token.name,
            scopes: scopes.join(", "),
            used,
            expires: moment(token.expires),
        }
    }
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    layout: PageLayout,
    problem: String,
    name: String,
    role: &'static str,
    mail: String,
    has_password: bool,
    /// Whether mail is sent at all.
    sends: bool,
    sessions: Vec<SessionLine>,
    tokens: Vec<TokenLine>,
    scopes: Vec<(&'static str, &'static str)>,
    /// A token that was made just now, which is shown this once.
    token: String,
}

/// What the scopes of tokens are for.
fn scopes() -> Vec<(&'static str, &'static str)> {
    let about = |scope: Scope| match scope {
        Scope::Read => "look, also at your account",
        Scope::Play => "make matches and play",
        Scope::Upload => "bring games and programs",
        Scope::Organise => "hold tournaments, moderate",
        Scope::Administer => "change your account, and others where you may",
    };
    Scope::ALL.into_iter().map(|scope| (scope.name(), about(scope))).collect()
}

fn account_page(
    manager: &Manager,
    layout: PageLayout,
    name: &str,
    session: &str,
) -> Result<AccountPage, ManagerError> {
    let accounts = manager.need_accounts()?;
    let account = accounts.find(name)?;
    let own = Accounts::session_id(session);
    let line = |session: SessionInfo| SessionLine {
        own: session.id == own,
        id: session.id,
        about: if session.about.is_empty() { "a program".to_owned() } else { session.about },
        used: moment(session.used),
        expires: moment(session.expires),
    };
    Ok(AccountPage {
        layout,
        problem: String::new(),
        role: account.role.name(),
        mail: account.mail.unwrap_or_default(),
        has_password: account.password.is_some(),
        sends: accounts.options().mail.is_some(),
        sessions: accounts.sessions(name)?.into_iter().map(line).collect(),
        tokens: accounts.tokens(name)?.into_iter().map(TokenLine::from).collect(),
        scopes: scopes(),
        token: String::new(),
        name: account.name,
    })
}

/// The name of the account that asks, and what opens its session.
pub(super) fn own(asked: &Asked) -> Result<(String, String), WebFailure> {
    let Some(name) = asked.actor().account.clone() else { return Err(ManagerError::NoAccounts.into()) };
    Ok((name, cookie(&asked.headers, SESSION).unwrap_or_default().to_owned()))
}

pub(super) async fn show(asked: Asked) -> Answer {
    let (name, session) = own(&asked)?;
    asked.page("", move |manager, layout| account_page(manager, layout, &name, &session)).await
}

/// Does something with the account that asks, and shows its page, with what is wrong if something is. Of a password that was
/// wrong, others wait for the next attempt.
async fn change(
    asked: Asked,
    act: impl FnOnce(&Accounts, &str, &str) -> Result<(), ManagerError> + Send + 'static,
) -> Answer {
    let (name, session) = own(&asked)?;
    let layout = asked.layout("");
    let (own_name, own_session) = (name.clone(), session.clone());
    let acting = asked.web.ask(move |m| Ok(act(&*m.need_accounts()?, &own_name, &own_session)));
    let outcome = acting.await?;
    judge(&asked, &name, &outcome).await?;
    let Err(error) = outcome else { return Ok(to("/account")) };
    asked
        .web
        .ask(move |manager| {
            WebFailure::from(error).again(|problem| -> Result<_, ManagerError> {
                Ok(AccountPage { problem, ..account_page(manager, layout, &name, &session)? })
            })
        })
        .await
}

/// Lets whoever gave a wrong password wait.
pub(super) async fn judge(
    asked: &Asked,
    name: &str,
    outcome: &Result<(), ManagerError>,
) -> Result<(), WebFailure> {
    let is_right = !matches!(outcome, Err(ManagerError::SignIn));
    asked.web.guesses.judged(Whom::Account(account_key(name)), is_right).await.map(drop)
}

#[derive(Deserialize)]
pub(super) struct PasswordForm {
    #[serde(default)]
    old: String,
    new: String,
}

pub(super) async fn change_password(asked: Asked, Form(form): Form<PasswordForm>) -> Answer {
    change(asked, move |accounts, name, session| {
        accounts.change_password(name, &form.old, &form.new, Some(session))
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct AddressForm {
    #[serde(default)]
    password: String,
    mail: String,
}

pub(super) async fn change_mail(asked: Asked, Form(form): Form<AddressForm>) -> Answer {
    change(asked, move |accounts, name, _| accounts.change_mail(name, &form.password, &form.mail)).await
}

pub(super) async fn end_session(asked: Asked, Path(id): Path<String>) -> Answer {
    change(asked, move |accounts, name, _| accounts.end_session(name, &id)).await
}

pub(super) async fn end_token(asked: Asked, Path(id): Path<String>) -> Answer {
    change(asked, move |accounts, name, _| accounts.end_token(name, &id)).await
}

pub(super) async fn make_token(asked: Asked, Form(fields): Form<Vec<(String, String)>>) -> Answer {
    let ((name, session), fields) = (own(&asked)?, Fields(fields));
    let actor = asked.actor().clone();
    asked
        .answer("", move |manager, layout| -> Answer {
            let scopes: Vec<Scope> = fields.all("scope").filter_map(Scope::named).collect();
            let days = fields.get("days")?.unwrap_or(90);
            let made = manager.need_accounts()?.make_token(&actor, fields.text("name"), &scopes, days);
            let shown = account_page(manager, layout, &name, &session)?;
            Ok(match made {
                Ok(made) => page(&AccountPage { token: made.token, ..shown }),
                Err(error) => {
                    let failure = WebFailure::from(error);
                    let problem = failure.text.clone();
                    failure.on(&AccountPage { problem, ..shown })
                }
            })
        })
        .await
}

/// All that is kept of the account, as a file of JSON.
pub(super) async fn data(asked: Asked) -> Answer {
    let (name, _) = own(&asked)?;
    asked.web.ask(move |manager| Ok(data_of(manager, &name)?)).await
}

pub(super) fn data_of(manager: &Manager, name: &str) -> Result<Response, ManagerError> {
    let data = manager.need_accounts()?.data(name)?;
    let file = format!("attachment; filename=\"ludex-{}.json\"", super::api::file_name(&data.account.name));
    Ok(([(header::CONTENT_DISPOSITION, file)], axum::Json(data)).into_response())
}

#[derive(Deserialize)]
pub(super) struct LeaveForm {
    #[serde(default)]
    password: String,
    #[serde(default)]
    sure: String,
}

pub(super) async fn delete(asked: Asked, Form(form): Form<LeaveForm>) -> Answer {
    let gone = session_cookie(&asked.web, &asked.headers, "", 0);
    let answer = change(asked, move |accounts, name, _| {
        if form.sure.trim() != name {
            let text = "whoever deletes an account writes its name to say so";
            return Err(ManagerError::Invalid(text.to_owned()));
        }
        accounts.leave(name, &form.password)
    });
    let answer = answer.await?;
    if !answer.status().is_redirection() {
        return Ok(answer);
    }
    Ok(([(header::SET_COOKIE, gone)], to("/")).into_response())
}
