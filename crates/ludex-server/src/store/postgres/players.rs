//! Players and what their matches say.

use std::collections::BTreeMap;

use ludex::matches::tournament::FaultCounts;
use postgres::Row;

use super::connection::{Connection, get, values};
use super::fault::Fault;
use super::news;
use crate::model::{
    Availability, Page, PlayerKind, PlayerQuery, PlayerStatistics, PlayerSummary, SharedNews,
};
use crate::store::values::{from_json, json, like, not_hidden, page, rows_of_page};

pub(super) fn put(
    connection: &mut Connection,
    name: &str,
    kind: &PlayerKind,
    registered: u64,
) -> Result<(), Fault> {
    // What is known of whether it is there holds for what it was.
    connection.execute(
        "INSERT INTO players AS p (name, kind, registered, availability)
         VALUES ($1::text, $2::text, $3::bigint, $4::text)
         ON CONFLICT (lower(name)) DO UPDATE SET kind = $2::text, removed = false,
             availability = CASE WHEN p.kind = $2::text THEN p.availability ELSE $4::text END",
        values![name, json(kind)?, registered, json(&Availability::default())?],
    )?;
    news::tell(connection, SharedNews::Players)
}

pub(super) fn retire(connection: &mut Connection, name: &str, retired: bool) -> Result<(), Fault> {
    let sql = "UPDATE players SET removed = $2 WHERE lower(name) = lower($1::text COLLATE \"C\")";
    match connection.execute(sql, values![name, retired])? {
        0 => Err(Fault::not_found("player", name)),
        _ => news::tell(connection, SharedNews::Players),
    }
}

pub(super) fn note_availability(
    connection: &mut Connection,
    players: &[(String, Availability)],
) -> Result<(), Fault> {
    for (name, availability) in players {
        let sql = "UPDATE players SET availability = $2 WHERE lower(name) = lower($1::text COLLATE \"C\")";
        connection.execute(sql, values![name, json(availability)?])?;
    }
    Ok(())
}

const COLUMNS: &str = "p.name, p.kind, p.registered, p.removed, p.availability, coalesce(t.matches, 0),
    coalesce(t.aborted, 0), coalesce(t.steps, 0),
    CASE WHEN t.goal_seats > 0 THEN t.goals::double precision / t.goal_seats END,
    coalesce(t.late, 0), coalesce(t.illegal, 0), coalesce(t.failed, 0)";
const FROM: &str = "FROM players p LEFT JOIN player_totals t ON t.player = lower(p.name)";

/// A player, with how many of the matches that run are its own.
fn summary(row: &Row, running: &BTreeMap<String, u64>) -> Result<PlayerSummary, Fault> {
    let name: String = get(row, 0)?;
    Ok(PlayerSummary {
        kind: from_json(&get::<String>(row, 1)?, "player", &name)?,
        availability: from_json(&get::<String>(row, 4)?, "player", &name)?,
        statistics: PlayerStatistics {
            matches: get(row, 5)?,
            aborted: get(row, 6)?,
            running: running.get(&name.to_ascii_lowercase()).copied().unwrap_or(0),
            steps: get(row, 7)?,
            goal: get(row, 8)?,
            faults: FaultCounts { late: get(row, 9)?, illegal: get(row, 10)?, failed: get(row, 11)? },
        },
        registered: get(row, 2)?,
        retired: get(row, 3)?,
        name,
    })
}

/// How many matches run of each player who has some, by name in small letters; of one only, where it is named.
fn running(connection: &mut Connection, name: Option<&str>) -> Result<BTreeMap<String, u64>, Fault> {
    // One in which somebody has several seats counts once.
    let sql = "SELECT lower(s.player), count(DISTINCT s.match)
         FROM matches m JOIN match_seats s ON s.match = m.id
         WHERE m.stage = 'running' AND ($1::text IS NULL OR lower(s.player) = lower($1::text COLLATE \"C\"))
         GROUP BY lower(s.player)";
    let rows = connection.all(sql, values![name], |row| Ok((get(row, 0)?, get(row, 1)?)))?;
    Ok(rows.into_iter().collect())
}

pub(super) fn find(connection: &mut Connection, name: &str) -> Result<PlayerSummary, Fault> {
    let sql = format!("SELECT {COLUMNS} {FROM} WHERE lower(p.name) = lower($1::text COLLATE \"C\")");
    let row = connection.row(&sql, values![name])?;
    let row = row.ok_or_else(|| Fault::not_found("player", name))?;
    summary(&row, &running(connection, Some(name))?)
}

pub(super) fn list(connection: &mut Connection, query: &PlayerQuery) -> Result<Page<PlayerSummary>, Fault> {
    let part = like(query.text.trim());
    let shown = if query.without_hidden { not_hidden("player", "lower(p.name)") } else { "true".to_owned() };
    let wanted = format!(
        "lower(p.name) LIKE lower($1::text COLLATE \"C\") AND ($2::boolean OR NOT p.removed)
         AND (NOT $3::boolean OR p.removed) AND {shown}"
    );
    let sql = format!("SELECT count(*) FROM players p WHERE {wanted}");
    let total = connection.number(&sql, values![part.as_str(), query.retired, query.only_retired])?;
    // What is behind nothing is behind the empty name, which nobody has: so the index is always gone through.
    let behind = query.page.after.as_deref().unwrap_or("");
    let sql = format!(
        "SELECT {COLUMNS} {FROM} WHERE lower(p.name) > lower($5::text COLLATE \"C\") AND {wanted}
         ORDER BY lower(p.name) LIMIT $4::bigint"
    );
    let values = values![part.as_str(), query.retired, query.only_retired, rows_of_page(&query.page), behind];
    let rows = connection.rows(&sql, values)?;
    let running = if query.brief { BTreeMap::new() } else { running(connection, None)? };
    let items = rows.iter().map(|row| summary(row, &running)).collect::<Result<_, _>>()?;
    Ok(page(&query.page, items, total, |summary: &PlayerSummary| &summary.name))
}
