//! The strategy `iterative-deepening`.

use ludex_analysis::knowledge::{Topic, Topics};
use ludex_game::Answer;

use super::alpha_beta::ORDERING;
use super::knowledge_options::{LATCHES, wanted};
use super::minimax::{OPPONENTS, TABLE, search_at, table_bytes};
use crate::minimax::{
    Conservative, DEPTH_LIMIT, MinimaxOptions, MinimaxSearch, Opponents, Pruning, deepen_turn,
};
use crate::registry::BuiltIn;
use crate::strategy::{Arena, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "iterative-deepening",
    description: "alpha-beta to depth 1, 2, 3 and so on until time is up or all is known (7.2)",
    options: &[OPPONENTS, ORDERING, TABLE, LATCHES],
    make: |options, resources| {
        let search = MinimaxOptions {
            opponents: options.get::<Opponents>("opponents")?,
            pruning: Pruning::AlphaBeta { low: 0.0, high: 100.0 },
            ordering: options.is_on("ordering")?,
            table_bytes: table_bytes(options.is_on("table")?),
        };
        let empty = MinimaxSearch::new(MinimaxOptions { table_bytes: 0, ..search });
        let parts = wanted(options, &[Topic::Latches])?;
        let strategy = IterativeDeepening { options: search, parts, search: empty };
        Ok(Box::new(StrategyPlayer::new(strategy, resources)))
    },
};

struct IterativeDeepening {
    options: MinimaxOptions,
    parts: Topics,
    search: MinimaxSearch,
}

impl Strategy for IterativeDeepening {
    fn wants(&self, _: &Arena) -> Topics {
        self.parts
    }

    fn inform(&mut self, arena: &Arena) {
        self.search.inform(arena.knowledge_of_states.as_ref());
    }

    fn sit(&mut self, arena: &Arena) {
        self.search = search_at(arena, self.options);
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        deepen_turn(turn, &mut self.search, &mut Conservative, DEPTH_LIMIT).map(drop)
    }
}
