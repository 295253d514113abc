//! The strategy `heuristic-search`.

use ludex_analysis::knowledge::{Topic, Topics};
use ludex_game::Answer;

use super::alpha_beta::ORDERING;
use super::knowledge_options::{LATCHES, wanted};
use super::minimax::{OPPONENTS, TABLE, search_at, table_bytes};
use crate::heuristics::{Evaluation, Feature, FeatureOptions, NAMES, feature};
use crate::minimax::{
    DEPTH_LIMIT, MinimaxOptions, MinimaxSearch, Opponents, Pruning, deepen_turn, search_turn,
};
use crate::registry::{BuiltIn, OptionInfo, StrategyError, StrategyOptions};
use crate::strategy::{Arena, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;

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
    make: |options, resources| {
        let evaluation = Evaluation::fixed(heuristic(options)?);
        Ok(Box::new(StrategyPlayer::new(HeuristicSearch::new(options, evaluation)?, resources)))
    },
};

/// The heuristic that the options ask for.
pub(super) fn heuristic(options: &StrategyOptions<'_>) -> Result<Box<dyn Feature>, StrategyError> {
    let name = options.text(HEURISTIC.name);
    let made = FeatureOptions { steps: options.get(STEPS.name)?, fuzzy: options.is_on(FUZZY.name)? };
    feature(name, made).ok_or_else(|| options.bad_value(HEURISTIC.name))
}

/// Alpha-beta with a heuristic beyond the horizon. What the heuristic can learn it learns in the start
/// clock.
pub(super) struct HeuristicSearch {
    depth: u32,
    parts: Topics,
    options: MinimaxOptions,
    search: MinimaxSearch,
    evaluation: Evaluation,
}

impl HeuristicSearch {
    /// A search by the options that all strategies with heuristics have.
    pub(super) fn new(options: &StrategyOptions<'_>, evaluation: Evaluation) -> Result<Self, StrategyError> {
        let search = MinimaxOptions {
            opponents: options.get::<Opponents>(OPPONENTS.name)?,
            pruning: Pruning::AlphaBeta { low: 0.0, high: 100.0 },
            ordering: options.is_on(ORDERING.name)?,
            table_bytes: table_bytes(options.is_on(TABLE.name)?),
        };
        let empty = MinimaxSearch::new(MinimaxOptions { table_bytes: 0, ..search });
        let (depth, parts) = (options.get(DEPTH.name)?, wanted(options, &[Topic::Latches])?);
        Ok(Self { depth, parts, options: search, search: empty, evaluation })
    }
}

impl Strategy for HeuristicSearch {
    fn wants(&self, _: &Arena) -> Topics {
        self.evaluation.wants().and(self.parts)
    }

    fn inform(&mut self, arena: &Arena) {
        // What the table has was found with what was known before.
        self.search = search_at(arena, self.options);
        self.evaluation.inform(arena);
    }

    fn sit(&mut self, arena: &Arena) {
        self.search = search_at(arena, self.options);
        self.evaluation.sit(arena);
    }

    fn prepare(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        self.evaluation.learn(turn.arena, turn.budget, turn.seed).map(drop)
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let Self { depth, search, evaluation, .. } = self;
        match *depth {
            0 => deepen_turn(turn, search, evaluation, DEPTH_LIMIT).map(drop),
            depth => search_turn(turn, search, evaluation, Some(depth)).map(drop),
        }
    }
}
