//! The strategies of the book, one file each.

mod adaptive;
mod alpha_beta;
mod bounded_minimax;
mod deliberation;
mod depth_limited;
mod game_tree_search;
mod habit;
mod heuristic_search;
mod iterative_deepening;
mod knowledge_options;
mod legal;
mod level;
mod ludex;
mod minimax;
mod monte_carlo;
pub(crate) mod planning;
mod puzzle;
mod random;
mod random_then_planning;
mod regret_matching;
mod sampling;
mod sequential_planning;
mod uct;
mod variable_depth;

pub use legal::LegalPlayer;
pub use random::RandomPlayer;

use crate::registry::BuiltIn;

/// All of them, in the order of the book's chapters.
pub(crate) const ALL: &[BuiltIn] = &[
    legal::INFO,
    random::INFO,
    habit::INFO,
    regret_matching::INFO,
    deliberation::INFO,
    sequential_planning::DEPTH_FIRST,
    sequential_planning::BREADTH_FIRST,
    sequential_planning::ITERATIVE_DEEPENING,
    sequential_planning::BEST_FIRST,
    random_then_planning::INFO,
    puzzle::INFO,
    minimax::INFO,
    bounded_minimax::INFO,
    alpha_beta::INFO,
    depth_limited::INFO,
    iterative_deepening::INFO,
    heuristic_search::INFO,
    variable_depth::INFO,
    monte_carlo::INFO,
    uct::INFO,
    sampling::INFO,
    ludex::INFO,
    adaptive::INFO,
    level::ONE,
    level::TWO,
    level::THREE,
    level::FOUR,
    level::FIVE,
];
