//! Lists of matches, gone through by an index from a key on, whatever is wanted of them; and how many matches there are.

use super::connection::{Connection, Value, get, values};
use super::fault::Fault;
use super::matches::{COLUMNS, seats, summary};
use crate::model::{MatchQuery, MatchStage, MatchSummary, Page, StoreCounts};
use crate::store::values::{Counted, Driver, LOOKED_AT, integer, like, match_page, natural, rows_of_page};

/// A condition in which each `?` stands for the value.
type Condition = (String, Value<'static>);

/// How a list is asked for.
#[derive(Default)]
struct Question {
    /// What the index is gone through by.
    near: Vec<Condition>,
    /// What is looked at match by match.
    far: Vec<Condition>,
}

impl Question {
    fn near(&mut self, condition: &str, value: impl Into<Value<'static>>) {
        self.want(true, condition, value);
    }

    fn want(&mut self, is_near: bool, condition: &str, value: impl Into<Value<'static>>) {
        let wanted = (condition.to_owned(), value.into());
        if is_near { self.near.push(wanted) } else { self.far.push(wanted) }
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
                question.near("lower(s.player) = lower(?::text COLLATE \"C\")", player.clone());
            } else {
                // Counts, and not `EXISTS`: the planner would rather read all seats once than those of some matches.
                let has = "(SELECT count(*) FROM match_seats s
                    WHERE s.match = m.id AND lower(s.player) = lower(?::text COLLATE \"C\")) > 0";
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
            let shown = "NOT EXISTS (SELECT 1 FROM hidden_things h WHERE h.kind = ? AND h.name = m.id)";
            question.want(false, shown, "match");
        }
        for word in query.text.split_whitespace() {
            let like_it = "(lower(m.id) LIKE lower(?::text COLLATE \"C\")
                OR lower(m.game) LIKE lower(?::text COLLATE \"C\") OR (SELECT count(*) FROM match_seats s
                WHERE s.match = m.id AND lower(s.player) LIKE lower(?::text COLLATE \"C\")) > 0)";
            question.want(false, like_it, like(word));
        }
        question
    }

    /// The matches in order, no more than these. Their values are the first ones.
    fn sql(&self, driver: Driver, most: i64) -> String {
        let near = all_of(&self.near, 1);
        match driver {
            // Names of matches come in the order in which they were made. The seats are gone through first, and no join makes
            // the planner read all matches.
            Driver::Player => format!(
                "SELECT m.* FROM (SELECT DISTINCT s.match FROM match_seats s WHERE {near}
                 ORDER BY s.match DESC LIMIT {most}) s
                 CROSS JOIN LATERAL (SELECT * FROM matches k WHERE k.id = s.match LIMIT 1) m"
            ),
            _ => format!(
                "SELECT m.* FROM matches m WHERE {near} ORDER BY m.created DESC, m.id DESC LIMIT {most}"
            ),
        }
    }

    /// Whether a match is as it is wanted.
    fn fits(&self) -> String {
        all_of(&self.far, self.near.len() + 1)
    }

    fn near_values(&self) -> Vec<Value<'static>> {
        self.near.iter().map(|(_, value)| value.clone()).collect()
    }

    fn values(&self) -> Vec<Value<'static>> {
        self.near.iter().chain(&self.far).map(|(_, value)| value.clone()).collect()
    }
}

/// All of these conditions, with values from this number on.
fn all_of(conditions: &[Condition], first: usize) -> String {
    let numbered = conditions.iter().zip(first..);
    let texts: Vec<String> =
        numbered.map(|((condition, _), number)| condition.replace('?', &format!("${number}"))).collect();
    if texts.is_empty() { "true".to_owned() } else { texts.join(" AND ") }
}

/// How the matches come that were gone through.
fn order(driver: Driver) -> &'static str {
    match driver {
        Driver::Player => "m.id DESC",
        _ => "m.created DESC, m.id DESC",
    }
}

pub(super) fn list(connection: &mut Connection, query: &MatchQuery) -> Result<Page<MatchSummary>, Fault> {
    let driver = Driver::of(query);
    let mut question = Question::of(query);
    let counted = count(connection, driver, &question)?;
    if let Some(after) = &query.page.after {
        let known = connection.row("SELECT 1 FROM matches WHERE id = $1", values![after])?;
        known.ok_or_else(|| Fault::not_found("match", after))?;
        let behind = match driver {
            Driver::Player => "s.match < ?",
            _ => "(m.created, m.id) < (SELECT k.created, k.id FROM matches k WHERE k.id = ?)",
        };
        question.near(behind, after.clone());
    }
    let wanted = rows_of_page(&query.page);
    let most = if question.far.is_empty() { wanted } else { LOOKED_AT };
    let (near, order) = (question.sql(driver, most), order(driver));
    let sql =
        format!("SELECT {COLUMNS} FROM ({near}) m WHERE {} ORDER BY {order} LIMIT {wanted}", question.fits());
    let mut items = connection.all(&sql, &question.values(), summary)?;
    let mut last = None;
    if !question.far.is_empty() && integer(items.len() as u64) < wanted {
        // All that was looked at is on this page; what stands behind it is on the next one.
        let (sql, values) = (format!("SELECT m.id FROM ({near}) m ORDER BY {order}"), question.near_values());
        let seen: Vec<String> = connection.all(&sql, &values, |row| get(row, 0))?;
        last = seen.into_iter().nth(LAST_LOOKED_AT);
    }
    let ids: Vec<&str> = items.iter().map(|summary| summary.id.as_str()).collect();
    let mut all = seats(connection, &ids)?;
    for summary in &mut items {
        let seats = all.remove(&summary.id).unwrap_or_default();
        summary.seats = seats.into_iter().map(|(seat, _)| seat).collect();
    }
    Ok(match_page(&query.page, items, counted, last))
}

/// The place of the last match that is looked at, from 0.
const LAST_LOOKED_AT: usize = LOOKED_AT as usize - 1;

/// How long a list is, as far as that is soon known.
fn count(connection: &mut Connection, driver: Driver, question: &Question) -> Result<Counted, Fault> {
    if question.near.is_empty() && question.far.is_empty() {
        let total = connection.number("SELECT coalesce(sum(matches), 0)::bigint FROM match_counts", &[])?;
        return Ok(Counted { total, is_least: false });
    }
    let sql = format!(
        "SELECT count(*), count(*) FILTER (WHERE {}) FROM ({}) m",
        question.fits(),
        question.sql(driver, LOOKED_AT)
    );
    let row = connection.row(&sql, &question.values())?;
    let (seen, total) = match &row {
        Some(row) => (get::<i64>(row, 0)?, get(row, 1)?),
        None => (0, 0),
    };
    Ok(Counted { total, is_least: seen >= LOOKED_AT })
}

pub(super) fn counts(connection: &mut Connection) -> Result<StoreCounts, Fault> {
    let mut number = |sql: &str| connection.number(sql, &[]).map(natural);
    let of_stage = |stage: MatchStage| {
        format!("SELECT coalesce(sum(matches), 0)::bigint FROM match_counts WHERE stage = '{}'", stage.name())
    };
    Ok(StoreCounts {
        games: number("SELECT count(*) FROM games")?,
        players: number("SELECT count(*) FROM players WHERE NOT removed")?,
        planned: number(&of_stage(MatchStage::Planned))?,
        running: number(&of_stage(MatchStage::Running))?,
        completed: number(&of_stage(MatchStage::Completed))?,
        aborted: number(&of_stage(MatchStage::Aborted))?,
        tournaments: number("SELECT count(*) FROM tournaments WHERE stage <> 'over'")?,
    })
}
