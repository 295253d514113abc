//! Players: strategies by name, and what they say about a decision.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ludex::game::{RoleId, TimeTerms};
use ludex::logic::{Budget, TermId};
use ludex::players::{self, Choice, News, PlayerError, Registry, Report, Resources, Seat, StrategyError};
use ludex::{Game, SystemClock};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use crate::failure;
use crate::position::Position;
use crate::work;

/// Something that a strategy can be told, by its name: the default, and what it means.
type Options = BTreeMap<&'static str, (&'static str, &'static str)>;

/// What there is to say of a strategy. See `_ludex.pyi`.
#[pyclass(frozen, get_all, module = "ludex")]
pub(crate) struct Strategy {
    name: &'static str,
    description: &'static str,
    options: Options,
}

#[pymethods]
impl Strategy {
    fn __repr__(&self) -> String {
        format!("<ludex.Strategy {}: {}>", self.name, self.description)
    }
}

/// The strategies that players can be made of.
#[pyfunction]
pub(crate) fn strategies() -> Vec<Strategy> {
    let registry = Registry::default();
    let strategy = |info: &players::StrategyInfo| Strategy {
        name: info.name,
        description: info.description,
        options: info
            .options
            .iter()
            .map(|option| (option.name, (option.default, option.description)))
            .collect(),
    };
    registry.strategies().map(strategy).collect()
}

/// How long a player may think where no clock of a match says so.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    /// It was not said: a second, for those who search.
    Usual,
    /// For ever.
    Unlimited,
    /// So long.
    Limit(Duration),
}

/// The time for a decision where nothing is said.
const USUAL_TIME: Duration = Duration::from_secs(1);

impl Pace {
    fn read(seconds: Option<f64>) -> PyResult<Self> {
        match seconds {
            None => Ok(Self::Usual),
            Some(f64::INFINITY) => Ok(Self::Unlimited),
            Some(seconds) => Ok(Self::Limit(duration(seconds)?)),
        }
    }

    /// As Python has it.
    fn seconds(self) -> Option<f64> {
        match self {
            Self::Usual => None,
            Self::Unlimited => Some(f64::INFINITY),
            Self::Limit(limit) => Some(limit.as_secs_f64()),
        }
    }
}

/// A number of seconds.
pub(crate) fn duration(seconds: f64) -> PyResult<Duration> {
    let read = Duration::try_from_secs_f64(seconds);
    read.map_err(|_| PyValueError::new_err("a time is a number of seconds, 0 or more"))
}

/// A strategy with its options, and what it may use. See `_ludex.pyi`.
#[pyclass(frozen, eq, module = "ludex")]
#[derive(Clone, PartialEq)]
pub(crate) struct Player {
    /// The name with the options, as commands take it.
    pub(crate) text: String,
    pace: Pace,
    start: Pace,
    seed: Option<u64>,
    threads: usize,
    memory: usize,
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (name, *, time = None, start_time = None, seed = None, threads = 1, memory = 1_073_741_824, **options))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        name: &str,
        time: Option<f64>,
        start_time: Option<f64>,
        seed: Option<u64>,
        threads: usize,
        memory: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut text = name.to_owned();
        for (option, value) in options.into_iter().flatten() {
            text.push_str(&format!(":{}={}", option.extract::<String>()?, option_text(&value)?));
        }
        if threads == 0 {
            return Err(PyValueError::new_err("a player needs a thread to search on"));
        }
        let (pace, start) = (Pace::read(time)?, Pace::read(start_time)?);
        let player = Self { text, pace, start, seed, threads, memory };
        player.made(1).map_err(|error| of_strategy(py, &error))?;
        Ok(player)
    }

    /// The name of the strategy with its options.
    #[getter]
    fn name(&self) -> &str {
        &self.text
    }

    #[getter]
    fn time(&self) -> Option<f64> {
        self.pace.seconds()
    }

    #[getter]
    fn start_time(&self) -> Option<f64> {
        self.start.seconds()
    }

    #[getter]
    fn seed(&self) -> Option<u64> {
        self.seed
    }

    #[pyo3(signature = (position, role = None))]
    fn choose(&self, py: Python<'_>, position: &Position, role: Option<&str>) -> PyResult<String> {
        Ok(self.consider(py, position, role)?.action)
    }

    #[pyo3(signature = (position, role = None))]
    fn __call__(&self, py: Python<'_>, position: &Position, role: Option<&str>) -> PyResult<String> {
        self.choose(py, position, role)
    }

    #[pyo3(signature = (position, role = None))]
    fn consider(&self, py: Python<'_>, position: &Position, role: Option<&str>) -> PyResult<Thought> {
        let (game, role) = (position.rules(), position.asked(py, role)?);
        let news = position.news(py, role)?;
        let seat = game.seat(role);
        let mut player = self.made(1).map_err(|error| of_strategy(py, &error))?;
        let chosen = work::done(py, Budget::unlimited(), |budget| {
            player.prepare(seat, &budget)?;
            news.iter().for_each(|news| player.observe(news));
            player.choose(&budget)
        })?;
        let Choice { action, report } = chosen.map_err(|error| of_player(py, &error))?;
        Ok(Thought::of(&game, game.text(action), &report))
    }

    fn __repr__(&self) -> String {
        format!("<ludex.Player {}>", self.text)
    }

    /// What makes the same player from a pickled one.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((String,), Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        keywords.set_item("time", self.pace.seconds())?;
        keywords.set_item("start_time", self.start.seconds())?;
        keywords.set_item("seed", self.seed)?;
        keywords.set_item("threads", self.threads)?;
        keywords.set_item("memory", self.memory)?;
        Ok(((self.text.clone(),), keywords))
    }
}

impl Player {
    /// A strategy written as commands take it, with everything else as usual.
    pub(crate) fn named(py: Python<'_>, text: &str) -> PyResult<Self> {
        Self::new(py, text, None, None, None, 1, 1 << 30, None)
    }

    /// A player for one match; `seed` counts where it has none of its own.
    pub(crate) fn made(&self, seed: u64) -> Result<Box<dyn players::Player>, StrategyError> {
        let resources = Resources {
            seed: self.seed.unwrap_or(seed),
            memory: self.memory,
            threads: self.threads,
            ..Resources::default()
        };
        let player = Registry::default().create(&self.text, &resources)?;
        let usual = if self.takes_its_time() { Pace::Limit(USUAL_TIME) } else { Pace::Unlimited };
        let is_usual = self.pace == Pace::Usual;
        let play = if is_usual { usual } else { self.pace };
        let start = if self.start == Pace::Usual { play } else { self.start };
        let clock = Arc::new(SystemClock::start());
        Ok(Box::new(Paced {
            player,
            clock,
            start,
            play,
            is_usual,
            is_usual_start: is_usual && self.start == Pace::Usual,
        }))
    }

    /// Whether it thinks for as long as it may.
    fn takes_its_time(&self) -> bool {
        !matches!(self.text.split(':').next(), Some("legal" | "random"))
    }
}

/// An option as commands take it.
fn option_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(switch) = value.cast::<PyBool>() {
        return Ok(if switch.is_true() { "on" } else { "off" }.to_owned());
    }
    if !(value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>())
    {
        return Err(PyTypeError::new_err("an option of a strategy is a text, a number or a bool"));
    }
    let text = value.str()?.to_cow()?.into_owned();
    if text.contains(':') {
        return Err(PyValueError::new_err(format!("`{text}` is not a value for an option: it has a colon")));
    }
    Ok(text)
}

/// Why there is no such player.
pub(crate) fn of_strategy(py: Python<'_>, error: &StrategyError) -> PyErr {
    match error {
        StrategyError::Unknown { .. } | StrategyError::Option { .. } => {
            failure::unknown(py, error.to_string())
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Why a player has no move.
fn of_player(py: Python<'_>, error: &PlayerError) -> PyErr {
    match error {
        PlayerError::Belief(error) => failure::of_belief(py, error),
        error => failure::other(py, error.to_string()),
    }
}

/// A player that keeps to a time of its own, where the clock of a match is not shorter.
struct Paced {
    player: Box<dyn players::Player>,
    clock: Arc<SystemClock>,
    start: Pace,
    play: Pace,
    /// Nobody asked for this pace: the clock of a match is what counts.
    is_usual: bool,
    is_usual_start: bool,
}

impl Paced {
    fn within(&self, budget: &Budget, pace: Pace, is_usual: bool) -> Budget {
        match (pace, budget.time_left()) {
            (Pace::Limit(own), left) if left.is_none_or(|left| !is_usual && own < left) => {
                budget.clone().with_time(self.clock.clone(), own)
            }
            _ => budget.clone(),
        }
    }
}

impl players::Player for Paced {
    fn introduce(&mut self, introduction: &players::Introduction) {
        self.player.introduce(introduction);
    }

    fn hear_time(&mut self, terms: &TimeTerms) {
        self.player.hear_time(terms);
    }

    fn first_thought(&mut self, budget: &Budget) -> Option<TermId> {
        self.player.first_thought(budget)
    }

    fn tree_dot(&self, nodes: usize) -> Option<String> {
        self.player.tree_dot(nodes)
    }

    fn learned(&self) -> Option<players::TrainedEvaluation> {
        self.player.learned()
    }

    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError> {
        self.player.prepare(seat, &self.within(budget, self.start, self.is_usual_start))
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        self.player.choose(&self.within(budget, self.play, self.is_usual))
    }

    fn observe(&mut self, news: &News) {
        self.player.observe(news);
    }

    fn ponder(&mut self, budget: &Budget) {
        self.player.ponder(budget);
    }

    fn finish(&mut self, outcome: &players::Outcome) {
        self.player.finish(outcome);
    }
}

/// What a player thinks of a move. See `_ludex.pyi`.
#[pyclass(frozen, get_all, eq, module = "ludex")]
#[derive(Clone, PartialEq)]
pub(crate) struct RatedMove {
    #[pyo3(name = "move")]
    pub(crate) action: String,
    pub(crate) value: Option<f64>,
    pub(crate) visits: u64,
    pub(crate) proven: Option<u32>,
}

#[pymethods]
impl RatedMove {
    fn __repr__(&self) -> String {
        let Self { action, value, visits, proven } = self;
        let value = value.map_or_else(|| "None".to_owned(), |value| format!("{value:.1}"));
        let proven = proven.map_or_else(|| "None".to_owned(), |goal| goal.to_string());
        format!("RatedMove(move='{action}', value={value}, visits={visits}, proven={proven})")
    }
}

/// A move with what the player says about it. See `_ludex.pyi`.
#[pyclass(frozen, get_all, module = "ludex")]
pub(crate) struct Thought {
    #[pyo3(name = "move")]
    pub(crate) action: String,
    pub(crate) entries: Vec<(String, String)>,
    pub(crate) moves: Vec<RatedMove>,
    pub(crate) variation: Vec<Vec<String>>,
    pub(crate) policy: BTreeMap<String, f64>,
}

impl Thought {
    fn of(game: &Game, action: String, report: &Report) -> Self {
        let rated = report.moves.iter().map(|rating| RatedMove {
            action: game.text(rating.action),
            value: rating.value,
            visits: rating.visits,
            proven: rating.proven,
        });
        Self {
            action,
            entries: report.entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
            moves: rated.collect(),
            variation: report.variation.iter().map(|joint| game.texts(joint)).collect(),
            policy: report.policy.iter().map(|&(action, weight)| (game.text(action), weight)).collect(),
        }
    }
}

#[pymethods]
impl Thought {
    /// What the player expects of the move that it chose.
    #[getter]
    fn value(&self) -> Option<f64> {
        self.moves.iter().find(|rated| rated.action == self.action).and_then(|rated| rated.value)
    }

    fn __str__(&self) -> &str {
        &self.action
    }

    fn __repr__(&self) -> String {
        let said: Vec<String> = self.entries.iter().map(|(name, value)| format!("{name} {value}")).collect();
        format!("<ludex.Thought {}: {}>", self.action, said.join(", "))
    }
}

/// What a role was told on the way to a position.
pub(crate) fn news_of(game: &Game, position: &ludex::Position, role: RoleId) -> Vec<News> {
    let joints = position.joints().into_iter().take(position.step());
    if game.has_perfect_information() {
        return joints.map(News::Joint).collect();
    }
    let mut on_the_way = position.clone();
    let told = joints.enumerate().map(|(step, joint)| {
        on_the_way.jump(step + 1);
        News::Percepts { action: joint[role.index()], percepts: on_the_way.percepts(role).to_vec() }
    });
    told.collect()
}
