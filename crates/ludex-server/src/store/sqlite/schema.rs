//! The tables, and how they came to be.
//!
//! Times are milliseconds since 1970; what has a structure is JSON as text. A migration that was ever part of
//! a release is not changed any more; a change is one more migration.

mod counts;
mod ratings;

use rusqlite::{Transaction, params};
use rusqlite_migration::{HookResult, M, Migrations};

use crate::model::SeatKey;
use crate::store::accounts;

/// `Ludx`: tells a database of Ludex from others.
pub(super) const APPLICATION: i32 = 0x4c75_6478;
/// `Ludc`: a copy that is not complete.
pub(super) const INCOMPLETE: i32 = 0x4c75_6463;

/// All steps from an empty file to the tables of this version.
pub(super) fn migrations() -> Migrations<'static> {
    Migrations::new(vec![
        M::up(FIRST),
        M::up(SEAT_KEYS),
        M::up_with_hook(QUARANTINE, keep_digests),
        M::up(OFFERED),
        M::up(GUIDES),
        M::up_with_hook(OPENINGS, note_openings),
        M::up(counts::COUNTS),
        M::up(ratings::RATINGS),
        M::up(accounts::schema::SQLITE),
    ])
}

const FIRST: &str = "
CREATE TABLE games (
    name TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    bundled INTEGER NOT NULL,
    present TEXT NOT NULL
) STRICT;

CREATE TABLE game_versions (
    game TEXT NOT NULL REFERENCES games,
    sha256 TEXT NOT NULL,
    dialect TEXT NOT NULL,
    notation TEXT NOT NULL,
    text TEXT NOT NULL,
    added INTEGER NOT NULL,
    PRIMARY KEY (game, sha256)
) STRICT;

CREATE TABLE players (
    name TEXT PRIMARY KEY COLLATE NOCASE,
    kind TEXT NOT NULL,
    registered INTEGER NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0,
    availability TEXT NOT NULL
) STRICT;

CREATE TABLE tournaments (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    format TEXT NOT NULL,
    plan TEXT NOT NULL,
    stage TEXT NOT NULL,
    players INTEGER NOT NULL,
    games INTEGER NOT NULL,
    created INTEGER NOT NULL,
    ended INTEGER
) STRICT;
CREATE INDEX tournaments_by_time ON tournaments (created DESC, id DESC);

-- In order, the events are the tournament.
CREATE TABLE tournament_events (
    tournament TEXT NOT NULL REFERENCES tournaments,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    is_result INTEGER NOT NULL,
    PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE matches (
    id TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    version TEXT NOT NULL,
    stage TEXT NOT NULL,
    plan TEXT NOT NULL,
    fixture TEXT,
    tournament TEXT REFERENCES tournaments,
    hidden INTEGER NOT NULL,
    created INTEGER NOT NULL,
    due INTEGER NOT NULL,
    began INTEGER,
    ended INTEGER,
    steps INTEGER NOT NULL DEFAULT 0,
    aborted TEXT
) STRICT;
CREATE INDEX matches_by_time ON matches (created DESC, id DESC);
CREATE INDEX matches_by_stage ON matches (stage);
CREATE INDEX matches_by_game ON matches (game);
CREATE INDEX matches_by_tournament ON matches (tournament) WHERE tournament IS NOT NULL;

CREATE TABLE match_seats (
    match TEXT NOT NULL REFERENCES matches,
    seat INTEGER NOT NULL,
    role TEXT NOT NULL DEFAULT '',
    player TEXT NOT NULL COLLATE NOCASE,
    goal INTEGER,
    reward REAL,
    late INTEGER NOT NULL DEFAULT 0,
    illegal INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (match, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX match_seats_by_player ON match_seats (player);

-- In order, the entries are the match. An entry may be there before lists know that the match runs.
CREATE TABLE entries (
    match TEXT NOT NULL,
    number INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;

-- Made of the entries when a match is over, because to make them takes long. Without the rulesheet.
CREATE TABLE records (
    match TEXT PRIMARY KEY REFERENCES matches,
    record TEXT NOT NULL
) STRICT;
";

/// Matches that were agreed before seats had keys get some, too.
const SEAT_KEYS: &str = "
ALTER TABLE match_seats ADD COLUMN key TEXT NOT NULL DEFAULT '';
ALTER TABLE match_seats ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
UPDATE match_seats SET key = lower(hex(randomblob(16)));
";

/// What is to be known of a match before it is gone on with: how often that did not come through, and whether
/// it is to end. And what processes of their own have found out about rules.
const QUARANTINE: &str = "
ALTER TABLE matches ADD COLUMN resumptions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE matches ADD COLUMN wanted_abort TEXT;

-- What is said of a version of a game, by the release of Ludex that said it.
CREATE TABLE descriptions (
    game TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    release TEXT NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (game, sha256)
) STRICT;
";

/// Whether a version of a game is offered to be played. And lists of matches of one game or stage come in their order,
/// without all of them being sorted, and lists of games without their texts being read.
const OFFERED: &str = "
ALTER TABLE game_versions ADD COLUMN offered INTEGER NOT NULL DEFAULT 1;

DROP INDEX IF EXISTS matches_by_stage;
DROP INDEX IF EXISTS matches_by_game;
CREATE INDEX matches_by_stage ON matches (stage, created DESC, id DESC);
CREATE INDEX matches_by_game ON matches (game, created DESC, id DESC);
CREATE INDEX game_versions_in_lists ON game_versions (game, sha256, offered, dialect, added);
";

/// How games are played, and what tells them apart.
const GUIDES: &str = "
-- How a version of a game is played, by the release of Ludex that said it.
CREATE TABLE guides (
    game TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    release TEXT NOT NULL,
    guide TEXT NOT NULL,
    PRIMARY KEY (game, sha256)
) STRICT;

CREATE TABLE game_features (
    game TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    seats INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    chance INTEGER NOT NULL,
    simultaneous INTEGER NOT NULL,
    real_time INTEGER NOT NULL,
    steps INTEGER,
    board INTEGER NOT NULL,
    PRIMARY KEY (game, sha256)
) STRICT, WITHOUT ROWID;
";

/// The first moves of matches that are over, as a list in JSON, so that they can be counted.
const OPENINGS: &str = "ALTER TABLE matches ADD COLUMN opening TEXT;";

/// The first moves in a record, as an expression of SQL. Records of some megabytes are not read for it.
pub(super) fn opening(record: &str) -> String {
    format!(
        "CASE WHEN length({record}) < 4000000 AND json_valid({record})
         THEN json_extract({record}, '$.moves[0]') END"
    )
}

/// The first moves of matches that were over before they were noted.
fn note_openings(transaction: &Transaction<'_>) -> HookResult {
    let opening = opening("r.record");
    let sql =
        format!("UPDATE matches SET opening = (SELECT {opening} FROM records r WHERE r.match = matches.id)");
    transaction.execute(&sql, [])?;
    Ok(())
}

/// Keys of seats were kept as they are; from now on their digests are.
fn keep_digests(transaction: &Transaction<'_>) -> HookResult {
    let mut all = transaction.prepare("SELECT match, seat, key FROM match_seats WHERE key <> ''")?;
    let rows = all.query_map([], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
    })?;
    let rows: Vec<(String, i64, String)> = rows.collect::<Result<_, _>>()?;
    let mut change = transaction.prepare("UPDATE match_seats SET key = ?3 WHERE match = ?1 AND seat = ?2")?;
    for (id, seat, key) in rows {
        change.execute(params![id, seat, SeatKey::of(&key, false).digest()])?;
    }
    Ok(())
}
