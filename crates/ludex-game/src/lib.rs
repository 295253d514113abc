//! Games as machines: states, moves and percepts over any engine.
//!
//! [`Machine`] and [`Runner`] mirror the subroutines of the book's section 4.2; [`TimedMachine`] and [`TimedRunner`]
//! stand beside them for games in real time. This crate does no input or output, reads no clock and draws random numbers only from an [`Rng`] it is given.
#![forbid(unsafe_code)]

mod batch;
mod belief;
mod courses;
mod environments;
mod error;
mod history;
pub mod incomplete;
mod machine;
mod perft;
mod rng;
mod rule_machine;
mod rules;
mod signature;
mod state;
mod state_table;
mod term_maker;
mod time_terms;
mod timed;
mod trace;
mod turns;

pub use batch::{
    AtLimit, Batch, BatchOptions, DecisiveMoves, Expansion, Guide, Jobs, MovesMade, Observation, OpenState,
    Outcomes, PlayoutFault, PlayoutRecord, Policy, RandomGuide, SampleOptions, Samples, Stakes, Start,
    Survivors, Tally, Wanted, one_by_one,
};
pub use belief::{Belief, BeliefError, BeliefOptions, Certain, Likelihood, Likely, MoveModel, News, Told};
pub use courses::{Claim, Condition, CourseAnswer, CourseSolver, KnownStep};
pub use environments::{
    Actions, BitRows, EnvironmentArrays, EnvironmentError, EnvironmentLayout, EnvironmentOptions,
    Environments, EnvironmentsOneByOne, Place,
};
pub use error::{Answer, GameError};
pub use history::History;
pub use machine::{Joint, Machine, Playout, Runner};
pub use perft::{JointMoves, PerftRow, perft, perft_from, perft_merging};
pub use rng::Rng;
pub use rule_machine::{RuleMachine, RuleMachineOptions};
pub use rules::{
    MoveError, Position, Rules, Successor, TextError, sha256, split_moves, split_outside, split_words,
};
pub use signature::{ActionId, Goal, PropositionId, RoleId, Signature};
pub use state::{MachineTag, State, StateError};
pub use state_table::{StateNumber, StateTable, Step};
pub use time_terms::{TimeBank, TimeTerms};
pub use timed::{
    DecisionMoments, Elapsed, LastUpdate, Moment, Pace, PausedTimeline, PendingMove, PlayoutStart,
    PlayoutState, TimedAnswer, TimedError, TimedEvent, TimedMachine, TimedPerftRow, TimedPlayout,
    TimedPlayoutOptions, TimedRuleMachine, TimedRuleMachineOptions, TimedRules, TimedRunner, TimedState,
    TimedUpdate, Timeline, TimelineOptions, UpdateLimit, check_update, longest_delay, run_playout,
    timed_given, timed_perft, timed_playout, with_passing_time,
};
#[cfg(feature = "xml")]
pub use trace::DresdenError;
pub use trace::{
    ByRole, Mismatch, Playthrough, Question, TermTextError, Trace, TraceError, TraceHeader, TraceStep,
    VerifyReport, find_term, playthrough, read_term, read_terms, record_playouts, verify, verify_waiting,
};
pub use turns::{Mover, Turns};
