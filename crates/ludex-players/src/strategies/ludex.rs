//! The strategy `ludex`: the tournament player.

use ludex_analysis::knowledge::{Part, Parts};
use ludex_game::{ActionId, Answer};

use super::known::{FACTORS, wanted};
use crate::echo::Echo;
use crate::puzzle::{PuzzleOptions, PuzzleSearch};
use crate::registry::{BuiltIn, OptionInfo};
use crate::strategy::{Arena, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;
use crate::tree::{TreeOptions, TreeSearch};

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "ludex",
    description: "the tournament player: tree search with playouts in lanes and a solver",
    options: OPTIONS,
    make: |options, resources| {
        let probes: u32 = options.get("probes")?;
        let playouts: u64 = options.get("playouts")?;
        let tree = TreeOptions {
            exploration: options.get("exploration")?,
            relative: options.is_on("relative")?,
            urgency: options.get("urgency")?,
            virtual_loss: options.get("virtual-loss")?,
            leaves: options.get("leaves")?,
            probes: (probes > 0).then_some(probes),
            playouts: if playouts == 0 { u64::MAX } else { playouts },
            step_limit: options.get("steps")?,
            horizon: options.get("horizon")?,
            solver: options.is_on("solver")?,
            proving: options.get("proving")?,
            look_ahead: options.is_on("look-ahead")?,
            spread: options.is_on("spread")?,
            guided: options.get("guided")?,
            prior: options.get("prior")?,
            merge: options.is_on("merge")?,
            judging: options.get("facts")?,
            reuse: options.is_on("reuse")?,
            aim: options.get("aim")?,
            sighting: options.get("sight")?,
        };
        // In puzzles fuzzy goals are one of several guides, and cost nothing where they mislead but turns.
        let alone = wanted(options, &[Part::Factors])?.with(Part::Fuzzy, true);
        let search = TreeSearch::new(tree);
        let echo = options.is_on("echo")?.then(Echo::default);
        let strategy = Ludex { search, puzzle: None, echo, alone };
        Ok(Box::new(StrategyPlayer::new(strategy, resources)))
    },
};

const OPTIONS: &[OptionInfo] = &[
    option("exploration", "0.3", "the weight of exploration in the UCT formula, for values 0 to 1"),
    option("relative", "on", "explore less where the values of leaves differ little"),
    option("urgency", "1.2", "how urgent untried moves are, beside the weight of exploration"),
    option("virtual-loss", "0.3", "how much a descent under way counts as one that brought nothing"),
    option("leaves", "128", "leaves that are worked on at once, at most"),
    option("probes", "0", "playouts from each new leaf; 0 for as many as the lanes have time for"),
    option("playouts", "0", "stop after so many playouts a move; 0 for no such limit"),
    option("steps", "2000", "playouts end after so many steps"),
    option(
        "horizon",
        "auto",
        "playouts end after so many steps where goals tell who is ahead: N, off, or auto",
    ),
    option("echo", "on", "answer each move with the same one where that surely wins"),
    option("solver", "on", "prove wins, losses and exact goals in the tree"),
    option("proving", "0.4", "the part of the time for a search for forced wins and losses, 0 to 1"),
    option("look-ahead", "on", "look for ends of the game behind all moves from new leaves"),
    option("spread", "on", "play from all successors of new leaves"),
    option("guided", "0.15", "the weight of exploration where successors were played from (0.1 with facts)"),
    option("prior", "0.5", "so many visits the playouts from a successor of a new leaf count (2 with facts)"),
    option("merge", "on", "let a move be worth what its successor is worth, by whatever way it was reached"),
    option(
        "facts",
        "auto",
        "let what is learned of facts count beside playouts: off, a weight 0 to 1, or auto in wide games",
    ),
    option("reuse", "on", "keep the tree from move to move"),
    option(
        "aim",
        "auto",
        "play for the own goal (own), to be ahead of the other (ahead), or auto: ahead of rivals",
    ),
    option("sight", "auto", "playouts see one move ahead: on, off, or auto where they are many"),
    FACTORS,
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
    echo: Option<Echo>,
    /// What it uses of what is known of a game of one player.
    alone: Parts,
}

impl Strategy for Ludex {
    fn wants(&self, arena: &Arena) -> Parts {
        if arena.signature().roles().len() == 1 { self.alone } else { Parts::NONE }
    }

    fn sit(&mut self, arena: &Arena) {
        self.search.sit(arena);
        self.echo = self.echo.take().map(|_| Echo::default());
        let is_alone = arena.signature().roles().len() == 1;
        self.puzzle = is_alone.then(|| PuzzleSearch::informed(PuzzleOptions { parts: self.alone }));
        if let Some(puzzle) = &mut self.puzzle {
            puzzle.sit(arena);
        }
    }

    fn change_machine(&mut self, old: &Arena, new: &Arena) {
        self.echo = self.echo.take().map(|_| Echo::default());
        match &mut self.puzzle {
            Some(puzzle) => puzzle.change_machine(old, new),
            None => self.search.change_machine(new),
        }
    }

    fn prepare(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        match &mut self.puzzle {
            Some(puzzle) => puzzle.prepare(turn),
            None => {
                if let Some(echo) = &mut self.echo {
                    echo.prepare(turn)?;
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

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        if let Some(puzzle) = &mut self.puzzle {
            return puzzle.choose(turn);
        }
        if let Some(echo) = &mut self.echo
            && echo.choose(turn)?
        {
            return Ok(());
        }
        let searched = self.search.choose(turn);
        self.search.tell(turn);
        searched
    }

    fn ponder(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        match &mut self.puzzle {
            Some(puzzle) => puzzle.ponder(turn),
            // Who wins by answering with the same need not think.
            None if self.echo.as_ref().is_some_and(Echo::is_known) => Ok(()),
            None => self.search.ponder(turn),
        }
    }

    fn tree_dot(&self, nodes: usize) -> Option<String> {
        self.search.dot(nodes)
    }
}
