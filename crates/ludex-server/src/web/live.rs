//! Live parts of pages, and live events for programs: server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use futures_util::stream;
use tokio::sync::watch;

use super::Web;
use super::failure::WebFailure;
use super::security::Visitor;
use super::visitors::{Share, Taken};
use crate::manager::Manager;

/// Whoever watches is told of no more than this many changes in a second; what was changed in between is in
/// the next part.
const PAUSE: Duration = Duration::from_millis(60);

/// Events as they happen, as long as `next` gives some: each is the name of the event and its data, and
/// whether it was the last.
struct Channel<N, F> {
    web: Arc<Web>,
    news: watch::Receiver<N>,
    part: F,
    last: String,
    over: bool,
    begun: bool,
    _place: Taken,
}

/// The part of a page that shows a match: again whenever something has changed, until the match is over.
pub(super) async fn of_match(
    web: Arc<Web>,
    visitor: Visitor,
    id: String,
    part: impl Fn(&Manager, &str) -> Result<(String, bool), WebFailure> + Clone + Send + Sync + 'static,
) -> Result<Response, WebFailure> {
    let news = {
        let id = id.clone();
        web.ask(move |manager| Ok(manager.watch_match(&id)?)).await?
    };
    stream_of(web, visitor, news, move |manager| part(manager, &id)).await
}

/// The part of a page that shows a tournament: again whenever something has changed, until it is over.
pub(super) async fn of_tournament(
    web: Arc<Web>,
    visitor: Visitor,
    id: String,
    part: impl Fn(&Manager, &str) -> Result<(String, bool), WebFailure> + Clone + Send + Sync + 'static,
) -> Result<Response, WebFailure> {
    let news = {
        let id = id.clone();
        web.ask(move |manager| Ok(manager.watch_tournament(&id)?)).await?
    };
    stream_of(web, visitor, news, move |manager| part(manager, &id)).await
}

/// A part of a page, again whenever there is news.
async fn stream_of<N: Send + Sync + 'static>(
    web: Arc<Web>,
    visitor: Visitor,
    news: watch::Receiver<N>,
    part: impl Fn(&Manager) -> Result<(String, bool), WebFailure> + Clone + Send + Sync + 'static,
) -> Result<Response, WebFailure> {
    let place = web.visitors.long(visitor.0, Share::Stream)?;
    // What cannot be shown at all is said before anything is promised.
    let first = part.clone();
    web.ask(move |manager| first(manager)).await?;
    let channel = Channel { web, news, part, last: String::new(), over: false, begun: false, _place: place };
    let events = Box::pin(stream::unfold(channel, next));
    Ok(answer(events))
}

fn answer(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}

async fn next<N, F>(mut channel: Channel<N, F>) -> Option<(Result<Event, Infallible>, Channel<N, F>)>
where
    F: Fn(&Manager) -> Result<(String, bool), WebFailure> + Clone + Send + 'static,
{
    let mut ending = channel.web.ending.subscribe();
    while !channel.over {
        if channel.begun {
            tokio::select! {
                // Where nobody has news any more, the last part was sent, or is now.
                changed = channel.news.changed() => channel.over = changed.is_err(),
                () = super::listen::over(&mut ending) => return None,
            }
            tokio::time::sleep(PAUSE).await;
        }
        channel.begun = true;
        channel.news.mark_unchanged();
        let part = channel.part.clone();
        let (text, over) = match channel.web.ask(move |manager| part(manager)).await {
            Ok(found) => found,
            Err(failure) => {
                tracing::warn!(%failure, "a live part could not be made");
                return None;
            }
        };
        channel.over |= over;
        if channel.over || text != channel.last {
            channel.last = text;
            let name = if channel.over { "over" } else { "part" };
            let event = Event::default().event(name).data(channel.last.replace('\r', ""));
            return Some((Ok(event), channel));
        }
    }
    None
}
