//! Whether two games are played differently: a look at their first steps.

use std::fmt;

use ludex_game::{PerftRow, Rules, perft};
use ludex_logic::Budget;

/// How two games differ in play, whatever their rules are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayDifference {
    /// The numbers of roles.
    Roles(usize, usize),
    /// The ways to play a number of steps.
    Courses {
        /// The steps.
        steps: u32,
        /// The ways to play them in the one game and in the other.
        courses: (u128, u128),
    },
    /// The ways to play a number of steps that end the game.
    Endings {
        /// The steps.
        steps: u32,
        /// How many of them there are in the one game and in the other.
        endings: (u128, u128),
    },
}

impl fmt::Display for PlayDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayDifference::Roles(one, other) => write!(f, "{one} roles and {other}"),
            PlayDifference::Courses { steps, courses: (one, other) } => {
                write!(f, "{one} and {other} ways to play {}", counted(*steps))
            }
            PlayDifference::Endings { steps, endings: (one, other) } => {
                write!(f, "{one} and {other} games that end after {}", counted(*steps))
            }
        }
    }
}

fn counted(steps: u32) -> String {
    if steps == 1 { "1 step".into() } else { format!("{steps} steps") }
}

/// The work for one count.
const WORK: u64 = 300_000;
/// Nobody needs to look further than this.
const MOST_STEPS: u32 = 30;

/// A difference in the first steps, if a little work shows one.
pub(super) fn difference(first: &Rules, second: &Rules, budget: &Budget) -> Option<PlayDifference> {
    let roles = (first.roles().len(), second.roles().len());
    if roles.0 != roles.1 {
        return Some(PlayDifference::Roles(roles.0, roles.1));
    }
    let budget = budget.clone().with_work(budget.work().min(WORK));
    let count = |rules: &Rules, steps| perft(&**rules.machine(), steps, &budget).ok();
    let mut steps = 1;
    while steps <= MOST_STEPS {
        // Counting ends in an error where it takes too long.
        let (one, other) = (count(first, steps)?, count(second, steps)?);
        let found = compare(&one, &other);
        if found.is_some() {
            return found;
        }
        if one.len() <= steps as usize {
            // All games are over.
            return None;
        }
        steps += 1;
    }
    None
}

fn compare(one: &[PerftRow], other: &[PerftRow]) -> Option<PlayDifference> {
    let of = |rows: &[PerftRow], at: usize| rows.get(at).map_or((0, 0), |row| (row.paths, row.terminals));
    (0..one.len().max(other.len())).find_map(|at| {
        let ((paths, ends), (other_paths, other_ends)) = (of(one, at), of(other, at));
        let steps = at as u32;
        if paths != other_paths {
            Some(PlayDifference::Courses { steps, courses: (paths, other_paths) })
        } else if ends != other_ends {
            Some(PlayDifference::Endings { steps, endings: (ends, other_ends) })
        } else {
            None
        }
    })
}
