//! The strategy `bounded-minimax`.

use super::game_tree_search::{GameTreeSearch, OPPONENTS, TABLE};
use crate::minimax::Pruning;
use crate::registry::{BuiltIn, OptionInfo};

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "bounded-minimax",
    description: "minimax that stops at a move when it is surely good or bad enough (6.3)",
    options: &[
        OptionInfo { name: "low", default: "0", description: "replies that are worse are not looked for" },
        OptionInfo {
            name: "high",
            default: "100",
            description: "moves that are better are not looked for; 51 to win, and no more, where one wins",
        },
        OPPONENTS,
        TABLE,
    ],
    make: |options, resources| {
        let pruning = Pruning::Bounded { low: options.get("low")?, high: options.get("high")? };
        Ok(GameTreeSearch::new(options, pruning)?.player(resources))
    },
};
