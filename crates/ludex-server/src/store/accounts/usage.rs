//! What quotas count.

use super::sql::{Sql, cells};
use crate::model::Counted;

/// Days before the last ones are forgotten.
const KEPT_DAYS: u64 = 7;

pub(super) fn counted<S: Sql>(sql: &mut S, key: &str, day: u64, what: Counted) -> Result<u64, S::Fault> {
    let question = "SELECT amount FROM account_usage WHERE account = $1 AND day = $2 AND what = $3";
    sql.number(question, cells![key, day, what.name()])
}

pub(super) fn count<S: Sql>(
    sql: &mut S,
    key: &str,
    day: u64,
    what: Counted,
    more: u64,
    limit: u64,
) -> Result<bool, S::Fault> {
    if more > limit {
        return Ok(false);
    }
    let values = cells![key, day, what.name()];
    sql.change(
        "INSERT INTO account_usage (account, day, what, amount) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING",
        values,
    )?;
    let room = limit.saturating_sub(more);
    let order = "UPDATE account_usage SET amount = amount + $4
                 WHERE account = $1 AND day = $2 AND what = $3 AND amount <= $5";
    let done = sql.change(order, cells![key, day, what.name(), more, room])? > 0;
    let order = "DELETE FROM account_usage WHERE account = $1 AND day < $2";
    sql.change(order, cells![key, day.saturating_sub(KEPT_DAYS)])?;
    Ok(done)
}
