//! The journal of a match as its referee reads it.

use ludex::matches::referee::real_time::TimedEntry;
use ludex::matches::referee::{Entry, SeatSetup};

use super::KeptEntry;

/// The journal of a match so far.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchEntries {
    /// Of a game in steps.
    InSteps(Vec<Entry>),
    /// Of a game in real time.
    InTime(Vec<TimedEntry>),
}

impl MatchEntries {
    /// The entries that were kept: the first one, which says what was agreed, tells the kind of match. Where there are
    /// none, it is one in steps.
    ///
    /// # Errors
    /// What is kept is no journal of a match.
    pub fn read(kept: &[KeptEntry]) -> Result<Self, serde_json::Error> {
        let is_timed = kept.first().is_some_and(|first| {
            matches!(first.read::<TimedEntry>(), Ok(TimedEntry::Opened { .. }))
                && first.read::<Entry>().is_err()
        });
        Ok(if is_timed {
            Self::InTime(kept.iter().map(KeptEntry::read).collect::<Result<_, _>>()?)
        } else {
            Self::InSteps(kept.iter().map(KeptEntry::read).collect::<Result<_, _>>()?)
        })
    }

    /// Those of a game in steps; none of a game in real time.
    pub fn in_steps(self) -> Vec<Entry> {
        match self {
            Self::InSteps(entries) => entries,
            Self::InTime(_) => Vec::new(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::InSteps(entries) => entries.len(),
            Self::InTime(entries) => entries.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the match is over with one of them.
    pub fn end_match(&self) -> bool {
        match self {
            Self::InSteps(entries) => entries.iter().any(Entry::ends_match),
            Self::InTime(entries) => entries.iter().any(TimedEntry::ends_match),
        }
    }

    /// Whether the first move could be made, or was.
    pub fn has_begun(&self) -> bool {
        match self {
            Self::InSteps(entries) => entries.iter().any(|entry| matches!(entry, Entry::Ready { .. })),
            Self::InTime(entries) => entries.iter().any(|entry| matches!(entry, TimedEntry::Ready { .. })),
        }
    }

    /// How often something happened: steps, or entries of what happened in real time.
    pub fn steps(&self) -> usize {
        match self {
            Self::InSteps(entries) => entries.iter().fold(0, |made, entry| match entry {
                Entry::Opened { setup, .. } => setup.given.len(),
                Entry::Stepped { .. } => made + 1,
                Entry::TakenBack { steps } => *steps,
                Entry::Ready { .. } | Entry::Resumed | Entry::Ended { .. } => made,
            }),
            Self::InTime(entries) => {
                entries.iter().filter(|entry| matches!(entry, TimedEntry::Happened { .. })).count()
            }
        }
    }

    /// Who sits where, once that was agreed.
    pub fn seats(&self) -> &[SeatSetup] {
        match self {
            Self::InSteps(entries) => match entries.first() {
                Some(Entry::Opened { setup, .. }) => &setup.seats,
                _ => &[],
            },
            Self::InTime(entries) => match entries.first() {
                Some(TimedEntry::Opened { setup, .. }) => &setup.seats,
                _ => &[],
            },
        }
    }
}
