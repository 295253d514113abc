//! Tournaments and what has happened in them.

use ludex::matches::tournament::TournamentEvent;
use postgres::Row;

use super::connection::{Connection, Value, get, values};
use super::fault::Fault;
use super::news;
use super::page::{Conditions, newest};
use crate::model::{
    Page, SharedNews, StoreError, TournamentPlan, TournamentQuery, TournamentRow, TournamentStage,
    TournamentSummary,
};
use crate::store::values::{RawTournament, from_json, integer, json, like, page};

pub(super) fn add(connection: &mut Connection, row: &TournamentRow) -> Result<(), Fault> {
    let TournamentRow { summary, plan } = row;
    let owner = connection.member.map(|member| integer(member.0));
    let added = connection.execute(
        "INSERT INTO tournaments (id, title, format, plan, stage, players, games, created, owner)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        values![
            &summary.id,
            &summary.title,
            summary.format.name(),
            json(plan)?,
            summary.stage.name(),
            summary.players as u64,
            summary.games as u64,
            summary.created,
            owner,
        ],
    );
    added.map_err(|fault| fault.exists("tournament", &summary.id))?;
    news::tell(connection, SharedNews::Tournaments)
}

const SUMMARY: &str = "t.id, t.title, t.format, t.stage, t.players, t.games, t.created, t.ended,
    (SELECT count(*) FROM tournament_events e WHERE e.tournament = t.id AND e.is_result)";

fn raw(row: &Row) -> Result<RawTournament, Fault> {
    Ok(RawTournament {
        id: get(row, 0)?,
        title: get(row, 1)?,
        format: get(row, 2)?,
        stage: get(row, 3)?,
        players: get(row, 4)?,
        games: get(row, 5)?,
        created: get(row, 6)?,
        ended: get(row, 7)?,
        results: get(row, 8)?,
    })
}

fn tournament_row(row: &Row) -> Result<TournamentRow, Fault> {
    let raw = raw(row)?;
    let plan: TournamentPlan = from_json(&get::<String>(row, 9)?, "tournament", &raw.id)?;
    Ok(TournamentRow { summary: raw.summary()?, plan })
}

pub(super) fn find(connection: &mut Connection, id: &str) -> Result<TournamentRow, Fault> {
    let sql = format!("SELECT {SUMMARY}, t.plan FROM tournaments t WHERE t.id = $1");
    let row = connection.row(&sql, values![id])?;
    tournament_row(&row.ok_or_else(|| Fault::not_found("tournament", id))?)
}

/// The tournaments of these names, oldest first.
pub(super) fn these(connection: &mut Connection, ids: &[String]) -> Result<Vec<TournamentRow>, Fault> {
    let sql = format!(
        "SELECT {SUMMARY}, t.plan FROM tournaments t WHERE t.id = ANY($1::text[]) ORDER BY t.created, t.id"
    );
    connection.all(&sql, &[Value::texts(ids.iter().map(String::as_str))], tournament_row)
}

pub(super) fn open(connection: &mut Connection) -> Result<Vec<TournamentRow>, Fault> {
    let sql = format!(
        "SELECT {SUMMARY}, t.plan FROM tournaments t WHERE t.stage <> 'over' ORDER BY t.created, t.id"
    );
    connection.all(&sql, &[], tournament_row)
}

/// The names of games and players stand in what was agreed; who entered late, in the events.
const PLAYS: &str = "(EXISTS (
        SELECT 1 FROM json_array_elements(replace(t.plan, '\\u0000', '\\ufffd')::json #> '{competition,players}') AS p (name)
        WHERE p.name::text = ?)
    OR EXISTS (SELECT 1 FROM tournament_events e WHERE e.tournament = t.id AND NOT e.is_result
        AND replace(e.event, '\\u0000', '\\ufffd')::json ->> 'event' = 'entered'
        AND (replace(e.event, '\\u0000', '\\ufffd')::json -> 'player')::text = ?))";
const IS_PLAYED: &str = "EXISTS (SELECT 1 FROM json_array_elements(replace(t.plan, '\\u0000', '\\ufffd')::json #> '{competition,games}') AS g (game)
    WHERE (g.game -> 'name')::text = ?)";

/// A name as it stands in JSON that PostgreSQL reads: NUL, which its texts cannot have, is another sign there.
fn name_in_json(name: &str) -> Result<String, StoreError> {
    Ok(json(&name)?.replace("\\u0000", "\\ufffd"))
}

pub(super) fn list(
    connection: &mut Connection,
    query: &TournamentQuery,
) -> Result<Page<TournamentSummary>, Fault> {
    let mut conditions = Conditions::default();
    for word in query.text.split_whitespace() {
        conditions.want("lower(t.title) LIKE lower(?::text COLLATE \"C\")", like(word));
    }
    if let Some(game) = &query.game {
        conditions.want(IS_PLAYED, name_in_json(game)?);
    }
    if let Some(player) = &query.player {
        conditions.want(PLAYS, name_in_json(player)?);
    }
    if let Some(stage) = query.stage {
        conditions.want("t.stage = ?", stage.name());
    }
    let (rows, total) = newest(connection, SUMMARY, conditions, &query.page, raw)?;
    let items = rows.into_iter().map(RawTournament::summary).collect::<Result<_, StoreError>>()?;
    Ok(page(&query.page, items, total, |summary: &TournamentSummary| &summary.id))
}

pub(super) fn events(connection: &mut Connection, id: &str) -> Result<Vec<TournamentEvent>, Fault> {
    let sql = "SELECT event FROM tournament_events WHERE tournament = $1 ORDER BY number";
    connection.all(sql, values![id], |row| Ok(from_json(&get::<String>(row, 0)?, "tournament", id)?))
}

pub(super) fn add_event(
    connection: &mut Connection,
    id: &str,
    number: u64,
    event: &TournamentEvent,
) -> Result<(), Fault> {
    let is_result = matches!(event, TournamentEvent::Finished(_));
    let sql = "INSERT INTO tournament_events (tournament, number, event, is_result) VALUES ($1, $2, $3, $4)";
    let added = connection.execute(sql, values![id, number, json(event)?, is_result]);
    added.map_err(|fault| fault.exists("event", &format!("{id}/{number}")))?;
    if matches!(event, TournamentEvent::Entered { .. }) {
        connection.execute("UPDATE tournaments SET players = players + 1 WHERE id = $1", values![id])?;
    }
    Ok(())
}

pub(super) fn set_stage(
    connection: &mut Connection,
    id: &str,
    stage: TournamentStage,
    at: u64,
) -> Result<(), Fault> {
    let ended = (stage == TournamentStage::Over).then_some(integer(at));
    // Nobody has what is over.
    let sql = "UPDATE tournaments SET stage = $2, ended = $3, owner = CASE WHEN $2 = 'over' THEN NULL ELSE owner END
               WHERE id = $1";
    match connection.execute(sql, values![id, stage.name(), ended])? {
        0 => Err(Fault::not_found("tournament", id)),
        _ => news::tell(connection, SharedNews::Tournaments),
    }
}
