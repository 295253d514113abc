//! The store of a world: members, who owns what, and journals.

use ludex::matches::referee::{Entry, EntryNumber};
use ludex_server::membership::MemoryMembers;
use ludex_server::model::MemberNumber;

use super::Planted;

/// A match as it is kept.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) owner: Option<MemberNumber>,
    pub(crate) journal: Vec<Entry>,
    pub(crate) over: bool,
}

/// What came of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Kept,
    /// Who writes is no member.
    Superseded,
    /// Another entry is there, or one before is not.
    Misplaced,
}

/// The store.
pub(crate) struct Store {
    pub(crate) members: MemoryMembers,
    pub(crate) matches: Vec<Kept>,
    planted: Planted,
}

impl Store {
    pub(crate) fn new(matches: usize, planted: Planted) -> Self {
        let matches = (0..matches).map(|_| Kept::default()).collect();
        Self { members: MemoryMembers::default(), matches, planted }
    }

    /// What was a removed member's is nobody's.
    pub(crate) fn removed(&mut self, number: MemberNumber) {
        for kept in &mut self.matches {
            kept.owner = kept.owner.filter(|owner| *owner != number);
        }
    }

    pub(crate) fn unowned(&self) -> usize {
        self.matches.iter().filter(|kept| kept.owner.is_none() && !kept.over).count()
    }

    /// Takes over so many of what nobody has; nothing for who is no member.
    pub(crate) fn claim(&mut self, number: MemberNumber, most: u64) -> Vec<(usize, Vec<Entry>)> {
        if !self.members.has(number) {
            return Vec::new();
        }
        let mut claimed = Vec::new();
        let free = self.matches.iter_mut().enumerate().filter(|(_, kept)| kept.owner.is_none() && !kept.over);
        for (place, kept) in free.take(most as usize) {
            kept.owner = Some(number);
            claimed.push((place, kept.journal.clone()));
        }
        claimed
    }

    /// Writes entries, all or none; those that are there in the same words count once.
    pub(crate) fn append(
        &mut self,
        number: MemberNumber,
        place: usize,
        entries: &[(EntryNumber, Entry)],
    ) -> Written {
        if self.planted != Planted::NoFence && !self.members.has(number) {
            return Written::Superseded;
        }
        let kept = &mut self.matches[place];
        let mut journal = kept.journal.clone();
        for (entry_number, entry) in entries {
            match journal.get(entry_number.0 as usize) {
                Some(there) if there == entry => {}
                None if entry_number.0 as usize == journal.len() => journal.push(entry.clone()),
                _ => return Written::Misplaced,
            }
        }
        kept.journal = journal;
        if kept.journal.iter().any(|entry| matches!(entry, Entry::Ended { .. })) {
            kept.over = true;
        }
        Written::Kept
    }
}
