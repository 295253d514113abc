//! Who shares the tables. All of it goes over a connection of its own, so that it waits for nothing else.

use std::time::Duration;

use super::connection::{Connection, get, values};
use super::fault::Fault;
use super::{PostgresStore, news};
use crate::membership::Members;
use crate::model::{Member, MemberKind, MemberNumber, NewMember, SharedNews, StoreError};
use crate::store::values::broken;

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// When a lease runs out that begins now and lasts so many milliseconds.
const EXPIRES: &str = "clock_timestamp() + $1::bigint * interval '1 millisecond'";

fn register(connection: &mut Connection, member: &NewMember, lease: Duration) -> Result<MemberNumber, Fault> {
    let sql = format!(
        "INSERT INTO members (kind, name, address, release, began, expires)
         VALUES ($2, $3, $4, $5, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, {EXPIRES}) RETURNING number"
    );
    let NewMember { kind, name, address, release } = member;
    let number = connection.value(&sql, values![milliseconds(lease), kind.name(), name, address, release])?;
    news::tell(connection, SharedNews::Members)?;
    number.map(MemberNumber).ok_or_else(|| Fault::not_found("member", name))
}

/// Only columns that nothing refers to are written, so that nobody waits for whoever is writing as this member.
fn renew(connection: &mut Connection, number: MemberNumber, lease: Duration) -> Result<bool, Fault> {
    let sql = format!("UPDATE members SET renewals = renewals + 1, expires = {EXPIRES} WHERE number = $2");
    Ok(connection.execute(&sql, values![milliseconds(lease), number.0])? > 0)
}

fn all(connection: &mut Connection) -> Result<Vec<Member>, Fault> {
    let sql = "SELECT number, kind, name, address, release, began, renewals, expires < clock_timestamp()
               FROM members ORDER BY number";
    connection.all(sql, &[], |row| {
        let (number, kind): (u64, String) = (get(row, 0)?, get(row, 1)?);
        let kind = MemberKind::named(&kind).ok_or_else(|| broken("member", &number.to_string(), kind))?;
        let about = NewMember { kind, name: get(row, 2)?, address: get(row, 3)?, release: get(row, 4)? };
        let (began, renewals, expired) = (get(row, 5)?, get(row, 6)?, get(row, 7)?);
        Ok(Member { number: MemberNumber(number), about, began, renewals, expired })
    })
}

/// Waits for what the member is just writing: whoever writes holds its row against this.
fn remove(connection: &mut Connection, number: MemberNumber, renewals: u64) -> Result<bool, Fault> {
    let sql = "DELETE FROM members WHERE number = $1 AND renewals <= $2";
    let removed = connection.execute(sql, values![number.0, renewals])? > 0;
    if removed {
        news::tell(connection, SharedNews::Members)?;
    }
    Ok(removed)
}

impl Members for PostgresStore {
    fn register(&self, member: &NewMember, lease: Duration) -> Result<MemberNumber, StoreError> {
        self.connections.keep(|connection| register(connection, member, lease))
    }

    fn renew(&self, number: MemberNumber, lease: Duration) -> Result<bool, StoreError> {
        self.connections.keep(|connection| renew(connection, number, lease))
    }

    fn members(&self) -> Result<Vec<Member>, StoreError> {
        self.connections.keep(all)
    }

    fn remove(&self, number: MemberNumber, renewals: u64) -> Result<bool, StoreError> {
        self.connections.keep(|connection| remove(connection, number, renewals))
    }

    fn leave(&self, number: MemberNumber) -> Result<(), StoreError> {
        self.connections.keep(|connection| remove(connection, number, i64::MAX as u64).map(|_| ()))
    }
}
