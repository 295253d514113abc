//! How games are played, and what tells them apart.

use postgres::Row;

use super::connection::{Connection, get, values};
use super::fault::Fault;
use crate::model::GameFeatures;

/// How a version of a game is played, as a release of Ludex said it.
pub(super) fn guide(
    connection: &mut Connection,
    game: &str,
    sha256: &str,
    release: &str,
) -> Result<Option<String>, Fault> {
    let sql = "SELECT guide FROM guides WHERE game = $1 AND sha256 = $2 AND release = $3";
    connection.value(sql, values![game, sha256, release])
}

pub(super) fn keep(
    connection: &mut Connection,
    game: &str,
    sha256: &str,
    release: &str,
    guide: &str,
) -> Result<(), Fault> {
    let sql = "INSERT INTO guides (game, sha256, release, guide) VALUES ($1, $2, $3, $4)
               ON CONFLICT (game, sha256) DO UPDATE SET release = EXCLUDED.release, guide = EXCLUDED.guide";
    connection.execute(sql, values![game, sha256, release, guide])?;
    Ok(())
}

pub(super) fn keep_features(
    connection: &mut Connection,
    game: &str,
    sha256: &str,
    features: &GameFeatures,
) -> Result<(), Fault> {
    let GameFeatures { seats, hidden, chance, simultaneous, real_time, steps, board } = *features;
    connection.execute(
        "INSERT INTO game_features
             (game, sha256, seats, hidden, chance, simultaneous, real_time, steps, board)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (game, sha256) DO UPDATE SET
             seats = EXCLUDED.seats, hidden = EXCLUDED.hidden, chance = EXCLUDED.chance,
             simultaneous = EXCLUDED.simultaneous, real_time = EXCLUDED.real_time,
             steps = EXCLUDED.steps, board = EXCLUDED.board",
        values![game, sha256, seats, hidden, chance, simultaneous, real_time, steps, board],
    )?;
    Ok(())
}

/// The columns of what tells games apart, from a table that is called `f`.
pub(super) const COLUMNS: &str = "f.seats, f.hidden, f.chance, f.simultaneous, f.real_time, f.steps, f.board";
/// How many these are.
pub(super) const COUNT: usize = 7;

/// What stands in these columns from this one on; none where the first is empty.
pub(super) fn features(row: &Row, first: usize) -> Result<Option<GameFeatures>, Fault> {
    let Some(seats) = get::<Option<u32>>(row, first)? else { return Ok(None) };
    Ok(Some(GameFeatures {
        seats,
        hidden: get(row, first + 1)?,
        chance: get(row, first + 2)?,
        simultaneous: get(row, first + 3)?,
        real_time: get(row, first + 4)?,
        steps: get(row, first + 5)?,
        board: get(row, first + 6)?,
    }))
}
