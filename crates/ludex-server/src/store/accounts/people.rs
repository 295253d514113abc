//! Accounts.

use super::former;
use super::sql::{Reading, Sql, cells};
use crate::model::{Account, Page, PageRequest, Role, SecretDigest, StoreError, former_key};
use crate::store::tables::Cells;
use crate::store::values::{broken, like, page, rows_of_page};

pub(super) const COLUMNS: &str = "a.name, a.mail, a.password, a.role, a.created, a.seen, a.banned, a.why";
/// How many columns that are.
const WIDTH: usize = 8;

fn not_found<S: Sql>(key: &str) -> S::Fault {
    StoreError::NotFound { what: "account", name: key.to_owned() }.into()
}

fn read(cells: Cells) -> Result<Account, StoreError> {
    let mut row = Reading::of("account", cells);
    let name = row.text()?;
    let (mail, password, role) = (row.maybe_text()?, row.maybe_text()?, row.text()?);
    let role = Role::named(&role).ok_or_else(|| broken("account", &name, format!("a role `{role}`")))?;
    let (created, seen, banned) = (row.number()?, row.maybe_number()?, row.maybe_number()?);
    let why = row.maybe_text()?.unwrap_or_default();
    let banned = banned.map(|at| (at, why));
    Ok(Account { name, mail, password, role, created, seen, banned })
}

/// A row that ends with the columns of an account: what stands before them, and the account.
pub(super) fn with_account(mut cells: Cells) -> Result<(Cells, Account), StoreError> {
    let account = cells.split_off(cells.len().saturating_sub(WIDTH));
    Ok((cells, read(account)?))
}

pub(super) fn add<S: Sql>(sql: &mut S, account: &Account) -> Result<(), S::Fault> {
    let Account { name, mail, password, role, created, seen, .. } = account;
    let exists = || StoreError::Exists { what: "account", name: name.clone() }.into();
    let former =
        sql.number("SELECT count(*) FROM accounts WHERE key = $1", cells![former_key(&account.key())])?;
    if former > 0 {
        return Err(exists());
    }
    let added = sql.change(
        "INSERT INTO accounts (key, name, mail, password, role, created, seen)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        cells![account.key(), name, mail.as_ref(), password.as_ref(), role.name(), *created, *seen],
    )?;
    if added == 0 {
        return Err(exists());
    }
    Ok(())
}

pub(super) fn find<S: Sql>(sql: &mut S, key: &str) -> Result<Option<Account>, S::Fault> {
    let question = format!("SELECT {COLUMNS} FROM accounts a WHERE a.key = $1 AND a.deleted = 0");
    Ok(sql.row(&question, cells![key])?.map(read).transpose()?)
}

pub(super) fn list<S: Sql>(
    sql: &mut S,
    part: &str,
    request: &PageRequest,
) -> Result<Page<Account>, S::Fault> {
    let part = like(&part.trim().to_ascii_lowercase());
    let wanted = "a.deleted = 0 AND a.key LIKE $1 ESCAPE '\\'";
    let total = sql.number(&format!("SELECT count(*) FROM accounts a WHERE {wanted}"), cells![&part])?;
    let size = u64::try_from(rows_of_page(request)).unwrap_or(0);
    // Every key stands behind the empty one.
    let after = request.after.as_deref().unwrap_or_default().to_ascii_lowercase();
    let question =
        format!("SELECT {COLUMNS} FROM accounts a WHERE {wanted} AND a.key > $2 ORDER BY a.key LIMIT $3");
    let rows = sql.rows(&question, cells![&part, after, size])?;
    let items = rows.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    Ok(page(request, items, i64::try_from(total).unwrap_or(i64::MAX), |account: &Account| &account.name))
}

pub(super) fn count_role<S: Sql>(sql: &mut S, role: Role) -> Result<u64, S::Fault> {
    let question = "SELECT count(*) FROM accounts WHERE role = $1 AND banned IS NULL AND deleted = 0";
    sql.number(question, cells![role.name()])
}

pub(super) fn set_role<S: Sql>(sql: &mut S, key: &str, role: Role) -> Result<(), S::Fault> {
    let order = "UPDATE accounts SET role = $2 WHERE key = $1 AND deleted = 0";
    match sql.change(order, cells![key, role.name()])? {
        0 => Err(not_found::<S>(key)),
        _ => Ok(()),
    }
}

pub(super) fn set_password<S: Sql>(
    sql: &mut S,
    key: &str,
    password: Option<&str>,
    but: Option<&SecretDigest>,
) -> Result<(), S::Fault> {
    let order = "UPDATE accounts SET password = $2 WHERE key = $1 AND deleted = 0";
    if sql.change(order, cells![key, password])? == 0 {
        return Err(not_found::<S>(key));
    }
    let kept = but.map_or("", |digest| &digest.0);
    sql.change("DELETE FROM account_sessions WHERE account = $1 AND digest <> $2", cells![key, kept])?;
    sql.change("DELETE FROM account_links WHERE account = $1", cells![key])?;
    Ok(())
}

pub(super) fn set_mail<S: Sql>(sql: &mut S, key: &str, mail: Option<&str>) -> Result<(), S::Fault> {
    let order = "UPDATE accounts SET mail = $2 WHERE key = $1 AND deleted = 0";
    if sql.change(order, cells![key, mail])? == 0 {
        return Err(not_found::<S>(key));
    }
    // They were sent to where mail went before.
    sql.change("DELETE FROM account_links WHERE account = $1", cells![key])?;
    Ok(())
}

/// Ends whatever somebody could come in by.
fn shut_out<S: Sql>(sql: &mut S, key: &str) -> Result<(), S::Fault> {
    for table in ["account_sessions", "account_links", "account_tokens"] {
        sql.change(&format!("DELETE FROM {table} WHERE account = $1"), cells![key])?;
    }
    Ok(())
}

pub(super) fn set_ban<S: Sql>(sql: &mut S, key: &str, banned: Option<(u64, &str)>) -> Result<(), S::Fault> {
    let order = "UPDATE accounts SET banned = $2, why = $3 WHERE key = $1 AND deleted = 0";
    let (at, why) = (banned.map(|(at, _)| at), banned.map(|(_, why)| why));
    if sql.change(order, cells![key, at, why])? == 0 {
        return Err(not_found::<S>(key));
    }
    if banned.is_some() { shut_out(sql, key) } else { Ok(()) }
}

pub(super) fn delete<S: Sql>(sql: &mut S, key: &str) -> Result<(), S::Fault> {
    let Some(account) = find(sql, key)? else { return Err(not_found::<S>(key)) };
    shut_out(sql, key)?;
    former::rename(sql, key)?;
    for table in ["owners", "account_usage"] {
        sql.change(&format!("DELETE FROM {table} WHERE account = $1"), cells![key])?;
    }
    let name = &account.name;
    let somebody = "somebody who left";
    sql.change("UPDATE audit SET who = $2 WHERE who = $1", cells![name, somebody])?;
    sql.change("UPDATE audit SET what = $2 WHERE what = $1", cells![format!("account {name}"), somebody])?;
    sql.change("UPDATE audit SET detail = $2 WHERE detail = $1", cells![format!("to {name}"), somebody])?;
    sql.change("UPDATE hidden_things SET who = $2 WHERE who = $1", cells![name, somebody])?;
    sql.change("DELETE FROM accounts WHERE key = $1", cells![key])?;
    sql.change(
        "INSERT INTO accounts (key, name, role, created, deleted) VALUES ($1, '', 'player', 0, 1)
         ON CONFLICT DO NOTHING",
        cells![former_key(key)],
    )?;
    Ok(())
}
