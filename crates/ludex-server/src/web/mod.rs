//! The web side of the Game Manager: pages for people, an interface for programs, and what keeps others out.
//!
//! Pages are written on the server and work without any script; a small one of our own makes boards
//! clickable and matches live. Nothing is loaded from anywhere else. All that is shown of a match comes
//! through `ludex_match::view`.

mod accept;
mod account;
mod accounts;
mod accounts_api;
mod administration;
mod analysis;
mod api;
mod asked;
mod assets;
mod board;
mod chart;
mod course;
mod course_chart;
mod describe;
mod editor;
mod failure;
mod fields;
mod findings;
mod forward;
mod games;
mod guesses;
mod health;
mod home;
mod how_to_play;
mod known;
mod library;
mod lifetimes;
mod listen;
mod live;
mod login;
mod match_list;
mod matches;
mod observed;
mod page;
mod pages;
mod players;
mod presence;
mod ratings;
mod records;
mod results;
mod rights;
mod routes;
mod rows;
mod run;
mod seating;
mod seats;
mod security;
mod service_manager;
mod sight;
mod sitting_down;
mod text;
mod tournament_course;
mod tournament_part;
mod tournaments;
mod visitors;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::cache::Cache;
use crate::manager::Manager;
use failure::WebFailure;
use guesses::Guesses;
pub use listen::ConnectionLimits;
use observed::RequestMetrics;
pub use run::BoundServer;
use security::Token;
use visitors::Visitors;

/// How the web side is set up.
#[derive(Clone)]
pub struct WebOptions {
    /// What whoever changes something has to know; nothing where there is none.
    token: Option<Token>,
    /// Whether the server is only to be reached from its own computer, and answers to no other name.
    loopback: bool,
    /// What connections may cost.
    limits: ConnectionLimits,
    /// How many bytes the parts of pages may take that are kept.
    kept: usize,
    /// How long the server goes on answering after it was asked to end.
    drain: Duration,
}

impl WebOptions {
    /// For a server that is only to be reached from its own computer.
    pub fn loopback(token: Option<&str>) -> Self {
        Self {
            token: token.map(Token::new),
            loopback: true,
            limits: ConnectionLimits::default(),
            kept: PARTS,
            drain: Duration::ZERO,
        }
    }

    /// For a server that others can reach: whoever changes something needs the token.
    pub fn public(token: &str) -> Self {
        Self {
            token: Some(Token::new(token)),
            loopback: false,
            limits: ConnectionLimits::default(),
            kept: PARTS,
            drain: Duration::ZERO,
        }
    }

    /// Sets what connections may cost.
    #[must_use]
    pub fn with_limits(self, limits: ConnectionLimits) -> Self {
        Self { limits, ..self }
    }
}

impl WebOptions {
    /// Sets how long the server goes on answering after it was asked to end, while `/readyz` tells whoever shares out
    /// requests that others should have them. None unless something else is said.
    #[must_use]
    pub fn with_drain(self, drain: Duration) -> Self {
        Self { drain, ..self }
    }

    /// Sets how many bytes the parts of pages may take that are kept, 8 MiB unless something else is said.
    #[must_use]
    pub fn with_kept_bytes(self, kept: usize) -> Self {
        Self { kept, ..self }
    }
}

/// Says nothing of the token.
impl std::fmt::Debug for WebOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebOptions").field("loopback", &self.loopback).finish_non_exhaustive()
    }
}

/// The web side of a manager.
#[derive(Debug)]
pub struct WebServer {
    web: Arc<Web>,
}

impl WebOptions {
    /// For a server that others can reach and that has accounts: whoever changes something is signed in.
    pub fn with_accounts() -> Self {
        Self {
            token: None,
            loopback: false,
            limits: ConnectionLimits::default(),
            kept: PARTS,
            drain: Duration::ZERO,
        }
    }
}

/// What all handlers share.
#[derive(Debug)]
struct Web {
    options: WebOptions,
    manager: Manager,
    /// Whether the server ends: live events end then, too.
    ending: watch::Sender<bool>,
    /// Whether the server is about to end, and others should have the requests.
    leaving: watch::Sender<bool>,
    /// What is measured of requests.
    requests: RequestMetrics,
    /// Who takes how much of the server.
    visitors: Visitors,
    /// Who came with wrong tokens.
    guesses: Guesses,
    /// Room for questions that the manager is asked at the same time.
    questions: Arc<Semaphore>,
    /// Parts of pages, and whether they will not change any more.
    parts: Cache<String, (String, bool)>,
}

/// The longest body of a request, in bytes: a rulesheet, mostly.
const BODY_LIMIT: usize = 4 << 20;
/// Parts of pages are kept up to so many bytes where nothing else is said.
const PARTS: usize = 8 << 20;

impl WebServer {
    /// The web side of this manager.
    pub fn new(manager: Manager, options: WebOptions) -> Self {
        let visitors = Visitors::new(options.limits).with_servers_of(&manager);
        let (ending, parts) =
            (watch::Sender::new(false), Cache::new(options.kept, |(part, _): &(String, bool)| part.len()));
        let questions = Arc::new(Semaphore::new(options.limits.questions.clamp(1, 400)));
        Self {
            web: Arc::new(Web {
                options,
                manager,
                ending,
                leaving: watch::Sender::new(false),
                requests: RequestMetrics::default(),
                visitors,
                guesses: Guesses::default(),
                questions,
                parts,
            }),
        }
    }

    /// All pages and paths, to be called without sockets.
    pub fn router(&self) -> Router {
        let pages = pages::router().merge(api::router()).fallback(async || WebFailure::missing("page"));
        pages
            .layer(DefaultBodyLimit::max(BODY_LIMIT))
            .layer(middleware::from_fn_with_state(Arc::clone(&self.web), forward::forward))
            .layer(middleware::from_fn_with_state(Arc::clone(&self.web), security::guard))
            .layer(middleware::from_fn_with_state(Arc::clone(&self.web), forward::receive))
            .layer(RequestBodyTimeoutLayer::new(self.web.options.limits.body))
            .layer(middleware::from_fn_with_state(Arc::clone(&self.web), observed::observe))
            .with_state(Arc::clone(&self.web))
    }

    /// Answers requests until `end` is there; those that are under way then have a moment to end.
    pub async fn serve(&self, listener: TcpListener, end: impl Future<Output = ()>) {
        let ended = async {
            end.await;
            self.web.leaving.send_replace(true);
            tokio::time::sleep(self.web.options.drain).await;
            self.web.ending.send_replace(true);
        };
        let web = &self.web;
        listen::listen(listener, self.router(), web.options.limits, &web.visitors, ended).await;
    }
}

impl Web {
    /// Asks the manager, which may take its time, where that keeps nobody else waiting. Who asks may go away; what was
    /// asked counts until it is answered, as a question and as a request that is under way.
    async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Manager) -> Result<T, WebFailure> + Send + 'static,
    ) -> Result<T, WebFailure> {
        // The semaphore is never closed.
        let place = Arc::clone(&self.questions).acquire_owned().await;
        let request = visitors::request_under_way();
        self.ask_aside(move |manager| {
            let answer = question(manager);
            drop((place, request));
            answer
        })
        .await
    }

    /// The same for who watches over the server, and has to hear from it whatever others have asked.
    async fn ask_aside<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Manager) -> Result<T, WebFailure> + Send + 'static,
    ) -> Result<T, WebFailure> {
        // What is logged meanwhile belongs to the request.
        let (manager, request) = (self.manager.clone(), tracing::Span::current());
        let answer = tokio::task::spawn_blocking(move || request.in_scope(|| question(&manager))).await;
        answer.unwrap_or_else(|error| Err(WebFailure::mistake(&error)))
    }

    /// A part of a page that is made once, for all who want it, where it is kept: under a name that stands for what it
    /// shows, or because it will not change any more. `make` says whether it will.
    fn part(
        &self,
        name: String,
        keep: bool,
        make: impl FnOnce() -> Result<(String, bool), WebFailure>,
    ) -> Result<(String, bool), WebFailure> {
        let part = self.parts.get_or(name, || -> Result<_, WebFailure> {
            let (part, over) = make()?;
            Ok((Arc::new((part, over)), keep || over))
        })?;
        Ok((*part).clone())
    }
}
