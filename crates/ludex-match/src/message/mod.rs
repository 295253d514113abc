//! What manager and player say to each other, in either notation (specification 8, book 3.3 and 17.5).

//!
//! Everybody writes messages a little differently: [`read_request`] and [`read_response`] understand all
//! that is clear, [`write_request`] and [`write_response`] write what everybody understands. The headers
//! are [`request_headers`]; [`SeatCodec`] speaks to each seat in its own notation and words.

mod codec;
mod error;
mod given;
mod header;
mod made_moves;
mod piece;
mod request;
mod response;
mod seconds;
mod shared;
mod term;
mod time_terms;
mod told;
mod write;

use ludex_gdl::{GameTime, Notation};

pub(crate) use codec::SeatCodecs;
pub use codec::{CodecError, SEATS_TEXT_LIMIT, SeatCodec};
pub use error::{MessageError, MessageProblem};
pub use given::Given;
pub use header::{CONTENT_TYPE, SENDER, request_headers, response_headers};
pub(crate) use made_moves::made_move;
pub use request::read_request;
pub use response::{Expected, LONGEST_RESPONSE, read_response, write_response};
pub use shared::Shared;
pub use term::{match_key, term_text};
pub(crate) use time_terms::time_pairs;
pub use write::{RequestText, request_text, write_request};

/// A message that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// What it says.
    pub request: Request,
    /// How it was written, and so how it is to be answered.
    pub notation: Notation,
}

/// A message of a manager to a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Are you there?
    Info,
    /// A match is to begin.
    Start(Box<StartMessage>),
    /// What happened, and whose move is wanted.
    Play {
        /// The match.
        id: String,
        /// What happened last.
        last: Last,
    },
    /// What happened, and that it was the last step.
    Stop {
        /// The match.
        id: String,
        /// What happened last.
        last: Last,
    },
    /// The match is over before its end.
    Abort {
        /// The match.
        id: String,
    },
    /// Rules that may be played later on.
    Preview {
        /// The rulesheet, in the notation of the message.
        rules: Shared<String>,
        /// Seconds to look at them.
        clock: u32,
    },
}

/// What a player is told when a match begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartMessage {
    /// The match.
    pub id: String,
    /// The player's role, a term in prefix notation.
    pub role: String,
    /// What the player is told of the game.
    pub given: Given,
    /// The rulesheet, in the notation of the message; or what is [given](Self::given) in its place, terms in prefix
    /// notation.
    pub rules: Shared<String>,
    /// Seconds to get ready.
    pub start_clock: u32,
    /// Seconds for each move; in real time, for one unit of game time. Parts of a second are left out.
    pub play_clock: u32,
    /// The play clock exactly, where it is not a whole number of seconds.
    pub exact_play_clock: Option<GameTime>,
    /// What else a player is told (enhanced GGP, book 20.5), as pairs of name and value, both terms in
    /// prefix notation: who the others are, how the tournament stands. Nothing is sent where it is empty.
    pub more: Shared<Vec<(String, String)>>,
}

impl StartMessage {
    /// The seconds of the play clock, exactly as they were sent: in real time, what one unit of game time lasts.
    pub fn play_seconds(&self) -> GameTime {
        // Seconds in 32 bits are far below the longest time.
        let whole = GameTime::from_units(u64::from(self.play_clock) * GameTime::ONE.units());
        self.exact_play_clock.or(whole).unwrap_or(GameTime::MAX)
    }
}

/// What a player is told about the last step. All terms are in prefix notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Last {
    /// There was none.
    Nothing,
    /// What all roles did, in order.
    Joint(Shared<Vec<String>>),
    /// In GDL-II what the player itself did and saw (book 17.5).
    Percepts {
        /// How many steps were made.
        turn: u32,
        /// What the player did, as the referee has it; nothing before the first step.
        action: Option<String>,
        /// What it saw.
        percepts: Vec<String>,
    },
    /// In real time what happened, and when (rtGDL paper, section 4.1).
    InTime {
        /// The time since the start of the game, in play clocks.
        time: GameTime,
        /// What happened then.
        news: News,
    },
}

/// What a player of a game in real time is told. All terms are in prefix notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// That it is so late now. By this the game begins; who just sent a move learns that it was not legal.
    Nothing,
    /// What the roles did, in order; `None` for a role that did nothing. That is `NIL` in a message: a move of this
    /// name is not told apart from it.
    Moves(Shared<Vec<Option<String>>>),
    /// In rtGDL-II what the player itself did and saw.
    Percepts {
        /// How often the player was told something before, and this time.
        turn: u32,
        /// What it did just then, if it did something.
        action: Option<String>,
        /// What it saw; `None` where that is what it would have seen anyway.
        percepts: Option<Vec<String>>,
    },
}

/// What a player answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// Ready to play.
    Ready,
    /// At work for somebody else.
    Busy,
    /// There, with what it says about itself: pairs of name and value, terms in prefix notation.
    Available(Vec<(String, String)>),
    /// It has noted that the match is over.
    Done,
    /// It has noted that the match was aborted.
    Aborted,
    /// A move: a term in prefix notation.
    Move(String),
}
