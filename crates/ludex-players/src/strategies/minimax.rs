//! The strategy `minimax`.

use super::game_tree_search::{GameTreeSearch, OPPONENTS, TABLE};
use crate::minimax::Pruning;
use crate::registry::BuiltIn;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "minimax",
    description: "the move that is best against any replies, by searching the whole tree (6.2)",
    options: &[OPPONENTS, TABLE],
    make: |options, resources| Ok(GameTreeSearch::new(options, Pruning::None)?.player(resources)),
};
