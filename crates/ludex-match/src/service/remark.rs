//! What whoever runs a player service should know.

use std::fmt;

use super::event::Pace;

/// Something out of the ordinary, for logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The match it is about; empty where it is about none.
    pub id: String,
    /// What it is.
    pub kind: RemarkKind,
}

/// What is out of the ordinary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// All places are taken, and the match was refused.
    Full,
    /// A match of this name was under way, and begins anew.
    Restarted,
    /// A match of this name is under way in another role.
    OtherRole,
    /// A message belongs to no match that is known by what it calls it.
    Unknown,
    /// `ready` was answered because the clock was over.
    NotReady,
    /// The player had not chosen in time, and a legal move was answered.
    FellBack,
    /// Not even a legal move was known in time.
    NoMove,
    /// The manager went on although its last play message was not answered yet.
    Overtaken,
    /// All places were taken, and of this match nothing was heard for longest: it was left for another.
    GaveWay,
    /// Nothing was heard of a match for too long, and it was left.
    Silent,
    /// The rules of a match, or of a preview, cannot be played: why.
    Unplayable(String),
    /// The player could not choose: why.
    Failed(String),
    /// A message was refused since it is not one of games that go as this one does.
    OtherPace(Pace),
    /// A match in real time is over, and so many moves waited for a message that did not come.
    Unsent(usize),
}

impl Remark {
    /// A remark about a match.
    pub fn new(id: impl Into<String>, kind: RemarkKind) -> Self {
        Self { id: id.into(), kind }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            RemarkKind::Full => f.write_str("refused: all places are taken"),
            RemarkKind::Unplayable(cause) => write!(f, "the rules cannot be played: {cause}"),
            RemarkKind::Restarted => f.write_str("a match of this name was under way; it begins anew"),
            RemarkKind::OtherRole => f.write_str("refused: a match of this name is played in another role"),
            RemarkKind::Unknown => f.write_str("there is no match of this name"),
            RemarkKind::NotReady => f.write_str("the start clock was over before the player was ready"),
            RemarkKind::FellBack => f.write_str("no choice in time: a legal move was answered"),
            RemarkKind::NoMove => f.write_str("no legal move was known in time"),
            RemarkKind::Failed(cause) => write!(f, "the player could not choose: {cause}"),
            RemarkKind::OtherPace(Pace::InSteps) => {
                f.write_str("refused: the message tells the time, and the game goes in steps")
            }
            RemarkKind::OtherPace(Pace::InTime) => {
                f.write_str("refused: the message tells no time, and the game goes in real time")
            }
            RemarkKind::Unsent(1) => f.write_str("a move came too late for the last message"),
            RemarkKind::Unsent(count) => write!(f, "{count} moves came too late for the last message"),
            RemarkKind::Overtaken => f.write_str("the manager went on without an answer"),
            RemarkKind::GaveWay => {
                f.write_str("left for another match: its manager has been silent for longest")
            }
            RemarkKind::Silent => f.write_str("left: nothing was heard of the match any more"),
        }
    }
}
