//! Errors of the libraries as exceptions of the package, which Python code defines (`python/ludex/errors.py`).

use ludex::game::{EnvironmentError, GameError, TimedError};
use ludex::gdl::{Diagnostic, Source};
use ludex::players::BeliefError;
use ludex::{LoadError, MoveError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// An exception of the package by its name.
fn exception(py: Python<'_>, name: &str, message: String) -> PyErr {
    match class(py, name).and_then(|class| class.call1((message,))) {
        Ok(raised) => PyErr::from_value(raised),
        Err(error) => error,
    }
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("ludex.errors")?.getattr(name)
}

/// A limit, or something that cannot be.
pub(crate) fn of_game(py: Python<'_>, error: &GameError) -> PyErr {
    let name = match error {
        GameError::Limit(_) => "LimitError",
        GameError::IllegalMove { .. }
        | GameError::UnknownAction { .. }
        | GameError::Over
        | GameError::MoveCount { .. } => "MoveError",
        _ => "LudexError",
    };
    exception(py, name, error.to_string())
}

/// What environments cannot do.
pub(crate) fn of_environments(py: Python<'_>, error: &EnvironmentError) -> PyErr {
    match error {
        EnvironmentError::Game(error) => of_game(py, error),
        EnvironmentError::Action { .. } => exception(py, "MoveError", error.to_string()),
        EnvironmentError::Shape { .. } => PyValueError::new_err(error.to_string()),
        _ => exception(py, "LudexError", error.to_string()),
    }
}

/// What cannot be in real time.
pub(crate) fn of_timed(py: Python<'_>, error: &TimedError) -> PyErr {
    let name = match error {
        TimedError::Game(error) => return of_game(py, error),
        TimedError::Past { .. } => return PyValueError::new_err(error.to_string()),
        TimedError::Text(_)
        | TimedError::NoEvent
        | TimedError::TwoMoves { .. }
        | TimedError::OfChance { .. } => "MoveError",
        TimedError::TooManyUpdates { .. } | TimedError::TooLate => "LimitError",
        _ => "LudexError",
    };
    exception(py, name, error.to_string())
}

/// A move that cannot be made.
pub(crate) fn of_move(py: Python<'_>, error: &MoveError) -> PyErr {
    match error {
        MoveError::Game(error) => of_game(py, error),
        error => exception(py, "MoveError", error.to_string()),
    }
}

/// A move that cannot be made, in words.
pub(crate) fn move_error(py: Python<'_>, why: String) -> PyErr {
    exception(py, "MoveError", why)
}

/// Something else that cannot be done.
pub(crate) fn other(py: Python<'_>, why: String) -> PyErr {
    exception(py, "LudexError", why)
}

/// Why a role does not know where it is.
pub(crate) fn of_belief(py: Python<'_>, error: &BeliefError) -> PyErr {
    match error {
        BeliefError::Game(error) => of_game(py, error),
        error => other(py, error.to_string()),
    }
}

/// A limit, in words.
pub(crate) fn limit(py: Python<'_>, why: String) -> PyErr {
    exception(py, "LimitError", why)
}

/// Something that is asked for and not there.
pub(crate) fn unknown(py: Python<'_>, what: String) -> PyErr {
    exception(py, "UnknownNameError", what)
}

/// Why there is no game.
pub(crate) fn of_load(py: Python<'_>, error: &LoadError) -> PyErr {
    match error {
        LoadError::Rejected(checked) => {
            let findings = findings(py, &checked.rulesheet.source, &checked.diagnostics);
            let raised =
                findings.and_then(|findings| class(py, "RulesError")?.call1((error.to_string(), findings)));
            raised.map_or_else(|error| error, PyErr::from_value)
        }
        LoadError::NotBundled { .. } => unknown(py, error.to_string()),
        LoadError::Machine { cause: GameError::Limit(_), .. } => {
            exception(py, "LimitError", error.to_string())
        }
        _ => exception(py, "LudexError", error.to_string()),
    }
}

/// What the checks say of a rulesheet, as `ludex.Finding`.
pub(crate) fn findings<'py>(
    py: Python<'py>,
    source: &Source,
    found: &[Diagnostic],
) -> PyResult<Bound<'py, PyTuple>> {
    let class = class(py, "Finding")?;
    let finding = |one: &Diagnostic| {
        let (start, end) = (source.position(one.span.start as usize), source.position(one.span.end as usize));
        let fields = PyDict::new(py);
        fields.set_item("code", one.code.to_string())?;
        fields.set_item("severity", one.severity.to_string())?;
        fields.set_item("message", &one.message)?;
        fields.set_item("line", start.line)?;
        fields.set_item("column", start.column)?;
        fields.set_item("end_line", end.line)?;
        fields.set_item("end_column", end.column)?;
        fields.set_item("hint", one.hint.as_deref())?;
        class.call((), Some(&fields))
    };
    PyTuple::new(py, found.iter().map(finding).collect::<PyResult<Vec<_>>>()?)
}
