//! Matches between strategies and functions of Python.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ludex::game::GameError;
use ludex::logic::{Budget, Clock};
use ludex::{Fault, Match, MatchSetup, Reply, SystemClock, Table, TableError, players};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PySequence, PyString};

use crate::failure;
use crate::game::Game;
use crate::guests::{Desk, Invitation};
use crate::players::{Player, duration, of_strategy};
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

    /// What it is called in records.
    pub(crate) fn name(&self, py: Python<'_>) -> String {
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

/// Why there is no record of a match.
pub(crate) enum Trouble {
    /// A player cannot be made.
    Strategy(players::StrategyError),
    /// The match cannot begin.
    Table(TableError),
    /// The match cannot go on.
    Game(GameError),
    /// A function answered with no legal move.
    Answer(String, Fault),
    /// It panicked.
    BrokeDown,
}

impl From<TableError> for Trouble {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

impl Trouble {
    /// As an exception.
    pub(crate) fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Self::Strategy(error) => of_strategy(py, error),
            Self::Table(TableError::Game(error)) | Self::Game(error) => failure::of_game(py, error),
            Self::Table(error) => failure::other(py, error.to_string()),
            Self::BrokeDown => failure::other(py, "the match broke down".to_owned()),
            Self::Answer(role, fault) => failure::move_error(py, format!("{role}: {fault}")),
        }
    }
}

/// Who sits in a seat.
pub(crate) enum Chair {
    /// A strategy.
    Strategy(Player),
    /// The function of this number.
    Function(usize),
}

/// The functions among those who are seated, and chairs for all.
pub(crate) fn chairs(seated: Vec<Seated>) -> (Vec<Chair>, Vec<Py<PyAny>>) {
    let mut functions = Vec::new();
    let chair = |player| match player {
        Seated::Strategy(player) => Chair::Strategy(player),
        Seated::Function(function) => {
            functions.push(function);
            Chair::Function(functions.len() - 1)
        }
    };
    (seated.into_iter().map(chair).collect(), functions)
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
        bank: None,
        time_cost: None,
        step_limit: Some(terms.step_limit),
        start_time: None,
        player_names: seated.iter().map(|player| player.name(py)).collect(),
    };
    let (chairs, functions) = chairs(seated);
    let mut desk = Desk::new(vec![game.clone()], functions);
    let invitation = desk.invitation();
    let steps = AtomicUsize::new(0);
    let sitting = Sitting {
        game: &game.inner,
        number: 0,
        setup,
        chairs: chairs.iter().collect(),
        opening: &[],
        ponder: terms.ponder,
        strict: terms.strict,
        invitation: &invitation,
        steps: &steps,
    };
    let mut bar = ProgressBar::new(py, terms.progress, "steps", None)?;
    let serve = |py: Python<'_>| {
        bar.show(py, steps.load(Ordering::Relaxed), None)?;
        desk.answer_all(py)
    };
    let played = work::done_serving(py, Budget::unlimited(), serve, |budget| sitting.play(budget));
    bar.close(py, steps.load(Ordering::Relaxed))?;
    let played = played?.map_err(|trouble| trouble.raised(py))?;
    Ok(MatchRecord::of(played.record(), Some(game.clone())))
}

/// A match to be played on a thread of its own.
pub(crate) struct Sitting<'s> {
    pub(crate) game: &'s ludex::Game,
    /// Which game it is among those of who invites functions.
    pub(crate) number: usize,
    pub(crate) setup: MatchSetup,
    /// Who sits where, in the order of the seats.
    pub(crate) chairs: Vec<&'s Chair>,
    /// What is played before anybody is asked.
    pub(crate) opening: &'s [Vec<Reply>],
    pub(crate) ponder: bool,
    pub(crate) strict: bool,
    pub(crate) invitation: &'s Invitation,
    /// How many steps were made.
    pub(crate) steps: &'s AtomicUsize,
}

impl Sitting<'_> {
    /// Plays until the match is over, or called off by the flag of the budget.
    pub(crate) fn play(self, budget: Budget) -> Result<Match, Trouble> {
        let cancelled = budget.cancel_flag();
        let mut seated: Vec<Box<dyn players::Player>> = Vec::new();
        let mut guests = Vec::new();
        for (role, chair) in self.game.seats().into_iter().zip(&self.chairs) {
            let seed = self.setup.player_seed(role);
            seated.push(match chair {
                Chair::Strategy(player) => player.made(seed).map_err(Trouble::Strategy)?,
                Chair::Function(function) => {
                    guests.push(role);
                    let number = (*function, self.number);
                    Box::new(self.invitation.guest(number, role, seed, Arc::clone(&cancelled)))
                }
            });
        }
        // Without clocks, the record does not depend on the time.
        let is_timed = self.setup.start_clock.is_some() || self.setup.play_clock.is_some();
        let clock = is_timed.then(|| Arc::new(SystemClock::start()) as Arc<dyn Clock>);
        let table = Table::new(self.game, self.setup, seated, clock, budget.as_whole())?;
        let mut table = table.with_pondering(self.ponder);
        table.prepare();
        for replies in self.opening {
            table.make(replies).map_err(Trouble::Game)?;
        }
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
        Ok(table.into_match())
    }
}
