//! What is remembered, for people and programs.

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde::Serialize;

use crate::schema::VERSION;

/// What is remembered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overview {
    /// The version of the tables.
    pub version: i64,
    /// The games, in the order in which they were met.
    pub games: Vec<GameOverview>,
    /// The opponents, game by game.
    pub opponents: Vec<OpponentOverview>,
}

/// What is remembered of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameOverview {
    /// Its number.
    pub number: i64,
    /// What its rulesheet was called.
    pub name: String,
    /// How many matches of it.
    pub matches: u64,
    /// From how many games with itself it was learned what states are worth, by what is played for.
    pub evaluations: BTreeMap<String, u64>,
    /// In how many places among the first moves searches are remembered.
    pub searched: u64,
}

/// What is remembered of an opponent in a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpponentOverview {
    /// Its name.
    pub name: String,
    /// The game.
    pub game: String,
    /// How many matches.
    pub matches: u64,
    /// What these brought to who remembers, on average; null where nothing is known.
    pub own_goal: Option<f64>,
    /// What they brought to the opponent.
    pub goal: Option<f64>,
    /// The moves that it made most, first.
    pub moves: Vec<MoveCount>,
}

/// How often a move was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoveCount {
    /// The move, in the words of the rulesheet that the game was first met by.
    #[serde(rename = "move")]
    pub action: String,
    /// How often.
    pub times: u64,
}

/// So many moves of an opponent are named.
const NAMED: usize = 5;

/// Reads what is remembered.
pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Overview> {
    let mut games = connection.prepare(
        "SELECT id, name, (SELECT count(*) FROM matches WHERE game = games.id),
             (SELECT count(*) FROM (SELECT DISTINCT strategy, aim, path, role FROM searches WHERE game = games.id))
         FROM games ORDER BY id",
    )?;
    let mut evaluations =
        connection.prepare("SELECT objective, games FROM evaluations WHERE game = ?1 ORDER BY objective")?;
    let row = |row: &rusqlite::Row<'_>| {
        let number: i64 = row.get(0)?;
        let known = evaluations.query_map([number], |row| Ok((row.get(0)?, natural(row.get(1)?))))?;
        Ok(GameOverview {
            number,
            name: row.get(1)?,
            matches: natural(row.get(2)?),
            evaluations: known.collect::<Result<_, _>>()?,
            searched: natural(row.get(3)?),
        })
    };
    let games: Vec<GameOverview> = games.query_map([], row)?.collect::<Result<_, _>>()?;
    Ok(Overview { version: VERSION, games, opponents: opponents(connection)? })
}

fn opponents(connection: &Connection) -> rusqlite::Result<Vec<OpponentOverview>> {
    let mut rows = connection.prepare(
        "SELECT p.name, g.name, count(*), avg(o.goal), avg(p.goal), g.id
         FROM matches m JOIN games g ON g.id = m.game
         JOIN match_players p ON p.match = m.id AND p.role != m.role AND p.name IS NOT NULL
         LEFT JOIN match_players o ON o.match = m.id AND o.role = m.role
         GROUP BY g.id, p.name ORDER BY p.name, g.id",
    )?;
    let mut moves = connection.prepare(
        "SELECT json_extract(joint.value, '$[' || p.role || ']') AS made, count(*) AS times
         FROM matches m JOIN match_players p ON p.match = m.id AND p.role != m.role, json_each(m.moves) AS joint
         WHERE m.game = ?1 AND p.name = ?2 AND made IS NOT NULL
         GROUP BY made ORDER BY times DESC, made LIMIT ?3",
    )?;
    let row = |row: &rusqlite::Row<'_>| {
        let (name, game): (String, i64) = (row.get(0)?, row.get(5)?);
        let count =
            |row: &rusqlite::Row<'_>| Ok(MoveCount { action: row.get(0)?, times: natural(row.get(1)?) });
        let moves = moves.query_map(rusqlite::params![game, name, NAMED as i64], count)?;
        Ok(OpponentOverview {
            name,
            game: row.get(1)?,
            matches: natural(row.get(2)?),
            own_goal: row.get(3)?,
            goal: row.get(4)?,
            moves: moves.collect::<Result<_, _>>()?,
        })
    };
    rows.query_map([], row)?.collect()
}

/// A number as the database kept it.
fn natural(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
