//! Random games that were recorded state by state, and how the rules compare with them.

use std::collections::BTreeMap;

use ludex::game;
use ludex::logic::Budget;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use crate::failure;
use crate::game::Game;
use crate::records::Mismatch;
use crate::work;

/// Games recorded state by state. See `_ludex.pyi`.
#[pyclass(frozen, eq, module = "ludex")]
#[derive(PartialEq)]
pub(crate) struct Trace {
    inner: game::Trace,
    /// Whether the roles are in the order of the rules; others write them as they come.
    is_ordered: bool,
}

/// One state of a recorded game. See `_ludex.pyi`.
#[pyclass(frozen, get_all, eq, module = "ludex")]
#[derive(PartialEq)]
pub(crate) struct TraceStep {
    playout: u32,
    step: u32,
    facts: Vec<String>,
    terminal: bool,
    legal: BTreeMap<String, Vec<String>>,
    goals: BTreeMap<String, Option<u32>>,
    moves: Option<Vec<String>>,
}

impl From<&game::TraceStep> for TraceStep {
    fn from(step: &game::TraceStep) -> Self {
        Self {
            playout: step.playout,
            step: step.step,
            facts: step.state.clone(),
            terminal: step.terminal,
            legal: step.legals.0.iter().cloned().collect(),
            goals: step.goals.0.iter().cloned().collect(),
            moves: step.joint.clone(),
        }
    }
}

#[pymethods]
impl TraceStep {
    fn __repr__(&self) -> String {
        format!("<ludex.TraceStep {} of game {}>", self.step, self.playout)
    }
}

#[pymethods]
impl Trace {
    #[staticmethod]
    fn from_text(py: Python<'_>, text: &str) -> PyResult<Self> {
        let read = py.detach(|| {
            if text.trim_start().starts_with('<') {
                let read = game::Trace::read_dresden(text);
                return read
                    .map(|inner| Self { inner, is_ordered: false })
                    .map_err(|error| error.to_string());
            }
            let read = game::Trace::read(text.lines());
            read.map(|inner| Self { inner, is_ordered: true }).map_err(|error| error.to_string())
        });
        read.map_err(PyValueError::new_err)
    }

    /// One line of JSON for the game, and one for each state.
    fn text(&self) -> String {
        self.inner.lines().map(|line| line + "\n").collect()
    }

    #[getter]
    fn game(&self) -> &str {
        &self.inner.header.game
    }

    #[getter]
    fn roles(&self) -> Vec<String> {
        self.inner.header.roles.clone()
    }

    #[getter]
    fn sha256(&self) -> Option<&str> {
        self.inner.header.sha256.as_deref()
    }

    #[getter]
    fn playouts(&self) -> usize {
        self.inner.playouts()
    }

    /// What the rules do not bear out.
    fn verify(&self, py: Python<'_>, game: &Game) -> PyResult<Vec<Mismatch>> {
        let rules = &game.inner;
        let report = work::done(py, Budget::unlimited(), |budget| {
            if self.is_ordered {
                return rules.rules().within(budget).verify(&self.inner);
            }
            let terms = rules.signature().terms();
            let roles: Vec<String> =
                rules.signature().roles().iter().map(|&role| terms.prefix(role)).collect();
            let mut ordered = self.inner.clone();
            ordered.order_roles(&roles);
            rules.rules().within(budget).verify(&ordered)
        })?;
        let mismatches = report.mismatches.into_iter().map(|mismatch| Mismatch {
            playout: mismatch.playout,
            step: mismatch.step,
            what: mismatch.what.to_string(),
            expected: mismatch.expected,
            found: mismatch.found,
        });
        Ok(mismatches.collect())
    }

    fn __len__(&self) -> usize {
        self.inner.steps.len()
    }

    /// One without states is one, too.
    fn __bool__(&self) -> bool {
        true
    }

    fn __getitem__(&self, number: isize) -> PyResult<TraceStep> {
        let all = &self.inner.steps;
        let from_the_end = if number < 0 { all.len() } else { 0 };
        let place = from_the_end.checked_add_signed(number);
        let step = place.and_then(|place| all.get(place)).map(TraceStep::from);
        step.ok_or_else(|| PyIndexError::new_err("there is no such state"))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.inner.steps.iter().map(TraceStep::from).collect::<Vec<_>>())?.try_iter()
    }

    fn __repr__(&self) -> String {
        let (games, states) = (self.inner.playouts(), self.inner.steps.len());
        format!("<ludex.Trace of {}: {games} games, {states} states>", self.inner.header.game)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, bool))> {
        Ok((py.import("ludex")?.getattr("_trace_again")?, (self.text(), self.is_ordered)))
    }

    /// What was pickled.
    #[staticmethod]
    fn _again(text: &str, is_ordered: bool) -> PyResult<Self> {
        let inner = game::Trace::read(text.lines());
        Ok(Self { inner: inner.map_err(|error| PyValueError::new_err(error.to_string()))?, is_ordered })
    }
}

/// Plays random games and records them.
pub(crate) fn record(
    py: Python<'_>,
    game: &Game,
    (count, seed, step_limit): (u32, u64, u32),
) -> PyResult<Trace> {
    let recorded = work::done(py, Budget::unlimited(), |budget| {
        game.inner.rules().within(budget).record_playouts(count, seed, step_limit)
    })?;
    let inner = recorded.map_err(|error| failure::of_game(py, &error))?;
    Ok(Trace { inner, is_ordered: true })
}
