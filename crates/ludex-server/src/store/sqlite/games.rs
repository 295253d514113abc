//! Games and their versions.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Fault;
use super::guides;
use crate::model::{GameDetail, GameQuery, GameRow, GameSummary, GameVersion, Page};
use crate::store::values::{integer, like, natural, not_hidden, page, rows_of_page, tag_condition};

pub(super) fn put(connection: &Connection, game: &GameRow) -> Result<(), Fault> {
    // A draft does not take the place of what can be played.
    connection.execute(
        "INSERT INTO games (name, title, description, bundled, present) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (name) DO UPDATE SET
             title = CASE WHEN ?2 = '' THEN title ELSE ?2 END,
             description = CASE WHEN ?3 = '' THEN description ELSE ?3 END,
             bundled = CASE WHEN ?6 THEN ?4 ELSE bundled END,
             present = CASE WHEN ?6 THEN ?5 ELSE present END",
        params![
            game.name,
            game.title,
            game.description,
            game.bundled,
            game.sha256,
            takes_the_place(connection, game)?
        ],
    )?;
    // Games that come with Ludex are as offered as this release says; what people have offered stays so.
    connection.execute(
        "INSERT INTO game_versions (game, sha256, dialect, notation, text, added, offered)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET
             offered = CASE WHEN ?8 THEN ?7 ELSE max(offered, ?7) END",
        params![
            game.name,
            game.sha256,
            game.dialect,
            game.notation,
            game.text,
            integer(game.added),
            game.offered,
            game.bundled
        ],
    )?;
    Ok(())
}

/// Whether a version becomes the present one.
fn takes_the_place(connection: &Connection, game: &GameRow) -> Result<bool, Fault> {
    let sql = "SELECT v.offered FROM games g JOIN game_versions v ON v.game = g.name AND v.sha256 = g.present
               WHERE g.name = ?1";
    let present: Option<bool> = connection.query_row(sql, [&game.name], |row| row.get(0)).optional()?;
    Ok(game.offered || present != Some(true))
}

pub(super) fn describe(
    connection: &Connection,
    name: &str,
    title: &str,
    description: &str,
) -> Result<(), Fault> {
    let sql = "UPDATE games SET title = ?2, description = ?3 WHERE name = ?1";
    match connection.execute(sql, params![name, title, description])? {
        0 => Err(Fault::not_found("game", name)),
        _ => Ok(()),
    }
}

/// What a release of Ludex says of a version of a game.
pub(super) fn description(
    connection: &Connection,
    game: &str,
    sha256: &str,
    release: &str,
) -> Result<Option<String>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT description FROM descriptions WHERE game = ?1 AND sha256 = ?2 AND release = ?3",
    )?;
    Ok(statement.query_row([game, sha256, release], |row| row.get(0)).optional()?)
}

pub(super) fn keep_description(
    connection: &Connection,
    game: &str,
    sha256: &str,
    release: &str,
    description: &str,
) -> Result<(), Fault> {
    connection.execute(
        "INSERT OR REPLACE INTO descriptions (game, sha256, release, description) VALUES (?1, ?2, ?3, ?4)",
        [game, sha256, release, description],
    )?;
    Ok(())
}

const SUMMARY: &str = "g.name, g.title, v.dialect, v.sha256,
        (SELECT count(*) FROM game_versions w WHERE w.game = g.name),
        g.bundled, v.added, (SELECT coalesce(sum(c.matches), 0) FROM match_counts c WHERE c.game = g.name), v.offered";
const FEATURES: usize = 9;
const FROM: &str = "FROM games g JOIN game_versions v INDEXED BY game_versions_in_lists
        ON v.game = g.name AND v.sha256 = g.present
    LEFT JOIN game_features f ON f.game = g.name AND f.sha256 = g.present";

fn summary(row: &Row<'_>) -> rusqlite::Result<GameSummary> {
    Ok(GameSummary {
        name: row.get(0)?,
        title: row.get(1)?,
        dialect: row.get(2)?,
        version: row.get(3)?,
        versions: natural(row.get(4)?),
        bundled: row.get(5)?,
        added: natural(row.get(6)?),
        matches: natural(row.get(7)?),
        offered: row.get(8)?,
        features: guides::features(row, FEATURES)?,
    })
}

pub(super) fn list(connection: &Connection, query: &GameQuery) -> Result<Page<GameSummary>, Fault> {
    let words: Vec<String> = query.text.split_whitespace().map(like).collect();
    let condition = |number: usize| {
        let place = number + 1;
        format!("(g.name LIKE ?{place} ESCAPE '\\' OR g.title LIKE ?{place} ESCAPE '\\')")
    };
    let tags = query.tags.iter().map(|&tag| tag_condition(tag));
    let offered = query.offered.then(|| "v.offered".to_owned());
    let shown = query.without_hidden.then(|| not_hidden("game", "g.name"));
    let conditions: Vec<String> =
        (0..words.len()).map(condition).chain(tags).chain(offered).chain(shown).collect();
    let wanted = if conditions.is_empty() { "1".to_owned() } else { conditions.join(" AND ") };
    let values = rusqlite::params_from_iter(&words);
    let total = format!("SELECT count(*) {FROM} WHERE {wanted}");
    let total: i64 = connection.query_row(&total, values, |row| row.get(0))?;
    let (rows, place) = (rows_of_page(&query.page), words.len() + 1);
    let behind = format!("(?{place} IS NULL OR g.name > ?{place})");
    let sql = format!(
        "SELECT {SUMMARY}, {} {FROM} WHERE {wanted} AND {behind} ORDER BY g.name LIMIT {rows}",
        guides::COLUMNS
    );
    let mut statement = connection.prepare(&sql)?;
    let values = words.iter().map(Some).chain([query.page.after.as_ref()]);
    let rows = statement.query_map(rusqlite::params_from_iter(values), summary)?;
    let items = rows.collect::<Result<_, _>>()?;
    Ok(page(&query.page, items, total, |summary: &GameSummary| &summary.name))
}

pub(super) fn find(connection: &Connection, name: &str, version: Option<&str>) -> Result<GameDetail, Fault> {
    let sql = format!("SELECT {SUMMARY}, {} {FROM} WHERE g.name = ?1", guides::COLUMNS);
    let found = connection.query_row(&sql, [name], summary).optional()?;
    let summary = found.ok_or_else(|| Fault::not_found("game", name))?;
    let description =
        connection.query_row("SELECT description FROM games WHERE name = ?1", [name], |row| row.get(0))?;
    let mut statement = connection.prepare_cached(
        "SELECT sha256, dialect, notation, added, offered FROM game_versions WHERE game = ?1
         ORDER BY added DESC, rowid DESC",
    )?;
    let versions = statement.query_map([name], |row| {
        Ok(GameVersion {
            sha256: row.get(0)?,
            dialect: row.get(1)?,
            notation: row.get(2)?,
            added: natural(row.get(3)?),
            offered: row.get(4)?,
        })
    })?;
    let versions: Vec<GameVersion> = versions.collect::<Result<_, _>>()?;
    let wanted = version.unwrap_or(&summary.version);
    let Some(version) = versions.iter().find(|version| version.sha256 == wanted).cloned() else {
        return Err(Fault::not_found("version", wanted));
    };
    let sql = "SELECT text FROM game_versions WHERE game = ?1 AND sha256 = ?2";
    let text = connection.query_row(sql, params![name, version.sha256], |row| row.get(0))?;
    Ok(GameDetail { summary, description, versions, text, version })
}
