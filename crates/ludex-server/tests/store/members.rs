//! A database that several servers share.

use std::sync::Arc;
use std::time::Duration;

use ludex_server::model::{
    MatchStage, MemberKind, MemberNumber, NewMember, Ownership, SharedNews, StoreError, Unowned,
};
use ludex_server::store::{Shared, SharedStore, Store};

use super::postgres_place::Place;
use super::{end_with, game, line, match_row, tournament_row};
use crate::manager_support::wait;

const LEASE: Duration = Duration::from_secs(3600);
const ALL: Unowned = Unowned { tournaments: 100, matches: 100 };

fn about(name: &str) -> NewMember {
    NewMember {
        kind: MemberKind::Server,
        name: name.to_owned(),
        address: format!("{name}:80"),
        release: "1".to_owned(),
    }
}

/// A server with its number, and the store as it has it.
struct Server {
    shared: Arc<dyn Shared>,
    number: MemberNumber,
    store: Arc<dyn Store>,
}

fn server(place: &Place, name: &str) -> Server {
    let shared = place.open().shared().unwrap();
    let number = shared.register(&about(name), LEASE).unwrap();
    let store = shared.as_member(number);
    Server { shared, number, store }
}

fn is_superseded<T: std::fmt::Debug>(answer: Result<T, StoreError>) -> bool {
    matches!(answer.unwrap_err(), StoreError::Superseded { .. })
}

#[test]
fn members_come_renew_their_leases_and_go() {
    let Some(place) = Place::new() else { return };
    let (first, second) = (server(&place, "first"), server(&place, "second"));
    assert!(first.number < second.number);
    let shared = &first.shared;
    assert!(shared.renew(second.number, LEASE).unwrap());
    assert!(shared.renew(first.number, Duration::ZERO).unwrap());
    std::thread::sleep(Duration::from_millis(2));
    let members = shared.members().unwrap();
    let said: Vec<_> =
        members.iter().map(|member| (member.number, member.renewals, member.expired)).collect();
    assert_eq!(said, [(first.number, 1, true), (second.number, 1, false)]);
    assert_eq!(members[1].about, about("second"));
    // It has renewed its lease meanwhile.
    assert!(!shared.remove(first.number, 0).unwrap());
    assert!(shared.remove(first.number, 1).unwrap());
    assert!(!shared.remove(first.number, 1).unwrap());
    assert!(!shared.renew(first.number, LEASE).unwrap());
    second.shared.leave(second.number).unwrap();
    assert_eq!(shared.members().unwrap(), []);
    let third = shared.register(&about("third"), LEASE).unwrap();
    assert!(third > second.number, "numbers are never given again");
}

#[test]
fn who_was_removed_writes_nothing_any_more() {
    let Some(place) = Place::new() else { return };
    let (late, other) = (server(&place, "late"), server(&place, "other"));
    late.store.put_game(&game("rows", "(role a)", 1)).unwrap();
    late.store.add_match(&match_row("m1", ["Alpha", "Beta"], 1)).unwrap();
    late.store.add_tournament(&tournament_row("t1", 1)).unwrap();
    let mut journal = late.store.journal().unwrap();
    journal.append(&[line("m1", 0, 1)]).unwrap();
    assert!(other.shared.remove(late.number, 0).unwrap());
    let refused = journal.append(&[line("m1", 1, 1)]).unwrap_err();
    assert!(refused.to_string().starts_with("this server was taken for dead"), "{refused}");
    assert!(is_superseded(late.store.begin_match("m1", &[], 1)));
    assert!(is_superseded(late.store.add_match(&match_row("m2", ["Alpha", "Beta"], 2))));
    assert!(is_superseded(late.store.put_game(&game("rows", "(role b)", 2))));
    assert!(is_superseded(late.store.try_writing()));
    assert!(is_superseded(late.shared.claim(late.number, ALL)));
    // It reads, and under another number it is as good as any.
    assert_eq!(late.store.entry_count("m1").unwrap(), 1);
    let number = late.shared.register(&about("late"), LEASE).unwrap();
    let again = late.shared.as_member(number);
    again.journal().unwrap().append(&[line("m1", 1, 1)]).unwrap();
    assert!(is_superseded(late.store.try_writing()), "what has the old number keeps it");
}

/// Whoever removes a member waits for what it is writing, so that it is there for whoever goes on.
#[test]
fn what_is_being_written_is_waited_for() {
    let Some(place) = Place::new() else { return };
    let (slow, other) = (server(&place, "slow"), server(&place, "other"));
    // Whoever adds a game waits for this.
    let mut held = place.client();
    held.batch_execute("BEGIN; LOCK TABLE games IN SHARE MODE").unwrap();
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| slow.store.put_game(&game("rows", "(role a)", 1)));
        let mut watcher = place.client();
        wait("that it writes", || {
            let sql =
                "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO games%'";
            (!watcher.query(sql, &[]).unwrap().is_empty()).then_some(())
        });
        // It renews its lease all the same.
        assert!(slow.shared.renew(slow.number, LEASE).unwrap());
        let busy = other.shared.remove(slow.number, 1).unwrap_err();
        assert!(matches!(busy, StoreError::Locked { .. }), "{busy}");
        held.batch_execute("ROLLBACK").unwrap();
        writing.join().unwrap().unwrap();
    });
    assert!(other.shared.remove(slow.number, 1).unwrap());
    assert_eq!(other.store.game("rows", None).unwrap().text, "(role a)");
}

#[test]
fn what_nobody_has_is_taken_over_once() {
    let Some(place) = Place::new() else { return };
    let (first, second) = (server(&place, "first"), server(&place, "second"));
    first.store.add_tournament(&tournament_row("t1", 1)).unwrap();
    for number in 0..6u64 {
        let mut row = match_row(&format!("m{number}"), ["Alpha", "Beta"], number);
        row.summary.tournament = (number < 2).then(|| "t1".to_owned());
        first.store.add_match(&row).unwrap();
    }
    end_with(&*first.store, "m5", MatchStage::Completed, [100, 0], ["a", "b"]);
    let owner = |id: &str| second.shared.owner_of_match(id).unwrap();
    let of = |server: &Server, name: &str| Ownership::Member {
        number: server.number,
        address: format!("{name}:80"),
    };
    assert_eq!((owner("m0"), owner("m5")), (of(&first, "first"), Ownership::Over));
    assert_eq!(second.shared.unowned().unwrap(), Unowned::default());
    assert!(second.shared.claim(second.number, ALL).unwrap().matches.is_empty());
    first.shared.leave(first.number).unwrap();
    assert_eq!((owner("m0"), owner("m5")), (Ownership::Nobody, Ownership::Over));
    assert_eq!(second.shared.unowned().unwrap(), Unowned { tournaments: 1, matches: 3 });
    // A tournament comes with its matches, and others as many as are wanted.
    let some = second.shared.claim(second.number, Unowned { tournaments: 1, matches: 2 }).unwrap();
    let ids = |rows: &[ludex_server::model::MatchRow]| {
        rows.iter().map(|row| row.summary.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&some.matches), ["m0", "m1", "m2", "m3"]);
    assert_eq!(some.tournaments[0].summary.id, "t1");
    let third = server(&place, "third");
    let rest = third.shared.claim(third.number, ALL).unwrap();
    assert_eq!((ids(&rest.matches), rest.tournaments.len()), (vec!["m4".to_owned()], 0));
    assert_eq!(owner("m4"), of(&third, "third"));
    assert_eq!(third.shared.owner_of_tournament("t1").unwrap(), of(&second, "second"));
    let missing = third.shared.owner_of_match("none").unwrap_err();
    assert!(matches!(missing, StoreError::NotFound { .. }), "{missing}");
}

/// Two servers that take over at the same moment share.
#[test]
fn several_take_over_at_the_same_time() {
    let Some(place) = Place::new() else { return };
    let gone = server(&place, "gone");
    for number in 0..40u64 {
        gone.store.add_match(&match_row(&format!("m{number:02}"), ["Alpha", "Beta"], number)).unwrap();
    }
    gone.shared.leave(gone.number).unwrap();
    let servers: Vec<Server> = ["a", "b", "c"].map(|name| server(&place, name)).into();
    let taken: Vec<usize> = std::thread::scope(|scope| {
        let claims: Vec<_> = servers
            .iter()
            .map(|server| {
                let most = Unowned { tournaments: 0, matches: 4 };
                let claim = move || server.shared.claim(server.number, most).unwrap().matches.len();
                scope.spawn(move || (0..20).map(|_| claim()).sum::<usize>())
            })
            .collect();
        claims.into_iter().map(|claim| claim.join().unwrap()).collect()
    });
    assert_eq!(taken.iter().sum::<usize>(), 40, "{taken:?}");
    assert_eq!(servers[0].shared.unowned().unwrap(), Unowned::default());
}

/// A player that can play one match at a time is had by one server.
#[test]
fn who_plays_elsewhere_is_not_asked_into_another_match() {
    let Some(place) = Place::new() else { return };
    let (first, second) = (server(&place, "first"), server(&place, "second"));
    for name in ["Alpha", "Beta", "Gamma"] {
        first.store.put_player(name, &ludex_server::model::PlayerKind::Person, 1).unwrap();
    }
    first.store.add_match(&match_row("m1", ["Alpha", "Beta"], 1)).unwrap();
    second.store.add_match(&match_row("m2", ["Gamma", "Alpha"], 2)).unwrap();
    let begin = |server: &Server, id: &str, since: u64| {
        let alone = [("Alpha".to_owned(), since)];
        server.shared.begin_with(server.number, id, &[], 1000, &alone).unwrap()
    };
    let begun = std::thread::scope(|scope| {
        let first = scope.spawn(|| begin(&first, "m1", 0));
        let second = scope.spawn(|| begin(&second, "m2", 0));
        [first.join().unwrap(), second.join().unwrap()]
    });
    let busy = Some("Alpha".to_owned());
    assert!(begun == [None, busy.clone()] || begun == [busy.clone(), None], "{begun:?}");
    let (server, id, running) = if begun[0].is_none() { (&second, "m2", "m1") } else { (&first, "m1", "m2") };
    assert_eq!(server.store.find_match(id).unwrap().summary.stage, MatchStage::Planned);
    let engaged = server.shared.engagements(server.number).unwrap();
    assert!(engaged.iter().any(|at_work| at_work.player == "Alpha" && at_work.began == Some(1000)));
    // It has said since that it can play another one.
    assert_eq!(begin(server, id, 999), busy);
    assert_eq!(begin(server, id, 1001), None);
    // What ran before goes on whoever plays elsewhere.
    assert_eq!(begin(server, id, 0), None);
    end_with(&*server.store, running, MatchStage::Completed, [100, 0], ["a", "b"]);
}

#[test]
fn members_hear_what_others_change_and_have_a_secret() {
    let Some(place) = Place::new() else { return };
    let (first, second) = (server(&place, "first"), server(&place, "second"));
    let patience = Duration::from_secs(60);
    assert_eq!(second.shared.news(patience).unwrap(), SharedNews::ALL, "something may have been missed");
    first.store.add_match(&match_row("m1", ["Alpha", "Beta"], 1)).unwrap();
    assert_eq!(second.shared.news(patience).unwrap(), [SharedNews::Matches]);
    first.store.put_player("Alpha", &ludex_server::model::PlayerKind::Person, 1).unwrap();
    assert_eq!(second.shared.news(patience).unwrap(), [SharedNews::Players]);
    first.shared.leave(first.number).unwrap();
    assert_eq!(second.shared.news(patience).unwrap(), [SharedNews::Members]);
    assert_eq!(second.shared.news(Duration::from_millis(1)).unwrap(), []);
    assert_eq!(second.shared.secret(b"one").unwrap(), b"one");
    assert_eq!(first.shared.secret(b"two").unwrap(), b"one");
}

/// A version of the tables that older servers cannot use is not made while there are some.
#[test]
fn tables_are_not_changed_under_older_servers() {
    let Some(place) = Place::new() else { return };
    let store = place.open();
    let mut client = place.client();
    // As the version before had it.
    let before = "ALTER TABLE matches DROP COLUMN owner; ALTER TABLE tournaments DROP COLUMN owner;
                  DROP TABLE secrets, members; ALTER TABLE ludex DROP COLUMN oldest; UPDATE ludex SET version = version - 1";
    client.batch_execute(before).unwrap();
    let error = place.try_to_open().unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    drop(store);
    let shared = place.open().shared().unwrap();
    assert_eq!(shared.members().unwrap(), []);
}

/// Servers that start at the same time make the tables once.
#[test]
fn several_begin_at_the_same_time() {
    let Some(place) = Place::new() else { return };
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(place.open().shared().unwrap().members().unwrap(), []));
        }
    });
}
