//! Tokens of accounts, for programs.

use super::people::{COLUMNS, with_account};
use super::sql::{PART, Reading, Sql, cells};
use crate::model::{Account, ApiToken, Scope, SecretDigest, StoreError};
use crate::store::tables::Cells;

const OWN: &str = "t.digest, t.account, t.name, t.scopes, t.created, t.expires, t.used";

fn read(cells: Cells) -> Result<ApiToken, StoreError> {
    let mut row = Reading::of("token", cells);
    let (digest, account, name, scopes) = (SecretDigest(row.text()?), row.text()?, row.text()?, row.text()?);
    Ok(ApiToken {
        digest,
        account,
        name,
        // A scope that nobody knows allows nothing.
        scopes: scopes.split(' ').filter_map(Scope::named).collect(),
        created: row.number()?,
        expires: row.number()?,
        used: row.maybe_number()?,
    })
}

pub(super) fn add<S: Sql>(sql: &mut S, token: &ApiToken) -> Result<(), S::Fault> {
    let ApiToken { digest, account, name, scopes, created, expires, .. } = token;
    let scopes: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
    sql.change(
        "INSERT INTO account_tokens (digest, account, name, scopes, created, expires)
         VALUES ($1, $2, $3, $4, $5, $6)",
        cells![&digest.0, account, name, scopes.join(" "), *created, *expires],
    )?;
    Ok(())
}

pub(super) fn find<S: Sql>(
    sql: &mut S,
    digest: &SecretDigest,
) -> Result<Option<(ApiToken, Account)>, S::Fault> {
    let question = format!(
        "SELECT {OWN}, {COLUMNS} FROM account_tokens t JOIN accounts a ON a.key = t.account
         WHERE t.digest = $1"
    );
    let Some(row) = sql.row(&question, cells![&digest.0])? else { return Ok(None) };
    let (token, account) = with_account(row)?;
    Ok(Some((read(token)?, account)))
}

pub(super) fn note_use<S: Sql>(sql: &mut S, digest: &SecretDigest, at: u64) -> Result<(), S::Fault> {
    sql.change("UPDATE account_tokens SET used = $2 WHERE digest = $1", cells![&digest.0, at])?;
    Ok(())
}

pub(super) fn list<S: Sql>(sql: &mut S, key: &str) -> Result<Vec<ApiToken>, S::Fault> {
    let question = format!(
        "SELECT {OWN} FROM account_tokens t WHERE t.account = $1
         ORDER BY t.created DESC, t.digest LIMIT $2"
    );
    let rows = sql.rows(&question, cells![key, PART])?;
    Ok(rows.into_iter().map(read).collect::<Result<_, _>>()?)
}

pub(super) fn end<S: Sql>(sql: &mut S, key: &str, id: &str) -> Result<bool, S::Fault> {
    let order = "DELETE FROM account_tokens WHERE account = $1 AND substr(digest, 1, 16) = $2";
    Ok(sql.change(order, cells![key, id])? > 0)
}
