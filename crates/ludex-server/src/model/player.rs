//! What there is to know about players.

use ludex::matches::referee::SeatNotation;
use ludex::matches::tournament::FaultCounts;
use serde::{Deserialize, Serialize};

/// What a person is called who has no other name.
pub const GUEST: &str = "guest";
/// What the person is called that somebody plays against by a link, who has no other name.
pub const FRIEND: &str = "friend";

/// Whether a name is that of anybody who has no other one: it stands for many.
pub(crate) fn is_unnamed(name: &str) -> bool {
    [GUEST, FRIEND].iter().any(|unnamed| unnamed.eq_ignore_ascii_case(name))
}

/// What kind of player it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PlayerKind {
    /// A program somewhere else.
    Remote {
        /// Where: `host`, `host:port` or `http://host:port`.
        address: String,
        /// The notation of messages to it.
        #[serde(default)]
        notation: SeatNotation,
    },
    /// A strategy of Ludex, run by the manager.
    BuiltIn {
        /// Which, with its options: `name:option=value`.
        strategy: String,
    },
    /// Somebody at a screen.
    Person,
}

/// Whether a player is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// It was not asked yet.
    #[default]
    Unknown,
    /// It answered that it is available. People and built-in players always are.
    Available,
    /// It answered that it is busy.
    Busy,
    /// It did not answer as it should.
    Away,
}

/// Whether a player is there, and what is known of when it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Availability {
    /// Whether it is there.
    pub presence: Presence,
    /// When it last answered, in milliseconds since 1970.
    pub last_seen: Option<u64>,
    /// When it was last asked, in milliseconds since 1970.
    pub last_asked: Option<u64>,
    /// How often it was asked.
    pub asked: u64,
    /// How often it answered.
    pub answered: u64,
    /// How often in a row it did not answer.
    pub failures: u32,
    /// Why it did not answer the last time, if it did not.
    pub cause: Option<String>,
    /// How many milliseconds its last answer took.
    pub took: Option<u64>,
    /// What it says about itself: pairs of name and value.
    pub says: Vec<(String, String)>,
}

/// What matches say about a player.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlayerStatistics {
    /// How many matches it was in that are over.
    pub matches: u64,
    /// How many of them ended early.
    pub aborted: u64,
    /// How many of its matches run.
    pub running: u64,
    /// How many steps it made.
    pub steps: u64,
    /// Its mean goal value in matches that were played to the end.
    pub goal: Option<f64>,
    /// What it did wrong.
    pub faults: FaultCounts,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerSummary {
    /// Its name.
    pub name: String,
    /// What it is.
    #[serde(flatten)]
    pub kind: PlayerKind,
    /// When it was registered, in milliseconds since 1970.
    pub registered: u64,
    /// Whether it is retired: its matches stay, but it gets no more.
    pub retired: bool,
    /// Whether it is there.
    pub availability: Availability,
    /// What its matches say.
    pub statistics: PlayerStatistics,
}

/// Which players are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerQuery {
    /// A part of the name.
    #[serde(default)]
    pub text: String,
    /// Whether those that are retired are wanted, too.
    #[serde(default)]
    pub retired: bool,
    /// Whether only those are wanted that are retired.
    #[serde(default)]
    pub only_retired: bool,
    /// Whether only the players are wanted, and not what their matches say, which takes long where there are many of both.
    #[serde(default)]
    pub brief: bool,
    /// Whether what moderators have hidden is left out.
    #[serde(skip)]
    pub without_hidden: bool,
    /// Which part of the list.
    #[serde(default)]
    pub page: super::PageRequest,
}
