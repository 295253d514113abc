//! Players and what their matches say.

use ludex::matches::tournament::FaultCounts;
use postgres::Row;

use super::connection::{Connection, get, values};
use super::fault::Fault;
use crate::model::{Availability, Page, PlayerKind, PlayerQuery, PlayerStatistics, PlayerSummary};
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
    Ok(())
}

pub(super) fn retire(connection: &mut Connection, name: &str, retired: bool) -> Result<(), Fault> {
    let sql = "UPDATE players SET removed = $2 WHERE lower(name) = lower($1::text COLLATE \"C\")";
    match connection.execute(sql, values![name, retired])? {
        0 => Err(Fault::not_found("player", name)),
        _ => Ok(()),
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

const COLUMNS: &str = "name, kind, registered, removed, availability";

/// A player; what its matches say, unless only the player is wanted.
fn summary(connection: &mut Connection, row: &Row, brief: bool) -> Result<PlayerSummary, Fault> {
    let name: String = get(row, 0)?;
    let statistics = if brief { PlayerStatistics::default() } else { statistics(connection, &name)? };
    Ok(PlayerSummary {
        kind: from_json(&get::<String>(row, 1)?, "player", &name)?,
        availability: from_json(&get::<String>(row, 4)?, "player", &name)?,
        statistics,
        registered: get(row, 2)?,
        retired: get(row, 3)?,
        name,
    })
}

/// A match in which somebody has several seats counts once; its goals and faults count for each seat.
fn statistics(connection: &mut Connection, name: &str) -> Result<PlayerStatistics, Fault> {
    let sql = "SELECT count(DISTINCT CASE WHEN m.stage IN ('completed', 'aborted') THEN m.id END),
                count(DISTINCT CASE WHEN m.stage = 'aborted' THEN m.id END),
                count(DISTINCT CASE WHEN m.stage = 'running' THEN m.id END),
                coalesce(sum(m.steps), 0)::bigint,
                avg(CASE WHEN m.stage = 'completed' THEN coalesce(s.goal, 0)::double precision END),
                coalesce(sum(s.late), 0)::bigint, coalesce(sum(s.illegal), 0)::bigint,
                coalesce(sum(s.failed), 0)::bigint
         FROM match_seats s JOIN matches m ON m.id = s.match WHERE lower(s.player) = lower($1::text COLLATE \"C\")";
    let row = connection.row(sql, values![name])?;
    let Some(row) = row else { return Ok(PlayerStatistics::default()) };
    Ok(PlayerStatistics {
        matches: get(&row, 0)?,
        aborted: get(&row, 1)?,
        running: get(&row, 2)?,
        steps: get(&row, 3)?,
        goal: get(&row, 4)?,
        faults: FaultCounts { late: get(&row, 5)?, illegal: get(&row, 6)?, failed: get(&row, 7)? },
    })
}

pub(super) fn find(connection: &mut Connection, name: &str) -> Result<PlayerSummary, Fault> {
    let sql = format!("SELECT {COLUMNS} FROM players WHERE lower(name) = lower($1::text COLLATE \"C\")");
    let row = connection.row(&sql, values![name])?;
    summary(connection, &row.ok_or_else(|| Fault::not_found("player", name))?, false)
}

pub(super) fn list(connection: &mut Connection, query: &PlayerQuery) -> Result<Page<PlayerSummary>, Fault> {
    let part = like(query.text.trim());
    let shown =
        if query.without_hidden { not_hidden("player", "lower(players.name)") } else { "true".to_owned() };
    let wanted = format!(
        "lower(name) LIKE lower($1::text COLLATE \"C\") AND ($2::boolean OR NOT removed) AND {shown}"
    );
    let sql = format!("SELECT count(*) FROM players WHERE {wanted}");
    let total = connection.number(&sql, values![part.as_str(), query.retired])?;
    let behind = "($4::text IS NULL OR lower(name) > lower($4::text COLLATE \"C\"))";
    let sql = format!(
        "SELECT {COLUMNS} FROM players WHERE {wanted} AND {behind} ORDER BY lower(name) LIMIT $3::bigint"
    );
    let values = values![part.as_str(), query.retired, rows_of_page(&query.page), &query.page.after];
    let rows = connection.rows(&sql, values)?;
    let items = rows.iter().map(|row| summary(connection, row, query.brief)).collect::<Result<_, _>>()?;
    Ok(page(&query.page, items, total, |summary: &PlayerSummary| &summary.name))
}
