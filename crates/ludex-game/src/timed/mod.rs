//! Games in real time (rtGDL; J. Kowalski, A. Kisielewicz: *Game Description Language for Real-time Games*).
//!
//! A state is a set of facts with lifetimes. It stays as it is until an *event*: somebody moves, or a lifetime is over.
//! Then there is an *update*: the lifetimes are shortened by the time since the last one, what is over has expired,
//! and `next` is derived (Definition 1 of the paper). A [`TimedMachine`] is the rules, a [`TimedRunner`] makes updates,
//! and a [`Timeline`] lets time pass and says when they come; a [`Moment`] is one without its history, for those who look
//! ahead, and [`timed_playout`] plays random games. Time is exact ([`GameTime`](ludex_gdl::GameTime)): nobody here reads a
//! clock.

mod error;
mod given;
mod machine;
mod moment;
mod pace;
mod perft;
mod playout;
mod program;
mod rule_machine;
mod rule_place;
mod rules;
mod runner;
mod state;
mod stepwise;
mod timeline;

pub use error::{TimedAnswer, TimedError, UpdateLimit};
pub use given::timed_given;
pub use machine::{TimedMachine, TimedRunner, check_update};
pub use moment::{Moment, longest_delay};
pub use pace::{DecisionMoments, Pace};
pub use perft::{TimedPerftRow, timed_perft};
pub use playout::{
    PlayoutStart, PlayoutState, TimedPlayout, TimedPlayoutOptions, run_playout, timed_playout,
};
pub use program::with_passing_time;
pub use rule_machine::{TimedRuleMachine, TimedRuleMachineOptions};
pub use rules::TimedRules;
pub use state::{Elapsed, TimedState};
pub use timeline::{
    LastUpdate, PausedTimeline, PendingMove, TimedEvent, TimedUpdate, Timeline, TimelineOptions,
};
