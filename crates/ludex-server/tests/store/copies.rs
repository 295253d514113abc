//! Copies of stores.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ludex::matches::tournament::{MatchResult, TournamentEvent};
use ludex_server::model::{
    AuditEntry, Availability, Counted, GameFeatures, GameRow, HiddenThing, MatchStage, PlayerKind,
    SecretDigest, StoreError, Thing, ThingKind,
};
use ludex_server::store::{AccountStore, CopyProgress, StoreDigest, StorePlace, check_store, copy_store};

use super::{accounts, end_with, game, line, match_row, tournament_row};

/// Keeps something in every table, in several batches of some.
fn fill(place: &StorePlace) {
    let store = place.open().unwrap();
    for (number, name) in (0..).zip(["Z", "a", "ä", "b\u{f8ff}"]) {
        let title = format!("title {number} \0 'x'");
        store.put_game(&GameRow { title, ..game(name, "(role b)", 5) }).unwrap();
        store.put_game(&game(name, "(role a)", 5)).unwrap();
    }
    store.keep_description("a", "x", "1", "said").unwrap();
    store.keep_guide("a", "x", "1", "so").unwrap();
    let features = GameFeatures { seats: 2, board: true, ..Default::default() };
    store.keep_features("a", "x", &features).unwrap();
    for name in ["beta", "Alpha", "ALPHA2", "alpha1"] {
        store.put_player(name, &PlayerKind::Person, 3).unwrap();
    }
    store.note_availability(&[("beta".to_owned(), Availability { asked: 3, ..Default::default() })]).unwrap();
    store.retire_player("beta", true).unwrap();
    store.add_tournament(&tournament_row("t1", 1)).unwrap();
    for (event, number) in
        [TournamentEvent::Paused, TournamentEvent::Finished(MatchResult::default())].iter().zip(0..)
    {
        store.add_tournament_event("t1", number, event).unwrap();
    }
    let mut journal = store.journal().unwrap();
    for number in 0..5 {
        let id = format!("m{number}");
        let mut row = match_row(&id, ["Alpha", "beta"], number);
        row.summary.tournament = (number == 1).then(|| "t1".to_owned());
        store.add_match(&row).unwrap();
        let lines: Vec<_> = (0..1500).map(|number| line(&id, number, 5)).collect();
        journal.append(&lines).unwrap();
        if number > 1 {
            end_with(&*store, &id, MatchStage::Completed, [70, 30], ["(mark 1 1)", "noop"]);
        }
    }
    // Some are counted, and one waits.
    store.count_ended_matches(2).unwrap();
    store.want_abort("m0", "enough").unwrap();
    fill_accounts(store.accounts());
}

/// Keeps something in every table of accounts.
fn fill_accounts(store: &dyn AccountStore) {
    for name in ["Z", "ada"] {
        store.add_account(&accounts::account(name)).unwrap();
    }
    store.set_ban("z", Some((3, "spam"))).unwrap();
    store.add_session(&accounts::session("s", "ada"), None).unwrap();
    store.add_link(&SecretDigest("l".into()), "ada", 5).unwrap();
    store.add_token(&accounts::token("t", "ada")).unwrap();
    let thing = Thing::new(ThingKind::Game, "a");
    assert!(store.claim(&thing, "ada").unwrap());
    let hidden = HiddenThing { thing: thing.clone(), at: 1, by: "ada".into(), why: "x \0 y".into() };
    store.hide(&thing, Some(&hidden)).unwrap();
    let deed = ["ada", "hide", "game a", ""].map(str::to_owned);
    let [who, action, what, detail] = deed;
    store.note_deed(&AuditEntry { number: 0, at: 1, who, action, what, detail }).unwrap();
    assert!(store.count("ada", 1, Counted::Uploads, 1, 9).unwrap());
    store.set_player_secret("Alpha", Some("secret")).unwrap();
}

fn folder(path: &Path) -> StorePlace {
    StorePlace::Folder(path.to_owned())
}

fn copy(from: &StorePlace, to: &StorePlace) -> Result<StoreDigest, StoreError> {
    copy_store(from, to, &mut |_| {})
}

fn check(place: &StorePlace) -> Result<StoreDigest, StoreError> {
    check_store(place, &mut |_| {})
}

/// Copies from one place to another, where a copy is cut off at each table once.
fn copy_with_breaks(from: &StorePlace, to: &StorePlace) -> StoreDigest {
    for table in ["game_versions", "tournament_events", "entries", "rating_moments", "records"] {
        let mut stop = |progress: CopyProgress| assert!(progress.table != table, "cut off");
        let cut_off = catch_unwind(AssertUnwindSafe(|| copy_store(from, to, &mut stop)));
        assert!(cut_off.is_err(), "{table}");
        let error = to.open().err().unwrap();
        assert!(matches!(error, StoreError::Incomplete { .. }), "{error}");
        assert!(matches!(check(to), Err(StoreError::Incomplete { .. })));
    }
    copy(from, to).unwrap()
}

/// Both ways, over any database, all comes out as it went in, also where it was cut off.
fn all_comes_back(between: &StorePlace) {
    let outer = tempfile::tempdir().unwrap();
    let [first, last] = ["first", "last"].map(|name| folder(&outer.path().join(name)));
    fill(&first);
    let digest = check(&first).unwrap();
    let rows = |table: &str| digest.tables.iter().find(|of| of.table == table).unwrap().rows;
    assert!(digest.tables.iter().all(|of| of.rows > 0), "{digest:?}");
    assert_eq!([rows("entries"), rows("records"), rows("game_versions")], [7500, 3, 8]);
    assert_eq!(copy_with_breaks(&first, between), digest);
    assert_eq!(check(between).unwrap(), digest);
    assert_eq!(copy(between, &last).unwrap(), digest);
    assert_eq!(check(&last).unwrap(), digest);
    let stores = [&first, between, &last].map(|place| place.open().unwrap());
    for store in &stores {
        assert_eq!(store.game("a", None).unwrap(), stores[0].game("a", None).unwrap());
        assert_eq!(store.find_match("m0").unwrap(), stores[0].find_match("m0").unwrap());
        assert_eq!(store.entries("m4").unwrap(), stores[0].entries("m4").unwrap());
        assert_eq!(store.record("m4").unwrap(), stores[0].record("m4").unwrap());
        assert_eq!(store.player_results("alpha").unwrap(), stores[0].player_results("alpha").unwrap());
        let results = store.game_results("rows", "hash of (role a)").unwrap();
        assert_eq!(results, stores[0].game_results("rows", "hash of (role a)").unwrap());
        assert_eq!(results.openings.len(), 1);
        let page = store.players(&Default::default()).unwrap();
        assert_eq!(
            page.items.iter().map(|player| player.name.as_str()).collect::<Vec<_>>(),
            ["Alpha", "alpha1", "ALPHA2"]
        );
    }
    drop(stores);
    // It is a store of its own, and holds other data for who wants to copy there.
    let error = copy(&first, between).unwrap_err();
    assert!(matches!(error, StoreError::NotEmpty { .. }), "{error}");
    last.open().unwrap().put_player("Delta", &PlayerKind::Person, 3).unwrap();
    assert_ne!(check(&last).unwrap().sha256, digest.sha256);
}

#[test]
fn a_folder_is_copied_to_a_folder() {
    let outer = tempfile::tempdir().unwrap();
    all_comes_back(&folder(&outer.path().join("between")));
}

#[cfg(feature = "postgres")]
#[test]
fn a_folder_is_copied_to_postgres_and_back() {
    let Some(place) = super::postgres_place::Place::new() else { return };
    all_comes_back(&StorePlace::read(&place.text(), None).unwrap());
}

/// A part of another copy is not gone on with, what is not there is not made, and what is in use is left alone.
#[test]
fn what_cannot_be_copied_is_said() {
    let outer = tempfile::tempdir().unwrap();
    let [first, second, copied, none] =
        ["first", "second", "copied", "none"].map(|name| folder(&outer.path().join(name)));
    fill(&first);
    fill(&second);
    second.open().unwrap().describe_game("a", "Another", "").unwrap();
    let mut stop = |progress: CopyProgress| assert!(progress.table != "players", "cut off");
    assert!(catch_unwind(AssertUnwindSafe(|| copy_store(&second, &copied, &mut stop))).is_err());
    let error = copy(&first, &copied).unwrap_err();
    assert!(matches!(error, StoreError::NotEmpty { .. }), "{error}");
    copy(&second, &copied).unwrap();
    assert!(matches!(check(&none), Err(StoreError::NotFound { what: "store", .. })));
    assert!(matches!(copy(&none, &folder(&outer.path().join("new"))), Err(StoreError::NotFound { .. })));
    assert!(!none.path().exists() && !outer.path().join("new").exists());
    let open = first.open().unwrap();
    assert!(matches!(check(&first), Err(StoreError::InUse { .. })));
    drop(open);
}
