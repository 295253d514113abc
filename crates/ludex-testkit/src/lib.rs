//! What tests are made of: the corpus, oracles, random games, and one question put to all engines.
//!
//! For development only; no other crate depends on it.
#![forbid(unsafe_code)]

mod agree;
mod configuration;
pub mod corpus;
mod deviation;
mod forced_results;
pub mod fuzz;
mod games;
pub mod generate;
mod match_record;
pub mod oracle;
pub mod real_time;
mod reference;
mod rules;
mod top_down;
mod wall_clock;

pub use agree::{Agreement, Disagreement, agree, rename_trace};
pub use configuration::{Configuration, Transforms};
pub use deviation::deviation;
pub use forced_results::{
    ForcedResult, forced_result_game, forced_results, position_after, solved_positions,
};
pub use games::{
    bundled, bundled_rules, check_text, machine_of, net_machine, one_part_of, playable, playable_bundled,
    playable_file, program, program_of, rounds, rule_machine, seeds, small_games,
};
pub use match_record::{MatchTrace, read_dresden, read_match_json};
pub use reference::{Enumeration, ReferenceMachine, Semantics, oracle_machine};
pub use rules::{Expression, Rules};
pub use top_down::{TopDown, top_down_machine};
pub use wall_clock::{ThreadClock, WallClock, within};
