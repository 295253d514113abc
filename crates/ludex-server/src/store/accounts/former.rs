//! Somebody who has left is a player without a name, wherever matches say who played.

use super::sql::{Reading, Sql, cells};
use crate::model::{StoreError, former_key};
use crate::store::values::json;

/// Gives the person who plays under the name of an account another name. A player of another kind, or none, stays.
pub(super) fn rename<S: Sql>(sql: &mut S, key: &str) -> Result<(), S::Fault> {
    let question = "SELECT p.name, p.kind FROM players p WHERE lower(p.name) = $1";
    let Some(row) = sql.row(question, cells![key])? else { return Ok(()) };
    let mut row = Reading::of("player", row);
    let (name, kind) = (row.text()?, row.text()?);
    if kind != json(&crate::model::PlayerKind::Person)? {
        return Ok(());
    }
    let digits: String = former_key(key).chars().skip(1).take(12).collect();
    let former = format!("former-{digits}");
    let question = "SELECT DISTINCT match FROM match_seats WHERE lower(player) = $1 ORDER BY match";
    let matches = sql.rows(question, cells![key])?;
    for id in matches {
        rename_in_match(sql, &Reading::of("match", id).text()?, &name, &former)?;
    }
    // Nobody has played under the new name, so that what is counted of the old one is its.
    sql.change("UPDATE player_totals SET player = $2 WHERE player = $1", cells![key, &former])?;
    for table in ["ratings", "rating_moments"] {
        sql.change(
            &format!("UPDATE {table} SET player = $2 WHERE lower(player) = $1"),
            cells![key, &former],
        )?;
    }
    sql.change("UPDATE match_seats SET player = $2 WHERE lower(player) = $1", cells![key, &former])?;
    let order = "UPDATE players SET name = $2, removed = (1 = 1) WHERE lower(name) = $1";
    sql.change(order, cells![key, &former])?;
    Ok(())
}

/// Gives a player another name in all that is kept of a match but its seats.
fn rename_in_match<S: Sql>(sql: &mut S, id: &str, name: &str, former: &str) -> Result<(), S::Fault> {
    let question = "SELECT player FROM match_seats WHERE match = $1 ORDER BY seat";
    let rows = sql.rows(question, cells![id])?;
    let players: Vec<String> =
        rows.into_iter().map(|row| Reading::of("seat", row).text()).collect::<Result<_, StoreError>>()?;
    let renamed = |player: &String| if player == name { former.to_owned() } else { player.clone() };
    let others: Vec<String> = players.iter().map(renamed).collect();
    // Names of players are letters, digits and signs that mean nothing in JSON; what stands in quotes within a text there
    // has other quotes.
    let (old, new) = (format!("\"player\":\"{name}\""), format!("\"player\":\"{former}\""));
    let order = "UPDATE matches SET plan = replace(plan, $1, $2) WHERE id = $3";
    sql.change(order, cells![&old, &new, id])?;
    let order = "UPDATE entries SET entry = replace(entry, $1, $2) WHERE match = $3 AND number = 0";
    sql.change(order, cells![&old, &new, id])?;
    let order = "UPDATE rated_matches SET changes = replace(changes, $1, $2) WHERE match = $3";
    sql.change(order, cells![&old, &new, id])?;
    let list = |names: &[String]| Ok::<_, StoreError>(format!("\"playerNamesFromHost\":{}", json(&names)?));
    let order = format!("UPDATE records SET record = {} WHERE match = $3", S::replaced_record());
    sql.change(&order, cells![list(&players)?, list(&others)?, id])?;
    Ok(())
}
