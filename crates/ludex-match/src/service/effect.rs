//! What a player service wants done.

use std::sync::Arc;

use ludex_game::TimeTerms;
use ludex_gdl::{GameTime, Notation};

use super::event::{CallNumber, JobNumber, TableNumber};
use super::remark::Remark;
use crate::message::{Last, News, Shared, StartMessage};
use crate::referee::Moment;

/// How a match ends for a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The manager says so: what happened last.
    Stopped(Last),
    /// The manager aborted it.
    Aborted,
    /// Nothing was heard for too long, or the service itself ends.
    Left,
}

/// What a player service wants done, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// A message was understood: a line about it, for logs.
    Heard {
        /// Which message.
        call: CallNumber,
        /// The message with its rules left out.
        summary: String,
    },
    /// Answer a message.
    Answer {
        /// Which message.
        call: CallNumber,
        /// The body of the answer.
        text: String,
    },
    /// Say that a message cannot be understood.
    Refuse {
        /// Which message.
        call: CallNumber,
        /// Why, in a few words.
        cause: String,
    },
    /// Load rules, seat a player and let it get ready; say when it is [prepared](super::Event::Prepared).
    Prepare {
        /// The match.
        table: TableNumber,
        /// What to call this.
        job: JobNumber,
        /// Rules, role and clocks.
        start: Arc<StartMessage>,
        /// The notation of the rules.
        notation: Notation,
        /// When the player should be ready.
        until: Moment,
    },
    /// Load rules that may be played later on, and say when that is done.
    Preview {
        /// What to call this.
        job: JobNumber,
        /// The rulesheet.
        rules: Shared<String>,
        /// The notation of the rules.
        notation: Notation,
        /// When looking at them ends.
        until: Moment,
    },
    /// Tell the player what happened and let it choose a move. Jobs of a table are done in order.
    Think {
        /// The match.
        table: TableNumber,
        /// What to call this.
        job: JobNumber,
        /// What the manager says happened.
        last: Last,
        /// What was answered last, in prefix notation.
        answered: Option<String>,
        /// Whether that answer is known not to have arrived.
        undelivered: bool,
        /// What time is worth: what is left for this move and all others, and what it costs.
        time: TimeTerms,
        /// When a move is needed.
        until: Moment,
    },
    /// Tell the player of a game in real time what happened. When it moves is up to it: say so then
    /// ([`Moved`](super::Event::Moved)).
    Tell {
        /// The match.
        table: TableNumber,
        /// When it happened, in play clocks since the start of the game.
        time: GameTime,
        /// What the manager says happened.
        news: News,
        /// When the first byte of the message came.
        since: Moment,
    },
    /// The result of a job is not waited for any more. Rules that are being loaded are loaded nevertheless.
    CallOff(JobNumber),
    /// A match is over for the player: it can be forgotten after its other jobs.
    Dismiss {
        /// The match.
        table: TableNumber,
        /// What was answered last, in prefix notation.
        answered: Option<String>,
        /// How it ended.
        ending: Ending,
    },
    /// Something that whoever runs the service should know.
    Remark(Remark),
}
