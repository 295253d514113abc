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
        if length >= fewest && of_this_length(hunt, length)? {
            return Ok(Ended::Satisfied);
        }
        hunt.refuted = Some(length);
        if length >= hunt.options.horizon {
            return Err(hunt.at_the_horizon());
        }
        let spent = hunt.conflicts() - before;
        hunt.courses.extend()?;
        if hunt.ask(&[], spent.max(CONFLICTS))? == Verdict::Unsatisfiable {
            return Ok(Ended::Exhausted { steps: length });
        }
    }
}

/// Whether a plan of this length has all that is wanted.
fn of_this_length(hunt: &mut Hunt<'_>, length: usize) -> Result<bool, Stopped> {
    while let Some(least) = hunt.least {
        let won = hunt.courses.won(length, least)?;
        if hunt.courses.unrolling.solver().as_constant(won) == Some(false) {
            return Ok(false);
        }
        match hunt.ask(&[won], u64::MAX)? {
            Verdict::Satisfiable => {
                if hunt.take(length)? {
                    return Ok(true);
                }
            }
            Verdict::Unsatisfiable => {
                hunt.courses.unrolling.solver().clause([!won])?;
                return Ok(false);
            }
            // There was no limit to reach.
            Verdict::TooHard => return Err(Stopped(crate::Reason::Conflicts { conflicts: u64::MAX })),
        }
    }
    Ok(true)
}
