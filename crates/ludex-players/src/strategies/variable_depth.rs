//! The strategy `variable-depth`.

use super::game_tree_search::{OPPONENTS, ORDERING, TABLE};
use super::heuristic_search::{DEPTH, FUZZY, HEURISTIC, STEPS, heuristic, search};
use super::knowledge_options::LATCHES;
use crate::heuristics::Evaluation;
use crate::registry::{BuiltIn, OptionInfo};

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
        Ok(search(options, evaluation)?.player(resources))
    },
};
