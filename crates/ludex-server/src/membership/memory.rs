//! Members in memory, with a clock that is told what time it is: for simulations.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::Members;
use crate::lock::lock;
use crate::model::{Member, MemberNumber, NewMember, StoreError};

/// Members in memory. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct MemoryMembers(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    now: Duration,
    last: u64,
    members: BTreeMap<MemberNumber, (Member, Duration)>,
}

impl MemoryMembers {
    /// Sets the clock. It may go back.
    pub fn set_time(&self, now: Duration) {
        lock(&self.0).now = now;
    }

    /// Whether this is a member: what the store asks before it lets it write.
    pub fn has(&self, number: MemberNumber) -> bool {
        lock(&self.0).members.contains_key(&number)
    }
}

impl Members for MemoryMembers {
    fn register(&self, member: &NewMember, lease: Duration) -> Result<MemberNumber, StoreError> {
        let mut kept = lock(&self.0);
        kept.last += 1;
        let number = MemberNumber(kept.last);
        let began = u64::try_from(kept.now.as_millis()).unwrap_or(u64::MAX);
        let member = Member { number, about: member.clone(), began, renewals: 0, expired: false };
        let until = kept.now + lease;
        kept.members.insert(number, (member, until));
        Ok(number)
    }

    fn renew(&self, number: MemberNumber, lease: Duration) -> Result<bool, StoreError> {
        let mut kept = lock(&self.0);
        let renewed = kept.now + lease;
        let Some((member, until)) = kept.members.get_mut(&number) else { return Ok(false) };
        member.renewals += 1;
        *until = renewed;
        Ok(true)
    }

    fn members(&self) -> Result<Vec<Member>, StoreError> {
        let kept = lock(&self.0);
        let members = kept.members.values();
        Ok(members.map(|(member, until)| Member { expired: *until < kept.now, ..member.clone() }).collect())
    }

    fn remove(&self, number: MemberNumber, renewals: u64) -> Result<bool, StoreError> {
        let mut kept = lock(&self.0);
        let is_silent = kept.members.get(&number).is_some_and(|(member, _)| member.renewals <= renewals);
        Ok(is_silent && kept.members.remove(&number).is_some())
    }

    fn leave(&self, number: MemberNumber) -> Result<(), StoreError> {
        lock(&self.0).members.remove(&number);
        Ok(())
    }
}
