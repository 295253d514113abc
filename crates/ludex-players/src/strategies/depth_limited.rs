//! The strategy `depth-limited`.

use ludex_game::Answer;

use super::minimax::{OPPONENTS, TABLE, search_at, table_bytes};
use crate::minimax::{Conservative, MinimaxOptions, MinimaxSearch, Opponents, Pruning, search_turn};
use crate::registry::{BuiltIn, OptionInfo};
use crate::strategy::{Arena, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "depth-limited",
    description: "bounded minimax to a depth; a state there counts 0 unless the game is over (7.2)",
    options: &[
        OptionInfo { name: "depth", default: "3", description: "how many joint moves to look ahead" },
        OPPONENTS,
        TABLE,
    ],
    make: |options, resources| {
        let search = MinimaxOptions {
            opponents: options.get::<Opponents>("opponents")?,
            pruning: Pruning::Bounded { low: 0.0, high: 100.0 },
            ordering: false,
            table_bytes: table_bytes(options.is_on("table")?),
        };
        let strategy = DepthLimited {
            depth: options.get("depth")?,
            options: search,
            search: MinimaxSearch::new(MinimaxOptions { table_bytes: 0, ..search }),
        };
        Ok(Box::new(StrategyPlayer::new(strategy, resources)))
    },
};

struct DepthLimited {
    depth: u32,
    options: MinimaxOptions,
    search: MinimaxSearch,
}

impl Strategy for DepthLimited {
    fn sit(&mut self, arena: &Arena) {
        self.search = search_at(arena, self.options);
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        search_turn(turn, &mut self.search, &mut Conservative, Some(self.depth)).map(drop)
    }
}
