//! Players and what their matches say.

use ludex::matches::tournament::FaultCounts;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Fault;
use crate::model::{Availability, Page, PlayerKind, PlayerQuery, PlayerStatistics, PlayerSummary};
use crate::store::values::{from_json, integer, json, like, natural, not_hidden, page, rows_of_page};

pub(super) fn put(
    connection: &Connection,
    name: &str,
    kind: &PlayerKind,
    registered: u64,
) -> Result<(), Fault> {
    // What is known of whether it is there holds for what it was.
    connection.execute(
        "INSERT INTO players (name, kind, registered, availability) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (name) DO UPDATE SET kind = ?2, removed = 0,
             availability = CASE WHEN kind = ?2 THEN availability ELSE ?4 END",
        params![name, json(kind)?, integer(registered), json(&Availability::default())?],
    )?;
    Ok(())
}

pub(super) fn retire(connection: &Connection, name: &str, retired: bool) -> Result<(), Fault> {
    match connection.execute("UPDATE players SET removed = ?2 WHERE name = ?1", params![name, retired])? {
        0 => Err(Fault::not_found("player", name)),
        _ => Ok(()),
    }
}

pub(super) fn note_availability(
    connection: &Connection,
    players: &[(String, Availability)],
) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached("UPDATE players SET availability = ?2 WHERE name = ?1")?;
    for (name, availability) in players {
        statement.execute(params![name, json(availability)?])?;
    }
    Ok(())
}

const COLUMNS: &str = "name, kind, registered, removed, availability";

/// A row as it is, before its JSON is read.
struct Raw {
    name: String,
    kind: String,
    registered: i64,
    retired: bool,
    availability: String,
}

fn raw(row: &Row<'_>) -> rusqlite::Result<Raw> {
    Ok(Raw {
        name: row.get(0)?,
        kind: row.get(1)?,
        registered: row.get(2)?,
        retired: row.get(3)?,
        availability: row.get(4)?,
    })
}

fn summary(connection: &Connection, raw: Raw, brief: bool) -> Result<PlayerSummary, Fault> {
    let statistics = if brief { PlayerStatistics::default() } else { statistics(connection, &raw.name)? };
    Ok(PlayerSummary {
        kind: from_json(&raw.kind, "player", &raw.name)?,
        availability: from_json(&raw.availability, "player", &raw.name)?,
        statistics,
        registered: natural(raw.registered),
        retired: raw.retired,
        name: raw.name,
    })
}

/// A match in which somebody has several seats counts once; its goals and faults count for each seat.
fn statistics(connection: &Connection, name: &str) -> Result<PlayerStatistics, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT count(DISTINCT CASE WHEN m.stage IN ('completed', 'aborted') THEN m.id END),
                count(DISTINCT CASE WHEN m.stage = 'aborted' THEN m.id END),
                count(DISTINCT CASE WHEN m.stage = 'running' THEN m.id END),
                coalesce(sum(m.steps), 0),
                avg(CASE WHEN m.stage = 'completed' THEN coalesce(s.goal, 0) END),
                coalesce(sum(s.late), 0), coalesce(sum(s.illegal), 0), coalesce(sum(s.failed), 0)
         FROM match_seats s JOIN matches m ON m.id = s.match WHERE s.player = ?1",
    )?;
    let statistics = statement.query_row([name], |row| {
        Ok(PlayerStatistics {
            matches: natural(row.get(0)?),
            aborted: natural(row.get(1)?),
            running: natural(row.get(2)?),
            steps: natural(row.get(3)?),
            goal: row.get(4)?,
            faults: FaultCounts { late: row.get(5)?, illegal: row.get(6)?, failed: row.get(7)? },
        })
    })?;
    Ok(statistics)
}

pub(super) fn find(connection: &Connection, name: &str) -> Result<PlayerSummary, Fault> {
    let sql = format!("SELECT {COLUMNS} FROM players WHERE name = ?1");
    let found = connection.query_row(&sql, [name], raw).optional()?;
    summary(connection, found.ok_or_else(|| Fault::not_found("player", name))?, false)
}

pub(super) fn list(connection: &Connection, query: &PlayerQuery) -> Result<Page<PlayerSummary>, Fault> {
    let part = like(query.text.trim());
    let shown =
        if query.without_hidden { not_hidden("player", "lower(players.name)") } else { "1".to_owned() };
    let wanted = format!("name LIKE ?1 ESCAPE '\\' AND (?2 OR NOT removed) AND {shown}");
    let values = params![part, query.retired];
    let sql = format!("SELECT count(*) FROM players WHERE {wanted}");
    let total: i64 = connection.query_row(&sql, values, |row| row.get(0))?;
    let behind = "(?4 IS NULL OR name > ?4)";
    let sql = format!("SELECT {COLUMNS} FROM players WHERE {wanted} AND {behind} ORDER BY name LIMIT ?3");
    let mut statement = connection.prepare_cached(&sql)?;
    let values = params![part, query.retired, rows_of_page(&query.page), query.page.after];
    let rows: Vec<Raw> = statement.query_map(values, raw)?.collect::<Result<_, _>>()?;
    let items =
        rows.into_iter().map(|raw| summary(connection, raw, query.brief)).collect::<Result<_, _>>()?;
    Ok(page(&query.page, items, total, |summary: &PlayerSummary| &summary.name))
}
