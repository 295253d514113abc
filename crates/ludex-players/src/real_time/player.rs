//! What players in real time are told, and what they do.

use std::fmt;
use std::sync::Arc;

use ludex_game::{RoleId, TimedMachine};
use ludex_gdl::GameTime;
use ludex_logic::{Budget, TermId};

use crate::player::{Outcome, PlayerError};
use crate::report::Report;

/// What a player is given before a match in real time.
#[derive(Clone)]
pub struct TimedSeat {
    /// What runs the rules.
    pub machine: Arc<dyn TimedMachine>,
    /// The player's role.
    pub role: RoleId,
    /// Whether roles are told percepts and not moves (rtGDL-II).
    pub hidden: bool,
    /// How long a move is on its way at most, in units of game time: whoever has to move before something expires moves
    /// so much earlier.
    pub delay: GameTime,
}

impl fmt::Debug for TimedSeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, hidden, delay, .. } = self;
        f.debug_struct("TimedSeat")
            .field("role", role)
            .field("hidden", hidden)
            .field("delay", delay)
            .finish_non_exhaustive()
    }
}

/// What a player is told in real time. Times are counted from the start of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimedNews {
    /// Somebody moved, where everybody sees it (rtGDL).
    Moved {
        /// When.
        time: GameTime,
        /// Who made which move, all in one update.
        moves: Vec<(RoleId, TermId)>,
    },
    /// Something was seen, or a move of the player's own was made (rtGDL-II).
    Seen {
        /// When.
        time: GameTime,
        /// The player's own move, if it was made then.
        own: Option<TermId>,
        /// What was seen; `None` where that is just what was to be expected.
        percepts: Option<Vec<TermId>>,
    },
    /// A move of the player's own came when it was not legal, and changed nothing.
    Refused {
        /// When.
        time: GameTime,
        /// The move.
        action: TermId,
    },
}

impl TimedNews {
    /// When it happened.
    pub fn time(&self) -> GameTime {
        match self {
            Self::Moved { time, .. } | Self::Seen { time, .. } | Self::Refused { time, .. } => *time,
        }
    }
}

/// When a player wants to be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskAgain {
    /// At once: it goes on thinking.
    Now,
    /// At this time since the start, or when there are news.
    At(GameTime),
    /// When there are news.
    OnNews,
}

/// What a player does at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The move it makes; `None` to wait.
    pub action: Option<TermId>,
    /// How much game time the thinking took, where work is counted; `None` where that is to be measured.
    pub took: Option<GameTime>,
    /// When it wants to be asked again.
    pub again: AskAgain,
    /// Why, for whoever watches.
    pub report: Report,
}

impl Decision {
    /// Nothing, without any thought.
    pub fn wait(again: AskAgain) -> Self {
        Self { action: None, took: Some(GameTime::ZERO), again, report: Report::default() }
    }
}

/// Somebody who plays one role of one match in real time.
///
/// It is told what happens in the order in which it happens, and asked between that. A move that it decides on arrives when
/// the thinking is over and the message has come through; whether it was legal then is what it hears next.
pub trait TimedPlayer: Send {
    /// Takes a seat and gets ready (start clock). Forgets any match before.
    ///
    /// # Errors
    /// [`PlayerError`]; the player may still be asked.
    fn prepare(&mut self, seat: TimedSeat, budget: &Budget) -> Result<(), PlayerError>;
    /// Hears what happened. Work that takes time belongs to [`TimedPlayer::decide`].
    fn observe(&mut self, news: &TimedNews);
    /// Says what it does at a time since the start. It may think until the budget is spent, and then be asked to go on.
    ///
    /// # Errors
    /// [`PlayerError`]; nothing is done then, and it is asked again when there are news.
    fn decide(&mut self, now: GameTime, budget: &Budget) -> Result<Decision, PlayerError>;
    /// Hears how long its moves were on their way lately, from the decision until they were made, in units of game time: the
    /// longest of the last few. It takes the place of [`TimedSeat::delay`], which is a guess before anything is known.
    fn note_delay(&mut self, _delay: GameTime) {}
    /// Hears that the match is over.
    fn finish(&mut self, _outcome: &Outcome) {}
}
