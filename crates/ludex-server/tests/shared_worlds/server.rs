//! A server of a world: its membership, and the referees of its matches.

use std::collections::BTreeMap;
use std::time::Duration;

use ludex::matches::referee::{Entry, EntryNumber, Referee};
use ludex_server::membership::{LeaseOptions, Membership};
use ludex_server::model::{Member, MemberNumber};

use super::store::Written;

/// What a server asks of the store.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    Register,
    Renew(MemberNumber),
    Look,
    Remove(MemberNumber, u64),
    Claim(MemberNumber, u64),
    /// How much is there of a match that could not be told on.
    Read(MemberNumber, usize),
    Append(MemberNumber, usize, Vec<(EntryNumber, Entry)>),
}

/// What the store answers.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Registered(MemberNumber),
    Renewed(bool),
    Members(Vec<Member>, usize),
    Removed,
    Matches(MemberNumber, Vec<(usize, Vec<Entry>)>),
    Read(MemberNumber, usize, Option<Vec<Entry>>),
    Appended(MemberNumber, usize, EntryNumber, Written),
    /// It did not answer in time.
    Nothing,
}

/// A match that a server has.
pub(crate) struct Table {
    pub(crate) referee: Referee,
    pub(crate) waiting: Vec<(EntryNumber, Entry)>,
    pub(crate) writing: bool,
    /// Which of the tables that this match had it is: what comes for others is too late.
    pub(crate) life: u64,
}

/// A server.
pub(crate) struct Server {
    pub(crate) membership: Membership,
    /// Its clock goes at so many thousandths of the true speed, from this on.
    pub(crate) speed: u32,
    pub(crate) origin: Duration,
    pub(crate) tables: BTreeMap<usize, Table>,
    /// What it has and does not drive at present.
    pub(crate) put_off: Vec<usize>,
    /// Until when it is stopped.
    pub(crate) asleep: Duration,
    /// Until when nothing comes through to the store.
    pub(crate) cut_off: Duration,
    /// Which process it is. What comes for one before is for nobody.
    pub(crate) process: u64,
    /// A question of its membership is under way.
    pub(crate) busy: bool,
}

impl Server {
    pub(crate) fn new(options: LeaseOptions, speed: u32, now: Duration, process: u64) -> Self {
        Self {
            membership: Membership::new(options),
            speed,
            origin: now,
            tables: BTreeMap::new(),
            put_off: Vec::new(),
            asleep: Duration::ZERO,
            cut_off: Duration::ZERO,
            process,
            busy: false,
        }
    }

    /// What its clock shows.
    pub(crate) fn clock(&self, now: Duration) -> Duration {
        now.saturating_sub(self.origin) * self.speed / 1_000
    }

    /// Whether it may do something that others hear of, as this number.
    pub(crate) fn may_tell(&self, now: Duration, number: MemberNumber) -> bool {
        self.membership.number() == Some(number) && self.membership.is_in(self.clock(now))
    }

    /// It was taken for dead, and drives nothing any more.
    pub(crate) fn begin_anew(&mut self) {
        self.tables.clear();
        self.put_off.clear();
    }
}
