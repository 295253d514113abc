//! What a member has to do when. All times are those of its own clock, which never goes back.

use std::collections::BTreeMap;
use std::time::Duration;

use super::LeaseOptions;
use crate::model::{Member, MemberNumber};

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// To register, and to say so by [`Membership::registered`].
    Register,
    /// To renew the lease of this number, and to say so by [`Membership::renewed`].
    Renew(MemberNumber),
    /// Nothing until then.
    Rest(Duration),
}

/// Whether one is a member, and what one knows of the others.
#[derive(Clone, Debug)]
pub struct Membership {
    options: LeaseOptions,
    state: State,
    others: BTreeMap<MemberNumber, Seen>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Out { register: Duration },
    In { number: MemberNumber, until: Duration, renew: Duration },
}

/// When another member was first seen with so many renewals.
#[derive(Clone, Copy, Debug)]
struct Seen {
    renewals: u64,
    since: Duration,
}

impl Membership {
    /// Somebody who is no member yet.
    pub fn new(options: LeaseOptions) -> Self {
        Self { options, state: State::Out { register: Duration::ZERO }, others: BTreeMap::new() }
    }

    /// What is to be done now.
    pub fn duty(&self, now: Duration) -> Duty {
        match self.state {
            State::Out { register } if now < register => Duty::Rest(register),
            State::Out { .. } => Duty::Register,
            State::In { renew, .. } if now < renew => Duty::Rest(renew),
            State::In { number, .. } => Duty::Renew(number),
        }
    }

    /// One has become a member. The time is that at which one has asked: the lease began later.
    pub fn registered(&mut self, asked: Duration, number: MemberNumber) {
        self.state = self.lease_from(asked, number);
    }

    /// Whether the lease was renewed that one asked for at this time. Where it was not, one has been removed, and is no
    /// member any more: whatever one had, others have.
    pub fn renewed(&mut self, asked: Duration, kept: bool) {
        let State::In { number, .. } = self.state else { return };
        self.state = if kept { self.lease_from(asked, number) } else { State::Out { register: asked } };
    }

    /// The store did not answer: it is asked again soon.
    pub fn failed(&mut self, now: Duration) {
        let again = now + self.options.renew / 4;
        match &mut self.state {
            State::Out { register } => *register = again,
            State::In { renew, .. } => *renew = again,
        }
    }

    fn lease_from(&self, asked: Duration, number: MemberNumber) -> State {
        let LeaseOptions { lease, renew, margin } = self.options;
        State::In { number, until: asked + lease.saturating_sub(margin), renew: asked + renew }
    }

    /// The own number, as far as one knows.
    pub fn number(&self) -> Option<MemberNumber> {
        match self.state {
            State::Out { .. } => None,
            State::In { number, .. } => Some(number),
        }
    }

    /// Until when others take one for alive. From then on nothing may be done that others hear of, until the lease is
    /// renewed after all, or one is a member again.
    pub fn until(&self) -> Duration {
        match self.state {
            State::Out { .. } => Duration::ZERO,
            State::In { until, .. } => until,
        }
    }

    /// Whether one may do something that others hear of.
    pub fn is_in(&self, now: Duration) -> bool {
        now < self.until()
    }

    /// Whom to remove, with the number of renewals that it had, of the members as they were when one asked for them at
    /// this time: whose lease has run out by the clock of the store, or who has not renewed it for as long by the own
    /// clock, whatever the clock of the store does.
    pub fn whom_to_remove(&mut self, asked: Duration, members: &[Member]) -> Vec<(MemberNumber, u64)> {
        let own = self.number();
        let others = members.iter().filter(|member| Some(member.number) != own);
        let mut known = BTreeMap::new();
        let mut dead = Vec::new();
        for Member { number, renewals, expired, .. } in others {
            let fresh = Seen { renewals: *renewals, since: asked };
            let before = self.others.get(number).filter(|seen| seen.renewals == *renewals);
            let seen = before.copied().unwrap_or(fresh);
            let silence = asked.saturating_sub(seen.since);
            if *expired || silence > self.options.lease + self.options.margin {
                dead.push((*number, *renewals));
            }
            known.insert(*number, seen);
        }
        self.others = known;
        dead
    }
}

/// How much to take of what nobody has, so that servers share it: as many parts as there are servers, and no more at
/// once than this. What is left is for others, or for a moment later.
pub fn share(unowned: u64, servers: usize, at_once: u64) -> u64 {
    unowned.div_ceil((servers as u64).max(1)).min(at_once)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MemberKind, NewMember};

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn member(number: u64, renewals: u64, expired: bool) -> Member {
        let about = NewMember {
            kind: MemberKind::Server,
            name: "a".into(),
            address: String::new(),
            release: "1".into(),
        };
        Member { number: MemberNumber(number), about, began: 0, renewals, expired }
    }

    #[test]
    fn a_lease_lasts_from_when_it_was_asked_for_and_ends_sooner_than_others_think() {
        let mut own = Membership::new(LeaseOptions::default());
        assert_eq!(own.duty(seconds(3.0)), Duty::Register);
        assert!(!own.is_in(seconds(3.0)));
        // The answer took a second.
        own.registered(seconds(3.0), MemberNumber(7));
        assert_eq!(own.duty(seconds(3.9)), Duty::Rest(seconds(4.0)));
        assert_eq!(own.duty(seconds(4.0)), Duty::Renew(MemberNumber(7)));
        own.failed(seconds(5.0));
        assert_eq!(own.duty(seconds(5.1)), Duty::Rest(seconds(5.25)));
        assert!(own.is_in(seconds(6.9)) && !own.is_in(seconds(7.0)));
        // It was not removed, and may go on.
        own.renewed(seconds(8.0), true);
        assert!(own.is_in(seconds(8.1)));
        own.renewed(seconds(9.0), false);
        assert!(!own.is_in(seconds(9.0)));
        assert_eq!((own.number(), own.duty(seconds(9.0))), (None, Duty::Register));
    }

    #[test]
    fn who_is_silent_is_removed_by_either_clock_and_nobody_else() {
        let mut own = Membership::new(LeaseOptions::default());
        own.registered(seconds(0.0), MemberNumber(3));
        assert_eq!(own.whom_to_remove(seconds(1.0), &[member(3, 0, true), member(1, 4, false)]), []);
        let all = [member(1, 4, false), member(2, 9, true), member(3, 1, false)];
        assert_eq!(own.whom_to_remove(seconds(2.0), &all), [(MemberNumber(2), 9)]);
        // The clock of the store was set back: it says that nothing has run out, but nothing was heard either.
        let silent = [member(1, 4, false), member(2, 10, false)];
        assert_eq!(own.whom_to_remove(seconds(7.0), &silent), []);
        assert_eq!(own.whom_to_remove(seconds(7.1), &silent), [(MemberNumber(1), 4)]);
        // Whoever has slept for long hears of all others anew before it judges them.
        assert_eq!(own.whom_to_remove(seconds(90.0), &[member(2, 80, false)]), []);
    }

    #[test]
    fn what_nobody_has_is_shared() {
        assert_eq!([share(0, 3, 9), share(1, 3, 9), share(10, 3, 9), share(90, 3, 9)], [0, 1, 4, 9]);
        assert_eq!(share(5, 0, 9), 5, "whoever asks is one");
    }
}
