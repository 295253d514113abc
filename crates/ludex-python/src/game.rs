//! Games.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ludex::analysis::BoardPlanes;
use ludex::game::Start;
use ludex::gdl::{LoadOptions, Source, load};
use ludex::logic::Budget;
use ludex::{Engine, GameOptions, PlayoutOptions, SystemClock, library};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::analysis;
use crate::failure;
use crate::matches::{self, Terms};
use crate::playouts::{PerftRow, Playouts};
use crate::position::Position;
use crate::records::MatchRecord;
use crate::traces::{self, Trace};
use crate::{vector, work};

/// As many games are told one by one: about 1 GiB.
const MOST_RECORDS: u32 = 10_000_000;

/// A game that can be run. See `_ludex.pyi`.
#[pyclass(frozen, from_py_object, module = "ludex")]
#[derive(Clone)]
pub(crate) struct Game {
    pub(crate) inner: ludex::Game,
    /// The engine that was asked for.
    pub(crate) engine: String,
}

/// The names of the games that come with the package and go in steps.
#[pyfunction]
pub(crate) fn games() -> Vec<&'static str> {
    let mut names: Vec<&str> = library::stepwise().filter(|game| game.runs()).map(|game| game.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What the checks say of a text.
#[pyfunction]
#[pyo3(signature = (text, *, name = "rules"))]
pub(crate) fn check<'py>(py: Python<'py>, text: &str, name: &str) -> PyResult<Bound<'py, PyTuple>> {
    let checked = py.detach(|| load(Arc::new(Source::new(name, text)), &LoadOptions::default()));
    failure::findings(py, &checked.rulesheet.source, &checked.diagnostics)
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (name, *, engine = "auto", time = None))]
    fn new(py: Python<'_>, name: &str, engine: &str, time: Option<f64>) -> PyResult<Self> {
        Self::made(py, engine, time, |options| ludex::Game::bundled(name, options))
    }

    #[staticmethod]
    #[pyo3(signature = (text, *, name = "rules", engine = "auto", time = None))]
    fn from_text(py: Python<'_>, text: &str, name: &str, engine: &str, time: Option<f64>) -> PyResult<Self> {
        Self::made(py, engine, time, |options| ludex::Game::parse(name, text, options))
    }

    #[staticmethod]
    #[pyo3(signature = (path, *, engine = "auto", time = None))]
    fn from_file(py: Python<'_>, path: PathBuf, engine: &str, time: Option<f64>) -> PyResult<Self> {
        let text = read_file(py, &path)?;
        let name = path.display().to_string();
        Self::made(py, engine, time, |options| ludex::Game::parse(&name, &text, options))
    }

    #[getter]
    fn name(&self) -> &str {
        self.inner.short_name()
    }

    #[getter]
    fn roles(&self) -> Vec<String> {
        self.inner.role_names()
    }

    #[getter]
    fn seats(&self) -> Vec<String> {
        self.inner.seats().into_iter().map(|role| self.inner.role_name(role)).collect()
    }

    /// The role that moves at random, if there is one.
    #[getter]
    fn random(&self) -> Option<String> {
        self.inner.random_role().map(|role| self.inner.role_name(role))
    }

    /// All moves that anybody can have, in canonical order.
    #[getter]
    fn actions(&self) -> Vec<String> {
        let signature = self.inner.signature();
        let known = signature.actions().into_iter().take(signature.known_actions());
        known.map(|term| self.inner.text(term)).collect()
    }

    /// All facts that a state can have, in canonical order.
    #[getter]
    fn propositions(&self) -> Vec<String> {
        let signature = self.inner.signature();
        let known = signature.propositions().into_iter().take(signature.known_propositions());
        known.map(|term| self.inner.text(term)).collect()
    }

    /// All that any player can see in a step, in canonical order.
    #[getter]
    fn percepts(&self) -> Vec<String> {
        self.inner.texts(&vector::percepts(&self.inner))
    }

    /// The main board as planes: its rows and columns, what the planes are of, and numbers of propositions, -1 for none.
    fn board_planes(&self, py: Python<'_>) -> Option<(usize, usize, Vec<String>, Vec<i64>)> {
        let found = py.detach(|| {
            let signature = self.inner.signature();
            let facts = signature.propositions();
            let planes = self.inner.structure().board_planes(&facts[..signature.known_propositions()])?;
            let number = |fact: Option<_>| fact.and_then(|fact| signature.find_proposition(fact));
            let numbers: Vec<Option<_>> = planes.facts.iter().map(|&fact| number(fact)).collect();
            Some((planes, numbers))
        });
        let (BoardPlanes { rows, columns, names, .. }, numbers) = found?;
        let numbers = numbers.into_iter().map(|number| number.map_or(-1, |number| i64::from(number.0)));
        Some((rows, columns, names, numbers.collect()))
    }

    #[getter]
    fn takes_turns(&self, py: Python<'_>) -> PyResult<bool> {
        let turns = py.detach(|| self.inner.turns().map(|turns| turns.are_taken));
        turns.map_err(|error| failure::of_game(py, &error))
    }

    #[getter]
    fn dialect(&self) -> String {
        self.inner.dialect().to_string()
    }

    #[getter]
    fn engine(&self) -> &str {
        self.inner.engine().name()
    }

    #[getter]
    fn sha256(&self) -> &str {
        self.inner.sha256()
    }

    #[getter]
    fn text(&self) -> &str {
        self.inner.source().text()
    }

    #[getter]
    fn has_perfect_information(&self) -> bool {
        self.inner.has_perfect_information()
    }

    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        failure::findings(py, self.inner.source(), self.inner.diagnostics())
    }

    /// The initial position.
    fn start(&self) -> Position {
        Position::new(self.inner.clone(), self.engine.clone(), self.inner.start())
    }

    #[pyo3(name = "match", signature = (players, *, seed = 1, start_clock = None, play_clock = None, step_limit = 10_000,
        name = None, ponder = false, strict = true, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn play_match(
        &self,
        py: Python<'_>,
        players: &Bound<'_, PyAny>,
        seed: u64,
        start_clock: Option<f64>,
        play_clock: Option<f64>,
        step_limit: u32,
        name: Option<String>,
        ponder: bool,
        strict: bool,
        progress: bool,
    ) -> PyResult<MatchRecord> {
        let terms = Terms { seed, start_clock, play_clock, step_limit, name, ponder, strict, progress };
        matches::play(py, self, players, terms)
    }

    #[pyo3(signature = (*, time = 60.0, threads = 1, seed = 1))]
    fn analysis<'py>(
        &self,
        py: Python<'py>,
        time: f64,
        threads: usize,
        seed: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        analysis::analysis(py, &self.inner, (time, threads, seed))
    }

    #[pyo3(signature = (*, time = 10.0, seed = 1))]
    fn how_to_play(&self, py: Python<'_>, time: f64, seed: u64) -> PyResult<String> {
        analysis::how_to_play(py, &self.inner, time, seed)
    }

    #[pyo3(signature = (position = None, *, opponents = "paranoid", time = None, memory = 1_073_741_824))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        position: Option<&Position>,
        opponents: &str,
        time: Option<f64>,
        memory: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        if position.is_some_and(|position| !position.is_of(&self.inner)) {
            return Err(PyValueError::new_err("the position is one of another game"));
        }
        let state = position.map_or_else(|| self.inner.initial().clone(), Position::state);
        analysis::solution(py, &self.inner, &state, (opponents, time, memory))
    }

    #[pyo3(signature = (count, *, seed = 1, step_limit = 10_000))]
    fn record_playouts(&self, py: Python<'_>, count: u32, seed: u64, step_limit: u32) -> PyResult<Trace> {
        traces::record(py, self, (count, seed, step_limit))
    }

    /// A position that holds these facts.
    fn position(&self, py: Python<'_>, facts: Vec<String>) -> PyResult<Position> {
        let terms = facts.iter().map(|fact| self.inner.read_term(fact)).collect::<Result<Vec<_>, _>>();
        let terms = terms.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let state = self.inner.state_of(&terms).map_err(|error| match error {
            error @ ludex::game::GameError::Limit(_) => failure::of_game(py, &error),
            error => PyValueError::new_err(error.to_string()),
        })?;
        let place = ludex::Position::starting_in(self.inner.rules().clone(), state);
        Ok(Position::new(self.inner.clone(), self.engine.clone(), place))
    }

    #[pyo3(signature = (count, *, seed = 1, threads = 1, step_limit = 10_000, position = None, records = false))]
    #[expect(clippy::too_many_arguments, reason = "each is an argument by name")]
    fn playouts(
        &self,
        py: Python<'_>,
        count: u32,
        seed: u64,
        threads: usize,
        step_limit: u32,
        position: Option<&Position>,
        records: bool,
    ) -> PyResult<Playouts> {
        if position.is_some_and(|position| !position.is_of(&self.inner)) {
            return Err(PyValueError::new_err("the position is one of another game"));
        }
        if records && count > MOST_RECORDS {
            let why = format!("{count} records are too many at once: no more than {MOST_RECORDS}");
            return Err(failure::limit(py, why));
        }
        let state = position.map_or_else(|| self.inner.initial().clone(), Position::state);
        let start = [Start { state, playouts: count }];
        let played = work::done(py, Budget::unlimited(), |budget| {
            let options = PlayoutOptions { seed, threads, step_limit, records, budget };
            self.inner.playouts(&start, &options)
        })?;
        let mut outcomes = played.map_err(|error| failure::of_game(py, &error))?;
        let records = records.then_some(outcomes.records);
        Ok(Playouts::of(self.inner.role_names(), outcomes.tallies.pop().unwrap_or_default(), records))
    }

    #[pyo3(signature = (depth, *, time = None))]
    fn perft(&self, py: Python<'_>, depth: u32, time: Option<f64>) -> PyResult<Vec<PerftRow>> {
        let rows = work::done(py, within(time)?, |budget| self.inner.perft(depth, &budget))?;
        Ok(rows.map_err(|error| failure::of_game(py, &error))?.into_iter().map(PerftRow::from).collect())
    }

    fn __repr__(&self) -> String {
        format!("<ludex.Game {} ({}, {})>", self.name(), self.dialect(), self.roles().join(", "))
    }

    /// Games are the same where their rules are, letter by letter, and the engine: numbers of actions belong to both.
    fn __eq__(&self, other: &Self) -> bool {
        self.inner.sha256() == other.inner.sha256() && self.inner.engine() == other.inner.engine()
    }

    /// It never changes.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.inner.sha256(), self.inner.engine()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String, String))> {
        let again = py.import("ludex")?.getattr("_game_again")?;
        Ok((again, (self.text().to_owned(), self.inner.name().to_owned(), self.engine.clone())))
    }
}

impl Game {
    fn made(
        py: Python<'_>,
        engine: &str,
        time: Option<f64>,
        make: impl FnOnce(&GameOptions) -> Result<ludex::Game, ludex::LoadError> + Send,
    ) -> PyResult<Self> {
        let chosen: Engine =
            engine.parse().map_err(|error: ludex::UnknownEngine| failure::unknown(py, error.to_string()))?;
        let made = work::done(py, within(time)?, |budget| {
            make(&GameOptions { engine: chosen, budget, ..GameOptions::default() })
        })?;
        let inner = made.map_err(|error| failure::of_load(py, &error))?;
        Ok(Self { inner, engine: engine.to_owned() })
    }

    /// The engine that was asked for.
    pub(crate) fn asked_engine(&self) -> &str {
        &self.engine
    }

    /// A game that was made before.
    pub(crate) fn of(inner: ludex::Game, engine: String) -> Self {
        Self { inner, engine }
    }
}

/// The text of a file; bytes that are not UTF-8 are replaced.
pub(crate) fn read_file(py: Python<'_>, path: &Path) -> PyResult<String> {
    let bytes = py.detach(|| std::fs::read(path)).map_err(|error| {
        let text = format!("{}: {error}", path.display());
        match error.raw_os_error() {
            // Python makes its own kind of it: `FileNotFoundError`...
            Some(number) => PyOSError::new_err((number, text)),
            None => PyOSError::new_err(text),
        }
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A limit on time in seconds, if there is one.
pub(crate) fn within(time: Option<f64>) -> PyResult<Budget> {
    match time.map(Duration::try_from_secs_f64) {
        None => Ok(Budget::unlimited()),
        Some(Ok(time)) => Ok(SystemClock::limit(time)),
        Some(Err(_)) => Err(PyValueError::new_err("a time is a number of seconds, 0 or more")),
    }
}
