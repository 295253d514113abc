//! General game playing: the face of the Ludex libraries.
#![forbid(unsafe_code)]

pub mod library;

pub use ludex_analysis as analysis;
pub use ludex_game as game;
pub use ludex_gdl as gdl;
pub use ludex_logic as logic;
