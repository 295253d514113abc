//! What whoever runs a server hears of its requests: a name for each, under which the log speaks of it, how long they
//! take, and how many there are.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use tracing::Instrument;

use super::Web;
use crate::clock::now;

/// Under which a request is spoken of.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// As long may a name be that a proxy has given.
const LONGEST_ID: usize = 64;
/// Bounds in seconds for answers.
const ANSWERS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// What a request asked for: the pattern of its path, and `GET` or another word.
type Route = [(&'static str, String); 2];

/// What is measured of requests.
#[derive(Debug)]
pub(super) struct RequestMetrics {
    took: Family<Route, Histogram, fn() -> Histogram>,
    answered: Family<[(&'static str, u16); 1], Counter>,
    under_way: Gauge,
}

impl Default for RequestMetrics {
    fn default() -> Self {
        let took = Family::new_with_constructor((|| Histogram::new(ANSWERS)) as fn() -> Histogram);
        Self { took, answered: Family::default(), under_way: Gauge::default() }
    }
}

impl RequestMetrics {
    fn answered(&self, path: Option<&MatchedPath>, method: &Method, status: StatusCode, took: Duration) {
        // Neither of them grows with what visitors think up.
        let path = path.map_or("none", MatchedPath::as_str).to_owned();
        let known = [Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::PATCH];
        let method = if known.contains(method) { method.as_str() } else { "other" }.to_owned();
        self.took.get_or_create(&[("path", path), ("method", method)]).observe(took.as_secs_f64());
        self.answered.get_or_create(&[("status", status.as_u16())]).inc();
    }

    /// Adds what is measured to the figures of a server that has so many streams of events open.
    pub(super) fn register(&self, registry: &mut Registry, streams: usize) {
        let open: Gauge = Gauge::default();
        open.set(i64::try_from(streams).unwrap_or(i64::MAX));
        registry.register("streams", "Streams of live events that are open", open);
        registry.register("requests_under_way", "Requests that are being answered", self.under_way.clone());
        registry.register("requests", "Answered requests, by status", self.answered.clone());
        let help = "From a request to the head of its answer, by the pattern of its path";
        registry.register_with_unit("request", help, Unit::Seconds, self.took.clone());
    }
}

/// A request that is being answered. Whoever asked may go away before it is.
struct UnderWay(Gauge);

impl UnderWay {
    fn begin(metrics: &RequestMetrics) -> Self {
        metrics.under_way.inc();
        Self(metrics.under_way.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Gives a request its name, and notes how it was answered.
pub(super) async fn observe(State(web): State<Arc<Web>>, request: Request, next: Next) -> Response {
    let id = request_id(request.headers(), web.options.limits.behind_proxy);
    let path = request.extensions().get::<MatchedPath>().cloned();
    let method = request.method().clone();
    let span = tracing::info_span!("request", id = id.to_str().unwrap_or_default());
    async move {
        let begun = now();
        let under_way = UnderWay::begin(&web.requests);
        // The path as it was asked for may have the key of a seat behind it, its pattern has not.
        let pattern = path.as_ref().map_or("none", MatchedPath::as_str);
        let mut response = next.run(request).await;
        drop(under_way);
        let (status, took) = (response.status(), begun.elapsed());
        web.requests.answered(path.as_ref(), &method, status, took);
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(%method, path = pattern, status = status.as_u16(), milliseconds, "answered");
        response.headers_mut().insert(REQUEST_ID, id);
        response
    }
    .instrument(span)
    .await
}

/// The name that a proxy has given, or a new one.
fn request_id(headers: &HeaderMap, behind_proxy: bool) -> HeaderValue {
    let is_plain = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        (1..=LONGEST_ID).contains(&bytes.len()) && bytes.iter().all(plain)
    };
    let given = headers.get(REQUEST_ID).filter(|_| behind_proxy).filter(is_plain).cloned();
    given.unwrap_or_else(|| {
        // Where the system has no random numbers, requests have the same name, and are told apart by their times.
        let number = format!("{:016x}", getrandom::u64().unwrap_or_default());
        // Digits can stand in any header.
        HeaderValue::try_from(number).unwrap_or_else(|_| HeaderValue::from_static("0"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_proxy_gives_names_and_only_plain_ones() {
        let with = |id: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_static(id));
            headers
        };
        assert_eq!(request_id(&with("a-1_B.2"), true), "a-1_B.2");
        let long = "x".repeat(LONGEST_ID + 1).leak();
        for (id, behind_proxy) in [("a-1", false), ("", true), ("a b", true), ("a\"b", true), (long, true)] {
            let made = request_id(&with(id), behind_proxy);
            assert!(made.len() == 16 && made != id, "{id}: {made:?}");
            assert_ne!(made, request_id(&with(id), behind_proxy), "each has its own");
        }
    }
}
