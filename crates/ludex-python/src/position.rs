//! Places in matches.

use std::collections::BTreeMap;

use ludex::analysis::TextStyle;
use ludex::game::{ActionId, Mover, RoleId, State};
use ludex::players::News;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyAny;

use crate::failure;
use crate::game::Game;
use crate::players::news_of;

/// A state of a game with the moves that led to it. See `_ludex.pyi`.
#[pyclass(module = "ludex")]
pub(crate) struct Position {
    game: ludex::Game,
    engine: String,
    inner: ludex::Position,
}

/// What makes a position again, and of what: the game, the moves, and the facts it begins with, if that is elsewhere.
type Pickled<'py> = (Bound<'py, PyAny>, (Game, Vec<Vec<String>>, Option<Vec<String>>));

/// Moves of all roles: a list with one for each, or a dictionary for those that have a choice.
#[derive(FromPyObject)]
enum Moves {
    Each(Vec<String>),
    Some(BTreeMap<String, String>),
}

/// A number of an action; nothing where it is a whole number that cannot be one.
pub(crate) struct Action(pub(crate) Option<u32>);

impl Action {
    /// The actions of a sequence: of no more than one for each role, and one too many.
    pub(crate) fn all(given: &Bound<'_, PyAny>, roles: usize) -> PyResult<Vec<Self>> {
        given.try_iter()?.take(roles + 1).map(|action| action?.extract()).collect()
    }
}

impl<'py> FromPyObject<'_, 'py> for Action {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match given.extract() {
            Ok(number) => Ok(Self(Some(number))),
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => Ok(Self(None)),
            Err(error) => Err(error),
        }
    }
}

impl Position {
    pub(crate) fn new(game: ludex::Game, engine: String, inner: ludex::Position) -> Self {
        Self { game, engine, inner }
    }

    pub(crate) fn is_of(&self, game: &ludex::Game) -> bool {
        self.game.sha256() == game.sha256() && self.game.engine() == game.engine()
    }

    pub(crate) fn state(&self) -> State {
        self.inner.state().clone()
    }

    /// The game that it is a place in.
    pub(crate) fn rules(&self) -> ludex::Game {
        self.game.clone()
    }

    /// The place itself.
    pub(crate) fn place(&self) -> &ludex::Position {
        &self.inner
    }

    /// Another place in the same game.
    pub(crate) fn at(&self, inner: ludex::Position) -> Self {
        Self::new(self.game.clone(), self.engine.clone(), inner)
    }

    /// The role that is asked for a move: the one of this name, or the one whose turn it is.
    pub(crate) fn asked(&self, py: Python<'_>, name: Option<&str>) -> PyResult<RoleId> {
        let role = match name {
            Some(name) => self.role(py, name)?,
            None => match self.turn(py)? {
                Some(name) => self.role(py, &name)?,
                None => {
                    return Err(PyValueError::new_err("it is nobody's turn alone: say which role is meant"));
                }
            },
        };
        if Some(role) == self.game.random_role() {
            return Err(PyValueError::new_err("the moves of `random` are left to chance"));
        }
        Ok(role)
    }

    /// What a role was told on the way here, where the game goes on.
    pub(crate) fn news(&self, py: Python<'_>, role: RoleId) -> PyResult<Vec<News>> {
        if self.terminal(py)? {
            return Err(failure::move_error(py, "the game is over".to_owned()));
        }
        if self.begun_in().is_some() {
            let why = "nobody can say how this position came about: it does not begin where the game does";
            return Err(PyValueError::new_err(why));
        }
        Ok(self.news_so_far(role))
    }

    /// The facts that the moves began with, where that is not the beginning of the game.
    fn begun_in(&self) -> Option<Vec<String>> {
        let first = self.inner.history().state_at(0).filter(|&first| first != self.game.initial());
        first.map(|first| self.game.fact_texts(first))
    }

    /// What a role was told on the way here.
    pub(crate) fn news_so_far(&self, role: RoleId) -> Vec<News> {
        news_of(&self.game, &self.inner, role)
    }

    fn role(&self, py: Python<'_>, name: &str) -> PyResult<RoleId> {
        let found = self.game.find_role(name);
        found.ok_or_else(|| failure::unknown(py, format!("there is no role `{name}`")))
    }

    fn by_role<T>(&self, of: impl Fn(RoleId) -> PyResult<T>) -> PyResult<BTreeMap<String, T>> {
        self.game.roles().map(|role| Ok((self.game.role_name(role), of(role)?))).collect()
    }
}

#[pymethods]
impl Position {
    #[getter]
    pub(crate) fn game(&self) -> Game {
        Game::of(self.game.clone(), self.engine.clone())
    }

    #[getter]
    fn step(&self) -> usize {
        self.inner.step()
    }

    #[getter]
    fn facts(&self) -> Vec<String> {
        self.inner.fact_texts()
    }

    #[getter]
    fn terminal(&self, py: Python<'_>) -> PyResult<bool> {
        self.inner.terminal().map_err(|error| failure::of_game(py, &error))
    }

    /// The moves so far, one list for each step.
    #[getter]
    fn moves(&self) -> Vec<Vec<String>> {
        let joints = self.inner.joints();
        joints.into_iter().take(self.inner.step()).map(|joint| self.game.texts(&joint)).collect()
    }

    fn legal(&self, py: Python<'_>, role: &str) -> PyResult<Vec<String>> {
        let role = self.role(py, role)?;
        self.inner.legal_texts(role).map_err(|error| failure::of_game(py, &error))
    }

    fn all_legal(&self, py: Python<'_>) -> PyResult<BTreeMap<String, Vec<String>>> {
        self.by_role(|role| self.inner.legal_texts(role).map_err(|error| failure::of_game(py, &error)))
    }

    /// The seat that moves.
    #[getter]
    fn turn(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let asked = || self.game.turns()?.mover(&mut *self.game.runner_in(self.inner.state())?);
        match asked().map_err(|error| failure::of_game(py, &error))? {
            Mover::One(role) => Ok(Some(self.game.role_name(role))),
            Mover::Nobody | Mover::Several => Ok(None),
        }
    }

    fn legal_actions(&self, py: Python<'_>, role: &str) -> PyResult<Vec<u32>> {
        let role = self.role(py, role)?;
        let legal = || {
            let mut runner = self.game.runner_in(self.inner.state())?;
            Ok(runner.legal(role)?.iter().map(|action| action.0).collect())
        };
        legal().map_err(|error| failure::of_game(py, &error))
    }

    fn apply(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = Action::all(actions, self.game.roles().len())?;
        let signature = self.game.signature();
        let known = signature.action_count();
        let term = |action: &Action| {
            let unknown = || failure::move_error(py, format!("there is no such action: there are {known}"));
            let number = action.0.filter(|&number| (number as usize) < known);
            number.map(|number| signature.action(ActionId(number))).ok_or_else(unknown)
        };
        let joint = actions.iter().map(term).collect::<PyResult<Vec<_>>>()?;
        self.inner.advance(&joint).map_err(|error| failure::of_move(py, &error))
    }

    /// Numbers of the facts in `Game.propositions`.
    fn fact_numbers(&self) -> Vec<u32> {
        let signature = self.game.signature();
        self.inner.facts().into_iter().map(|fact| signature.proposition_id(fact).0).collect()
    }

    fn goals(&self, py: Python<'_>) -> PyResult<BTreeMap<String, Option<u32>>> {
        let goals = self.inner.goals().map_err(|error| failure::of_game(py, &error))?;
        self.by_role(|role| Ok(goals.get(role.index()).copied().flatten()))
    }

    fn percepts(&self, py: Python<'_>, role: &str) -> PyResult<Vec<String>> {
        Ok(self.game.texts(self.inner.percepts(self.role(py, role)?)))
    }

    fn play(&mut self, py: Python<'_>, moves: Moves) -> PyResult<()> {
        let played = match moves {
            Moves::Each(moves) => self.inner.play(&moves),
            Moves::Some(moves) => {
                let given = moves.iter().map(|(role, action)| Ok((self.role(py, role)?, action.as_str())));
                let given = given.collect::<PyResult<Vec<_>>>()?;
                self.inner.play_some(&given)
            }
        };
        played.map_err(|error| failure::of_move(py, &error))
    }

    fn back(&mut self) -> bool {
        self.inner.back()
    }

    fn forward(&mut self) -> bool {
        self.inner.forward()
    }

    pub(crate) fn jump(&mut self, step: usize) -> bool {
        self.inner.jump(step)
    }

    fn copy(&self) -> Self {
        Self { game: self.game.clone(), engine: self.engine.clone(), inner: self.inner.clone() }
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    /// The boards of a game are looked for once.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| self.game.draw_svg(self.inner.state()))
    }

    fn _repr_svg_(&self, py: Python<'_>) -> String {
        self.svg(py)
    }

    fn __str__(&self, py: Python<'_>) -> String {
        py.detach(|| self.game.draw_text(self.inner.state(), &TextStyle::default()))
    }

    fn __repr__(&self) -> String {
        format!("<ludex.Position of {} after {} steps>", self.game.short_name(), self.inner.step())
    }

    /// The same facts, whatever led to them.
    fn __eq__(&self, other: &Self) -> bool {
        self.game.sha256() == other.game.sha256() && self.facts() == other.facts()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        let again = py.import("ludex")?.getattr("_position_again")?;
        Ok((again, (self.game(), self.moves(), self.begun_in())))
    }
}
