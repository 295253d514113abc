//! Records as they are sent: piece by piece and page by page.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode, header};
use futures_util::StreamExt;
use ludex::MatchRecord;
use ludex_server::model::{MatchEnd, MatchRow, MatchStage, MatchSummary};
use ludex_server::store::{RECORD_PIECE, SqliteStore, Store};
use ludex_server::web::WebOptions;
use tower::ServiceExt;

use super::support::*;
use crate::manager_support::tic_tac_toe;

/// What a chunk may have beside a piece of a record: short records, rules, ends of lines.
const MARGIN: usize = 128 << 10;

/// A match that is over, with a record of about so many bytes.
fn add(store: &SqliteStore, id: &str, created: u64, bytes: usize) -> MatchRecord {
    let mut plan = tic_tac_toe(&["Anna", "Bert"], 1000);
    let version = store.game("tic-tac-toe", None).unwrap().version.sha256;
    plan.version = Some(version.clone());
    let summary = MatchSummary { seats: Vec::new(), ..MatchSummary::planned(id, &plan, version, created) };
    let row = MatchRow {
        summary,
        plan,
        fixture: None,
        hidden: false,
        keys: Vec::new(),
        resumptions: 0,
        wanted_abort: None,
    };
    store.add_match(&row).unwrap();
    let record = MatchRecord {
        match_id: id.to_owned(),
        roles: vec!["white".into(), "black".into()],
        // Letters of two bytes, so that pieces end in the middle of some.
        states: vec!["ö".repeat(bytes / 2)],
        is_completed: true,
        ..MatchRecord::default()
    };
    let end = MatchEnd {
        id: id.to_owned(),
        stage: MatchStage::Completed,
        ended: created + 1,
        rated: true,
        steps: 0,
        aborted: None,
        seats: Vec::new(),
        record: Some(record.write()),
        last_entry: None,
        event: None,
    };
    store.end_match(&end).unwrap();
    let rules = store.game("tic-tac-toe", None).unwrap().text;
    MatchRecord { rulesheet: Some(rules), ..record }
}

async fn chunks(router: &Router, path: &str) -> (Vec<Bytes>, Option<String>) {
    let request = Request::get(path).header(header::HOST, "127.0.0.1").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK, "{path}");
    let link = response.headers().get(header::LINK).map(|link| link.to_str().unwrap().to_owned());
    (response.into_body().into_data_stream().map(Result::unwrap).collect().await, link)
}

fn read(chunks: &[Bytes]) -> Vec<MatchRecord> {
    let text = String::from_utf8(chunks.concat()).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| MatchRecord::read(line).unwrap()).collect()
}

/// However long records are, no more than a piece of one is held at a time.
#[tokio::test]
async fn long_records_are_sent_piece_by_piece() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let (router, _manager) = over(Arc::clone(&store) as Arc<dyn Store>, WebOptions::loopback(None));
    let long = 2 * RECORD_PIECE + 12_345;
    let mut records: Vec<MatchRecord> =
        (0..3).map(|number| add(&store, &format!("m{number}"), number, long)).collect();
    records.push(add(&store, "short", 9, 1_000));
    for record in &records {
        let (chunks, _) = chunks(&router, &format!("/api/matches/{}/record", record.match_id)).await;
        assert!(chunks.iter().all(|chunk| chunk.len() <= RECORD_PIECE + MARGIN));
        assert_eq!(read(&chunks), std::slice::from_ref(record));
    }
    let (all, link) = chunks(&router, "/api/records").await;
    assert!(all.iter().all(|chunk| chunk.len() <= RECORD_PIECE + MARGIN), "{}", all.len());
    records.reverse();
    assert!(read(&all) == records && link.is_none());
}

/// A page has so many records, or so many bytes of them, and says where the next one begins.
#[tokio::test]
async fn records_come_in_pages_for_who_wants_pages() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let (router, _manager) = over(Arc::clone(&store) as Arc<dyn Store>, WebOptions::loopback(None));
    let names: Vec<String> = (0..7).map(|number| format!("m{number}")).collect();
    for (name, number) in names.iter().zip(0..) {
        add(&store, name, number, if number == 3 { 50_000 } else { 1_000 });
    }
    for (page, sizes) in [
        ("size=3", &[3, 3, 1][..]),
        // The short ones have about 1150 bytes each, and the long one comes alone.
        ("bytes=2600", &[2, 1, 1, 2, 1]),
        ("bytes=0", &[1; 7]),
        ("size=2&bytes=1000000", &[2, 2, 2, 1]),
    ] {
        let (mut path, mut found, mut lengths) = (format!("/api/records?{page}"), Vec::new(), Vec::new());
        loop {
            let (chunks, link) = chunks(&router, &path).await;
            let records = read(&chunks);
            lengths.push(records.len());
            found.extend(records.into_iter().map(|record| record.match_id));
            let Some(link) = link else { break };
            path = link.strip_prefix('<').unwrap().strip_suffix(">; rel=\"next\"").unwrap().to_owned();
        }
        assert_eq!(found, names.iter().rev().cloned().collect::<Vec<_>>(), "{page}");
        assert_eq!(lengths, sizes, "{page}");
    }
    let (rest, link) = chunks(&router, "/records.jsonl?after=m2").await;
    assert!(read(&rest).iter().map(|record| &record.match_id).eq(["m1", "m0"]) && link.is_none());
    assert_eq!(get(&router, "/api/records?after=none&size=1").await.status, StatusCode::NOT_FOUND);
    assert_eq!(get(&router, "/api/records?offset=3").await.status, StatusCode::BAD_REQUEST);
}
