//! `ludex._ludex`: what the Python package `ludex` takes from the Rust libraries. What Python shows of it has its words in
//! `python/ludex/_ludex.pyi`.

mod analysis;
mod belief;
mod failure;
mod game;
mod guests;
mod matches;
mod players;
mod playouts;
mod position;
mod progress;
mod records;
mod runner;
mod sentences;
mod timed;
mod timeline;
mod tournaments;
mod traces;
mod vector;
mod work;

use pyo3::prelude::*;

/// The module that the package imports.
#[pymodule]
mod _ludex {
    #[pymodule_export]
    use crate::belief::Belief;
    #[pymodule_export]
    use crate::game::{Game, check, games};
    #[pymodule_export]
    use crate::players::{Player, RatedMove, Strategy, Thought, strategies};
    #[pymodule_export]
    use crate::playouts::{PerftRow, Playouts};
    #[pymodule_export]
    use crate::position::Position;
    #[pymodule_export]
    use crate::records::{MatchRecord, Mismatch};
    #[pymodule_export]
    use crate::runner::Runner;
    #[pymodule_export]
    use crate::sentences::{SentenceAnswer, SentenceGame, sentence_games};
    #[pymodule_export]
    use crate::timed::{TimedGame, TimedRecord, timed_games};
    #[pymodule_export]
    use crate::timeline::Timeline;
    #[pymodule_export]
    use crate::tournaments::Tournament;
    #[pymodule_export]
    use crate::traces::{Trace, TraceStep};
    #[pymodule_export]
    use crate::vector::Environments;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
