//! How games are played, and what tells them apart.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Fault;
use crate::model::GameFeatures;

/// How a version of a game is played, as a release of Ludex said it.
pub(super) fn guide(
    connection: &Connection,
    game: &str,
    sha256: &str,
    release: &str,
) -> Result<Option<String>, Fault> {
    let mut statement = connection
        .prepare_cached("SELECT guide FROM guides WHERE game = ?1 AND sha256 = ?2 AND release = ?3")?;
    Ok(statement.query_row([game, sha256, release], |row| row.get(0)).optional()?)
}

pub(super) fn keep(
    connection: &Connection,
    game: &str,
    sha256: &str,
    release: &str,
    guide: &str,
) -> Result<(), Fault> {
    connection.execute(
        "INSERT OR REPLACE INTO guides (game, sha256, release, guide) VALUES (?1, ?2, ?3, ?4)",
        [game, sha256, release, guide],
    )?;
    Ok(())
}

pub(super) fn keep_features(
    connection: &Connection,
    game: &str,
    sha256: &str,
    features: &GameFeatures,
) -> Result<(), Fault> {
    let GameFeatures { seats, hidden, chance, simultaneous, real_time, steps, board } = features;
    connection.execute(
        "INSERT OR REPLACE INTO game_features
             (game, sha256, seats, hidden, chance, simultaneous, real_time, steps, board)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![game, sha256, seats, hidden, chance, simultaneous, real_time, steps, board],
    )?;
    Ok(())
}

/// The columns of what tells games apart, from a table that is called `f`.
pub(super) const COLUMNS: &str = "f.seats, f.hidden, f.chance, f.simultaneous, f.real_time, f.steps, f.board";

/// What stands in these columns from this one on; none where the first is empty.
pub(super) fn features(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<GameFeatures>> {
    let Some(seats) = row.get::<_, Option<u32>>(first)? else { return Ok(None) };
    Ok(Some(GameFeatures {
        seats,
        hidden: row.get(first + 1)?,
        chance: row.get(first + 2)?,
        simultaneous: row.get(first + 3)?,
        real_time: row.get(first + 4)?,
        steps: row.get(first + 5)?,
        board: row.get(first + 6)?,
    }))
}
