//! Accounts and what belongs to them, in every database.

use ludex_server::model::{
    Account, ApiToken, AuditEntry, Counted, HiddenThing, MatchQuery, MatchStage, PageRequest, PlayerKind,
    PlayerQuery, Role, Scope, SecretDigest, Session, StoreError, Thing, ThingKind, account_key,
};
use ludex_server::store::{SqliteStore, Store};

#[cfg(feature = "postgres")]
use super::postgres_place;
use super::{end_with, game, line, match_row};

in_every_database!(
    accounts_are_told_apart_without_regard_to_case,
    sessions_and_links_end_with_what_they_are_of,
    tokens_keep_their_scopes,
    things_belong_to_one_account_or_to_nobody,
    what_is_hidden_stands_in_no_list,
    quotas_count_up_to_their_limit,
    what_moderators_did_is_numbered,
    who_leaves_is_named_nowhere,
);

pub(super) fn account(name: &str) -> Account {
    let name = name.to_owned();
    Account { name, mail: None, password: None, role: Role::Player, created: 5, seen: None, banned: None }
}

pub(super) fn session(digest: &str, account: &str) -> Session {
    let (digest, account) = (SecretDigest(digest.to_owned()), account.to_owned());
    Session { digest, account, created: 1, used: 1, expires: 100, about: "Browser \u{1f600}".to_owned() }
}

fn accounts_are_told_apart_without_regard_to_case(store: &dyn Store) {
    let store = store.accounts();
    let ada = Account { mail: Some("ada@example.org".into()), password: Some("$x".into()), ..account("Ada") };
    store.add_account(&ada).unwrap();
    assert!(matches!(store.add_account(&account("ADA")), Err(StoreError::Exists { .. })));
    assert_eq!(store.account("ada").unwrap(), Some(ada.clone()));
    assert_eq!(store.account("adb").unwrap(), None);
    for name in ["bob", "Carl", "under_score"] {
        store.add_account(&account(name)).unwrap();
    }
    let names = |part: &str, after: Option<&str>, size| {
        let page = store.accounts(part, &PageRequest { after: after.map(str::to_owned), size }).unwrap();
        (
            page.items.into_iter().map(|account| account.name).collect::<Vec<_>>().join(" "),
            page.next,
            page.total,
        )
    };
    assert_eq!(names("", None, 2), ("Ada bob".to_owned(), Some("bob".to_owned()), 4));
    assert_eq!(names("", Some("bob"), 2), ("Carl under_score".to_owned(), None, 4));
    assert_eq!(names("A", None, 9).0, "Ada Carl");
    assert_eq!(names("r_s", None, 9).0, "under_score", "what stands for any letter stands for itself");
    store.set_role("carl", Role::Administrator).unwrap();
    assert_eq!(store.count_role(Role::Administrator).unwrap(), 1);
    store.set_ban("carl", Some((7, "spam"))).unwrap();
    assert_eq!(store.count_role(Role::Administrator).unwrap(), 0, "who is banned looks after nothing");
    assert_eq!(store.account("carl").unwrap().unwrap().banned, Some((7, "spam".to_owned())));
    store.set_ban("carl", None).unwrap();
    assert_eq!(store.account("carl").unwrap().unwrap().banned, None);
    store.set_mail("ada", None).unwrap();
    store.set_password("ada", None, None).unwrap();
    assert_eq!(store.account("ada").unwrap(), Some(account("Ada")));
    for failed in [store.set_role("x", Role::Player), store.set_mail("x", None), store.set_ban("x", None)] {
        assert!(matches!(failed, Err(StoreError::NotFound { .. })));
    }
}

fn sessions_and_links_end_with_what_they_are_of(store: &dyn Store) {
    let store = store.accounts();
    for name in ["ada", "bob"] {
        store.add_account(&account(name)).unwrap();
    }
    let digest = |text: &str| SecretDigest(text.to_owned());
    let first = session("1111111111111111-first", "ada");
    store.add_session(&first, None).unwrap();
    let (found, of) = store.session(&first.digest).unwrap().unwrap();
    assert_eq!((found, of.seen), (first.clone(), Some(1)));
    let second = session("2222222222222222-second", "ada");
    store.add_session(&second, Some(&first.digest)).unwrap();
    assert!(store.session(&first.digest).unwrap().is_none(), "another one has taken its place");
    store.use_session(&second.digest, 50).unwrap();
    assert_eq!(store.sessions("ada").unwrap()[0].used, 50);
    assert!(!store.end_session("bob", "2222222222222222").unwrap(), "it is not his");
    store.add_session(&session("3333333333333333-third", "ada"), None).unwrap();
    store.add_link(&digest("old link"), "ada", 1000).unwrap();
    store.set_password("ada", Some("$y"), Some(&second.digest)).unwrap();
    assert_eq!(store.sessions("ada").unwrap().len(), 1);
    assert!(store.use_link(&digest("old link"), 1).unwrap().is_none(), "a new password ends links, too");
    assert!(store.end_session("ada", "2222222222222222").unwrap());
    store.add_link(&digest("link"), "bob", 1000).unwrap();
    assert_eq!(store.use_link(&digest("link"), 999).unwrap().unwrap().name, "bob");
    assert!(store.use_link(&digest("link"), 999).unwrap().is_none(), "once");
    store.add_link(&digest("late"), "bob", 1000).unwrap();
    assert!(store.use_link(&digest("late"), 1000).unwrap().is_none());
    assert!(store.use_link(&digest("late"), 1).unwrap().is_none(), "it is used up nevertheless");
    store.add_session(&session("4444444444444444", "bob"), None).unwrap();
    store.forget_ended(99).unwrap();
    assert_eq!(store.sessions("bob").unwrap().len(), 1);
    store.forget_ended(100).unwrap();
    assert_eq!(store.sessions("bob").unwrap().len(), 0);
    store.add_session(&session("5555555555555555", "bob"), None).unwrap();
    store.set_ban("bob", Some((1, ""))).unwrap();
    assert!(store.session(&digest("5555555555555555")).unwrap().is_none());
}

pub(super) fn token(digest: &str, account: &str) -> ApiToken {
    ApiToken {
        digest: SecretDigest(digest.to_owned()),
        account: account.to_owned(),
        name: "a script".to_owned(),
        scopes: vec![Scope::Read, Scope::Organise],
        created: 1,
        expires: 100,
        used: None,
    }
}

fn tokens_keep_their_scopes(store: &dyn Store) {
    let store = store.accounts();
    store.add_account(&account("ada")).unwrap();
    let one = token("1111111111111111-x", "ada");
    store.add_token(&one).unwrap();
    assert_eq!(store.token(&one.digest).unwrap().unwrap().0, one);
    store.use_token(&one.digest, 9).unwrap();
    assert_eq!(store.tokens("ada").unwrap()[0].used, Some(9));
    assert!(!store.end_token("bob", "1111111111111111").unwrap());
    assert!(store.end_token("ada", "1111111111111111").unwrap());
    assert!(store.token(&one.digest).unwrap().is_none());
    store.add_token(&one).unwrap();
    store.set_ban("ada", Some((1, "x"))).unwrap();
    assert!(store.token(&one.digest).unwrap().is_none(), "a ban ends it");
}

fn things_belong_to_one_account_or_to_nobody(store: &dyn Store) {
    let accounts = store.accounts();
    for name in ["ada", "bob"] {
        accounts.add_account(&account(name)).unwrap();
    }
    let thing = Thing::new(ThingKind::Game, "rows");
    assert_eq!(accounts.owner(&thing).unwrap(), None);
    assert!(accounts.claim(&thing, "ada").unwrap() && accounts.claim(&thing, "ada").unwrap());
    assert!(!accounts.claim(&thing, "bob").unwrap(), "it has an owner");
    accounts.set_owner(&thing, Some("bob")).unwrap();
    assert_eq!(accounts.owner(&thing).unwrap().as_deref(), Some("bob"));
    let player = Thing::new(ThingKind::Player, "Bobs.Program");
    assert!(accounts.claim(&player, "bob").unwrap());
    assert_eq!(
        accounts.owner(&Thing::new(ThingKind::Player, "bobs.program")).unwrap().as_deref(),
        Some("bob")
    );
    assert_eq!(accounts.owned("bob", None).unwrap(), [thing.clone(), player.clone()]);
    assert_eq!(accounts.owned("bob", Some(&thing)).unwrap(), [player]);
    accounts.set_owner(&thing, None).unwrap();
    assert_eq!(accounts.owner(&thing).unwrap(), None);
    store.put_game(&game("rows", "(role a)", 1)).unwrap();
    for id in ["m1", "m2"] {
        store.add_match(&match_row(id, ["x", "y"], 1)).unwrap();
        assert!(accounts.claim(&Thing::new(ThingKind::Match, id), "bob").unwrap());
    }
    assert_eq!(accounts.open_matches_of("bob").unwrap(), 2);
    end_with(store, "m1", MatchStage::Completed, [70, 30], ["a", "b"]);
    assert_eq!(accounts.open_matches_of("bob").unwrap(), 1);
}

fn what_is_hidden_stands_in_no_list(store: &dyn Store) {
    store.put_game(&game("rows", "(role a)", 1)).unwrap();
    store.put_player("Some.Player", &PlayerKind::Person, 1).unwrap();
    store.add_match(&match_row("m1", ["Some.Player", "y"], 1)).unwrap();
    let games = |without_hidden| {
        store.games(&ludex_server::model::GameQuery { without_hidden, ..Default::default() }).unwrap().total
    };
    let players = |without_hidden| {
        store.players(&PlayerQuery { without_hidden, ..Default::default() }).unwrap().items.len()
    };
    let matches = |without_hidden| {
        store.matches(&MatchQuery { without_hidden, ..Default::default() }).unwrap().items.len()
    };
    let counts = |hidden| (games(hidden), players(hidden), matches(hidden));
    assert_eq!(counts(true), (1, 1, 1));
    let accounts = store.accounts();
    let things = [(ThingKind::Game, "rows"), (ThingKind::Player, "SOME.player"), (ThingKind::Match, "m1")];
    let things = things.map(|(kind, name)| Thing::new(kind, name));
    for thing in &things {
        let (thing, by, why) = (thing.clone(), "ada".to_owned(), "'rude'".to_owned());
        accounts.hide(&thing.clone(), Some(&HiddenThing { thing, at: 3, by, why })).unwrap();
    }
    assert_eq!((counts(true), counts(false)), ((0, 0, 0), (1, 1, 1)));
    assert_eq!(accounts.hidden(&things[1]).unwrap().unwrap().why, "'rude'");
    assert_eq!(accounts.all_hidden(None).unwrap().len(), 3);
    assert_eq!(accounts.all_hidden(Some(&things[0])).unwrap().len(), 2);
    things.iter().for_each(|thing| accounts.hide(thing, None).unwrap());
    assert_eq!(counts(true), (1, 1, 1));
}

fn quotas_count_up_to_their_limit(store: &dyn Store) {
    let store = store.accounts();
    store.add_account(&account("ada")).unwrap();
    let count = |day, more, limit| store.count("ada", day, Counted::Uploads, more, limit).unwrap();
    assert!(count(20, 2, 3) && count(20, 1, 3) && !count(20, 1, 3));
    assert!(!count(20, 4, 3) && count(21, 3, 3), "another day");
    assert!(store.count("ada", 21, Counted::Work, u64::MAX / 4, u64::MAX).unwrap());
    assert_eq!(store.counted("ada", 20, Counted::Uploads).unwrap(), 3);
    assert_eq!(store.counted("ada", 20, Counted::Mails).unwrap(), 0);
    assert!(count(40, 1, 3));
    assert_eq!(store.counted("ada", 20, Counted::Uploads).unwrap(), 0, "old days are forgotten");
}

fn what_moderators_did_is_numbered(store: &dyn Store) {
    let store = store.accounts();
    let deed = |who: &str| AuditEntry {
        number: 0,
        at: 4,
        who: who.to_owned(),
        action: "hide".to_owned(),
        what: "game rows".to_owned(),
        detail: String::new(),
    };
    for who in ["ada", "bob", "carl"] {
        store.note_deed(&deed(who)).unwrap();
    }
    let told = |before| {
        store.deeds(before).unwrap().into_iter().map(|deed| (deed.number, deed.who)).collect::<Vec<_>>()
    };
    assert_eq!(told(None), [(3, "carl".to_owned()), (2, "bob".to_owned()), (1, "ada".to_owned())]);
    assert_eq!(told(Some(2)), [(1, "ada".to_owned())]);
}

/// Whatever names an account, in a journal and a record, too.
fn who_leaves_is_named_nowhere(store: &dyn Store) {
    let accounts = store.accounts();
    accounts.add_account(&Account { mail: Some("ada@example.org".into()), ..account("Ada") }).unwrap();
    accounts.add_account(&account("bob")).unwrap();
    store.put_game(&game("rows", "(role a)", 1)).unwrap();
    for name in ["Ada", "bob"] {
        store.put_player(name, &PlayerKind::Person, 1).unwrap();
        assert!(accounts.claim(&Thing::new(ThingKind::Player, name), &account_key(name)).unwrap());
    }
    store.add_match(&match_row("m1", ["Ada", "bob"], 1)).unwrap();
    store.add_match(&match_row("m2", ["bob", "bob"], 1)).unwrap();
    store.journal().unwrap().append(&[line("m1", 0, 1)]).unwrap();
    end_with(store, "m1", MatchStage::Completed, [70, 30], ["a", "b"]);
    accounts.add_session(&session("1111111111111111", "ada"), None).unwrap();
    accounts.add_token(&token("2222222222222222", "ada")).unwrap();
    accounts.count("ada", 1, Counted::Uploads, 1, 9).unwrap();
    accounts
        .note_deed(&AuditEntry {
            number: 0,
            at: 1,
            who: "Ada".into(),
            action: "ban".into(),
            what: "account Ada".into(),
            detail: "to Ada".into(),
        })
        .unwrap();
    accounts.delete_account("ada").unwrap();
    assert_eq!(accounts.account("ada").unwrap(), None);
    assert!(
        matches!(accounts.add_account(&account("ADA")), Err(StoreError::Exists { .. })),
        "its name is not given again"
    );
    assert!(matches!(accounts.delete_account("ada"), Err(StoreError::NotFound { .. })));
    let deed = &accounts.deeds(None).unwrap()[0];
    assert!(![&deed.who, &deed.what, &deed.detail].into_iter().any(|text| text.contains("Ada")), "{deed:?}");
    let row = store.find_match("m1").unwrap();
    let former = row.summary.seats[0].player.clone();
    assert!(former.starts_with("former-"), "{former}");
    assert_eq!(
        [row.plan.seats[0].player.as_str(), row.plan.seats[1].player.as_str()],
        [former.as_str(), "bob"]
    );
    assert_eq!(store.find_match("m2").unwrap().summary.seats[0].player, "bob");
    let record = store.record("m1").unwrap().unwrap();
    assert!(!format!("{record:?}").contains("Ada"), "{record:?}");
    let player = store.player(&former).unwrap();
    assert!(player.retired && player.statistics.matches == 1);
    assert!(matches!(store.player("ada"), Err(StoreError::NotFound { .. })));
    assert_eq!(accounts.accounts("", &PageRequest::first(9)).unwrap().total, 1);
}
