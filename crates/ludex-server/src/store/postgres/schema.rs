//! The tables, and how they came to be.
//!
//! Times are milliseconds since 1970; what has a structure is JSON as text. Names are compared by their bytes
//! (`COLLATE "C"`), those of players without regard to the case of the letters A to Z, as SQLite does. A migration that
//! was ever part of a release is not changed any more; a change is one more migration.
//!
//! Servers of two versions share the tables for a while, when a newer one comes before the older ones have gone. So a
//! migration says whether servers of the version before can go on beside it ([`Migration::beside`]): it adds tables,
//! columns with a default and indexes, and changes nothing that they read or write. Any other ([`Migration::alone`]) is
//! refused as long as there is another server, and older ones are refused from then on.

mod counts;
mod members;
mod ratings;

use std::path::Path;

use super::connection::{Connection, get, values};
use super::fault::Fault;
use crate::model::StoreError;
use crate::store::{Purpose, accounts};

/// A step from one version of the tables to the next one.
struct Migration {
    sql: &'static str,
    /// Whether servers of the version before can go on.
    beside: bool,
}

impl Migration {
    /// A step that only adds what servers of the version before need not know.
    #[expect(dead_code, reason = "no step of this kind has come yet")]
    const fn beside(sql: &'static str) -> Self {
        Self { sql, beside: true }
    }

    /// A step that servers of the version before cannot live with.
    const fn alone(sql: &'static str) -> Self {
        Self { sql, beside: false }
    }
}

/// All steps from an empty schema to the tables of this version.
const MIGRATIONS: &[Migration] = &[
    Migration::alone(FIRST),
    Migration::alone(counts::COUNTS),
    Migration::alone(ratings::RATINGS),
    Migration::alone(accounts::schema::POSTGRES),
    Migration::alone(members::MEMBERS),
];

const FIRST: &str = r#"
CREATE TABLE games (
    name TEXT COLLATE "C" PRIMARY KEY,
    title TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    bundled BOOLEAN NOT NULL,
    present TEXT COLLATE "C" NOT NULL
);

CREATE TABLE game_versions (
    game TEXT COLLATE "C" NOT NULL REFERENCES games,
    sha256 TEXT COLLATE "C" NOT NULL,
    dialect TEXT COLLATE "C" NOT NULL,
    notation TEXT COLLATE "C" NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    added BIGINT NOT NULL,
    offered BOOLEAN NOT NULL,
    -- In the order in which they came.
    number BIGINT GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (game, sha256)
);

-- What is said of a version of a game, by the release of Ludex that said it.
CREATE TABLE descriptions (
    game TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    release TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (game, sha256)
);

-- How a version of a game is played, by the release of Ludex that said it.
CREATE TABLE guides (
    game TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    release TEXT COLLATE "C" NOT NULL,
    guide TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (game, sha256)
);

CREATE TABLE game_features (
    game TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    seats BIGINT NOT NULL,
    hidden BOOLEAN NOT NULL,
    chance BOOLEAN NOT NULL,
    simultaneous BOOLEAN NOT NULL,
    real_time BOOLEAN NOT NULL,
    steps BIGINT,
    board BOOLEAN NOT NULL,
    PRIMARY KEY (game, sha256)
);

CREATE TABLE players (
    name TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    registered BIGINT NOT NULL,
    removed BOOLEAN NOT NULL DEFAULT false,
    availability TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX players_by_name ON players (lower(name));

CREATE TABLE tournaments (
    id TEXT COLLATE "C" PRIMARY KEY,
    title TEXT COLLATE "C" NOT NULL,
    format TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    stage TEXT COLLATE "C" NOT NULL,
    players BIGINT NOT NULL,
    games BIGINT NOT NULL,
    created BIGINT NOT NULL,
    ended BIGINT
);
CREATE INDEX tournaments_by_time ON tournaments (created DESC, id DESC);

-- In order, the events are the tournament.
CREATE TABLE tournament_events (
    tournament TEXT COLLATE "C" NOT NULL REFERENCES tournaments,
    number BIGINT NOT NULL,
    event TEXT COLLATE "C" NOT NULL,
    is_result BOOLEAN NOT NULL,
    PRIMARY KEY (tournament, number)
);

CREATE TABLE matches (
    id TEXT COLLATE "C" PRIMARY KEY,
    game TEXT COLLATE "C" NOT NULL,
    version TEXT COLLATE "C" NOT NULL,
    stage TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    fixture TEXT COLLATE "C",
    tournament TEXT COLLATE "C" REFERENCES tournaments,
    hidden BOOLEAN NOT NULL,
    created BIGINT NOT NULL,
    due BIGINT NOT NULL,
    began BIGINT,
    ended BIGINT,
    steps BIGINT NOT NULL DEFAULT 0,
    aborted TEXT COLLATE "C",
    resumptions BIGINT NOT NULL DEFAULT 0,
    wanted_abort TEXT COLLATE "C",
    -- The first moves of a match that is over, as a list in JSON, so that they can be counted.
    opening TEXT COLLATE "C"
);
CREATE INDEX matches_by_time ON matches (created DESC, id DESC);
CREATE INDEX matches_by_stage ON matches (stage, created DESC, id DESC);
CREATE INDEX matches_by_game ON matches (game, created DESC, id DESC);
CREATE INDEX matches_by_tournament ON matches (tournament) WHERE tournament IS NOT NULL;

CREATE TABLE match_seats (
    match TEXT COLLATE "C" NOT NULL REFERENCES matches,
    seat BIGINT NOT NULL,
    role TEXT COLLATE "C" NOT NULL DEFAULT '',
    player TEXT COLLATE "C" NOT NULL,
    goal BIGINT,
    reward DOUBLE PRECISION,
    late BIGINT NOT NULL DEFAULT 0,
    illegal BIGINT NOT NULL DEFAULT 0,
    failed BIGINT NOT NULL DEFAULT 0,
    key TEXT COLLATE "C" NOT NULL DEFAULT '',
    taken BOOLEAN NOT NULL DEFAULT false,
    PRIMARY KEY (match, seat)
);
CREATE INDEX match_seats_by_player ON match_seats (lower(player), match);

-- In order, the entries are the match. An entry may be there before lists know that the match runs.
CREATE TABLE entries (
    match TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    entry TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (match, number)
);

-- Made of the entries when a match is over, because to make them takes long. Without the rulesheet. Bytes that are not
-- compressed can be read piece by piece.
CREATE TABLE records (
    match TEXT COLLATE "C" PRIMARY KEY REFERENCES matches,
    record BYTEA NOT NULL
);
ALTER TABLE records ALTER COLUMN record SET STORAGE EXTERNAL;
"#;

/// The oldest version of PostgreSQL that says what became of a transaction.
const OLDEST: i64 = 130_000;

/// That the server can keep what there is, and that nobody else keeps other things where the tables are to be.
pub(super) fn is_usable(connection: &mut Connection, place: &Path) -> Result<(), Fault> {
    let unusable = |cause: &str| StoreError::Other { path: place.to_owned(), cause: cause.to_owned() };
    let sql = "SELECT current_setting('server_version_num')::bigint >= $1::bigint";
    if connection.value(sql, values![OLDEST])? != Some(true) {
        return Err(unusable("PostgreSQL 13 or newer is needed").into());
    }
    if connection.run_and_ask("SHOW server_encoding")?.as_deref() != Some("UTF8") {
        return Err(unusable("a database in the encoding UTF8 is needed").into());
    }
    if connection.value::<bool>("SELECT current_schema() IS NOT NULL", &[])? != Some(true) {
        return Err(unusable("there is no schema of the `search_path`").into());
    }
    // What belongs to an extension is nobody's data. Another server may be making the tables: one question sees all of
    // them or none.
    let sql = "SELECT to_regclass(quote_ident(current_schema()) || '.ludex') IS NULL AND EXISTS (
                   SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                   WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT EXISTS (
                       SELECT 1 FROM pg_depend d
                       WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))";
    if connection.value(sql, &[])? == Some(true) {
        return Err(StoreError::NotADatabase { path: place.to_owned() }.into());
    }
    Ok(())
}

/// Whether there are tables of Ludex.
fn is_ours(connection: &mut Connection) -> Result<bool, Fault> {
    let sql = "SELECT to_regclass(quote_ident(current_schema()) || '.ludex') IS NOT NULL";
    Ok(connection.value(sql, &[])?.unwrap_or(false))
}

/// Which tables there are.
struct Version {
    number: i64,
    /// The oldest version whose servers may use them.
    oldest: i64,
    incomplete: bool,
}

fn version(connection: &mut Connection, place: &Path) -> Result<Option<Version>, Fault> {
    if !is_ours(connection)? {
        return Ok(None);
    }
    // The first version had no such column.
    let sql = "SELECT version, coalesce((to_jsonb(ludex) ->> 'oldest')::bigint, 1), incomplete FROM ludex";
    let row = connection.row(sql, &[])?;
    let row = row.ok_or_else(|| Fault::from(StoreError::Damaged { path: place.to_owned() }))?;
    Ok(Some(Version { number: get(&row, 0)?, oldest: get(&row, 1)?, incomplete: get(&row, 2)? }))
}

/// One server at a time brings the tables up to date; others wait for it.
const UPDATE_LOCK: &str = "(SELECT (1282761849::bigint << 32) | oid::bigint FROM pg_namespace
                            WHERE nspname = current_schema())";

/// Makes the tables, or brings those of an older version up to date.
pub(super) fn bring_up_to_date(
    connection: &mut Connection,
    place: &Path,
    purpose: Purpose,
) -> Result<(), Fault> {
    if purpose != Purpose::Target
        && let Some(found) = version(connection, place)?
        && !found.incomplete
        && found.number == latest()
    {
        return Ok(());
    }
    connection.run(&format!("SELECT pg_advisory_lock({UPDATE_LOCK})"))?;
    let done = bring_up_to_date_alone(connection, place, purpose);
    // Where the connection is gone, so is the lock.
    let _ = connection.run(&format!("SELECT pg_advisory_unlock({UPDATE_LOCK})"));
    done
}

fn latest() -> i64 {
    MIGRATIONS.len() as i64
}

fn bring_up_to_date_alone(connection: &mut Connection, place: &Path, purpose: Purpose) -> Result<(), Fault> {
    let copies = purpose == Purpose::Target;
    let found = version(connection, place)?;
    match &found {
        Some(found) if found.incomplete && !copies => {
            return Err(StoreError::Incomplete { path: place.to_owned() }.into());
        }
        Some(found) if !found.incomplete && copies && !is_empty(connection)? => {
            return Err(StoreError::NotEmpty { path: place.to_owned() }.into());
        }
        None if purpose == Purpose::Source => {
            return Err(Fault::not_found("store", &place.display().to_string()));
        }
        _ => {}
    }
    let before = found.as_ref().map_or(0, |found| found.number);
    if before > latest() {
        return match found {
            // Newer tables that this version can use as they are.
            Some(found) if found.oldest <= latest() && !copies => Ok(()),
            _ => Err(StoreError::Newer { path: place.to_owned() }.into()),
        };
    }
    let due = MIGRATIONS.iter().zip(1i64..).skip(usize::try_from(before).unwrap_or(0));
    let oldest = due.clone().filter(|(migration, _)| !migration.beside).map(|(_, number)| number).max();
    if oldest.is_some() && before > 0 && is_shared(connection)? {
        return Err(StoreError::InUse { path: place.to_owned() }.into());
    }
    let mut script = String::from("BEGIN;");
    if before == 0 {
        script += "CREATE TABLE ludex (version BIGINT NOT NULL, incomplete BOOLEAN NOT NULL);
                   INSERT INTO ludex VALUES (0, false);";
    }
    due.for_each(|(migration, _)| script += migration.sql);
    let oldest = oldest.map_or_else(String::new, |oldest| format!(", oldest = {oldest}"));
    script += &format!("UPDATE ludex SET version = {}, incomplete = {copies}{oldest}; COMMIT;", latest());
    if before < latest() || copies {
        connection.run(&script)?;
    }
    Ok(())
}

/// Whether another server has the tables: its connection that writes holds the same lock.
fn is_shared(connection: &mut Connection) -> Result<bool, Fault> {
    let sql = "SELECT EXISTS (
                   SELECT 1 FROM pg_locks o JOIN pg_locks l USING (locktype, database, classid, objid, objsubid)
                   WHERE o.locktype = 'advisory' AND o.classid = 1282761848::oid AND o.granted AND l.granted
                     AND o.pid = pg_backend_pid() AND l.pid <> o.pid)";
    Ok(connection.value(sql, &[])?.unwrap_or(false) || has_members(connection)?)
}

/// Whether there is a member whose lease has not run out.
pub(super) fn has_members(connection: &mut Connection) -> Result<bool, Fault> {
    let sql = "SELECT to_regclass(quote_ident(current_schema()) || '.members') IS NOT NULL";
    if connection.value(sql, &[])? != Some(true) {
        return Ok(false);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM members WHERE expires > clock_timestamp())";
    Ok(connection.value(sql, &[])?.unwrap_or(false))
}

/// Whether nothing was kept yet.
fn is_empty(connection: &mut Connection) -> Result<bool, Fault> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM games) AND NOT EXISTS (SELECT 1 FROM players)
               AND NOT EXISTS (SELECT 1 FROM matches) AND NOT EXISTS (SELECT 1 FROM tournaments)
               AND NOT EXISTS (SELECT 1 FROM entries) AND NOT EXISTS (SELECT 1 FROM accounts)";
    Ok(connection.value(sql, &[])?.unwrap_or(false))
}

/// Notes that a copy is complete.
pub(super) fn complete(connection: &mut Connection) -> Result<(), Fault> {
    connection.run("UPDATE ludex SET incomplete = false")
}
