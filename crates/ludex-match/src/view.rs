//! What may be seen of a match: the only way from the true state to what a seat, a spectator, a replay or
//! a live event shows.
//!
//! In GDL everybody sees everything. In GDL-II (book 17)
//! - a seat sees its own moves, what it saw, what it did wrong, and its legal moves: rules that are any
//!   good let a player know these (book 17.3). It never sees the state;
//! - a spectator sees that steps are made, until the match is over, and then everything: whoever could look
//!   on could also tell a player. A replay is for spectators;
//! - clocks and the times that players took are no secret.
//!
//! A step is seen when it is written, as in messages. All terms are in prefix notation and in the words of
//! the game, even where a seat is scrambled.

mod source;

use std::fmt;

use ludex_game::{Goal, RoleId};
use serde::Serialize;

use crate::course::{Match, MatchStatus};
use crate::record::MatchRecord;
use crate::referee::{Moment, Referee, SeatNumber};
use source::Source;

/// Who looks at a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// The player of a seat.
    Seat(SeatNumber),
    /// Anybody else; and whoever looks at a replay.
    Spectator,
    /// Who may see everything, such as the organiser.
    Referee,
}

/// What somebody may see of a match. It looks at the match only when it is asked, and gives out nothing but
/// what the viewer may see.
pub struct View<'a> {
    source: Box<dyn Source + 'a>,
    viewer: Viewer,
    roles: usize,
    /// The role of the viewer, if it has one.
    role: Option<RoleId>,
    over: bool,
    /// Whether something is hidden from the viewer.
    partial: bool,
    clocks: Vec<SeatClock>,
    rewards: Option<Vec<Option<f64>>>,
}

/// What may be seen of a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StateView {
    /// The number of steps before it.
    pub step: usize,
    /// The facts that hold; `None` where they are hidden.
    pub facts: Option<Vec<String>>,
    /// The legal moves of each role in canonical order; `None` where they are hidden.
    pub legal: Vec<Option<Vec<String>>>,
    /// What the state is worth to each role, and `None` where the rules do not say so; `None` for all where
    /// that is hidden.
    pub goals: Option<Vec<Option<Goal>>>,
    /// When it came about, in milliseconds since 1970.
    pub time: Option<u64>,
}

/// What may be seen of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StepView {
    /// The number of steps before it.
    pub step: usize,
    /// The move of each role; `None` where it is hidden.
    pub moves: Vec<Option<String>>,
    /// What each role saw (GDL-II); `None` where it is hidden.
    pub percepts: Vec<Option<Vec<String>>>,
    /// What went wrong, as records write it, and empty where nothing did; `None` where it is hidden.
    pub errors: Vec<Option<String>>,
    /// How many milliseconds each role took; `None` where nobody asked it or looked at a clock.
    pub times: Vec<Option<u64>>,
}

/// The clock of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SeatClock {
    /// Whose.
    pub seat: SeatNumber,
    /// Its role.
    pub role: String,
    /// The player.
    pub player: String,
    /// How many milliseconds are left to answer; `None` where the seat is not awaited.
    pub left: Option<u64>,
    /// How many milliseconds are left on its cumulative clock, if it has one, as after the last step.
    pub bank: Option<u64>,
}

/// What may be seen of a match: all at once, to be sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Snapshot {
    /// The name of the match.
    pub match_id: String,
    /// The name of the game, where it is known.
    pub game: Option<String>,
    /// The roles in order.
    pub roles: Vec<String>,
    /// Who plays them.
    pub players: Vec<String>,
    /// Whether a terminal state was reached.
    pub is_completed: bool,
    /// Why the match ended early, if it did.
    pub aborted: Option<String>,
    /// What went wrong before the first move, as in a step.
    pub start_errors: Vec<Option<String>>,
    /// The steps so far.
    pub steps: Vec<StepView>,
    /// The present state.
    pub state: StateView,
    /// The clocks, while the match runs.
    pub clocks: Vec<SeatClock>,
    /// What the match brought to each role, where thinking cost something.
    pub rewards: Option<Vec<Option<f64>>>,
}

impl Referee {
    /// What somebody may see of the match now.
    pub fn view(&self, now: Moment, viewer: Viewer) -> View<'_> {
        let mut view = View::of_match(self.course(), viewer);
        let rules = self.course().rules();
        // Whether players say goodbye is nobody's business.
        let awaited = if self.has_ended() { Vec::new() } else { self.awaited() };
        let terms = rules.signature().terms();
        let milliseconds = |time: Moment| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let seats = (0..).map(SeatNumber).zip(rules.seats()).zip(&self.setup().seats);
        view.clocks = seats
            .map(|((seat, role), setup)| {
                let until = awaited.iter().find(|awaited| awaited.seat == seat).map(|awaited| awaited.until);
                SeatClock {
                    seat,
                    role: terms.prefix(rules.signature().roles()[role.index()]),
                    player: setup.player.clone(),
                    left: until.map(|until| milliseconds(until.saturating_sub(now))),
                    bank: self.bank(seat).map(milliseconds),
                }
            })
            .collect();
        view.rewards = self.rewards();
        view
    }
}

impl<'a> View<'a> {
    /// What somebody may see of a match.
    pub fn of_match(course: &'a Match, viewer: Viewer) -> Self {
        Self::new(Box::new(course), viewer)
    }

    /// What somebody may see of a match that is recorded.
    pub fn of_record(record: &'a MatchRecord, viewer: Viewer) -> Self {
        let rewards = record.rewards.clone();
        Self { rewards, ..Self::new(Box::new(record), viewer) }
    }

    fn new(source: Box<dyn Source + 'a>, viewer: Viewer) -> Self {
        let (roles, random) = (source.roles().len(), source.random_role());
        let over = source.status() != MatchStatus::Running;
        let (role, partial) = match viewer {
            Viewer::Referee => (None, false),
            Viewer::Spectator => (None, source.has_secrets() && !over),
            Viewer::Seat(seat) => {
                let mut seats = (0..roles).filter(|&role| Some(role) != random);
                let role = seats.nth(seat.0 as usize).map(|role| RoleId(role as u32));
                (role, source.has_secrets())
            }
        };
        Self { source, viewer, roles, role, over, partial, clocks: Vec::new(), rewards: None }
    }

    /// Who looks.
    pub fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// The role of the viewer, if it has one, as a place among the roles.
    pub fn own_role(&self) -> Option<RoleId> {
        self.role
    }

    /// Whether something is hidden from the viewer.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    /// How far the match is.
    pub fn status(&self) -> MatchStatus {
        self.source.status()
    }

    /// Whether no move is to be made any more.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The roles in order.
    pub fn roles(&self) -> Vec<String> {
        self.source.roles()
    }

    /// Who plays them, in order.
    pub fn players(&self) -> Vec<String> {
        self.source.players()
    }

    /// How many steps were made.
    pub fn steps(&self) -> usize {
        self.source.steps()
    }

    /// The clocks of the seats, where the match is running.
    pub fn clocks(&self) -> &[SeatClock] {
        &self.clocks
    }

    /// What the match brought to each role, where thinking cost something. That is known when it is over.
    pub fn rewards(&self) -> Option<&[Option<f64>]> {
        self.rewards.as_deref()
    }

    /// What may be seen of the state after so many steps; `None` where there is none.
    pub fn state(&self, step: usize) -> Option<StateView> {
        if step > self.steps() {
            return None;
        }
        let open = !self.partial;
        // How a match ended is told to everybody.
        let result = self.over && step == self.steps();
        Some(StateView {
            step,
            facts: open.then(|| self.source.facts(step)),
            legal: self.by_role(|role| self.source.legal(step, role)),
            goals: (open || result).then(|| self.source.goals(step)),
            time: self.source.time(step),
        })
    }

    /// The legal moves of the viewer's own role in the present state, in canonical order; none for who has
    /// no role, and when the match is over.
    pub fn own_moves(&self) -> Vec<String> {
        match self.role {
            Some(role) if !self.over => self.source.legal(self.steps(), role),
            _ => Vec::new(),
        }
    }

    /// What may be seen of a step, counted from 0; `None` where there is none.
    pub fn step(&self, step: usize) -> Option<StepView> {
        if step >= self.steps() {
            return None;
        }
        let (joint, percepts) = (self.source.joint(step), self.source.percepts(step));
        let errors = self.source.errors(Some(step));
        Some(StepView {
            step,
            moves: self.by_role(|role| joint.get(role.index()).cloned().unwrap_or_default()),
            percepts: self.by_role(|role| percepts.get(role.index()).cloned().unwrap_or_default()),
            errors: self.by_role(|role| errors.get(role.index()).cloned().unwrap_or_default()),
            times: self.source.times(step),
        })
    }

    /// What went wrong before the first move, for each role: as [`StepView::errors`].
    pub fn start_errors(&self) -> Vec<Option<String>> {
        let errors = self.source.errors(None);
        self.by_role(|role| errors.get(role.index()).cloned().unwrap_or_default())
    }

    /// All that may be seen now.
    pub fn snapshot(&self) -> Snapshot {
        let steps = (0..self.steps()).filter_map(|step| self.step(step)).collect();
        Snapshot { steps, ..self.outline() }
    }

    /// All that may be seen now but the steps, which may be many: [`View::step`] has them one by one.
    pub fn outline(&self) -> Snapshot {
        let steps = self.steps();
        let status = self.status();
        // There is a state after the last step.
        let state = self.state(steps).unwrap_or_else(|| self.nothing());
        Snapshot {
            match_id: self.source.id(),
            game: self.source.game(),
            roles: self.roles(),
            players: self.players(),
            is_completed: status == MatchStatus::Completed,
            aborted: match status {
                MatchStatus::Aborted(cause) => Some(cause),
                MatchStatus::Running | MatchStatus::Completed => None,
            },
            start_errors: self.start_errors(),
            steps: Vec::new(),
            state,
            clocks: self.clocks.clone(),
            rewards: self.rewards.clone(),
        }
    }

    fn nothing(&self) -> StateView {
        let legal = vec![None; self.roles];
        StateView { step: self.steps(), facts: None, legal, goals: None, time: None }
    }

    /// Something of each role, where it is for the viewer to see.
    fn by_role<T>(&self, of: impl Fn(RoleId) -> T) -> Vec<Option<T>> {
        let roles = (0..self.roles).map(|role| RoleId(role as u32));
        roles.map(|role| (!self.partial || self.role == Some(role)).then(|| of(role))).collect()
    }
}

/// Says who looks, and nothing of what there is to see.
impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("viewer", &self.viewer).finish_non_exhaustive()
    }
}
