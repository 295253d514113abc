//! The strategy `heuristic-search`.

use super::game_tree_search::{Depth, GameTreeSearch, OPPONENTS, ORDERING, TABLE};
use super::knowledge_options::LATCHES;
use crate::heuristics::{Evaluation, Feature, FeatureOptions, NAMES, feature};
use crate::registry::{BuiltIn, OptionInfo, StrategyError, StrategyOptions};

/// The option `depth` of the strategies with heuristics.
pub(super) const DEPTH: OptionInfo = OptionInfo {
    name: "depth",
    default: "0",
    description: "how many joint moves to look ahead; 0: 1, 2, 3 and so on until time is up",
};

/// The option `heuristic` of the strategies with heuristics.
pub(super) const HEURISTIC: OptionInfo =
    OptionInfo { name: "heuristic", default: "learned", description: NAMES };

/// The option `steps` of the strategies with heuristics.
pub(super) const STEPS: OptionInfo = OptionInfo {
    name: "steps",
    default: "0",
    description: "how many joint moves away mobility and reach look",
};

/// The option `fuzzy` of the strategies with heuristics.
pub(super) const FUZZY: OptionInfo = OptionInfo {
    name: "fuzzy",
    default: "off",
    description: "whether `learned` also weighs to what degree goals are satisfied",
};

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "heuristic-search",
    description: "alpha-beta to a depth or deepening, with a heuristic for the states there (7.3)",
    options: &[HEURISTIC, STEPS, DEPTH, FUZZY, OPPONENTS, ORDERING, TABLE, LATCHES],
    make: |options, resources| Ok(search(options, Evaluation::fixed(heuristic(options)?))?.player(resources)),
};

/// The heuristic that the options ask for.
pub(super) fn heuristic(options: &StrategyOptions<'_>) -> Result<Box<dyn Feature>, StrategyError> {
    let name = options.text(HEURISTIC.name);
    let made = FeatureOptions { steps: options.get(STEPS.name)?, fuzzy: options.is_on(FUZZY.name)? };
    feature(name, made).ok_or_else(|| options.bad_value(HEURISTIC.name))
}

/// Alpha-beta search with a heuristic, by the options that all strategies with heuristics have.
pub(super) fn search(
    options: &StrategyOptions<'_>,
    evaluation: Evaluation,
) -> Result<GameTreeSearch, StrategyError> {
    let depth = match options.get(DEPTH.name)? {
        0 => Depth::Deepening,
        depth => Depth::Fixed(depth),
    };
    Ok(GameTreeSearch::alpha_beta(options)?.to(depth).evaluating(evaluation))
}
