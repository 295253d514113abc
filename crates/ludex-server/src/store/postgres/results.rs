//! What finished matches say about games and players.

use ludex::matches::tournament::FaultCounts;
use postgres::Row;

use super::connection::{Connection, get, values};
use super::fault::Fault;
use crate::model::{GameResults, Opening, OpponentResults, PlayerResults, SeatResults};
use crate::store::values::{MATCHES_LOOKED_AT as MATCHES, RESULT_ROWS as ROWS, openings_of};

fn seat_results(row: &Row) -> Result<SeatResults, Fault> {
    Ok(SeatResults {
        game: get(row, 0)?,
        seat: get(row, 1)?,
        role: get(row, 2)?,
        matches: get(row, 3)?,
        goal: get(row, 4)?,
        faults: FaultCounts { late: get(row, 5)?, illegal: get(row, 6)?, failed: get(row, 7)? },
    })
}

/// How often a seat was had, with what mean goal and what faults.
const MEANS: &str = "count(*), avg(coalesce(s.goal, 0)::double precision),
                sum(s.late)::bigint, sum(s.illegal)::bigint, sum(s.failed)::bigint";
/// The newest seats of a player.
const OWN: &str = "WITH own AS (
    SELECT * FROM match_seats WHERE lower(player) = lower($1::text COLLATE \"C\")
    ORDER BY lower(player) DESC, match DESC LIMIT $3)";

pub(super) fn of_player(connection: &mut Connection, name: &str) -> Result<PlayerResults, Fault> {
    let sql = format!(
        "{OWN} SELECT m.game, s.seat, max(s.role), {MEANS}
         FROM own s JOIN matches m ON m.id = s.match WHERE m.stage = 'completed'
         GROUP BY m.game, s.seat ORDER BY count(*) DESC, m.game, s.seat LIMIT $2"
    );
    let seats = connection.all(&sql, values![name, ROWS, MATCHES], seat_results)?;
    let sql = format!(
        "{OWN} SELECT max(o.player), count(DISTINCT s.match), avg(coalesce(s.goal, 0)::double precision),
                avg(coalesce(o.goal, 0)::double precision)
         FROM own s JOIN matches m ON m.id = s.match
         JOIN match_seats o ON o.match = s.match AND lower(o.player) <> lower(s.player)
         WHERE m.stage = 'completed'
         GROUP BY lower(o.player) ORDER BY count(DISTINCT s.match) DESC, lower(o.player) LIMIT $2"
    );
    let opponents = connection.all(&sql, values![name, ROWS, MATCHES], |row| {
        Ok(OpponentResults {
            opponent: get(row, 0)?,
            matches: get(row, 1)?,
            goal: get(row, 2)?,
            opponent_goal: get(row, 3)?,
        })
    })?;
    Ok(PlayerResults { seats, opponents })
}

/// The newest finished matches of a version of a game.
const NEWEST: &str = "WITH newest AS (
    SELECT id, game, opening FROM matches WHERE game = $1 AND version = $2 AND stage = 'completed'
    ORDER BY created DESC, id DESC LIMIT $3)";

pub(super) fn of_game(connection: &mut Connection, game: &str, version: &str) -> Result<GameResults, Fault> {
    let sql = format!(
        "{NEWEST} SELECT max(m.game), s.seat, max(s.role), {MEANS}
         FROM newest m JOIN match_seats s ON s.match = m.id GROUP BY s.seat ORDER BY s.seat LIMIT $4"
    );
    let seats = connection.all(&sql, values![game, version, MATCHES, ROWS], seat_results)?;
    let matches = seats.first().map_or(0, |seat: &SeatResults| seat.matches);
    Ok(GameResults { matches, openings: openings(connection, game, version)?, seats })
}

fn openings(connection: &mut Connection, game: &str, version: &str) -> Result<Vec<Opening>, Fault> {
    // The rows of one opening follow each other, seat by seat.
    let sql = format!(
        "{NEWEST} SELECT m.opening, count(*), avg(coalesce(s.goal, 0)::double precision)
         FROM newest m JOIN match_seats s ON s.match = m.id
         WHERE m.opening IS NOT NULL GROUP BY m.opening, s.seat ORDER BY m.opening, s.seat"
    );
    let rows = connection
        .all(&sql, values![game, version, MATCHES], |row| Ok((get(row, 0)?, get(row, 1)?, get(row, 2)?)))?;
    Ok(openings_of(rows))
}

/// The tournaments that a player had matches in lately, the newest first.
pub(super) fn tournaments_of(
    connection: &mut Connection,
    name: &str,
    most: u64,
) -> Result<Vec<String>, Fault> {
    let sql = "SELECT t.id FROM tournaments t WHERE t.id IN (
             SELECT m.tournament
             FROM (SELECT match FROM match_seats WHERE lower(player) = lower($1::text COLLATE \"C\")
                   ORDER BY lower(player) DESC, match DESC LIMIT $3) s
             JOIN matches m ON m.id = s.match WHERE m.tournament IS NOT NULL)
         ORDER BY t.created DESC, t.id DESC LIMIT $2";
    connection.all(sql, values![name, most, MATCHES], |row| get(row, 0))
}
