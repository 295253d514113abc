//! What an account may use.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Accounts, Answer};
use crate::clock::{now, unix_milliseconds};
use crate::lock::lock;
use crate::manager::ManagerError;
use crate::model::{Actor, Counted, Role, account_key};

/// What an account may use. Days are those of UTC. Organisers and administrators have no quotas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Versions of games that it brings on a day.
    pub uploads: u64,
    /// Its matches that wait or run at the same time.
    pub matches: u64,
    /// How long rules that it brings are worked on in a day: from each question about them to the answer.
    pub work: Duration,
    /// Mails that are sent to it on a day.
    pub mails: u64,
}

impl Default for Quotas {
    /// 20 uploads, 20 matches, 30 minutes, 10 mails.
    fn default() -> Self {
        Self { uploads: 20, matches: 20, work: Duration::from_secs(1800), mails: 10 }
    }
}

/// The day of a moment, since 1970.
pub(super) fn day(at: u64) -> u64 {
    at / 86_400_000
}

/// An account does one thing at a time of those that quotas count, so that none is counted too late.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<BTreeMap<String, Arc<Mutex<()>>>>);

impl Turns {
    fn within<T>(&self, key: &str, work: impl FnOnce() -> T) -> T {
        let turn = Arc::clone(lock(&self.0).entry(key.to_owned()).or_default());
        let done = {
            let _turn = lock(&turn);
            work()
        };
        let mut turns = lock(&self.0);
        // One is in the map, and one is here.
        if Arc::strong_count(&turn) <= 2 {
            turns.remove(key);
        }
        done
    }
}

impl Accounts {
    /// The key of an account that has quotas.
    fn limited(actor: &Actor) -> Option<String> {
        actor.account.as_deref().filter(|_| actor.role < Role::Organiser).map(account_key)
    }

    /// Works on rules that somebody has brought, and counts how long that takes.
    ///
    /// # Errors
    /// [`ManagerError::TooMany`] where it was too long on this day already; and those of the work.
    pub(in crate::manager) fn work<T>(&self, actor: &Actor, work: impl FnOnce() -> Answer<T>) -> Answer<T> {
        let Some(key) = Self::limited(actor) else { return work() };
        let limit = self.options().quotas.work;
        let day = day(unix_milliseconds());
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        if self.store().counted(&key, day, Counted::Work)? >= milliseconds(limit) {
            let what = "seconds of work on rules for an account on a day";
            return Err(ManagerError::TooMany { what, limit: limit.as_secs() });
        }
        let begun = now();
        let done = work();
        self.store().count(&key, day, Counted::Work, milliseconds(begun.elapsed()), u64::MAX)?;
        done
    }

    /// Keeps a version of a game that somebody has brought, and counts it.
    ///
    /// # Errors
    /// [`ManagerError::TooMany`] where there were too many on this day already; and those of the work.
    pub(in crate::manager) fn upload<T>(&self, actor: &Actor, keep: impl FnOnce() -> Answer<T>) -> Answer<T> {
        let Some(key) = Self::limited(actor) else { return keep() };
        let limit = self.options().quotas.uploads;
        self.0.turns.within(&key, || {
            let day = day(unix_milliseconds());
            if self.store().counted(&key, day, Counted::Uploads)? >= limit {
                return Err(ManagerError::TooMany { what: "uploads of an account on a day", limit });
            }
            let kept = self.work(actor, keep)?;
            self.store().count(&key, day, Counted::Uploads, 1, u64::MAX)?;
            Ok(kept)
        })
    }

    /// Makes a match for somebody, where not too many of theirs wait or run.
    ///
    /// # Errors
    /// [`ManagerError::TooMany`]; and those of the work.
    pub(in crate::manager) fn one_more_match<T>(
        &self,
        actor: &Actor,
        make: impl FnOnce() -> Answer<T>,
    ) -> Answer<T> {
        let Some(key) = Self::limited(actor) else { return make() };
        let limit = self.options().quotas.matches;
        self.0.turns.within(&key, || {
            if self.store().open_matches_of(&key)? >= limit {
                return Err(ManagerError::TooMany { what: "matches of an account at once", limit });
            }
            make()
        })
    }
}
