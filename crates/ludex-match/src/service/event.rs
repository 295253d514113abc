//! What comes to a player service.

use crate::referee::Moment;

/// The number of a message that waits for an answer. The driver chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallNumber(pub u64);

/// The number of a match as the service counts them. It never comes again, unlike the names that managers
/// give their matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableNumber(pub u64);

/// The number of something that the driver was asked to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobNumber(pub u64);

/// What comes to a player service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A message, complete.
    Message {
        /// What to call it.
        call: CallNumber,
        /// What was in its body.
        text: String,
        /// When its first byte came: clocks run from there.
        since: Moment,
    },
    /// The answer to a message could not be delivered: the manager will ask again.
    Undelivered(CallNumber),
    /// The player is ready for a match, or a preview was seen; or why the rules cannot be played.
    Prepared {
        /// Which job.
        job: JobNumber,
        /// What was found out.
        result: Result<(), String>,
    },
    /// A legal move was found, to fall back on while the player still thinks.
    Legal {
        /// Which job.
        job: JobNumber,
        /// The move, a term in prefix notation.
        action: String,
    },
    /// The player has chosen, or cannot: why.
    Chosen {
        /// Which job.
        job: JobNumber,
        /// The move, a term in prefix notation.
        result: Result<String, String>,
    },
    /// Time has passed: see [`next_wake`](super::PlayerService::next_wake).
    Tick,
    /// The service is to end: everybody who waits is answered, every match is left.
    Close,
}
