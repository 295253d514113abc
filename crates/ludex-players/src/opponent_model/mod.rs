//! A model of how somebody moves, learned from the moves it made in this match and in matches before, and plans against
//! it: for games in which roles choose at the same time, where no move is best whatever the other does.
//!
//! - [`mixture`]: what it does next, by a Bayesian mixture of predictors that each look at something else of what was:
//!   nothing, the last moves of the one or the other or both, the number of the step. That somebody answers tit for tat,
//!   copies, repeats a pattern or stays with what won are all cases of it.
//! - [`planner`]: what to do about it, some steps ahead, since what is done now decides what the other does later.

mod mixture;
mod planner;

pub(crate) use mixture::{Mixture, MoveNumber, Past};
pub(crate) use planner::{Planner, PlannerOptions};
