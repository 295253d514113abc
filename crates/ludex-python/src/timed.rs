//! Games in real time.

use std::path::PathBuf;
use std::sync::Arc;

use ludex::game::TimedRules;
use ludex::gdl::{GameTime, LoadOptions, Source, load};
use ludex::logic::Budget;
use ludex::{
    Engine, LoadError, TableError, TimedLoadError, library, record_timed_playouts, timed_rules,
    verify_timed_match,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure;
use crate::game::{read_file, within};
use crate::records::Mismatch;
use crate::timeline::Timeline;
use crate::work;

/// The names of the games that come with the package and go on in real time.
#[pyfunction]
pub(crate) fn timed_games() -> Vec<&'static str> {
    let timed = library::all().iter().filter(|game| game.dialect.is_timed());
    let mut names: Vec<&str> = timed.map(|game| game.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A game in real time. See `_ludex.pyi`.
#[pyclass(frozen, from_py_object, module = "ludex")]
#[derive(Clone)]
pub(crate) struct TimedGame {
    pub(crate) inner: TimedRules,
    /// The engine that was asked for.
    engine: String,
}

#[pymethods]
impl TimedGame {
    #[new]
    #[pyo3(signature = (name, *, engine = "auto", time = None))]
    fn new(py: Python<'_>, name: &str, engine: &str, time: Option<f64>) -> PyResult<Self> {
        let found = library::all().iter().find(|game| game.name == name && game.dialect.is_timed());
        let unknown = || failure::unknown(py, format!("there is no game in real time named `{name}`"));
        let found = found.ok_or_else(unknown)?;
        Self::made(py, found.file, found.text, engine, time)
    }

    #[staticmethod]
    #[pyo3(signature = (text, *, name = "rules", engine = "auto", time = None))]
    fn from_text(py: Python<'_>, text: &str, name: &str, engine: &str, time: Option<f64>) -> PyResult<Self> {
        Self::made(py, name, text, engine, time)
    }

    #[staticmethod]
    #[pyo3(signature = (path, *, engine = "auto", time = None))]
    fn from_file(py: Python<'_>, path: PathBuf, engine: &str, time: Option<f64>) -> PyResult<Self> {
        let text = read_file(py, &path)?;
        Self::made(py, &path.display().to_string(), &text, engine, time)
    }

    #[getter]
    fn name(&self) -> &str {
        self.inner.short_name()
    }

    #[getter]
    pub(crate) fn roles(&self) -> Vec<String> {
        let machine = self.inner.machine();
        machine.roles().iter().map(|&role| machine.text(role)).collect()
    }

    #[getter]
    fn seats(&self) -> Vec<String> {
        let roles = self.roles();
        self.inner.seats().into_iter().filter_map(|role| roles.get(role.index()).cloned()).collect()
    }

    #[getter]
    fn dialect(&self) -> String {
        self.inner.dialect().to_string()
    }

    #[getter]
    fn engine(&self) -> &str {
        self.inner.engine_name()
    }

    #[getter]
    fn sha256(&self) -> &str {
        self.inner.sha256()
    }

    #[getter]
    fn text(&self) -> &str {
        self.inner.rulesheet().source.text()
    }

    #[pyo3(signature = (*, seed = 1))]
    fn start(&self, py: Python<'_>, seed: u64) -> PyResult<Timeline> {
        Timeline::begun(py, self, seed)
    }

    #[pyo3(signature = (count, *, seed = 1, longest = None))]
    fn record_playouts(
        &self,
        py: Python<'_>,
        count: u32,
        seed: u64,
        longest: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<TimedRecord>> {
        let longest = longest.map_or_else(|| parse_time(LONGEST), read_time)?;
        let recorded = work::done(py, Budget::unlimited(), |budget| {
            record_timed_playouts(&self.inner.within(budget), count, seed, longest)
        })?;
        let recorded = recorded.map_err(|error| match error {
            TableError::Timed(error) => failure::of_timed(py, &error),
            TableError::Game(error) => failure::of_game(py, &error),
            error => failure::other(py, error.to_string()),
        })?;
        Ok(recorded.into_iter().map(|inner| TimedRecord { inner }).collect())
    }

    fn __repr__(&self) -> String {
        format!("<ludex.TimedGame {} ({}, {})>", self.name(), self.dialect(), self.roles().join(", "))
    }

    /// Games are the same where their rules are, letter by letter.
    fn __eq__(&self, other: &Self) -> bool {
        self.inner.sha256() == other.inner.sha256()
    }

    fn __hash__(&self) -> isize {
        // The first digits of the digest are as good as any.
        let digits = self.inner.sha256().get(..15).unwrap_or_default();
        isize::from_str_radix(digits, 16).unwrap_or_default()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String, String))> {
        let again = py.import("ludex")?.getattr("_timed_game_again")?;
        let name = self.inner.rulesheet().source.name().to_owned();
        Ok((again, (self.text().to_owned(), name, self.engine.clone())))
    }
}

/// A random game ends after so long where nothing else is said.
const LONGEST: &str = "1000";

impl TimedGame {
    fn made(py: Python<'_>, name: &str, text: &str, engine: &str, time: Option<f64>) -> PyResult<Self> {
        let chosen: Engine =
            engine.parse().map_err(|error: ludex::UnknownEngine| failure::unknown(py, error.to_string()))?;
        let source = Arc::new(Source::new(name, text));
        let made = work::done(py, within(time)?, |budget| {
            let checked = load(source, &LoadOptions::default());
            if !checked.has_errors() && !checked.dialect.is_timed() {
                return Err(Unmade::InSteps(checked.dialect.to_string()));
            }
            timed_rules(checked, chosen, &Budget::unlimited(), &budget).map_err(Unmade::Timed)
        })?;
        match made {
            Ok(inner) => Ok(Self { inner, engine: engine.to_owned() }),
            Err(Unmade::InSteps(dialect)) => {
                Err(PyValueError::new_err(format!("this is {dialect}, which goes in steps: it is a `Game`")))
            }
            Err(Unmade::Timed(TimedLoadError::Rejected(checked))) => {
                Err(failure::of_load(py, &LoadError::Rejected(checked)))
            }
            Err(Unmade::Timed(TimedLoadError::Machine(error))) => Err(failure::of_timed(py, &error)),
            Err(Unmade::Timed(error)) => Err(failure::other(py, error.to_string())),
        }
    }
}

/// Why there is no game.
enum Unmade {
    /// It is in this language, where nothing happens by itself.
    InSteps(String),
    Timed(TimedLoadError),
}

/// A time from Python: a number, a decimal, or the text of one.
pub(crate) fn read_time(value: &Bound<'_, PyAny>) -> PyResult<GameTime> {
    let text = match value.extract::<f64>() {
        // Numbers with a point are never exact; nine digits behind it are all that there are.
        Ok(number) if value.is_instance_of::<pyo3::types::PyFloat>() => format!("{number:.9}"),
        _ => value.str()?.to_cow()?.into_owned(),
    };
    parse_time(&text)
}

fn parse_time(text: &str) -> PyResult<GameTime> {
    GameTime::parse(text).map_err(|error| PyValueError::new_err(format!("`{text}` {error}: it is no time")))
}

/// A time for Python: a `decimal.Decimal`, since these are exact.
pub(crate) fn decimal<'py>(py: Python<'py>, time: GameTime) -> PyResult<Bound<'py, PyAny>> {
    py.import("decimal")?.getattr("Decimal")?.call1((time.to_string(),))
}

/// A game in real time that was recorded. See `_ludex.pyi`.
#[pyclass(frozen, eq, module = "ludex")]
#[derive(PartialEq)]
pub(crate) struct TimedRecord {
    inner: ludex::TimedRecord,
}

#[pymethods]
impl TimedRecord {
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let inner =
            ludex::TimedRecord::read(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        match inner.contradiction() {
            Some(contradiction) => Err(PyValueError::new_err(contradiction.to_string())),
            None => Ok(Self { inner }),
        }
    }

    fn json(&self) -> String {
        self.inner.write()
    }

    #[getter]
    fn roles(&self) -> Vec<String> {
        self.inner.roles.clone()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        decimal(py, self.inner.time)
    }

    #[getter]
    fn is_completed(&self) -> bool {
        self.inner.is_completed
    }

    #[getter]
    fn goals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let goals = PyDict::new(py);
        for (number, role) in self.inner.roles.iter().enumerate() {
            let goal = self.inner.goal_values.as_ref().and_then(|goals| goals.get(number).copied().flatten());
            goals.set_item(role, goal)?;
        }
        Ok(goals)
    }

    /// What happened.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let roles = &self.inner.roles;
        self.inner.events.iter().map(|event| event_object(py, roles, event)).collect()
    }

    fn verify(&self, py: Python<'_>, game: &TimedGame) -> PyResult<Vec<Mismatch>> {
        let report = work::done(py, Budget::unlimited(), |budget| {
            verify_timed_match(&game.inner.within(budget), &self.inner)
        })?;
        Ok(report.mismatches.into_iter().map(Mismatch::from).collect())
    }

    fn __len__(&self) -> usize {
        self.inner.events.len()
    }

    /// One in which nothing happens is one, too.
    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self) -> String {
        let (game, events, time) = (&self.inner.game_name, self.inner.events.len(), self.inner.time);
        format!("<ludex.TimedRecord of {game}, {events} events until {time}>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.import("ludex")?.getattr("_timed_record_again")?, (self.json(),)))
    }
}

/// Something that happened, as `ludex.timed.TimedEvent`.
pub(crate) fn event_object<'py>(
    py: Python<'py>,
    roles: &[String],
    event: &ludex::matches::TimedRecordEvent,
) -> PyResult<Bound<'py, PyAny>> {
    let (moves, told) = (PyDict::new(py), PyDict::new(py));
    for (role, action) in roles.iter().zip(&event.moves) {
        if let Some(action) = action {
            moves.set_item(role, action)?;
        }
    }
    for (role, percepts) in roles.iter().zip(&event.told) {
        if let Some(percepts) = percepts {
            told.set_item(role, percepts)?;
        }
    }
    let fields = PyDict::new(py);
    fields.set_item("time", decimal(py, event.time)?)?;
    fields.set_item("moves", moves)?;
    fields.set_item("expired", &event.expired)?;
    fields.set_item("told", told)?;
    fields.set_item("wasted", &event.wasted)?;
    py.import("ludex.timed")?.getattr("TimedEvent")?.call((), Some(&fields))
}
