//! What messages to players are signed with.

use super::sql::{Reading, Sql, cells};

pub(super) fn set<S: Sql>(sql: &mut S, player: &str, secret: Option<&str>) -> Result<(), S::Fault> {
    let key = player.to_ascii_lowercase();
    sql.change("DELETE FROM player_secrets WHERE player = $1", cells![&key])?;
    if let Some(secret) = secret {
        sql.change("INSERT INTO player_secrets (player, secret) VALUES ($1, $2)", cells![&key, secret])?;
    }
    Ok(())
}

pub(super) fn find<S: Sql>(sql: &mut S, player: &str) -> Result<Option<String>, S::Fault> {
    let question = "SELECT secret FROM player_secrets WHERE player = $1";
    let row = sql.row(question, cells![player.to_ascii_lowercase()])?;
    Ok(row.map(|row| Reading::of("secret", row).text()).transpose()?)
}
