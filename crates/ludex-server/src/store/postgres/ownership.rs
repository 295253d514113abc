//! Which member has which match and which tournament.

use std::sync::Arc;
use std::time::Duration;

use super::connection::{Connection, Value, get, values};
use super::fault::Fault;
use super::{PostgresStore, matches, news, tournaments};
use crate::model::{Claimed, Engagement, MemberNumber, Ownership, SharedNews, StoreError, Unowned};
use crate::store::{Shared, SharedStore, Store};

type Answer<T> = Result<T, StoreError>;

/// Of matches: nobody has them, and they go with no tournament that is played.
const ALONE: &str = "owner IS NULL AND stage IN ('planned', 'running') AND (tournament IS NULL OR EXISTS (
    SELECT 1 FROM tournaments t WHERE t.id = matches.tournament AND t.stage = 'over'))";

fn unowned(connection: &mut Connection) -> Result<Unowned, Fault> {
    let sql = format!(
        "SELECT (SELECT count(*) FROM tournaments WHERE owner IS NULL AND stage <> 'over'),
                (SELECT count(*) FROM matches WHERE {ALONE})"
    );
    let row = connection.row(&sql, &[])?;
    row.map_or(Ok(Unowned::default()), |row| {
        Ok(Unowned { tournaments: get(&row, 0)?, matches: get(&row, 1)? })
    })
}

fn claim(connection: &mut Connection, number: MemberNumber, most: Unowned) -> Result<Claimed, Fault> {
    let own = number.0;
    let sql = "UPDATE tournaments SET owner = $1 WHERE id = ANY(ARRAY(
                   SELECT id FROM tournaments WHERE owner IS NULL AND stage <> 'over' ORDER BY created, id
                   LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED))
               RETURNING id";
    let held = connection.all(sql, values![own, most.tournaments], |row| get::<String>(row, 0))?;
    let sql = "UPDATE matches SET owner = $1
               WHERE tournament = ANY($2::text[]) AND owner IS NULL AND stage IN ('planned', 'running')
               RETURNING id";
    let of_held = [own.into(), Value::texts(held.iter().map(String::as_str))];
    let mut ids = connection.all(sql, &of_held, |row| get::<String>(row, 0))?;
    let sql = format!(
        "UPDATE matches SET owner = $1 WHERE id = ANY(ARRAY(
             SELECT id FROM matches WHERE {ALONE} ORDER BY created, id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED))
         RETURNING id"
    );
    ids.extend(connection.all(&sql, values![own, most.matches], |row| get::<String>(row, 0))?);
    Ok(Claimed {
        tournaments: tournaments::these(connection, &held)?,
        matches: matches::these(connection, &ids)?,
    })
}

fn owned(connection: &mut Connection, number: MemberNumber) -> Result<Claimed, Fault> {
    let ids = |connection: &mut Connection, table: &str| {
        let sql = format!("SELECT id FROM {table} WHERE owner = $1");
        connection.all(&sql, values![number.0], |row| get::<String>(row, 0))
    };
    let (held, own) = (ids(connection, "tournaments")?, ids(connection, "matches")?);
    Ok(Claimed {
        tournaments: tournaments::these(connection, &held)?,
        matches: matches::these(connection, &own)?,
    })
}

fn owner(connection: &mut Connection, sql: &str, what: &'static str, id: &str) -> Result<Ownership, Fault> {
    let row = connection.row(sql, values![id])?.ok_or_else(|| Fault::not_found(what, id))?;
    let (over, owner): (bool, Option<u64>) = (get(&row, 0)?, get(&row, 1)?);
    Ok(match owner {
        _ if over => Ownership::Over,
        None => Ownership::Nobody,
        Some(number) => Ownership::Member {
            number: MemberNumber(number),
            address: get::<Option<String>>(&row, 2)?.unwrap_or_default(),
        },
    })
}

fn owner_of_match(connection: &mut Connection, id: &str) -> Result<Ownership, Fault> {
    let sql = "SELECT m.stage NOT IN ('planned', 'running'), m.owner, n.address
               FROM matches m LEFT JOIN members n ON n.number = m.owner WHERE m.id = $1";
    owner(connection, sql, "match", id)
}

fn owner_of_tournament(connection: &mut Connection, id: &str) -> Result<Ownership, Fault> {
    let sql = "SELECT t.stage = 'over', t.owner, n.address
               FROM tournaments t LEFT JOIN members n ON n.number = t.owner WHERE t.id = $1";
    owner(connection, sql, "tournament", id)
}

fn engagements(connection: &mut Connection, number: MemberNumber) -> Result<Vec<Engagement>, Fault> {
    let sql = "SELECT DISTINCT s.player, m.tournament, m.began
               FROM matches m JOIN match_seats s ON s.match = m.id
               WHERE m.owner IS DISTINCT FROM $1::bigint
                 AND (m.stage = 'running' OR (m.stage = 'planned' AND m.tournament IS NOT NULL))";
    connection.all(sql, values![number.0], |row| {
        Ok(Engagement { player: get(row, 0)?, tournament: get(row, 1)?, began: get(row, 2)? })
    })
}

/// Whoever asks for a player of these has its row until it is noted that the match runs.
fn begin_with(
    connection: &mut Connection,
    number: MemberNumber,
    id: &str,
    roles: &[String],
    began: u64,
    alone: &[(String, u64)],
) -> Result<Option<String>, Fault> {
    let players = || Value::texts(alone.iter().map(|(player, _)| player.as_str()));
    if !alone.is_empty() {
        let since = Value::numbers(alone.iter().map(|(_, since)| *since));
        let sql = "SELECT name FROM players WHERE name = ANY($1::text[]) ORDER BY name FOR NO KEY UPDATE";
        connection.rows(sql, &[players()])?;
        let sql = "SELECT s.player
                   FROM unnest($2::text[], $5::bigint[]) AS p (name, since)
                   JOIN match_seats s ON lower(s.player) = lower(p.name COLLATE \"C\")
                   JOIN matches m ON m.id = s.match
                   JOIN matches own ON own.id = $1
                   WHERE own.stage = 'planned' AND m.id <> own.id AND m.owner IS DISTINCT FROM $3::bigint
                     AND ((m.stage = 'running' AND coalesce(m.began, $4::bigint) >= p.since)
                          OR (m.stage = 'planned' AND m.tournament IS NOT NULL AND m.due <= $4::bigint
                              AND (m.created, m.id) < (own.created, own.id)))
                   LIMIT 1";
        let values = [id.into(), players(), number.0.into(), began.into(), since];
        let busy = connection.value(sql, &values)?;
        if busy.is_some() {
            return Ok(busy);
        }
    }
    matches::begin(connection, id, roles, began)?;
    Ok(None)
}

fn secret(connection: &mut Connection, drawn: &[u8]) -> Result<Vec<u8>, Fault> {
    let sql = "INSERT INTO secrets (name, value) VALUES ('members', $1) ON CONFLICT DO NOTHING";
    connection.execute(sql, &[Value::Bytes(drawn)])?;
    let kept = connection.value("SELECT value FROM secrets WHERE name = 'members'", &[])?;
    kept.ok_or_else(|| Fault::not_found("secret", "members"))
}

impl SharedStore for PostgresStore {
    fn shared(&self) -> Option<Arc<dyn Shared>> {
        Some(Arc::new(self.clone()))
    }
}

impl Shared for PostgresStore {
    fn as_member(&self, number: MemberNumber) -> Arc<dyn Store> {
        Arc::new(Self { connections: self.connections.clone(), member: Some(number) })
    }

    fn unowned(&self) -> Answer<Unowned> {
        self.read(unowned)
    }

    fn claim(&self, number: MemberNumber, most: Unowned) -> Answer<Claimed> {
        self.connections.write(Some(number), |connection| claim(connection, number, most))
    }

    fn owned(&self, number: MemberNumber) -> Answer<Claimed> {
        self.read(|connection| owned(connection, number))
    }

    fn owner_of_match(&self, id: &str) -> Answer<Ownership> {
        self.read(|connection| owner_of_match(connection, id))
    }

    fn owner_of_tournament(&self, id: &str) -> Answer<Ownership> {
        self.read(|connection| owner_of_tournament(connection, id))
    }

    fn engagements(&self, number: MemberNumber) -> Answer<Vec<Engagement>> {
        self.read(|connection| engagements(connection, number))
    }

    fn begin_with(
        &self,
        number: MemberNumber,
        id: &str,
        roles: &[String],
        began: u64,
        alone: &[(String, u64)],
    ) -> Answer<Option<String>> {
        self.connections
            .write(Some(number), |connection| begin_with(connection, number, id, roles, began, alone))
    }

    fn news(&self, patience: Duration) -> Answer<Vec<SharedNews>> {
        let heard = self.connections.listen(|connection| news::hear(connection, patience))?;
        // Where the connection is new, nobody knows what was told before.
        Ok(heard.unwrap_or_else(|| SharedNews::ALL.to_vec()))
    }

    fn secret(&self, drawn: &[u8]) -> Answer<Vec<u8>> {
        self.write(|connection| secret(connection, drawn))
    }
}
