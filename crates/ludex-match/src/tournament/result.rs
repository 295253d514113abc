//! What came of a match of a tournament.

use ludex_game::Goal;
use serde::{Deserialize, Serialize};

use super::schedule::{Fixture, Tournament};
use super::share::{share, share_of_rewards};
use crate::record::milliseconds;
use crate::referee::real_time::{TimedMatch, Verdict};
use crate::{Fault, Match, MatchStatus};

/// A match that was played, as far as standings need it: a line of JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// What the match brought on each seat, where thinking cost something: the goal less the cost of the time. This is
    /// what players are compared by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewards: Option<Vec<Option<f64>>>,
    /// How many milliseconds each seat thought, where that was limited for all moves together, or cost something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<Vec<u64>>,
    /// How many steps were made.
    pub steps: u32,
    /// Why the match ended early, if it did. It counts in no share then.
    pub aborted: Option<String>,
    /// What went wrong on each seat.
    pub faults: Vec<FaultCounts>,
    /// When it ended, in milliseconds since 1970, where that matters: on a ladder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
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
            rewards: None,
            times: None,
            steps: 0,
            aborted: Some(cause.into()),
            faults: vec![FaultCounts::default(); players.len()],
            at: None,
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
            rewards: played.seat_rewards(),
            times: times(played),
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

    /// What a player got: the mean of the goals on its seats, where no value counts 0; `None` where it has no seat.
    pub fn goals_of(&self, player: &str) -> Option<f64> {
        self.mean_of(player, |seat| f64::from(self.goals.get(seat).copied().flatten().unwrap_or(0)))
    }

    /// What a player is compared by with others: what it got, less what its thinking cost where that costs something.
    pub fn worth_to(&self, player: &str) -> Option<f64> {
        self.mean_of(player, |seat| self.worth_of_seat(seat))
    }

    /// The same on one seat.
    pub fn worth_of_seat(&self, seat: usize) -> f64 {
        match &self.rewards {
            Some(rewards) => rewards.get(seat).copied().flatten().unwrap_or(0.0),
            None => f64::from(self.goals.get(seat).copied().flatten().unwrap_or(0)),
        }
    }

    /// How many seconds a player thought on each of its seats, where that was noted.
    pub fn seconds_of(&self, player: &str) -> Option<f64> {
        let times = self.times.as_ref()?;
        self.mean_of(player, |seat| times.get(seat).copied().unwrap_or(0) as f64 / 1000.0)
    }

    /// The share of who is compared by so much with who is compared by as much: of goals [`share`], of rewards
    /// [`share_of_rewards`].
    pub(super) fn share(&self, own: f64, opponents: f64) -> f64 {
        if self.rewards.is_some() { share_of_rewards(own, opponents) } else { share(own, opponents) }
    }

    /// The mean over the seats of a player; `None` where it has none.
    fn mean_of(&self, player: &str, of_seat: impl Fn(usize) -> f64) -> Option<f64> {
        let own = (0..self.players.len()).filter(|&seat| self.players[seat] == player);
        let own: Vec<f64> = own.map(of_seat).collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    }
}

/// How many milliseconds each seat thought, where that matters.
fn times(played: &Match) -> Option<Vec<u64>> {
    let setup = played.setup();
    if setup.bank.is_none() && setup.time_cost.is_none() {
        return None;
    }
    let times = played.thinking_times();
    Some(played.rules().seats().iter().map(|role| milliseconds(times[role.index()])).collect())
}

/// Why a match ended early, if it did.
fn aborted(status: &MatchStatus) -> Option<String> {
    match status {
        MatchStatus::Completed | MatchStatus::Settled(_) => None,
        MatchStatus::Aborted(cause) => Some(cause.clone()),
        MatchStatus::Running => Some("not played to the end".to_owned()),
    }
}
