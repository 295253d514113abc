//! The strategy `minimax`.

use ludex_analysis::knowledge::Topics;
use ludex_game::Answer;

use crate::minimax::{Conservative, MinimaxOptions, MinimaxSearch, Opponents, Pruning, search_turn};
use crate::registry::{BuiltIn, OptionInfo};
use crate::strategy::{Arena, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;

/// The option `table` of all strategies that search.
pub(super) const TABLE: OptionInfo =
    OptionInfo { name: "table", default: "on", description: "on or off: remember states (transpositions)" };

/// The option `opponents` of the strategies that search.
pub(super) const OPPONENTS: OptionInfo = OptionInfo {
    name: "opponents",
    default: "paranoid",
    description: "what the others want: paranoid (to harm the player), coalition or max-n (their own goals)",
};

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "minimax",
    description: "the move that is best against any replies, by searching the whole tree (6.2)",
    options: &[OPPONENTS, TABLE],
    make: |options, resources| {
        let search = MinimaxOptions {
            opponents: options.get::<Opponents>("opponents")?,
            pruning: Pruning::None,
            ordering: false,
            table_bytes: table_bytes(options.is_on("table")?),
        };
        Ok(Box::new(StrategyPlayer::new(WholeTree::new(search), resources)))
    },
};

/// The bytes for a table before the seat says how many there are.
pub(super) fn table_bytes(is_on: bool) -> usize {
    if is_on { usize::MAX } else { 0 }
}

/// A table grows up to this: to move a larger one takes longer than the clock forgives.
const MOST_TABLE_BYTES: usize = 128 << 20;

/// A new search at a seat: a table, if there is one, takes of the memory there is what it can use.
pub(super) fn search_at(arena: &Arena, options: MinimaxOptions) -> MinimaxSearch {
    let table_bytes = options.table_bytes.min(arena.resources.memory).min(MOST_TABLE_BYTES);
    let mut search = MinimaxSearch::new(MinimaxOptions { table_bytes, ..options });
    search.inform(arena.knowledge_of_states.as_ref());
    search
}

/// Searches the tree to its end (chapter 6); what pruning there is, is in the options.
pub(super) struct WholeTree {
    options: MinimaxOptions,
    /// What it asks for of what is known of the game.
    parts: Topics,
    search: MinimaxSearch,
}

impl WholeTree {
    pub(super) fn new(options: MinimaxOptions) -> Self {
        let search = MinimaxSearch::new(MinimaxOptions { table_bytes: 0, ..options });
        Self { options, parts: Topics::NONE, search }
    }

    /// The same, using some parts of what is known of the game.
    pub(super) fn informed(self, parts: Topics) -> Self {
        Self { parts, ..self }
    }
}

impl Strategy for WholeTree {
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
        search_turn(turn, &mut self.search, &mut Conservative, None).map(drop)
    }
}
