//! A game in real time that one can let go on.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ludex::game::{GameError, PausedTimeline, RoleId, TimedError, TimelineOptions};
use ludex::gdl::GameTime;
use ludex::logic::Budget;
use ludex::matches::TimedRecordEvent;
use pyo3::prelude::*;

use crate::failure;
use crate::timed::{TimedGame, decimal, event_object, read_time};
use crate::work;

/// The same where it runs.
type Running<'m> = ludex::game::Timeline<'m>;

/// A game in real time at some moment. See `_ludex.pyi`.
#[pyclass(module = "ludex")]
pub(crate) struct Timeline {
    game: TimedGame,
    seed: u64,
    /// What was done so far: it leads here again, on another machine too.
    log: Vec<Happening>,
    /// Nothing after work that was called off: then it is made again.
    place: Option<Place>,
}

/// A moment of a game, put aside.
struct Place {
    paused: PausedTimeline,
    /// Ends the work on it.
    cancel: Arc<AtomicBool>,
}

/// Something that was let happen.
#[derive(Clone, Debug, PartialEq)]
enum Happening {
    /// Time passed up to this moment.
    Advance(GameTime),
    /// Roles moved.
    Moves(Vec<(RoleId, String)>),
}

/// A happening as it is pickled: the time as text, or moves by role.
#[derive(FromPyObject, IntoPyObject)]
enum Told {
    Time(String),
    Moves(BTreeMap<String, String>),
}

/// What makes a timeline again, and of what.
type Pickled<'py> = (Bound<'py, PyAny>, (TimedGame, u64, Vec<Told>));

#[pymethods]
impl Timeline {
    #[getter]
    fn game(&self) -> TimedGame {
        self.game.clone()
    }

    #[getter]
    fn now<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let now = self.ask(py, |timeline| Ok(timeline.now()))?;
        decimal(py, now)
    }

    #[getter]
    fn is_over(&mut self, py: Python<'_>) -> PyResult<bool> {
        self.ask(py, |timeline| Ok(timeline.is_over()))
    }

    /// What holds, with the time that is left of it.
    #[getter]
    fn facts<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<(String, Option<Bound<'py, PyAny>>)>> {
        let facts = self.ask(py, |timeline| {
            let machine = timeline.machine();
            let fact = |&(lifetime, fact): &(ludex::gdl::Lifetime, _)| {
                // Of a lifetime that ends now nothing is left.
                let left = lifetime.time().map(|_| {
                    timeline.left(lifetime).and_then(ludex::gdl::Lifetime::time).unwrap_or(GameTime::ZERO)
                });
                (machine.text(fact), left)
            };
            Ok(timeline.state().facts().iter().map(fact).collect::<Vec<_>>())
        })?;
        facts
            .into_iter()
            .map(|(fact, left)| Ok((fact, left.map(|left| decimal(py, left)).transpose()?)))
            .collect()
    }

    fn legal(&mut self, py: Python<'_>, role: &str) -> PyResult<Vec<String>> {
        let role = self.role(py, role)?;
        self.ask(py, |timeline| {
            let machine = timeline.machine();
            Ok(timeline.legal(role)?.iter().map(|&action| machine.text(action)).collect())
        })
    }

    fn goals(&mut self, py: Python<'_>) -> PyResult<BTreeMap<String, Option<u32>>> {
        let goals = self.ask(py, |timeline| timeline.goals())?;
        Ok(self.game.roles().into_iter().zip(goals).collect())
    }

    /// When something expires next.
    #[getter]
    fn next_expiry<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let next = self.ask(py, |timeline| Ok(timeline.next_expiry()))?;
        next.map(|next| decimal(py, next)).transpose()
    }

    fn advance(&mut self, py: Python<'_>, time: &Bound<'_, PyAny>) -> PyResult<()> {
        let by = read_time(time)?;
        let now = self.ask(py, |timeline| Ok(timeline.now()))?;
        let to = now.checked_add(by).ok_or_else(|| failure::of_timed(py, &TimedError::TooLate))?;
        self.let_happen(py, Happening::Advance(to))
    }

    fn advance_to(&mut self, py: Python<'_>, time: &Bound<'_, PyAny>) -> PyResult<()> {
        self.let_happen(py, Happening::Advance(read_time(time)?))
    }

    /// Lets time pass until something happens; whether something did.
    fn wait(&mut self, py: Python<'_>) -> PyResult<bool> {
        let next = self.ask(py, |timeline| {
            // What `random` is going to do comes as it would to a player: unforeseen.
            let due = timeline.pending().map(|pending| pending.due);
            let next = [timeline.next_expiry(), due].into_iter().flatten().min();
            Ok(next.filter(|_| !timeline.is_over()))
        })?;
        next.map_or(Ok(false), |next| self.let_happen(py, Happening::Advance(next)).map(|()| true))
    }

    fn play(&mut self, py: Python<'_>, moves: BTreeMap<String, String>) -> PyResult<()> {
        let moves = moves.into_iter().map(|(role, action)| Ok((self.role(py, &role)?, action)));
        let moves = moves.collect::<PyResult<Vec<_>>>()?;
        self.let_happen(py, Happening::Moves(moves))
    }

    /// What happened so far.
    #[getter]
    fn events<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let (rules, roles) = (self.game.inner.clone(), self.game.roles());
        let events = self.ask(py, |timeline| {
            Ok(timeline.history().iter().map(|event| TimedRecordEvent::of(&rules, event)).collect::<Vec<_>>())
        })?;
        events.iter().map(|event| event_object(py, &roles, event)).collect()
    }

    fn copy(&self) -> Self {
        Self { game: self.game.clone(), seed: self.seed, log: self.log.clone(), place: None }
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    fn __repr__(&mut self, py: Python<'_>) -> PyResult<String> {
        let now = self.ask(py, |timeline| Ok(timeline.now()))?;
        Ok(format!("<ludex.Timeline of {} at {now}>", self.game.inner.short_name()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        let again = py.import("ludex")?.getattr("_timeline_again")?;
        let roles = self.game.roles();
        let told = self.log.iter().map(|happening| match happening {
            Happening::Advance(to) => Told::Time(to.to_string()),
            Happening::Moves(moves) => {
                let named = |(role, action): &(RoleId, String)| {
                    (roles.get(role.index()).cloned().unwrap_or_default(), action.clone())
                };
                Told::Moves(moves.iter().map(named).collect())
            }
        });
        Ok((again, (self.game.clone(), self.seed, told.collect())))
    }
}

impl Timeline {
    /// A game at its start.
    pub(crate) fn begun(py: Python<'_>, game: &TimedGame, seed: u64) -> PyResult<Self> {
        let mut timeline = Self { game: game.clone(), seed, log: Vec::new(), place: None };
        timeline.ask(py, |_| Ok(()))?;
        Ok(timeline)
    }

    fn role(&self, py: Python<'_>, name: &str) -> PyResult<RoleId> {
        let found = self.game.inner.machine().find_role(name);
        found.ok_or_else(|| failure::unknown(py, format!("there is no role `{name}`")))
    }

    fn let_happen(&mut self, py: Python<'_>, happening: Happening) -> PyResult<()> {
        let (done, has_changed) = self.ask(py, |timeline| {
            let before = (timeline.now(), timeline.history().len());
            let done = happen(timeline, &happening);
            Ok((done, before != (timeline.now(), timeline.history().len())))
        })?;
        match done {
            Ok(()) => {
                self.log.push(happening);
                Ok(())
            }
            Err(error) => {
                if has_changed {
                    // Part of it has happened: the moment is made again without it.
                    self.place = None;
                }
                Err(failure::of_timed(py, &error))
            }
        }
    }

    /// Works on the game, with other threads of Python at work meanwhile.
    fn ask<T: Send>(
        &mut self,
        py: Python<'_>,
        question: impl FnOnce(&mut Running<'_>) -> Result<T, TimedError> + Send,
    ) -> PyResult<T> {
        let place = self.place.take();
        let budget = Budget::unlimited().with_own_cancel_flag();
        let cancel = place.as_ref().map_or_else(|| budget.cancel_flag(), |place| Arc::clone(&place.cancel));
        let (machine, seed, log) = (Arc::clone(self.game.inner.machine()), self.seed, &self.log);
        let worked = work::done_until(
            py,
            &cancel,
            |_| Ok(()),
            || {
                let mut timeline = match place {
                    Some(place) => place.paused.take_up(&*machine)?,
                    None => {
                        let options = TimelineOptions { budget, seed, ..TimelineOptions::default() };
                        let mut timeline = Running::new(&*machine, &options)?;
                        log.iter().try_for_each(|happening| happen(&mut timeline, happening))?;
                        timeline
                    }
                };
                let answer = question(&mut timeline);
                Ok((timeline.put_aside(), answer))
            },
        )?;
        let (paused, answer) = worked.map_err(|error: TimedError| failure::of_timed(py, &error))?;
        self.place = (!cancel.load(Ordering::Relaxed)).then_some(Place { paused, cancel });
        answer.map_err(|error| failure::of_timed(py, &error))
    }
}

fn happen(timeline: &mut Running<'_>, happening: &Happening) -> Result<(), TimedError> {
    match happening {
        Happening::Advance(to) => timeline.advance_to(*to),
        Happening::Moves(moves) => {
            if timeline.is_over() {
                return Err(GameError::Over.into());
            }
            let machine = timeline.machine();
            let mut found = Vec::new();
            for (role, action) in moves {
                if Some(*role) == machine.random() {
                    return Err(TimedError::OfChance { action: action.clone() });
                }
                found.push((*role, timeline.find_move(*role, action)?));
            }
            timeline.submit(&found)
        }
    }
}
