//! Lists of matches, gone through by an index from a key on, whatever is wanted of them; and how many matches there are.

use rusqlite::{Connection, OptionalExtension, ToSql};

use super::fault::Fault;
use super::matches::{COLUMNS, summary, whole};
use crate::model::{MatchQuery, MatchStage, MatchSummary, Page, StoreCounts};
use crate::store::values::{
    Counted, Driver, LOOKED_AT, integer, like, match_page, natural, not_hidden, rows_of_page,
};

/// How a list is asked for.
#[derive(Default)]
struct Question {
    values: Vec<Box<dyn ToSql>>,
    /// What the index is gone through by.
    near: Vec<String>,
    /// What is looked at match by match.
    far: Vec<String>,
}

impl Question {
    /// A condition in which each `?` stands for the value.
    fn condition(&mut self, condition: &str, value: impl ToSql + 'static) -> String {
        self.values.push(Box::new(value));
        condition.replace('?', &format!("?{}", self.values.len()))
    }

    fn near(&mut self, condition: &str, value: impl ToSql + 'static) {
        let condition = self.condition(condition, value);
        self.near.push(condition);
    }

    fn want(&mut self, is_near: bool, condition: &str, value: impl ToSql + 'static) {
        let condition = self.condition(condition, value);
        if is_near { self.near.push(condition) } else { self.far.push(condition) }
    }

    fn of(query: &MatchQuery) -> Self {
        let (driver, mut question) = (Driver::of(query), Self::default());
        if let Some(tournament) = &query.tournament {
            question.want(driver == Driver::Tournament, "m.tournament = ?", tournament.clone());
        }
        if let Some(stage) = query.stage {
            question.want(driver == Driver::Stage, "m.stage = ?", stage.name());
        }
        if let Some(player) = &query.player {
            if driver == Driver::Player {
                // Who has several seats of a match is there by the first one.
                question.near("s.player = ?", player.clone());
                question.near.push(FIRST_SEAT.to_owned());
            } else {
                let has = "EXISTS (SELECT 1 FROM match_seats s WHERE s.match = m.id AND s.player = ?)";
                question.want(false, has, player.clone());
            }
        }
        if let Some(game) = &query.game {
            question.want(driver == Driver::Game, "m.game = ?", game.clone());
        }
        if let Some(since) = query.since {
            question.want(driver != Driver::Player, "m.created >= ?", integer(since));
        }
        if let Some(until) = query.until {
            question.want(driver != Driver::Player, "m.created < ?", integer(until));
        }
        if query.without_hidden {
            question.far.push(not_hidden("match", "m.id"));
        }
        for word in query.text.split_whitespace() {
            let like_it = "(m.id LIKE ? ESCAPE '\\' OR m.game LIKE ? ESCAPE '\\' OR EXISTS (SELECT 1 FROM
                match_seats s WHERE s.match = m.id AND s.player LIKE ? ESCAPE '\\'))";
            question.want(false, like_it, like(word));
        }
        question
    }

    /// The matches in order, with these columns, no more than these.
    fn sql(&self, driver: Driver, columns: &str, most: i64) -> String {
        let near = if self.near.is_empty() { "1".to_owned() } else { self.near.join(" AND ") };
        let (from, order) = match driver {
            // Names of matches come in the order in which they were made.
            Driver::Player => ("match_seats s CROSS JOIN matches m ON m.id = s.match", "s.match DESC"),
            _ => ("matches m", "m.created DESC, m.id DESC"),
        };
        format!("SELECT {columns} FROM {from} WHERE {near} ORDER BY {order} LIMIT {most}")
    }

    /// Whether a match is as it is wanted.
    fn fits(&self) -> String {
        if self.far.is_empty() { "1".to_owned() } else { self.far.join(" AND ") }
    }

    fn values(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(|value| &**value).collect()
    }
}

const FIRST_SEAT: &str = "NOT EXISTS (SELECT 1 FROM match_seats o
    WHERE o.match = s.match AND o.seat < s.seat AND o.player = s.player)";

pub(super) fn list(connection: &Connection, query: &MatchQuery) -> Result<Page<MatchSummary>, Fault> {
    let driver = Driver::of(query);
    let mut question = Question::of(query);
    let counted = count(connection, query, &question)?;
    if let Some(after) = &query.page.after {
        let mut known = connection.prepare_cached("SELECT 1 FROM matches WHERE id = ?1")?;
        let known = known.query_row([after], |_| Ok(())).optional()?;
        known.ok_or_else(|| Fault::not_found("match", after))?;
        let behind = match driver {
            Driver::Player => "s.match < ?",
            _ => "(m.created, m.id) < (SELECT k.created, k.id FROM matches k WHERE k.id = ?)",
        };
        question.near(behind, after.clone());
    }
    let wanted = usize::try_from(rows_of_page(&query.page)).unwrap_or(usize::MAX);
    let sql = question.sql(driver, &format!("{COLUMNS}, {}", question.fits()), looked_at(query, &question));
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(&question.values()[..])?;
    let (mut found, mut seen, mut last) = (Vec::new(), 0, None);
    while found.len() < wanted
        && let Some(row) = rows.next()?
    {
        seen += 1;
        if row.get(FITS)? {
            found.push(summary(row)?);
        }
        if seen == LOOKED_AT {
            // What stands behind it is on the next page.
            last = Some(row.get(0)?);
        }
    }
    drop(rows);
    let items = found.into_iter().map(|found| whole(connection, found)).collect::<Result<_, _>>()?;
    Ok(match_page(&query.page, items, counted, last))
}

/// Behind the columns of a match it stands whether it is as it is wanted.
const FITS: usize = 11;

/// How many rows are looked at: no more than are shown, where each of them is.
fn looked_at(query: &MatchQuery, question: &Question) -> i64 {
    if question.far.is_empty() { rows_of_page(&query.page) } else { LOOKED_AT }
}

/// How long a list is, as far as that is soon known.
fn count(connection: &Connection, query: &MatchQuery, question: &Question) -> Result<Counted, Fault> {
    if question.near.is_empty() && question.far.is_empty() {
        let sql = "SELECT coalesce(sum(matches), 0) FROM match_counts";
        let total = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        return Ok(Counted { total, is_least: false });
    }
    let fits = format!("{} AS fits", question.fits());
    let sql = question.sql(Driver::of(query), &fits, LOOKED_AT);
    let sql = format!("SELECT count(*), coalesce(sum(fits), 0) FROM ({sql})");
    let mut statement = connection.prepare_cached(&sql)?;
    let (seen, total) =
        statement.query_row(&question.values()[..], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
    Ok(Counted { total, is_least: seen >= LOOKED_AT })
}

pub(super) fn counts(connection: &Connection) -> Result<StoreCounts, Fault> {
    let number = |sql: &str| -> Result<u64, Fault> {
        Ok(natural(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?))
    };
    let of_stage = |stage: MatchStage| -> Result<u64, Fault> {
        let sql = "SELECT coalesce(sum(matches), 0) FROM match_counts WHERE stage = ?1";
        Ok(natural(connection.prepare_cached(sql)?.query_row([stage.name()], |row| row.get(0))?))
    };
    Ok(StoreCounts {
        games: number("SELECT count(*) FROM games")?,
        players: number("SELECT count(*) FROM players WHERE NOT removed")?,
        planned: of_stage(MatchStage::Planned)?,
        running: of_stage(MatchStage::Running)?,
        completed: of_stage(MatchStage::Completed)?,
        aborted: of_stage(MatchStage::Aborted)?,
        tournaments: number("SELECT count(*) FROM tournaments WHERE stage <> 'over'")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::connections::Connections;

    /// What the database does for a question, line by line.
    fn plan(connection: &Connection, sql: &str, values: &[&dyn ToSql]) -> String {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines = statement.query_map(values, |row| row.get::<_, String>(3)).unwrap();
        lines.collect::<Result<Vec<_>, _>>().unwrap().join("\n")
    }

    #[test]
    fn every_list_goes_through_an_index_in_order() {
        let all = |name: &str| Some(name.to_owned());
        let queries = [
            MatchQuery::default(),
            MatchQuery { game: all("g"), ..Default::default() },
            MatchQuery { game: all("g"), since: Some(1), until: Some(2), ..Default::default() },
            MatchQuery { player: all("p"), ..Default::default() },
            MatchQuery {
                player: all("p"),
                game: all("g"),
                stage: Some(MatchStage::Aborted),
                ..Default::default()
            },
            MatchQuery { stage: Some(MatchStage::Completed), until: Some(2), ..Default::default() },
            MatchQuery { stage: Some(MatchStage::Running), player: all("p"), ..Default::default() },
            MatchQuery { tournament: all("t"), player: all("p"), ..Default::default() },
            MatchQuery { text: "two words".to_owned(), ..Default::default() },
            MatchQuery { since: Some(1), ..Default::default() },
        ];
        let check = |connection: &Connection| {
            for query in &queries {
                let (driver, mut question) = (Driver::of(query), Question::of(query));
                if driver == Driver::Player {
                    question.near("s.match < ?", "m".to_owned());
                } else {
                    let key = "(SELECT k.created, k.id FROM matches k WHERE k.id = ?)";
                    question.near(&format!("(m.created, m.id) < {key}"), "m".to_owned());
                }
                let sql = question.sql(
                    driver,
                    &format!("{COLUMNS}, {}", question.fits()),
                    looked_at(query, &question),
                );
                let plan = plan(connection, &sql, &question.values());
                for line in plan.lines() {
                    assert!(!line.contains("SCAN") || line.contains("CONSTANT ROW"), "{query:?}\n{plan}");
                    assert!(!line.contains("TEMP B-TREE"), "{query:?}\n{plan}");
                }
            }
            Ok(())
        };
        let connections = Connections::in_memory().unwrap();
        connections.read(check).unwrap();
        // Also where the database believes that there is much.
        let much = "ANALYZE; INSERT INTO sqlite_stat1 VALUES
            ('matches', 'matches_by_time', '1000000 2 1'), ('matches', 'matches_by_stage', '1000000 250000 2 1'),
            ('matches', 'matches_by_game', '1000000 1000 2 1'), ('match_seats', 'match_seats_by_player', '2000000 200');
            ANALYZE sqlite_master;";
        connections.write(|connection| Ok(connection.execute_batch(much)?)).unwrap();
        connections.read(check).unwrap();
    }
}
