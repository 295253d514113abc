//! What can be set in the tree search.

use std::str::FromStr;
use std::sync::Arc;

use super::evaluation::{LearnedOption, WIDEST};
use super::graph::Edge;
use super::objective::ObjectiveOption;
use crate::learned_evaluation::TrainedEvaluation;

/// How the tree search works.
#[derive(Clone, Debug)]
pub(crate) struct TreeOptions {
    /// The weight of exploration in the UCT formula, for values from 0 to 1.
    pub exploration: f64,
    /// Playouts from each new leaf; `None` for as many as the lanes have time for.
    pub probes: Option<u32>,
    /// Stop after so many playouts in a turn.
    pub playouts: u64,
    /// Stop after so many leaves in a turn: how much that is does not depend on how many games are played from each.
    pub leaves: u64,
    /// When playouts end.
    pub steps: StepsOption,
    /// Prove values, in the tree and beside it.
    pub solver: bool,
    /// The part of the time for a search for proofs beside the tree.
    pub proving: f64,
    /// Let what was learned of facts count beside playouts.
    pub learned: LearnedOption,
    /// What was learned of games beforehand.
    pub trained: Vec<Arc<TrainedEvaluation>>,
    /// What the player plays for.
    pub objective: ObjectiveOption,
    /// Play for what the match is worth in what it is part of, where that is told.
    pub setting: bool,
    /// Whether the value is wanted, and not a move: the search goes on where only one move is left that can be best,
    /// and ends where the value is known, whatever others may get wrong.
    pub wants_value: bool,
    /// Where time costs something, end a search whose result is certain.
    pub stops_early: bool,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self {
            exploration: 0.3,
            probes: None,
            playouts: u64::MAX,
            leaves: u64::MAX,
            steps: StepsOption::Auto,
            solver: true,
            proving: 0.4,
            learned: LearnedOption::Auto,
            trained: Vec::new(),
            objective: ObjectiveOption::Auto,
            setting: true,
            wants_value: false,
            stops_early: true,
        }
    }
}

/// When playouts end that do not come to an end of the game; they bring what the goals are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepsOption {
    /// After [`StepsOption::MOST`] steps, or sooner where goals tell before the end who is ahead.
    Auto,
    /// After so many steps.
    After(u32),
}

impl StepsOption {
    /// Playouts have no more steps than this where nothing else is said.
    const MOST: u32 = 2000;

    /// The steps after which playouts end at the latest.
    pub fn limit(self) -> u32 {
        match self {
            Self::Auto => Self::MOST,
            Self::After(steps) => steps,
        }
    }
}

impl FromStr for StepsOption {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text.parse().ok().filter(|&steps| steps > 0).map(Self::After).ok_or(()),
        }
    }
}

/// How much exploring is worth, and what is known before a first visit: what the choice of edges weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    /// The weight of exploration.
    pub exploration: f64,
    /// As so many visits counts the prior of an edge.
    pub prior: f64,
}

impl Weights {
    /// Where edges have priors from playouts of their own: in states of few moves.
    const FEW_MOVES: Self = Self { exploration: 0.15, prior: 0.5 };
    /// Where only what was learned says which moves look good. To try them all takes long.
    const MANY_MOVES: Self = Self { exploration: 0.1, prior: 2.0 };

    /// Where playouts say so that made moves later: they are many, but say it of other states.
    const LATER_MOVES: Self = Self { exploration: 0.1, prior: 40.0 };

    /// Those of a role's edges, where `exploration` is the weight where nothing is known of moves before their first visit.
    pub fn of(edges: &[Edge], exploration: f64) -> Self {
        match edges.iter().find(|edge| !edge.prior.is_nan()) {
            None => Self { exploration, prior: 0.0 },
            Some(edge) if edge.later > 0.0 => Self::LATER_MOVES,
            Some(_) if edges.len() > WIDEST => Self::MANY_MOVES,
            Some(_) => Self::FEW_MOVES,
        }
    }
}
