//! Tournaments: many matches, some at once, and what they say of players.

use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use ludex::game::Rng;
use ludex::logic::Budget;
use ludex::tournament::{
    Fixture, Format, MatchResult, Ongoing, RunningTournament, TournamentEvent, TournamentGame,
    TournamentSetup,
};
use ludex::{Fault, Match, MatchSetup, Reply};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failure;
use crate::game::Game;
use crate::guests::{Desk, Invitation};
use crate::matches::{Chair, Seated, Sitting, Trouble, chairs};
use crate::players::duration;
use crate::progress::ProgressBar;
use crate::records::MatchRecord;
use crate::work;

/// A tournament, as far as it was played. See `_ludex.pyi`.
#[pyclass(module = "ludex")]
pub(crate) struct Tournament {
    competition: RunningTournament,
    desk: Desk,
    hall: Arc<Hall>,
    /// Where matches are ordered, and where those come back that were played. Nobody but this object ever locks it.
    doors: Mutex<Doors>,
    ongoing: Ongoing,
    threads: usize,
    /// What the matches are held to that were ordered since the last interruption.
    budget: Budget,
}

/// The ways from and to the threads that play.
struct Doors {
    orders: Sender<(Fixture, Budget)>,
    played: Receiver<Played>,
}

/// What was played, and what came of it.
type Played = (Fixture, Result<Match, Trouble>);

/// What all matches have in common.
struct Hall {
    games: Vec<Game>,
    chairs: Vec<Chair>,
    /// Names, games, rounds and seeds.
    plan: ludex::tournament::Tournament,
    start_clock: Option<std::time::Duration>,
    play_clock: Option<std::time::Duration>,
    step_limit: u32,
    opening: u32,
    strict: bool,
    invitation: Invitation,
}

#[pymethods]
impl Tournament {
    #[new]
    #[pyo3(signature = (games, players, *, format = "round-robin", rounds = None, seed = 1, threads = 1, legs = None,
        replays = None, attempts = 1, opening = 0, start_clock = None, play_clock = None, step_limit = 1000, strict = true))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        games: &Bound<'_, PyAny>,
        players: &Bound<'_, PyAny>,
        format: &str,
        rounds: Option<u32>,
        seed: u64,
        threads: usize,
        legs: Option<u32>,
        replays: Option<u32>,
        attempts: u32,
        opening: u32,
        start_clock: Option<f64>,
        play_clock: Option<f64>,
        step_limit: u32,
        strict: bool,
    ) -> PyResult<Self> {
        if threads == 0 || threads > MOST_THREADS {
            let why = format!("matches are played on 1 to {MOST_THREADS} threads");
            return Err(PyValueError::new_err(why));
        }
        let format = read_format(py, format)?;
        let games = read_games(py, games)?;
        let (names, seated) = read_players(py, players)?;
        let entry = |game: &Game| TournamentGame {
            name: game.inner.short_name().to_owned(),
            seats: game.inner.seats().len(),
        };
        let usual = if format == Format::Swiss { TournamentSetup::swiss_rounds(names.len()) } else { 1 };
        let plan = ludex::tournament::Tournament {
            players: names,
            games: games.iter().map(entry).collect(),
            rounds: rounds.unwrap_or(usual),
            seed,
        };
        // In brackets two legs let both players have both seats, as in the command.
        let (usual_legs, usual_replays) = if format.is_elimination() { (2, 2) } else { (1, 0) };
        let number = |what: &str, number: u32| {
            NonZeroU32::new(number).ok_or_else(|| PyValueError::new_err(format!("{what} are 1 or more")))
        };
        let setup = TournamentSetup {
            legs: number("legs", legs.unwrap_or(usual_legs))?,
            replays: replays.unwrap_or(usual_replays),
            attempts: number("attempts", attempts)?,
            // Players are made anew for each match, so that any number of matches can go on at once.
            per_player: NonZeroU32::MAX,
            ..TournamentSetup::new(plan.clone(), format)
        };
        let competition = py.detach(|| RunningTournament::new(setup));
        let competition = competition.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let (chairs, functions) = chairs(seated);
        let desk = Desk::new(games.clone(), functions);
        let hall = Arc::new(Hall {
            games,
            chairs,
            plan,
            start_clock: start_clock.map(duration).transpose()?,
            play_clock: play_clock.map(duration).transpose()?,
            step_limit,
            opening,
            strict,
            invitation: desk.invitation(),
        });
        let doors = Mutex::new(open(&hall, threads)?);
        let budget = Budget::unlimited();
        Ok(Self { competition, desk, hall, doors, ongoing: Ongoing::default(), threads, budget })
    }

    /// Plays what is left.
    #[pyo3(signature = (*, progress = false))]
    fn play(mut slf: PyRefMut<'_, Self>, py: Python<'_>, progress: bool) -> PyResult<Py<Self>> {
        let mut bar = ProgressBar::new(py, progress, "matches", Some(slf.known()))?;
        while slf.next_match(py)?.is_some() {
            let (done, known) = (slf.competition.results_as_they_came().len(), slf.known());
            bar.show(py, done, Some(known))?;
        }
        let done = slf.competition.results_as_they_came().len();
        bar.close(py, done)?;
        Ok(slf.into())
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some((fixture, result, record)) = self.next_match(py)? else { return Ok(None) };
        let game = self.hall.games.get(fixture.game).cloned();
        let roles = game.as_ref().map(seat_names).unwrap_or_default();
        let fields = match_fields(py, &result, &roles)?;
        fields.set_item("record", record.map(|record| MatchRecord::of(record.record(), game)))?;
        py.import("ludex.tournaments")?.getattr("TournamentMatch")?.call((), Some(&fields)).map(Some)
    }

    #[getter]
    fn is_over(&self) -> bool {
        self.competition.is_over()
    }

    #[getter]
    fn players(&self) -> Vec<String> {
        self.competition.tournament().players.clone()
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.competition.setup().format.name()
    }

    /// How many matches were played.
    fn __len__(&self) -> usize {
        self.competition.results_as_they_came().len()
    }

    /// One without matches is one, too.
    fn __bool__(&self) -> bool {
        true
    }

    #[pyo3(signature = (what = "players"))]
    fn table<'py>(&self, py: Python<'py>, what: &str) -> PyResult<Bound<'py, PyAny>> {
        let rows = match what {
            "players" => self.player_rows(py)?,
            "matches" => self.match_rows(py)?,
            "pairings" => self.pairing_rows(py)?,
            _ => {
                let why = format!("there is no table `{what}`; there are players, matches, pairings");
                return Err(failure::unknown(py, why));
            }
        };
        py.import("ludex.tournaments")?.getattr("Table")?.getattr("of_rows")?.call1((rows,))
    }

    /// Functions may well know the tournament that they play in.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.desk.functions().iter().try_for_each(|function| visit.call(function))
    }

    /// Ends what is being played: nobody will ask for it.
    fn __clear__(&mut self) {
        self.budget.cancel_flag().store(true, Ordering::Relaxed);
        self.desk.forget();
    }

    fn __repr__(&self) -> String {
        let plan = self.competition.tournament();
        let over = if self.is_over() { "over" } else { "not over" };
        let (format, players) = (self.format(), plan.players.len());
        format!("<ludex.Tournament {format}, {players} players, {} matches played, {over}>", self.__len__())
    }
}

/// More threads than this are not asked for by intention.
const MOST_THREADS: usize = 1024;

impl Tournament {
    /// How many matches there are, as far as that is known.
    fn known(&self) -> usize {
        self.competition.results_as_they_came().len() + self.competition.open_matches()
    }

    /// The next match that is played; `None` when all are.
    fn next_match(&mut self, py: Python<'_>) -> PyResult<Option<(Fixture, MatchResult, Option<Match>)>> {
        self.desk.attend();
        loop {
            self.order();
            if self.ongoing.running.is_empty() {
                return Ok(None);
            }
            let played = self.doors.get_mut().unwrap_or_else(PoisonError::into_inner).played.try_recv();
            if let Ok((fixture, outcome)) = played {
                // One of before an interruption was given up.
                if !self.ongoing.running.contains(&fixture) {
                    continue;
                }
                self.ongoing.running.retain(|running| *running != fixture);
                return self.take(py, fixture, outcome).map(Some);
            }
            if let Err(error) = py.check_signals().and_then(|()| self.desk.answer_all(py)) {
                self.interrupt();
                return Err(error);
            }
            py.detach(|| std::thread::park_timeout(work::LOOK));
        }
    }

    /// Orders as many matches as can be played at once.
    fn order(&mut self) {
        let free = self.threads.saturating_sub(self.ongoing.running.len());
        let doors = self.doors.get_mut().unwrap_or_else(PoisonError::into_inner);
        for fixture in self.competition.next(&self.ongoing, free) {
            if doors.orders.send((fixture.clone(), self.budget.clone())).is_ok() {
                self.ongoing.running.push(fixture);
            }
        }
    }

    /// Takes in what came of a match.
    fn take(
        &mut self,
        py: Python<'_>,
        fixture: Fixture,
        outcome: Result<Match, Trouble>,
    ) -> PyResult<(Fixture, MatchResult, Option<Match>)> {
        let plan = self.competition.tournament();
        let (result, played) = match outcome {
            Ok(played) => (MatchResult::of(plan, &fixture, &played), Some(played)),
            Err(trouble @ Trouble::Answer(..)) => {
                self.interrupt();
                return Err(trouble.raised(py));
            }
            Err(trouble) => {
                (MatchResult::failed(plan, &fixture, trouble.raised(py).value(py).to_string()), None)
            }
        };
        let applied = self.competition.apply(&TournamentEvent::Finished(result.clone()));
        applied.map_err(|error| failure::other(py, error.to_string()))?;
        Ok((fixture, result, played))
    }

    /// Gives up what is being played. It is played anew when the tournament goes on.
    fn interrupt(&mut self) {
        self.budget.cancel_flag().store(true, Ordering::Relaxed);
        self.budget = Budget::unlimited();
        self.ongoing.running.clear();
        // Those who wait for an answer are called off before the next are asked.
        let doors = self.doors.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Ok(fresh) = open(&self.hall, self.threads) {
            *doors = fresh;
        }
    }

    fn player_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let standings = py.detach(|| self.competition.standings());
        let ranking = self.competition.ranking();
        let rows = PyList::empty(py);
        for ranked in &ranking {
            let row = PyDict::new(py);
            row.set_item("rank", ranked.rank)?;
            row.set_item("player", &ranked.player)?;
            row.set_item("points", ranked.points)?;
            row.set_item("won", ranked.won)?;
            row.set_item("drawn", ranked.drawn)?;
            row.set_item("lost", ranked.lost)?;
            if let Some(standing) = standings.players.iter().find(|one| one.player == ranked.player) {
                row.set_item("rating", standing.rating.elo)?;
                row.set_item("rating_low", standing.rating.low)?;
                row.set_item("rating_high", standing.rating.high)?;
                row.set_item("matches", standing.matches)?;
                row.set_item("goals", standing.goals)?;
                row.set_item("share", standing.share.map(|share| share.mean))?;
                row.set_item("share_low", standing.share.map(|share| share.low))?;
                row.set_item("share_high", standing.share.map(|share| share.high))?;
                row.set_item("aborted", standing.aborted)?;
                row.set_item("faults", standing.faults.all())?;
            }
            rows.append(row)?;
        }
        Ok(rows)
    }

    /// A row for each seat of each match.
    fn match_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for (number, result) in self.competition.results().into_iter().enumerate() {
            let game = self.hall.games.iter().find(|game| game.inner.short_name() == result.game);
            let roles = game.map(seat_names).unwrap_or_default();
            for (seat, player) in result.players.iter().enumerate() {
                let row = PyDict::new(py);
                row.set_item("match", number)?;
                row.set_item("game", &result.game)?;
                row.set_item("round", result.round)?;
                row.set_item("seed", result.seed)?;
                row.set_item("role", roles.get(seat))?;
                row.set_item("player", player)?;
                row.set_item("goal", result.goals.get(seat).copied().flatten())?;
                row.set_item("steps", result.steps)?;
                row.set_item("faults", result.faults.get(seat).map(|faults| faults.all()))?;
                row.set_item("aborted", &result.aborted)?;
                rows.append(row)?;
            }
        }
        Ok(rows)
    }

    /// Each player against each other.
    fn pairing_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let standings = py.detach(|| self.competition.standings());
        let rows = PyList::empty(py);
        for pairing in &standings.pairings {
            let row = PyDict::new(py);
            row.set_item("player", &pairing.player)?;
            row.set_item("opponent", &pairing.opponent)?;
            row.set_item("matches", pairing.matches)?;
            row.set_item("goals", pairing.goals)?;
            row.set_item("opponent_goals", pairing.opponent_goals)?;
            row.set_item("share", pairing.share.mean)?;
            row.set_item("share_low", pairing.share.low)?;
            row.set_item("share_high", pairing.share.high)?;
            rows.append(row)?;
        }
        Ok(rows)
    }
}

impl Drop for Tournament {
    fn drop(&mut self) {
        // Threads that play end with their matches, and those end at once.
        self.budget.cancel_flag().store(true, Ordering::Relaxed);
    }
}

/// What `ludex.tournaments.TournamentMatch` is made of.
fn match_fields<'py>(
    py: Python<'py>,
    result: &MatchResult,
    roles: &[String],
) -> PyResult<Bound<'py, PyDict>> {
    let by_role = PyDict::new(py);
    let goals = PyDict::new(py);
    for (seat, role) in roles.iter().enumerate() {
        by_role.set_item(role, result.players.get(seat))?;
        goals.set_item(role, result.goals.get(seat).copied().flatten())?;
    }
    let fields = PyDict::new(py);
    fields.set_item("game", &result.game)?;
    fields.set_item("round", result.round)?;
    fields.set_item("seed", result.seed)?;
    fields.set_item("players", by_role)?;
    fields.set_item("goals", goals)?;
    fields.set_item("steps", result.steps)?;
    fields.set_item("faults", result.faults.iter().map(|faults| faults.all()).sum::<u64>())?;
    fields.set_item("aborted", &result.aborted)?;
    Ok(fields)
}

/// The roles that somebody plays.
fn seat_names(game: &Game) -> Vec<String> {
    game.inner.seats().into_iter().map(|role| game.inner.role_name(role)).collect()
}

/// Opens the doors: threads that play what is ordered until the doors are gone.
fn open(hall: &Arc<Hall>, threads: usize) -> PyResult<Doors> {
    let (orders, to_play) = channel();
    let (answers, played) = channel();
    let to_play = Arc::new(Mutex::new(to_play));
    for number in 0..threads {
        let (hall, to_play, answers) = (Arc::clone(hall), Arc::clone(&to_play), answers.clone());
        let begun = std::thread::Builder::new().spawn(move || while play_one(&hall, &to_play, &answers) {});
        match begun {
            // Fewer threads play as well, as long as there is one.
            Err(error) if number == 0 => return Err(error.into()),
            Err(_) => break,
            Ok(_) => {}
        }
    }
    Ok(Doors { orders, played })
}

/// Waits for the next match to play, and plays it; whether there may be another one.
fn play_one(hall: &Hall, to_play: &Mutex<Receiver<(Fixture, Budget)>>, answers: &Sender<Played>) -> bool {
    let next = to_play.lock().unwrap_or_else(PoisonError::into_inner).recv();
    let Ok((fixture, budget)) = next else { return false };
    // Somebody waits for what comes of it, whatever happens; nothing that a match leaves half done outlives it.
    let played = catch_unwind(AssertUnwindSafe(|| hall.play(&fixture, budget)));
    let outcome = played.unwrap_or(Err(Trouble::BrokeDown));
    let is_heard = answers.send((fixture, outcome)).is_ok();
    hall.invitation.wake();
    is_heard
}

impl Hall {
    /// Plays a match.
    fn play(&self, fixture: &Fixture, budget: Budget) -> Result<Match, Trouble> {
        let game = &self.games[fixture.game].inner;
        let setup = MatchSetup {
            id: format!("{}.{}.{}", game.short_name(), fixture.round, fixture.seed),
            seed: fixture.seed,
            start_clock: self.start_clock,
            play_clock: self.play_clock,
            bank: None,
            time_cost: None,
            step_limit: Some(self.step_limit),
            start_time: None,
            player_names: self.plan.seated(fixture),
        };
        let opening = opening(game, &setup, self.opening, self.plan.opening_seed(fixture))?;
        let sitting = Sitting {
            game,
            number: fixture.game,
            setup,
            chairs: fixture.seating.iter().map(|&player| &self.chairs[player]).collect(),
            opening: &opening,
            ponder: false,
            strict: self.strict,
            invitation: &self.invitation,
            steps: &AtomicUsize::new(0),
        };
        sitting.play(budget)
    }
}

/// Random moves of all roles, step by step, after which the match goes on; fewer where it would be over.
fn opening(
    game: &ludex::Game,
    setup: &MatchSetup,
    steps: u32,
    seed: u64,
) -> Result<Vec<Vec<Reply>>, Trouble> {
    let mut opening = Vec::new();
    if steps == 0 {
        return Ok(opening);
    }
    let mut rng = Rng::from_seed(seed);
    let mut trial = Match::new(game.rules().clone(), setup.clone()).map_err(Trouble::Game)?;
    for _ in 0..steps {
        let reply = |role| rng.pick(trial.legal(role)).copied().ok_or(Fault::Timeout);
        let replies: Vec<Reply> = game.roles().map(reply).collect();
        if trial.submit(&replies, None).is_err() || trial.is_over() {
            break;
        }
        opening.push(replies);
    }
    Ok(opening)
}

/// A format by its name, also as the command calls it.
fn read_format(py: Python<'_>, name: &str) -> PyResult<Format> {
    let named = match name {
        "single" => Some(Format::SingleElimination),
        "double" => Some(Format::DoubleElimination),
        _ => name.parse().ok().filter(|format: &Format| !format.is_endless()),
    };
    named.ok_or_else(|| {
        let known: Vec<&str> =
            Format::ALL.into_iter().filter(|format| !format.is_endless()).map(Format::name).collect();
        failure::unknown(py, format!("there is no format `{name}`; there are {}", known.join(", ")))
    })
}

/// Games, or their names; one alone, too.
fn read_games(py: Python<'_>, games: &Bound<'_, PyAny>) -> PyResult<Vec<Game>> {
    let one = |game: &Bound<'_, PyAny>| match game.extract::<String>() {
        Ok(name) => py.get_type::<Game>().call1((name,))?.extract::<Game>().map_err(PyErr::from),
        Err(_) => game.extract::<Game>().map_err(PyErr::from),
    };
    if games.is_instance_of::<Game>() || games.extract::<String>().is_ok() {
        return Ok(vec![one(games)?]);
    }
    games.try_iter()?.map(|game| one(&game?)).collect()
}

/// Players with their names: those they are given in a dict, or what they are called anyway.
fn read_players(py: Python<'_>, players: &Bound<'_, PyAny>) -> PyResult<(Vec<String>, Vec<Seated>)> {
    let mut named = Vec::new();
    if let Ok(by_name) = players.cast::<PyDict>() {
        for (name, player) in by_name {
            named.push((name.extract()?, Seated::read(&player)?));
        }
    } else {
        for player in players.try_iter()? {
            let seated = Seated::read(&player?)?;
            named.push((seated.name(py), seated));
        }
    }
    Ok(named.into_iter().unzip())
}
