//! Ratings of players over all matches.

use ludex::matches::ratings::Skill;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Fault;
use super::guides;
use crate::model::{
    GameKind, Page, PlayerRating, Population, RatingChange, RatingMoment, RatingQuery, RatingScope,
};
use crate::store::ratings::{
    self, EndedSeat, KeptRating, NumberedMatch, RatingTables, WaitingMatch, player_rating,
};
use crate::store::values::{from_json, integer, natural, page, rows_of_page};

pub(super) fn count(connection: &Connection, most: u64) -> Result<u64, Fault> {
    ratings::count(&mut Tables(connection), most)
}

/// Counting in a transaction of a connection.
struct Tables<'a>(&'a Connection);

impl RatingTables for Tables<'_> {
    type Error = Fault;

    fn position(&mut self) -> Result<u64, Fault> {
        let mut statement = self.0.prepare_cached("SELECT number FROM rating_position WHERE id = 1")?;
        Ok(natural(statement.query_row([], |row| row.get(0)).optional()?.unwrap_or(0)))
    }

    fn set_position(&mut self, number: u64) -> Result<(), Fault> {
        let sql = "INSERT OR REPLACE INTO rating_position (id, number) VALUES (1, ?1)";
        self.0.prepare_cached(sql)?.execute([integer(number)])?;
        Ok(())
    }

    fn last_number(&mut self) -> Result<u64, Fault> {
        let mut statement = self.0.prepare_cached("SELECT coalesce(max(number), 0) FROM rated_matches")?;
        Ok(natural(statement.query_row([], |row| row.get(0))?))
    }

    fn waiting(&mut self, most: u64) -> Result<Vec<WaitingMatch>, Fault> {
        let sql = format!(
            "SELECT q.match, m.hidden, v.dialect,
                 (SELECT count(*) FROM match_seats s WHERE s.match = q.match), {}
             FROM rating_queue q JOIN matches m ON m.id = q.match
             LEFT JOIN game_versions v ON v.game = m.game AND v.sha256 = m.version
             LEFT JOIN game_features f ON f.game = m.game AND f.sha256 = m.version
             ORDER BY q.ended, q.match LIMIT ?1",
            guides::COLUMNS
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        let rows = statement.query_map([integer(most)], |row| {
            Ok(WaitingMatch {
                id: row.get(0)?,
                hidden: row.get(1)?,
                dialect: row.get(2)?,
                seats: row.get(3)?,
                features: guides::features(row, 4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn give_number(&mut self, number: u64, id: &str, kind: GameKind) -> Result<(), Fault> {
        let sql = "INSERT INTO rated_matches (number, match, kind) VALUES (?1, ?2, ?3)";
        self.0.prepare_cached(sql)?.execute(params![integer(number), id, kind.name()])?;
        self.0.prepare_cached("DELETE FROM rating_queue WHERE match = ?1")?.execute([id])?;
        Ok(())
    }

    fn numbered(&mut self, behind: u64, most: u64) -> Result<Vec<NumberedMatch>, Fault> {
        let mut statement = self.0.prepare_cached(
            "SELECT r.number, r.match, m.game, r.kind, coalesce(m.ended, m.created)
             FROM rated_matches r JOIN matches m ON m.id = r.match
             WHERE r.number > ?1 ORDER BY r.number LIMIT ?2",
        )?;
        let rows = statement.query_map([integer(behind), integer(most)], |row| {
            Ok(NumberedMatch {
                number: natural(row.get(0)?),
                id: row.get(1)?,
                game: row.get(2)?,
                kind: row.get(3)?,
                ended: natural(row.get(4)?),
                seats: Vec::new(),
            })
        })?;
        let mut matches: Vec<NumberedMatch> = rows.collect::<Result<_, _>>()?;
        let mut statement = self
            .0
            .prepare_cached("SELECT player, goal, reward FROM match_seats WHERE match = ?1 ORDER BY seat")?;
        for one in &mut matches {
            let rows = statement.query_map([&one.id], |row| {
                Ok(EndedSeat { player: row.get(0)?, goal: row.get(1)?, reward: row.get(2)? })
            })?;
            one.seats = rows.collect::<Result<_, _>>()?;
        }
        Ok(matches)
    }

    fn rating(&mut self, scope: &str, player: &str) -> Result<Option<KeptRating>, Fault> {
        let mut statement = self.0.prepare_cached(
            "SELECT rating, deviation, volatility, matches, last FROM ratings r
             WHERE scope = ?1 AND player = ?2",
        )?;
        Ok(statement.query_row([scope, player], |row| kept(row, 0)).optional()?)
    }

    fn is_rated(&mut self, scope: &str) -> Result<bool, Fault> {
        let mut statement =
            self.0.prepare_cached("SELECT EXISTS (SELECT 1 FROM ratings WHERE scope = ?1)")?;
        Ok(statement.query_row([scope], |row| row.get(0))?)
    }

    fn put_rating(&mut self, scope: &str, player: &str, kept: &KeptRating) -> Result<(), Fault> {
        let KeptRating { skill, matches, last } = kept;
        let mut statement = self.0.prepare_cached(
            "INSERT OR REPLACE INTO ratings
                 (scope, player, rating, deviation, volatility, low, matches, last)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        statement.execute(params![
            scope,
            player,
            skill.rating,
            skill.deviation,
            skill.volatility,
            skill.low(),
            integer(*matches),
            integer(*last),
        ])?;
        Ok(())
    }

    fn add_moment(&mut self, scope: &str, player: &str, kept: &KeptRating) -> Result<(), Fault> {
        let KeptRating { skill, matches, last } = kept;
        let mut statement = self.0.prepare_cached(
            "INSERT OR REPLACE INTO rating_moments (scope, player, matches, at, rating, deviation)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let (matches, last) = (integer(*matches), integer(*last));
        statement.execute(params![scope, player, matches, last, skill.rating, skill.deviation])?;
        Ok(())
    }

    fn drop_moments(
        &mut self,
        scope: &str,
        player: &str,
        (behind, up_to, step): (u64, u64, u64),
    ) -> Result<(), Fault> {
        let mut statement = self.0.prepare_cached(
            "DELETE FROM rating_moments
             WHERE scope = ?1 AND player = ?2 AND matches > ?3 AND matches <= ?4 AND matches % ?5 <> 0",
        )?;
        statement.execute(params![scope, player, integer(behind), integer(up_to), integer(step)])?;
        Ok(())
    }

    fn note_changes(&mut self, number: u64, changes: &str) -> Result<(), Fault> {
        let sql = "UPDATE rated_matches SET changes = ?2 WHERE number = ?1";
        self.0.prepare_cached(sql)?.execute(params![integer(number), changes])?;
        Ok(())
    }
}

/// A rating as it is kept, from this column on.
fn kept(row: &Row<'_>, first: usize) -> rusqlite::Result<KeptRating> {
    let (rating, deviation, volatility) = (row.get(first)?, row.get(first + 1)?, row.get(first + 2)?);
    Ok(KeptRating {
        skill: Skill { rating, deviation, volatility },
        matches: natural(row.get(first + 3)?),
        last: natural(row.get(first + 4)?),
    })
}

pub(super) fn games_of_unknown_kind(
    connection: &Connection,
    most: u64,
) -> Result<Vec<(String, String)>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT m.game, m.version FROM rating_queue q JOIN matches m ON m.id = q.match
         LEFT JOIN game_features f ON f.game = m.game AND f.sha256 = m.version
         WHERE f.game IS NULL ORDER BY m.game, m.version LIMIT ?1",
    )?;
    let rows = statement.query_map([integer(most)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn uncounted(connection: &Connection) -> Result<u64, Fault> {
    let sql = "SELECT (SELECT count(*) FROM rating_queue) + (SELECT count(*) FROM rated_matches
        WHERE number > coalesce((SELECT number FROM rating_position WHERE id = 1), 0))";
    Ok(natural(connection.query_row(sql, [], |row| row.get(0))?))
}

pub(super) fn forget(connection: &Connection) -> Result<(), Fault> {
    connection.execute_batch(
        "DELETE FROM ratings; DELETE FROM rating_moments; DELETE FROM rating_position;
         UPDATE rated_matches SET changes = NULL WHERE changes IS NOT NULL;",
    )?;
    Ok(())
}

/// A match is over and can be rated: it waits to be counted, unless it was counted before.
pub(super) fn wait(connection: &Connection, id: &str, ended: u64) -> Result<(), Fault> {
    connection.execute(
        "INSERT OR IGNORE INTO rating_queue (match, ended)
         SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM rated_matches WHERE match = ?1)",
        params![id, integer(ended)],
    )?;
    Ok(())
}

/// What a list says of a rating `r`; how it was some matches ago is the last column.
fn columns() -> String {
    format!(
        "r.scope, r.player, r.rating, r.deviation, r.volatility, r.matches, r.last,
         (SELECT b.rating FROM rating_moments b
          WHERE b.scope = r.scope AND b.player = r.player AND b.matches = r.matches - {})",
        PlayerRating::TREND
    )
}

type Raw = (String, String, KeptRating, Option<f64>);

fn raw(row: &Row<'_>) -> rusqlite::Result<Raw> {
    Ok((row.get(0)?, row.get(1)?, kept(row, 2)?, row.get(7)?))
}

fn told((scope, player, kept, before): Raw) -> Result<PlayerRating, Fault> {
    Ok(player_rating((&scope, player), kept, before)?)
}

pub(super) fn list(connection: &Connection, query: &RatingQuery) -> Result<Page<PlayerRating>, Fault> {
    let who = match query.who {
        Population::Both => "",
        Population::People => "AND p.kind LIKE '{\"kind\":\"person\"%'",
        Population::Programs => "AND p.kind NOT LIKE '{\"kind\":\"person\"%'",
    };
    let from = format!(
        "FROM ratings r JOIN players p ON p.name = r.player WHERE r.scope = ?1 AND NOT p.removed {who}"
    );
    let scope = query.scope.to_string();
    let mut statement = connection.prepare_cached(&format!("SELECT count(*) {from}"))?;
    let total = statement.query_row([&scope], |row| row.get(0))?;
    let low = match &query.page.after {
        Some(player) => {
            let sql = "SELECT low FROM ratings WHERE scope = ?1 AND player = ?2";
            let low = connection.query_row(sql, [&scope, player], |row| row.get::<_, f64>(0)).optional()?;
            Some(low.ok_or_else(|| Fault::not_found("rating", player))?)
        }
        None => None,
    };
    let sql = format!(
        "SELECT {} {from} AND (?3 IS NULL OR r.low < ?3 OR (r.low = ?3 AND r.player > ?4))
         ORDER BY r.low DESC, r.player LIMIT ?2",
        columns()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let values = params![scope, rows_of_page(&query.page), low, query.page.after];
    let rows: Vec<Raw> = statement.query_map(values, raw)?.collect::<Result<_, _>>()?;
    let items = rows.into_iter().map(told).collect::<Result<_, _>>()?;
    Ok(page(&query.page, items, total, |rating: &PlayerRating| &rating.player))
}

pub(super) fn of_player(
    connection: &Connection,
    player: &str,
    most: u64,
) -> Result<Vec<PlayerRating>, Fault> {
    let sql = format!(
        "SELECT {} FROM ratings r WHERE r.player = ?1 ORDER BY r.matches DESC, r.scope LIMIT ?2",
        columns()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows: Vec<Raw> =
        statement.query_map(params![player, integer(most)], raw)?.collect::<Result<_, _>>()?;
    rows.into_iter().map(told).collect()
}

pub(super) fn moments(
    connection: &Connection,
    player: &str,
    scope: &RatingScope,
) -> Result<Vec<RatingMoment>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT matches, at, rating, deviation FROM rating_moments
         WHERE scope = ?1 AND player = ?2 ORDER BY matches",
    )?;
    let rows = statement.query_map([scope.to_string().as_str(), player], |row| {
        Ok(RatingMoment {
            matches: natural(row.get(0)?),
            at: natural(row.get(1)?),
            rating: row.get(2)?,
            deviation: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn of_match(connection: &Connection, id: &str) -> Result<Vec<RatingChange>, Fault> {
    let mut statement = connection.prepare_cached("SELECT changes FROM rated_matches WHERE match = ?1")?;
    let changes: Option<Option<String>> = statement.query_row([id], |row| row.get(0)).optional()?;
    match changes.flatten() {
        Some(text) => Ok(from_json(&text, "match", id)?),
        None => Ok(Vec::new()),
    }
}
