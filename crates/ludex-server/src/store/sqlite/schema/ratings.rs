//! Ratings of players over all matches.

/// Tables for ratings. What was over before them waits to be counted, but for matches that did not begin at the beginning,
/// and those in which moves were taken back.
pub(super) const RATINGS: &str = r#"
-- Matches that are over and wait to be counted.
CREATE TABLE rating_queue (
    match TEXT PRIMARY KEY,
    ended INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_queue_by_time ON rating_queue (ended, match);

-- In which order matches count, the kind of their game, and what they changed (in JSON).
CREATE TABLE rated_matches (
    number INTEGER PRIMARY KEY,
    match TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    changes TEXT
) STRICT;

-- One row: up to which number matches are counted.
CREATE TABLE rating_position (
    id INTEGER PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT;

CREATE TABLE ratings (
    scope TEXT NOT NULL,
    player TEXT NOT NULL COLLATE NOCASE,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    low REAL NOT NULL,
    matches INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (scope, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX ratings_by_strength ON ratings (scope, low DESC, player);
CREATE INDEX ratings_by_player ON ratings (player, matches DESC);

-- Ratings as they became.
CREATE TABLE rating_moments (
    scope TEXT NOT NULL,
    player TEXT NOT NULL COLLATE NOCASE,
    matches INTEGER NOT NULL,
    at INTEGER NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    PRIMARY KEY (scope, player, matches)
) STRICT, WITHOUT ROWID;

INSERT INTO rating_queue (match, ended)
SELECT m.id, coalesce(m.ended, m.created) FROM matches m
WHERE m.stage = 'completed' AND m.plan NOT LIKE '%"moves":[[%' AND NOT EXISTS (
    SELECT 1 FROM entries e WHERE e.match = m.id AND e.entry LIKE '{"takenback"%');
"#;
