//! What a store in SQLite does beside what all stores do.

use std::path::Path;
use std::time::Duration;

use ludex_server::model::{GameQuery, MatchEntries, StoreError};
use ludex_server::store::{RatingStore, SqliteOptions, SqliteStore, Store};

use super::{game, line, match_row};

fn open(folder: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(folder, &SqliteOptions { patience: Duration::from_millis(50), ..Default::default() })
}

#[test]
fn what_was_kept_is_there_again() {
    let folder = private_folder();
    let folder = folder.path().join("new").join("data");
    let store = open(&folder).unwrap();
    store.put_game(&game("rows", "(role a)", 1)).unwrap();
    store.journal().unwrap().append(&[line("m1", 0, 3)]).unwrap();
    let error = open(&folder).unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    let copy = folder.join("copy.db");
    store.copy_to(&copy).unwrap();
    assert!(store.copy_to(&copy).is_err(), "a copy does not replace another");
    drop(store);
    let store = open(&folder).unwrap();
    assert_eq!(store.game("rows", None).unwrap().text, "(role a)");
    assert_eq!(store.entries("m1").unwrap(), MatchEntries::read(&[line("m1", 0, 3).entry]).unwrap());
    drop(store);
    std::fs::rename(copy, folder.join("ludex.db")).unwrap();
    assert_eq!(open(&folder).unwrap().entries("m1").unwrap().len(), 1);
}

/// A folder for its owner alone, as a store wants it.
fn private_folder() -> tempfile::TempDir {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir().unwrap()
}

/// Gives a file the rights that those of a store have.
fn make_private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[test]
fn what_is_no_database_of_this_version_is_left_alone() {
    let folder = private_folder();
    let path = folder.path().join("ludex.db");
    std::fs::write(&path, "a letter to somebody, long enough not to be taken for nothing at all").unwrap();
    make_private(&path);
    let error = open(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    std::fs::remove_file(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE letters (text)").unwrap();
    drop(other);
    make_private(&path);
    let error = open(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    std::fs::remove_file(&path).unwrap();
    drop(open(folder.path()).unwrap());
    let later = rusqlite::Connection::open(&path).unwrap();
    later.pragma_update(None, "user_version", 99).unwrap();
    drop(later);
    let error = open(folder.path()).unwrap_err();
    assert!(error.to_string().ends_with("was made by a newer version of ludex; this one cannot read it"));
}

#[test]
fn a_full_disk_is_said_and_loses_nothing() {
    let folder = private_folder();
    let options = SqliteOptions { most_bytes: Some(400 << 10), ..SqliteOptions::default() };
    let store = SqliteStore::open(folder.path(), &options).unwrap();
    let mut journal = store.journal().unwrap();
    let mut written = 0;
    let error = loop {
        match journal.append(&[line("m1", written, 4000), line("m2", written, 4000)]) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 1000, "it is never full");
    };
    assert!(error.to_string().starts_with("there is no room left on the disk of"), "{error}");
    assert!(written > 5);
    for id in ["m1", "m2"] {
        assert_eq!(store.entries(id).unwrap().len() as u64, written, "{id}");
    }
    assert!(matches!(store.put_game(&game("rows", &"x".repeat(9000), 1)), Err(StoreError::Full { .. })));
    drop((journal, store));
    // With more room it goes on where it was.
    let store = open(folder.path()).unwrap();
    store.journal().unwrap().append(&[line("m1", written, 4000)]).unwrap();
    assert_eq!(store.entries("m1").unwrap().len() as u64, written + 1);
}

#[test]
fn a_lock_of_another_program_is_said_and_passes() {
    let folder = private_folder();
    let store = open(folder.path()).unwrap();
    let other = rusqlite::Connection::open(folder.path().join("ludex.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.put_game(&game("rows", "(role a)", 1)).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    let error = store.journal().unwrap().append(&[line("m1", 0, 1)]).unwrap_err();
    assert!(error.to_string().ends_with("is locked by another program"), "{error}");
    assert_eq!(store.games(&GameQuery::default()).unwrap().total, 0, "it can be read");
    other.execute_batch("ROLLBACK").unwrap();
    store.journal().unwrap().append(&[line("m1", 0, 1)]).unwrap();
    assert_eq!(store.entries("m1").unwrap().len(), 1);
}

#[test]
fn a_folder_that_cannot_be_used_is_said() {
    let folder = private_folder();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = open(&file).unwrap_err();
    assert!(matches!(error, StoreError::Folder { .. }), "{error}");
    #[cfg(target_os = "linux")]
    {
        // Nobody can write there, not even who may do everything.
        let error = open(Path::new("/proc/ludex")).unwrap_err();
        assert!(matches!(error, StoreError::Folder { .. }), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_database_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let folder = private_folder();
    drop(open(folder.path()).unwrap());
    let path = folder.path().join("ludex.db");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o400)).unwrap();
    let may_all = std::fs::OpenOptions::new().write(true).open(&path).is_ok();
    match open(folder.path()) {
        Ok(_) => assert!(may_all, "a file that is read-only was written"),
        Err(error) => assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}"),
    }
}

/// Where others have a right to the folder, or to anything of the store in it, nothing is opened, and it is said
/// what to do. What the store makes is for its owner alone.
#[cfg(unix)]
#[test]
fn what_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("a folder");
    let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let loosen = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let store = open(&folder).unwrap();
    store.put_game(&game("rows", "(role a)", 1)).unwrap();
    store.copy_to(&outer.path().join("copy.db")).unwrap();
    assert_eq!((rights(&folder), rights(&outer.path().join("copy.db"))), (0o700, 0o600));
    for file in ["ludex.db", "ludex.db-wal", "ludex.db-shm", "ludex.lock"] {
        assert_eq!(rights(&folder.join(file)), 0o600, "{file}");
    }
    drop(store);
    for (path, loose, tight) in [
        (folder.clone(), 0o750, 0o700),
        (folder.join("ludex.db"), 0o604, 0o600),
        (folder.join("ludex.lock"), 0o620, 0o600),
    ] {
        loosen(&path, loose);
        let error = open(&folder).unwrap_err();
        assert!(matches!(&error, StoreError::NotPrivate { path: found, .. } if *found == path), "{error}");
        assert!(
            error.to_string().contains("chmod -R go= '") && error.to_string().contains("a folder'`"),
            "{error}"
        );
        loosen(&path, tight);
    }
    assert_eq!(open(&folder).unwrap().game("rows", None).unwrap().text, "(role a)");
}

/// Folders above the data that are made with it are nobody else's: who may write there could put another folder in
/// its place.
#[cfg(unix)]
#[test]
fn folders_above_are_private_too() {
    use std::os::unix::fs::PermissionsExt;
    let outer = private_folder();
    let above = outer.path().join("above");
    drop(SqliteStore::open(&above.join("data"), &SqliteOptions::default()).unwrap());
    assert_eq!(std::fs::metadata(&above).unwrap().permissions().mode() & 0o077, 0);
}

/// The tables as they were when keys of seats were kept as they are, with a match.
const BEFORE: &str = "
CREATE TABLE tournaments (id TEXT PRIMARY KEY, title TEXT NOT NULL, format TEXT NOT NULL, plan TEXT NOT NULL,
    stage TEXT NOT NULL, players INTEGER NOT NULL, games INTEGER NOT NULL, created INTEGER NOT NULL,
    ended INTEGER) STRICT;
CREATE TABLE matches (id TEXT PRIMARY KEY, game TEXT NOT NULL, version TEXT NOT NULL, stage TEXT NOT NULL,
    plan TEXT NOT NULL, fixture TEXT, tournament TEXT REFERENCES tournaments, hidden INTEGER NOT NULL,
    created INTEGER NOT NULL, due INTEGER NOT NULL, began INTEGER, ended INTEGER,
    steps INTEGER NOT NULL DEFAULT 0, aborted TEXT) STRICT;
CREATE TABLE match_seats (match TEXT NOT NULL REFERENCES matches, seat INTEGER NOT NULL,
    role TEXT NOT NULL DEFAULT '', player TEXT NOT NULL COLLATE NOCASE, goal INTEGER, reward REAL,
    late INTEGER NOT NULL DEFAULT 0, illegal INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    key TEXT NOT NULL DEFAULT '', taken INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (match, seat)) STRICT,
    WITHOUT ROWID;
CREATE TABLE game_versions (game TEXT, sha256 TEXT, dialect TEXT, notation TEXT, text TEXT, added INTEGER);
CREATE TABLE records (match TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
CREATE TABLE entries (match TEXT NOT NULL, number INTEGER NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (match, number)) STRICT, WITHOUT ROWID;
-- In the second of two matches that are over moves were taken back.
INSERT INTO matches (id, game, version, stage, plan, hidden, created, due)
    VALUES ('o1', 'rows', 'x', 'completed', '{}', 0, 1, 1), ('o2', 'rows', 'x', 'completed', '{}', 0, 1, 1);
INSERT INTO entries VALUES ('o2', 0, '{\"takenback\":{\"steps\":1}}');
";

/// A database of before is brought up to date: its keys still open their seats, and stand nowhere any more.
#[test]
fn keys_of_before_are_kept_as_digests_and_in_no_file() {
    const KEYS: [&str; 2] = ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"];
    let folder = private_folder();
    let path = folder.path().join("ludex.db");
    let before = rusqlite::Connection::open(&path).unwrap();
    before.pragma_update(None, "journal_mode", "wal").unwrap();
    before.execute_batch(BEFORE).unwrap();
    before.pragma_update(None, "application_id", 0x4c75_6478).unwrap();
    before.pragma_update(None, "user_version", 2).unwrap();
    let plan = serde_json::to_string(&match_row("m1", ["Alpha", "beta"], 5).plan).unwrap();
    let sql = "INSERT INTO matches (id, game, version, stage, plan, hidden, created, due)
               VALUES ('m1', 'rows', 'x', 'planned', ?1, 0, 5, 5)";
    before.execute(sql, [plan]).unwrap();
    for (seat, key) in KEYS.iter().enumerate() {
        let sql =
            "INSERT INTO match_seats (match, seat, player, key, taken) VALUES ('m1', ?1, 'Alpha', ?2, ?1)";
        before.execute(sql, rusqlite::params![seat as i64, key]).unwrap();
    }
    drop(before);
    make_private(&path);
    let holds = |key: &str| {
        let files = ["ludex.db", "ludex.db-wal"].map(|name| std::fs::read(folder.path().join(name)));
        files.into_iter().flatten().any(|bytes| bytes.windows(key.len()).any(|part| part == key.as_bytes()))
    };
    assert!(KEYS.iter().all(|key| holds(key)), "they were there");
    let store = open(folder.path()).unwrap();
    let row = store.find_match("m1").unwrap();
    assert!(row.keys[0].fits(KEYS[0]) && !row.keys[0].is_taken() && row.keys[1].fits(KEYS[1]));
    assert!(row.keys[1].is_taken() && !row.keys[1].fits(KEYS[0]));
    assert!(!KEYS.iter().any(|key| holds(key)), "while it is open");
    assert_eq!(store.uncounted_matches().unwrap(), 1, "what was over waits to be rated");
    drop(store);
    assert!(!KEYS.iter().any(|key| holds(key)), "nor afterwards");
}
