//! Who may do what, and what browsers are told to allow.
//!
//! Three things stand between a page of somebody else and this server: the name by which it was asked for
//! must be its own (otherwise a foreign name could be made to lead here), a change must come from a page of
//! this server or from no page at all, and where there is a token, whoever changes something must know it.
//! Who makes moves for a seat needs its key instead.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use sha2::{Digest, Sha256};

use super::failure::WebFailure;
use super::page::PageLayout;
use super::visitors::Taken;
use super::{Web, accept, seats, visitors};

/// Nothing from anywhere else, no script or style within pages, no frames around them.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const COOKIE: &str = "ludex";

/// What those have to know who change something.
#[derive(Clone)]
pub(super) struct Token {
    digest: [u8; 32],
    cookie: String,
}

impl Token {
    pub(super) fn new(text: &str) -> Self {
        // The cookie shows that somebody knew the token, and does not show the token.
        let cookie = ludex::game::sha256(&format!("ludex session {text}"));
        Self { digest: digest(text), cookie }
    }

    /// Whether this is the token. Digests are compared, so that the time it takes says nothing.
    pub(super) fn is(&self, text: &str) -> bool {
        digest(text) == self.digest
    }

    /// What a request shows.
    fn shown(&self, headers: &HeaderMap) -> TokenShown {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = bearer.and_then(|value| value.split_once(' '));
        let bearer = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let cookie = cookie(headers, COOKIE).filter(|value| !value.is_empty());
        match (bearer, cookie) {
            (Some((_, token)), _) if self.is(token.trim()) => TokenShown::Right,
            (_, Some(value)) if digest(value) == digest(&self.cookie) => TokenShown::Right,
            (Some(_), _) => TokenShown::Wrong,
            (None, Some(_)) => TokenShown::OldCookie,
            (None, None) => TokenShown::None,
        }
    }

    /// The header that logs somebody in.
    pub(super) fn log_in(&self) -> String {
        format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000", self.cookie)
    }
}

/// The header that logs somebody out.
pub(super) const LOG_OUT: &str = "ludex=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";

/// Which token a request comes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenShown {
    /// None, or there is none to be known.
    None,
    Right,
    /// A wrong one.
    Wrong,
    /// The cookie of a token that is not the one any more, or never was.
    OldCookie,
}

/// Whom a request comes from, as far as that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visitor(pub(super) Option<IpAddr>);

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// What a browser keeps under a name.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let texts = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}

impl Web {
    /// Whether whoever asks may change something.
    pub(super) fn may_change(&self, headers: &HeaderMap) -> bool {
        self.options.token.is_none() || self.token_shown(headers) == TokenShown::Right
    }

    fn token_shown(&self, headers: &HeaderMap) -> TokenShown {
        self.options.token.as_ref().map_or(TokenShown::None, |token| token.shown(headers))
    }

    /// What all pages have around them.
    pub(super) fn layout(&self, section: &'static str, headers: &HeaderMap) -> PageLayout {
        PageLayout { section, token: self.options.token.is_some(), locked: !self.may_change(headers) }
    }
}

/// Refuses what may not be, says what went wrong as whoever asked can read it, and adds the headers that
/// every answer has.
pub(super) async fn guard(State(web): State<Arc<Web>>, mut request: Request, next: Next) -> Response {
    let json = wants_json(&request);
    let layout = web.layout("", request.headers());
    let address = web.visitors.address(&request);
    request.extensions_mut().insert(Visitor(address));
    let shown = web.token_shown(request.headers());
    let entered = enter(&web, address, shown).await;
    let admitted = entered.and_then(|under_way| match refuse(&web, &request, shown) {
        Some(failure) => Err(failure),
        None => Ok(under_way),
    });
    let mut response = match admitted {
        Err(failure) => failure.into_answer(json, &layout),
        Ok(under_way) => {
            let response = visitors::answering(&under_way, next.run(request)).await;
            WebFailure::told(response, json, &layout).await
        }
    };
    let headers = response.headers_mut();
    if shown == TokenShown::OldCookie {
        // It is not to be shown, and waited for, with every page.
        headers.entry(header::SET_COOKIE).or_insert(HeaderValue::from_static(LOG_OUT));
    }
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Lets a request in when it may be: not while too many others of its address are under way, and when it is the turn
/// of what it shows.
async fn enter(web: &Web, address: Option<IpAddr>, shown: TokenShown) -> Result<Arc<Taken>, WebFailure> {
    let under_way = web.visitors.request(address)?;
    if shown != TokenShown::None {
        web.guesses.judged(address, shown == TokenShown::Right).await?;
    }
    Ok(under_way)
}

/// Whether an answer is for a program: below `/api`, or where JSON is liked better than a page.
fn wants_json(request: &Request) -> bool {
    request.uri().path().starts_with("/api/") || accept::prefers_json(request.headers())
}

fn refuse(web: &Web, request: &Request, shown: TokenShown) -> Option<WebFailure> {
    let headers = request.headers();
    if !is_our_name(web, headers) {
        let text = "The server was asked for by a name that is not its own.";
        return Some(WebFailure::new(StatusCode::MISDIRECTED_REQUEST, text));
    }
    if shown == TokenShown::Wrong {
        return Some(WebFailure::new(StatusCode::UNAUTHORIZED, "This is not the token."));
    }
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return None;
    }
    if !is_same_site(headers) {
        let text = "Another site asked for a change. Only the pages of this server may.";
        return Some(WebFailure::new(StatusCode::FORBIDDEN, text));
    }
    let path = request.uri().path();
    let free = matches!(path, "/login" | "/logout") || seats::needs_key_only(path);
    if !free && !web.may_change(headers) {
        let text = "Whoever changes something needs the token that the server was started with.";
        return Some(WebFailure::new(StatusCode::UNAUTHORIZED, text));
    }
    None
}

/// A server on the loopback interface is asked for by the names of that interface, or by none. A name that
/// somebody else made lead to it would let the pages under that name read everything.
fn is_our_name(web: &Web, headers: &HeaderMap) -> bool {
    if !web.options.loopback {
        return true;
    }
    let Some(host) = headers.get(header::HOST) else { return true };
    let Ok(host) = host.to_str() else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || inner.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether a browser says that somebody came here from our own pages, or from no page.
pub(super) fn comes_from_here(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin" || site == "none")
}

/// Whether a change comes from our own pages, or from no page. Browsers say where from; programs do not.
fn is_same_site(headers: &HeaderMap) -> bool {
    if headers.contains_key("sec-fetch-site") {
        return comes_from_here(headers);
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let (Ok(origin), Some(Ok(host))) = (origin.to_str(), headers.get(header::HOST).map(HeaderValue::to_str))
    else {
        return false;
    };
    origin.split_once("://").is_some_and(|(_, name)| name.eq_ignore_ascii_case(host))
}
