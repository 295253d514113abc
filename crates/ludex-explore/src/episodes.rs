//! Matches of players without rules, one after the other in one process.

use ludex_game::{GameError, Goal, RoleId, Rules};
use ludex_logic::Budget;
use ludex_match::blind::{made, percepts};
use ludex_match::{Fault, Match, MatchSetup, MatchStatus, Reply};

use crate::player::BlindPlayer;

/// Who plays a role.
pub enum Seat<'a> {
    /// A player without rules.
    Blind(&'a mut dyn BlindPlayer),
    /// Legal moves at random.
    Random,
}

/// How a match went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpisodeResult {
    /// What it was worth to each seat; nothing where it was not played to its end.
    pub goals: Vec<Option<Goal>>,
    /// How many actions of each seat were refused.
    pub refused: Vec<u32>,
    /// How many steps were made.
    pub steps: usize,
}

/// Why a match could not be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EpisodeError {
    /// There are not as many players as seats.
    #[error("{seats} seats, but {players} players")]
    Players {
        /// The roles but `random`.
        seats: usize,
        /// The players.
        players: usize,
    },
    /// The rules do not say how it goes on.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// Plays a match. `budget` is for each preparation and each choice of a player.
///
/// # Errors
/// [`EpisodeError`].
pub fn play_episode(
    rules: &Rules,
    setup: MatchSetup,
    seats: &mut [Seat<'_>],
    budget: &Budget,
) -> Result<EpisodeResult, EpisodeError> {
    let roles = rules.seats();
    if roles.len() != seats.len() {
        return Err(EpisodeError::Players { seats: roles.len(), players: seats.len() });
    }
    let mut course = Match::new(rules.clone(), setup)?;
    for (seat, &role) in seats.iter_mut().zip(&roles) {
        if let Seat::Blind(player) = seat {
            player.prepare(budget);
            player.begin(&percepts(&course, role));
        }
    }
    let mut refused = vec![0; seats.len()];
    while !course.is_over() {
        let mut replies: Vec<Reply> = vec![Err(Fault::Timeout); rules.roles().len()];
        for (seat, &role) in seats.iter_mut().zip(&roles) {
            if let Seat::Blind(player) = seat {
                let action = rules.read_term(&player.choose(budget));
                replies[role.index()] = action.map_err(|_| Fault::Malformed(String::new()));
            }
        }
        if course.submit(&replies, None)?.is_none() {
            break;
        }
        for ((seat, &role), refused) in seats.iter_mut().zip(&roles).zip(&mut refused) {
            let Seat::Blind(player) = seat else { continue };
            *refused += u32::from(was_refused(&course, role));
            player.observe(&made(&course, role).unwrap_or_default(), &percepts(&course, role));
        }
    }
    let is_complete = *course.status() == MatchStatus::Completed;
    if is_complete {
        for seat in seats.iter_mut() {
            if let Seat::Blind(player) = seat {
                player.end();
            }
        }
    }
    let goal = |role: &RoleId| course.goals().get(role.index()).copied().flatten().filter(|_| is_complete);
    Ok(EpisodeResult { goals: roles.iter().map(goal).collect(), refused, steps: course.steps().len() })
}

fn was_refused(course: &Match, role: RoleId) -> bool {
    let last = course.steps().last();
    last.and_then(|step| step.faults.get(role.index())).is_some_and(Option::is_some)
}
