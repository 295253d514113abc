//! The strategy `iterative-deepening`.

use ludex_game::Answer;

use super::alpha_beta::ORDERING;
use super::minimax::{OPPONENTS, TABLE, search_at, table_bytes};
use crate::minimax::{
    Conservative, DEPTH_LIMIT, MinimaxOptions, MinimaxSearch, Opponents, Pruning, deepen_turn,
};
use crate::registry::StrategyInfo;
use crate::strategy::{Arena, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;

pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "iterative-deepening",
    description: "alpha-beta to depth 1, 2, 3 and so on until time is up or all is known (7.2)",
    options: &[OPPONENTS, ORDERING, TABLE],
    make: |options, resources| {
        let search = MinimaxOptions {
            opponents: options.get::<Opponents>("opponents")?,
            pruning: Pruning::AlphaBeta { low: 0.0, high: 100.0 },
            ordering: options.is_on("ordering")?,
            table_bytes: table_bytes(options.is_on("table")?),
        };
        let empty = MinimaxSearch::new(MinimaxOptions { table_bytes: 0, ..search });
        Ok(Box::new(StrategyPlayer::new(IterativeDeepening { options: search, search: empty }, resources)))
    },
};

struct IterativeDeepening {
    options: MinimaxOptions,
    search: MinimaxSearch,
}

impl Strategy for IterativeDeepening {
    fn sit(&mut self, arena: &Arena) {
        self.search = search_at(arena, self.options);
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        deepen_turn(turn, &mut self.search, &mut Conservative, DEPTH_LIMIT).map(drop)
    }
}
