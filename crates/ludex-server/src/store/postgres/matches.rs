//! Matches, their seats and their records.

use std::collections::BTreeMap;

use ludex::matches::tournament::{FaultCounts, Fixture};
use postgres::Row;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::connection::{Connection, Value, get, values};
use super::fault::Fault;
use super::{journal, news, ratings, tournaments};
use crate::model::{
    MatchEnd, MatchPlan, MatchRow, MatchStage, MatchSummary, SeatKey, SeatSummary, SharedNews,
};
use crate::store::values::{from_json, integer, json, match_stage};
use crate::store::{RECORD_PIECE, RecordPiece};

pub(super) fn add(connection: &mut Connection, row: &MatchRow) -> Result<(), Fault> {
    let MatchRow { summary, plan, fixture, hidden, keys, .. } = row;
    let fixture = fixture.as_ref().map(json).transpose()?;
    let owner = connection.member.map(|member| integer(member.0));
    let added = connection.execute(
        "INSERT INTO matches (id, game, version, stage, plan, fixture, tournament, hidden, created, due, owner)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        values![
            &summary.id,
            &summary.game,
            &summary.version,
            summary.stage.name(),
            json(plan)?,
            &fixture,
            &summary.tournament,
            *hidden,
            summary.created,
            summary.due,
            owner,
        ],
    );
    added.map_err(|fault| fault.exists("match", &summary.id))?;
    for (number, seat) in summary.seats.iter().enumerate() {
        // A seat without a key is opened by none.
        let (key, taken) = keys.get(number).map_or(("", false), |key| (key.digest(), key.is_taken()));
        let sql = "INSERT INTO match_seats (match, seat, role, player, key, taken)
                   VALUES ($1, $2, $3, $4, $5, $6)";
        connection.execute(sql, values![&summary.id, number as u64, &seat.role, &seat.player, key, taken])?;
    }
    news::tell(connection, SharedNews::Matches)
}

pub(super) fn begin(
    connection: &mut Connection,
    id: &str,
    roles: &[String],
    began: u64,
) -> Result<(), Fault> {
    // A match that is resumed began when it began.
    let sql = "UPDATE matches SET stage = 'running', began = coalesce(began, $2) WHERE id = $1";
    if connection.execute(sql, values![id, began])? == 0 {
        return Err(Fault::not_found("match", id));
    }
    for (role, seat) in roles.iter().zip(0i64..) {
        let sql = "UPDATE match_seats SET role = $3 WHERE match = $1 AND seat = $2";
        connection.execute(sql, values![id, seat, role])?;
    }
    news::tell(connection, SharedNews::Matches)
}

pub(super) fn take_seat(connection: &mut Connection, id: &str, seat: u32) -> Result<(), Fault> {
    let sql = "UPDATE match_seats SET taken = true WHERE match = $1 AND seat = $2";
    match connection.execute(sql, values![id, seat])? {
        0 => Err(Fault::not_found("seat", id)),
        _ => Ok(()),
    }
}

/// Takes a free seat, as another player where the match has not begun; whether it was free.
pub(super) fn join(
    connection: &mut Connection,
    id: &str,
    seat: u32,
    player: Option<&str>,
) -> Result<bool, Fault> {
    let sql = "UPDATE match_seats SET taken = true WHERE match = $1 AND seat = $2 AND NOT taken";
    if connection.execute(sql, values![id, seat])? == 0 {
        return Ok(false);
    }
    let sql = "SELECT plan FROM matches WHERE id = $1 AND stage = 'planned'";
    let plan: Option<String> = connection.value(sql, values![id])?;
    let (Some(plan), Some(player)) = (plan, player) else { return Ok(true) };
    let mut plan: MatchPlan = from_json(&plan, "match", id)?;
    let own = plan.seats.get_mut(seat as usize).ok_or_else(|| Fault::not_found("seat", id))?;
    player.clone_into(&mut own.player);
    connection.execute("UPDATE matches SET plan = $2 WHERE id = $1", values![id, json(&plan)?])?;
    let sql = "UPDATE match_seats SET player = $3 WHERE match = $1 AND seat = $2";
    connection.execute(sql, values![id, seat, player])?;
    Ok(true)
}

/// Gives a seat that nobody has taken another key.
pub(super) fn set_key(connection: &mut Connection, id: &str, seat: u32, key: &SeatKey) -> Result<(), Fault> {
    let sql = "UPDATE match_seats SET key = $3 WHERE match = $1 AND seat = $2 AND NOT taken";
    match connection.execute(sql, values![id, seat, key.digest()])? {
        0 => Err(Fault::not_found("seat", id)),
        _ => Ok(()),
    }
}

/// Counts one more resumption; how many there are that did not come through, with this one.
pub(super) fn begin_resumption(connection: &mut Connection, id: &str) -> Result<u32, Fault> {
    let sql = "UPDATE matches SET resumptions = resumptions + 1 WHERE id = $1 RETURNING resumptions";
    connection.value(sql, values![id])?.ok_or_else(|| Fault::not_found("match", id))
}

/// The last resumption is taken back.
pub(super) fn pause_resumption(connection: &mut Connection, id: &str) -> Result<(), Fault> {
    let sql = "UPDATE matches SET resumptions = greatest(resumptions - 1, 0) WHERE id = $1";
    connection.execute(sql, values![id])?;
    Ok(())
}

/// The last resumptions came through.
pub(super) fn end_resumption(connection: &mut Connection, id: &str) -> Result<(), Fault> {
    connection.execute("UPDATE matches SET resumptions = 0 WHERE id = $1", values![id])?;
    Ok(())
}

/// Notes that a match is to end, and why. What was wanted first stays.
pub(super) fn want_abort(connection: &mut Connection, id: &str, why: &str) -> Result<(), Fault> {
    let sql = "UPDATE matches SET wanted_abort = coalesce(wanted_abort, $2) WHERE id = $1";
    match connection.execute(sql, values![id, why])? {
        0 => Err(Fault::not_found("match", id)),
        _ => Ok(()),
    }
}

pub(super) fn end(connection: &mut Connection, end: &MatchEnd) -> Result<(), Fault> {
    let id = end.id.as_str();
    if let Some(entry) = &end.last_entry {
        journal::add_last(connection, id, entry)?;
    }
    for ((seat, faults), number) in end.seats.iter().zip(0i64..) {
        let sql =
            "UPDATE match_seats SET role = $3, goal = $4, reward = $5, late = $6, illegal = $7, failed = $8
                   WHERE match = $1 AND seat = $2";
        let FaultCounts { late, illegal, failed } = *faults;
        connection
            .execute(sql, values![id, number, &seat.role, seat.goal, seat.reward, late, illegal, failed])?;
    }
    // What the seats came to is counted when the match is over.
    let sql =
        "UPDATE matches SET stage = $2, ended = $3, steps = $4, aborted = $5, owner = NULL WHERE id = $1";
    if connection.execute(sql, values![id, end.stage.name(), end.ended, end.steps, &end.aborted])? == 0 {
        return Err(Fault::not_found("match", id));
    }
    if end.rated && end.stage == MatchStage::Completed {
        ratings::wait(connection, id, end.ended)?;
    }
    if let Some(record) = &end.record {
        let sql = "INSERT INTO records (match, record) VALUES ($1, $2)
                   ON CONFLICT (match) DO UPDATE SET record = EXCLUDED.record";
        connection.execute(sql, &[id.into(), Value::Bytes(record.as_bytes())])?;
        let sql = "UPDATE matches SET opening = $2 WHERE id = $1";
        connection.execute(sql, values![id, &opening(record)])?;
    }
    if let Some((number, event)) = &end.event {
        let tournament: Option<Option<String>> =
            connection.value("SELECT tournament FROM matches WHERE id = $1", values![id])?;
        if let Some(tournament) = tournament.flatten() {
            tournaments::add_event(connection, &tournament, *number, event)?;
        }
    }
    news::tell(connection, SharedNews::Matches)
}

/// Records of some megabytes are not read for their first moves.
const READ_FOR_MOVES: usize = 4_000_000;

/// The first moves in a record, as JSON.
fn opening(record: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Moves<'a> {
        #[serde(borrow)]
        moves: Vec<&'a RawValue>,
    }
    if record.len() >= READ_FOR_MOVES {
        return None;
    }
    let read: Moves<'_> = serde_json::from_str(record).ok()?;
    match serde_json::from_str(read.moves.first()?.get()).ok()? {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

pub(super) const COLUMNS: &str =
    "m.id, m.game, m.version, m.stage, m.tournament, m.created, m.due, m.began, m.ended, m.steps, m.aborted";

/// A row as it is, without seats.
pub(super) fn summary(row: &Row) -> Result<MatchSummary, Fault> {
    let id: String = get(row, 0)?;
    Ok(MatchSummary {
        game: get(row, 1)?,
        version: get(row, 2)?,
        stage: match_stage(&get::<String>(row, 3)?, &id)?,
        seats: Vec::new(),
        tournament: get(row, 4)?,
        created: get(row, 5)?,
        due: get(row, 6)?,
        began: get(row, 7)?,
        ended: get(row, 8)?,
        steps: get(row, 9)?,
        aborted: get(row, 10)?,
        id,
    })
}

/// The seats of matches, with what is kept of their keys.
pub(super) fn seats(
    connection: &mut Connection,
    ids: &[&str],
) -> Result<BTreeMap<String, Vec<(SeatSummary, SeatKey)>>, Fault> {
    let sql = "SELECT match, role, player, goal, reward, late, illegal, failed, key, taken
               FROM match_seats WHERE match = ANY($1::text[]) ORDER BY match, seat";
    let mut found: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for row in connection.rows(sql, &[Value::texts(ids.iter().copied())])? {
        let summary = SeatSummary {
            role: get(&row, 1)?,
            player: get(&row, 2)?,
            goal: get(&row, 3)?,
            reward: get(&row, 4)?,
            faults: FaultCounts { late: get(&row, 5)?, illegal: get(&row, 6)?, failed: get(&row, 7)? },
        };
        let key = SeatKey::kept(get::<String>(&row, 8)?, get(&row, 9)?);
        found.entry(get(&row, 0)?).or_default().push((summary, key));
    }
    Ok(found)
}

const MORE: &str = "m.plan, m.fixture, m.hidden, m.resumptions, m.wanted_abort";

/// Whole matches of rows that have their summaries and [`MORE`].
fn whole(connection: &mut Connection, rows: &[Row]) -> Result<Vec<MatchRow>, Fault> {
    let summaries: Vec<MatchSummary> = rows.iter().map(summary).collect::<Result<_, _>>()?;
    let ids: Vec<&str> = summaries.iter().map(|summary| summary.id.as_str()).collect();
    let mut all = seats(connection, &ids)?;
    let row = |(row, summary): (&Row, MatchSummary)| {
        let (seats, keys) = all.remove(&summary.id).unwrap_or_default().into_iter().unzip();
        let plan: MatchPlan = from_json(&get::<String>(row, 11)?, "match", &summary.id)?;
        let fixture: Option<String> = get(row, 12)?;
        let fixture: Option<Fixture> =
            fixture.map(|text| from_json(&text, "match", &summary.id)).transpose()?;
        Ok(MatchRow {
            plan,
            fixture,
            hidden: get(row, 13)?,
            keys,
            resumptions: get(row, 14)?,
            wanted_abort: get(row, 15)?,
            summary: MatchSummary { seats, ..summary },
        })
    };
    rows.iter().zip(summaries).map(row).collect()
}

pub(super) fn find(connection: &mut Connection, id: &str) -> Result<MatchRow, Fault> {
    let sql = format!("SELECT {COLUMNS}, {MORE} FROM matches m WHERE m.id = $1");
    let rows = connection.rows(&sql, values![id])?;
    whole(connection, &rows)?.pop().ok_or_else(|| Fault::not_found("match", id))
}

/// The matches of these names, oldest first.
pub(super) fn these(connection: &mut Connection, ids: &[String]) -> Result<Vec<MatchRow>, Fault> {
    let sql = format!(
        "SELECT {COLUMNS}, {MORE} FROM matches m WHERE m.id = ANY($1::text[]) ORDER BY m.created, m.id"
    );
    let rows = connection.rows(&sql, &[Value::texts(ids.iter().map(String::as_str))])?;
    whole(connection, &rows)
}

pub(super) fn open(connection: &mut Connection) -> Result<Vec<MatchRow>, Fault> {
    let sql = format!(
        "SELECT {COLUMNS}, {MORE} FROM matches m
         WHERE m.stage IN ('planned', 'running') ORDER BY m.created, m.id"
    );
    let rows = connection.rows(&sql, &[])?;
    whole(connection, &rows)
}

/// A piece of a record, from this byte on: only that is read.
pub(super) fn record_piece(
    connection: &mut Connection,
    id: &str,
    from: u64,
) -> Result<Option<RecordPiece>, Fault> {
    // The number of the first byte is 1, and numbers of bytes have 31 bits: no value is larger.
    let begin = i64::from(i32::MAX).min(integer(from).saturating_add(1));
    let sql = "SELECT octet_length(record)::bigint, substring(record FROM $2::bigint::integer FOR $3::bigint::integer)
               FROM records WHERE match = $1";
    let row = connection.row(sql, values![id, begin, RECORD_PIECE as u64])?;
    row.map(|row| Ok(RecordPiece { length: get(&row, 0)?, bytes: get(&row, 1)? })).transpose()
}

/// The rulesheet of a match.
pub(super) fn rules(connection: &mut Connection, id: &str) -> Result<Option<String>, Fault> {
    let sql = "SELECT v.text FROM matches m JOIN game_versions v ON v.game = m.game AND v.sha256 = m.version
               WHERE m.id = $1";
    connection.value(sql, values![id])
}
