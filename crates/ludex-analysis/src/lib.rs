//! What can be found out about a game before it is played, and how to show it.
//!
//! [`Structure::find`] looks at the rules of a game and at a few random states for boards: facts
//! with two ordered coordinates and something that stands there. It goes by shape and never by the
//! names of relations; names only decide which way round a board is drawn and which letters stand
//! for its pieces. [`Structure::draw_text`] and [`Structure::draw_svg`] then draw any state of the
//! game.
//!
//! The other analyses ask a [`Subject`]: the rules with their faithful net. What they say is a
//! [`Finding`]: proved, refuted with a [`Witness`] that replays, or undecided within the budget. No
//! input or output, no clock, no randomness that the caller cannot repeat.
#![forbid(unsafe_code)]

pub mod answer_sets;
pub mod automorphism;
pub mod cases;
pub mod contingent;
pub mod coverage;
mod deep;
pub mod difference;
mod draw;
pub mod factoring;
mod finding;
pub mod fuzzy;
pub mod game_profile;
pub mod how_to_play;
pub mod knowledge;
pub mod latches;
pub mod mutation;
pub mod planning;
pub mod property;
pub mod role_knowledge;
pub mod rule_graph;
pub mod sameness;
mod structure;
mod subject;
pub mod symmetry;
pub mod well_formed;

pub use ludex_propnet::sat;

pub use deep::{check_deeply, deep_undecided};
pub use draw::{Meaning, NamedSpots, Picture, PictureStyle, SpotName, TextStyle};
pub use finding::{Finding, Reason, Witness};
pub use structure::{Board, BoardPlanes, BoardShape, Structure};
pub use subject::{Faithful, Subject, SubjectError};
