//! The strategy `bounded-minimax`.

use super::minimax::{OPPONENTS, TABLE, WholeTree, table_bytes};
use crate::minimax::{MinimaxOptions, Opponents, Pruning};
use crate::registry::{BuiltIn, OptionInfo};
use crate::strategy_player::StrategyPlayer;

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
        let search = MinimaxOptions {
            opponents: options.get::<Opponents>("opponents")?,
            pruning,
            ordering: false,
            table_bytes: table_bytes(options.is_on("table")?),
        };
        Ok(Box::new(StrategyPlayer::new(WholeTree::new(search), resources)))
    },
};
