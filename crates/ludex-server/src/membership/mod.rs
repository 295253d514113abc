//! Membership of a store that several processes share: who is there, who is to be taken for dead, and when one has to
//! take oneself for dead.
//!
//! Each member registers and gets a number that nobody else ever has. It renews a lease, and others remove whoever does
//! not. What makes this safe is not the lease: the store refuses every write of a number that was removed (a fencing
//! number, as in Gray and Cheriton, "Leases", 1989, and Burrows, "The Chubby lock service", 2006). The lease, and the
//! margin by which a member stops sooner than others remove it, are for what is told to the outside.
//!
//! [`Membership`] says what is to be done when, and does nothing itself: whoever has it asks the store through
//! [`Members`], and looks at a clock that never goes back and begins anywhere.

mod machine;
mod memory;

use std::time::Duration;

use crate::model::{Member, MemberNumber, NewMember, StoreError};
pub use machine::{Duty, Membership, share};
pub use memory::MemoryMembers;

/// How long a member may not be heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseOptions {
    /// A member that does not renew its lease for so long is removed by others.
    pub lease: Duration,
    /// How often it renews it.
    pub renew: Duration,
    /// So much sooner than that a member does nothing more that others hear of: it makes up for clocks that do not go
    /// at the same speed.
    pub margin: Duration,
}

impl LeaseOptions {
    /// A lease of so long, which is renewed five times in this time, with a fifth as margin.
    pub fn lasting(lease: Duration) -> Self {
        Self { lease, renew: lease / 5, margin: lease / 5 }
    }
}

impl Default for LeaseOptions {
    /// 5 seconds, renewed every second, with a margin of a second.
    fn default() -> Self {
        Self::lasting(Duration::from_secs(5))
    }
}

/// Where it is kept who is a member. All methods block.
pub trait Members: Send + Sync {
    /// Takes somebody in, whose lease lasts so long from now. Its number is larger than all before.
    ///
    /// # Errors
    /// [`StoreError`].
    fn register(&self, member: &NewMember, lease: Duration) -> Result<MemberNumber, StoreError>;

    /// Renews the lease of a member: it lasts so long from now. Whether it still is one.
    ///
    /// # Errors
    /// [`StoreError`].
    fn renew(&self, number: MemberNumber, lease: Duration) -> Result<bool, StoreError>;

    /// All members, by number.
    ///
    /// # Errors
    /// [`StoreError`].
    fn members(&self) -> Result<Vec<Member>, StoreError>;

    /// Removes a member, unless it has renewed its lease more often than so often. When this comes back, nothing that
    /// this member was writing is still being written, and nothing that it wants to write later will be; what it had,
    /// nobody has. Whether it was removed by this.
    ///
    /// # Errors
    /// [`StoreError`], also where it is just writing: then it is to be tried again.
    fn remove(&self, number: MemberNumber, renewals: u64) -> Result<bool, StoreError>;

    /// A member goes. The same holds as of [`Members::remove`].
    ///
    /// # Errors
    /// [`StoreError`].
    fn leave(&self, number: MemberNumber) -> Result<(), StoreError>;
}
