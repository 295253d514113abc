//! What is agreed before a competition.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::schedule::{Tournament, TournamentError, at_most, seating_count};

/// Who meets whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every pair of players meets on every seating of every game, as often as there are rounds: see
    /// [`Tournament::schedule`].
    #[default]
    RoundRobin,
    /// So many rounds, and in each everybody meets one other player who has about as many points: see
    /// [`RunningTournament`](super::RunningTournament).
    Swiss,
    /// Who loses once is out.
    SingleElimination,
    /// Who loses twice is out.
    DoubleElimination,
    /// In each round every player has every seat of every game once, against others in turn; goals are
    /// added up.
    Cumulative,
    /// No end: whoever is free plays what was played least.
    Open,
    /// No end, for many: whoever is free meets others who are about as strong.
    Ladder,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 7] = [
        Self::RoundRobin,
        Self::Swiss,
        Self::SingleElimination,
        Self::DoubleElimination,
        Self::Cumulative,
        Self::Open,
        Self::Ladder,
    ];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Swiss => "swiss",
            Self::SingleElimination => "single-elimination",
            Self::DoubleElimination => "double-elimination",
            Self::Cumulative => "cumulative",
            Self::Open => "open",
            Self::Ladder => "ladder",
        }
    }

    /// Whether two players meet in some legs, and what comes of them decides who meets whom next.
    pub fn has_encounters(self) -> bool {
        matches!(self, Self::Swiss | Self::SingleElimination | Self::DoubleElimination)
    }

    /// Why nobody can enter after the start, in the formats where nobody can.
    pub fn entry_refusal(self) -> Option<&'static str> {
        match self {
            Self::RoundRobin | Self::Swiss | Self::Open | Self::Ladder => None,
            Self::SingleElimination | Self::DoubleElimination => Some("the bracket was drawn at the start"),
            Self::Cumulative => Some("who shares a match with whom was fixed at the start"),
        }
    }

    /// Whether it goes on until somebody ends it.
    pub fn is_endless(self) -> bool {
        matches!(self, Self::Open | Self::Ladder)
    }

    /// Whether nobody meets anybody in games that are played alone, but the format lets players meet.
    pub fn needs_opponents(self) -> bool {
        self.has_encounters() || self == Self::Ladder
    }

    /// Whether losing puts a player out.
    pub fn is_elimination(self) -> bool {
        matches!(self, Self::SingleElimination | Self::DoubleElimination)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|format| format.name() == text);
        known.ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

/// No format has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{0}`")]
pub struct UnknownFormat(pub String);

/// What is agreed before a competition.
///
/// In JSON an object with `players`, `games` (`name`, `seats`), `rounds`, `seed`, `format`, `legs`,
/// `replays`, `attempts`, `per_player`, `simultaneous` and `per_day`; what comes after `format` may be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentSetup {
    /// Who plays what, how often, and what decides all chances. The order of the players is that of their
    /// strength as far as it is known: it is the seeding of brackets and the first order of Swiss rounds.
    /// Rounds are those of round robin, Swiss and cumulative; the others do without.
    #[serde(flatten)]
    pub tournament: Tournament,
    /// Who meets whom.
    #[serde(default)]
    pub format: Format,
    /// How many matches two players have with each other when they meet in a Swiss round or in a bracket.
    /// From one leg to the next they change seats.
    #[serde(default = "one")]
    pub legs: NonZeroU32,
    /// How often so many legs are played again in a bracket where they did not decide. Then the lot does.
    #[serde(default)]
    pub replays: u32,
    /// How often a match is begun, if it is aborted, before it counts as nothing.
    #[serde(default = "one")]
    pub attempts: NonZeroU32,
    /// How many matches a player may be in at the same time.
    #[serde(default = "one")]
    pub per_player: NonZeroU32,
    /// How many matches there may be at the same time; `None` for no limit.
    #[serde(default)]
    pub simultaneous: Option<NonZeroU32>,
    /// How many matches of a ladder a player may have in 24 hours; `None` for no limit. It counts those whose results say
    /// when they ended ([`MatchResult::at`](super::MatchResult::at)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_day: Option<NonZeroU32>,
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// Standings and pairings take time with the square and the cube of the number of players.
const PLAYER_LIMIT: u64 = 500;
const GAME_LIMIT: u64 = 1_000;
const SEAT_LIMIT: u64 = 1_000;
/// Legs and replays together.
const LEG_LIMIT: u64 = 10_000;
const SWISS_ROUND_LIMIT: u64 = 1_000;
/// To pair a round takes time with the cube of the number of players; so much is possible in all rounds.
const PAIRING_LIMIT: u64 = 20_000_000_000;
/// An open-ended schedule looks through all seatings each time.
const OPEN_SEATING_LIMIT: u64 = 300_000;

impl TournamentSetup {
    /// A competition with one leg for each meeting, one attempt for each match, and each player in one
    /// match at a time.
    pub fn new(tournament: Tournament, format: Format) -> Self {
        Self {
            tournament,
            format,
            legs: one(),
            replays: 0,
            attempts: one(),
            per_player: one(),
            simultaneous: None,
            per_day: None,
        }
    }

    /// Enough Swiss rounds for one player to be ahead of all others: the binary logarithm of the number of
    /// players, rounded up.
    pub fn swiss_rounds(players: usize) -> u32 {
        players.max(2).next_power_of_two().ilog2()
    }

    /// Whether a competition can be held on these terms.
    ///
    /// # Errors
    /// [`TournamentError`].
    pub fn check(&self) -> Result<(), TournamentError> {
        let Tournament { players, games, rounds, .. } = &self.tournament;
        self.tournament.check()?;
        at_most("players", players.len() as u64, PLAYER_LIMIT)?;
        at_most("games", games.len() as u64, GAME_LIMIT)?;
        for game in games {
            at_most("seats", game.seats as u64, SEAT_LIMIT)?;
        }
        let seatings = |game: &super::TournamentGame| seating_count(players.len(), game.seats);
        match self.format {
            Format::RoundRobin => self.tournament.check_number(seatings)?,
            Format::Cumulative => self.tournament.check_number(|_| players.len() as u64)?,
            Format::Open => at_most("seatings", games.iter().map(seatings).sum(), OPEN_SEATING_LIMIT)?,
            Format::Swiss => {
                let limit = SWISS_ROUND_LIMIT.min(PAIRING_LIMIT / (players.len() as u64).pow(3));
                at_most("Swiss rounds", (*rounds).into(), limit)?;
            }
            Format::SingleElimination | Format::DoubleElimination | Format::Ladder => {}
        }
        if self.format.has_encounters() {
            at_most("legs", u64::from(self.legs.get()) * (1 + u64::from(self.replays)), LEG_LIMIT)?;
        }
        if !self.format.needs_opponents() {
            return Ok(());
        }
        match games.iter().find(|game| game.seats == 1) {
            Some(game) => Err(TournamentError::Alone { game: game.name.clone(), format: self.format }),
            None => Ok(()),
        }
    }

    /// Which game is played in a round: the games take turns.
    pub(super) fn game_of_round(&self, round: u32) -> usize {
        (round as usize).saturating_sub(1) % self.tournament.games.len().max(1)
    }
}
