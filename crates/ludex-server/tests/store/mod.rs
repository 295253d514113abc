//! What a store keeps, and what it says when it cannot: the same in every database.

pub mod cluster;
mod copies;
mod full;
#[cfg(feature = "postgres")]
mod members;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
pub mod postgres_place;
mod ratings;
mod sqlite;

use ludex::matches::referee::{Entry, EntryNumber};
use ludex::matches::tournament::{FaultCounts, Format, MatchResult, TournamentEvent, TournamentSetup};
use ludex::{AnyRecord, MatchRecord};
use ludex_server::journal::{JournalError, JournalLine, KeptEntry};
use ludex_server::model::{
    Availability, ClockPlan, GameFeatures, GameQuery, GameRow, GameTag, MatchEnd, MatchPlan, MatchQuery,
    MatchRow, MatchStage, MatchSummary, MatchTerms, Page, PageRequest, PlayerKind, PlayerQuery, Presence,
    SeatKey, SeatPlan, SeatSummary, StoreError, TournamentPlan, TournamentQuery, TournamentRow,
    TournamentStage, TournamentSummary,
};
use ludex_server::store::{SqliteStore, Store};
use ratings::*;

/// Runs a test in SQLite, and in PostgreSQL where there is one, in a schema of its own.
macro_rules! in_every_database {
    ($($name:ident),* $(,)?) => {
        mod in_sqlite {
            use super::SqliteStore;

            $(#[test]
            fn $name() {
                super::$name(&SqliteStore::in_memory().unwrap());
            })*
        }

        #[cfg(feature = "postgres")]
        mod in_postgres {
            use super::postgres_place::Place;

            $(#[test]
            fn $name() {
                if let Some(place) = Place::new() {
                    super::$name(&place.open());
                }
            })*
        }
    };
}

mod accounts;

in_every_database!(
    games_have_versions_by_their_content,
    players_are_registered_changed_and_retired,
    a_match_is_kept_from_its_plan_to_its_record,
    matches_are_found_by_what_they_are,
    lists_are_gone_through_while_they_grow,
    a_tournament_is_its_events,
    resumptions_are_counted_and_what_is_wanted_stays,
    games_are_found_by_their_tags_and_a_new_version_has_none_yet,
    how_a_game_is_played_is_kept_for_a_version_and_a_release,
    results_are_counted_by_seat_opponent_and_first_moves,
    matches_are_found_by_when_they_were_wanted,
    the_tournaments_of_a_player_are_those_it_had_matches_in,
    ratings_follow_from_the_matches_that_are_over,
    matches_are_counted_once_and_in_one_order_however_they_are_counted,
    what_shows_no_strength_is_not_rated,
    leaderboards_are_gone_through_by_players,
    a_kind_of_game_is_what_is_known_of_it,
);

fn game(name: &str, text: &str, added: u64) -> GameRow {
    GameRow {
        name: name.to_owned(),
        title: "A game".to_owned(),
        description: "Of rows".to_owned(),
        text: text.to_owned(),
        sha256: format!("hash of {text}"),
        dialect: "GDL".to_owned(),
        notation: "prefix".to_owned(),
        bundled: false,
        added,
        offered: true,
    }
}

fn match_row(id: &str, players: [&str; 2], created: u64) -> MatchRow {
    let version = "hash of (role a)";
    let clocks = ClockPlan { bank: Some((60_000, 100)), ..ClockPlan::new(1000, 500) };
    let terms =
        MatchTerms { step_limit: Some(9), time_cost: Some(0.5), introduce: true, ..MatchTerms::from(clocks) };
    let seats = players.map(|name| SeatPlan { player: name.to_owned(), ..SeatPlan::default() });
    let plan = MatchPlan::new("rows", seats.into(), clocks);
    let plan = MatchPlan { version: Some(version.to_owned()), seed: Some(u64::MAX), terms, ..plan };
    let summary = MatchSummary::planned(id, &plan, version, created);
    let keys = vec![SeatKey::of("one", false), SeatKey::of("two", true)];
    MatchRow { summary, plan, fixture: None, hidden: false, keys, resumptions: 0, wanted_abort: None }
}

fn line(id: &str, number: u64, size: usize) -> JournalLine {
    let entry = Entry::Stepped {
        joint: vec!["m".repeat(size), "noop".into()],
        faults: vec![None, None],
        times: vec![Some(1), None],
        at: Some(number),
        last: false,
    };
    let entry = KeptEntry::of(&entry).unwrap();
    JournalLine { match_id: id.to_owned(), number: EntryNumber(number), entry }
}

fn games_have_versions_by_their_content(store: &dyn Store) {
    store.put_game(&game("rows", "(role a)", 1)).unwrap();
    store.put_game(&GameRow { title: String::new(), ..game("rows", "(role b)", 2) }).unwrap();
    store.put_game(&game("50%_done", "(role c)", 3)).unwrap();
    let found = store.game("rows", None).unwrap();
    assert_eq!((found.text.as_str(), found.summary.title.as_str()), ("(role b)", "A game"));
    assert_eq!(found.summary.versions, 2);
    assert_eq!(store.game("rows", Some("hash of (role a)")).unwrap().text, "(role a)");
    // An old text that comes again is the present one, not a third one.
    store.put_game(&game("rows", "(role a)", 9)).unwrap();
    let found = store.game("rows", None).unwrap();
    assert_eq!((found.text.as_str(), found.summary.versions, found.version.added), ("(role a)", 2, 1));
    let names = |text: &str| {
        let query = GameQuery { text: text.to_owned(), ..GameQuery::default() };
        store.games(&query).unwrap().items.into_iter().map(|game| game.name).collect::<Vec<_>>()
    };
    assert_eq!(names(""), ["50%_done", "rows"]);
    assert_eq!(names("game ROW"), ["rows"]);
    assert_eq!(names("0%_"), ["50%_done"], "signs of patterns are signs");
    assert_eq!(names("r%s"), Vec::<String>::new());
    store.describe_game("rows", "Rows", "").unwrap();
    assert_eq!(store.game("rows", None).unwrap().summary.title, "Rows");
    assert!(matches!(store.describe_game("none", "", ""), Err(StoreError::NotFound { what: "game", .. })));
    assert!(matches!(store.game("rows", Some("x")), Err(StoreError::NotFound { what: "version", .. })));
}

fn players_are_registered_changed_and_retired(store: &dyn Store) {
    let remote = PlayerKind::Remote { address: "h:1".into(), notation: Default::default() };
    store.put_player("Alpha", &remote, 1).unwrap();
    store.put_player("beta", &PlayerKind::BuiltIn { strategy: "uct:c=0.8".into() }, 2).unwrap();
    let seen = Availability { presence: Presence::Busy, last_seen: Some(7), ..Availability::default() };
    store.note_availability(&[("alpha".to_owned(), seen.clone())]).unwrap();
    let alpha = store.player("ALPHA").unwrap();
    assert_eq!((alpha.name.as_str(), &alpha.kind, &alpha.availability), ("Alpha", &remote, &seen));
    store.put_player("Alpha", &PlayerKind::Person, 3).unwrap();
    assert_eq!(store.player("Alpha").unwrap().availability, Availability::default());
    store.retire_player("Alpha", true).unwrap();
    let names = |retired| {
        let query = PlayerQuery { retired, ..PlayerQuery::default() };
        store.players(&query).unwrap().items.into_iter().map(|player| player.name).collect::<Vec<_>>()
    };
    assert_eq!(names(false), ["beta"]);
    assert_eq!(names(true), ["Alpha", "beta"]);
    assert_eq!(store.counts().unwrap().players, 1);
}

fn a_match_is_kept_from_its_plan_to_its_record(store: &dyn Store) {
    store.put_game(&game("rows", "(role a)", 1)).unwrap();
    store.put_player("Alpha", &PlayerKind::Person, 1).unwrap();
    let row = match_row("m1", ["Alpha", "Beta"], 10);
    store.add_match(&row).unwrap();
    assert!(matches!(store.add_match(&row), Err(StoreError::Exists { what: "match", .. })));
    assert_eq!(store.find_match("m1").unwrap(), row);
    store.take_seat("m1", 0).unwrap();
    let keys = store.find_match("m1").unwrap().keys;
    assert!(keys[0].is_taken() && keys[0].fits("one") && !keys[0].fits("two"));
    assert!(matches!(store.take_seat("m1", 2), Err(StoreError::NotFound { what: "seat", .. })));
    assert!(matches!(store.take_seat("m2", 0), Err(StoreError::NotFound { what: "seat", .. })));
    store.begin_match("m1", &["white".into(), "black".into()], 11).unwrap();
    store.begin_match("m1", &["white".into(), "black".into()], 12).unwrap();
    let found = store.find_match("m1").unwrap().summary;
    assert_eq!((found.stage, found.began), (MatchStage::Running, Some(11)));
    assert_eq!(store.open_matches().unwrap().len(), 1);

    let mut journal = store.journal().unwrap();
    journal.append(&[line("m1", 0, 1), line("m2", 0, 1), line("m1", 1, 1)]).unwrap();
    journal.append(&[line("m1", 1, 1), line("m1", 2, 1)]).unwrap();
    let error = journal.append(&[line("m2", 1, 1), line("m1", 4, 1)]).unwrap_err();
    assert!(matches!(error, JournalError::Order { expected: 3, found: 4, .. }), "{error}");
    assert!(journal.append(&[line("m1", 1, 2)]).is_err(), "the same number in other words");
    assert_eq!(store.entries("m1").unwrap().len(), 3);
    assert_eq!(store.entries("m2").unwrap().len(), 1, "all of them or none");

    let record =
        MatchRecord { match_id: "m1".into(), rulesheet: Some("(role a)".into()), ..Default::default() };
    let seats = found.seats.iter().zip([Some(100), None]).map(|(seat, goal)| {
        let faults = FaultCounts { late: 1, illegal: 2, failed: 0 };
        (SeatSummary { role: "r".into(), goal, reward: goal.map(f64::from), ..seat.clone() }, faults)
    });
    let end = MatchEnd {
        id: "m1".into(),
        stage: MatchStage::Completed,
        ended: 20,
        rated: true,
        steps: 5,
        aborted: None,
        seats: seats.collect(),
        record: Some(MatchRecord { rulesheet: None, ..record.clone() }.write()),
        last_entry: KeptEntry::of(&Entry::Ended { aborted: None, settled: None }).ok(),
        event: None,
    };
    store.end_match(&end).unwrap();
    store.end_match(&end).unwrap();
    assert_eq!(store.entries("m1").unwrap().len(), 4, "one end");
    assert_eq!(store.record("m1").unwrap(), Some(AnyRecord::InSteps(Box::new(record))));
    let found = store.find_match("m1").unwrap().summary;
    assert_eq!((found.seats[0].goal, found.seats[0].faults.all(), found.steps), (Some(100), 3, 5));
    let statistics = store.player("Alpha").unwrap().statistics;
    assert_eq!((statistics.matches, statistics.goal, statistics.faults.illegal), (1, Some(100.0), 2));
    assert!(store.open_matches().unwrap().is_empty());
}

fn matches_are_found_by_what_they_are(store: &dyn Store) {
    for number in 0..30 {
        let players = if number % 3 == 0 { ["Alpha", "Beta"] } else { ["Beta", "Gamma"] };
        store.add_match(&match_row(&format!("m{number:02}"), players, number)).unwrap();
    }
    let page = PageRequest { after: Some("m25".into()), size: 10 };
    let found = store.matches(&MatchQuery { page, ..MatchQuery::default() }).unwrap();
    assert_eq!((found.total, found.items.len(), found.items[0].id.as_str()), (30, 10, "m24"));
    assert_eq!(found.next.as_deref(), Some("m15"));
    let count = |query: MatchQuery| store.matches(&query).unwrap().total;
    assert_eq!(count(MatchQuery { player: Some("alpha".into()), ..Default::default() }), 10);
    assert_eq!(count(MatchQuery { text: "gam".into(), ..Default::default() }), 20);
    assert_eq!(count(MatchQuery { text: "gam m01".into(), ..Default::default() }), 1);
    assert_eq!(count(MatchQuery { stage: Some(MatchStage::Running), ..Default::default() }), 0);
    assert_eq!(count(MatchQuery { text: "' OR 1=1 --".into(), ..Default::default() }), 0);
}

fn tournament_row(id: &str, created: u64) -> TournamentRow {
    let tournament = ludex::matches::tournament::Tournament {
        players: vec!["Alpha".into(), "Beta".into()],
        ..Default::default()
    };
    let competition = TournamentSetup::new(tournament, Format::Swiss);
    let plan =
        TournamentPlan { scramble: true, ..TournamentPlan::new("Cup", competition, ClockPlan::new(1, 1)) };
    let summary = TournamentSummary {
        id: id.into(),
        title: "Cup".into(),
        format: Format::Swiss,
        stage: TournamentStage::Running,
        players: 2,
        games: 1,
        results: 0,
        created,
        ended: None,
    };
    TournamentRow { summary, plan }
}

/// All names or ids of a list, three a page, while something is added behind each page.
fn listed<T>(
    page: impl Fn(&PageRequest) -> Page<T>,
    name: impl Fn(&T) -> &str,
    mut add: impl FnMut(u64),
) -> Vec<String> {
    let (mut found, mut request) = (Vec::new(), PageRequest::first(3));
    for round in 0.. {
        let Page { items, next, .. } = page(&request);
        assert!(items.len() == 3 || next.is_none(), "only the last page has fewer");
        found.extend(items.iter().map(|item| name(item).to_owned()));
        let Some(next) = next else { break };
        request.after = Some(next);
        add(round);
    }
    found
}

/// Nothing is told twice, and nothing is left out, whatever is added between two pages.
fn lists_are_gone_through_while_they_grow(store: &dyn Store) {
    let names: Vec<String> = (0..8).map(|number| format!("n{number}")).collect();
    let newest: Vec<String> = names.iter().rev().cloned().collect();
    for (name, number) in names.iter().zip(0..) {
        store.put_game(&game(name, "(role a)", number)).unwrap();
        store.put_player(&name.to_uppercase(), &PlayerKind::Person, number).unwrap();
        // Some at the same moment.
        store.add_match(&match_row(name, ["N1", "N2"], number / 2)).unwrap();
        store.add_tournament(&tournament_row(name, number / 2)).unwrap();
    }
    let games = |page: &PageRequest| store.games(&GameQuery { page: page.clone(), ..Default::default() });
    let add = |round| store.put_game(&game(&format!("a{round}"), "(role a)", 9)).unwrap();
    assert_eq!(listed(|page| games(page).unwrap(), |game| &game.name, add), names);
    let query = |page: &PageRequest| PlayerQuery { page: page.clone(), ..Default::default() };
    let players = |page: &PageRequest| store.players(&query(page)).unwrap();
    let add = |round| store.put_player(&format!("a{round}"), &PlayerKind::Person, 9).unwrap();
    let found = listed(players, |player| &player.name, add);
    assert_eq!(found, names.iter().map(|name| name.to_uppercase()).collect::<Vec<_>>());
    let matches =
        |page: &PageRequest| store.matches(&MatchQuery { page: page.clone(), ..Default::default() });
    let add = |round| store.add_match(&match_row(&format!("x{round}"), ["N1", "N2"], 9)).unwrap();
    assert_eq!(listed(|page| matches(page).unwrap(), |summary| &summary.id, add), newest);
    let add = |round| store.add_tournament(&tournament_row(&format!("x{round}"), 9)).unwrap();
    let tournaments =
        |page: &PageRequest| store.tournaments(&TournamentQuery { page: page.clone(), ..Default::default() });
    assert_eq!(listed(|page| tournaments(page).unwrap(), |summary| &summary.id, add), newest);
    // Names have an order of their own; behind a match that is not there stands none, and that is said.
    let nowhere = PageRequest { after: Some("n3b".into()), size: 1 };
    assert_eq!(games(&nowhere).unwrap().items[0].name, "n4");
    assert!(matches!(matches(&nowhere), Err(StoreError::NotFound { what: "match", .. })));
    assert!(matches!(tournaments(&nowhere), Err(StoreError::NotFound { what: "tournament", .. })));
}

fn a_tournament_is_its_events(store: &dyn Store) {
    let row = tournament_row("t1", 3);
    store.add_tournament(&row).unwrap();
    assert_eq!(store.tournament("t1").unwrap(), row);
    let finished = TournamentEvent::Finished(MatchResult::default());
    for (event, number) in [&TournamentEvent::Paused, &finished].into_iter().zip(0..) {
        store.add_tournament_event("t1", number, event).unwrap();
    }
    assert!(matches!(
        store.add_tournament_event("t1", 1, &TournamentEvent::Resumed),
        Err(StoreError::Exists { .. })
    ));
    assert_eq!(store.tournament_events("t1").unwrap(), [TournamentEvent::Paused, finished]);
    assert_eq!(store.open_tournaments().unwrap()[0].summary.results, 1);
    store.set_tournament_stage("t1", TournamentStage::Over, 9).unwrap();
    assert!(store.open_tournaments().unwrap().is_empty());
    assert_eq!(store.tournaments(&TournamentQuery::default()).unwrap().items[0].ended, Some(9));
}

/// What is counted and wanted of a match before it is gone on with.
fn resumptions_are_counted_and_what_is_wanted_stays(store: &dyn Store) {
    store.add_match(&match_row("m1", ["Alpha", "beta"], 5)).unwrap();
    assert_eq!([(); 2].map(|()| store.begin_resumption("m1").unwrap()), [1, 2]);
    store.want_abort("m1", "first").unwrap();
    store.want_abort("m1", "second").unwrap();
    let row = store.find_match("m1").unwrap();
    assert_eq!((row.resumptions, row.wanted_abort.as_deref()), (2, Some("first")));
    store.pause_resumption("m1").unwrap();
    assert_eq!(store.begin_resumption("m1").unwrap(), 2, "only the last one is taken back");
    store.end_resumption("m1").unwrap();
    assert_eq!(store.begin_resumption("m1").unwrap(), 1);
    assert!(matches!(store.begin_resumption("m2"), Err(StoreError::NotFound { what: "match", .. })));
    assert!(matches!(store.want_abort("m2", "x"), Err(StoreError::NotFound { .. })));
    // The second seat is taken, and keeps its key.
    store.set_seat_key("m1", 0, &SeatKey::of("three", false)).unwrap();
    assert!(store.find_match("m1").unwrap().keys[0].fits("three"));
    let refused = store.set_seat_key("m1", 1, &SeatKey::of("three", false));
    assert!(matches!(refused, Err(StoreError::NotFound { what: "seat", .. })));
    assert_eq!(store.description("rows", "x", "1").unwrap(), None);
    store.keep_description("rows", "x", "1", "old").unwrap();
    store.keep_description("rows", "x", "2", "new").unwrap();
    assert_eq!(store.description("rows", "x", "1").unwrap(), None, "another release says another thing");
    assert_eq!(store.description("rows", "x", "2").unwrap().as_deref(), Some("new"));
}

fn games_are_found_by_their_tags_and_a_new_version_has_none_yet(store: &dyn Store) {
    let features = GameFeatures { seats: 2, steps: Some(GameTag::SHORT), board: true, ..Default::default() };
    let others = [
        ("alone", GameFeatures { seats: 1, steps: Some(GameTag::MEDIUM + 1), ..features }),
        ("blind", GameFeatures { hidden: true, chance: true, steps: None, ..features }),
        ("crowd", GameFeatures { seats: 3, simultaneous: true, steps: Some(GameTag::MEDIUM), ..features }),
        ("rapid", GameFeatures { real_time: true, steps: None, board: false, ..features }),
        ("rows", features),
    ];
    for (name, features) in &others {
        store.put_game(&game(name, "(role a)", 1)).unwrap();
        store.keep_features(name, "hash of (role a)", features).unwrap();
        assert_eq!(store.game(name, None).unwrap().summary.features, Some(*features));
    }
    let found = |tags: &[GameTag]| {
        let query = GameQuery { tags: tags.to_vec(), ..GameQuery::default() };
        let page = store.games(&query).unwrap();
        assert_eq!(page.total, page.items.len() as u64);
        page.items.into_iter().map(|game| game.name).collect::<Vec<_>>()
    };
    // Lists find what the features say.
    for tag in GameTag::ALL {
        let expected: Vec<&str> =
            others.iter().filter(|(_, features)| features.has(tag)).map(|(name, _)| *name).collect();
        assert_eq!(found(&[tag]), expected, "{tag:?}");
        assert!(!expected.is_empty(), "{tag:?}");
        assert_eq!(GameTag::named(tag.name()), Some(tag));
    }
    assert_eq!(found(&[GameTag::TwoPlayers, GameTag::Hidden]), ["blind"]);
    assert_eq!(found(&[GameTag::OnePlayer, GameTag::Short]), Vec::<String>::new());
    store.put_game(&game("rows", "(role b)", 2)).unwrap();
    assert_eq!(store.game("rows", None).unwrap().summary.features, None);
    assert_eq!(found(&[GameTag::Short]), Vec::<String>::new());
}

fn how_a_game_is_played_is_kept_for_a_version_and_a_release(store: &dyn Store) {
    assert_eq!(store.guide("rows", "x", "1").unwrap(), None);
    store.keep_guide("rows", "x", "1", "so").unwrap();
    assert_eq!(store.guide("rows", "x", "1").unwrap().as_deref(), Some("so"));
    store.keep_guide("rows", "x", "2", "so and so").unwrap();
    assert_eq!(store.guide("rows", "x", "2").unwrap().as_deref(), Some("so and so"));
    assert_eq!(store.guide("rows", "x", "1").unwrap(), None);
    assert_eq!(store.guide("rows", "y", "2").unwrap(), None);
}

/// Ends a match with these goals, and a record that begins with this joint move.
fn end_with(store: &dyn Store, id: &str, stage: MatchStage, goals: [u32; 2], first: [&str; 2]) {
    let found = store.find_match(id).unwrap().summary;
    let seats = found.seats.iter().zip(goals).zip(["white", "black"]).map(|((seat, goal), role)| {
        let faults = FaultCounts { late: 1, ..FaultCounts::default() };
        (SeatSummary { role: role.into(), goal: Some(goal), ..seat.clone() }, faults)
    });
    let moves = vec![first.map(str::to_owned).into(), vec!["later".to_owned(), "later".to_owned()]];
    let player_names_from_host = found.seats.iter().map(|seat| seat.player.clone()).collect();
    let record = MatchRecord { match_id: id.into(), moves, player_names_from_host, ..Default::default() };
    let end = MatchEnd {
        id: id.into(),
        stage,
        ended: 20,
        rated: true,
        steps: 2,
        aborted: None,
        seats: seats.collect(),
        record: Some(record.write()),
        last_entry: None,
        event: None,
    };
    store.end_match(&end).unwrap();
}

fn results_are_counted_by_seat_opponent_and_first_moves(store: &dyn Store) {
    let matches = [
        ("m1", ["Alpha", "Beta"], [100, 0], ["(mark 2 2)", "noop"]),
        ("m2", ["Beta", "alpha"], [50, 50], ["(mark 1 1)", "noop"]),
        ("m3", ["Alpha", "Gamma"], [0, 100], ["(mark 2 2)", "noop"]),
    ];
    for (number, (id, players, goals, first)) in (0..).zip(matches) {
        store.add_match(&match_row(id, players, number)).unwrap();
        end_with(store, id, MatchStage::Completed, goals, first);
    }
    // What ended early says nothing, and what runs does not yet.
    store.add_match(&match_row("m4", ["Alpha", "Beta"], 4)).unwrap();
    end_with(store, "m4", MatchStage::Aborted, [100, 0], ["(mark 3 3)", "noop"]);
    store.add_match(&match_row("m5", ["Alpha", "Beta"], 5)).unwrap();

    let results = store.player_results("ALPHA").unwrap();
    let seats: Vec<_> =
        results.seats.iter().map(|s| (s.seat, s.role.as_str(), s.matches, s.goal, s.faults.late)).collect();
    assert_eq!(seats, [(0, "white", 2, 50.0, 2), (1, "black", 1, 50.0, 1)]);
    let opponents: Vec<_> =
        results.opponents.iter().map(|o| (o.opponent.as_str(), o.matches, o.goal, o.opponent_goal)).collect();
    assert_eq!(opponents, [("Beta", 2, 75.0, 25.0), ("Gamma", 1, 0.0, 100.0)]);
    assert_eq!(store.player_results("Nobody").unwrap(), Default::default());

    let results = store.game_results("rows", "hash of (role a)").unwrap();
    assert_eq!((results.matches, results.seats.len(), results.seats[1].goal), (3, 2, 50.0));
    let openings: Vec<_> =
        results.openings.iter().map(|o| (o.moves.join(" "), o.matches, o.goals.clone())).collect();
    let expected = [
        ("(mark 2 2) noop".to_owned(), 2, vec![50.0, 50.0]),
        ("(mark 1 1) noop".to_owned(), 1, vec![50.0, 50.0]),
    ];
    assert_eq!(openings, expected);
    assert_eq!(store.game_results("rows", "another").unwrap(), Default::default());
}

fn matches_are_found_by_when_they_were_wanted(store: &dyn Store) {
    for number in 0..10 {
        store.add_match(&match_row(&format!("m{number}"), ["Alpha", "Beta"], number * 10)).unwrap();
    }
    let count =
        |since, until| store.matches(&MatchQuery { since, until, ..MatchQuery::default() }).unwrap().total;
    assert_eq!(count(Some(30), None), 7);
    assert_eq!(count(None, Some(30)), 3);
    assert_eq!(count(Some(30), Some(31)), 1);
    assert_eq!(count(Some(31), Some(30)), 0);
    assert_eq!(count(Some(u64::MAX), None), 0);
}

fn the_tournaments_of_a_player_are_those_it_had_matches_in(store: &dyn Store) {
    for (number, id) in (0..).zip(["t1", "t2", "t3"]) {
        store.add_tournament(&tournament_row(id, number)).unwrap();
        let players = if id == "t2" { ["Gamma", "Beta"] } else { ["Alpha", "Beta"] };
        let mut row = match_row(&format!("m{number}"), players, number);
        row.summary.tournament = Some(id.to_owned());
        store.add_match(&row).unwrap();
    }
    assert_eq!(store.tournaments_of("alpha", 9).unwrap(), ["t3", "t1"]);
    assert_eq!(store.tournaments_of("Beta", 2).unwrap(), ["t3", "t2"]);
    assert_eq!(store.tournaments_of("Nobody", 9).unwrap(), Vec::<String>::new());
}
