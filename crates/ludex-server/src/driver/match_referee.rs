//! Referees as a driver sees them.

use ludex::matches::referee::real_time::{TimedEntry, TimedReferee};
use ludex::matches::referee::{Effect, Entry, Event, Moment, Referee};

use crate::clock::unix_milliseconds;

/// A referee that a driver can run: of a game in steps, or in real time.
pub trait MatchReferee: Send + 'static {
    /// What it writes.
    type Entry: serde::Serialize + Send;

    /// The name of the match.
    fn match_id(&self) -> &str;

    /// The SHA-256 of the rulesheet, in hexadecimal.
    fn rules_sha256(&self) -> &str;

    /// Says that it is now, by the clock on the wall, too.
    fn set_time(&mut self, now: Moment);

    /// Takes note of what happened, and says what is to be done.
    fn on(&mut self, now: Moment, event: Event, out: &mut Vec<Effect<Self::Entry>>);
}

impl MatchReferee for Referee {
    type Entry = Entry;

    fn match_id(&self) -> &str {
        &self.setup().id
    }

    fn rules_sha256(&self) -> &str {
        self.course().rules().sha256()
    }

    fn set_time(&mut self, now: Moment) {
        self.set_wall_clock(now, unix_milliseconds());
    }

    fn on(&mut self, now: Moment, event: Event, out: &mut Vec<Effect>) {
        Referee::on(self, now, event, out);
    }
}

impl MatchReferee for TimedReferee {
    type Entry = TimedEntry;

    fn match_id(&self) -> &str {
        &self.setup().id
    }

    fn rules_sha256(&self) -> &str {
        self.course().rules().sha256()
    }

    /// Its times are those of the game.
    fn set_time(&mut self, _: Moment) {}

    fn on(&mut self, now: Moment, event: Event, out: &mut Vec<Effect<TimedEntry>>) {
        TimedReferee::on(self, now, event, out);
    }
}
