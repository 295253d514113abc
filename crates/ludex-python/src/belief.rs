//! What a role can know of the state by what it was told.

use std::collections::BTreeMap;
use std::sync::Mutex;

use ludex::game::{Certain, Likely, RoleId};
use ludex::logic::{Budget, TermId};
use ludex::players::{Belief as States, BeliefError, BeliefOptions, News};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::failure;
use crate::game::{Game, within};
use crate::position::Position;
use crate::work;

/// How likely something is: the probability, and whether it is so in all states that are possible.
type Likelihoods = BTreeMap<String, f64>;

/// What a role can know of the state. See `_ludex.pyi`.
#[pyclass(module = "ludex")]
pub(crate) struct Belief {
    game: ludex::Game,
    engine: String,
    role: RoleId,
    options: BeliefOptions,
    /// Worked on by another thread while Python waits.
    states: Mutex<States>,
}

/// What makes a belief again, and of what: the game, the role, the most states, the seed, and what was told.
type Pickled<'py> = (Bound<'py, PyAny>, (Game, String, usize, u64, Vec<(Told, Vec<String>)>));

/// A step as a role is told of it: the joint move, or its own move.
#[derive(FromPyObject, IntoPyObject)]
enum Told {
    Move(String),
    Joint(Vec<String>),
}

#[pymethods]
impl Belief {
    #[new]
    #[pyo3(signature = (game, role, *, limit = 100_000, seed = 1))]
    fn new(py: Python<'_>, game: &Game, role: &str, limit: usize, seed: u64) -> PyResult<Self> {
        let unknown = || failure::unknown(py, format!("there is no role `{role}`"));
        let role = game.inner.find_role(role).ok_or_else(unknown)?;
        Ok(Self::of(game.inner.clone(), game.engine.clone(), role, limit, seed))
    }

    #[staticmethod]
    #[pyo3(signature = (position, role, *, limit = 100_000, seed = 1))]
    fn in_position(
        py: Python<'_>,
        position: &Position,
        role: &str,
        limit: usize,
        seed: u64,
    ) -> PyResult<Self> {
        let belief = Self::new(py, &position.game(), role, limit, seed)?;
        for news in position.news_so_far(belief.role) {
            belief.hear(&news);
        }
        Ok(belief)
    }

    #[getter]
    fn game(&self) -> Game {
        Game::of(self.game.clone(), self.engine.clone())
    }

    #[getter]
    fn role(&self) -> String {
        self.game.role_name(self.role)
    }

    /// Steps that the role was told of.
    #[getter]
    fn step(&self) -> usize {
        self.states().news().len()
    }

    #[pyo3(signature = (moved, percepts = None))]
    fn observe(&self, py: Python<'_>, moved: Told, percepts: Option<Vec<String>>) -> PyResult<()> {
        let read = |text: &String| {
            self.game.read_term(text).map_err(|error| failure::move_error(py, error.to_string()))
        };
        let action = |text: &String| {
            let term = read(text)?;
            let unknown = || failure::move_error(py, format!("`{text}` is not a move of this game"));
            self.game.signature().find_action(term).ok_or_else(unknown)?;
            Ok(term)
        };
        let news = match (moved, self.game.has_perfect_information()) {
            (Told::Joint(joint), true) => {
                let roles = self.game.roles().len();
                if joint.len() != roles {
                    let why = format!("there are {roles} roles, but {} moves", joint.len());
                    return Err(failure::move_error(py, why));
                }
                News::Joint(joint.iter().map(action).collect::<PyResult<_>>()?)
            }
            (Told::Move(text), false) => News::Percepts {
                action: action(&text)?,
                percepts: percepts.iter().flatten().map(read).collect::<PyResult<_>>()?,
            },
            (Told::Move(_), true) => {
                return Err(PyValueError::new_err(
                    "in this game everybody sees all moves: tell the joint move",
                ));
            }
            (Told::Joint(_), false) => {
                return Err(PyValueError::new_err(
                    "in this game a role is told its own move and its percepts",
                ));
            }
        };
        self.hear(&news);
        Ok(())
    }

    /// Whether the states are all that are possible.
    #[getter]
    fn is_exact(&self, py: Python<'_>) -> PyResult<bool> {
        self.ask(py, None, |states, budget| states.update(budget).map(|()| states.is_exact()))
    }

    #[pyo3(signature = (*, time = None))]
    fn count(&self, py: Python<'_>, time: Option<f64>) -> PyResult<usize> {
        self.ask(py, time, |states, budget| states.update(budget).map(|()| states.states().len()))
    }

    #[pyo3(signature = (*, time = None))]
    fn facts(&self, py: Python<'_>, time: Option<f64>) -> PyResult<Likelihoods> {
        Ok(self.likelihoods(&self.ask(py, time, States::facts)?))
    }

    #[pyo3(signature = (*, time = None))]
    fn moves(&self, py: Python<'_>, time: Option<f64>) -> PyResult<Likelihoods> {
        Ok(self.likelihoods(&self.ask(py, time, States::moves)?))
    }

    #[pyo3(signature = (*, time = None))]
    fn known_facts(&self, py: Python<'_>, time: Option<f64>) -> PyResult<Vec<String>> {
        Ok(self.game.texts(&self.certain(py, time)?.facts))
    }

    #[pyo3(signature = (*, time = None))]
    fn known_moves(&self, py: Python<'_>, time: Option<f64>) -> PyResult<Vec<String>> {
        Ok(self.game.texts(&self.certain(py, time)?.moves))
    }

    /// What the role may do, as far as it knows. The role may be named, so that this is asked as of a position.
    #[pyo3(signature = (role = None, *, time = None))]
    fn legal(&self, py: Python<'_>, role: Option<&str>, time: Option<f64>) -> PyResult<Vec<String>> {
        if let Some(role) = role.filter(|role| self.game.find_role(role) != Some(self.role)) {
            let why = format!("this is what `{}` knows, and not `{role}`", self.role());
            return Err(PyValueError::new_err(why));
        }
        let legal: Vec<TermId> = self.ask(py, time, States::legal_in_all)?;
        Ok(self.game.texts(&legal))
    }

    #[pyo3(signature = (*, time = None))]
    fn over(&self, py: Python<'_>, time: Option<f64>) -> PyResult<f64> {
        Ok(self.ask(py, time, States::is_over)?.weight)
    }

    /// The likeliest states first, as positions, with their probabilities.
    #[pyo3(signature = (most = 100, *, time = None))]
    fn positions(&self, py: Python<'_>, most: usize, time: Option<f64>) -> PyResult<Vec<(Position, f64)>> {
        let mut states = self.ask(py, time, |states, budget| {
            states.update(budget)?;
            let machine = states.machine();
            let mut facts = Vec::new();
            let listed = states.states().iter().zip(states.weights()).map(|(state, &weight)| {
                machine.facts(state, &mut facts);
                (state.clone(), weight, facts.clone())
            });
            Ok(listed.collect::<Vec<_>>())
        })?;
        // Likeliest first; in the order of their facts where they are as likely, so that it is the same each time.
        states.sort_by(|(_, a, first), (_, b, second)| b.total_cmp(a).then_with(|| first.cmp(second)));
        let position = |state| {
            let place = ludex::Position::starting_in(self.game.rules().clone(), state);
            Position::new(self.game.clone(), self.engine.clone(), place)
        };
        Ok(states.into_iter().take(most).map(|(state, weight, _)| (position(state), weight)).collect())
    }

    fn __repr__(&self) -> String {
        format!("<ludex.Belief of {} in {} after {} steps>", self.role(), self.game.short_name(), self.step())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        let again = py.import("ludex")?.getattr("_belief_again")?;
        let states = self.states();
        let told = states.news().iter().map(|news| match news {
            News::Joint(joint) => (Told::Joint(self.game.texts(joint)), Vec::new()),
            News::Percepts { action, percepts } => {
                (Told::Move(self.game.text(*action)), self.game.texts(percepts))
            }
        });
        let told: Vec<_> = told.collect();
        Ok((again, (self.game(), self.role(), self.options.limit, self.options.seed, told)))
    }
}

impl Belief {
    /// What a role knows at the beginning.
    pub(crate) fn of(game: ludex::Game, engine: String, role: RoleId, limit: usize, seed: u64) -> Self {
        let limit = limit.max(1);
        // As many joint moves are tried for each state as the command tries.
        let expansions = limit.saturating_mul(20);
        let options =
            BeliefOptions { limit, expansions, seed, drawn_by_machine: true, ..BeliefOptions::default() };
        let states = Mutex::new(game.seat(role).belief(options.clone()));
        Self { game, engine, role, options, states }
    }

    /// Takes notice of a step.
    pub(crate) fn hear(&self, news: &News) {
        self.states().observe(news);
    }

    fn states(&self) -> std::sync::MutexGuard<'_, States> {
        // What a panic left there is replaced by nothing better; it is only worked on again.
        self.states.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Works on the states while Python does other things.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        time: Option<f64>,
        question: impl FnOnce(&mut States, &Budget) -> Result<T, BeliefError> + Send,
    ) -> PyResult<T> {
        let answer = work::done(py, within(time)?, |budget| question(&mut self.states(), &budget))?;
        answer.map_err(|error| failure::of_belief(py, &error))
    }

    fn certain(&self, py: Python<'_>, time: Option<f64>) -> PyResult<Certain> {
        self.ask(py, time, States::certain)
    }

    fn likelihoods(&self, all: &[Likely]) -> Likelihoods {
        all.iter().map(|likely| (self.game.text(likely.term), likely.likelihood.weight)).collect()
    }
}
