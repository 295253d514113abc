//! The options by which strategies use what is known of a game, one by one.

use ludex_analysis::knowledge::{Part, Parts};

use crate::registry::{OptionInfo, StrategyError, StrategyOptions};

/// What searches can use of what is known, switched off: it costs time in every state.
pub(super) const SYMMETRIES: OptionInfo = OptionInfo {
    name: "symmetries",
    default: "off",
    description: "search one of several symmetric states only, once symmetries are known",
};
/// As [`SYMMETRIES`].
pub(super) const LATCHES: OptionInfo = OptionInfo {
    name: "latches",
    default: "off",
    description: "leave out states from which nothing better can be reached, once that is known",
};
/// As [`SYMMETRIES`].
pub(super) const PROOFS: OptionInfo = OptionInfo {
    name: "proofs",
    default: "off",
    description: "use what is proved of goals and of the length of the game, once it is",
};
/// The parts that minimax search uses.
pub(super) const SEARCH_PARTS: &[Part] = &[Part::Symmetries, Part::Latches, Part::Proofs];
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

/// The parts whose options are on.
pub(super) fn wanted(options: &StrategyOptions<'_>, parts: &[Part]) -> Result<Parts, StrategyError> {
    let mut wanted = Parts::NONE;
    for &part in parts {
        wanted = wanted.with(part, options.is_on(part.name())?);
    }
    Ok(wanted)
}
