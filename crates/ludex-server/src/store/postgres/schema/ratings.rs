//! Ratings of players over all matches.

/// Tables for ratings. What was over before them waits to be counted, but for matches that did not begin at the beginning,
/// and those in which moves were taken back.
pub(super) const RATINGS: &str = r#"
-- Matches that are over and wait to be counted.
CREATE TABLE rating_queue (
    match TEXT COLLATE "C" PRIMARY KEY,
    ended BIGINT NOT NULL
);
CREATE INDEX rating_queue_by_time ON rating_queue (ended, match);

-- In which order matches count, the kind of their game, and what they changed (in JSON).
CREATE TABLE rated_matches (
    number BIGINT PRIMARY KEY,
    match TEXT COLLATE "C" NOT NULL UNIQUE,
    kind TEXT COLLATE "C" NOT NULL,
    changes TEXT COLLATE "C"
);

-- One row: up to which number matches are counted.
CREATE TABLE rating_position (
    id BIGINT PRIMARY KEY,
    number BIGINT NOT NULL
);

CREATE TABLE ratings (
    scope TEXT COLLATE "C" NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    low DOUBLE PRECISION NOT NULL,
    matches BIGINT NOT NULL,
    last BIGINT NOT NULL
);
CREATE UNIQUE INDEX ratings_by_name ON ratings (scope, lower(player));
CREATE INDEX ratings_by_strength ON ratings (scope, low DESC, lower(player));
CREATE INDEX ratings_by_player ON ratings (lower(player), matches DESC);

-- Ratings as they became.
CREATE TABLE rating_moments (
    scope TEXT COLLATE "C" NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    matches BIGINT NOT NULL,
    at BIGINT NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL
);
CREATE UNIQUE INDEX rating_moments_by_name ON rating_moments (scope, lower(player), matches);

INSERT INTO rating_queue (match, ended)
SELECT m.id, coalesce(m.ended, m.created) FROM matches m
WHERE m.stage = 'completed' AND m.plan NOT LIKE '%"moves":[[%' AND NOT EXISTS (
    SELECT 1 FROM entries e WHERE e.match = m.id AND e.entry LIKE '{"takenback"%');
"#;
