//! The strategy `variable-depth`.

use super::alpha_beta::ORDERING;
use super::heuristic_search::{DEPTH, FUZZY, HEURISTIC, HeuristicSearch, STEPS, heuristic};
use super::knowledge_options::LATCHES;
use super::minimax::{OPPONENTS, TABLE};
use crate::heuristics::Evaluation;
use crate::registry::{BuiltIn, OptionInfo};
use crate::strategy_player::StrategyPlayer;

const THRESHOLD: OptionInfo = OptionInfo {
    name: "threshold",
    default: "10",
    description: "look further where a move changed the heuristic by more than this, of 100",
};

const EXTRA: OptionInfo =
    OptionInfo { name: "extra", default: "2", description: "how many joint moves further at most" };

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "variable-depth",
    description: "heuristic search that looks further where the heuristic changes much (7.4)",
    options: &[HEURISTIC, STEPS, DEPTH, FUZZY, THRESHOLD, EXTRA, OPPONENTS, ORDERING, TABLE, LATCHES],
    make: |options, resources| {
        let (threshold, extra) = (options.get(THRESHOLD.name)?, options.get(EXTRA.name)?);
        let evaluation = Evaluation::variable(heuristic(options)?, threshold, extra);
        Ok(Box::new(StrategyPlayer::new(HeuristicSearch::new(options, evaluation)?, resources)))
    },
};
