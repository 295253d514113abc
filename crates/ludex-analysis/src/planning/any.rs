//! Any plan: courses that end within several horizons, which take turns.
//!
//! The hardest lengths are those just below the shortest plan, and nobody knows which these are. So no
//! horizon is asked for long: those that are open are asked one after the other with few conflicts each,
//! then one more opens (algorithm B of Rintanen, Heljanko and Niemelä, 2006).

use super::search::{Ended, Hunt, Stopped};
use crate::sat::{Literal, Verdict};

/// The first horizon in steps.
const FIRST: usize = 8;
/// Each horizon is longer than the one before by this share of it, in percent, and by some steps at least.
const GROWTH: usize = 40;
const SOME: usize = 4;
/// The most open horizons.
const OPEN: usize = 6;
/// Conflicts that a question may cost in the first round.
const CONFLICTS: u64 = 1_000;
/// How much more it may cost in the next round, in percent.
const PATIENCE: u64 = 130;

/// Looks for plans within horizons that take turns.
pub(super) fn search(hunt: &mut Hunt<'_>) -> Result<Ended, Stopped> {
    let mut turns =
        Turns { open: Vec::new(), up_to: Vec::new(), won: Vec::new(), bounded: false, recurring: false };
    let mut conflicts = CONFLICTS;
    let fewest = hunt.fewest_steps()?;
    turns.grow(hunt, fewest.max(FIRST))?;
    loop {
        if turns.round(hunt, conflicts)? {
            return Ok(Ended::Satisfied);
        }
        let longest = hunt.courses.length();
        if turns.open.is_empty() && turns.bounded {
            let steps = longest - usize::from(turns.recurring);
            return Ok(if turns.recurring { Ended::Recurring { steps } } else { Ended::Exhausted { steps } });
        }
        if turns.open.is_empty() && longest >= hunt.options.horizon {
            return hunt.end_at_the_horizon();
        }
        if hunt.states_decide(longest)? {
            return Ok(Ended::States);
        }
        if !turns.bounded && turns.open.len() < OPEN {
            turns.grow(hunt, longest + (longest * GROWTH / 100).max(SOME))?;
        }
        conflicts = conflicts.saturating_mul(PATIENCE) / 100;
    }
}

struct Turns {
    /// Horizons that are neither solved nor refuted, ascending.
    open: Vec<usize>,
    /// Per frame: the course ends here with what is wanted.
    won: Vec<Literal>,
    /// Per frame: it does so here or before.
    up_to: Vec<Literal>,
    /// Whether all courses end within the frames there are, or longer ones need not be looked at.
    bounded: bool,
    /// Whether longer ones come back to a state they were in.
    recurring: bool,
}

impl Turns {
    /// Opens a horizon.
    fn grow(&mut self, hunt: &mut Hunt<'_>, horizon: usize) -> Result<(), Stopped> {
        let horizon = horizon.min(hunt.options.horizon);
        while hunt.courses.length() < horizon {
            hunt.courses.extend_or_end()?;
        }
        if self.open.last().is_none_or(|&last| last < horizon) && hunt.refuted.is_none_or(|r| r < horizon) {
            self.open.push(horizon);
        }
        self.restate(hunt)
    }

    /// Says what is wanted of the frames that do not have it yet.
    fn restate(&mut self, hunt: &mut Hunt<'_>) -> Result<(), Stopped> {
        let Some(least) = hunt.least else { return Ok(()) };
        while self.won.len() <= hunt.courses.length() {
            let won = hunt.courses.won(self.won.len(), least)?;
            let solver = hunt.courses.unrolling.solver();
            let up_to = match self.up_to.last() {
                Some(&before) => !solver.conjunction(&[!before, !won])?,
                None => won,
            };
            self.won.push(won);
            self.up_to.push(up_to);
        }
        Ok(())
    }

    /// Asks each open horizon once. Answers whether there is a plan that has all that is wanted.
    fn round(&mut self, hunt: &mut Hunt<'_>, conflicts: u64) -> Result<bool, Stopped> {
        let mut at = 0;
        while let Some(&horizon) = self.open.get(at) {
            hunt.budget.report("looking for plans within so many steps", horizon as u64, None);
            match hunt.ask(&[self.up_to[horizon]], conflicts)? {
                Verdict::Satisfiable => {
                    if self.take(hunt, horizon)? {
                        return Ok(true);
                    }
                }
                Verdict::Unsatisfiable => {
                    hunt.courses.unrolling.solver().clause([!self.up_to[horizon]])?;
                    hunt.refuted = Some(horizon);
                    self.open.drain(..=at);
                    at = 0;
                }
                Verdict::TooHard => at += 1,
            }
        }
        let going = hunt.courses.length().checked_sub(1).map(|last| hunt.courses.going(last));
        if let Some(going) = going
            && !self.bounded
        {
            self.bounded = hunt.ask(&[going], conflicts)? == Verdict::Unsatisfiable;
            if !self.bounded && hunt.recurs(&[going])? {
                (self.bounded, self.recurring) = (true, true);
            }
        }
        Ok(false)
    }

    /// Takes up the plan that was found within a horizon.
    fn take(&mut self, hunt: &mut Hunt<'_>, horizon: usize) -> Result<bool, Stopped> {
        let solver = hunt.courses.unrolling.solver();
        let length = self.won[..=horizon].iter().position(|&won| solver.value(won));
        let before = hunt.least;
        let satisfied = hunt.take(length.unwrap_or(horizon))?;
        if !satisfied && hunt.least != before {
            self.won.clear();
            self.up_to.clear();
            self.restate(hunt)?;
        }
        Ok(satisfied)
    }
}
