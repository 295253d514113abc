//! What a store keeps and finds again.

use ludex::matches::tournament::{FaultCounts, Fixture, TournamentEvent};

use super::{
    KeptEntry, MatchPlan, MatchStage, MatchSummary, SeatKey, SeatSummary, TournamentPlan, TournamentSummary,
};

/// A version of a game that is to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRow {
    /// The name of the game.
    pub name: String,
    /// What it is, in a few words; where it is empty, that of the version before stays.
    pub title: String,
    /// What there is to say about it; where it is empty, that of the version before stays.
    pub description: String,
    /// The rules.
    pub text: String,
    /// The SHA-256 of the rules, in hexadecimal.
    pub sha256: String,
    /// Their language.
    pub dialect: String,
    /// `prefix` or `infix`.
    pub notation: String,
    /// Whether it came with Ludex.
    pub bundled: bool,
    /// When it came, in milliseconds since 1970.
    pub added: u64,
    /// Whether it is offered to be played. What was offered once stays so.
    pub offered: bool,
}

/// A match as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchRow {
    /// What lists say.
    pub summary: MatchSummary,
    /// What was agreed; with the seed and the version that it got.
    pub plan: MatchPlan,
    /// Which match of its tournament it is.
    pub fixture: Option<Fixture>,
    /// Whether players do not see everything.
    pub hidden: bool,
    /// What is kept of the key of each seat.
    pub keys: Vec<SeatKey>,
    /// How often it was gone on with since that last came through.
    pub resumptions: u32,
    /// Why it is to end, where somebody wants that and it has not ended yet.
    pub wanted_abort: Option<String>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchEnd {
    /// The match.
    pub id: String,
    /// `Completed` or `Aborted`.
    pub stage: MatchStage,
    /// When it ended, in milliseconds since 1970.
    pub ended: u64,
    /// Whether it tells how strong its players are, where it is completed: not where it did not begin at the beginning,
    /// or moves were taken back.
    pub rated: bool,
    /// How many steps were made.
    pub steps: u32,
    /// Why it ended early.
    pub aborted: Option<String>,
    /// What came of it on each seat.
    pub seats: Vec<(SeatSummary, FaultCounts)>,
    /// Its record, if there is one: the JSON of [`AnyRecord::write`](ludex::AnyRecord::write), without the
    /// rules, which are with the game.
    pub record: Option<String>,
    /// An entry that the journal lacks, because the match could not go on.
    pub last_entry: Option<KeptEntry>,
    /// What it means for its tournament, and as which event.
    pub event: Option<(u64, TournamentEvent)>,
}

/// A tournament as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentRow {
    /// What lists say.
    pub summary: TournamentSummary,
    /// What was agreed.
    pub plan: TournamentPlan,
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreCounts {
    /// Games.
    pub games: u64,
    /// Players that are not retired.
    pub players: u64,
    /// Matches that wait.
    pub planned: u64,
    /// Matches that run.
    pub running: u64,
    /// Matches that were played to the end.
    pub completed: u64,
    /// Matches that ended early.
    pub aborted: u64,
    /// Tournaments that are not over.
    pub tournaments: u64,
}
