//! Who may do what, and what browsers are told to allow.
//!
//! Three things stand between a page of somebody else and this server: the name by which it was asked for
//! must be its own (otherwise a foreign name could be made to lead here), a change must come from a page of
//! this server or from no page at all, and whoever does something must have the right to it ([`rights`]): on a
//! server without accounts whoever knows the token has all rights, where there is a token. Who makes moves for a seat
//! needs its key instead.

use std::net::IpAddr;
use std::sync::Arc;

use axum::RequestExt;
use axum::extract::{MatchedPath, RawPathParams, Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use sha2::{Digest, Sha256};

use super::failure::WebFailure;
use super::guesses::Whom;
use super::page::PageLayout;
use super::visitors::Taken;
use super::{Web, accept, rights, visitors};
use crate::manager::{Accounts, ManagerError};
use crate::model::{Action, Actor, Role, Thing};

/// Nothing from anywhere else, no script or style within pages, no frames around them.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const COOKIE: &str = "ludex";
/// The name of the cookie that keeps somebody signed in.
pub(super) const SESSION: &str = "ludex-session";
/// The header that ends a session in a browser.
const SESSION_GONE: &str = "ludex-session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";

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
        let bearer = bearer(headers);
        let cookie = cookie(headers, COOKIE).filter(|value| !value.is_empty());
        match (bearer, cookie) {
            (Some(token), _) if self.is(token.trim()) => TokenShown::Right,
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

/// The token that programs show.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// What a browser keeps under a name.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let texts = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}

/// Who asks, and what they may do with what they ask for.
#[derive(Clone, Debug, Default)]
pub(super) struct Caller {
    pub(super) actor: Actor,
    /// Whether they may change what the path is about.
    pub(super) own: bool,
}

/// What a request is about.
#[derive(Clone)]
struct Route {
    action: Action,
    thing: Option<Thing>,
    /// Whether the key of a seat opens it.
    of_seat: bool,
}

impl Route {
    async fn of(request: &mut Request) -> Self {
        let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
        let path = path.unwrap_or_default();
        let mut thing = None;
        if let Some(kind) = rights::kind(&path)
            && let Ok(named) = request.extract_parts::<RawPathParams>().await
        {
            // A name that cannot be read is none, which handlers say.
            thing = named.iter().next().map(|(_, name)| Thing::new(kind, name));
        }
        Self { action: rights::action(request.method(), &path), thing, of_seat: rights::is_of_seat(&path) }
    }
}

/// What came of looking at who asks.
struct Seen {
    caller: Caller,
    shown: TokenShown,
    /// Whether what is asked for is their own, or nothing that belongs to somebody.
    owns: bool,
    /// Whether there is nothing that they may see.
    hidden: bool,
}

impl Web {
    fn token_shown(&self, headers: &HeaderMap) -> TokenShown {
        self.options.token.as_ref().map_or(TokenShown::None, |token| token.shown(headers))
    }

    /// Whether somebody may do something.
    fn may(&self, actor: &Actor, action: Action, owns: bool) -> bool {
        let visitors_play = self.manager.accounts().is_some_and(|accounts| accounts.options().visitors_play);
        let is_guest = actor.role == Role::Visitor && action == Action::StartQuickMatch;
        actor.may(action, owns) || (is_guest && visitors_play)
    }

    /// What all pages have around them.
    pub(super) fn layout(&self, section: &'static str, caller: &Caller) -> PageLayout {
        let actor = &caller.actor;
        let accounts = self.manager.accounts();
        PageLayout {
            section,
            token: self.options.token.is_some(),
            accounts: accounts.is_some(),
            sign_up: accounts.as_ref().is_some_and(|accounts| accounts.options().sign_up.is_some()),
            account: actor.account.clone(),
            locked: !actor.may(Action::MakeMatch, true),
            own: caller.own,
            plays: self.may(actor, Action::StartQuickMatch, true),
            registers: actor.may(Action::RegisterPlayer, true),
            moderates: accounts.is_some() && actor.may(Action::Moderate, false),
            administers: accounts.is_some() && actor.may(Action::Administer, false),
        }
    }

    /// Who asks, what they have shown, and what is theirs.
    async fn look_at(self: &Arc<Self>, headers: &HeaderMap, route: &Route) -> Result<Seen, WebFailure> {
        if self.manager.accounts().is_none() {
            let shown = self.token_shown(headers);
            let knows = self.options.token.is_none() || shown == TokenShown::Right;
            let actor = if knows { Actor::organiser() } else { Actor::visitor() };
            return Ok(Seen { caller: Caller { actor, own: knows }, shown, owns: true, hidden: false });
        }
        let bearer = bearer(headers).map(|token| token.trim().to_owned());
        let session = cookie(headers, SESSION).filter(|value| !value.is_empty()).map(str::to_owned);
        if bearer.is_none() && session.is_none() && route.thing.is_none() {
            let caller = Caller::default();
            return Ok(Seen { caller, shown: TokenShown::None, owns: true, hidden: false });
        }
        let route = route.clone();
        self.ask(move |manager| {
            let accounts = manager.need_accounts()?;
            let (actor, shown) = known(&accounts, bearer.as_deref(), session.as_deref())?;
            seen(&accounts, actor, shown, &route)
        })
        .await
    }

    /// Why a request may not be, if it may not.
    fn refuse(&self, request: &Request, route: &Route, seen: &Seen) -> Option<WebFailure> {
        let headers = request.headers();
        if !is_our_name(self, headers) {
            let text = "The server was asked for by a name that is not its own.";
            return Some(WebFailure::new(StatusCode::MISDIRECTED_REQUEST, text));
        }
        if seen.shown == TokenShown::Wrong {
            return Some(WebFailure::new(StatusCode::UNAUTHORIZED, "This is not the token."));
        }
        let looks = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
        if !looks && !is_same_site(headers) {
            let text = "Another site asked for a change. Only the pages of this server may.";
            return Some(WebFailure::new(StatusCode::FORBIDDEN, text));
        }
        if seen.hidden {
            return Some(WebFailure::missing(route.thing.as_ref().map_or("page", |thing| thing.kind.name())));
        }
        let actor = &seen.caller.actor;
        if self.may(actor, route.action, seen.owns) {
            return None;
        }
        Some(if self.manager.accounts().is_none() {
            let text = "Whoever changes something needs the token that the server was started with.";
            WebFailure::new(StatusCode::UNAUTHORIZED, text)
        } else {
            not_allowed(actor, route.action, seen.owns)
        })
    }
}

/// Why an account may not do something.
fn not_allowed(actor: &Actor, action: Action, owns: bool) -> WebFailure {
    let right = action.right();
    if actor.account.is_none() {
        return WebFailure::new(StatusCode::UNAUTHORIZED, "Whoever does this is signed in.");
    }
    let text = if !actor.has_scope(right.scope) {
        format!("This token is not for that: it lacks the scope `{}`.", right.scope.name())
    } else if !owns && actor.role >= right.own {
        "This belongs to somebody else.".to_owned()
    } else {
        let least = if owns { right.own } else { right.others };
        format!("Your account may not do this: it takes the role `{}`.", least.name())
    };
    WebFailure::new(StatusCode::FORBIDDEN, text)
}

/// Who shows a token or keeps a session.
fn known(
    accounts: &Accounts,
    bearer: Option<&str>,
    session: Option<&str>,
) -> Result<(Actor, TokenShown), ManagerError> {
    let (found, other) = match (bearer, session) {
        (Some(token), _) => (accounts.of_token(token)?, TokenShown::Wrong),
        (None, Some(session)) => (accounts.of_session(session)?, TokenShown::OldCookie),
        (None, None) => (None, TokenShown::None),
    };
    Ok(found.map_or((Actor::visitor(), other), |actor| (actor, TokenShown::Right)))
}

/// What somebody sees of what a path is about.
fn seen(accounts: &Accounts, actor: Actor, shown: TokenShown, route: &Route) -> Result<Seen, WebFailure> {
    let Some(thing) = &route.thing else {
        return Ok(Seen { caller: Caller { actor, own: false }, shown, owns: true, hidden: false });
    };
    let owner = accounts.owner(thing)?;
    let owns = actor.is(owner.as_deref());
    let hidden = !route.of_seat && !accounts.is_seen(&actor, thing, owns)?;
    // Whoever sits in a match that a visitor made may invite others to it.
    let visitors = route.of_seat && owner.is_none() && accounts.options().visitors_play;
    let own = actor.may(rights::change(thing.kind), owns) || visitors;
    Ok(Seen { caller: Caller { actor, own }, shown, owns, hidden })
}

/// The header that keeps a session, or ends it where it lasts for no time.
pub(super) fn session_cookie(web: &Web, headers: &HeaderMap, secret: &str, seconds: u64) -> String {
    // A proxy says whether it was asked in a way that others cannot read.
    let is_secure = web.options.limits.behind_proxy
        && headers.get("x-forwarded-proto").is_some_and(|scheme| scheme.as_bytes() == b"https");
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{SESSION}={secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}")
}

/// Refuses what may not be, says what went wrong as whoever asked can read it, and adds the headers that
/// every answer has.
pub(super) async fn guard(State(web): State<Arc<Web>>, mut request: Request, next: Next) -> Response {
    let json = wants_json(&request);
    let address = web.visitors.address(&request);
    request.extensions_mut().insert(Visitor(address));
    let route = Route::of(&mut request).await;
    let (mut caller, mut is_old) = (Caller::default(), false);
    let admitted = match enter(&web, address, request.headers(), &route).await {
        Err(failure) => Err(failure),
        Ok((under_way, seen)) => {
            is_old = seen.shown == TokenShown::OldCookie;
            let refused = web.refuse(&request, &route, &seen);
            caller = seen.caller;
            refused.map_or(Ok(under_way), Err)
        }
    };
    let layout = web.layout("", &caller);
    let mut response = match admitted {
        Err(failure) => failure.into_answer(json, &layout),
        Ok(under_way) => {
            request.extensions_mut().insert(caller);
            let response = visitors::answering(&under_way, next.run(request)).await;
            WebFailure::told(response, json, &layout).await
        }
    };
    let headers = response.headers_mut();
    if is_old {
        // It is not to be shown, and waited for, with every page.
        let gone = if web.manager.accounts().is_some() { SESSION_GONE } else { LOG_OUT };
        headers.entry(header::SET_COOKIE).or_insert(HeaderValue::from_static(gone));
    }
    add_headers(headers);
    response
}

/// What every answer says.
fn add_headers(headers: &mut HeaderMap) {
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
}

/// Lets a request in when it may be: not while too many others of its address are under way, and when it is the turn
/// of what it shows.
async fn enter(
    web: &Arc<Web>,
    address: Option<IpAddr>,
    headers: &HeaderMap,
    route: &Route,
) -> Result<(Arc<Taken>, Seen), WebFailure> {
    let under_way = web.visitors.request(address)?;
    let seen = visitors::answering(&under_way, web.look_at(headers, route)).await?;
    if seen.shown != TokenShown::None {
        web.guesses.judged(Whom::Address(address), seen.shown == TokenShown::Right).await?;
    }
    Ok((under_way, seen))
}

/// Whether an answer is for a program: below `/api`, or where JSON is liked better than a page.
fn wants_json(request: &Request) -> bool {
    request.uri().path().starts_with("/api/") || accept::prefers_json(request.headers())
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
