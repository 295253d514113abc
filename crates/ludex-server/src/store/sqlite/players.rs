//! Players and what their matches say.

use std::collections::BTreeMap;

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

const COLUMNS: &str = "p.name, p.kind, p.registered, p.removed, p.availability, coalesce(t.matches, 0),
    coalesce(t.aborted, 0), coalesce(t.steps, 0), CASE WHEN t.goal_seats > 0 THEN t.goals * 1.0 / t.goal_seats END,
    coalesce(t.late, 0), coalesce(t.illegal, 0), coalesce(t.failed, 0)";
const FROM: &str = "FROM players p LEFT JOIN player_totals t ON t.player = p.name";

/// A row as it is, before its JSON is read.
struct Raw {
    name: String,
    kind: String,
    registered: i64,
    retired: bool,
    availability: String,
    statistics: PlayerStatistics,
}

fn raw(row: &Row<'_>) -> rusqlite::Result<Raw> {
    Ok(Raw {
        name: row.get(0)?,
        kind: row.get(1)?,
        registered: row.get(2)?,
        retired: row.get(3)?,
        availability: row.get(4)?,
        statistics: PlayerStatistics {
            matches: natural(row.get(5)?),
            aborted: natural(row.get(6)?),
            running: 0,
            steps: natural(row.get(7)?),
            goal: row.get(8)?,
            faults: FaultCounts { late: row.get(9)?, illegal: row.get(10)?, failed: row.get(11)? },
        },
    })
}

fn summary(raw: Raw, running: &BTreeMap<String, u64>) -> Result<PlayerSummary, Fault> {
    let running = running.get(&raw.name.to_ascii_lowercase()).copied().unwrap_or(0);
    Ok(PlayerSummary {
        kind: from_json(&raw.kind, "player", &raw.name)?,
        availability: from_json(&raw.availability, "player", &raw.name)?,
        statistics: PlayerStatistics { running, ..raw.statistics },
        registered: natural(raw.registered),
        retired: raw.retired,
        name: raw.name,
    })
}

/// How many matches run of each player who has some, by name in small letters; of one only, where it is named.
fn running(connection: &Connection, name: Option<&str>) -> Result<BTreeMap<String, u64>, Fault> {
    // One in which somebody has several seats counts once.
    let mut statement = connection.prepare_cached(
        "SELECT lower(s.player), count(DISTINCT s.match)
         FROM matches m CROSS JOIN match_seats s ON s.match = m.id
         WHERE m.stage = 'running' AND (?1 IS NULL OR s.player = ?1) GROUP BY s.player",
    )?;
    let rows = statement.query_map([name], |row| Ok((row.get(0)?, natural(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn find(connection: &Connection, name: &str) -> Result<PlayerSummary, Fault> {
    let sql = format!("SELECT {COLUMNS} {FROM} WHERE p.name = ?1");
    let found = connection.query_row(&sql, [name], raw).optional()?;
    summary(found.ok_or_else(|| Fault::not_found("player", name))?, &running(connection, Some(name))?)
}

pub(super) fn list(connection: &Connection, query: &PlayerQuery) -> Result<Page<PlayerSummary>, Fault> {
    let part = like(query.text.trim());
    let shown = if query.without_hidden { not_hidden("player", "lower(p.name)") } else { "1".to_owned() };
    let wanted =
        format!("p.name LIKE ?1 ESCAPE '\\' AND (?2 OR NOT p.removed) AND (NOT ?3 OR p.removed) AND {shown}");
    let values = params![part, query.retired, query.only_retired];
    let sql = format!("SELECT count(*) FROM players p WHERE {wanted}");
    let total: i64 = connection.query_row(&sql, values, |row| row.get(0))?;
    // What is behind nothing is behind the empty name, which nobody has: so the index is always gone through.
    let behind = query.page.after.as_deref().unwrap_or("");
    let sql = format!("SELECT {COLUMNS} {FROM} WHERE p.name > ?5 AND {wanted} ORDER BY p.name LIMIT ?4");
    let mut statement = connection.prepare_cached(&sql)?;
    let values = params![part, query.retired, query.only_retired, rows_of_page(&query.page), behind];
    let rows: Vec<Raw> = statement.query_map(values, raw)?.collect::<Result<_, _>>()?;
    let running = if query.brief { BTreeMap::new() } else { running(connection, None)? };
    let items = rows.into_iter().map(|raw| summary(raw, &running)).collect::<Result<_, _>>()?;
    Ok(page(&query.page, items, total, |summary: &PlayerSummary| &summary.name))
}
