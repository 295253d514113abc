//! What a store in PostgreSQL does beside what all stores do.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ludex_server::journal::JournalError;
use ludex_server::model::{GameQuery, GameRow, MatchQuery, MatchStage, StoreError, TournamentQuery};
use ludex_server::store::{PostgresAddress, PostgresOptions, PostgresStore, RecordPieces, Store};

use super::postgres_place::Place;
use super::{end_with, game, line, match_row, tournament_row};

#[test]
fn what_was_kept_is_there_again_for_all_who_share_it() {
    let Some(place) = Place::new() else { return };
    let store = place.open();
    store.put_game(&game("rows", "(role a)", 1)).unwrap();
    store.journal().unwrap().append(&[line("m1", 0, 3)]).unwrap();
    let second = place.try_to_open().unwrap();
    assert_eq!(second.game("rows", None).unwrap().text, "(role a)");
    // Another schema is another store.
    let other = Place::new().unwrap();
    assert_eq!(other.open().games(&GameQuery::default()).unwrap().total, 0);
    drop(store);
    let store = place.try_to_open().unwrap();
    assert_eq!(store.game("rows", None).unwrap().text, "(role a)");
    assert_eq!(store.entry_count("m1").unwrap(), 1);
}

/// A store is used on any thread, also where something else is waited for in turn.
#[test]
fn it_may_be_used_on_the_thread_of_a_runtime() {
    let Some(place) = Place::new() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = place.open();
        store.put_game(&game("rows", "(role a)", 1)).unwrap();
        store.journal().unwrap().append(&[line("m1", 0, 3)]).unwrap();
        assert_eq!(store.game("rows", None).unwrap().text, "(role a)");
        assert_eq!((store.counts().unwrap().games, store.entry_count("m1").unwrap()), (1, 1));
    });
}

#[test]
fn what_is_no_database_of_this_version_is_left_alone() {
    let Some(place) = Place::new() else { return };
    let mut client = place.client();
    client.batch_execute("CREATE TABLE letters (text TEXT)").unwrap();
    let error = place.try_to_open().unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    client.batch_execute("DROP TABLE letters").unwrap();
    drop(place.open());
    client.batch_execute("UPDATE ludex SET version = 99").unwrap();
    assert!(place.try_to_open().is_ok(), "a newer version that only added something can be used");
    client.batch_execute("UPDATE ludex SET oldest = 98").unwrap();
    let error = place.try_to_open().unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
}

#[test]
fn a_database_that_cannot_be_reached_is_said() {
    let options = PostgresOptions { patience: Duration::from_millis(500), ..PostgresOptions::default() };
    // Nobody listens at this port.
    let address = PostgresAddress::read("postgres://anna:secret@127.0.0.1:1/ludex", None).unwrap();
    let error = PostgresStore::open(&address, &options).unwrap_err();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    let told = error.to_string();
    assert!(
        told.starts_with("the database `postgres://anna@127.0.0.1:1/ludex` cannot be reached: "),
        "{told}"
    );
    assert!(!format!("{told} {error:?}").contains("secret"));
    assert_eq!(error.in_general(), "the database cannot be reached");
}

#[test]
fn a_lock_of_another_program_is_said_and_passes() {
    let Some(place) = Place::new() else { return };
    let store = place.try_to_open().unwrap();
    let mut other = place.client();
    other.batch_execute("BEGIN; LOCK TABLE games, entries IN SHARE MODE").unwrap();
    let error = store.put_game(&game("rows", "(role a)", 1)).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    let error = store.journal().unwrap().append(&[line("m1", 0, 1)]).unwrap_err();
    assert!(error.to_string().ends_with("is locked by another program"), "{error}");
    assert_eq!(store.games(&GameQuery::default()).unwrap().total, 0, "it can be read");
    other.batch_execute("ROLLBACK").unwrap();
    store.journal().unwrap().append(&[line("m1", 0, 1)]).unwrap();
    assert_eq!(store.entry_count("m1").unwrap(), 1);
}

/// Texts have any sign, also those that PostgreSQL has not.
#[test]
fn texts_with_any_sign_are_kept_and_found() {
    let Some(place) = Place::new() else { return };
    let store = place.open();
    let title = "a\0b \u{f8ff}0 'c' \\ %";
    store.put_game(&GameRow { title: title.to_owned(), ..game("rows", "; \0\n(role a)", 1) }).unwrap();
    let found = store.game("rows", None).unwrap();
    assert_eq!((found.summary.title.as_str(), found.text.as_str()), (title, "; \0\n(role a)"));
    let total =
        |text: &str| store.games(&GameQuery { text: text.to_owned(), ..Default::default() }).unwrap().total;
    assert_eq!([total("A\0B"), total("\u{f8ff}0"), total("\0\0"), total("\\"), total("%")], [1, 1, 0, 1, 1]);
    let mut row = tournament_row("t1", 1);
    row.plan.title = "nothing \0 and \\u0000".to_owned();
    row.plan.competition.tournament.players.push("Zero\0".to_owned());
    store.add_tournament(&row).unwrap();
    assert_eq!(store.tournament("t1").unwrap().plan, row.plan);
    let of = |player: &str| {
        let query = TournamentQuery { player: Some(player.to_owned()), ..Default::default() };
        store.tournaments(&query).unwrap().total
    };
    assert_eq!([of("Alpha"), of("Zero\0"), of("Zero"), of("Nobody")], [1, 1, 0, 0]);
    let query = MatchQuery { player: Some("\0".to_owned()), ..MatchQuery::default() };
    assert_eq!(store.matches(&query).unwrap().total, 0);
}

/// A record of several pieces is read piece by piece.
#[test]
fn a_long_record_comes_in_pieces() {
    let Some(place) = Place::new() else { return };
    let store = place.open();
    store.add_match(&match_row("m1", ["Alpha", "Beta"], 1)).unwrap();
    end_with(&store, "m1", MatchStage::Completed, [100, 0], ["a", "b"]);
    let long = "{\"matchId\":\"m1\",\"states\":[\"".to_owned() + &"ä".repeat(5_000_000) + "\"]}";
    let mut client = place.client();
    client.execute("UPDATE records SET record = $1", &[&long.as_bytes()]).unwrap();
    let mut pieces = RecordPieces::open(&store, "m1").unwrap().unwrap();
    let mut read = Vec::new();
    let mut count = 0;
    while let Some(piece) = pieces.next(&store).unwrap() {
        read.extend(piece);
        count += 1;
    }
    assert!(count == 3 && read == long.as_bytes());
    let record = store.record("m1").unwrap().unwrap();
    assert_eq!(record.in_steps().unwrap().states[0].len(), 10_000_000);
    assert!(store.record_piece("m1", u64::MAX).unwrap().unwrap().bytes.is_empty());
}

/// Ends all connections of stores now and then, for as long as some work takes, which is told how many were lost.
fn while_connections_are_lost(place: &Place, work: impl FnOnce(&AtomicUsize)) {
    let (done, lost) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut client = place.client();
            for round in 0.. {
                std::thread::sleep(Duration::from_millis(40 + round * 37 % 100));
                if done.load(Ordering::SeqCst) {
                    return;
                }
                let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                           WHERE application_name = 'ludex'";
                lost.fetch_add(client.query(sql, &[]).unwrap().len(), Ordering::SeqCst);
            }
        });
        work(&lost);
        done.store(true, Ordering::SeqCst);
    });
}

/// Whatever is lost in the midst of writing is made again: what was said to be kept is there once, and what was not is
/// not there.
#[test]
fn nothing_is_lost_or_written_twice_where_connections_are_lost() {
    let Some(place) = Place::alone(false) else { return };
    let store = place.open();
    store.add_match(&match_row("counted", ["Alpha", "Beta"], 1)).unwrap();
    let (mut resumptions, mut entries, mut matches, mut failures) = (0, 0, Vec::new(), 0);
    while_connections_are_lost(&place, |lost| {
        let mut journal = store.journal().unwrap();
        for number in 0..20_000 {
            if entries >= 300 && lost.load(Ordering::SeqCst) > 20 {
                break;
            }
            match store.begin_resumption("counted") {
                Ok(count) => {
                    resumptions += 1;
                    assert_eq!(count, resumptions, "each counts once");
                }
                Err(StoreError::Unreachable { .. }) => failures += 1,
                Err(error) => panic!("{error}"),
            }
            match journal.append(&[line("m1", entries, 10), line("m1", entries + 1, 10)]) {
                Ok(()) => entries += 2,
                Err(JournalError::Store(error)) if matches!(*error, StoreError::Unreachable { .. }) => {
                    failures += 1;
                }
                Err(error) => panic!("{error}"),
            }
            let id = format!("m{number:05}");
            match store.add_match(&match_row(&id, ["Alpha", "Beta"], number)) {
                Ok(()) => matches.push(id),
                Err(StoreError::Unreachable { .. }) => failures += 1,
                Err(error) => panic!("{error}"),
            }
            match store.counts() {
                Ok(counts) => assert_eq!(counts.planned, matches.len() as u64 + 1),
                Err(error) => assert!(matches!(error, StoreError::Unreachable { .. }), "{error}"),
            }
        }
    });
    println!("{resumptions} resumptions, {entries} entries, {} matches, {failures} failures", matches.len());
    assert_eq!(store.find_match("counted").unwrap().resumptions, resumptions);
    assert_eq!(store.entries("m1").unwrap().len() as u64, entries);
    assert_eq!(store.counts().unwrap().planned, matches.len() as u64 + 1);
    assert!(matches.iter().all(|id| store.find_match(id).is_ok()));
    assert!(entries >= 300, "it goes on");
}

/// A connection that is lost while a transaction ends leaves open whether it was kept; that is found out.
#[test]
fn what_became_of_a_transaction_is_found_out() {
    let Some(place) = Place::alone(false) else { return };
    let store = place.open();
    store.add_match(&match_row("m1", ["Alpha", "Beta"], 1)).unwrap();
    let mut client = place.client();
    // Ends the connection that waits for this while it ends a transaction.
    let mut end = |waits: &str| {
        let sql =
            format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = '{waits}'");
        for _ in 0..10_000 {
            if !client.query(&sql, &[]).unwrap().is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("nobody waits for {waits}");
    };
    let mut setting = place.client();
    // A transaction that waits for the copy of its log to another server is kept already.
    setting.batch_execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'").unwrap();
    setting.batch_execute("SELECT pg_reload_conf()").unwrap();
    std::thread::scope(|scope| {
        let counted = scope.spawn(|| store.begin_resumption("m1"));
        end("SyncRep");
        assert_eq!(counted.join().unwrap().unwrap(), 1, "it was kept once");
    });
    setting.batch_execute("ALTER SYSTEM RESET synchronous_standby_names").unwrap();
    setting.batch_execute("SELECT pg_reload_conf()").unwrap();
    // One that is still being looked at when it ends is not kept, and done again.
    setting
        .batch_execute(
            "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
                 'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END';
             CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON matches DEFERRABLE INITIALLY DEFERRED
                 FOR EACH ROW EXECUTE FUNCTION wait()",
        )
        .unwrap();
    std::thread::scope(|scope| {
        let counted = scope.spawn(|| store.begin_resumption("m1"));
        end("PgSleep");
        assert_eq!(counted.join().unwrap().unwrap(), 2, "it counts once");
    });
    assert_eq!(store.find_match("m1").unwrap().resumptions, 2);
}

/// A server that is away is said, and when it is back all goes on: what was flushed before it crashed is there.
#[test]
fn a_crash_takes_nothing_that_was_flushed() {
    let Some(place) = Place::alone(true) else { return };
    let cluster = place.cluster.clone().unwrap();
    let store = place.try_to_open().unwrap();
    store.put_game(&game("rows", "(role a)", 1)).unwrap();
    let mut journal = store.journal().unwrap();
    for round in 0..3 {
        for number in 0..20 {
            journal.append(&[line("m1", round * 20 + number, 50)]).unwrap();
        }
        store.keep_description("rows", "x", "1", &format!("round {round}")).unwrap();
        store.add_match(&match_row(&format!("m{round}"), ["Alpha", "Beta"], round)).unwrap();
        cluster.crash();
        let error = store.game("rows", None).unwrap_err();
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
        let error = store.try_writing().unwrap_err();
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
        assert!(matches!(journal.append(&[line("m1", 99, 1)]), Err(JournalError::Store(_))));
        cluster.start();
        assert_eq!(store.game("rows", None).unwrap().text, "(role a)");
        store.try_writing().unwrap();
        assert_eq!(store.entry_count("m1").unwrap(), (round + 1) * 20);
        // What a power cut may take was written before what it may not.
        assert_eq!(store.description("rows", "x", "1").unwrap(), Some(format!("round {round}")));
        assert_eq!(store.counts().unwrap().planned, round + 1);
    }
}
