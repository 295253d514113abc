//! Records of matches as they are sent: piece by piece, so that neither a long record nor a long list of them is
//! in memory as a whole.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query};
use axum::http::{HeaderValue, Uri, header};
use axum::response::IntoResponse;
use futures_util::stream;
use serde::Deserialize;

use super::Web;
use super::api::{file_name, part, path_part};
use super::asked::{Answer, Asked};
use super::visitors::{Share, Taken};
use crate::manager::{Manager, ManagerError, RecordText};
use crate::model::{MatchQuery, MatchSummary, PageRequest};

/// Short records are sent together, about so many bytes at a time.
const PORTION: usize = 32 << 10;
/// So many matches of a list are looked up at a time.
const MATCHES: u64 = 50;

/// Which records of a list are wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordsAddress {
    /// Those behind this match.
    after: Option<String>,
    /// Those of so many matches at most. Where neither this nor the bytes are said, all of them come.
    size: Option<u64>,
    /// No more bytes than these, but one record in any case.
    bytes: Option<u64>,
}

/// Records that are sent one after the other.
struct Sending {
    web: Arc<Web>,
    /// The match whose record is being sent, and those that follow it.
    text: Option<RecordText>,
    waiting: VecDeque<String>,
    /// Where the list goes on behind those.
    rest: Option<MatchQuery>,
    _place: Option<Taken>,
}

/// The record of a match.
pub(super) async fn one(asked: Asked, Path(id): Path<String>) -> Answer {
    let Asked { web, visitor, .. } = asked;
    let name = attachment(&format!("{}.json", file_name(&id)));
    let text = web.ask(move |manager| Ok(manager.record_text(&id)?)).await?;
    // Whoever reads slowly keeps a piece in memory.
    let place = text.is_long().then(|| web.visitors.long(visitor.0, Share::Download)).transpose()?;
    let sending = Sending { web, text: Some(text), waiting: VecDeque::new(), rest: None, _place: place };
    Ok(([(header::CONTENT_TYPE, kind("application/json")), name], sending.body()).into_response())
}

/// The records of all matches that are over, one a line.
pub(super) async fn all(asked: Asked, uri: Uri, Query(address): Query<RecordsAddress>) -> Answer {
    list(asked, uri.path(), address, None).await
}

/// The same of a tournament.
pub(super) async fn of_tournament(
    asked: Asked,
    uri: Uri,
    Path(id): Path<String>,
    Query(address): Query<RecordsAddress>,
) -> Answer {
    let wanted = id.clone();
    asked.web.ask(move |manager| Ok(manager.tournament_summary(&wanted)?)).await?;
    list(asked, uri.path(), address, Some(id)).await
}

/// The records of a list. What comes next begins behind the last match that was looked up, and not after so many:
/// what is added meanwhile is before all of them.
async fn list(
    Asked { web, visitor, .. }: Asked,
    path: &str,
    address: RecordsAddress,
    tournament: Option<String>,
) -> Answer {
    let place = Some(web.visitors.long(visitor.0, Share::Download)?);
    let name = attachment(&format!("{}.jsonl", tournament.as_deref().map_or("records".into(), file_name)));
    let head = [(header::CONTENT_TYPE, kind("application/x-ndjson")), name];
    let RecordsAddress { after, size, bytes } = address;
    let query = MatchQuery { tournament, page: part(after, Some(MATCHES)), ..MatchQuery::default() };
    let mut sending = Sending { web, text: None, waiting: VecDeque::new(), rest: Some(query), _place: place };
    if size.is_none() && bytes.is_none() {
        return Ok((head, sending.body()).into_response());
    }
    let query = sending.rest.take().unwrap_or_default();
    let page = PageRequest { size: size.unwrap_or(PageRequest::MOST), ..query.page };
    let query = MatchQuery { page, ..query };
    let (ids, next) = sending.web.ask(move |manager| Ok(page_of(manager, &query, bytes)?)).await?;
    sending.waiting = ids;
    let mut response = (head, sending.body()).into_response();
    if let Some(next) = next {
        let limit = |name: &str, limit: Option<u64>| limit.map(|limit| format!("&{name}={limit}"));
        let (size, bytes) = (limit("size", size), limit("bytes", bytes));
        let (size, bytes) = (size.unwrap_or_default(), bytes.unwrap_or_default());
        let link = format!("<{path}?after={}{size}{bytes}>; rel=\"next\"", path_part(&next));
        // A path that was asked for, and an address made of letters and digits, are a header.
        if let Ok(link) = HeaderValue::try_from(link) {
            response.headers_mut().insert(header::LINK, link);
        }
    }
    Ok(response)
}

/// The matches of a page whose records together have no more bytes than these, and behind which of them the next
/// page begins.
fn page_of(
    manager: &Manager,
    query: &MatchQuery,
    bytes: Option<u64>,
) -> Result<(VecDeque<String>, Option<String>), ManagerError> {
    let mut room = bytes.unwrap_or(u64::MAX);
    let found = manager.matches(query)?;
    let (mut ids, mut last) = (VecDeque::new(), None);
    for MatchSummary { id, .. } in found.items.into_iter().filter(|summary| summary.stage.is_over()) {
        match room.checked_sub(manager.record_bytes(&id)?) {
            Some(left) => room = left,
            None if ids.is_empty() => room = 0,
            None => return Ok((ids, last)),
        }
        last = Some(id.clone());
        ids.push_back(id);
    }
    Ok((ids, found.next))
}

fn kind(kind: &'static str) -> HeaderValue {
    HeaderValue::from_static(kind)
}

/// The header that names a file, of letters and digits.
fn attachment(name: &str) -> (header::HeaderName, HeaderValue) {
    let value = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    (header::CONTENT_DISPOSITION, value.unwrap_or(HeaderValue::from_static("attachment")))
}

impl Sending {
    fn body(self) -> Body {
        Body::from_stream(stream::unfold(Some(self), async |sending| {
            let mut sending = sending?;
            let web = Arc::clone(&sending.web);
            let sent = web.ask(move |manager| {
                let portion = sending.portion(manager)?;
                Ok((portion, sending))
            });
            match sent.await {
                Ok((portion, _)) if portion.is_empty() => None,
                Ok((portion, sending)) => Some((Ok(portion), Some(sending))),
                // A list that ends in the middle must not look whole.
                Err(failure) => Some((Err(failure), None)),
            }
        }))
    }

    /// The next bytes: no more than a piece of a record and a portion. None where all was sent.
    fn portion(&mut self, manager: &Manager) -> Result<Vec<u8>, ManagerError> {
        let mut portion = Vec::new();
        while portion.len() < PORTION {
            if let Some(text) = &mut self.text {
                match text.next_piece()? {
                    Some(piece) if portion.is_empty() => portion = piece,
                    Some(piece) => portion.extend(piece),
                    None => {
                        self.text = None;
                        portion.push(b'\n');
                    }
                }
            } else if let Some(id) = self.waiting.pop_front() {
                self.text = Some(manager.record_text(&id)?);
            } else if let Some(query) = self.rest.take() {
                let found = manager.matches(&query)?;
                let over = found.items.into_iter().filter(|summary| summary.stage.is_over());
                self.waiting = over.map(|summary| summary.id).collect();
                let page = |next| PageRequest { after: Some(next), ..query.page.clone() };
                self.rest = found.next.map(|next| MatchQuery { page: page(next), ..query });
            } else {
                break;
            }
        }
        Ok(portion)
    }
}
