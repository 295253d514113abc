//! The strategy `puzzle`.

use ludex_analysis::knowledge::Topic;

use super::knowledge_options::{FACTORS, FUZZY, wanted};
use crate::puzzle::{PuzzleOptions, PuzzleSearch};
use crate::registry::BuiltIn;
use crate::strategy_player::StrategyPlayer;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "puzzle",
    description: "for one player: the best plan that several searches find in turns",
    options: &[FACTORS, FUZZY],
    make: |options, resources| {
        let topics = wanted(options, &[Topic::Factors, Topic::Fuzzy])?;
        let search = PuzzleSearch::informed(PuzzleOptions { topics });
        Ok(Box::new(StrategyPlayer::new(search, resources)))
    },
};
