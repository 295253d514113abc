//! What the strategies of chapters 6 and 7 share: minimax with settings, a depth and a horizon.

use ludex_analysis::knowledge::{Topic, Topics};
use ludex_game::Answer;

use super::knowledge_options::wanted;
use crate::heuristics::Evaluation;
use crate::minimax::{
    Conservative, DEPTH_LIMIT, Horizon, MinimaxOptions, MinimaxSearch, Opponents, Pruning, deepen_turn,
    search_turn,
};
use crate::player::Player;
use crate::registry::{OptionInfo, StrategyError, StrategyOptions};
use crate::strategy::{Arena, Resources, Strategy, Turn};
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

/// The option `ordering` of the strategies that prune.
pub(super) const ORDERING: OptionInfo = OptionInfo {
    name: "ordering",
    default: "on",
    description: "on or off: try first the moves that did well elsewhere",
};

/// A table grows up to this: to move a larger one takes longer than the clock forgives.
const MOST_TABLE_BYTES: usize = 128 << 20;

/// How far a search looks ahead.
#[derive(Clone, Copy, Debug)]
pub(super) enum Depth {
    /// To the end of the game (chapter 6).
    Whole,
    /// So many joint moves (7.2).
    Fixed(u32),
    /// 1 joint move, 2 and so on, until time is up or all is known (7.2).
    Deepening,
}

/// A strategy that searches the game tree by minimax.
pub(super) struct GameTreeSearch {
    options: MinimaxOptions,
    depth: Depth,
    /// What it asks for of what is known of the game.
    topics: Topics,
    /// What states on the horizon are worth (7.3); where there is none they count 0 (7.2).
    evaluation: Option<Evaluation>,
    search: MinimaxSearch,
}

impl GameTreeSearch {
    /// A search to the end of the game, by the options `opponents` and `table`.
    pub(super) fn new(options: &StrategyOptions<'_>, pruning: Pruning) -> Result<Self, StrategyError> {
        let options = MinimaxOptions {
            opponents: options.get::<Opponents>(OPPONENTS.name)?,
            pruning,
            ordering: false,
            // The bytes before the seat says how many there are.
            table_bytes: if options.is_on(TABLE.name)? { usize::MAX } else { 0 },
        };
        let search = MinimaxSearch::new(MinimaxOptions { table_bytes: 0, ..options });
        Ok(Self { options, depth: Depth::Whole, topics: Topics::NONE, evaluation: None, search })
    }

    /// Alpha-beta search to the end of the game, by the options `ordering` and `latches` as well.
    pub(super) fn alpha_beta(options: &StrategyOptions<'_>) -> Result<Self, StrategyError> {
        let mut search = Self::new(options, Pruning::AlphaBeta { low: 0.0, high: 100.0 })?;
        search.options.ordering = options.is_on(ORDERING.name)?;
        search.topics = wanted(options, &[Topic::Latches])?;
        Ok(search)
    }

    /// The same to a depth.
    pub(super) fn to(self, depth: Depth) -> Self {
        Self { depth, ..self }
    }

    /// The same with a heuristic beyond the horizon. What it can learn it learns in the start clock.
    pub(super) fn evaluating(self, evaluation: Evaluation) -> Self {
        Self { evaluation: Some(evaluation), ..self }
    }

    /// A player that chooses by it.
    pub(super) fn player(self, resources: &Resources) -> Box<dyn Player> {
        Box::new(StrategyPlayer::new(self, resources))
    }

    /// A new search at a seat: a table, if there is one, takes of the memory there is what it can use.
    fn begin(&mut self, arena: &Arena) {
        let table_bytes = self.options.table_bytes.min(arena.resources.memory).min(MOST_TABLE_BYTES);
        self.search = MinimaxSearch::new(MinimaxOptions { table_bytes, ..self.options });
        self.search.inform(arena.knowledge_of_states.as_ref());
    }
}

impl Strategy for GameTreeSearch {
    fn wants(&self, _: &Arena) -> Topics {
        self.evaluation.as_ref().map_or(self.topics, |evaluation| evaluation.wants().and(self.topics))
    }

    fn inform(&mut self, arena: &Arena) {
        match &mut self.evaluation {
            None => self.search.inform(arena.knowledge_of_states.as_ref()),
            Some(evaluation) => {
                evaluation.inform(arena);
                // What the table has was found with what was known before.
                self.begin(arena);
            }
        }
    }

    fn sit(&mut self, arena: &Arena) {
        self.begin(arena);
        if let Some(evaluation) = &mut self.evaluation {
            evaluation.sit(arena);
        }
    }

    fn prepare(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let Some(evaluation) = &mut self.evaluation else { return Ok(()) };
        evaluation.learn(turn.arena, turn.budget, turn.seed).map(drop)
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let Self { depth, search, evaluation, .. } = self;
        let horizon: &mut dyn Horizon = match evaluation {
            Some(evaluation) => evaluation,
            None => &mut Conservative,
        };
        match *depth {
            Depth::Whole => search_turn(turn, search, horizon, None),
            Depth::Fixed(depth) => search_turn(turn, search, horizon, Some(depth)),
            Depth::Deepening => deepen_turn(turn, search, horizon, DEPTH_LIMIT),
        }
        .map(drop)
    }
}
