//! Why there is no game, no term, no step.

use ludex_engine::NetMachineError;
use ludex_game::GameError;
use ludex_gdl::{Checked, Diagnostic, Severity, report};

/// Why a rulesheet did not become a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The text could not be read.
    #[error("{name}: {cause}")]
    Read {
        /// What was to be read.
        name: String,
        /// Why it could not.
        cause: std::io::Error,
    },
    /// No game of this name comes with Ludex.
    #[error("no game named `{name}` comes with Ludex")]
    NotBundled {
        /// The name.
        name: String,
    },
    /// The rulesheet has errors. Everything found out about it is there, so that a caller can show
    /// the findings, or waive some of them ([`ludex_gdl::LoadOptions::set_level`]).
    #[error("{}", errors(.0))]
    Rejected(Box<Checked>),
    /// The rules cannot be run, or not within the budget.
    #[error("{name}: {cause}")]
    Machine {
        /// The game.
        name: String,
        /// Why.
        cause: GameError,
    },
    /// The engine that was asked for needs a net, and there is none within the budget.
    #[error("{name}: {cause}")]
    Net {
        /// The game.
        name: String,
        /// Why.
        cause: Box<NetMachineError>,
    },
}

/// The errors among the findings, drawn under the text.
fn errors(checked: &Checked) -> String {
    let is_error = |d: &&Diagnostic| d.severity == Severity::Error;
    let errors: Vec<Diagnostic> = checked.diagnostics.iter().filter(is_error).cloned().collect();
    report::plain(&checked.rulesheet.source, &errors).trim_end().to_owned()
}
