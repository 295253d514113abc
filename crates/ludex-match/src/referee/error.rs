//! Why there is no referee.

use ludex_game::{GameError, MoveError, TimedError};
use ludex_gdl::GameTime;

use super::entry::EntryNumber;
use crate::message::CodecError;

/// Why a match cannot begin, or go on from its journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefereeError {
    /// The name of the match cannot be sent to players (book 3.3).
    #[error("`{id}` is no name for a match: a lower-case letter, then letters and digits")]
    Id {
        /// The name.
        id: String,
    },
    /// The players do not fit the game.
    #[error("the game has {roles} roles to play, but there are {seats} seats")]
    Seats {
        /// The roles without `random`.
        roles: usize,
        /// The seats.
        seats: usize,
    },
    /// Patience that ends before the first step.
    #[error("a player can fail once at least before it is replaced or the match aborted")]
    Patience,
    /// A cost of time that is negative or no number.
    #[error("a second of thinking cannot cost {points} points")]
    TimeCost {
        /// The cost, as a text.
        points: String,
    },
    /// Moves are given for a game in which not everybody knows them.
    #[error("a match of a game with hidden information begins with its first move")]
    Given,
    /// A move with which the match is to begin cannot be made.
    #[error("the match cannot begin with the moves that are given: {error}")]
    GivenMove {
        /// Why not.
        error: MoveError,
    },
    /// A player is to be told no rules, but what there is to do and to see in the game cannot be told either.
    #[error("`{player}` cannot play without rules: {cause}")]
    Structure {
        /// Who.
        player: String,
        /// Why not.
        cause: String,
    },
    /// A player is to be told records in place of rules, and there are none that could be sent.
    #[error("`{player}` cannot learn from records: {cause}")]
    Records {
        /// Who.
        player: String,
        /// Why not.
        cause: String,
    },
    /// A player is to be told no rules, and some of its own.
    #[error("`{player}` cannot be told no rules and rules of its own")]
    RulesOfItsOwn {
        /// Who.
        player: String,
    },
    /// In real time players need rules.
    #[error("`{player}` cannot play a game in real time without its rules")]
    InTimeWithoutRules {
        /// Who.
        player: String,
    },
    /// A seat cannot be spoken to as was agreed.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The machine has no answer about the initial state.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A game in real time has no initial state, or its journal cannot be followed.
    #[error(transparent)]
    Timed(#[from] TimedError),
    /// A unit of game time that takes no time.
    #[error("a unit of game time must last longer than no time")]
    Unit,
    /// A journal without an entry.
    #[error("the journal is empty")]
    Empty,
    /// The journal was written of a match by other rules.
    #[error("the journal belongs to the rulesheet {journal}, not to {rules}")]
    OtherRules {
        /// The SHA-256 that the journal names.
        journal: String,
        /// The SHA-256 of the rulesheet at hand.
        rules: String,
    },
    /// An entry stands where none of its kind can.
    #[error("entry {}: {found} cannot stand here", number.0)]
    Order {
        /// Which entry.
        number: EntryNumber,
        /// Its kind, such as `stepped`.
        found: &'static str,
    },
    /// An entry has not one value for each seat.
    #[error("entry {}: {values} values for {seats} seats", number.0)]
    Length {
        /// Which entry.
        number: EntryNumber,
        /// How many values it has.
        values: usize,
        /// How many seats there are.
        seats: usize,
    },
    /// A step of the journal cannot be made.
    #[error("entry {}: {error}", number.0)]
    Move {
        /// Which entry.
        number: EntryNumber,
        /// Why not.
        error: MoveError,
    },
    /// What the journal says of a move in real time does not fit the rules, or the times before.
    #[error("entry {}: the move of {player} at {time} cannot be made like this", number.0)]
    Arrival {
        /// Which entry.
        number: EntryNumber,
        /// Whose move.
        player: String,
        /// When.
        time: GameTime,
    },
    /// The journal says that moves were taken back which were not made, or cannot be taken back.
    #[error("entry {}: the match cannot go back to step {steps}", number.0)]
    TakenBack {
        /// Which entry.
        number: EntryNumber,
        /// How many steps were to remain.
        steps: usize,
    },
    /// The journal says that the match ended otherwise than it did.
    #[error("entry {}: the match did not end like this", number.0)]
    End {
        /// Which entry.
        number: EntryNumber,
    },
}
