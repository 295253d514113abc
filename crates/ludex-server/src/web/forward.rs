//! Requests about matches and tournaments that another server has: they are asked of that server, and what it answers is
//! passed on as it comes.
//!
//! Servers know each other by a secret that is kept in the store: whoever passes a request on says for whom, and signs
//! that (HMAC, RFC 2104) with the path and the time. The request itself is what the visitor sent, with its cookies and
//! its token, and is judged by the server that answers it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Uri, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use hmac::{Hmac, KeyInit, Mac};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use sha2_for_hmac::Sha256;
use tokio::net::TcpStream;

use super::Web;
use super::failure::WebFailure;
use super::security::Visitor;
use crate::clock::unix_milliseconds;
use crate::manager::{Manager, Whereabouts};
use crate::signature::{bytes, hex};

/// What a server says that passes a request on.
const SIGNED: HeaderName = HeaderName::from_static("x-ludex-forwarded");
/// A signature holds for so many milliseconds, so that clocks need not be the same.
const HOLDS: u64 = 120_000;
/// So long another server may take to take a connection.
const CONNECT: Duration = Duration::from_secs(2);
/// So long it may take until it begins to answer: games may have to be prepared.
const ANSWER: Duration = Duration::from_secs(120);
/// How often it is looked whether a server that is waited for was taken for dead.
const LOOK: Duration = Duration::from_millis(500);
/// After so many seconds it is worth while to ask again for what nobody has.
const RETRY: &str = "2";
/// The same for whoever listens to events, who gets a stream that ends at once.
const ASK_AGAIN: &str = "retry: 1000\n\n";

/// What holds for one connection only.
const OF_CONNECTIONS: [HeaderName; 7] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// That a request comes from another server, and for whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forwarded(pub(super) Option<IpAddr>);

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject<'a> {
    Match(&'a str),
    Tournament(&'a str),
}

/// What a path is about, if that is a match or a tournament.
fn subject(path: &str) -> Option<Subject<'_>> {
    let mut parts = path.strip_prefix('/')?.split('/');
    let mut first = parts.next()?;
    if first == "api" {
        first = parts.next()?;
    }
    let id = parts.next().filter(|id| !id.is_empty() && *id != "new")?;
    match first {
        "matches" => Some(Subject::Match(id)),
        "tournaments" => Some(Subject::Tournament(id)),
        _ => None,
    }
}

/// Whether what a path leads to are events as they happen.
fn is_stream(path: &str) -> bool {
    path.ends_with("/live") || path.ends_with("/events")
}

/// What is signed: for whom, when, and what.
fn signature(secret: &[u8], address: &str, at: u64, method: &Method, uri: &Uri) -> Option<Hmac<Sha256>> {
    // A key of any length is one.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    mac.update(format!("{address}\n{at}\n{method}\n{path}").as_bytes());
    Some(mac)
}

fn signed(
    secret: &[u8],
    visitor: Option<IpAddr>,
    at: u64,
    method: &Method,
    uri: &Uri,
) -> Option<HeaderValue> {
    let address = visitor.map_or_else(|| "-".to_owned(), |address| address.to_string());
    let mac = hex(&signature(secret, &address, at, method, uri)?.finalize().into_bytes());
    HeaderValue::try_from(format!("{address} {at} {mac}")).ok()
}

/// For whom a request was passed on, where what it says of that is true.
fn verified(secret: &[u8], now: u64, value: &HeaderValue, method: &Method, uri: &Uri) -> Option<Forwarded> {
    let mut parts = value.to_str().ok()?.split(' ');
    let (address, at, mac) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
    signature(secret, address, at, method, uri)?.verify_slice(&bytes(mac)?).ok()?;
    let visitor = if address == "-" { None } else { Some(address.parse().ok()?) };
    (now.abs_diff(at) <= HOLDS).then_some(Forwarded(visitor))
}

/// Notes for whom a request comes that another server passes on. Outside of all else, so that it counts as theirs.
pub(super) async fn receive(State(web): State<Arc<Web>>, mut request: Request, next: Next) -> Response {
    if let Some(value) = request.headers_mut().remove(SIGNED) {
        let secret = web.manager.member_secret();
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let known = secret.and_then(|secret| verified(&secret, unix_milliseconds(), &value, &method, &uri));
        match known {
            Some(forwarded) => drop(request.extensions_mut().insert(forwarded)),
            None => return (StatusCode::FORBIDDEN, "This is no server of ours.").into_response(),
        }
    }
    next.run(request).await
}

/// Answers what can be answered here, and passes on what another server has. Inside of what guards the server.
pub(super) async fn forward(State(web): State<Arc<Web>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let Some(subject) = subject(&path).filter(|_| web.manager.member_secret().is_some()) else {
        return next.run(request).await;
    };
    let whereabouts = match subject {
        Subject::Match(id) => {
            let id = id.to_owned();
            web.ask(move |manager| Ok(manager.where_is_match(&id)?)).await
        }
        Subject::Tournament(id) => {
            let id = id.to_owned();
            web.ask(move |manager| Ok(manager.where_is_tournament(&id)?)).await
        }
    };
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    match whereabouts {
        Ok(Whereabouts::Here) => next.run(request).await,
        Ok(Whereabouts::At(number, address)) if request.extensions().get::<Forwarded>().is_none() => {
            pass_on(&web, number, &address, request).await.unwrap_or_else(|failure| {
                tracing::warn!(path, address, failure, "another server does not answer");
                later(&path, is_read)
            })
        }
        // What can be told of what is written is told here.
        Ok(Whereabouts::Nowhere) if is_read && !is_stream(&path) => next.run(request).await,
        Ok(_) => later(&path, is_read),
        Err(failure) => failure.into_response(),
    }
}

/// That something has no owner, or not the one that was thought: it passes.
fn later(path: &str, is_read: bool) -> Response {
    if is_read && is_stream(path) {
        // Browsers do not come again after a refusal.
        return ([(header::CONTENT_TYPE, "text/event-stream")], ASK_AGAIN).into_response();
    }
    let text = "Another server is just taking this over. Try again in a moment.";
    let mut response = WebFailure::new(StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY));
    response
}

fn remove_those_of_the_connection(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|names| names.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&OF_CONNECTIONS) {
        headers.remove(name);
    }
}

/// Waits until a server is a member no more.
async fn gone(manager: Manager, number: u64) {
    while manager.has_member(number) {
        tokio::time::sleep(LOOK).await;
    }
}

/// Asks another server, and passes on what it answers as it comes; why that cannot be.
async fn pass_on(
    web: &Arc<Web>,
    number: u64,
    address: &str,
    mut request: Request,
) -> Result<Response, String> {
    let visitor = request.extensions().get::<Visitor>().and_then(|visitor| visitor.0);
    let secret = web.manager.member_secret().ok_or("there is no secret to sign with")?;
    let said = signed(&secret, visitor, unix_milliseconds(), request.method(), request.uri());
    remove_those_of_the_connection(request.headers_mut());
    *request.version_mut() = Version::HTTP_11;
    request.headers_mut().insert(SIGNED, said.ok_or("nothing can be signed")?);
    let connecting = tokio::time::timeout(CONNECT, TcpStream::connect(address)).await;
    let stream = connecting.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    // Small answers are to come at once; where that cannot be set they come a little later.
    let _ = stream.set_nodelay(true);
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to another server broke");
        }
    });
    let answer = tokio::select! {
        answer = tokio::time::timeout(ANSWER, sender.send_request(request)) => answer,
        () = gone(web.manager.clone(), number) => return Err("it was taken for dead".to_owned()),
    };
    let answer = answer.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    let (mut parts, body) = answer.into_parts();
    remove_those_of_the_connection(&mut parts.headers);
    let (mut ending, manager) = (web.ending.subscribe(), web.manager.clone());
    let ended = async move {
        tokio::select! {
            () = super::listen::over(&mut ending) => {}
            () = gone(manager, number) => {}
        }
    };
    let kind = parts.headers.get(header::CONTENT_TYPE);
    let body = match kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
        // It has no end of its own, and ends with either server, also with one that hangs.
        true => Body::from_stream(Body::new(body).into_data_stream().take_until(Box::pin(ended))),
        false => Body::new(body),
    };
    Ok(Response::from_parts(parts, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_about_matches_and_tournaments() {
        for (path, wanted) in [
            ("/matches/m1", Some(Subject::Match("m1"))),
            ("/matches/m1/seat/0/live", Some(Subject::Match("m1"))),
            ("/api/matches/m1/events", Some(Subject::Match("m1"))),
            ("/api/tournaments/t1", Some(Subject::Tournament("t1"))),
            ("/tournaments/t1/live", Some(Subject::Tournament("t1"))),
            ("/matches", None),
            ("/matches/", None),
            ("/matches/new", None),
            ("/api/matches", None),
            ("/players/matches/m1", None),
            ("/", None),
            ("", None),
        ] {
            assert_eq!(subject(path), wanted, "{path}");
        }
        assert!(is_stream("/matches/m1/live") && is_stream("/api/matches/m1/events"));
        assert!(!is_stream("/matches/m1"));
    }

    #[test]
    fn who_does_not_know_the_secret_is_not_believed() {
        let uri = Uri::from_static("/matches/m1?step=3");
        let visitor = "192.0.2.7".parse().ok();
        let value = signed(b"secret", visitor, 1_000_000, &Method::POST, &uri).unwrap();
        let verify = |secret: &[u8], now: u64, value: &HeaderValue, method: Method, uri: &str| {
            verified(secret, now, value, &method, &uri.parse().unwrap()).map(|forwarded| forwarded.0)
        };
        let path = "/matches/m1?step=3";
        assert_eq!(verify(b"secret", 1_060_000, &value, Method::POST, path), Some(visitor));
        assert_eq!(verify(b"other", 1_060_000, &value, Method::POST, path), None);
        assert_eq!(verify(b"secret", 1_060_000, &value, Method::GET, path), None);
        assert_eq!(verify(b"secret", 1_060_000, &value, Method::POST, "/matches/m2?step=3"), None);
        assert_eq!(verify(b"secret", 1_120_001, &value, Method::POST, path), None, "it is too old");
        let elsewhere = value.to_str().unwrap().replace("192.0.2.7", "192.0.2.8");
        let elsewhere = HeaderValue::try_from(elsewhere).unwrap();
        assert_eq!(verify(b"secret", 1_060_000, &elsewhere, Method::POST, path), None);
        for rubbish in ["", "-", "- 1", "- 1 zz", "- x 00", "192.0.2.7 1000000 \u{e9}"] {
            let Ok(value) = HeaderValue::try_from(rubbish) else { continue };
            assert_eq!(verify(b"secret", 1_000_000, &value, Method::POST, path), None, "{rubbish}");
        }
        let nobody = signed(b"secret", None, 5, &Method::GET, &uri).unwrap();
        assert_eq!(verify(b"secret", 5, &nobody, Method::GET, path), Some(None));
    }
}
