//! What finished matches say about games and players.

use ludex::matches::tournament::FaultCounts;
use rusqlite::{Connection, Row, params};

use super::fault::Fault;
use crate::model::{GameResults, Opening, OpponentResults, PlayerResults, SeatResults};
use crate::store::values::{
    MATCHES_LOOKED_AT as MATCHES, RESULT_ROWS as ROWS, integer, natural, openings_of,
};

fn seat_results(row: &Row<'_>) -> rusqlite::Result<SeatResults> {
    Ok(SeatResults {
        game: row.get(0)?,
        seat: row.get(1)?,
        role: row.get(2)?,
        matches: natural(row.get(3)?),
        goal: row.get(4)?,
        faults: FaultCounts { late: row.get(5)?, illegal: row.get(6)?, failed: row.get(7)? },
    })
}

pub(super) fn of_player(connection: &Connection, name: &str) -> Result<PlayerResults, Fault> {
    let mut statement = connection.prepare_cached(
        "WITH own AS (SELECT * FROM match_seats WHERE player = ?1 ORDER BY match DESC LIMIT ?3)
         SELECT m.game, s.seat, max(s.role), count(*), avg(coalesce(s.goal, 0)),
                sum(s.late), sum(s.illegal), sum(s.failed)
         FROM own s JOIN matches m ON m.id = s.match WHERE m.stage = 'completed'
         GROUP BY m.game, s.seat ORDER BY count(*) DESC, m.game, s.seat LIMIT ?2",
    )?;
    let seats =
        statement.query_map(params![name, ROWS, MATCHES], seat_results)?.collect::<Result<Vec<_>, _>>()?;
    let mut statement = connection.prepare_cached(
        "WITH own AS (SELECT * FROM match_seats WHERE player = ?1 ORDER BY match DESC LIMIT ?3)
         SELECT max(o.player), count(DISTINCT s.match), avg(coalesce(s.goal, 0)), avg(coalesce(o.goal, 0))
         FROM own s JOIN matches m ON m.id = s.match
         JOIN match_seats o ON o.match = s.match AND o.player <> s.player
         WHERE m.stage = 'completed'
         GROUP BY o.player ORDER BY count(DISTINCT s.match) DESC, o.player LIMIT ?2",
    )?;
    let opponent = |row: &Row<'_>| {
        Ok(OpponentResults {
            opponent: row.get(0)?,
            matches: natural(row.get(1)?),
            goal: row.get(2)?,
            opponent_goal: row.get(3)?,
        })
    };
    let opponents =
        statement.query_map(params![name, ROWS, MATCHES], opponent)?.collect::<Result<Vec<_>, _>>()?;
    Ok(PlayerResults { seats, opponents })
}

/// The newest finished matches of a version of a game.
const NEWEST: &str = "WITH newest AS (
    SELECT id, game, opening FROM matches WHERE game = ?1 AND version = ?2 AND stage = 'completed'
    ORDER BY created DESC, id DESC LIMIT ?3)";

pub(super) fn of_game(connection: &Connection, game: &str, version: &str) -> Result<GameResults, Fault> {
    let sql = format!(
        "{NEWEST} SELECT m.game, s.seat, max(s.role), count(*), avg(coalesce(s.goal, 0)),
                sum(s.late), sum(s.illegal), sum(s.failed)
         FROM newest m JOIN match_seats s ON s.match = m.id GROUP BY s.seat ORDER BY s.seat LIMIT ?4"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let seats = statement
        .query_map(params![game, version, MATCHES, ROWS], seat_results)?
        .collect::<Result<Vec<_>, _>>()?;
    let matches = seats.first().map_or(0, |seat: &SeatResults| seat.matches);
    Ok(GameResults { matches, openings: openings(connection, game, version)?, seats })
}

fn openings(connection: &Connection, game: &str, version: &str) -> Result<Vec<Opening>, Fault> {
    // The rows of one opening follow each other, seat by seat.
    let sql = format!(
        "{NEWEST} SELECT m.opening, count(*), avg(coalesce(s.goal, 0))
         FROM newest m JOIN match_seats s ON s.match = m.id
         WHERE m.opening IS NOT NULL GROUP BY m.opening, s.seat ORDER BY m.opening, s.seat"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![game, version, MATCHES], |row| {
        Ok((row.get::<_, String>(0)?, natural(row.get(1)?), row.get::<_, f64>(2)?))
    })?;
    Ok(openings_of(rows.collect::<Result<_, _>>()?))
}

/// The tournaments that a player had matches in lately, the newest first.
pub(super) fn tournaments_of(connection: &Connection, name: &str, most: u64) -> Result<Vec<String>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT t.id FROM tournaments t WHERE t.id IN (
             SELECT m.tournament
             FROM (SELECT match FROM match_seats WHERE player = ?1 ORDER BY match DESC LIMIT ?3) s
             JOIN matches m ON m.id = s.match WHERE m.tournament IS NOT NULL)
         ORDER BY t.created DESC, t.id DESC LIMIT ?2",
    )?;
    let rows = statement.query_map(params![name, integer(most), MATCHES], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
