//! Search in games of one player: a portfolio of ways to find a plan, and the playing of plans.

mod adapt;
mod best_first;
mod breadth;
mod cover;
mod dive;
mod method;
mod nearest;
mod portfolio;
mod sample;
mod search;
mod space;

pub(crate) use search::PuzzleOptions;
pub use search::PuzzleSearch;
