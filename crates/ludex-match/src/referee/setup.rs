//! What is agreed before a match.

use std::time::Duration;

use ludex_game::TimeBank;
use ludex_gdl::Notation;
use serde::{Deserialize, Serialize};

use crate::message::Given;

/// A moment: the time since some beginning that the driver chose and that does not change while a
/// referee lives.
pub type Moment = Duration;

/// A seat: the number of a role among those that somebody plays, all but `random`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeatNumber(pub u32);

/// The number of a message of a referee to a seat. It never comes again in a match, so that an answer
/// to an older message cannot pass for one to a newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MessageNumber(pub u64);

/// What is agreed before a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefereeSetup {
    /// The name of the match: letters and digits, a lower-case letter first (book 3.3).
    pub id: String,
    /// Decides the moves of the role `random` and those that replace what players should have sent.
    pub seed: u64,
    /// How long players may think.
    pub clocks: Clocks,
    /// Who sits where, for each role but `random`, in order.
    pub seats: Vec<SeatSetup>,
    /// What is done about a player that fails again and again.
    pub patience: Patience,
    /// The match is aborted after this many steps.
    pub step_limit: Option<u32>,
    /// Points of the goal that a second of thinking costs (book 20.2); rewards are never below 0.
    #[serde(alias = "points_per_second")]
    pub time_cost: Option<f64>,
    /// What every player is told with the start message beside the opponents' names (book 20.5): pairs of
    /// name and value, terms in prefix notation. `None` where players are told nothing more than the
    /// rules, their role and the two clocks: players of others may not understand more.
    pub told: Option<Vec<(String, String)>>,
    /// When the match begins, in milliseconds since 1970.
    pub start_time: Option<u64>,
    /// Records of matches for the players that are told no rules but these ([`records`](crate::records)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// The joint moves with which the match begins, before anybody is asked for one; for games without secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Vec<String>>,
}

/// How long players may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// To get ready.
    pub start: Duration,
    /// For each move, at most.
    pub play: Duration,
    /// For all moves together, where that is limited, too (book 20.2).
    pub bank: Option<TimeBank>,
    /// How much longer an answer is waited for, since the network takes its time, too. Players are not
    /// told, and it costs nothing.
    #[serde(default)]
    pub grace: Duration,
}

/// A seat and who has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatSetup {
    /// The player's registered name.
    pub player: String,
    /// The notation of messages to it: `prefix` or `infix`.
    pub notation: SeatNotation,
    /// What the player is told of the game. Who is told no rules has no rulesheet of its own.
    #[serde(default, skip_serializing_if = "Given::is_rules")]
    pub given: Given,
    /// Rules for this seat alone (book 3.4, 19.7), in any notation; `None` for the game's.
    pub rulesheet: Option<String>,
    /// The clocks of this seat, where they are not the match's: people may have more time than programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// The seed of a renaming of all that is said to and by this seat, so that its player cannot know the
    /// game by its words.
    pub scramble: Option<u64>,
}

/// A notation, as it stands in journals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeatNotation {
    /// KIF, `(mark 1 1)`: what goes over the wire by custom.
    #[default]
    Prefix,
    /// The book's, `mark(1,1)`.
    Infix,
}

impl From<SeatNotation> for Notation {
    fn from(notation: SeatNotation) -> Self {
        match notation {
            SeatNotation::Prefix => Notation::Prefix,
            SeatNotation::Infix => Notation::Infix,
        }
    }
}

/// What is done about a player that fails in so many steps in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Patience {
    /// It is asked again each time (specification 7.2).
    #[default]
    Keep,
    /// It is not asked any more; its moves are random legal ones.
    Replace(u32),
    /// The match is aborted.
    Abort(u32),
}
