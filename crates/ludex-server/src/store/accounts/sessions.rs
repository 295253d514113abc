//! That somebody is signed in, and links that sign somebody in.

use super::people::{COLUMNS, with_account};
use super::sql::{PART, Reading, Sql, cells};
use crate::model::{Account, SecretDigest, Session, StoreError};
use crate::store::tables::Cells;

const OWN: &str = "s.digest, s.account, s.created, s.used, s.expires, s.about";

fn read(cells: Cells) -> Result<Session, StoreError> {
    let mut row = Reading::of("session", cells);
    Ok(Session {
        digest: SecretDigest(row.text()?),
        account: row.text()?,
        created: row.number()?,
        used: row.number()?,
        expires: row.number()?,
        about: row.text()?,
    })
}

pub(super) fn add<S: Sql>(
    sql: &mut S,
    session: &Session,
    instead_of: Option<&SecretDigest>,
) -> Result<(), S::Fault> {
    let Session { digest, account, created, used, expires, about } = session;
    if let Some(before) = instead_of {
        sql.change("DELETE FROM account_sessions WHERE digest = $1", cells![&before.0])?;
    }
    sql.change(
        "INSERT INTO account_sessions (digest, account, created, used, expires, about)
         VALUES ($1, $2, $3, $4, $5, $6)",
        cells![&digest.0, account, *created, *used, *expires, about],
    )?;
    sql.change("UPDATE accounts SET seen = $2 WHERE key = $1", cells![account, *created])?;
    Ok(())
}

pub(super) fn find<S: Sql>(
    sql: &mut S,
    digest: &SecretDigest,
) -> Result<Option<(Session, Account)>, S::Fault> {
    let question = format!(
        "SELECT {OWN}, {COLUMNS} FROM account_sessions s JOIN accounts a ON a.key = s.account
         WHERE s.digest = $1"
    );
    let Some(row) = sql.row(&question, cells![&digest.0])? else { return Ok(None) };
    let (session, account) = with_account(row)?;
    Ok(Some((read(session)?, account)))
}

pub(super) fn note_use<S: Sql>(sql: &mut S, digest: &SecretDigest, at: u64) -> Result<(), S::Fault> {
    sql.change("UPDATE account_sessions SET used = $2 WHERE digest = $1", cells![&digest.0, at])?;
    Ok(())
}

pub(super) fn list<S: Sql>(sql: &mut S, key: &str) -> Result<Vec<Session>, S::Fault> {
    let question = format!(
        "SELECT {OWN} FROM account_sessions s WHERE s.account = $1
         ORDER BY s.used DESC, s.digest LIMIT $2"
    );
    let rows = sql.rows(&question, cells![key, PART])?;
    Ok(rows.into_iter().map(read).collect::<Result<_, _>>()?)
}

pub(super) fn end<S: Sql>(sql: &mut S, key: &str, id: &str) -> Result<bool, S::Fault> {
    let order = "DELETE FROM account_sessions WHERE account = $1 AND substr(digest, 1, 16) = $2";
    Ok(sql.change(order, cells![key, id])? > 0)
}

pub(super) fn add_link<S: Sql>(
    sql: &mut S,
    digest: &SecretDigest,
    key: &str,
    expires: u64,
) -> Result<(), S::Fault> {
    sql.change(
        "INSERT INTO account_links (digest, account, expires) VALUES ($1, $2, $3)",
        cells![&digest.0, key, expires],
    )?;
    Ok(())
}

pub(super) fn use_link<S: Sql>(
    sql: &mut S,
    digest: &SecretDigest,
    at: u64,
) -> Result<Option<Account>, S::Fault> {
    let question = format!(
        "SELECT l.expires, {COLUMNS} FROM account_links l JOIN accounts a ON a.key = l.account
         WHERE l.digest = $1"
    );
    let Some(row) = sql.row(&question, cells![&digest.0])? else { return Ok(None) };
    // Of several who come at once, one finds it.
    if sql.change("DELETE FROM account_links WHERE digest = $1", cells![&digest.0])? == 0 {
        return Ok(None);
    }
    let (link, account) = with_account(row)?;
    let expires = Reading::of("link", link).number()?;
    Ok(Some(account).filter(|_| at < expires))
}

pub(super) fn forget_ended<S: Sql>(sql: &mut S, at: u64) -> Result<(), S::Fault> {
    for table in ["account_sessions", "account_links", "account_tokens"] {
        sql.change(&format!("DELETE FROM {table} WHERE expires <= $1"), cells![at])?;
    }
    Ok(())
}
