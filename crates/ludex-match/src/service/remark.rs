//! What whoever runs a player service should know.

use std::fmt;

/// Something out of the ordinary, for logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// All places are taken.
    Full {
        /// The match that was refused.
        id: String,
    },
    /// The rules of a match cannot be played.
    Unplayable {
        /// The match; empty for a preview.
        id: String,
        /// Why.
        cause: String,
    },
    /// A match of this name was under way, and begins anew.
    Restarted {
        /// The match.
        id: String,
    },
    /// A match of this name is under way in another role.
    OtherRole {
        /// The match.
        id: String,
    },
    /// A message belongs to no match that is known.
    Unknown {
        /// What the message calls it.
        id: String,
    },
    /// `ready` was answered because the clock was over.
    NotReady {
        /// The match.
        id: String,
    },
    /// The player had not chosen in time, and a legal move was answered.
    FellBack {
        /// The match.
        id: String,
    },
    /// Not even a legal move was known in time.
    NoMove {
        /// The match.
        id: String,
    },
    /// The player could not choose.
    Failed {
        /// The match.
        id: String,
        /// Why.
        cause: String,
    },
    /// The manager went on although its last play message was not answered yet.
    Overtaken {
        /// The match.
        id: String,
    },
    /// All places were taken, and of this match nothing was heard for longest: it was left for another.
    GaveWay {
        /// The match.
        id: String,
    },
    /// Nothing was heard of a match for too long, and it was left.
    Silent {
        /// The match.
        id: String,
    },
}

impl Remark {
    /// The match it is about; empty where it is about none.
    pub fn id(&self) -> &str {
        match self {
            Self::Full { id }
            | Self::Unplayable { id, .. }
            | Self::Restarted { id }
            | Self::OtherRole { id }
            | Self::Unknown { id }
            | Self::NotReady { id }
            | Self::FellBack { id }
            | Self::NoMove { id }
            | Self::Failed { id, .. }
            | Self::Overtaken { id }
            | Self::GaveWay { id }
            | Self::Silent { id } => id,
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { .. } => f.write_str("refused: all places are taken"),
            Self::Unplayable { cause, .. } => write!(f, "the rules cannot be played: {cause}"),
            Self::Restarted { .. } => f.write_str("a match of this name was under way; it begins anew"),
            Self::OtherRole { .. } => f.write_str("refused: a match of this name is played in another role"),
            Self::Unknown { .. } => f.write_str("there is no match of this name"),
            Self::NotReady { .. } => f.write_str("the start clock was over before the player was ready"),
            Self::FellBack { .. } => f.write_str("no choice in time: a legal move was answered"),
            Self::NoMove { .. } => f.write_str("no legal move was known in time"),
            Self::Failed { cause, .. } => write!(f, "the player could not choose: {cause}"),
            Self::Overtaken { .. } => f.write_str("the manager went on without an answer"),
            Self::GaveWay { .. } => {
                f.write_str("left for another match: its manager has been silent for longest")
            }
            Self::Silent { .. } => f.write_str("left: nothing was heard of the match any more"),
        }
    }
}
