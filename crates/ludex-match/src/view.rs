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

mod timed;
mod timed_steps;

use std::borrow::Cow;
use std::fmt;

use ludex_game::{Goal, RoleId};
use ludex_gdl::Dialect;
use serde::Serialize;

use crate::Settlement;
use crate::course::{Match, MatchStatus};
use crate::record::{MatchRecord, list_items, milliseconds};
use crate::referee::{Moment, Referee, SeatNumber, SeatSetup};

pub use timed::{Seen, TimedSnapshot, TimedStateView, TimedView};

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
///
/// ```
/// use ludex_match::view::{View, Viewer};
/// use ludex_match::{Match, MatchSetup};
///
/// // The rules are those of blind-tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("blind-tic-tac-toe")?;
/// let course = Match::new(rules, MatchSetup::default())?;
/// let spectator = View::of_match(&course, Viewer::Spectator);
/// assert!(spectator.is_partial() && spectator.state(0).unwrap().facts.is_none());
/// let referee = View::of_match(&course, Viewer::Referee);
/// assert!(!referee.is_partial() && referee.state(0).unwrap().facts.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct View<'a> {
    record: Cow<'a, MatchRecord>,
    viewer: Viewer,
    /// The role of the viewer, if it has one.
    role: Option<RoleId>,
    /// Whether something is hidden from the viewer.
    partial: bool,
    clocks: Vec<SeatClock>,
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
    /// Whether each role had no choice: it waited, or had one move alone. False where that is hidden or not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<bool>,
    /// In real time, when it was: units of game time since the start, as a decimal number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// In real time, what expired then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expired: Vec<String>,
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
    /// How many milliseconds are left to answer, without those that the way of the answer may take
    /// ([`Clocks::grace`](crate::referee::Clocks::grace)); `None` where the seat is not awaited.
    pub left: Option<u64>,
    /// How many milliseconds are left on its cumulative clock, if it has one, as after the last step.
    pub bank: Option<u64>,
}

/// How the players of a match ended it early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SettledView {
    /// How.
    pub settlement: Settlement,
    /// The same in words.
    pub words: String,
    /// What that is worth to each role, where it was agreed on.
    pub goals: Vec<Option<Goal>>,
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
    /// Why the match ended early without a result, if it did.
    pub aborted: Option<String>,
    /// How the players ended the match early by themselves, if they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<SettledView>,
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
    /// What somebody may see of the match now. It makes a record of the whole match: whoever looks often keeps one.
    pub fn view(&self, now: Moment, viewer: Viewer) -> View<'static> {
        View { clocks: self.clocks(now), ..View::new(Cow::Owned(self.record()), viewer) }
    }

    /// The clocks of all seats, which are no secret.
    pub fn clocks(&self, now: Moment) -> Vec<SeatClock> {
        let rules = self.course().rules();
        // Whether players say goodbye is nobody's business.
        let awaited = if self.has_ended() { Vec::new() } else { self.awaited() };
        let terms = rules.signature().terms();
        let seats = (0..).map(SeatNumber).zip(rules.seats()).zip(&self.setup().seats);
        let clock = |((seat, role), setup): ((SeatNumber, RoleId), &SeatSetup)| {
            let grace = setup.clocks.unwrap_or(self.setup().clocks).grace;
            let until = awaited.iter().find(|awaited| awaited.seat == seat).map(|awaited| awaited.until);
            SeatClock {
                seat,
                role: terms.prefix(rules.signature().roles()[role.index()]),
                player: setup.player.clone(),
                left: until.map(|until| milliseconds(until.saturating_sub(now).saturating_sub(grace))),
                bank: self.bank(seat).map(milliseconds),
            }
        };
        seats.map(clock).collect()
    }
}

impl<'a> View<'a> {
    /// What somebody may see of a match.
    pub fn of_match(course: &Match, viewer: Viewer) -> View<'static> {
        View::new(Cow::Owned(course.record()), viewer)
    }

    /// What somebody may see of a match that is recorded.
    pub fn of_record(record: &'a MatchRecord, viewer: Viewer) -> Self {
        Self::new(Cow::Borrowed(record), viewer)
    }

    fn new(record: Cow<'a, MatchRecord>, viewer: Viewer) -> Self {
        let has_secrets = has_secrets(&record);
        let (role, partial) = match viewer {
            Viewer::Referee => (None, false),
            Viewer::Spectator => (None, has_secrets && !record.is_completed && !record.is_aborted),
            Viewer::Seat(seat) => {
                let is_seat = |(_, role): &(u32, &String)| !has_secrets || *role != "random";
                let role = (0..).zip(&record.roles).filter(is_seat).nth(seat.0 as usize);
                (role.map(|(role, _)| RoleId(role)), has_secrets)
            }
        };
        Self { record, viewer, role, partial, clocks: Vec::new() }
    }

    fn has_secrets(&self) -> bool {
        has_secrets(&self.record)
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
        let record = &self.record;
        let cause = record.abort_cause.as_deref();
        MatchStatus::recorded(record.is_completed, record.is_aborted, cause, record.settled)
    }

    /// Whether no move is to be made any more.
    pub fn is_over(&self) -> bool {
        self.record.is_completed || self.record.is_aborted
    }

    /// The roles in order.
    pub fn roles(&self) -> &[String] {
        &self.record.roles
    }

    /// Who plays them, in order.
    pub fn players(&self) -> &[String] {
        &self.record.player_names_from_host
    }

    /// How many steps were made.
    pub fn steps(&self) -> usize {
        self.record.moves.len()
    }

    /// The clocks of the seats, where the match is running.
    pub fn clocks(&self) -> &[SeatClock] {
        &self.clocks
    }

    /// What the match brought to each role, where thinking cost something. That is known when it is over.
    pub fn rewards(&self) -> Option<&[Option<f64>]> {
        self.record.rewards.as_deref()
    }

    /// What may be seen of the state after so many steps; `None` where there is none.
    pub fn state(&self, step: usize) -> Option<StateView> {
        (step <= self.steps()).then(|| self.state_at(step))
    }

    fn state_at(&self, step: usize) -> StateView {
        let (record, open) = (&self.record, !self.partial);
        let facts = || list_items(record.states.get(step).map_or("", String::as_str));
        // How a match ended is told to everybody.
        let is_last = step == self.steps();
        let goals = record.goal_history.as_ref().and_then(|lists| lists.get(step));
        let goals = goals.or(record.goal_values.as_ref().filter(|_| is_last)).cloned().unwrap_or_default();
        StateView {
            step,
            facts: open.then(|| facts().into_iter().map(str::to_owned).collect()),
            legal: self.by_role(|role| self.legal(step, role)),
            goals: Some(goals).filter(|_| open || self.is_over() && is_last),
            time: record.state_times.as_ref().and_then(|times| times.get(step).copied()),
        }
    }

    /// The legal moves of all roles in the state after so many steps.
    fn legal_lists(&self, step: usize) -> Option<&Vec<Vec<String>>> {
        // The lists begin with those of the initial state twice.
        self.record.legal_moves.as_ref()?.get(step + 1)
    }

    fn legal(&self, step: usize, role: RoleId) -> Vec<String> {
        of_role(self.legal_lists(step), role)
    }

    /// How many legal moves a role has in the state after so many steps; 0 where that is not recorded.
    fn choices(&self, step: usize, role: RoleId) -> usize {
        self.legal_lists(step).and_then(|lists| lists.get(role.index())).map_or(0, Vec::len)
    }

    /// The legal moves of the viewer's own role in the present state, in canonical order; none for who has
    /// no role, and when the match is over.
    pub fn own_moves(&self) -> Vec<String> {
        match self.role {
            Some(role) if !self.is_over() => self.legal(self.steps(), role),
            _ => Vec::new(),
        }
    }

    /// The number of the last step in which the viewer's own role had a choice, counted from 0; none for who has no role
    /// or never had one.
    pub fn last_choice(&self) -> Option<usize> {
        let role = self.role?;
        (0..self.steps()).rev().find(|&step| self.choices(step, role) > 1)
    }

    /// What may be seen of a step, counted from 0; `None` where there is none.
    pub fn step(&self, step: usize) -> Option<StepView> {
        let record = &self.record;
        let joint = record.moves.get(step)?;
        let percepts = record.percepts.as_ref().and_then(|lists| lists.get(step));
        let times = record.move_times.as_ref().and_then(|lists| lists.get(step));
        Some(StepView {
            step,
            moves: self.by_role(|role| of_role(Some(joint), role)),
            percepts: self.by_role(|role| of_role(percepts, role)),
            errors: self.by_role(|role| of_role(record.errors.get(step + 1), role)),
            times: times.cloned().unwrap_or_default(),
            forced: self
                .by_role(|role| self.choices(step, role) == 1)
                .into_iter()
                .map(Option::unwrap_or_default)
                .collect(),
            time: None,
            expired: Vec::new(),
        })
    }

    /// What went wrong before the first move, for each role: as [`StepView::errors`].
    pub fn start_errors(&self) -> Vec<Option<String>> {
        self.by_role(|role| of_role(self.record.errors.first(), role))
    }

    /// All that may be seen now.
    pub fn snapshot(&self) -> Snapshot {
        let steps = (0..self.steps()).filter_map(|step| self.step(step)).collect();
        Snapshot { steps, ..self.outline() }
    }

    /// All that may be seen now but the steps, which may be many: [`View::step`] has them one by one.
    pub fn outline(&self) -> Snapshot {
        Snapshot {
            match_id: self.record.match_id.clone(),
            game: self.record.game_name.clone(),
            roles: self.roles().to_vec(),
            players: self.players().to_vec(),
            is_completed: self.status() == MatchStatus::Completed,
            aborted: self.status().abort_cause().map(str::to_owned),
            settled: self.status().settlement().map(|settlement| self.settled(settlement)),
            start_errors: self.start_errors(),
            steps: Vec::new(),
            state: self.state_at(self.steps()),
            clocks: self.clocks.clone(),
            rewards: self.record.rewards.clone(),
        }
    }

    fn settled(&self, settlement: Settlement) -> SettledView {
        // Chance has no seat.
        let is_seat = |role: &String| !self.has_secrets() || role != "random";
        let seats = self.roles().iter().filter(|role| is_seat(role));
        let own = seats.clone().nth(settlement.seat().0 as usize);
        let words = settlement.in_words(own.map_or("somebody", String::as_str));
        let mut of_seats = settlement.goals(seats.count()).into_iter();
        let goal = |role: &String| if is_seat(role) { of_seats.next().flatten() } else { None };
        SettledView { settlement, words, goals: self.roles().iter().map(goal).collect() }
    }

    /// Something of each role, where it is for the viewer to see.
    fn by_role<T>(&self, of: impl Fn(RoleId) -> T) -> Vec<Option<T>> {
        let roles = (0..self.roles().len()).map(|role| RoleId(role as u32));
        roles.map(|role| (!self.partial || self.role == Some(role)).then(|| of(role))).collect()
    }
}

/// Whether players do not see everything.
fn has_secrets(record: &MatchRecord) -> bool {
    let dialect = record.dialect.as_deref().and_then(Dialect::named);
    record.percepts.is_some() || dialect.is_some_and(Dialect::has_percepts)
}

/// What a list has for a role; nothing where there is no such list.
fn of_role<T: Clone + Default>(list: Option<&Vec<T>>, role: RoleId) -> T {
    list.and_then(|list| list.get(role.index()).cloned()).unwrap_or_default()
}

/// Says who looks, and nothing of what there is to see.
impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("viewer", &self.viewer).finish_non_exhaustive()
    }
}
