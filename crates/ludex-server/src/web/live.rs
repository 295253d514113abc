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
use super::asked::{Answer, Asked};
use super::failure::WebFailure;
use super::visitors::{Share, Taken};
use crate::manager::Manager;

/// Whoever watches is told of no more than this many changes in a second; what was changed in between is in
/// the next part.
const PAUSE: Duration = Duration::from_millis(60);

/// After so long whoever watches asks again for what goes on elsewhere.
const ASK_AGAIN: Duration = Duration::from_millis(500);

/// Events as they happen, as long as `next` gives some: each is the name of the event and its data, and
/// whether it was the last.
struct Channel<N, F> {
    web: Arc<Web>,
    id: String,
    news: watch::Receiver<N>,
    part: F,
    last: String,
    over: bool,
    /// There is no more news from here, whether it is over or not.
    silent: bool,
    begun: bool,
    _place: Taken,
}

/// The part of a page that shows a match: again whenever something has changed, until the match is over.
pub(super) async fn of_match(asked: Asked, id: String, part: impl LivePart) -> Answer {
    let watched = id.clone();
    let news = asked.web.ask(move |manager| Ok(manager.watch_match(&watched)?)).await?;
    stream_of(asked, id, news, part).await
}

/// The part of a page that shows a tournament: again whenever something has changed, until it is over.
pub(super) async fn of_tournament(asked: Asked, id: String, part: impl LivePart) -> Answer {
    let watched = id.clone();
    let news = asked.web.ask(move |manager| Ok(manager.watch_tournament(&watched)?)).await?;
    stream_of(asked, id, news, part).await
}

/// Makes the part of a page that shows what has this id, and says whether it was the last time.
pub(super) trait LivePart:
    Fn(&Manager, &str) -> Result<(String, bool), WebFailure> + Clone + Send + Sync + 'static
{
}

impl<F> LivePart for F where
    F: Fn(&Manager, &str) -> Result<(String, bool), WebFailure> + Clone + Send + Sync + 'static
{
}

/// A part of a page, again whenever there is news.
async fn stream_of<N: Send + Sync + 'static>(
    asked: Asked,
    id: String,
    news: watch::Receiver<N>,
    part: impl LivePart,
) -> Answer {
    let web = asked.web;
    let place = web.visitors.long(asked.visitor.0, Share::Stream)?;
    // What cannot be shown at all is said before anything is promised.
    let (first, wanted) = (part.clone(), id.clone());
    web.ask(move |manager| first(manager, &wanted)).await?;
    let channel = Channel {
        web,
        id,
        news,
        part,
        last: String::new(),
        over: false,
        silent: false,
        begun: false,
        _place: place,
    };
    let events = Box::pin(stream::unfold(channel, next));
    Ok(answer(events))
}

fn answer(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}

async fn next<N, F: LivePart>(
    mut channel: Channel<N, F>,
) -> Option<(Result<Event, Infallible>, Channel<N, F>)> {
    let mut ending = channel.web.ending.subscribe();
    while !channel.over && !channel.silent {
        if channel.begun {
            tokio::select! {
                // Where nobody has news any more, the last part was sent, or is now. What has just begun, or goes on
                // elsewhere, is asked for again.
                changed = channel.news.changed() => channel.silent = changed.is_err(),
                () = super::listen::over(&mut ending) => return None,
            }
            tokio::time::sleep(PAUSE).await;
        }
        channel.begun = true;
        channel.news.mark_unchanged();
        let (part, id) = (channel.part.clone(), channel.id.clone());
        let (text, over) = match channel.web.ask(move |manager| part(manager, &id)).await {
            Ok(found) => found,
            Err(failure) => {
                tracing::warn!(%failure, "a live part could not be made");
                return None;
            }
        };
        channel.over = over;
        if channel.over || channel.silent || text != channel.last {
            channel.last = text;
            let name = if channel.over { "over" } else { "part" };
            let mut event = Event::default().event(name).data(channel.last.replace('\r', ""));
            if channel.silent {
                event = event.retry(ASK_AGAIN);
            }
            return Some((Ok(event), channel));
        }
    }
    None
}
