//! The strategy `alpha-beta`.

use ludex_analysis::knowledge::Topic;

use super::knowledge_options::{LATCHES, wanted};
use super::minimax::{OPPONENTS, TABLE, WholeTree, table_bytes};
use crate::minimax::{MinimaxOptions, Opponents, Pruning};
use crate::registry::{BuiltIn, OptionInfo};
use crate::strategy_player::StrategyPlayer;

/// The option `ordering` of the strategies that prune.
pub(super) const ORDERING: OptionInfo = OptionInfo {
    name: "ordering",
    default: "on",
    description: "on or off: try first the moves that did well elsewhere",
};

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "alpha-beta",
    description: "minimax without what cannot matter, given what was found elsewhere (6.4)",
    options: &[OPPONENTS, ORDERING, TABLE, LATCHES],
    make: |options, resources| {
        let search = MinimaxOptions {
            opponents: options.get::<Opponents>("opponents")?,
            pruning: Pruning::AlphaBeta { low: 0.0, high: 100.0 },
            ordering: options.is_on("ordering")?,
            table_bytes: table_bytes(options.is_on("table")?),
        };
        let strategy = WholeTree::new(search).informed(wanted(options, &[Topic::Latches])?);
        Ok(Box::new(StrategyPlayer::new(strategy, resources)))
    },
};
