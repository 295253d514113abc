//! Tournaments and what has happened in them.

use ludex::matches::tournament::TournamentEvent;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Fault;
use super::page::{Conditions, newest};
use crate::model::{
    Page, StoreError, TournamentPlan, TournamentQuery, TournamentRow, TournamentStage, TournamentSummary,
};
use crate::store::values::{RawTournament, from_json, integer, json, like, page};

pub(super) fn add(connection: &Connection, row: &TournamentRow) -> Result<(), Fault> {
    let TournamentRow { summary, plan } = row;
    let added = connection.execute(
        "INSERT INTO tournaments (id, title, format, plan, stage, players, games, created)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            summary.id,
            summary.title,
            summary.format.name(),
            json(plan)?,
            summary.stage.name(),
            integer(summary.players as u64),
            integer(summary.games as u64),
            integer(summary.created),
        ],
    );
    added.map(|_| ()).map_err(|error| Fault::exists(error, "tournament", &summary.id))
}

const SUMMARY: &str = "t.id, t.title, t.format, t.stage, t.players, t.games, t.created, t.ended,
    (SELECT count(*) FROM tournament_events e WHERE e.tournament = t.id AND e.is_result)";

fn raw(row: &Row<'_>) -> rusqlite::Result<RawTournament> {
    Ok(RawTournament {
        id: row.get(0)?,
        title: row.get(1)?,
        format: row.get(2)?,
        stage: row.get(3)?,
        players: row.get(4)?,
        games: row.get(5)?,
        created: row.get(6)?,
        ended: row.get(7)?,
        results: row.get(8)?,
    })
}

fn tournament_row((raw, plan): (RawTournament, String)) -> Result<TournamentRow, Fault> {
    let plan: TournamentPlan = from_json(&plan, "tournament", &raw.id)?;
    Ok(TournamentRow { summary: raw.summary()?, plan })
}

pub(super) fn find(connection: &Connection, id: &str) -> Result<TournamentRow, Fault> {
    let sql = format!("SELECT {SUMMARY}, t.plan FROM tournaments t WHERE t.id = ?1");
    let found = connection.query_row(&sql, [id], |row| Ok((raw(row)?, row.get(9)?))).optional()?;
    tournament_row(found.ok_or_else(|| Fault::not_found("tournament", id))?)
}

pub(super) fn open(connection: &Connection) -> Result<Vec<TournamentRow>, Fault> {
    let sql = format!(
        "SELECT {SUMMARY}, t.plan FROM tournaments t WHERE t.stage <> 'over' ORDER BY t.created, t.id"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows: Vec<(RawTournament, String)> =
        statement.query_map([], |row| Ok((raw(row)?, row.get(9)?)))?.collect::<Result<_, _>>()?;
    rows.into_iter().map(tournament_row).collect()
}

/// The names of games and players stand in what was agreed; who entered late, in the events.
const PLAYS: &str = "(EXISTS (SELECT 1 FROM json_each(t.plan, '$.competition.players') WHERE value = ?)
    OR EXISTS (SELECT 1 FROM tournament_events e WHERE e.tournament = t.id AND NOT e.is_result
        AND json_extract(e.event, '$.event') = 'entered' AND json_extract(e.event, '$.player') = ?))";
const IS_PLAYED: &str = "EXISTS (SELECT 1 FROM json_each(t.plan, '$.competition.games')
    WHERE json_extract(value, '$.name') = ?)";

pub(super) fn list(
    connection: &Connection,
    query: &TournamentQuery,
) -> Result<Page<TournamentSummary>, Fault> {
    let mut conditions = Conditions::default();
    for word in query.text.split_whitespace() {
        conditions.want("t.title LIKE ? ESCAPE '\\'", like(word));
    }
    if let Some(game) = &query.game {
        conditions.want(IS_PLAYED, game.clone());
    }
    if let Some(player) = &query.player {
        conditions.want(PLAYS, player.clone());
    }
    if let Some(stage) = query.stage {
        conditions.want("t.stage = ?", stage.name());
    }
    let (rows, total) = newest(connection, SUMMARY, conditions, &query.page, raw)?;
    let items = rows.into_iter().map(RawTournament::summary).collect::<Result<_, StoreError>>()?;
    Ok(page(&query.page, items, total, |summary: &TournamentSummary| &summary.id))
}

pub(super) fn events(connection: &Connection, id: &str) -> Result<Vec<TournamentEvent>, Fault> {
    let sql = "SELECT event FROM tournament_events WHERE tournament = ?1 ORDER BY number";
    let mut statement = connection.prepare_cached(sql)?;
    let rows: Vec<String> = statement.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    rows.iter().map(|text| Ok(from_json(text, "tournament", id)?)).collect()
}

pub(super) fn add_event(
    connection: &Connection,
    id: &str,
    number: u64,
    event: &TournamentEvent,
) -> Result<(), Fault> {
    let is_result = matches!(event, TournamentEvent::Finished(_));
    let added = connection.execute(
        "INSERT INTO tournament_events (tournament, number, event, is_result) VALUES (?1, ?2, ?3, ?4)",
        params![id, integer(number), json(event)?, is_result],
    );
    added.map_err(|error| Fault::exists(error, "event", &format!("{id}/{number}")))?;
    if matches!(event, TournamentEvent::Entered { .. }) {
        connection.execute("UPDATE tournaments SET players = players + 1 WHERE id = ?1", [id])?;
    }
    Ok(())
}

pub(super) fn set_stage(
    connection: &Connection,
    id: &str,
    stage: TournamentStage,
    at: u64,
) -> Result<(), Fault> {
    let ended = (stage == TournamentStage::Over).then_some(integer(at));
    let sql = "UPDATE tournaments SET stage = ?2, ended = ?3 WHERE id = ?1";
    match connection.execute(sql, params![id, stage.name(), ended])? {
        0 => Err(Fault::not_found("tournament", id)),
        _ => Ok(()),
    }
}
