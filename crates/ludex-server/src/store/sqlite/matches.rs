//! Matches, their seats and their records.

use ludex::matches::tournament::{FaultCounts, Fixture};
use rusqlite::{Connection, MAIN_DB, OptionalExtension, Row, params};

use super::fault::Fault;
use super::{journal, ratings, schema, tournaments};
use crate::model::{MatchEnd, MatchPlan, MatchRow, MatchStage, MatchSummary, SeatKey, SeatSummary};
use crate::store::values::{from_json, integer, json, match_stage, natural};
use crate::store::{RECORD_PIECE, RecordPiece};

pub(super) fn add(connection: &Connection, row: &MatchRow) -> Result<(), Fault> {
    let MatchRow { summary, plan, fixture, hidden, keys, .. } = row;
    let fixture = fixture.as_ref().map(json).transpose()?;
    let added = connection.execute(
        "INSERT INTO matches (id, game, version, stage, plan, fixture, tournament, hidden, created, due)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            summary.id,
            summary.game,
            summary.version,
            summary.stage.name(),
            json(plan)?,
            fixture,
            summary.tournament,
            hidden,
            integer(summary.created),
            integer(summary.due),
        ],
    );
    added.map_err(|error| Fault::exists(error, "match", &summary.id))?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO match_seats (match, seat, role, player, key, taken) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (number, seat) in summary.seats.iter().enumerate() {
        // A seat without a key is opened by none.
        let (key, taken) = keys.get(number).map_or(("", false), |key| (key.digest(), key.is_taken()));
        statement.execute(params![summary.id, integer(number as u64), seat.role, seat.player, key, taken])?;
    }
    Ok(())
}

pub(super) fn begin(connection: &Connection, id: &str, roles: &[String], began: u64) -> Result<(), Fault> {
    // A match that is resumed began when it began.
    let sql = "UPDATE matches SET stage = 'running', began = coalesce(began, ?2) WHERE id = ?1";
    if connection.execute(sql, params![id, integer(began)])? == 0 {
        return Err(Fault::not_found("match", id));
    }
    let mut statement =
        connection.prepare_cached("UPDATE match_seats SET role = ?3 WHERE match = ?1 AND seat = ?2")?;
    for (role, seat) in roles.iter().zip(0i64..) {
        statement.execute(params![id, seat, role])?;
    }
    Ok(())
}

pub(super) fn take_seat(connection: &Connection, id: &str, seat: u32) -> Result<(), Fault> {
    let sql = "UPDATE match_seats SET taken = 1 WHERE match = ?1 AND seat = ?2";
    match connection.execute(sql, params![id, seat])? {
        0 => Err(Fault::not_found("seat", id)),
        _ => Ok(()),
    }
}

/// Takes a free seat, as another player where the match has not begun; whether it was free.
pub(super) fn join(
    connection: &Connection,
    id: &str,
    seat: u32,
    player: Option<&str>,
) -> Result<bool, Fault> {
    let sql = "UPDATE match_seats SET taken = 1 WHERE match = ?1 AND seat = ?2 AND NOT taken";
    if connection.execute(sql, params![id, seat])? == 0 {
        return Ok(false);
    }
    let sql = "SELECT plan FROM matches WHERE id = ?1 AND stage = 'planned'";
    let plan: Option<String> = connection.query_row(sql, [id], |row| row.get(0)).optional()?;
    let (Some(plan), Some(player)) = (plan, player) else { return Ok(true) };
    let mut plan: MatchPlan = from_json(&plan, "match", id)?;
    let own = plan.seats.get_mut(seat as usize).ok_or_else(|| Fault::not_found("seat", id))?;
    player.clone_into(&mut own.player);
    connection.execute("UPDATE matches SET plan = ?2 WHERE id = ?1", params![id, json(&plan)?])?;
    let sql = "UPDATE match_seats SET player = ?3 WHERE match = ?1 AND seat = ?2";
    connection.execute(sql, params![id, seat, player])?;
    Ok(true)
}

/// Gives a seat that nobody has taken another key.
pub(super) fn set_key(connection: &Connection, id: &str, seat: u32, key: &SeatKey) -> Result<(), Fault> {
    let sql = "UPDATE match_seats SET key = ?3 WHERE match = ?1 AND seat = ?2 AND NOT taken";
    match connection.execute(sql, params![id, seat, key.digest()])? {
        0 => Err(Fault::not_found("seat", id)),
        _ => Ok(()),
    }
}

/// Counts one more resumption; how many there are that did not come through, with this one.
pub(super) fn begin_resumption(connection: &Connection, id: &str) -> Result<u32, Fault> {
    let sql = "UPDATE matches SET resumptions = resumptions + 1 WHERE id = ?1 RETURNING resumptions";
    let count = connection.query_row(sql, [id], |row| row.get(0)).optional()?;
    count.ok_or_else(|| Fault::not_found("match", id))
}

/// The last resumption is taken back.
pub(super) fn pause_resumption(connection: &Connection, id: &str) -> Result<(), Fault> {
    let sql = "UPDATE matches SET resumptions = max(resumptions - 1, 0) WHERE id = ?1";
    connection.execute(sql, [id])?;
    Ok(())
}

/// The last resumptions came through.
pub(super) fn end_resumption(connection: &Connection, id: &str) -> Result<(), Fault> {
    connection.execute("UPDATE matches SET resumptions = 0 WHERE id = ?1", [id])?;
    Ok(())
}

/// Notes that a match is to end, and why. What was wanted first stays.
pub(super) fn want_abort(connection: &Connection, id: &str, why: &str) -> Result<(), Fault> {
    let sql = "UPDATE matches SET wanted_abort = coalesce(wanted_abort, ?2) WHERE id = ?1";
    match connection.execute(sql, params![id, why])? {
        0 => Err(Fault::not_found("match", id)),
        _ => Ok(()),
    }
}

pub(super) fn end(connection: &Connection, end: &MatchEnd) -> Result<(), Fault> {
    let id = &end.id;
    if let Some(entry) = &end.last_entry {
        journal::add_last(connection, id, entry)?;
    }
    let mut statement = connection.prepare_cached(
        "UPDATE match_seats SET role = ?3, goal = ?4, reward = ?5, late = ?6, illegal = ?7, failed = ?8
         WHERE match = ?1 AND seat = ?2",
    )?;
    for ((seat, faults), number) in end.seats.iter().zip(0i64..) {
        let goal = seat.goal.map(i64::from);
        let counts = (faults.late, faults.illegal, faults.failed);
        statement.execute(params![id, number, seat.role, goal, seat.reward, counts.0, counts.1, counts.2])?;
    }
    // What the seats came to is counted when the match is over.
    let sql = "UPDATE matches SET stage = ?2, ended = ?3, steps = ?4, aborted = ?5 WHERE id = ?1";
    let values = params![id, end.stage.name(), integer(end.ended), end.steps, end.aborted];
    if connection.execute(sql, values)? == 0 {
        return Err(Fault::not_found("match", id));
    }
    if end.rated && end.stage == MatchStage::Completed {
        ratings::wait(connection, id, end.ended)?;
    }
    if let Some(record) = &end.record {
        let sql = "INSERT OR REPLACE INTO records (match, record) VALUES (?1, ?2)";
        connection.execute(sql, [id, record])?;
        let sql = format!("UPDATE matches SET opening = {} WHERE id = ?1", schema::opening("?2"));
        connection.execute(&sql, [id, record])?;
    }
    if let Some((number, event)) = &end.event {
        let tournament: Option<String> =
            connection.query_row("SELECT tournament FROM matches WHERE id = ?1", [id], |row| row.get(0))?;
        if let Some(tournament) = tournament {
            tournaments::add_event(connection, &tournament, *number, event)?;
        }
    }
    Ok(())
}

pub(super) const COLUMNS: &str =
    "m.id, m.game, m.version, m.stage, m.tournament, m.created, m.due, m.began, m.ended, m.steps, m.aborted";

/// A row as it is, with a stage that is a text and without seats.
pub(super) fn summary(row: &Row<'_>) -> rusqlite::Result<(String, MatchSummary)> {
    let time = |number| row.get::<_, Option<i64>>(number).map(|time| time.map(natural));
    let summary = MatchSummary {
        id: row.get(0)?,
        game: row.get(1)?,
        version: row.get(2)?,
        stage: MatchStage::Planned,
        seats: Vec::new(),
        tournament: row.get(4)?,
        created: natural(row.get(5)?),
        due: natural(row.get(6)?),
        began: time(7)?,
        ended: time(8)?,
        steps: row.get(9)?,
        aborted: row.get(10)?,
    };
    Ok((row.get(3)?, summary))
}

pub(super) fn whole(
    connection: &Connection,
    (stage, summary): (String, MatchSummary),
) -> Result<MatchSummary, Fault> {
    let stage = match_stage(&stage, &summary.id)?;
    let seats = seats(connection, &summary.id)?;
    Ok(MatchSummary { stage, seats, ..summary })
}

fn seats(connection: &Connection, id: &str) -> Result<Vec<SeatSummary>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT role, player, goal, reward, late, illegal, failed FROM match_seats WHERE match = ?1
         ORDER BY seat",
    )?;
    let rows = statement.query_map([id], |row| {
        Ok(SeatSummary {
            role: row.get(0)?,
            player: row.get(1)?,
            goal: row.get(2)?,
            reward: row.get(3)?,
            faults: FaultCounts { late: row.get(4)?, illegal: row.get(5)?, failed: row.get(6)? },
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn keys(connection: &Connection, id: &str) -> Result<Vec<SeatKey>, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT key, taken FROM match_seats WHERE match = ?1 ORDER BY seat")?;
    let rows = statement.query_map([id], |row| Ok(SeatKey::kept(row.get::<_, String>(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// What a row of a whole match has beside its summary.
struct More {
    plan: String,
    fixture: Option<String>,
    hidden: bool,
    resumptions: u32,
    wanted_abort: Option<String>,
}

const MORE: &str = "m.plan, m.fixture, m.hidden, m.resumptions, m.wanted_abort";

fn more(row: &Row<'_>) -> rusqlite::Result<More> {
    Ok(More {
        plan: row.get(11)?,
        fixture: row.get(12)?,
        hidden: row.get(13)?,
        resumptions: row.get(14)?,
        wanted_abort: row.get(15)?,
    })
}

fn match_row(connection: &Connection, found: (String, MatchSummary), more: More) -> Result<MatchRow, Fault> {
    let More { plan, fixture, hidden, resumptions, wanted_abort } = more;
    let summary = whole(connection, found)?;
    let plan: MatchPlan = from_json(&plan, "match", &summary.id)?;
    let fixture: Option<Fixture> = fixture.map(|text| from_json(&text, "match", &summary.id)).transpose()?;
    let keys = keys(connection, &summary.id)?;
    Ok(MatchRow { summary, plan, fixture, hidden, keys, resumptions, wanted_abort })
}

pub(super) fn find(connection: &Connection, id: &str) -> Result<MatchRow, Fault> {
    let sql = format!("SELECT {COLUMNS}, {MORE} FROM matches m WHERE m.id = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_row([id], |row| Ok((summary(row)?, more(row)?))).optional()?;
    let (found, more) = found.ok_or_else(|| Fault::not_found("match", id))?;
    match_row(connection, found, more)
}

pub(super) fn open(connection: &Connection) -> Result<Vec<MatchRow>, Fault> {
    let sql = format!(
        "SELECT {COLUMNS}, {MORE} FROM matches m
         WHERE m.stage IN ('planned', 'running') ORDER BY m.created, m.id"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| Ok((summary(row)?, more(row)?)))?;
    let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
    rows.into_iter().map(|(found, more)| match_row(connection, found, more)).collect()
}

/// A piece of a record, from this byte on: only that is read.
pub(super) fn record_piece(
    connection: &Connection,
    id: &str,
    from: u64,
) -> Result<Option<RecordPiece>, Fault> {
    let mut statement = connection.prepare_cached("SELECT rowid FROM records WHERE match = ?1")?;
    let row: Option<i64> = statement.query_row([id], |row| row.get(0)).optional()?;
    let Some(row) = row else { return Ok(None) };
    let record = connection.blob_open(MAIN_DB, "records", "record", row, true)?;
    let from = usize::try_from(from).map_or(record.len(), |from| from.min(record.len()));
    let mut bytes = vec![0; (record.len() - from).min(RECORD_PIECE)];
    record.read_at_exact(&mut bytes, from)?;
    Ok(Some(RecordPiece { bytes, length: record.len() as u64 }))
}

/// The rulesheet of a match.
pub(super) fn rules(connection: &Connection, id: &str) -> Result<Option<String>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT v.text FROM matches m JOIN game_versions v ON v.game = m.game AND v.sha256 = m.version
         WHERE m.id = ?1",
    )?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}
