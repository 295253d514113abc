//! How a player uses its time in a match in which the time of all moves is limited or costs something.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{Machine, RoleId, State, TimeTerms};
use ludex_logic::Budget;

use crate::allotment::{Losses, even_share};
use crate::rest_of_game::RestOfGame;

/// The part of the time of a move in which it is found out how much of the game is to come.
const LOOKING_SHARE: f64 = 0.04;
/// What is taken to come of a game of which nothing is known.
const UNKNOWN_REST: RestOfGame = RestOfGame { steps: 60.0, choices: 30.0 };
/// What was lost once is forgotten by so much with each move in which less is.
const KEPT: f64 = 0.75;

/// What a player knows of its time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimeUse {
    terms: TimeTerms,
    /// What there was for all moves when the last one was asked for, and how long that was meant to take.
    last: Option<(Duration, Duration)>,
    /// Whether there was a choice in the last one.
    had_choice: bool,
    losses: Losses,
    /// What is to come of the game, as far as it was found out.
    rest: Option<RestOfGame>,
}

impl TimeUse {
    /// Hears what time is worth, before a move is asked for: what is missing beyond what the last one was meant to take was
    /// lost, be that by a search that could not end sooner or on the way to a manager.
    pub fn hear(&mut self, terms: &TimeTerms) {
        if let (Some(bank), Some((before, meant))) = (terms.bank, self.last.take()) {
            let charged = before.saturating_add(bank.increment).saturating_sub(bank.total);
            let lost = charged.saturating_sub(meant);
            let known = if self.had_choice { &mut self.losses.of_choice } else { &mut self.losses.of_step };
            *known = lost.max(known.mul_f64(KEPT));
        }
        self.terms = *terms;
        self.last = terms.bank.map(|bank| (bank.total, Duration::ZERO));
        self.had_choice = false;
    }

    /// Points of the goal that a second costs.
    pub fn cost(&self) -> f64 {
        self.terms.cost
    }

    /// What a move gets in a state; nothing where time is worth nothing but for this move.
    pub fn allot(
        &mut self,
        (machine, role): (&dyn Machine, RoleId),
        state: Option<&State>,
        budget: &Budget,
        seed: impl FnOnce() -> u64,
    ) -> Option<Duration> {
        let limit = budget.time_left().filter(|_| self.terms.are_thrifty())?;
        let mut rest = self.rest.unwrap_or(UNKNOWN_REST);
        if let (Some(_), Some(state), Some(clock)) = (self.terms.bank, state, budget.clock()) {
            let share = even_share(&self.terms, rest, self.losses, limit).mul_f64(LOOKING_SHARE);
            let looking = budget.clone().with_time(Arc::clone(clock), share);
            rest = RestOfGame::of(machine, state, role, &looking, seed()).unwrap_or(rest);
        }
        self.rest = Some(rest.after_choice());
        let limit = budget.time_left().unwrap_or(limit);
        Some(even_share(&self.terms, rest, self.losses, limit))
    }

    /// Takes note of how long a move was meant to take at most in which there was a choice: of nothing, too, where there
    /// was no time to think.
    pub fn note_choice(&mut self, meant: Duration) {
        self.had_choice = true;
        if let Some((_, of_last)) = &mut self.last {
            *of_last = meant;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludex_game::TimeBank;

    fn bank(total: u64) -> TimeTerms {
        let milliseconds = Duration::from_millis;
        TimeTerms {
            bank: Some(TimeBank { total: milliseconds(total), increment: milliseconds(10) }),
            cost: 0.0,
        }
    }

    #[test]
    fn what_is_missing_was_lost() {
        let milliseconds = Duration::from_millis;
        let mut time = TimeUse::default();
        time.hear(&bank(1_000));
        time.note_choice(milliseconds(100));
        // 100 were meant, and 130 are gone though 10 were added.
        time.hear(&bank(880));
        assert_eq!(time.losses, Losses { of_choice: milliseconds(30), of_step: Duration::ZERO });
        // A step without a choice takes 4.
        time.hear(&bank(886));
        assert_eq!(time.losses.of_step, milliseconds(4));
        time.note_choice(milliseconds(100));
        time.hear(&bank(850));
        assert_eq!(
            time.losses.of_choice,
            milliseconds(30).mul_f64(KEPT),
            "who thinks less long loses nothing"
        );
    }

    #[test]
    fn one_stall_does_not_stop_thinking() {
        let seconds = Duration::from_secs;
        let terms = |total| TimeTerms {
            bank: Some(TimeBank { total: seconds(total), increment: Duration::ZERO }),
            cost: 0.0,
        };
        let mut time = TimeUse::default();
        time.hear(&terms(100));
        time.note_choice(seconds(2));
        // The machine stood still for half a minute.
        time.hear(&terms(68));
        let mut losses = vec![time.losses.of_choice];
        for _ in 0..10 {
            assert!(even_share(&terms(68), UNKNOWN_REST, time.losses, seconds(60)) > seconds(1));
            time.note_choice(Duration::ZERO);
            time.hear(&terms(68));
            losses.push(time.losses.of_choice);
        }
        assert_eq!(losses[0], seconds(30));
        assert!(losses.is_sorted_by(|a, b| a > b), "{losses:?}");
        assert!(losses[10] < seconds(2), "{losses:?}");
    }
}
