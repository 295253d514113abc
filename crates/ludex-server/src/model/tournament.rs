//! What is agreed before tournaments, and what there is to know about them.

use std::collections::BTreeMap;

use ludex::matches::tournament::{EncounterReport, Format, RankedPlayer, Standings, TournamentSetup};
use serde::{Deserialize, Serialize};

use super::{ClockPlan, MatchSummary, MatchTerms, PageRequest};

/// A tournament that somebody wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentPlan {
    /// What it is called.
    pub title: String,
    /// Who plays what, and how it is decided. Players and games are named as in the registry and the library;
    /// how many seats a game has is filled in by the manager.
    pub competition: TournamentSetup,
    /// What is agreed for each match; in JSON its fields stand beside the others.
    #[serde(flatten)]
    pub terms: MatchTerms,
    /// Whether the words of games are exchanged for others.
    #[serde(default)]
    pub scramble: bool,
    /// The SHA-256 of the version of each game that is played: filled in by the manager, so that all matches
    /// are played by the same rules.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
}

impl TournamentPlan {
    /// A tournament by the usual rules, with the words of the games as they are.
    pub fn new(title: impl Into<String>, competition: TournamentSetup, clocks: ClockPlan) -> Self {
        let (title, terms) = (title.into(), clocks.into());
        Self { title, competition, terms, scramble: false, versions: BTreeMap::new() }
    }
}

/// How far a tournament is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentStage {
    /// It is played.
    Running,
    /// No more matches begin for now.
    Paused,
    /// Everything is decided, or it was ended.
    Over,
}

impl TournamentStage {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Over => "over",
        }
    }
}

/// Which tournaments are wanted. Whatever is `None` or empty does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentQuery {
    /// Words that stand in the title.
    #[serde(default)]
    pub text: String,
    /// A game that is played.
    #[serde(default)]
    pub game: Option<String>,
    /// Somebody who plays.
    #[serde(default)]
    pub player: Option<String>,
    /// How far it is.
    #[serde(default)]
    pub stage: Option<TournamentStage>,
    /// Which part of the list.
    #[serde(default)]
    pub page: PageRequest,
}

/// A tournament in a list; newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TournamentSummary {
    /// Its name in addresses: letters and digits.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// Who meets whom.
    pub format: Format,
    /// How far it is.
    pub stage: TournamentStage,
    /// How many players and games there are.
    pub players: usize,
    /// How many games.
    pub games: usize,
    /// How many results there are.
    pub results: u64,
    /// When it was wanted, in milliseconds since 1970.
    pub created: u64,
    /// When it was over, in milliseconds since 1970.
    pub ended: Option<u64>,
}

/// How a tournament stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TournamentDetail {
    /// What lists say.
    pub summary: TournamentSummary,
    /// What was agreed.
    pub plan: TournamentPlan,
    /// How it stands by the rules of the format, best first.
    pub ranking: Vec<RankedPlayer>,
    /// Shares, ratings with intervals, and the cross table (`pairings`).
    pub standings: Standings,
    /// Rounds of a Swiss tournament, or the bracket.
    pub encounters: Vec<EncounterReport>,
    /// The matches that run or wait to.
    pub running: Vec<MatchSummary>,
    /// Whether there is a game in which players do not see everything.
    pub hidden: bool,
    /// How many matches are known that are still to be played, those that run included.
    pub open_matches: usize,
}
