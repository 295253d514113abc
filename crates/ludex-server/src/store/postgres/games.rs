//! Games and their versions.

use postgres::Row;

use super::connection::{Connection, Value, get, values};
use super::fault::Fault;
use super::{guides, news};
use crate::model::{GameDetail, GameQuery, GameRow, GameSummary, GameVersion, Page, SharedNews};
use crate::store::values::{like, not_hidden, page, rows_of_page, tag_condition};

pub(super) fn put(connection: &mut Connection, game: &GameRow) -> Result<(), Fault> {
    // A draft does not take the place of what can be played.
    let takes_the_place = takes_the_place(connection, game)?;
    connection.execute(
        "INSERT INTO games AS g (name, title, description, bundled, present)
         VALUES ($1::text, $2::text, $3::text, $4::boolean, $5::text)
         ON CONFLICT (name) DO UPDATE SET
             title = CASE WHEN $2::text = '' THEN g.title ELSE $2::text END,
             description = CASE WHEN $3::text = '' THEN g.description ELSE $3::text END,
             bundled = CASE WHEN $6::boolean THEN $4::boolean ELSE g.bundled END,
             present = CASE WHEN $6::boolean THEN $5::text ELSE g.present END",
        values![&game.name, &game.title, &game.description, game.bundled, &game.sha256, takes_the_place],
    )?;
    // Games that come with Ludex are as offered as this release says; what people have offered stays so.
    connection.execute(
        "INSERT INTO game_versions AS v (game, sha256, dialect, notation, text, added, offered)
         VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::boolean)
         ON CONFLICT (game, sha256) DO UPDATE SET
             offered = CASE WHEN $8::boolean THEN $7::boolean ELSE v.offered OR $7::boolean END",
        values![
            &game.name,
            &game.sha256,
            &game.dialect,
            &game.notation,
            &game.text,
            game.added,
            game.offered,
            game.bundled
        ],
    )?;
    news::tell(connection, SharedNews::Games)
}

/// Whether a version becomes the present one.
fn takes_the_place(connection: &mut Connection, game: &GameRow) -> Result<bool, Fault> {
    let sql = "SELECT v.offered FROM games g JOIN game_versions v ON v.game = g.name AND v.sha256 = g.present
               WHERE g.name = $1";
    let present: Option<bool> = connection.value(sql, values![&game.name])?;
    Ok(game.offered || present != Some(true))
}

pub(super) fn describe(
    connection: &mut Connection,
    name: &str,
    title: &str,
    description: &str,
) -> Result<(), Fault> {
    let sql = "UPDATE games SET title = $2, description = $3 WHERE name = $1";
    match connection.execute(sql, values![name, title, description])? {
        0 => Err(Fault::not_found("game", name)),
        _ => Ok(()),
    }
}

/// What a release of Ludex says of a version of a game.
pub(super) fn description(
    connection: &mut Connection,
    game: &str,
    sha256: &str,
    release: &str,
) -> Result<Option<String>, Fault> {
    let sql = "SELECT description FROM descriptions WHERE game = $1 AND sha256 = $2 AND release = $3";
    connection.value(sql, values![game, sha256, release])
}

pub(super) fn keep_description(
    connection: &mut Connection,
    game: &str,
    sha256: &str,
    release: &str,
    description: &str,
) -> Result<(), Fault> {
    let sql = "INSERT INTO descriptions (game, sha256, release, description) VALUES ($1, $2, $3, $4)
               ON CONFLICT (game, sha256) DO UPDATE
                   SET release = EXCLUDED.release, description = EXCLUDED.description";
    connection.execute(sql, values![game, sha256, release, description])?;
    Ok(())
}

const SUMMARY: &str = "g.name, g.title, v.dialect, v.sha256,
        (SELECT count(*) FROM game_versions w WHERE w.game = g.name),
        g.bundled, v.added, (SELECT coalesce(sum(c.matches), 0)::bigint FROM match_counts c WHERE c.game = g.name), v.offered";
const FEATURES: usize = 9;
const FROM: &str = "FROM games g JOIN game_versions v ON v.game = g.name AND v.sha256 = g.present
    LEFT JOIN game_features f ON f.game = g.name AND f.sha256 = g.present";

fn summary(row: &Row) -> Result<GameSummary, Fault> {
    Ok(GameSummary {
        name: get(row, 0)?,
        title: get(row, 1)?,
        dialect: get(row, 2)?,
        version: get(row, 3)?,
        versions: get(row, 4)?,
        bundled: get(row, 5)?,
        added: get(row, 6)?,
        matches: get(row, 7)?,
        offered: get(row, 8)?,
        features: guides::features(row, FEATURES)?,
    })
}

pub(super) fn list(connection: &mut Connection, query: &GameQuery) -> Result<Page<GameSummary>, Fault> {
    let mut words: Vec<Value<'_>> = query.text.split_whitespace().map(|word| like(word).into()).collect();
    let condition = |number: usize| {
        let place = number + 1;
        format!(
            "(lower(g.name) LIKE lower(${place}::text COLLATE \"C\") OR lower(g.title) LIKE lower(${place}::text COLLATE \"C\"))"
        )
    };
    let tags = query.tags.iter().map(|&tag| tag_condition(tag));
    let offered = query.offered.then(|| "v.offered".to_owned());
    let shown = query.without_hidden.then(|| not_hidden("game", "g.name"));
    let conditions: Vec<String> =
        (0..words.len()).map(condition).chain(tags).chain(offered).chain(shown).collect();
    let wanted = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" AND ") };
    let total = connection.number(&format!("SELECT count(*) {FROM} WHERE {wanted}"), &words)?;
    let (rows, place) = (rows_of_page(&query.page), words.len() + 1);
    words.push((&query.page.after).into());
    let behind = format!("(${place}::text IS NULL OR g.name > ${place}::text)");
    let sql = format!(
        "SELECT {SUMMARY}, {} {FROM} WHERE {wanted} AND {behind} ORDER BY g.name LIMIT {rows}",
        guides::COLUMNS
    );
    let items = connection.all(&sql, &words, summary)?;
    Ok(page(&query.page, items, total, |summary: &GameSummary| &summary.name))
}

pub(super) fn find(
    connection: &mut Connection,
    name: &str,
    version: Option<&str>,
) -> Result<GameDetail, Fault> {
    let sql = format!("SELECT {SUMMARY}, {}, g.description {FROM} WHERE g.name = $1", guides::COLUMNS);
    let row = connection.row(&sql, values![name])?.ok_or_else(|| Fault::not_found("game", name))?;
    let (summary, description) = (summary(&row)?, get(&row, FEATURES + guides::COUNT)?);
    let sql = "SELECT sha256, dialect, notation, added, offered FROM game_versions WHERE game = $1
               ORDER BY added DESC, number DESC";
    let versions = connection.all(sql, values![name], |row| {
        Ok(GameVersion {
            sha256: get(row, 0)?,
            dialect: get(row, 1)?,
            notation: get(row, 2)?,
            added: get(row, 3)?,
            offered: get(row, 4)?,
        })
    })?;
    let wanted = version.unwrap_or(&summary.version);
    let Some(version) = versions.iter().find(|version| version.sha256 == wanted).cloned() else {
        return Err(Fault::not_found("version", wanted));
    };
    let sql = "SELECT text FROM game_versions WHERE game = $1 AND sha256 = $2";
    let text = connection.value(sql, values![name, &version.sha256])?;
    let text = text.ok_or_else(|| Fault::not_found("version", &version.sha256))?;
    Ok(GameDetail { summary, description, versions, text, version })
}
