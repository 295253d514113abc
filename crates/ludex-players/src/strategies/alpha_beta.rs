//! The strategy `alpha-beta`.

use super::game_tree_search::{GameTreeSearch, OPPONENTS, ORDERING, TABLE};
use super::knowledge_options::LATCHES;
use crate::registry::BuiltIn;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "alpha-beta",
    description: "minimax without what cannot matter, given what was found elsewhere (6.4)",
    options: &[OPPONENTS, ORDERING, TABLE, LATCHES],
    make: |options, resources| Ok(GameTreeSearch::alpha_beta(options)?.player(resources)),
};
