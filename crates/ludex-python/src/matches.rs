//! Matches between strategies and functions of Python.
//!
//! The match runs on a thread of its own. Functions are called on the thread that asked for the match, so that they may do
//! what only that thread may, and what they raise is raised there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Thread;

use ludex::game::{ActionId, GameError, RoleId};
use ludex::logic::{Budget, Clock, TermId};
use ludex::players::{self, Choice, News, PlayerError, Report, Seat};
use ludex::{Fault, MatchSetup, SystemClock, Table, TableError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyMapping, PySequence, PyString};

use crate::belief::Belief;
use crate::failure;
use crate::game::Game;
use crate::players::{Player, Thought, duration, of_strategy};
use crate::position::Position;
use crate::progress::ProgressBar;
use crate::records::MatchRecord;
use crate::work;

/// What was agreed of a match, as Python says it.
pub(crate) struct Terms {
    pub(crate) seed: u64,
    pub(crate) start_clock: Option<f64>,
    pub(crate) play_clock: Option<f64>,
    pub(crate) step_limit: u32,
    pub(crate) name: Option<String>,
    pub(crate) ponder: bool,
    /// Whether it is an error of the caller, and no fault in the match, when a function answers with no legal move.
    pub(crate) strict: bool,
    pub(crate) progress: bool,
}

/// Who sits somewhere.
pub(crate) enum Seated {
    /// A strategy.
    Strategy(Player),
    /// A function of Python.
    Function(Py<PyAny>),
}

impl Seated {
    /// Who is meant: a player, the name of a strategy, or something to call.
    pub(crate) fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(player) = value.cast::<Player>() {
            return Ok(Self::Strategy(player.get().clone()));
        }
        if let Ok(name) = value.cast::<PyString>() {
            return Ok(Self::Strategy(Player::named(value.py(), &name.to_cow()?)?));
        }
        if value.is_callable() {
            return Ok(Self::Function(value.clone().unbind()));
        }
        let what = value.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "`{what}` cannot play: it is no player, no name of a strategy, no function"
        )))
    }

    fn name(&self, py: Python<'_>) -> String {
        match self {
            Self::Strategy(player) => player.text.clone(),
            Self::Function(function) => {
                let function = function.bind(py);
                let name = function.getattr("__name__").or_else(|_| function.get_type().getattr("__name__"));
                name.and_then(|name| name.extract()).unwrap_or_else(|_| "function".to_owned())
            }
        }
    }
}

/// Who plays each seat, from a mapping with the names of the roles or a sequence in the order of the seats.
fn seating(game: &Game, players: &Bound<'_, PyAny>) -> PyResult<Vec<Seated>> {
    let (py, game) = (players.py(), &game.inner);
    let seats = game.seats();
    let names: Vec<String> = seats.iter().map(|&role| game.role_name(role)).collect();
    if let Ok(by_role) = players.cast::<PyMapping>() {
        for role in by_role.keys()?.iter() {
            let role: String = role.extract()?;
            if !names.contains(&role) {
                let why = format!("there is no role `{role}` to play; there are {}", names.join(", "));
                return Err(failure::unknown(py, why));
            }
        }
        let seated = names.iter().map(|name| match by_role.contains(name)? {
            true => Seated::read(&by_role.get_item(name)?),
            false => Err(PyValueError::new_err(format!("nobody plays `{name}`"))),
        });
        return seated.collect();
    }
    let listed = players.cast::<PySequence>().ok().filter(|_| !players.is_instance_of::<PyString>());
    let Some(listed) = listed else {
        return Err(PyTypeError::new_err("players are a dict by role, or a list in the order of the seats"));
    };
    if listed.len()? != names.len() {
        let why = format!("there are {} roles to play, but {} players", names.len(), listed.len()?);
        return Err(PyValueError::new_err(why));
    }
    listed.try_iter()?.map(|player| Seated::read(&player?)).collect()
}

/// What a function is asked.
struct Question {
    guest: usize,
    /// What its role was told since it was asked before.
    news: Vec<News>,
    answer: Sender<Result<TermId, String>>,
}

/// A function at a table: asks the thread of the caller to call it.
struct Guest {
    number: usize,
    news: Vec<News>,
    questions: Sender<Question>,
    asked: Thread,
    cancelled: Arc<AtomicBool>,
}

impl players::Player for Guest {
    fn prepare(&mut self, _: Seat, _: &Budget) -> Result<(), PlayerError> {
        self.news.clear();
        Ok(())
    }

    fn choose(&mut self, _: &Budget) -> Result<Choice, PlayerError> {
        let gone = || PlayerError::Gone("the match was called off".to_owned());
        let (answer, answered) = channel();
        let question = Question { guest: self.number, news: std::mem::take(&mut self.news), answer };
        self.questions.send(question).map_err(|_| gone())?;
        self.asked.unpark();
        loop {
            match answered.recv_timeout(work::LOOK) {
                Ok(Ok(action)) => return Ok(Choice { action, report: Report::default() }),
                Ok(Err(why)) => return Err(PlayerError::Gone(why)),
                // Where a function has raised something, nobody answers any more.
                Err(RecvTimeoutError::Timeout) if !self.cancelled.load(Ordering::Relaxed) => {}
                Err(_) => return Err(gone()),
            }
        }
    }

    fn observe(&mut self, news: &News) {
        self.news.push(news.clone());
    }
}

/// What the role of a function knows.
enum View {
    /// Everything.
    Position(Box<ludex::Position>),
    /// What it was told.
    Belief(Py<Belief>),
}

/// A function with its role, on the thread that calls it.
struct Host {
    function: Py<PyAny>,
    role: RoleId,
    view: View,
}

impl Host {
    fn new(py: Python<'_>, game: &Game, role: RoleId, function: &Py<PyAny>, seed: u64) -> PyResult<Self> {
        let rules = &game.inner;
        let view = if rules.has_perfect_information() {
            View::Position(Box::new(rules.start()))
        } else {
            let belief = Belief::of(rules.clone(), game.engine.clone(), role, BELIEF_STATES, seed);
            View::Belief(Py::new(py, belief)?)
        };
        Ok(Self { function: function.clone_ref(py), role, view })
    }

    /// Calls the function. What it raises is an error; an answer that means nothing is one in words.
    fn ask(&mut self, py: Python<'_>, game: &Game, news: &[News]) -> PyResult<Result<TermId, String>> {
        let rules = &game.inner;
        let view = match &mut self.view {
            View::Position(position) => {
                for news in news {
                    let News::Joint(joint) = news else { continue };
                    position.advance(joint).map_err(|error| failure::of_move(py, &error))?;
                }
                let copy = Position::new(rules.clone(), game.engine.clone(), (**position).clone());
                Py::new(py, copy)?.into_any()
            }
            View::Belief(belief) => {
                let told = belief.borrow(py);
                news.iter().for_each(|news| told.hear(news));
                belief.clone_ref(py).into_any()
            }
        };
        let answer = self.function.bind(py).call1((view, rules.role_name(self.role)))?;
        read_answer(rules, &answer)
    }
}

/// So many states are kept for a function that does not see everything.
const BELIEF_STATES: usize = 10_000;

/// The move that a function answered: its text, its number, or a thought of a player.
fn read_answer(game: &ludex::Game, answer: &Bound<'_, PyAny>) -> PyResult<Result<TermId, String>> {
    let text = match answer.cast::<Thought>() {
        Ok(thought) => Some(thought.get().action.clone()),
        Err(_) => answer.extract::<String>().ok(),
    };
    if let Some(text) = text {
        return Ok(game.read_term(&text).map_err(|error| error.to_string()));
    }
    let number = answer.extract::<i64>().ok().filter(|_| !answer.is_instance_of::<PyBool>());
    let Some(number) = number else {
        let what = answer.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a player answers with the text of a move or the number of an action, not with `{what}`"
        )));
    };
    let signature = game.signature();
    let known = u32::try_from(number).ok().filter(|&number| (number as usize) < signature.action_count());
    Ok(known
        .map(|number| signature.action(ActionId(number)))
        .ok_or_else(|| format!("there is no action {number}: there are {}", signature.action_count())))
}

/// Why there is no record of a match.
enum Trouble {
    Strategy(players::StrategyError),
    Table(TableError),
    Game(GameError),
    /// A function answered with no legal move.
    Answer(String, Fault),
}

impl From<TableError> for Trouble {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

impl Trouble {
    fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Self::Strategy(error) => of_strategy(py, error),
            Self::Table(TableError::Game(error)) | Self::Game(error) => failure::of_game(py, error),
            Self::Table(error) => failure::other(py, error.to_string()),
            Self::Answer(role, fault) => failure::move_error(py, format!("{role}: {fault}")),
        }
    }
}

/// Plays a match.
pub(crate) fn play(
    py: Python<'_>,
    game: &Game,
    players: &Bound<'_, PyAny>,
    terms: Terms,
) -> PyResult<MatchRecord> {
    let seated = seating(game, players)?;
    let setup = MatchSetup {
        id: terms.name.unwrap_or_else(|| format!("{}.{}", game.inner.short_name(), terms.seed)),
        seed: terms.seed,
        start_clock: terms.start_clock.map(duration).transpose()?,
        play_clock: terms.play_clock.map(duration).transpose()?,
        step_limit: Some(terms.step_limit),
        start_time: None,
        player_names: seated.iter().map(|player| player.name(py)).collect(),
    };
    let (questions, to_answer) = channel();
    let mut sitting = Sitting {
        game: game.inner.clone(),
        setup,
        ponder: terms.ponder,
        strict: terms.strict,
        seats: Vec::new(),
        questions,
        asked: std::thread::current(),
        steps: Arc::default(),
    };
    let mut hosts = Vec::new();
    for (role, player) in game.inner.seats().into_iter().zip(seated) {
        sitting.seats.push(match player {
            Seated::Strategy(player) => (role, Some(player)),
            Seated::Function(function) => {
                hosts.push(Host::new(py, game, role, &function, sitting.setup.player_seed(role))?);
                (role, None)
            }
        });
    }
    let mut bar = ProgressBar::new(py, terms.progress, "steps", None)?;
    let steps = Arc::clone(&sitting.steps);
    let serve = |py: Python<'_>| {
        bar.show(py, steps.load(Ordering::Relaxed), None)?;
        answer_all(py, game, &mut hosts, &to_answer)
    };
    let played = work::done_serving(py, Budget::unlimited(), serve, |budget| sitting.play(budget));
    bar.close(py, steps.load(Ordering::Relaxed))?;
    let record = played?.map_err(|trouble| trouble.raised(py))?;
    Ok(MatchRecord::of(record, Some(game.clone())))
}

/// Answers what was asked.
fn answer_all(
    py: Python<'_>,
    game: &Game,
    hosts: &mut [Host],
    questions: &Receiver<Question>,
) -> PyResult<()> {
    while let Ok(question) = questions.try_recv() {
        let Some(host) = hosts.get_mut(question.guest) else { continue };
        let answer = host.ask(py, game, &question.news)?;
        // Who asked may have been called off meanwhile.
        let _ = question.answer.send(answer);
    }
    Ok(())
}

/// A match to be played on a thread of its own.
struct Sitting {
    game: ludex::Game,
    setup: MatchSetup,
    ponder: bool,
    strict: bool,
    /// Each seat with its player; without one, a function plays, those in order.
    seats: Vec<(RoleId, Option<Player>)>,
    questions: Sender<Question>,
    asked: Thread,
    steps: Arc<AtomicUsize>,
}

impl Sitting {
    fn play(self, budget: Budget) -> Result<ludex::MatchRecord, Trouble> {
        let cancelled = budget.cancel_flag();
        let mut seated: Vec<Box<dyn players::Player>> = Vec::new();
        let mut guests = Vec::new();
        for (role, player) in &self.seats {
            seated.push(match player {
                Some(player) => player.made(self.setup.player_seed(*role)).map_err(Trouble::Strategy)?,
                None => {
                    guests.push(*role);
                    Box::new(Guest {
                        number: guests.len() - 1,
                        news: Vec::new(),
                        questions: self.questions.clone(),
                        asked: self.asked.clone(),
                        cancelled: Arc::clone(&cancelled),
                    })
                }
            });
        }
        // Without clocks, the record does not depend on the time.
        let is_timed = self.setup.start_clock.is_some() || self.setup.play_clock.is_some();
        let clock = is_timed.then(|| Arc::new(SystemClock::start()) as Arc<dyn Clock>);
        let table = Table::new(&self.game, self.setup, seated, clock, budget.as_whole())?;
        let mut table = table.with_pondering(self.ponder);
        table.prepare();
        while !cancelled.load(Ordering::Relaxed) {
            let Some(step) = table.step().map_err(Trouble::Game)? else { break };
            self.steps.fetch_add(1, Ordering::Relaxed);
            let wrong = guests.iter().find_map(|role| match &step.faults[role.index()] {
                None | Some(Fault::Timeout) => None,
                Some(fault) => Some((*role, fault.clone())),
            });
            if let Some((role, fault)) = wrong.filter(|_| self.strict) {
                return Err(Trouble::Answer(self.game.role_name(role), fault));
            }
        }
        Ok(table.into_match().record())
    }
}
