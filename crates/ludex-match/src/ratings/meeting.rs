//! What a match changes in the ratings of those who played it, two or more.

use super::glicko::{Comparison, PERIOD_MILLISECONDS, Skill};
use crate::tournament::{share, share_of_rewards};

/// A seat of a match that was played to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat<'a> {
    /// Who had it; the same text is the same player.
    pub player: &'a str,
    /// What the match was worth on it: the goal, or the reward where thinking cost something; 0 where there is none.
    pub worth: f64,
}

/// A player of a match, and what the match changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rated<'a> {
    /// Who.
    pub player: &'a str,
    /// How many rating periods had passed since its last match.
    pub periods: f64,
    /// As it was after its last match.
    pub before: Skill,
    /// As it is after this one.
    pub after: Skill,
}

/// How many rating periods there are between two moments in milliseconds; none where the second is not the later one.
pub fn periods_between(before: u64, after: u64) -> f64 {
    after.saturating_sub(before) as f64 / PERIOD_MILLISECONDS
}

/// Rates a match: each who played, once, in the order of the seats. `known` says of a player what it was after its last
/// match, and how many rating periods ago that was; whoever has not played is [`Skill::default`].
///
/// **Time.** A rating period of Glicko-2 holds all matches of some time; here each match is rated when it ends, with the
/// part of a period that has passed since the last one of each player, as Lichess does: deviations have grown by then, those
/// of the opponents, too, and the player's own in the step that does so in the publication.
///
/// **Scores.** Of two players each takes its [`share`] of the goals of both; of rewards [`share_of_rewards`]. A player with
/// several seats counts with their mean, as in tournaments.
///
/// **Several players.** Each is compared with each other one, and each comparison of n players has the weight 1 / (n − 1):
/// the comparisons of one match are not independent, and together they tell of a player no more than a match of two does.
/// (All pairs with a fraction of the weight: R. C. Weng, C.-J. Lin, A Bayesian approximation method for online ranking,
/// Journal of Machine Learning Research 12, 2011, where the whole update is a sum over pairs.)
///
/// The order of the seats changes no bit of what comes out for a player.
///
/// Nothing is rated, and nothing comes back, where fewer than two players meet: in games that are played alone, and where
/// one player has all seats.
pub fn rate<'a>(
    seats: &[Seat<'a>],
    rewards: bool,
    mut known: impl FnMut(&str) -> Option<(Skill, f64)>,
) -> Vec<Rated<'a>> {
    let mut players: Vec<(&str, f64)> = Vec::new();
    for seat in seats {
        if !players.iter().any(|(player, _)| *player == seat.player) {
            players.push((seat.player, mean(seats, seat.player)));
        }
    }
    if players.len() < 2 {
        return Vec::new();
    }
    let known: Vec<(Skill, f64)> =
        players.iter().map(|(player, _)| known(player).unwrap_or_default()).collect();
    let weight = 1.0 / (players.len() - 1) as f64;
    let taken = if rewards { share_of_rewards } else { share };
    let rated =
        players.iter().zip(&known).enumerate().map(|(number, (&(player, worth), &(before, periods)))| {
            let others = players.iter().zip(&known).enumerate().filter(|(other, _)| *other != number);
            let mut met: Vec<Comparison> = others
                .map(|(_, (&(_, other), &(opponent, pause)))| Comparison {
                    opponent: opponent.after_pause(pause),
                    score: taken(worth, other),
                    weight,
                })
                .collect();
            // Sums of numbers depend on their order.
            met.sort_by(|a, b| {
                let key = |c: &Comparison| [c.opponent.rating, c.opponent.deviation, c.score];
                let parts = key(a).into_iter().zip(key(b)).map(|(a, b)| a.total_cmp(&b));
                parts.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
            });
            Rated { player, periods, before, after: before.after(&met, periods) }
        });
    rated.collect()
}

/// The mean over the seats of a player.
fn mean(seats: &[Seat<'_>], player: &str) -> f64 {
    let mut own: Vec<f64> =
        seats.iter().filter(|seat| seat.player == player).map(|seat| seat.worth).collect();
    own.sort_by(f64::total_cmp);
    own.iter().sum::<f64>() / own.len().max(1) as f64
}
