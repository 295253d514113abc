//! What comes to a player service.

use crate::message::Last;
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

/// How a game goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// In steps: everybody is asked for a move.
    InSteps,
    /// In real time: everybody moves when they want.
    InTime,
}

impl Pace {
    /// Of which games messages tell that tell this.
    pub(super) fn of(last: &Last) -> Self {
        if matches!(last, Last::InTime { .. }) { Self::InTime } else { Self::InSteps }
    }
}

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
    /// Nobody waits for the answer to a message any more, as far as is known: the connection that it came by was closed, or
    /// brings more. A message that is held back is answered at once then, and moves wait for the next one.
    Abandoned(CallNumber),
    /// The player is ready for a match, or a preview was seen: how the game goes; or why the rules cannot be played.
    Prepared {
        /// Which job.
        job: JobNumber,
        /// What was found out.
        result: Result<Pace, String>,
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
    /// In real time, the player moves.
    Moved {
        /// In which match.
        table: TableNumber,
        /// The move, a term in prefix notation.
        action: String,
    },
    /// Time has passed: see [`next_wake`](super::PlayerService::next_wake).
    Tick,
    /// The service is to end: everybody who waits is answered, every match is left.
    Close,
}
