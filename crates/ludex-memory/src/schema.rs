//! The tables, and how they came to be.
//!
//! Times are seconds since 1970; moves are terms in prefix notation, in the words of the rulesheet that the game was
//! first met by. A migration that was ever part of a release is not changed any more; a change is one more migration.

use rusqlite_migration::{M, Migrations};

/// `LudM`: tells a memory from other databases.
pub(crate) const APPLICATION: i64 = 0x4c75_644d;

/// The newest version of the tables.
pub(crate) const VERSION: i64 = 2;

/// All steps from an empty file to the tables of this version.
pub(crate) fn migrations() -> Migrations<'static> {
    Migrations::new(vec![M::up(FIRST), M::up(SEARCHES)])
}

const FIRST: &str = "
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    -- What does not depend on names, to find candidates by.
    shape TEXT NOT NULL,
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    rulesheet TEXT NOT NULL,
    UNIQUE (rulesheet, language)
) STRICT;
CREATE INDEX games_by_shape ON games (shape);

CREATE TABLE evaluations (
    game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
    objective TEXT NOT NULL,
    games INTEGER NOT NULL,
    evaluation TEXT NOT NULL,
    changed INTEGER NOT NULL DEFAULT (unixepoch()),
    PRIMARY KEY (game, objective)
) STRICT;

CREATE TABLE matches (
    id INTEGER PRIMARY KEY,
    game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
    -- Who remembers it, and its role.
    player TEXT NOT NULL,
    role INTEGER NOT NULL,
    completed INTEGER NOT NULL,
    -- A list of joint moves.
    moves TEXT NOT NULL,
    ended INTEGER NOT NULL DEFAULT (unixepoch())
) STRICT;
CREATE INDEX matches_by_game ON matches (game);

CREATE TABLE match_players (
    match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
    role INTEGER NOT NULL,
    name TEXT,
    goal INTEGER,
    PRIMARY KEY (match, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX match_players_by_name ON match_players (name);
";

const SEARCHES: &str = "
CREATE TABLE searches (
    game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
    -- The strategy that searched, and what it played for.
    strategy TEXT NOT NULL,
    aim TEXT NOT NULL,
    -- The joint moves before.
    path TEXT NOT NULL,
    role INTEGER NOT NULL,
    move TEXT NOT NULL,
    visits INTEGER NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (game, strategy, aim, path, role, move)
) STRICT, WITHOUT ROWID;
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_migrations_are_sound() {
        migrations().validate().unwrap();
        let mut connection = rusqlite::Connection::open_in_memory().unwrap();
        migrations().to_latest(&mut connection).unwrap();
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(version, VERSION);
    }
}
