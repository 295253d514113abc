//! Plans that wait for what is seen (book 19.7).
//!
//! Where several states are possible, a plan for one role is a tree: a move, and for all that the role may see of it
//! how to go on ([`Plan`]). The search is over *beliefs*, sets of possible worlds: what is seen divides one, and what
//! the others do and the rules leave open makes it larger. What counts is the least result over all worlds, or the
//! mean ([`Aim`]), where all worlds are equally likely at first, and so is all that can come of a world.

mod search;
#[cfg(test)]
mod tests;

use ludex_game::incomplete::{IncompleteError, IncompleteGame, WorldId, Worlds};
use ludex_logic::Budget;
use std::sync::Arc;

use search::Search;

/// No plan has more moves: the search goes as deep as a plan is long.
pub const MOST_MOVES: usize = 1000;

/// What makes a plan good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The least result, whatever is the case.
    Guarantee,
    /// The mean result; of plans with the same one, the greater guarantee.
    Mean,
}

/// How to look for plans.
#[derive(Clone, Debug)]
pub struct PlanningOptions {
    /// What makes a plan good.
    pub aim: Aim,
    /// The most moves of a plan, [`MOST_MOVES`] at most; a game that is not over by then counts as 0.
    pub moves: usize,
    /// The most worlds that may be possible at once.
    pub worlds: usize,
    /// Limits.
    pub budget: Budget,
}

impl Default for PlanningOptions {
    fn default() -> Self {
        Self { aim: Aim::Guarantee, moves: 64, worlds: 4096, budget: Budget::unlimited() }
    }
}

/// What to do, by what is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing more is to be done: the game is over, or nothing is known to be legal.
    End,
    /// A move, as its number among the role's moves, and how to go on by the percepts of the next turn, as numbers;
    /// none where the game is over after it.
    Move {
        /// The move.
        number: usize,
        /// How to go on.
        then: Vec<(Box<[u32]>, Plan)>,
    },
}

impl Plan {
    /// The most moves that it may come to.
    pub fn length(&self) -> usize {
        match self {
            Self::End => 0,
            Self::Move { then, .. } => 1 + then.iter().map(|(_, plan)| plan.length()).max().unwrap_or(0),
        }
    }
}

/// The best plan for a role.
#[derive(Clone, Debug, PartialEq)]
pub struct BestPlan {
    /// By the percepts of the first turn, as numbers, what to do.
    pub plans: Vec<(Box<[u32]>, Plan)>,
    /// The result that is guaranteed. A result that is not known, or no number, counts as 0.
    pub guarantee: u64,
    /// The mean result.
    pub mean: f64,
    /// The number of worlds that are possible at first.
    pub worlds: usize,
}

/// Finds the best plan for a role from the first step on.
///
/// # Errors
/// [`IncompleteError::Impossible`] where nothing is; too many worlds; a limit.
pub fn best_plan(
    game: &Arc<IncompleteGame>,
    role: usize,
    options: &PlanningOptions,
) -> Result<BestPlan, IncompleteError> {
    let mut worlds = Worlds::new(Arc::clone(game), options.worlds, &options.budget)?;
    let initial = worlds.initial()?;
    if initial.is_empty() {
        return Err(IncompleteError::Impossible);
    }
    let count = initial.len();
    let weight = 1.0 / count as f64;
    let belief = initial.into_iter().map(|world| (world, weight)).collect();
    let mut search = Search::new(worlds, role, options);
    let (value, plans) = search.arrive(belief, options.moves.min(MOST_MOVES))?;
    Ok(BestPlan { plans, guarantee: value.least, mean: value.mean, worlds: count })
}

/// The worlds of a belief with their weights, which need not add up to 1.
type Belief = Vec<(WorldId, f64)>;
