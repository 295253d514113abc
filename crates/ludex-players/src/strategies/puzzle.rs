//! The strategy `puzzle`.

use crate::puzzle::PuzzleSearch;
use crate::registry::StrategyInfo;
use crate::strategy_player::StrategyPlayer;

pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "puzzle",
    description: "for one player: the best plan that several searches find in turns",
    options: &[],
    make: |_, resources| Ok(Box::new(StrategyPlayer::new(PuzzleSearch::new(), resources))),
};
