//! What may be seen of a match in real time.

use std::borrow::Cow;
use std::fmt;

use ludex_game::{Goal, RoleId, TimedAnswer, TimedRules, TimedState};
use ludex_gdl::GameTime;
use ludex_logic::TermId;
use serde::Serialize;

use super::Viewer;
use crate::course::MatchStatus;
use crate::record::timed::decimal;
use crate::record::{TimedRecord, TimedRecordEvent, TimedReplay};
use crate::referee::Moment;
use crate::referee::real_time::{Arrival, TimedReferee};

/// What somebody may see of a match in real time.
///
/// In rtGDL everybody sees everything. In rtGDL-II
/// - a seat sees that something happened only where it moved itself or was told something: its own move and what it was
///   told then, its own answers that were refused, and its legal moves now. It never sees the state, nor when it came
///   about;
/// - a spectator sees nothing but that time passes, until the match is over, and then everything;
/// - clocks and delays are no secret.
///
/// All terms are in prefix notation and in the words of the game.
pub struct TimedView<'a> {
    pub(super) record: Cow<'a, TimedRecord>,
    viewer: Viewer,
    /// The role of the viewer, if it has one.
    role: Option<RoleId>,
    /// Whether something is hidden from the viewer.
    partial: bool,
}

/// How much of a match somebody has seen: places in its record, and not in what there was to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// So many events.
    pub events: usize,
    /// So many moves that came.
    pub moves: usize,
}

/// What may be seen of a state in real time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TimedStateView {
    /// How many events there were before, whoever knows of them.
    #[serde(skip)]
    pub events: usize,
    /// When the update was that made it, as a decimal number of units of game time; `None` where that is hidden.
    pub updated: Option<String>,
    /// The facts that hold, each with its lifetime at that update: a decimal number or `infinity`; `None` where they
    /// are hidden.
    pub facts: Option<Vec<(String, String)>>,
    /// What expired at that update; `None` where that is hidden.
    pub expired: Option<Vec<String>>,
    /// The legal moves of each role in canonical order; `None` where they are hidden.
    pub legal: Vec<Option<Vec<String>>>,
    /// What the state is worth to each role, and `None` where the rules do not say so; `None` for all where that is
    /// hidden.
    pub goals: Option<Vec<Option<Goal>>>,
}

/// What may be seen of a match in real time: all at once, to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TimedSnapshot {
    /// The name of the match.
    pub match_id: String,
    /// The name of the game.
    pub game: String,
    /// The roles in order.
    pub roles: Vec<String>,
    /// Who plays them.
    pub players: Vec<String>,
    /// Whether a terminal state was reached.
    pub is_completed: bool,
    /// Why the match ended early, if it did.
    pub aborted: Option<String>,
    /// What went wrong before the game began, for each role; `None` where that is hidden.
    pub start_errors: Vec<Option<String>>,
    /// Seconds that one unit of game time takes.
    #[serde(with = "decimal")]
    pub play_clock: GameTime,
    /// What time it is in the game.
    #[serde(with = "decimal")]
    pub time: GameTime,
    /// Whether the clock of the game runs.
    pub is_running: bool,
    /// The measured delay of each seat in milliseconds ([`TimedReferee::delay`]).
    pub delays: Vec<Option<u64>>,
    /// The moves that came.
    pub moves: Vec<Arrival>,
    /// What happened.
    pub events: Vec<TimedRecordEvent>,
    /// The present state.
    pub state: TimedStateView,
}

/// A state as it is, before anything is hidden.
pub(crate) struct OpenState<'a> {
    pub(crate) rules: &'a TimedRules,
    pub(crate) state: &'a TimedState,
    pub(crate) updated: GameTime,
    pub(crate) events: usize,
    /// By role.
    pub(crate) legal: &'a [Vec<TermId>],
    pub(crate) goals: &'a [Option<Goal>],
}

impl OpenState<'_> {
    /// As everybody could see it.
    fn view(&self) -> TimedStateView {
        let terms = self.rules.machine().terms();
        let texts =
            |list: &[TermId]| -> Vec<String> { list.iter().map(|&term| terms.prefix(term)).collect() };
        let facts = self.state.facts().iter();
        TimedStateView {
            events: self.events,
            updated: Some(self.updated.to_string()),
            facts: Some(facts.map(|&(left, fact)| (terms.prefix(fact), left.to_string())).collect()),
            expired: Some(texts(self.state.expired())),
            legal: self.legal.iter().map(|list| Some(texts(list))).collect(),
            goals: Some(self.goals.to_vec()),
        }
    }
}

impl TimedReferee {
    /// The present state as it is, for whoever keeps it to show it to others ([`TimedView::seen`]).
    pub fn open_state(&self) -> TimedStateView {
        let course = self.course();
        OpenState {
            rules: course.rules(),
            state: course.state(),
            updated: course.updated(),
            events: course.events().len(),
            legal: course.legal(),
            goals: course.goals(),
        }
        .view()
    }

    /// What somebody may see of the match, as far as it is written. It makes a record of the whole match: whoever looks
    /// often keeps one ([`TimedReferee::extend`], [`TimedView::of_record`]).
    pub fn view(&self, viewer: Viewer) -> TimedView<'static> {
        TimedView::new(Cow::Owned(self.record()), viewer)
    }

    /// All that somebody may see now.
    pub fn snapshot(&self, now: Moment, viewer: Viewer) -> TimedSnapshot {
        self.outline(now, &self.view(viewer), Seen::default())
    }

    /// All that a view of this match shows now, but what was seen before.
    pub fn outline(&self, now: Moment, view: &TimedView<'_>, seen: Seen) -> TimedSnapshot {
        let (course, record) = (self.course(), &view.record);
        let clock = self.clock();
        TimedSnapshot {
            match_id: record.match_id.clone(),
            game: record.game_name.clone(),
            roles: record.roles.clone(),
            players: record.player_names_from_host.clone(),
            is_completed: record.is_completed,
            aborted: record.abort_cause.clone(),
            start_errors: view
                .by_role(|role| record.start_errors.get(role.index()).cloned().unwrap_or_default()),
            play_clock: record.play_clock,
            time: clock.map_or(course.now(), |clock| clock.time(now).max(course.now())),
            is_running: clock.is_some(),
            delays: self.delays(),
            moves: view.moves(seen).cloned().collect(),
            events: view.events(seen).collect(),
            state: view.seen(&self.open_state()),
        }
    }
}

impl<'a> TimedView<'a> {
    /// What somebody may see of a match that is recorded.
    pub fn of_record(record: &'a TimedRecord, viewer: Viewer) -> Self {
        Self::new(Cow::Borrowed(record), viewer)
    }

    fn new(record: Cow<'a, TimedRecord>, viewer: Viewer) -> Self {
        let has_secrets = record.has_secrets();
        let (role, partial) = match viewer {
            Viewer::Referee => (None, false),
            Viewer::Spectator => (None, has_secrets && !record.is_completed && !record.is_aborted),
            Viewer::Seat(seat) => (record.seats().get(seat.0 as usize).copied(), has_secrets),
        };
        Self { record, viewer, role: role.map(|role| RoleId(role as u32)), partial }
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
        MatchStatus::recorded(record.is_completed, record.is_aborted, record.abort_cause.as_deref(), None)
    }

    /// Whether nothing can happen any more.
    pub fn is_over(&self) -> bool {
        self.record.is_completed || self.record.is_aborted
    }

    /// What happened since, as far as it is to be seen. Events of which the viewer knows nothing are left out.
    pub fn events(&self, seen: Seen) -> impl Iterator<Item = TimedRecordEvent> + '_ {
        self.record.events.get(seen.events..).unwrap_or_default().iter().filter_map(|event| self.event(event))
    }

    /// An event as far as it is to be seen; `None` where the viewer knows nothing of it.
    pub(super) fn event(&self, event: &TimedRecordEvent) -> Option<TimedRecordEvent> {
        if !self.partial {
            return Some(event.clone());
        }
        let own = self.role?.index();
        let only_own = |role: usize| role == own;
        let moves: Vec<Option<String>> = event
            .moves
            .iter()
            .enumerate()
            .map(|(role, made)| made.clone().filter(|_| only_own(role)))
            .collect();
        let told: Vec<Option<Vec<String>>> = event
            .told
            .iter()
            .enumerate()
            .map(|(role, told)| told.clone().filter(|_| only_own(role)))
            .collect();
        let concerns = moves.iter().any(Option::is_some) || told.iter().any(Option::is_some);
        concerns.then(|| TimedRecordEvent {
            time: event.time,
            moves,
            expired: Vec::new(),
            told,
            wasted: None,
        })
    }

    /// The moves that came since, as far as they are to be seen.
    pub fn moves(&self, seen: Seen) -> impl Iterator<Item = &Arrival> + '_ {
        let seat = match self.viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator | Viewer::Referee => None,
        };
        let moves = self.record.moves.get(seen.moves..).unwrap_or_default();
        moves.iter().filter(move |came| !self.partial || seat == Some(came.seat))
    }

    /// What may be seen of a state of the match, which is played again.
    ///
    /// # Errors
    /// A limit.
    pub fn replayed(&self, rules: &TimedRules, replay: &mut TimedReplay<'_>) -> TimedAnswer<TimedStateView> {
        let roles = (0..rules.role_terms().len() as u32).map(RoleId);
        let legal = roles.map(|role| Ok(replay.legal(role)?.to_vec())).collect::<TimedAnswer<Vec<_>>>()?;
        let goals = replay.goals()?;
        let (state, updated) = (replay.state(), replay.updated());
        let events = replay.events();
        Ok(self.shown(&OpenState { rules, state, updated, events, legal: &legal, goals: &goals }))
    }

    /// A state of the match as everybody could see it, as far as the viewer may see it.
    pub fn seen(&self, open: &TimedStateView) -> TimedStateView {
        let is_end = self.is_over() && open.events == self.record.events.len();
        let TimedStateView { events, updated, facts, expired, legal, goals } = open.clone();
        let is_open = !self.partial;
        TimedStateView {
            events,
            updated: updated.filter(|_| is_open),
            facts: facts.filter(|_| is_open),
            expired: expired.filter(|_| is_open),
            legal: self.by_role(|role| legal.get(role.index()).cloned().flatten().unwrap_or_default()),
            goals: goals.filter(|_| is_open || is_end),
        }
    }

    fn shown(&self, open: &OpenState<'_>) -> TimedStateView {
        self.seen(&open.view())
    }

    /// Something of each role, where it is for the viewer to see.
    pub(super) fn by_role<T>(&self, of: impl Fn(RoleId) -> T) -> Vec<Option<T>> {
        let roles = (0..self.record.roles.len()).map(|role| RoleId(role as u32));
        roles.map(|role| (!self.partial || self.role == Some(role)).then(|| of(role))).collect()
    }
}

/// Says who looks, and nothing of what there is to see.
impl fmt::Debug for TimedView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimedView").field("viewer", &self.viewer).finish_non_exhaustive()
    }
}
