//! Records of matches.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use ludex::logic::Budget;
use ludex::{GameOptions, MatchMismatch, MoveReport, replay_match, verify_match};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::failure;
use crate::game::Game;
use crate::players::{RatedMove, Thought};
use crate::position::Position;
use crate::work;

/// A match that was played. See `_ludex.pyi`.
#[pyclass(frozen, module = "ludex")]
pub(crate) struct MatchRecord {
    inner: ludex::MatchRecord,
    /// Made of the rules in the record, when it is asked for first.
    game: OnceLock<Game>,
    /// The last position, with all moves before.
    replayed: OnceLock<ludex::Position>,
}

/// What makes a record again, and of what: its JSON, and the game where the record does not hold it.
type Pickled<'py> = (Bound<'py, PyAny>, (String, Option<Game>));

/// Something that the rules do not bear out. See `_ludex.pyi`.
#[pyclass(frozen, get_all, eq, module = "ludex")]
#[derive(Clone, PartialEq)]
pub(crate) struct Mismatch {
    pub(crate) playout: u32,
    pub(crate) step: u32,
    pub(crate) what: String,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl From<MatchMismatch> for Mismatch {
    fn from(MatchMismatch { step, what, expected, found }: MatchMismatch) -> Self {
        Self { playout: 0, step, what, expected, found }
    }
}

#[pymethods]
impl Mismatch {
    fn __repr__(&self) -> String {
        let Self { step, what, expected, found, .. } = self;
        format!("<ludex.Mismatch step {step}, {what}: expected {expected}, found {found}>")
    }
}

#[pymethods]
impl MatchRecord {
    #[staticmethod]
    #[pyo3(signature = (text, *, game = None))]
    fn from_json(text: &str, game: Option<Game>) -> PyResult<Self> {
        let record =
            ludex::MatchRecord::read(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        match record.contradiction() {
            Some(contradiction) => Err(PyValueError::new_err(contradiction.to_string())),
            None if record.roles.is_empty() => {
                Err(PyValueError::new_err("not a match record: it has no roles"))
            }
            None => Ok(Self::of(record, game)),
        }
    }

    /// The record as one line of JSON.
    fn json(&self) -> String {
        self.inner.write()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.match_id
    }

    #[getter]
    fn game(&self, py: Python<'_>) -> PyResult<Game> {
        if let Some(game) = self.game.get() {
            return Ok(game.clone());
        }
        let Some(rules) = &self.inner.rulesheet else {
            return Err(PyValueError::new_err("the record does not hold the rules: give it the game"));
        };
        let name = self.inner.game_name.as_deref().unwrap_or("rules");
        let made = work::done(py, Budget::unlimited(), |budget| {
            ludex::Game::parse(name, rules, &GameOptions { budget, ..GameOptions::default() })
        })?;
        let game = Game::of(made.map_err(|error| failure::of_load(py, &error))?, "auto".to_owned());
        Ok(self.game.get_or_init(|| game).clone())
    }

    #[getter]
    fn roles(&self) -> Vec<String> {
        self.inner.roles.clone()
    }

    #[getter]
    fn players(&self) -> BTreeMap<String, String> {
        self.by_role(&self.inner.player_names_from_host)
    }

    #[getter]
    fn seed(&self) -> Option<u64> {
        self.inner.seed
    }

    #[getter]
    fn moves(&self) -> Vec<Vec<String>> {
        self.inner.moves.clone()
    }

    #[getter]
    fn goals(&self) -> BTreeMap<String, Option<u32>> {
        let goal = |number: usize| self.inner.goal_values.as_ref()?.get(number).copied().flatten();
        self.inner.roles.iter().cloned().enumerate().map(|(number, role)| (role, goal(number))).collect()
    }

    #[getter]
    fn is_completed(&self) -> bool {
        self.inner.is_completed
    }

    #[getter]
    fn abort_cause(&self) -> Option<&str> {
        self.inner.abort_cause.as_deref()
    }

    /// The step before which something went wrong, the role, and what it was.
    #[getter]
    fn faults(&self) -> Vec<(usize, String, String)> {
        let by_step = self.inner.errors.iter().enumerate();
        let all = by_step.flat_map(|(step, errors)| {
            let wrong = self.inner.roles.iter().zip(errors).filter(|(_, error)| !error.is_empty());
            wrong.map(move |(role, error)| (step, role.clone(), error.clone()))
        });
        all.collect()
    }

    /// How long each role took for each move, in seconds.
    #[getter]
    fn times(&self) -> Option<Vec<BTreeMap<String, Option<f64>>>> {
        let seconds = |times: &Vec<Option<u64>>| {
            let seconds: Vec<Option<f64>> =
                times.iter().map(|time| time.map(|milliseconds| milliseconds as f64 / 1000.0)).collect();
            self.by_role(&seconds)
        };
        Some(self.inner.move_times.as_ref()?.iter().map(seconds).collect())
    }

    /// What the player of a role said about its move in a step, the first being 0.
    fn thought(&self, py: Python<'_>, step: usize, role: &str) -> PyResult<Option<Thought>> {
        let unknown = || failure::unknown(py, format!("there is no role `{role}`"));
        let number = self.inner.roles.iter().position(|name| name == role).ok_or_else(unknown)?;
        let played = self.inner.moves.get(step).and_then(|joint| joint.get(number));
        let Some(action) = played else { return Err(PyIndexError::new_err("there is no such step")) };
        let said = self.inner.reports.as_ref().and_then(|reports| reports.get(step)?.get(number)?.as_ref());
        Ok(said.map(|said| thought(action, said)))
    }

    /// The position after so many steps.
    fn position(&self, py: Python<'_>, step: usize) -> PyResult<Position> {
        let mut position = self.replay(py)?;
        if position.jump(step) { Ok(position) } else { Err(PyIndexError::new_err("there is no such step")) }
    }

    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Vec<Position>> {
        let last = self.replay(py)?;
        let mut on_the_way = last.game().inner.start();
        let mut positions = vec![last.at(on_the_way.clone())];
        for joint in last.place().joints() {
            on_the_way.advance(&joint).map_err(|error| failure::of_move(py, &error))?;
            positions.push(last.at(on_the_way.clone()));
        }
        Ok(positions)
    }

    /// The last position, after all moves were made once more.
    fn replay(&self, py: Python<'_>) -> PyResult<Position> {
        let game = self.game(py)?;
        if self.replayed.get().is_none() {
            let played = work::done(py, Budget::unlimited(), |budget| {
                replay_match(&game.inner.rules().within(budget), &self.inner)
            })?;
            // What comes of it is asked without the budget of this work.
            let joints = played.map_err(|error| failure::of_move(py, &error))?.joints();
            let mut last = game.inner.start();
            for joint in &joints {
                last.advance(joint).map_err(|error| failure::of_move(py, &error))?;
            }
            let _ = self.replayed.set(last);
        }
        let last = self.replayed.get().cloned().unwrap_or_else(|| game.inner.start());
        Ok(Position::new(game.inner.clone(), game.engine.clone(), last))
    }

    /// What the rules do not bear out.
    fn verify(&self, py: Python<'_>) -> PyResult<Vec<Mismatch>> {
        let game = self.game(py)?;
        let report = work::done(py, Budget::unlimited(), |budget| {
            verify_match(&game.inner.rules().within(budget), &self.inner)
        })?;
        Ok(report.mismatches.into_iter().map(Mismatch::from).collect())
    }

    /// The match as something to step through, for notebooks.
    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("ludex._animation")?.getattr("animation")?.call1((slf,))?.extract()
    }

    fn __len__(&self) -> usize {
        self.inner.moves.len()
    }

    /// A record of no steps is one, too.
    fn __bool__(&self) -> bool {
        true
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }

    fn __repr__(&self) -> String {
        let game = self.inner.game_name.as_deref().unwrap_or("a game");
        let result = match (&self.inner.goal_values, &self.inner.abort_cause) {
            (Some(goals), _) => {
                let goal = |(role, goal): (&String, &Option<u32>)| match goal {
                    Some(goal) => format!("{role} {goal}"),
                    None => format!("{role} none"),
                };
                self.inner.roles.iter().zip(goals).map(goal).collect::<Vec<_>>().join(", ")
            }
            (None, Some(cause)) => format!("ended early, {cause}"),
            (None, None) => "not over".to_owned(),
        };
        format!("<ludex.MatchRecord of {game}, {} steps: {result}>", self.inner.moves.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        let again = py.import("ludex")?.getattr("_record_again")?;
        let elsewhere = self.game.get().filter(|_| self.inner.rulesheet.is_none());
        Ok((again, (self.json(), elsewhere.cloned())))
    }
}

impl MatchRecord {
    pub(crate) fn of(inner: ludex::MatchRecord, game: Option<Game>) -> Self {
        let game = game.map_or_else(OnceLock::new, OnceLock::from);
        Self { inner, game, replayed: OnceLock::new() }
    }

    fn by_role<T: Clone>(&self, values: &[T]) -> BTreeMap<String, T> {
        self.inner.roles.iter().cloned().zip(values.iter().cloned()).collect()
    }
}

/// What a record says about a move.
fn thought(action: &str, said: &MoveReport) -> Thought {
    let rated = said.moves.iter().map(|rated| RatedMove {
        action: rated.action.clone(),
        value: rated.value,
        visits: rated.visits,
        proven: rated.proven,
    });
    Thought {
        action: action.to_owned(),
        // What is no text is shown as JSON.
        entries: said
            .entries
            .iter()
            .map(|(name, value)| {
                (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            })
            .collect(),
        moves: rated.collect(),
        variation: said.variation.clone(),
        policy: BTreeMap::new(),
    }
}
