//! The strategy `ludex`: the tournament player.

mod hidden;
mod simultaneous;

use ludex_analysis::knowledge::{Topic, Topics};
use ludex_game::{ActionId, Answer, MoveModel};

use crate::information_tree::InformationTreeOptions;
use crate::learned_evaluation::TrainedEvaluation;
use crate::pairing_strategy::PairingStrategy;
use crate::puzzle::{PuzzleOptions, PuzzleSearch};
use crate::registry::{BuiltIn, OptionInfo};
use crate::strategy::{Arena, PossibleStates, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;
use crate::tree::{ObjectiveOption, TreeOptions, TreeSearch};
use hidden::HiddenSearch;
use simultaneous::SimultaneousGame;

pub(crate) use simultaneous::choose_together;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "ludex",
    description: "the tournament player: tree search with playouts in lanes and a solver",
    options: OPTIONS,
    make: |options, resources| {
        let probes: u32 = options.get("probes")?;
        let count = |name| options.get(name).map(|most: u64| if most == 0 { u64::MAX } else { most });
        let playouts = count("playouts")?;
        let tree = TreeOptions {
            exploration: options.get("exploration")?,
            probes: (probes > 0).then_some(probes),
            playouts,
            leaves: count("leaves")?,
            steps: options.get("steps")?,
            solver: options.is_on("solver")?,
            proving: options.get("proving")?,
            learned: options.get("evaluation")?,
            trained: options.trained("trained")?,
            objective: options.get("objective")?,
            setting: options.is_on("setting")?,
            wants_value: false,
            stops_early: options.is_on("stopping")?,
        };
        let heeds_setting = tree.setting && tree.objective == ObjectiveOption::Auto;
        let pairing = tree.solver.then(PairingStrategy::default);
        // In puzzles fuzzy goals are one of several guides, and cost nothing where they mislead but turns.
        let alone = Topics::NONE.with(Topic::Factors, true).with(Topic::Fuzzy, true);
        let search = TreeSearch::new(tree);
        let hidden = InformationTreeOptions { descents: playouts, step_limit: HIDDEN_STEPS };
        let strategy = Ludex {
            search,
            puzzle: None,
            pairing,
            alone,
            hidden,
            hidden_search: None,
            together: SimultaneousGame::default(),
            heeds_setting,
        };
        Ok(Box::new(StrategyPlayer::new(strategy, resources)))
    },
};

/// A random game ends after so many steps where roles do not see everything.
const HIDDEN_STEPS: u32 = 500;

const OPTIONS: &[OptionInfo] = &[
    option("exploration", "0.3", "the weight of exploration in the UCT formula, for values 0 to 1"),
    option("probes", "0", "playouts from each new leaf; 0 for as many as the lanes have time for"),
    option("playouts", "0", "stop after so many playouts a move; 0 for no such limit"),
    option("leaves", "0", "stop after so many leaves a move; 0 for no such limit"),
    option("steps", "auto", "playouts end after N steps, or auto: sooner where goals tell who is ahead"),
    option("solver", "on", "prove wins, losses and exact goals"),
    option("proving", "0.4", "the part of the time for a search for forced wins and losses, 0 to 1"),
    option(
        "evaluation",
        "auto",
        "let what is learned from games with itself count beside playouts: off, a weight 0 to 1, or auto",
    ),
    option("trained", "none", "what `ludex train` learned of games: a file, a folder of such files, or none"),
    option(
        "objective",
        "auto",
        "play for the own goal (own), to be ahead of the other (ahead), or auto: ahead of rivals",
    ),
    option(
        "setting",
        "on",
        "with objective=auto: play for what a match is worth in its tournament, if that is told",
    ),
    option("stopping", "on", "where time costs points, end a search whose result cannot change any more"),
];

const fn option(name: &'static str, default: &'static str, description: &'static str) -> OptionInfo {
    OptionInfo { name, default, description }
}

/// Monte Carlo tree search in lanes with a solver, for games of any number of roles; a puzzle search
/// where there is only one.
struct Ludex {
    search: TreeSearch,
    /// Where the player is alone.
    puzzle: Option<PuzzleSearch>,
    /// A way to win by answering moves with the same, where that is looked for.
    pairing: Option<PairingStrategy>,
    /// What it uses of what is known of a game of one player.
    alone: Topics,
    /// How games are searched in which roles do not see everything.
    hidden: InformationTreeOptions,
    hidden_search: Option<HiddenSearch>,
    /// The solution of a small game in which roles choose at the same time.
    together: SimultaneousGame,
    /// Whether it plays for what a match is worth in what it is part of.
    heeds_setting: bool,
}

impl Strategy for Ludex {
    fn wants(&self, arena: &Arena) -> Topics {
        if arena.signature().roles().len() == 1 { self.alone } else { Topics::NONE }
    }

    fn sit(&mut self, arena: &Arena) {
        self.hidden_search = None;
        self.together = SimultaneousGame::default();
        self.search.sit(arena);
        self.pairing = self.pairing.take().map(|_| PairingStrategy::default());
        let is_alone = arena.signature().roles().len() == 1;
        self.puzzle = is_alone.then(|| PuzzleSearch::informed(PuzzleOptions { topics: self.alone }));
        if let Some(puzzle) = &mut self.puzzle {
            puzzle.sit(arena);
        }
    }

    fn change_machine(&mut self, old: &Arena, new: &Arena) {
        if let Some(hidden) = &mut self.hidden_search {
            hidden.forget_trees();
        }
        self.pairing = self.pairing.take().map(|_| PairingStrategy::default());
        match &mut self.puzzle {
            Some(puzzle) => puzzle.change_machine(old, new),
            None => self.search.change_machine(new),
        }
    }

    fn prepare(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let program = turn.arena.program.as_ref().filter(|program| !program.has_perfect_information());
        if let Some(program) = program.filter(|_| !turn.arena.resources.plain_sampling) {
            let mut search = HiddenSearch::new(self.hidden);
            search.prepare(turn.arena, program, turn.budget);
            self.hidden_search = Some(search);
            return Ok(());
        }
        let is_open = program.is_none();
        match &mut self.puzzle {
            Some(puzzle) => puzzle.prepare(turn),
            None => {
                if is_open {
                    let aim = turn.arena.introduction.aim.filter(|_| self.heeds_setting);
                    self.together.prepare(turn, aim)?;
                }
                if self.together.is_solved() {
                    return Ok(());
                }
                if let Some(pairing) = &mut self.pairing {
                    pairing.prepare(turn)?;
                }
                self.search.prepare(turn)
            }
        }
    }

    fn first_thought(&mut self, turn: &Turn<'_>) -> Option<ActionId> {
        match &mut self.puzzle {
            Some(puzzle) => puzzle.first_thought(turn),
            None => self.search.first_thought(turn),
        }
    }

    fn asks_what_others_know(&self) -> bool {
        true
    }

    fn model(&self) -> Option<&dyn MoveModel> {
        self.hidden_search.as_ref().and_then(HiddenSearch::model)
    }

    fn choose_by_knowledge(&mut self, turn: &mut Turn<'_>, possible: &PossibleStates<'_>) -> Answer<bool> {
        let Some(search) = &mut self.hidden_search else { return Ok(false) };
        if !search.play_solution(turn, possible) {
            search.search(turn, possible)?;
        }
        Ok(true)
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        if let Some(puzzle) = &mut self.puzzle {
            return puzzle.choose(turn);
        }
        self.together.look_again(turn)?;
        if self.together.play(turn)? {
            return Ok(());
        }
        if let Some(pairing) = &mut self.pairing
            && pairing.choose(turn)?
        {
            return Ok(());
        }
        let searched = self.search.choose(turn);
        self.search.tell(turn);
        self.together.tell_refusal(turn);
        searched
    }

    fn ponder(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        match &mut self.puzzle {
            Some(puzzle) => puzzle.ponder(turn),
            // Who wins by answering with the same, or has solved the game, need not think.
            None if self.pairing.as_ref().is_some_and(PairingStrategy::is_known) => Ok(()),
            None if self.together.is_solved() => Ok(()),
            None => self.search.ponder(turn),
        }
    }

    fn learned(&self) -> Option<TrainedEvaluation> {
        self.search.learned()
    }

    fn tree_dot(&self, nodes: usize) -> Option<String> {
        self.search.dot(nodes)
    }
}
