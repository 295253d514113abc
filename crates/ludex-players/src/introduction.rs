//! What a player is told of a match beside its rules and its role (book 20.5): who else plays, what it is played for,
//! and what is remembered of matches before.

use std::fmt;
use std::sync::Arc;

use ludex_game::Goal;

use crate::learned_evaluation::TrainedEvaluation;

/// What a player is told of a match beside its rules and its role. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Introduction {
    /// The names of those who play each role, in the order of the roles of the game; `None` for who is not known.
    pub players: Vec<Option<String>>,
    /// What the match is played for, where that is known.
    pub aim: Option<Aim>,
    /// Matches of this game, with these opponents in any seats, oldest first.
    pub past: Arc<[PastMatch]>,
    /// What was learned of what states of this game are worth.
    pub evaluations: Vec<Arc<TrainedEvaluation>>,
}

/// A match that was played before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PastMatch {
    /// The names of those who played each role, in the order of the roles of the game.
    pub players: Vec<Option<String>>,
    /// The joint moves, as texts in prefix notation.
    pub moves: Vec<Vec<String>>,
    /// What it brought to each role, where that is known.
    pub goals: Vec<Option<Goal>>,
}

/// What a match is played for: what counts in what it is part of (book 20.5).
///
/// It matters where two roles play whose goals do not go together, and where there is more than to win or to lose: who
/// is behind has to take a risk, who is ahead need not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// The own goal: goals are added up.
    Goals,
    /// To be ahead of the other by as much as possible: what is between both is taken along to matches to come.
    Ahead,
    /// To have more than the other in the end, where this role has so many goal points more from matches before;
    /// as much is worth half.
    Win {
        /// Goal points of this role less those of the other.
        lead: i32,
    },
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Goals => f.write_str("goals"),
            Self::Ahead => f.write_str("to be ahead"),
            Self::Win { lead: 0 } => f.write_str("to have more"),
            Self::Win { lead } => write!(f, "to have more, {lead:+} before"),
        }
    }
}
