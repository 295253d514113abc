//! What happens in a competition.

use serde::{Deserialize, Serialize};

use super::result::MatchResult;
use super::schedule::TournamentError;

/// What happens in a competition. The events in order are the competition.
///
/// In JSON an object with `event`, which is `finished`, `entered`, `struck-out`, `unavailable`, `available`,
/// `paused` or `resumed`; beside it `finished` has the fields of the result, and those in the middle `player`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum TournamentEvent {
    /// A match was played, or aborted.
    Finished(MatchResult),
    /// A player enters late. In round robin it meets everybody as often as the others do, in Swiss rounds it is
    /// paired from the next round on and has no points for those before, and in an open-ended schedule and on a ladder it
    /// plays from now on. Other formats admit nobody after the start ([`Format::entry_refusal`](super::Format::entry_refusal)).
    Entered {
        /// Who.
        player: String,
    },
    /// A player is out for good. What it has played stays; what it should have played is won by those it
    /// should have met.
    StruckOut {
        /// Who.
        player: String,
    },
    /// A player cannot begin matches for now. Those it would play wait.
    Unavailable {
        /// Who.
        player: String,
    },
    /// A player can begin matches again.
    Available {
        /// Who.
        player: String,
    },
    /// No more matches begin.
    Paused,
    /// Matches begin again.
    Resumed,
}

/// Why an event cannot be. It has changed nothing then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// Nobody has this name.
    #[error("there is no player `{0}`")]
    Player(String),
    /// Nobody can enter, or not this player.
    #[error("{player} cannot enter: {why}")]
    Entry {
        /// Who.
        player: String,
        /// Why not.
        why: String,
    },
    /// No such match is to be played: not yet, not any more, or never. A match that was going on when one
    /// of its players was struck out is decided already.
    #[error("no match of `{game}` in round {round} with the seed {seed} is to be played")]
    Match {
        /// The game.
        game: String,
        /// The round.
        round: u32,
        /// The seed.
        seed: u64,
    },
}

impl EventError {
    pub(super) fn no_match(result: &MatchResult) -> Self {
        Self::Match { game: result.game.clone(), round: result.round, seed: result.seed }
    }
}

/// Why stored events are no competition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// It cannot be held at all.
    #[error(transparent)]
    Setup(#[from] TournamentError),
    /// An event does not follow from those before it.
    #[error("event {number}: {error}")]
    Event {
        /// Which one, from 1.
        number: usize,
        /// What is wrong with it.
        error: EventError,
    },
}
