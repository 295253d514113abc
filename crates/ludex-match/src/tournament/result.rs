//! What came of a match of a tournament.

use ludex_game::Goal;
use serde::{Deserialize, Serialize};

use super::schedule::{Fixture, Tournament};
use crate::referee::real_time::{TimedMatch, Verdict};
use crate::{Fault, Match, MatchStatus};

/// A match that was played, as far as standings need it: a line of JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchResult {
    /// The name of the game.
    pub game: String,
    /// The round, from 1.
    pub round: u32,
    /// The seed of the match.
    pub seed: u64,
    /// Who had each seat.
    pub players: Vec<String>,
    /// What the last state is worth on each seat; null where the rules give no single value.
    pub goals: Vec<Option<Goal>>,
    /// How many steps were made.
    pub steps: u32,
    /// Why the match ended early, if it did. It counts in no share then.
    pub aborted: Option<String>,
    /// What went wrong on each seat.
    pub faults: Vec<FaultCounts>,
}

/// How often a player did something wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultCounts {
    /// No move in time.
    pub late: u32,
    /// A move that is not legal, or something else in its place.
    pub illegal: u32,
    /// No move at all, or not asked for one any more.
    pub failed: u32,
}

impl FaultCounts {
    /// Counts a fault.
    pub fn count(&mut self, fault: &Fault) {
        match fault {
            Fault::Timeout => self.late += 1,
            Fault::Illegal(_) | Fault::Malformed(_) => self.illegal += 1,
            Fault::Failed(_) | Fault::Replaced => self.failed += 1,
        }
    }

    /// Those of each seat of a match in real time.
    pub fn of_timed(played: &TimedMatch) -> Vec<Self> {
        let mut faults = vec![Self::default(); played.rules().seats().len()];
        let refused = played.arrivals().iter().filter_map(|came| match &came.verdict {
            Verdict::Refused(fault) => Some((came.seat.0 as usize, fault)),
            Verdict::Made(_) => None,
        });
        let starts = played.start_faults().iter().enumerate();
        let starts = starts.filter_map(|(seat, fault)| Some((seat, fault.as_ref()?)));
        for (seat, fault) in starts.chain(refused) {
            if let Some(counts) = faults.get_mut(seat) {
                counts.count(fault);
            }
        }
        faults
    }

    /// Adds others.
    pub fn add(&mut self, other: Self) {
        self.late += other.late;
        self.illegal += other.illegal;
        self.failed += other.failed;
    }

    /// Whether there is none.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }

    /// How many there are, of all kinds.
    pub fn all(&self) -> u64 {
        u64::from(self.late) + u64::from(self.illegal) + u64::from(self.failed)
    }
}

impl MatchResult {
    /// A match that could not even begin.
    pub fn failed(tournament: &Tournament, fixture: &Fixture, cause: impl Into<String>) -> Self {
        let players = tournament.seated(fixture);
        Self {
            game: tournament.games.get(fixture.game).map_or_else(String::new, |game| game.name.clone()),
            round: fixture.round,
            seed: fixture.seed,
            goals: vec![None; players.len()],
            steps: 0,
            aborted: Some(cause.into()),
            faults: vec![FaultCounts::default(); players.len()],
            players,
        }
    }

    /// What came of a match.
    pub fn of(tournament: &Tournament, fixture: &Fixture, played: &Match) -> Self {
        let seats = played.rules().seats();
        let mut faults = vec![FaultCounts::default(); seats.len()];
        let starts = std::iter::once(played.start_faults());
        for of_roles in starts.chain(played.steps().iter().map(|step| step.faults.as_slice())) {
            for (&role, counts) in seats.iter().zip(&mut faults) {
                if let Some(fault) = of_roles.get(role.index()).and_then(Option::as_ref) {
                    counts.count(fault);
                }
            }
        }
        Self {
            goals: played.seat_goals(),
            steps: u32::try_from(played.steps().len()).unwrap_or(u32::MAX),
            aborted: aborted(played.status()),
            faults,
            ..Self::failed(tournament, fixture, "")
        }
    }

    /// What came of a match in real time. Its events are its steps; a move that was refused was illegal.
    pub fn of_timed(tournament: &Tournament, fixture: &Fixture, played: &TimedMatch) -> Self {
        let seats = played.rules().seats();
        let goals = seats.iter().map(|role| played.goals().get(role.index()).copied().flatten());
        Self {
            goals: goals.collect(),
            steps: u32::try_from(played.events().len()).unwrap_or(u32::MAX),
            aborted: aborted(played.status()),
            faults: FaultCounts::of_timed(played),
            ..Self::failed(tournament, fixture, "")
        }
    }

    /// Whether this is what came of a match of a tournament.
    pub fn is_of(&self, tournament: &Tournament, fixture: &Fixture) -> bool {
        tournament.games.get(fixture.game).is_some_and(|game| game.name == self.game)
            && self.round == fixture.round
            && self.seed == fixture.seed
            && self.players == tournament.seated(fixture)
    }

    /// What a player got: the mean over its seats, where no value counts 0; `None` where it has no seat.
    pub fn goals_of(&self, player: &str) -> Option<f64> {
        let own = self.players.iter().zip(&self.goals).filter(|(name, _)| *name == player);
        let own: Vec<f64> = own.map(|(_, goal)| f64::from(goal.unwrap_or(0))).collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    }
}

/// Why a match ended early, if it did.
fn aborted(status: &MatchStatus) -> Option<String> {
    match status {
        MatchStatus::Completed | MatchStatus::Settled(_) => None,
        MatchStatus::Aborted(cause) => Some(cause.clone()),
        MatchStatus::Running => Some("not played to the end".to_owned()),
    }
}
