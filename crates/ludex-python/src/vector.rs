//! Many games that are stepped by arrays: what `ludex.VectorEnv` stands on (`python/ludex/vector.py`).

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ludex::PlayoutOptions;
use ludex::engines::LaneOptions;
use ludex::game::{
    Actions, BatchOptions, BitRows, EnvironmentArrays, EnvironmentError, EnvironmentLayout,
    EnvironmentOptions, Environments as Any, Outcomes, Place, Policy, PropositionId, RoleId, Start,
};
use ludex::logic::{Budget, TermId};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::failure;
use crate::game::Game;
use crate::position::Position;
use crate::work;

/// Environments with the game they are of. See `_ludex.pyi`.
#[pyclass(frozen, module = "ludex")]
pub(crate) struct Environments {
    game: ludex::Game,
    engine: String,
    layout: EnvironmentLayout,
    /// What goals of 0 and 100 are as rewards.
    rewards: (f32, f32),
    inner: Mutex<Box<dyn Any>>,
}

/// Arrays to be filled; those that are not wanted are `None`.
#[derive(FromPyObject)]
struct Arrays<'py> {
    observations: Option<Rows<'py>>,
    last_observations: Option<Rows<'py>>,
    legal: Option<Rows<'py>>,
    rewards: PyReadwriteArray2<'py, f32>,
    terminated: PyReadwriteArray1<'py, u8>,
    truncated: PyReadwriteArray1<'py, u8>,
    players: PyReadwriteArray1<'py, u8>,
}

/// Rows of bits, as bytes or as words.
#[derive(FromPyObject)]
enum Rows<'py> {
    Bytes(PyReadwriteArray2<'py, u8>),
    Words(PyReadwriteArray2<'py, u64>),
}

fn slice<'a>(rows: &'a mut Option<Rows<'_>>) -> PyResult<BitRows<'a>> {
    Ok(match rows {
        Some(Rows::Bytes(array)) => BitRows::Bytes(array.as_slice_mut()?),
        Some(Rows::Words(array)) => BitRows::Words(array.as_slice_mut()?),
        None => BitRows::Unwanted,
    })
}

impl Arrays<'_> {
    fn slices(&mut self) -> PyResult<EnvironmentArrays<'_>> {
        Ok(EnvironmentArrays {
            observations: slice(&mut self.observations)?,
            last_observations: slice(&mut self.last_observations)?,
            legal: slice(&mut self.legal)?,
            rewards: self.rewards.as_slice_mut()?,
            terminated: self.terminated.as_slice_mut()?,
            truncated: self.truncated.as_slice_mut()?,
            players: self.players.as_slice_mut()?,
        })
    }
}

#[pymethods]
impl Environments {
    #[new]
    #[pyo3(signature = (game, count, *, in_turns, observed, percepts, step_limit, begins_anew, rewards, threads))]
    #[expect(clippy::too_many_arguments, reason = "each is an argument by name")]
    fn new(
        py: Python<'_>,
        game: &Game,
        count: usize,
        in_turns: bool,
        observed: Vec<i64>,
        percepts: bool,
        step_limit: Option<u32>,
        begins_anew: bool,
        rewards: (f32, f32),
        threads: usize,
    ) -> PyResult<Self> {
        let inner = game.inner.clone();
        let fails = |error: &EnvironmentError| failure::of_environments(py, error);
        let turns = match in_turns {
            true => Some(inner.turns().map_err(|error| failure::of_game(py, &error))?.clone()),
            false => None,
        };
        let known = inner.signature().known_propositions();
        let fact = |&number: &i64| match u32::try_from(number) {
            Ok(number) if (number as usize) < known => Place::Fact(PropositionId(number)),
            _ => Place::Nothing,
        };
        let mut places: Vec<Place> = observed.iter().map(fact).collect();
        if percepts {
            places.extend(percept_places(&inner));
        }
        let options = EnvironmentOptions {
            turns,
            observed: places,
            step_limit,
            begins_anew,
            rewards,
            threads,
            ..EnvironmentOptions::new(count, inner.rules())
        };
        let made = py.detach(|| inner.environments(options)).map_err(|error| fails(&error))?;
        Ok(Self::of(inner, game.asked_engine().to_owned(), rewards, made))
    }

    /// Environments, players, rows, actions and bits of an observation.
    #[getter]
    fn layout(&self) -> (usize, usize, usize, usize, usize) {
        let EnvironmentLayout { count, seats, actions, observed, .. } = self.layout;
        (count, seats, self.layout.rows(), actions, observed)
    }

    fn reset(&self, py: Python<'_>, seed: u64, mut arrays: Arrays<'_>) -> PyResult<()> {
        let arrays = arrays.slices()?;
        let done = py.detach(|| self.inner().reset(seed, arrays));
        done.map_err(|error| failure::of_environments(py, &error))
    }

    fn observe(&self, py: Python<'_>, mut arrays: Arrays<'_>) -> PyResult<()> {
        let arrays = arrays.slices()?;
        let done = py.detach(|| self.inner().observe(arrays));
        done.map_err(|error| failure::of_environments(py, &error))
    }

    /// Makes a step; without actions, one of random ones.
    fn step(
        &self,
        py: Python<'_>,
        actions: Option<PyReadonlyArray1<'_, i32>>,
        mut arrays: Arrays<'_>,
    ) -> PyResult<()> {
        let actions = match &actions {
            None => Actions::Random,
            Some(given) => Actions::Given(given.as_slice()?),
        };
        let arrays = arrays.slices()?;
        let done = py.detach(|| self.inner().step(actions, arrays));
        done.map_err(|error| failure::of_environments(py, &error))
    }

    fn position(&self, environment: usize) -> PyResult<Position> {
        self.check(&[environment])?;
        let state = self.inner().states(&[environment]).pop();
        let state = state.ok_or_else(|| PyIndexError::new_err("there is no such environment"))?;
        let position = ludex::Position::starting_in(self.game.rules().clone(), state);
        Ok(Position::new(self.game.clone(), self.engine.clone(), position))
    }

    fn set_position(&self, py: Python<'_>, environments: Vec<usize>, position: &Position) -> PyResult<()> {
        self.check(&environments)?;
        if !position.is_of(&self.game) {
            return Err(PyValueError::new_err("the position is one of another game"));
        }
        let states = vec![position.state(); environments.len()];
        let done = self.inner().set_states(&environments, &states);
        done.map_err(|error| failure::of_environments(py, &error))
    }

    /// The mean reward of random games from each environment, `(n, players)`.
    fn random_rollouts<'py>(
        &self,
        py: Python<'py>,
        count: u32,
        seed: u64,
        threads: usize,
        step_limit: u32,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let all: Vec<usize> = (0..self.layout.count).collect();
        let states = py.detach(|| self.inner().states(&all));
        let starts: Vec<Start> = states.into_iter().map(|state| Start { state, playouts: count }).collect();
        let played = work::done(py, Budget::unlimited(), |budget| {
            let Some(lanes) = self.game.lanes(LaneOptions::default()) else {
                let options =
                    PlayoutOptions { seed, threads, step_limit, budget, ..PlayoutOptions::default() };
                return self.game.playouts(&starts, &options);
            };
            // A few games from each of many states: all of them share lanes.
            let mut outcomes = Outcomes::default();
            let (policy, batch) =
                (Policy::uniform(step_limit), BatchOptions { budget, ..BatchOptions::default() });
            let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
            lanes.playouts_on_threads((&starts, &policy, seed), &batch, threads, &mut outcomes)?;
            Ok(outcomes)
        })?;
        let outcomes = played.map_err(|error| failure::of_game(py, &error))?;
        let (low, high) = self.rewards;
        let reward = |mean: f64| low + (high - low) * (mean / 100.0) as f32;
        let seats = self.game.seats();
        let means = outcomes
            .tallies
            .iter()
            .flat_map(|tally| seats.iter().map(move |&role| tally.mean_goal(role).map_or(f32::NAN, reward)));
        PyArray1::from_iter(py, means).reshape([self.layout.count, seats.len()])
    }

    fn select(&self, py: Python<'_>, environments: Vec<usize>, seed: u64) -> PyResult<Self> {
        self.check(&environments)?;
        let selected = py.detach(|| self.inner().select(&environments, seed));
        Ok(Self::of(self.game.clone(), self.engine.clone(), self.rewards, selected))
    }
}

impl Environments {
    fn of(game: ludex::Game, engine: String, rewards: (f32, f32), made: Box<dyn Any>) -> Self {
        Self { game, engine, rewards, layout: made.layout().clone(), inner: Mutex::new(made) }
    }

    /// To be taken without the lock of Python: whoever holds it may be waiting for that.
    fn inner(&self) -> MutexGuard<'_, Box<dyn Any>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, environments: &[usize]) -> PyResult<()> {
        match environments.iter().find(|&&at| at >= self.layout.count) {
            Some(at) => {
                let text = format!("there is no environment {at}: there are {}", self.layout.count);
                Err(PyIndexError::new_err(text))
            }
            None => Ok(()),
        }
    }
}

/// What any player may see, in canonical order, as far as there is a net to know it from.
pub(crate) fn percepts(game: &ludex::Game) -> Vec<TermId> {
    let terms = game.signature().terms();
    let mut found: Vec<TermId> =
        game.seats().into_iter().flat_map(|role| known_percepts(game, role)).collect();
    found.sort_unstable_by(|&a, &b| terms.compare(a, b));
    found.dedup();
    found
}

fn known_percepts(game: &ludex::Game, role: RoleId) -> Vec<TermId> {
    let known = game.net().map(|net| &net.circuit().percepts[role.index()]);
    known.into_iter().flatten().map(|&(term, _)| term).collect()
}

/// A row of percepts for each player.
fn percept_places(game: &ludex::Game) -> Vec<Place> {
    let all = percepts(game);
    let row = |role: RoleId| {
        let own = known_percepts(game, role);
        let place = move |&term: &TermId| {
            if own.contains(&term) { Place::Percept(role, term) } else { Place::Nothing }
        };
        all.iter().map(place).collect::<Vec<_>>()
    };
    game.seats().into_iter().flat_map(row).collect()
}
