//! Pages on which somebody says who they are: signing up, in and out.

use askama::Template;
use axum::Form;
use axum::extract::Query;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::guesses::Whom;
use super::page::{PageLayout, page, to};
use super::security::{SESSION, cookie, session_cookie};
use super::visitors::Share;
use crate::manager::{ManagerError, SignedIn};
use crate::model::account_key;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    layout: PageLayout,
    problem: String,
    name: String,
    /// Whether links can be sent.
    mail: bool,
    /// Whether one was asked for just now.
    sent: bool,
}

impl SignInPage {
    fn new(asked: &Asked) -> Result<Self, WebFailure> {
        let accounts = asked.web.manager.need_accounts()?;
        let mail = accounts.options().mail.is_some();
        Ok(Self { layout: asked.layout(""), problem: String::new(), name: String::new(), mail, sent: false })
    }
}

#[derive(Template)]
#[template(path = "sign_up.html")]
struct SignUpPage {
    layout: PageLayout,
    problem: String,
    name: String,
    address: String,
    mail: bool,
}

#[derive(Template)]
#[template(path = "sign_in_link.html")]
struct LinkPage {
    layout: PageLayout,
    problem: String,
    key: String,
}

/// What a browser says of itself, and the session that it has so far.
fn browser(asked: &Asked) -> (String, Option<String>) {
    let about = asked.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    let before = cookie(&asked.headers, SESSION).map(str::to_owned);
    (about.unwrap_or_default().to_owned(), before)
}

/// The name as a page repeats it.
fn repeated(name: &str) -> String {
    name.trim().chars().take(100).collect()
}

/// Somebody is signed in, and goes to the first page.
fn welcomed(asked: &Asked, signed_in: &SignedIn) -> Response {
    let cookie = session_cookie(&asked.web, &asked.headers, &signed_in.secret, signed_in.seconds);
    ([(header::SET_COOKIE, cookie)], to("/")).into_response()
}

pub(super) async fn sign_in_form(asked: Asked) -> Answer {
    Ok(page(&SignInPage::new(&asked)?))
}

#[derive(Deserialize)]
pub(super) struct SignInForm {
    name: String,
    password: String,
}

pub(super) async fn sign_in(asked: Asked, Form(form): Form<SignInForm>) -> Answer {
    let shown = SignInPage { name: repeated(&form.name), ..SignInPage::new(&asked)? };
    let (about, before) = browser(&asked);
    let whom = Whom::Account(account_key(&shown.name));
    let signing_in = asked.web.ask(move |manager| {
        let accounts = manager.need_accounts()?;
        Ok(accounts.sign_in(&form.name, &form.password, &about, before.as_deref()))
    });
    let outcome = signing_in.await?;
    // Whoever has the password of an account that is banned does not guess.
    let is_right = !matches!(outcome, Err(ManagerError::SignIn));
    asked.web.guesses.judged(whom, is_right).await?;
    asked.web.guesses.judged(Whom::Address(asked.visitor.0), is_right).await?;
    match outcome {
        Ok(signed_in) => Ok(welcomed(&asked, &signed_in)),
        Err(error) => {
            let failure = WebFailure::from(error);
            let problem = failure.text.clone();
            Ok(failure.on(&SignInPage { problem, ..shown }))
        }
    }
}

#[derive(Deserialize)]
pub(super) struct MailForm {
    name: String,
}

/// Sends a link, if there is where to, and says the same whether or not, before that is known.
pub(super) async fn send_link(asked: Asked, Form(form): Form<MailForm>) -> Answer {
    let shown = SignInPage { name: repeated(&form.name), sent: true, ..SignInPage::new(&asked)? };
    if !shown.mail {
        return Err(WebFailure::missing("page"));
    }
    asked.web.visitors.now_and_then(asked.visitor.0, Share::Mail)?;
    let manager = asked.web.manager.clone();
    tokio::task::spawn_blocking(move || {
        if let Some(accounts) = manager.accounts() {
            accounts.send_link(&form.name);
        }
    });
    Ok(page(&shown))
}

#[derive(Deserialize)]
pub(super) struct LinkAddress {
    #[serde(default)]
    key: String,
}

/// Asks whoever follows a link whether they want to sign in: programs look at links in mails, too, and use none up.
pub(super) async fn link_form(asked: Asked, Query(address): Query<LinkAddress>) -> Answer {
    asked.web.manager.need_accounts()?;
    Ok(page(&LinkPage { layout: asked.layout(""), problem: String::new(), key: address.key }))
}

pub(super) async fn use_link(asked: Asked, Form(form): Form<LinkAddress>) -> Answer {
    let (about, before) = browser(&asked);
    let signing_in = asked.web.ask(move |manager| {
        let accounts = manager.need_accounts()?;
        Ok(accounts.sign_in_by_link(&form.key, &about, before.as_deref()))
    });
    let outcome = signing_in.await?;
    let is_right = !matches!(outcome, Err(ManagerError::Link));
    asked.web.guesses.judged(Whom::Address(asked.visitor.0), is_right).await?;
    match outcome {
        Ok(signed_in) => Ok(welcomed(&asked, &signed_in)),
        Err(error) => {
            let failure = WebFailure::from(error);
            let problem = failure.text.clone();
            Ok(failure.on(&LinkPage { layout: asked.layout(""), problem, key: String::new() }))
        }
    }
}

fn sign_up_page(asked: &Asked) -> Result<SignUpPage, WebFailure> {
    let accounts = asked.web.manager.need_accounts()?;
    let options = accounts.options();
    let mail = options.mail.is_some();
    let (problem, name, address) = (String::new(), String::new(), String::new());
    Ok(SignUpPage { layout: asked.layout(""), problem, name, address, mail })
}

pub(super) async fn sign_up_form(asked: Asked) -> Answer {
    Ok(page(&sign_up_page(&asked)?))
}

#[derive(Deserialize)]
pub(super) struct SignUpForm {
    name: String,
    #[serde(default)]
    mail: String,
    #[serde(default)]
    password: String,
}

pub(super) async fn sign_up(asked: Asked, Form(form): Form<SignUpForm>) -> Answer {
    let SignUpForm { name, mail, password } = form;
    let shown = SignUpPage { name: repeated(&name), address: repeated(&mail), ..sign_up_page(&asked)? };
    asked.web.visitors.now_and_then(asked.visitor.0, Share::SignUp)?;
    let (about, before) = browser(&asked);
    let signing_up = asked.web.ask(move |manager| {
        let accounts = manager.need_accounts()?;
        let made = accounts.sign_up(name.trim(), &mail, &password);
        Ok(made.and_then(|account| match account.password {
            Some(_) => accounts.sign_in(&account.name, &password, &about, before.as_deref()).map(Some),
            None => {
                accounts.send_link(&account.name);
                Ok(None)
            }
        }))
    });
    match signing_up.await? {
        Ok(Some(signed_in)) => Ok(welcomed(&asked, &signed_in)),
        Ok(None) => Ok(page(&SignInPage { name: shown.name, sent: true, ..SignInPage::new(&asked)? })),
        Err(error) => {
            let failure = WebFailure::from(error);
            let problem = failure.text.clone();
            Ok(failure.on(&SignUpPage { problem, ..shown }))
        }
    }
}

pub(super) async fn sign_out(asked: Asked) -> Answer {
    let (_, session) = browser(&asked);
    let ending = asked.web.ask(move |manager| {
        let accounts = manager.need_accounts()?;
        Ok(session.map_or(Ok(()), |session| accounts.sign_out(&session))?)
    });
    ending.await?;
    let gone = session_cookie(&asked.web, &asked.headers, "", 0);
    Ok((StatusCode::SEE_OTHER, [(header::SET_COOKIE, gone), (header::LOCATION, "/".to_owned())])
        .into_response())
}
