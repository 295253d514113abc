//! The options by which strategies use what is known of a game, one by one.

use ludex_analysis::knowledge::{Topic, Topics};

use crate::registry::{OptionInfo, StrategyError, StrategyOptions};

/// The option `latches` of minimax search, off: it costs time in every state.
pub(super) const LATCHES: OptionInfo = OptionInfo {
    name: "latches",
    default: "off",
    description: "leave out states from which nothing better can be reached, once that is known (12.4)",
};
/// The option `factors`, on.
pub(super) const FACTORS: OptionInfo = OptionInfo {
    name: "factors",
    default: "on",
    description: "for one player: play the games that the game is made of one by one",
};

/// The option `fuzzy` of puzzle search, on.
pub(super) const FUZZY: OptionInfo = OptionInfo {
    name: "fuzzy",
    default: "on",
    description: "also search by how well states satisfy the goals, once these are known as formulas",
};

/// The topics whose options are on.
pub(super) fn wanted(options: &StrategyOptions<'_>, topics: &[Topic]) -> Result<Topics, StrategyError> {
    let mut wanted = Topics::NONE;
    for &topic in topics {
        wanted = wanted.with(topic, options.is_on(topic.name())?);
    }
    Ok(wanted)
}
