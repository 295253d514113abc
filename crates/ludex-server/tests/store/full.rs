//! Stores with many matches: they are filled, counted, and asked for lists that do not read all of them.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ludex::MatchRecord;
use ludex_server::model::{
    GameFeatures, GameQuery, MatchQuery, MatchStage, MatchSummary, PageRequest, PlayerQuery, StoreError,
};
use ludex_server::store::{
    CopyProgress, FillSample, FillSizes, FilledKind, Store, StorePlace, fill_store, filled_name,
};

/// More than are looked at for a page.
const SIZES: FillSizes = FillSizes { matches: 6_400, players: 40, games: 12 };

fn sample() -> FillSample {
    let record = MatchRecord {
        roles: vec!["white".into(), "black".into()],
        moves: vec![vec!["(mark 1 1)".into(), "noop".into()]],
        ..MatchRecord::default()
    };
    let features = GameFeatures { seats: 2, ..GameFeatures::default() };
    FillSample { text: "(role white)".into(), dialect: "gdl-i".into(), features, record, goals: vec![100, 0] }
}

/// Fills a store; it is cut off on the way, and goes on.
fn fill(place: &StorePlace) {
    let mut cut_off =
        |progress: CopyProgress| assert!(progress.table != "match_seats" || progress.done < 3_000);
    let cut_off = catch_unwind(AssertUnwindSafe(|| fill_store(place, &SIZES, &sample(), &mut cut_off)));
    assert!(cut_off.is_err());
    assert!(matches!(place.open().map(drop), Err(StoreError::Incomplete { .. })), "it is no store yet");
    let mut tables = BTreeSet::new();
    fill_store(place, &SIZES, &sample(), &mut |progress| {
        tables.insert(progress.table);
    })
    .unwrap();
    assert!(!tables.contains("matches") && tables.contains("records"), "{tables:?}");
    // What is full is left alone, and is no part of a store with more.
    fill_store(place, &SIZES, &sample(), &mut |_| panic!("it is full")).unwrap();
    let more = FillSizes { matches: 7_000, ..SIZES };
    assert!(matches!(fill_store(place, &more, &sample(), &mut |_| ()), Err(StoreError::NotEmpty { .. })));
}

/// All matches of a list, page by page, and whether all pages but the last were full.
fn all(store: &dyn Store, query: &MatchQuery) -> (Vec<MatchSummary>, bool) {
    let (mut found, mut request, mut full) = (Vec::new(), PageRequest::first(PageRequest::MOST), true);
    loop {
        let page = store.matches(&MatchQuery { page: request, ..query.clone() }).unwrap();
        full &= page.next.is_none() || page.items.len() == 500;
        found.extend(page.items);
        let Some(after) = page.next else { return (found, full) };
        request = PageRequest { after: Some(after), size: PageRequest::MOST };
    }
}

/// What can be asked for in lists.
fn questions() -> Vec<MatchQuery> {
    let (game, player) = (filled_name(FilledKind::Game, 0), filled_name(FilledKind::Player, 3));
    let begin = 1_700_000_000_000;
    vec![
        MatchQuery::default(),
        MatchQuery { game: Some(game.clone()), ..Default::default() },
        MatchQuery { player: Some(player.to_uppercase()), ..Default::default() },
        MatchQuery { stage: Some(MatchStage::Aborted), ..Default::default() },
        MatchQuery { stage: Some(MatchStage::Running), ..Default::default() },
        MatchQuery { tournament: Some("none".into()), ..Default::default() },
        MatchQuery { since: Some(begin + 20_000_000), until: Some(begin + 90_000_000), ..Default::default() },
        MatchQuery { game: Some(game.clone()), stage: Some(MatchStage::Aborted), ..Default::default() },
        MatchQuery { player: Some(player.clone()), game: Some(game.clone()), ..Default::default() },
        MatchQuery {
            player: Some(player.clone()),
            stage: Some(MatchStage::Aborted),
            since: Some(begin + 10_000_000),
            ..Default::default()
        },
        MatchQuery { text: format!("{} {}", &player[3..], &game[2..]), ..Default::default() },
        MatchQuery { text: "nobody-at-all".into(), ..Default::default() },
    ]
}

/// What is wanted, as it is said of it.
fn fits(query: &MatchQuery, found: &MatchSummary) -> bool {
    let MatchQuery { text, game, player, stage, tournament, since, until, .. } = query;
    let has = |name: &String| found.seats.iter().any(|seat| seat.player.eq_ignore_ascii_case(name));
    let said = |word: &str| {
        let players = found.seats.iter().any(|seat| seat.player.contains(word));
        found.id.contains(word) || found.game.contains(word) || players
    };
    game.as_ref().is_none_or(|game| *game == found.game)
        && player.as_ref().is_none_or(has)
        && stage.is_none_or(|stage| stage == found.stage)
        && (tournament.is_none() || *tournament == found.tournament)
        && since.is_none_or(|since| found.created >= since)
        && until.is_none_or(|until| found.created < until)
        && text.split_whitespace().all(said)
}

fn lists_are_what_they_say(store: &dyn Store) {
    let (every, _) = all(store, &MatchQuery::default());
    assert_eq!(every.len() as u64, SIZES.matches);
    for query in questions() {
        let wanted: Vec<&String> =
            every.iter().filter(|found| fits(&query, found)).map(|found| &found.id).collect();
        let (found, full) = all(store, &query);
        let found: Vec<&String> = found.iter().map(|summary| &summary.id).collect();
        assert_eq!(found, wanted, "{query:?}");
        let page = store.matches(&query).unwrap();
        assert!(page.total_is_least || page.total == wanted.len() as u64, "{query:?}: {}", page.total);
        assert!(page.total <= wanted.len() as u64 && (full || page.total_is_least), "{query:?}");
    }
    let nobody = store.matches(&MatchQuery { text: "nobody-at-all".into(), ..Default::default() }).unwrap();
    assert!(nobody.items.is_empty() && nobody.next.is_some() && nobody.total_is_least);
}

fn counts_are_what_they_say(store: &dyn Store) {
    let (every, _) = all(store, &MatchQuery::default());
    let counts = store.counts().unwrap();
    assert_eq!((counts.aborted, counts.completed), (SIZES.matches / 32, SIZES.matches - SIZES.matches / 32));
    for player in store.players(&PlayerQuery::default()).unwrap().items {
        let own = every.iter().filter(|found| found.seats.iter().any(|seat| seat.player == player.name));
        let aborted = own.clone().filter(|found| found.stage == MatchStage::Aborted).count() as u64;
        let goals: Vec<u32> = own
            .clone()
            .flat_map(|found| &found.seats)
            .filter(|seat| seat.player == player.name)
            .filter_map(|seat| seat.goal)
            .collect();
        let mean = f64::from(goals.iter().sum::<u32>()) / goals.len() as f64;
        let statistics = player.statistics;
        assert_eq!(
            (statistics.matches, statistics.aborted),
            (own.count() as u64, aborted),
            "{}",
            player.name
        );
        assert!((statistics.goal.unwrap() - mean).abs() < 1e-9, "{}", player.name);
    }
    for game in store.games(&GameQuery::default()).unwrap().items {
        assert_eq!(game.matches, every.iter().filter(|found| found.game == game.name).count() as u64);
    }
}

#[test]
fn a_full_store_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let place = StorePlace::Folder(folder.path().join("data"));
    fill(&place);
    let store = place.open().unwrap();
    lists_are_what_they_say(&*store);
    counts_are_what_they_say(&*store);
}

#[cfg(feature = "postgres")]
#[test]
fn a_full_store_in_postgres_is_never_read_as_a_whole_for_a_list() {
    let Some(place) = super::postgres_place::Place::new() else { return };
    let own = StorePlace::read(&place.text(), None).unwrap();
    fill(&own);
    let mut client = place.client();
    client.batch_execute("ANALYZE").unwrap();
    let store = own.open().unwrap();
    lists_are_what_they_say(&*store);
    counts_are_what_they_say(&*store);
    drop(store);
    let mut scans = || -> i64 {
        let sql = "SELECT sum(seq_scan)::bigint FROM pg_stat_user_tables
                   WHERE schemaname = current_schema() AND relname IN ('matches', 'match_seats')";
        client.query_one(sql, &[]).unwrap().get(0)
    };
    let before = scans();
    // As for tables that are far larger than these.
    let text = format!("{}%20-cseq_page_cost%3D50", place.text());
    let store = StorePlace::read(&text, None).unwrap().open().unwrap();
    for query in questions() {
        let page = store.matches(&query).unwrap();
        let after = page.next.or(Some(filled_name(FilledKind::Match, 5_000)));
        store.matches(&MatchQuery { page: PageRequest { after, size: 50 }, ..query }).unwrap();
    }
    store.counts().unwrap();
    // What was read is known when the connections are gone.
    drop(store);
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert_eq!(scans(), before);
}
