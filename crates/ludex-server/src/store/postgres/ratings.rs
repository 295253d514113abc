//! Ratings of players over all matches.

use ludex::matches::ratings::Skill;
use postgres::Row;

use super::connection::{Connection, get, values};
use super::fault::Fault;
use super::guides;
use crate::model::{
    GameKind, Page, PlayerRating, Population, RatingChange, RatingMoment, RatingQuery, RatingScope,
};
use crate::store::ratings::{
    self, EndedSeat, KeptRating, NumberedMatch, RatingTables, WaitingMatch, player_rating,
};
use crate::store::values::{from_json, natural, page, rows_of_page};

pub(super) fn count(connection: &mut Connection, most: u64) -> Result<u64, Fault> {
    ratings::count(&mut Tables(connection), most)
}

/// Counting in a transaction of a connection.
struct Tables<'a>(&'a mut Connection);

impl RatingTables for Tables<'_> {
    type Error = Fault;

    fn position(&mut self) -> Result<u64, Fault> {
        let sql = "INSERT INTO rating_position (id, number) VALUES (1, 0) ON CONFLICT DO NOTHING";
        self.0.execute(sql, &[])?;
        // Whoever else counts waits for the end of this transaction, and then sees what it has written.
        Ok(natural(self.0.number("SELECT number FROM rating_position WHERE id = 1 FOR UPDATE", &[])?))
    }

    fn set_position(&mut self, number: u64) -> Result<(), Fault> {
        self.0.execute("UPDATE rating_position SET number = $1 WHERE id = 1", values![number])?;
        Ok(())
    }

    fn last_number(&mut self) -> Result<u64, Fault> {
        Ok(natural(self.0.number("SELECT coalesce(max(number), 0) FROM rated_matches", &[])?))
    }

    fn waiting(&mut self, most: u64) -> Result<Vec<WaitingMatch>, Fault> {
        let sql = format!(
            "SELECT q.match, m.hidden, v.dialect,
                 (SELECT count(*) FROM match_seats s WHERE s.match = q.match), {}
             FROM rating_queue q JOIN matches m ON m.id = q.match
             LEFT JOIN game_versions v ON v.game = m.game AND v.sha256 = m.version
             LEFT JOIN game_features f ON f.game = m.game AND f.sha256 = m.version
             ORDER BY q.ended, q.match LIMIT $1",
            guides::COLUMNS
        );
        self.0.all(&sql, values![most], |row| {
            Ok(WaitingMatch {
                id: get(row, 0)?,
                hidden: get(row, 1)?,
                dialect: get(row, 2)?,
                seats: get(row, 3)?,
                features: guides::features(row, 4)?,
            })
        })
    }

    fn give_number(&mut self, number: u64, id: &str, kind: GameKind) -> Result<(), Fault> {
        let sql = "INSERT INTO rated_matches (number, match, kind) VALUES ($1, $2, $3)";
        self.0.execute(sql, values![number, id, kind.name()])?;
        self.0.execute("DELETE FROM rating_queue WHERE match = $1", values![id])?;
        Ok(())
    }

    fn numbered(&mut self, behind: u64, most: u64) -> Result<Vec<NumberedMatch>, Fault> {
        let sql = "SELECT r.number, r.match, m.game, r.kind, coalesce(m.ended, m.created)
             FROM rated_matches r JOIN matches m ON m.id = r.match
             WHERE r.number > $1 ORDER BY r.number LIMIT $2";
        let mut matches = self.0.all(sql, values![behind, most], |row| {
            Ok(NumberedMatch {
                number: get(row, 0)?,
                id: get(row, 1)?,
                game: get(row, 2)?,
                kind: get(row, 3)?,
                ended: get(row, 4)?,
                seats: Vec::new(),
            })
        })?;
        let sql = "SELECT player, goal, reward FROM match_seats WHERE match = $1 ORDER BY seat";
        for one in &mut matches {
            one.seats = self.0.all(sql, values![&one.id], |row| {
                Ok(EndedSeat { player: get(row, 0)?, goal: get(row, 1)?, reward: get(row, 2)? })
            })?;
        }
        Ok(matches)
    }

    fn rating(&mut self, scope: &str, player: &str) -> Result<Option<KeptRating>, Fault> {
        let sql = "SELECT rating, deviation, volatility, matches, last FROM ratings
             WHERE scope = $1 AND lower(player) = lower($2::text COLLATE \"C\")";
        self.0.row(sql, values![scope, player])?.map(|row| kept(&row, 0)).transpose()
    }

    fn is_rated(&mut self, scope: &str) -> Result<bool, Fault> {
        let sql = "SELECT EXISTS (SELECT 1 FROM ratings WHERE scope = $1)";
        Ok(self.0.value(sql, values![scope])?.unwrap_or(false))
    }

    fn put_rating(&mut self, scope: &str, player: &str, kept: &KeptRating) -> Result<(), Fault> {
        let KeptRating { skill: Skill { rating, deviation, volatility }, matches, last } = *kept;
        let sql = "INSERT INTO ratings (scope, player, rating, deviation, volatility, low, matches, last)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (scope, lower(player)) DO UPDATE SET player = EXCLUDED.player,
                 rating = EXCLUDED.rating, deviation = EXCLUDED.deviation,
                 volatility = EXCLUDED.volatility, low = EXCLUDED.low,
                 matches = EXCLUDED.matches, last = EXCLUDED.last";
        let numbers = [rating, deviation, volatility, kept.skill.low()].map(Some);
        let [rating, deviation, volatility, low] = numbers;
        self.0.execute(sql, values![scope, player, rating, deviation, volatility, low, matches, last])?;
        Ok(())
    }

    fn add_moment(&mut self, scope: &str, player: &str, kept: &KeptRating) -> Result<(), Fault> {
        let KeptRating { skill, matches, last } = *kept;
        let sql = "INSERT INTO rating_moments (scope, player, matches, at, rating, deviation)
             VALUES ($1, $2, $3, $4, $5, $6)";
        let [rating, deviation] = [skill.rating, skill.deviation].map(Some);
        self.0.execute(sql, values![scope, player, matches, last, rating, deviation])?;
        Ok(())
    }

    fn drop_moments(
        &mut self,
        scope: &str,
        player: &str,
        (behind, up_to, step): (u64, u64, u64),
    ) -> Result<(), Fault> {
        let sql =
            "DELETE FROM rating_moments WHERE scope = $1 AND lower(player) = lower($2::text COLLATE \"C\")
                 AND matches > $3 AND matches <= $4 AND matches % $5 <> 0";
        self.0.execute(sql, values![scope, player, behind, up_to, step])?;
        Ok(())
    }

    fn note_changes(&mut self, number: u64, changes: &str) -> Result<(), Fault> {
        let sql = "UPDATE rated_matches SET changes = $2 WHERE number = $1";
        self.0.execute(sql, values![number, changes])?;
        Ok(())
    }
}

/// A rating as it is kept, from this column on.
fn kept(row: &Row, first: usize) -> Result<KeptRating, Fault> {
    let (rating, deviation, volatility) = (get(row, first)?, get(row, first + 1)?, get(row, first + 2)?);
    Ok(KeptRating {
        skill: Skill { rating, deviation, volatility },
        matches: get(row, first + 3)?,
        last: get(row, first + 4)?,
    })
}

pub(super) fn games_of_unknown_kind(
    connection: &mut Connection,
    most: u64,
) -> Result<Vec<(String, String)>, Fault> {
    let sql = "SELECT DISTINCT m.game, m.version FROM rating_queue q JOIN matches m ON m.id = q.match
         LEFT JOIN game_features f ON f.game = m.game AND f.sha256 = m.version
         WHERE f.game IS NULL ORDER BY m.game, m.version LIMIT $1";
    connection.all(sql, values![most], |row| Ok((get(row, 0)?, get(row, 1)?)))
}

pub(super) fn uncounted(connection: &mut Connection) -> Result<u64, Fault> {
    let sql = "SELECT (SELECT count(*) FROM rating_queue) + (SELECT count(*) FROM rated_matches
        WHERE number > coalesce((SELECT number FROM rating_position WHERE id = 1), 0))";
    Ok(natural(connection.number(sql, &[])?))
}

pub(super) fn forget(connection: &mut Connection) -> Result<(), Fault> {
    // In this order, so that whoever counts is waited for.
    connection.run(
        "DELETE FROM rating_position; DELETE FROM ratings; DELETE FROM rating_moments;
         UPDATE rated_matches SET changes = NULL WHERE changes IS NOT NULL;",
    )
}

/// A match is over and can be rated: it waits to be counted, unless it was counted before.
pub(super) fn wait(connection: &mut Connection, id: &str, ended: u64) -> Result<(), Fault> {
    let sql = "INSERT INTO rating_queue (match, ended)
         SELECT $1::text, $2::bigint WHERE NOT EXISTS (SELECT 1 FROM rated_matches WHERE match = $1::text)
         ON CONFLICT DO NOTHING";
    connection.execute(sql, values![id, ended])?;
    Ok(())
}

/// What a list says of a rating `r`; how it was some matches ago is the last column.
fn columns() -> String {
    format!(
        "r.scope, r.player, r.rating, r.deviation, r.volatility, r.matches, r.last,
         (SELECT b.rating FROM rating_moments b
          WHERE b.scope = r.scope AND lower(b.player) = lower(r.player) AND b.matches = r.matches - {})",
        PlayerRating::TREND
    )
}

fn told(row: &Row) -> Result<PlayerRating, Fault> {
    let scope: String = get(row, 0)?;
    Ok(player_rating((&scope, get(row, 1)?), kept(row, 2)?, get(row, 7)?)?)
}

pub(super) fn list(connection: &mut Connection, query: &RatingQuery) -> Result<Page<PlayerRating>, Fault> {
    let who = match query.who {
        Population::Both => "",
        Population::People => "AND p.kind LIKE '{\"kind\":\"person\"%'",
        Population::Programs => "AND p.kind NOT LIKE '{\"kind\":\"person\"%'",
    };
    let from = format!(
        "FROM ratings r JOIN players p ON lower(p.name) = lower(r.player)
         WHERE r.scope = $1 AND NOT p.removed {who}"
    );
    let scope = query.scope.to_string();
    let total = connection.number(&format!("SELECT count(*) {from}"), values![&scope])?;
    let low: Option<f64> = match &query.page.after {
        Some(player) => {
            let sql = "SELECT low FROM ratings
                       WHERE scope = $1 AND lower(player) = lower($2::text COLLATE \"C\")";
            let low = connection.value(sql, values![&scope, player])?;
            Some(low.ok_or_else(|| Fault::not_found("rating", player))?)
        }
        None => None,
    };
    let sql = format!(
        "SELECT {} {from} AND ($3::double precision IS NULL OR r.low < $3::double precision
             OR (r.low = $3::double precision AND lower(r.player) > lower($4::text COLLATE \"C\")))
         ORDER BY r.low DESC, lower(r.player) LIMIT $2",
        columns()
    );
    let values = values![&scope, rows_of_page(&query.page), low, &query.page.after];
    let items = connection.all(&sql, values, told)?;
    Ok(page(&query.page, items, total, |rating: &PlayerRating| &rating.player))
}

pub(super) fn of_player(
    connection: &mut Connection,
    player: &str,
    most: u64,
) -> Result<Vec<PlayerRating>, Fault> {
    let sql = format!(
        "SELECT {} FROM ratings r WHERE lower(r.player) = lower($1::text COLLATE \"C\")
         ORDER BY r.matches DESC, r.scope LIMIT $2",
        columns()
    );
    connection.all(&sql, values![player, most], told)
}

pub(super) fn moments(
    connection: &mut Connection,
    player: &str,
    scope: &RatingScope,
) -> Result<Vec<RatingMoment>, Fault> {
    let sql = "SELECT matches, at, rating, deviation FROM rating_moments
         WHERE scope = $1 AND lower(player) = lower($2::text COLLATE \"C\") ORDER BY matches";
    connection.all(sql, values![scope.to_string(), player], |row| {
        Ok(RatingMoment {
            matches: get(row, 0)?,
            at: get(row, 1)?,
            rating: get(row, 2)?,
            deviation: get(row, 3)?,
        })
    })
}

pub(super) fn of_match(connection: &mut Connection, id: &str) -> Result<Vec<RatingChange>, Fault> {
    let sql = "SELECT changes FROM rated_matches WHERE match = $1";
    let changes: Option<Option<String>> = connection.value(sql, values![id])?;
    match changes.flatten() {
        Some(text) => Ok(from_json(&text, "match", id)?),
        None => Ok(Vec::new()),
    }
}
