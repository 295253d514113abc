//! How much of its time a player gives to a move, where the time of all moves is limited or costs something (book 20.2).

use std::time::Duration;

use ludex_game::TimeTerms;

use crate::rest_of_game::RestOfGame;

/// This part of a bank is kept back, so that nobody loses on time by what was not foreseen.
const RESERVE: f64 = 0.04;
/// So much of it at least.
const LEAST_RESERVE: Duration = Duration::from_millis(30);
/// Time is kept for so many moves at least, this one among them: games may last longer than random games do.
const FEWEST_CHOICES: f64 = 2.0;
/// Time is kept for no more moves than these: random games may last much longer than others.
const MOST_CHOICES: f64 = 50.0;
/// So much of the increments that are still to come is counted on.
const COMING: f64 = 0.8;
/// Of the share of a move so much is kept back at most for what is usually lost beside it: who never thinks loses, too.
const MOST_LOST: f64 = 0.5;

/// What is lost beside what moves are meant to take: on the way, or because a search ends no sooner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Losses {
    /// In a move that is thought about.
    pub of_choice: Duration,
    /// In a step without a choice.
    pub of_step: Duration,
}

/// How long a player is to think about a move for which there is so much time at most, where this of the game is to come: an
/// even share of what there is. Nothing where there is no time to think.
pub(crate) fn even_share(terms: &TimeTerms, rest: RestOfGame, losses: Losses, limit: Duration) -> Duration {
    let Some(bank) = terms.bank else { return limit };
    let reserve = bank.total.mul_f64(RESERVE).max(LEAST_RESERVE);
    let usable = bank.total.saturating_sub(reserve);
    let choices = rest.choices.clamp(FEWEST_CHOICES, MOST_CHOICES);
    // As many steps as belong to those moves bring an increment each.
    let steps = rest.steps * (choices / rest.choices.max(1.0)).min(1.0);
    let coming = times(bank.increment, COMING * (steps - 1.0).max(0.0));
    let idle = times(losses.of_step, (steps - choices).max(0.0));
    let even = usable.saturating_add(coming).saturating_sub(idle).div_f64(choices);
    let share = even.min(usable);
    (share - losses.of_choice.min(share.mul_f64(MOST_LOST))).min(limit)
}

/// So many times a time, or the longest that there is.
fn times(time: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludex_game::TimeBank;

    const NONE: Losses = Losses { of_choice: Duration::ZERO, of_step: Duration::ZERO };
    const LONG: Duration = Duration::from_secs(3600);

    fn terms(total: u64, increment: u64) -> TimeTerms {
        let [total, increment] = [total, increment].map(Duration::from_millis);
        TimeTerms { bank: Some(TimeBank { total, increment }), cost: 0.0 }
    }

    fn rest(steps: f64, choices: f64) -> RestOfGame {
        RestOfGame { steps, choices }
    }

    /// Plays moves that all take what they usually get: how long each was.
    fn played(mut terms: TimeTerms, choices: u32, steps_each: u32) -> Vec<u64> {
        let mut times = Vec::new();
        for left in (1..=choices).rev() {
            let rest = rest(f64::from(left * steps_each), f64::from(left));
            let usual = even_share(&terms, rest, NONE, LONG);
            assert!(usual <= terms.bank.unwrap().total, "nobody thinks longer than there is time");
            times.push(u64::try_from(usual.as_millis()).unwrap());
            // Between two moves of one's own others come, which take no time and bring increments.
            let mut bank = terms.bank.unwrap().after_move(usual);
            (1..steps_each).for_each(|_| bank = bank.after_move(Duration::ZERO));
            terms.bank = Some(bank);
        }
        times
    }

    #[test]
    fn even_shares_are_even_and_use_the_bank_up() {
        let times = played(terms(60_000, 0), 20, 2);
        assert!(times[..18].iter().all(|&time| (2_600..=3_300).contains(&time)), "{times:?}");
        let sum: u64 = times.iter().sum();
        assert!((55_000..60_000).contains(&sum), "{sum}");
    }

    #[test]
    fn increments_are_counted_on() {
        let times = played(terms(1_000, 500), 20, 2);
        // One second and forty half seconds for twenty moves.
        assert!(times[0] > 700 && times[..18].iter().all(|&time| time > 600), "{times:?}");
        let times = played(terms(0, 500), 5, 1);
        assert_eq!(times[0], 0, "who has nothing has to answer at once");
        assert!(times[1] > 150, "{times:?}");
    }

    #[test]
    fn a_game_that_goes_on_and_on_never_uses_the_bank_up() {
        let mut all = terms(1_000, 0);
        for _ in 0..10_000 {
            let bank = all.bank.unwrap();
            let share = even_share(&all, rest(1.0, 1.0), NONE, LONG);
            assert!(share <= bank.total);
            all.bank = Some(bank.after_move(share));
        }
        assert!(all.bank.unwrap().total > Duration::ZERO);
    }

    #[test]
    fn the_clock_of_the_move_is_the_limit_and_the_only_one_where_time_but_costs() {
        let limit = Duration::from_millis(300);
        assert_eq!(even_share(&terms(60_000, 0), rest(20.0, 10.0), NONE, limit), limit);
        let priced = TimeTerms { bank: None, cost: 2.0 };
        assert_eq!(even_share(&priced, rest(20.0, 10.0), NONE, limit), limit);
    }

    #[test]
    fn what_is_odd_is_no_fault() {
        for (steps, choices) in [(0.0, 0.0), (1e9, 1e9), (3.0, 1e9)] {
            for increment in [5, u64::MAX] {
                let terms = terms(u64::MAX / 2_000_000, increment);
                let lost = Losses { of_choice: Duration::MAX, of_step: Duration::MAX };
                assert!(even_share(&terms, rest(steps, choices), NONE, LONG) <= LONG);
                assert!(even_share(&terms, rest(steps, choices), lost, LONG) <= LONG);
            }
        }
    }
}
