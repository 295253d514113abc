//! Lists of matches in pages, and choices in forms.

use super::course::mood;
use super::text::moment;
use crate::model::{MatchStage, MatchSummary, SeatSummary};

/// So many seats of a match stand in a list of matches, or on a line.
const LISTED: usize = 8;

/// A match in a list.
pub(super) struct MatchRow {
    pub(super) id: String,
    pub(super) game: String,
    pub(super) seats: Vec<SeatCell>,
    pub(super) more_seats: usize,
    pub(super) status: &'static str,
    pub(super) mood: &'static str,
    pub(super) steps: u32,
    pub(super) begun: String,
    /// Where a picture of its board is.
    pub(super) board: String,
    /// Whether it runs, so that the board goes on changing.
    pub(super) running: bool,
    /// Why it ended early, or how the players ended it by themselves.
    pub(super) cause: Option<String>,
}

/// Who plays, and what came of it.
pub(super) struct SeatCell {
    pub(super) player: String,
    /// Where its page is.
    pub(super) place: String,
    pub(super) goal: Option<String>,
}

impl From<SeatSummary> for SeatCell {
    fn from(seat: SeatSummary) -> Self {
        let place = super::players::place(&seat.player);
        Self { player: seat.player, place, goal: seat.goal.map(|goal| goal.to_string()) }
    }
}

impl From<MatchSummary> for MatchRow {
    fn from(summary: MatchSummary) -> Self {
        let begun = match summary.began {
            Some(began) => moment(began),
            None if summary.due > summary.created => format!("due {}", moment(summary.due)),
            None => "waits".to_owned(),
        };
        let more = summary.seats.len().saturating_sub(LISTED);
        let is_aborted = summary.stage == MatchStage::Aborted;
        let mut seats: Vec<SeatCell> = summary.seats.into_iter().take(LISTED).map(SeatCell::from).collect();
        if is_aborted {
            // What the state was worth in which it ended early says nothing of who won.
            seats.iter_mut().for_each(|seat| seat.goal = None);
        }
        Self {
            board: format!("/matches/{}/board.svg?{}", summary.id, summary.steps),
            running: summary.stage == MatchStage::Running,
            cause: summary.aborted,
            status: summary.stage.name(),
            mood: mood(summary.stage),
            more_seats: more,
            seats,
            id: summary.id,
            game: summary.game,
            steps: summary.steps,
            begun,
        }
    }
}

/// Who plays in a match, and what came of it: `ludex 100, uct 0`.
pub(super) fn players(summary: &MatchSummary) -> String {
    let seat = |seat: &SeatSummary| match seat.goal {
        Some(goal) if summary.stage != MatchStage::Aborted => format!("{} {goal}", seat.player),
        _ => seat.player.clone(),
    };
    let listed = summary.seats.iter().take(LISTED).map(seat).collect::<Vec<_>>().join(", ");
    match summary.seats.len().saturating_sub(LISTED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

pub(super) fn rows(matches: Vec<MatchSummary>) -> Vec<MatchRow> {
    matches.into_iter().map(MatchRow::from).collect()
}

/// Something to choose in a form.
pub(super) struct FormChoice {
    pub(super) value: String,
    pub(super) text: String,
    pub(super) chosen: bool,
}

impl FormChoice {
    pub(super) fn new(value: impl Into<String>, text: impl Into<String>) -> Self {
        Self { value: value.into(), text: text.into(), chosen: false }
    }

    pub(super) fn is(&self, value: &str) -> bool {
        self.value == value
    }
}
