//! The strategy `iterative-deepening`.

use super::game_tree_search::{Depth, GameTreeSearch, OPPONENTS, ORDERING, TABLE};
use super::knowledge_options::LATCHES;
use crate::registry::BuiltIn;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "iterative-deepening",
    description: "alpha-beta to depth 1, 2, 3 and so on until time is up or all is known (7.2)",
    options: &[OPPONENTS, ORDERING, TABLE, LATCHES],
    make: |options, resources| {
        Ok(GameTreeSearch::alpha_beta(options)?.to(Depth::Deepening).player(resources))
    },
};
