//! The strategy `depth-limited`.

use super::game_tree_search::{Depth, GameTreeSearch, OPPONENTS, TABLE};
use crate::minimax::Pruning;
use crate::registry::{BuiltIn, OptionInfo};

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "depth-limited",
    description: "bounded minimax to a depth; a state there counts 0 unless the game is over (7.2)",
    options: &[
        OptionInfo { name: "depth", default: "3", description: "how many joint moves to look ahead" },
        OPPONENTS,
        TABLE,
    ],
    make: |options, resources| {
        let search = GameTreeSearch::new(options, Pruning::Bounded { low: 0.0, high: 100.0 })?;
        Ok(search.to(Depth::Fixed(options.get("depth")?)).player(resources))
    },
};
