//! Pages of games.

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use ludex::gdl::Dialect;
use serde::Deserialize;

use super::asked::{Answer, Asked};
use super::board::Drawing;
use super::failure::{WebFailure, sentence};
use super::findings::{self, FindingView};
use super::library;
use super::page::{PageLayout, page, to};
use super::results::GamePart;
use super::rows::{FormChoice, MatchRow, rows};
use super::sight::SEATS;
use crate::manager::{Manager, ManagerError};
use crate::model::{
    GameCheck, GameDetail, GameFacts, GameFeatures, GameQuery, GameSummary, MatchQuery, NewGame, PageRequest,
    ThingKind, all_pages,
};
use crate::preparation::About;

/// All games of the library.
fn all(manager: &Manager) -> Result<Vec<GameSummary>, ManagerError> {
    all_pages(|page| manager.games(&GameQuery { page, ..GameQuery::default() }))
}

/// The games that can be played, as something to choose.
pub(super) fn choices(manager: &Manager) -> Result<Vec<FormChoice>, ManagerError> {
    let offered = |page| manager.games(&GameQuery { page, offered: true, ..GameQuery::default() });
    Ok(all_pages(offered)?.into_iter().map(|game| FormChoice::new(game.name.clone(), game.name)).collect())
}

/// What players of a game in sentences can be told in place of all of them (book 19.7): others with the same roles. None where
/// there is nothing to choose.
pub(super) fn sheets(
    manager: &Manager,
    game: &str,
    facts: &GameFacts,
) -> Result<Vec<FormChoice>, ManagerError> {
    let is_incomplete = |dialect: &str| Dialect::named(dialect).is_some_and(Dialect::is_incomplete);
    let (own, others): (Vec<GameSummary>, Vec<GameSummary>) = all(manager)?
        .into_iter()
        .filter(|other| is_incomplete(&other.dialect))
        .partition(|other| other.name == game);
    if own.is_empty() {
        return Ok(Vec::new());
    }
    let mut sheets = vec![FormChoice::new("", "all rules")];
    for other in others {
        // A description may be no game by itself.
        let roles = manager.game_facts(&other.name, None).map_or_else(|_| Vec::new(), |other| other.seats);
        if roles == facts.seats {
            sheets.push(FormChoice::new(other.name.clone(), other.name));
        }
    }
    if sheets.len() == 1 {
        sheets.clear();
    }
    Ok(sheets)
}

#[derive(Template)]
#[template(path = "game.html")]
struct GamePage {
    layout: PageLayout,
    name: String,
    title: String,
    added: bool,
    /// Whether it is offered to be played, or was brought without being so.
    offered: bool,
    draft: bool,
    /// A newer version that is a draft.
    newer: Option<(String, String)>,
    /// Why it cannot be played.
    problem: String,
    tags: Vec<&'static str>,
    description: Vec<String>,
    dialect: String,
    notation: String,
    roles: Vec<String>,
    more_roles: usize,
    sizes: Vec<(&'static str, String)>,
    version: String,
    sha256: String,
    versions: Vec<(String, String)>,
    board: Drawing,
    findings: Vec<FindingView>,
    results: GamePart,
    matches: Vec<MatchRow>,
    rules: String,
}

#[derive(Deserialize)]
pub(super) struct GameAddress {
    version: Option<String>,
    added: Option<u8>,
}

pub(super) async fn show(
    asked: Asked,
    Path(name): Path<String>,
    Query(address): Query<GameAddress>,
) -> Answer {
    asked.page("/games", move |manager, layout| game_page(manager, layout, &name, &address)).await
}

fn game_page(
    manager: &Manager,
    layout: PageLayout,
    name: &str,
    address: &GameAddress,
) -> Result<GamePage, ManagerError> {
    let detail = manager.game(name, address.version.as_deref())?;
    let query =
        MatchQuery { game: Some(name.to_owned()), page: PageRequest::first(10), ..MatchQuery::default() };
    let described = manager.described(&detail);
    let mut shown = GamePage {
        layout,
        name: name.to_owned(),
        added: address.added.is_some(),
        offered: detail.version.offered,
        draft: !detail.version.offered && !detail.summary.bundled,
        newer: newer_draft(&detail),
        problem: String::new(),
        tags: library::words(features(manager, &detail).as_ref()),
        description: paragraphs(&detail.description),
        dialect: detail.version.dialect.clone(),
        notation: detail.version.notation.clone(),
        roles: Vec::new(),
        more_roles: 0,
        sizes: Vec::new(),
        version: short(&detail.version.sha256),
        sha256: detail.version.sha256.clone(),
        versions: detail.versions.iter().map(|v| (v.sha256.clone(), short(&v.sha256))).collect(),
        board: Drawing::default(),
        findings: Vec::new(),
        results: GamePart::of(manager, name, &detail.version.sha256)?,
        matches: rows(manager.matches(&query)?.items),
        title: detail.summary.title,
        rules: detail.text,
    };
    // A game that cannot be prepared here still has a page.
    match described {
        Ok((check, about)) => {
            shown.findings = findings::views(&shown.rules, &check.findings);
            shown.problem = if check.accepted { String::new() } else { sentence(&check.refusal()) };
            shown.tell(about);
        }
        Err(error) => shown.problem = WebFailure::from(error).text,
    }
    Ok(shown)
}

impl GamePage {
    /// What can be said of a game that can be prepared.
    fn tell(&mut self, about: Option<About>) {
        let Some(mut about) = about else { return };
        let moves: Vec<String> = about.initial_moves.iter().take(SEATS).map(usize::to_string).collect();
        self.more_roles = about.roles.len().saturating_sub(SEATS);
        let more = if self.more_roles > 0 { format!(" and {} more", self.more_roles) } else { String::new() };
        let (bytes, lines) = (self.rules.len(), self.rules.lines().count());
        self.sizes = vec![
            ("Rules", format!("{} clauses in {lines} lines, {bytes} bytes", about.clauses)),
            ("Facts at first", about.initial_facts.to_string()),
            ("Moves at first", format!("{}{more}", moves.join(" × "))),
        ];
        about.roles.truncate(SEATS);
        self.roles = about.roles;
        self.board = Drawing::of(&about.picture, false);
    }
}

/// The newest version of a game, where that is a draft and another one is shown.
fn newer_draft(detail: &GameDetail) -> Option<(String, String)> {
    let newest = detail.versions.first().filter(|newest| !newest.offered && !detail.summary.bundled)?;
    (newest.sha256 != detail.version.sha256).then(|| (newest.sha256.clone(), short(&newest.sha256)))
}

/// What tells a game from others. It is found out here where nobody has asked before; a game that is too heavy has none.
fn features(manager: &Manager, detail: &GameDetail) -> Option<GameFeatures> {
    if detail.version.sha256 != detail.summary.version {
        return None;
    }
    detail.summary.features.or_else(|| manager.guide(detail).ok().map(|guide| guide.features))
}

/// The paragraphs of a plain text.
pub(super) fn paragraphs(text: &str) -> Vec<String> {
    let lines = text.replace("\r\n", "\n");
    lines.split("\n\n").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// As much of a hash as tells versions apart.
fn short(sha256: &str) -> String {
    sha256.chars().take(12).collect()
}

pub(super) async fn rules(
    asked: Asked,
    Path(name): Path<String>,
    Query(address): Query<GameAddress>,
) -> Answer {
    let detail = asked.web.ask({
        let name = name.clone();
        move |manager| Ok(manager.game(&name, address.version.as_deref())?)
    });
    let detail = detail.await?;
    let ending = if detail.version.notation == "infix" { "gdl" } else { "kif" };
    let file = format!("attachment; filename=\"{}.{ending}\"", super::api::file_name(&name));
    let kind = "text/plain; charset=utf-8".to_owned();
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, file)], detail.text).into_response())
}

#[derive(Template)]
#[template(path = "game_new.html")]
struct NewGamePage {
    layout: PageLayout,
    problem: String,
    /// The field that the problem is about.
    wrong: &'static str,
    checked: bool,
    /// Whether the rules can only be kept as a draft.
    unplayable: bool,
    findings: Vec<FindingView>,
    name: String,
    text: String,
}

#[derive(Deserialize)]
pub(super) struct NewGameAddress {
    from: Option<String>,
    version: Option<String>,
}

pub(super) async fn form(asked: Asked, Query(address): Query<NewGameAddress>) -> Answer {
    let actor = asked.actor().clone();
    asked
        .page("/games", move |manager, layout| -> Result<_, ManagerError> {
            if let Some(name) = &address.from {
                manager.is_seen(&actor, ThingKind::Game, name)?;
            }
            let version = address.version.as_deref();
            let text = address.from.as_ref().map(|name| manager.game(name, version)).transpose()?;
            Ok(NewGamePage {
                layout,
                problem: String::new(),
                wrong: "",
                checked: false,
                unplayable: false,
                findings: Vec::new(),
                text: text.map(|game| game.text).unwrap_or_default(),
                name: address.from.unwrap_or_default(),
            })
        })
        .await
}

#[derive(Deserialize)]
pub(super) struct NewGameForm {
    name: String,
    text: String,
    #[serde(default, rename = "do")]
    action: String,
}

pub(super) async fn add(asked: Asked, Form(form): Form<NewGameForm>) -> Answer {
    let actor = asked.actor().clone();
    asked
        .answer("/games", move |manager, layout| -> Answer {
            let NewGameForm { name, text, action } = form;
            // A form sends line ends as pairs; the rules are the same on every way in.
            let (name, text) = (name.trim().to_owned(), text.replace("\r\n", "\n"));
            let outcome = if action == "add" || action == "draft" {
                let draft = action == "draft";
                let new = NewGame { name: name.clone(), text: text.clone(), draft, ..NewGame::default() };
                match manager.add_game_for(&actor, &new) {
                    Ok(check) => return Ok(to(&kept_at(&name, &check, draft))),
                    Err(ManagerError::Rejected(check)) => Ok(*check),
                    Err(error) => Err(error),
                }
            } else {
                manager.check_game_for(&actor, &name, &text)
            };
            let (status, problem, wrong, check) = match outcome {
                Ok(check) => (status_of(&check), said(&check), "text", Some(check)),
                Err(error) => {
                    let wrong = if matches!(error, ManagerError::Name { .. }) { "name" } else { "text" };
                    let failure = WebFailure::from(error);
                    (failure.status, failure.text, wrong, None)
                }
            };
            let wrong = if problem.is_empty() { "" } else { wrong };
            let checked = check.is_some();
            let unplayable = check.as_ref().is_some_and(|check| !check.unplayable.is_empty());
            let findings = check.map_or_else(Vec::new, |check| findings::views(&text, &check.findings));
            let failure = (!status.is_success()).then(|| WebFailure::new(status, problem.clone()));
            let shown = NewGamePage { layout, problem, wrong, checked, unplayable, findings, name, text };
            Ok(failure.map_or_else(|| page(&shown), |failure| failure.on(&shown)))
        })
        .await
}

/// The page of a version that was kept just now.
fn kept_at(name: &str, check: &GameCheck, draft: bool) -> String {
    if draft {
        format!("/games/{name}?version={}&added=1", check.sha256)
    } else {
        format!("/games/{name}?added=1")
    }
}

fn status_of(check: &GameCheck) -> StatusCode {
    if check.accepted { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY }
}

fn said(check: &GameCheck) -> String {
    let refusal = check.refusal();
    match (check.accepted, check.heavy.is_some() || !check.unplayable.is_empty()) {
        (true, _) => String::new(),
        (false, true) => sentence(&refusal),
        (false, false) if check.findings.iter().any(|finding| finding.severity == "error") => {
            "These rules have errors and were not accepted.".to_owned()
        }
        (false, false) => sentence(&refusal),
    }
}
