//! Shortest plan first: courses of exactly 0, 1, 2 and more steps.

use super::search::{Ended, Hunt, Stopped};
use crate::sat::Verdict;

/// Conflicts that the question whether courses go on may cost in any case. It may cost as many as the
/// question for a plan of the same length did.
const CONFLICTS: u64 = 1_000;

/// Looks for plans of each length in turn, and for better ones of the same length first.
pub(super) fn search(hunt: &mut Hunt<'_>) -> Result<Ended, Stopped> {
    let fewest = hunt.fewest_steps()?;
    loop {
        let length = hunt.courses.length();
        hunt.budget.report("looking for plans of so many steps", length as u64, None);
        let before = hunt.conflicts();
        if length >= fewest
            && let Some(ended) = of_this_length(hunt, length)?
        {
            return Ok(ended);
        }
        hunt.refuted = Some(length);
        if length >= hunt.options.horizon {
            return hunt.end_at_the_horizon();
        }
        if hunt.recurs(&[])? {
            return Ok(Ended::Recurring { steps: length - 1 });
        }
        let spent = hunt.conflicts() - before;
        hunt.courses.extend()?;
        if hunt.ask(&[], spent.max(CONFLICTS))? == Verdict::Unsatisfiable {
            return Ok(Ended::Exhausted { steps: length });
        }
    }
}

/// How the search ends with plans of this length, if it does.
fn of_this_length(hunt: &mut Hunt<'_>, length: usize) -> Result<Option<Ended>, Stopped> {
    while let Some(least) = hunt.least {
        // Also where the solver has nothing to do for any length: there is no end of lengths.
        if hunt.states_decide(length)? {
            return Ok(Some(Ended::States));
        }
        let won = hunt.courses.won(length, least)?;
        if hunt.courses.unrolling.solver().as_constant(won) == Some(false) {
            return Ok(None);
        }
        let patience = hunt.patience();
        match hunt.ask(&[won], patience)? {
            Verdict::Satisfiable => {
                if hunt.take(length)? {
                    return Ok(Some(Ended::Satisfied));
                }
            }
            Verdict::Unsatisfiable => {
                hunt.courses.unrolling.solver().clause([!won])?;
                return Ok(None);
            }
            // It is time to look at the states; the question is put again.
            Verdict::TooHard => {}
        }
    }
    Ok(Some(Ended::Satisfied))
}
