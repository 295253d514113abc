//! What is agreed before matches, and what there is to know about them.

use std::time::Duration;

use ludex::game::Goal;
use ludex::matches::referee::{Clocks, Patience, SeatNumber, TimeBank};
use ludex::matches::tournament::{FaultCounts, Fixture};
use ludex::matches::view::{Snapshot, StateView, StepView, Viewer};
use serde::{Deserialize, Serialize};

use super::{Offer, PageRequest, Saying};

/// A match that somebody wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchPlan {
    /// The name of the game.
    pub game: String,
    /// The SHA-256 of the version; `None` for the present one.
    #[serde(default)]
    pub version: Option<String>,
    /// Who plays, for each role but `random`, in order.
    pub seats: Vec<SeatPlan>,
    /// Decides all chances; `None` for one that the manager makes up and notes.
    #[serde(default)]
    pub seed: Option<u64>,
    /// When it is to begin, in milliseconds since 1970; `None` for now.
    #[serde(default)]
    pub begin: Option<u64>,
    /// The joint moves with which it begins, in prefix notation: the match goes on from there. For games in steps without
    /// secrets, and for people and built-in players: others would not know of these moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Vec<String>>,
    /// What does not depend on who plays which game; in JSON its fields stand beside the others.
    #[serde(flatten)]
    pub terms: MatchTerms,
}

impl MatchPlan {
    /// A match of the present version of a game, to begin now, by the usual rules.
    pub fn new(game: impl Into<String>, seats: Vec<SeatPlan>, clocks: ClockPlan) -> Self {
        let terms = clocks.into();
        Self { game: game.into(), version: None, seats, seed: None, begin: None, moves: Vec::new(), terms }
    }
}

/// What is agreed for a match whoever plays which game in it: for all matches of a tournament alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchTerms {
    /// How long players may think.
    pub clocks: ClockPlan,
    /// What is done about a player that fails again and again.
    #[serde(default)]
    pub patience: Patience,
    /// The match is aborted after so many steps.
    #[serde(default)]
    pub step_limit: Option<u32>,
    /// Points of the goal that a second of thinking costs (book 20.2).
    #[serde(default, alias = "points_per_second")]
    pub time_cost: Option<f64>,
    /// Whether programs are told who the others are, and in tournaments how it stands (book 20.5). Players
    /// that do not know of it may not understand such a start message.
    #[serde(default)]
    pub introduce: bool,
}

/// The usual rules, with these clocks.
impl From<ClockPlan> for MatchTerms {
    fn from(clocks: ClockPlan) -> Self {
        Self { clocks, patience: Patience::default(), step_limit: None, time_cost: None, introduce: false }
    }
}

/// A seat of a match that somebody wants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatPlan {
    /// The name of the player.
    pub player: String,
    /// Whether the words of the game are exchanged for others, so that the player cannot know it by them.
    /// Does nothing for people.
    #[serde(default)]
    pub scramble: bool,
    /// Rules for this seat alone (book 3.4, 19.7).
    #[serde(default)]
    pub rulesheet: Option<String>,
    /// The clocks of this seat, where they are not the match's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<ClockPlan>,
    /// Whether the match begins only when a person has taken this seat; when the start clock of the seat has passed, it never
    /// will. Does nothing for programs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaited: bool,
}

/// Who sits where when a match is played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Everybody where they sat.
    Same,
    /// Everybody one seat further, and the last one on the first seat.
    Changed,
}

/// How long players may think, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockPlan {
    /// To get ready.
    pub start: u64,
    /// For each move.
    pub play: u64,
    /// For all moves together, and what is added after each.
    #[serde(default)]
    pub bank: Option<(u64, u64)>,
    /// How much longer an answer is waited for, since the network takes its time, too.
    #[serde(default)]
    pub grace: u64,
}

impl ClockPlan {
    /// So many milliseconds to get ready and for each move.
    pub fn new(start: u64, play: u64) -> Self {
        Self { start, play, bank: None, grace: 0 }
    }

    /// As referees take them.
    pub fn clocks(&self) -> Clocks {
        let bank = self.bank.map(|(total, increment)| TimeBank {
            total: Duration::from_millis(total),
            increment: Duration::from_millis(increment),
        });
        Clocks {
            start: Duration::from_millis(self.start),
            play: Duration::from_millis(self.play),
            bank,
            grace: Duration::from_millis(self.grace),
        }
    }
}

/// How far a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatchStage {
    /// It waits: for its time, or for room.
    Planned,
    /// It runs.
    Running,
    /// It has a result: a terminal state was reached, or the players ended it by themselves.
    Completed,
    /// It ended early, without a result.
    Aborted,
}

impl MatchStage {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Aborted => "aborted",
        }
    }

    /// Whether nothing more will happen.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Aborted)
    }
}

/// Which matches are wanted. Whatever is `None` or empty does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchQuery {
    /// Words that stand in the name of the match, of its game or of a player.
    #[serde(default)]
    pub text: String,
    /// The game.
    #[serde(default)]
    pub game: Option<String>,
    /// Somebody who plays.
    #[serde(default)]
    pub player: Option<String>,
    /// How far it is.
    #[serde(default)]
    pub stage: Option<MatchStage>,
    /// The tournament it belongs to.
    #[serde(default)]
    pub tournament: Option<String>,
    /// Only those that were wanted at this moment or later, in milliseconds since 1970.
    #[serde(default)]
    pub since: Option<u64>,
    /// Only those that were wanted before this moment, in milliseconds since 1970.
    #[serde(default)]
    pub until: Option<u64>,
    /// Whether what moderators have hidden is left out.
    #[serde(skip)]
    pub without_hidden: bool,
    /// Which part of the list.
    #[serde(default)]
    pub page: PageRequest,
}

/// A match in a list; newest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchSummary {
    /// The name of the match: letters and digits.
    pub id: String,
    /// The game.
    pub game: String,
    /// The SHA-256 of its rules.
    pub version: String,
    /// How far it is.
    pub stage: MatchStage,
    /// Who plays, and what came of it.
    pub seats: Vec<SeatSummary>,
    /// The tournament it belongs to.
    pub tournament: Option<String>,
    /// When it was wanted, in milliseconds since 1970.
    pub created: u64,
    /// When it is to begin, in milliseconds since 1970.
    pub due: u64,
    /// When it began, in milliseconds since 1970.
    pub began: Option<u64>,
    /// When it ended, in milliseconds since 1970.
    pub ended: Option<u64>,
    /// How many steps were made; while it runs, as far as that is known.
    pub steps: u32,
    /// Why it ended early, without a result where it was aborted. Where it is completed, the players ended it by
    /// themselves: one resigned, or a draw was agreed.
    pub aborted: Option<String>,
}

impl MatchSummary {
    /// A match that was planned at a moment, of a version of its game, and has not begun.
    pub fn planned(
        id: impl Into<String>,
        plan: &MatchPlan,
        version: impl Into<String>,
        created: u64,
    ) -> Self {
        let seat = |seat: &SeatPlan| SeatSummary {
            role: String::new(),
            player: seat.player.clone(),
            goal: None,
            reward: None,
            faults: FaultCounts::default(),
        };
        Self {
            id: id.into(),
            game: plan.game.clone(),
            version: version.into(),
            stage: MatchStage::Planned,
            seats: plan.seats.iter().map(seat).collect(),
            tournament: None,
            created,
            due: plan.begin.unwrap_or(created),
            began: None,
            ended: None,
            steps: 0,
            aborted: None,
        }
    }
}

/// A seat of a match in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatSummary {
    /// The role, in prefix notation; empty while that is not known.
    pub role: String,
    /// The player.
    pub player: String,
    /// What the last state is worth, once the match is over.
    pub goal: Option<Goal>,
    /// The goal less what thinking cost, where it costs something.
    pub reward: Option<f64>,
    /// How often the player failed, in which ways.
    pub faults: FaultCounts,
}

/// All that is kept of a match but its course. While a match is not over in which players do not see
/// everything, what would tell of hidden things is left out: the seed, from which all chances follow, the
/// fixture, which has it, too, and the rules that seats have for themselves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchDetail {
    /// What lists say.
    pub summary: MatchSummary,
    /// What was agreed; with the seed and the version that it got.
    pub plan: MatchPlan,
    /// Which match of its tournament it is.
    pub fixture: Option<Fixture>,
    /// Whether players do not see everything.
    pub hidden: bool,
    /// The seats that people have.
    pub people: Vec<SeatNumber>,
}

/// The seat of a person, and what opens it.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonSeat {
    /// Which one.
    pub seat: SeatNumber,
    /// Its role, in prefix notation; empty while that is not known.
    pub role: String,
    /// Who is to play.
    pub player: String,
    /// Whether the match waits for somebody on it before it begins.
    pub awaited: bool,
    /// Whether somebody has shown its key already.
    pub taken: bool,
    /// The key, for whoever made the match and for who is to play. It is kept nowhere, so it is not known any more
    /// once the seat is taken, or the manager has started again; see
    /// `Manager::renew_seat_key`.
    pub key: Option<String>,
}

/// Says nothing of the key.
impl std::fmt::Debug for PersonSeat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { seat, role, player, awaited, taken, .. } = self;
        let mut told = f.debug_struct("PersonSeat");
        told.field("seat", seat).field("role", role).field("player", player);
        told.field("awaited", awaited).field("taken", taken);
        told.finish_non_exhaustive()
    }
}

/// What somebody may see of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchView {
    /// Who looks.
    #[serde(skip)]
    pub viewer: Viewer,
    /// Grows with each change: a later view has a greater number.
    pub revision: u64,
    /// How far the match is.
    pub stage: MatchStage,
    /// Whether something is hidden from the viewer.
    pub partial: bool,
    /// What may be seen. Clocks are as they are when the view is made.
    pub snapshot: Snapshot,
    /// The legal moves of the viewer's own seat, in canonical order; none where it has no turn to answer.
    pub own_moves: Vec<String>,
    /// Whether the manager waits for a move of the viewer's own seat: a person's.
    pub awaited: bool,
    /// The seats whose people are waited for before the match begins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub empty_seats: Vec<SeatNumber>,
    /// What a person offers the others just now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<Offer>,
    /// What the person on the viewer's own seat may say now beside moves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_say: Vec<Saying>,
    /// The board as an SVG document, as far as the state may be seen.
    pub board_svg: Option<String>,
    /// The same as lines of text.
    pub board_text: Option<String>,
    /// In a match in real time, what belongs to time. Its steps are what happened, one event each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real_time: Option<RealTimeView>,
}

/// What may be seen of time in a match in real time. Times and lifetimes are decimal numbers of units of game time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RealTimeView {
    /// Seconds that one unit of game time takes, as a decimal number.
    pub play_clock: String,
    /// What time it is in the game: now, while its clock runs, else that of the state.
    pub time: String,
    /// Whether the clock of the game runs.
    pub is_running: bool,
    /// When the update was that made the state; `None` where that is hidden.
    pub updated: Option<String>,
    /// The facts that hold, each with its lifetime at that update, a decimal number or `infinity`; `None` where they are
    /// hidden.
    pub lifetimes: Option<Vec<(String, String)>>,
    /// The measured delay of each seat in milliseconds: no message has taken longer to it and from it.
    pub delays: Vec<Option<u64>>,
}

/// What somebody may see of one step of a match, or of the state before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepShown {
    /// The state after so many steps.
    pub state: StateView,
    /// What was done in it, if something was.
    pub step: Option<StepView>,
    /// The board as an SVG document, as far as the state may be seen.
    pub board_svg: Option<String>,
    /// The same as lines of text.
    pub board_text: Option<String>,
}

/// The revision of a match that is over: later than all others, and a number that JSON keeps.
pub(crate) const LAST_REVISION: u64 = (1 << 53) - 1;

/// That a match has changed. What changed is in its views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MatchNews {
    /// The number of views from now on, or a later one.
    pub revision: u64,
    /// How far the match is.
    pub stage: MatchStage,
    /// How many steps were made.
    pub steps: usize,
}
