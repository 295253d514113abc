//! What members tell each other through the database, so that nobody has to look again and again.

use std::time::Duration;

use super::connection::{Connection, values};
use super::fault::Fault;
use crate::model::SharedNews;

/// The channel of the schema in which the tables are.
const CHANNEL: &str =
    "SELECT 'ludex_' || oid::bigint::text FROM pg_namespace WHERE nspname = current_schema()";

/// Tells all members, if the transaction is kept.
pub(super) fn tell(connection: &mut Connection, news: SharedNews) -> Result<(), Fault> {
    let sql = format!("SELECT pg_notify(({CHANNEL}), $1::text)::text");
    connection.rows(&sql, values![news.name()])?;
    Ok(())
}

/// Hears from now on what is told.
pub(super) fn listen(connection: &mut Connection) -> Result<(), Fault> {
    if let Some(channel) = connection.run_and_ask(CHANNEL)? {
        connection.run(&format!("LISTEN {channel}"))?;
    }
    Ok(())
}

/// Waits for news, so long at most; each kind once.
pub(super) fn hear(connection: &mut Connection, patience: Duration) -> Result<Vec<SharedNews>, Fault> {
    let mut heard = connection.heard(patience)?;
    heard.sort_unstable();
    heard.dedup();
    Ok(heard.iter().filter_map(|name| SharedNews::named(name)).collect())
}
