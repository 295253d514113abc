//! One game that is stepped as fast as its engine goes.

use std::sync::Arc;

use ludex::game::{ActionId, GameError, Machine, Mover, RoleId, Runner as AnyRunner, State};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use self_cell::self_cell;

use crate::failure;
use crate::game::Game;
use crate::position::{Action, Position};

type Borrowed<'machine> = Box<dyn AnyRunner + 'machine>;

self_cell!(
    /// A runner with the machine that it borrows from.
    struct OwnRunner {
        owner: Arc<dyn Machine>,
        #[not_covariant]
        dependent: Borrowed,
    }
);

/// One current state. See `_ludex.pyi`.
// The scratch of an engine belongs to one thread.
#[pyclass(unsendable, module = "ludex")]
pub(crate) struct Runner {
    game: ludex::Game,
    engine: String,
    seats: Vec<RoleId>,
    runner: OwnRunner,
    /// Scratch.
    joint: Vec<ActionId>,
}

#[pymethods]
impl Runner {
    #[new]
    fn new(game: &Game) -> Self {
        Self::of(game.inner.clone(), game.asked_engine().to_owned())
    }

    #[getter]
    fn game(&self) -> Game {
        Game::of(self.game.clone(), self.engine.clone())
    }

    /// Goes back to the initial state.
    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        let initial = self.game.initial().clone();
        self.set(&initial).map_err(|error| failure::of_game(py, &error))
    }

    #[getter]
    fn terminal(&mut self, py: Python<'_>) -> PyResult<bool> {
        self.ask(py, |runner| runner.terminal())
    }

    /// The number of the player in turn.
    #[getter]
    fn player(&mut self, py: Python<'_>) -> PyResult<Option<usize>> {
        let game = self.game.clone();
        let mover = self.ask(py, |runner| game.turns()?.mover(runner))?;
        Ok(match mover {
            Mover::One(role) => self.seats.iter().position(|&seat| seat == role),
            Mover::Nobody | Mover::Several => None,
        })
    }

    fn legal(&mut self, py: Python<'_>, player: usize) -> PyResult<Vec<u32>> {
        let role = self.seat(player)?;
        self.ask(py, |runner| Ok(runner.legal(role)?.iter().map(|action| action.0).collect()))
    }

    fn chance(&mut self, py: Python<'_>) -> PyResult<Vec<u32>> {
        match self.game.random_role() {
            Some(role) => {
                self.ask(py, |runner| Ok(runner.legal(role)?.iter().map(|action| action.0).collect()))
            }
            None => Ok(Vec::new()),
        }
    }

    /// Makes a step: the action of one player where all others have one legal move, chance among them.
    fn step(&mut self, py: Python<'_>, player: usize, action: Action) -> PyResult<()> {
        let mover = self.seat(player)?;
        let action = ActionId(action.0.unwrap_or(u32::MAX));
        let roles = self.game.roles().len() as u32;
        let mut joint = std::mem::take(&mut self.joint);
        joint.clear();
        let stepped = self.runner.with_dependent_mut(|_, runner| {
            if runner.terminal()? {
                return Err(GameError::Over);
            }
            for role in (0..roles).map(RoleId) {
                let legal = runner.legal(role)?;
                if role == mover {
                    if !legal.contains(&action) {
                        return Err(runner.signature().not_legal(role, action));
                    }
                    joint.push(action);
                } else if let [only] = legal {
                    joint.push(*only);
                } else {
                    return Ok(Some(role));
                }
            }
            runner.step_legal(&joint)?;
            Ok(None)
        });
        self.joint = joint;
        match stepped.map_err(|error| failure::of_game(py, &error))? {
            None => Ok(()),
            Some(role) => {
                let role = self.game.role_name(role);
                Err(failure::move_error(
                    py,
                    format!("`{role}` does not have one legal move only: use step_all"),
                ))
            }
        }
    }

    fn step_all(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = Action::all(actions, self.game.roles().len())?;
        let number = |action: &Action| ActionId(action.0.unwrap_or(u32::MAX));
        let joint: Vec<ActionId> = actions.iter().map(number).collect();
        self.ask(py, |runner| runner.step(&joint))
    }

    fn goals(&mut self, py: Python<'_>) -> PyResult<Vec<Option<u32>>> {
        let seats = self.seats.clone();
        self.ask(py, |runner| seats.into_iter().map(|role| runner.goal(role)).collect())
    }

    fn facts(&mut self) -> Vec<u32> {
        let signature = self.game.signature();
        self.game.facts(&self.state()).into_iter().map(|fact| signature.proposition_id(fact).0).collect()
    }

    fn position(&self) -> Position {
        let position = ludex::Position::starting_in(self.game.rules().clone(), self.state());
        Position::new(self.game.clone(), self.engine.clone(), position)
    }

    fn set_position(&mut self, py: Python<'_>, position: &Position) -> PyResult<()> {
        if !position.is_of(&self.game) {
            return Err(PyValueError::new_err("the position is one of another game"));
        }
        self.set(&position.state()).map_err(|error| failure::of_game(py, &error))
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let mut other = Self::of(self.game.clone(), self.engine.clone());
        other.set(&self.state()).map_err(|error| failure::of_game(py, &error))?;
        Ok(other)
    }

    fn __repr__(&self) -> String {
        format!("<ludex.Runner of {}>", self.game.short_name())
    }
}

impl Runner {
    fn of(game: ludex::Game, engine: String) -> Self {
        let budget = game.question_budget().clone();
        let runner = OwnRunner::new(Arc::clone(game.machine()), |machine| machine.runner(&budget));
        Self { seats: game.seats(), game, engine, runner, joint: Vec::new() }
    }

    fn seat(&self, player: usize) -> PyResult<RoleId> {
        self.seats.get(player).copied().ok_or_else(|| {
            PyIndexError::new_err(format!("there is no player {player}: there are {}", self.seats.len()))
        })
    }

    fn ask<T>(
        &mut self,
        py: Python<'_>,
        question: impl FnOnce(&mut dyn AnyRunner) -> Result<T, GameError>,
    ) -> PyResult<T> {
        let asked = self.runner.with_dependent_mut(|_, runner| question(&mut **runner));
        asked.map_err(|error| failure::of_game(py, &error))
    }

    fn set(&mut self, state: &State) -> Result<(), GameError> {
        self.runner.with_dependent_mut(|_, runner| runner.set(state))
    }

    fn state(&self) -> State {
        let mut state = State::default();
        self.runner.with_dependent(|_, runner| runner.save(&mut state));
        state
    }
}
