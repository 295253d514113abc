//! A store that several servers have at the same time.

use std::sync::Arc;
use std::time::Duration;

use super::{Answer, Store};
use crate::membership::Members;
use crate::model::{Claimed, Engagement, MemberNumber, Ownership, SharedNews, Unowned};

/// What a store says that may be shared.
pub trait SharedStore {
    /// The store as several servers have it; `None` where one server has it alone.
    fn shared(&self) -> Option<Arc<dyn Shared>> {
        None
    }
}

/// A store that several members have at the same time. Each match and each tournament that is not over has one owner,
/// or none for a while; a tournament and its matches have the same one. All methods block.
pub trait Shared: Members {
    /// The store as this member has it: what it adds is its own, and whatever it writes fails with
    /// [`StoreError::Superseded`](super::StoreError::Superseded) from when it was removed, whoever holds this.
    fn as_member(&self, number: MemberNumber) -> Arc<dyn Store>;

    /// How much nobody has.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn unowned(&self) -> Answer<Unowned>;

    /// A member takes over what nobody has, so much at most, the oldest first. What another member is just taking is
    /// left to it.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn claim(&self, number: MemberNumber, most: Unowned) -> Answer<Claimed>;

    /// All that a member has: where it is in doubt what came of a claim.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn owned(&self, number: MemberNumber) -> Answer<Claimed>;

    /// Who has a match.
    ///
    /// # Errors
    /// [`StoreError::NotFound`](super::StoreError::NotFound) and others.
    fn owner_of_match(&self, id: &str) -> Answer<Ownership>;

    /// Who has a tournament.
    ///
    /// # Errors
    /// [`StoreError::NotFound`](super::StoreError::NotFound) and others.
    fn owner_of_tournament(&self, id: &str) -> Answer<Ownership>;

    /// Who is at work in matches that are not this member's: those that run, and those of tournaments that are about to.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn engagements(&self, number: MemberNumber) -> Answer<Vec<Engagement>>;

    /// Notes that a match of this member runs, as [`Store::begin_match`], unless one of these players is in a match of
    /// another member that began at this time or later, or is in one of a tournament that was there first: then nothing is
    /// noted, and it is said who that is. Of several members that ask at once, one has the player. A match that ran before goes on in
    /// any case.
    ///
    /// # Errors
    /// [`StoreError::NotFound`](super::StoreError::NotFound) and others.
    fn begin_with(
        &self,
        number: MemberNumber,
        id: &str,
        roles: &[String],
        began: u64,
        alone: &[(String, u64)],
    ) -> Answer<Option<String>>;

    /// Waits for so long for what others have changed; all kinds, each once, where something may have been missed.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn news(&self, patience: Duration) -> Answer<Vec<SharedNews>>;

    /// The secret by which members know each other: the one that is kept, or this one, which is kept from now on.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn secret(&self, drawn: &[u8]) -> Answer<Vec<u8>>;
}
