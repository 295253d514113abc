//! The strategies that plan: `plan-depth-first`, `plan-breadth-first`, `plan-iterative-deepening` and
//! `plan-best-first`.

use std::fmt;
use std::sync::Arc;

use ludex_analysis::knowledge::Topics;
use ludex_game::{Answer, State};

use crate::explorer::Explorer;
use crate::heuristics::{Feature, FeatureOptions, feature};
use crate::machine_knowledge::MachineKnowledge;
use crate::player::Player;
use crate::registry::{BuiltIn, OptionInfo};
use crate::strategies::deliberation::{DEFAULT_NODES, NEEDED, deliberate};
use crate::strategies::planning::{HIGHEST_GOAL, Kept, Method, Progress, Search};
use crate::strategy::{Arena, Rating, Resources, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;

pub(crate) const DEPTH_FIRST: BuiltIn = BuiltIn {
    name: "plan-depth-first",
    description: "sequential planning, depth-first (5.4)",
    options: &[],
    make: |_, resources| Ok(player(Method::DepthFirst, resources)),
};

pub(crate) const BREADTH_FIRST: BuiltIn = BuiltIn {
    name: "plan-breadth-first",
    description: "sequential planning, breadth-first: the shortest of the best plans (5.4)",
    options: &[],
    make: |_, resources| Ok(player(Method::BreadthFirst, resources)),
};

pub(crate) const ITERATIVE_DEEPENING: BuiltIn = BuiltIn {
    name: "plan-iterative-deepening",
    description: "sequential planning, depth-first in iterations of growing depth (5.4)",
    options: &[],
    make: |_, resources| Ok(player(Method::IterativeDeepening, resources)),
};

pub(crate) const BEST_FIRST: BuiltIn = BuiltIn {
    name: "plan-best-first",
    description: "sequential planning, states of high goal values first (5.4)",
    options: &[OptionInfo {
        name: "heuristic",
        default: "goal",
        description: "which states look best: goal, fuzzy, mobility or any other heuristic",
    }],
    make: |options, resources| {
        let text = options.text("heuristic");
        // The goal value needs no look at the moves.
        let guide = match text {
            "goal" => None,
            _ => {
                let made = FeatureOptions { steps: 0, fuzzy: false };
                Some(feature(text, made).ok_or_else(|| options.bad_value("heuristic"))?)
            }
        };
        let planner = Planner { guide, ..Planner::new(Method::BestFirst) };
        Ok(Box::new(StrategyPlayer::new(planner, resources)))
    },
};

fn player(method: Method, resources: &Resources) -> Box<dyn Player> {
    Box::new(StrategyPlayer::new(Planner::new(method), resources))
}

/// Sequential planning (book 5.4): finds a plan in the start clock, keeps it and plays it.
///
/// A search that was stopped goes on in the first play clock; later ones begin in the state that was
/// reached. Until a search is complete, the best plan so far is played: one to the end of the game, or
/// the beginning of one that leads to a state of a higher goal value. A complete search makes the
/// plan optimal, and the report says so (the planner is then *admissible*); it is played without more
/// thought. After a move that was not the plan's the plan is mended if it can be, or made anew.
///
/// Plans are for one player. Where another role has a choice, or chance has, the player deliberates
/// ([`deliberate`]) for the rest of the match, unless a plan to 100 was found before.
pub(crate) struct Planner {
    method: Method,
    /// What best-first search goes by in place of the goal value.
    guide: Option<Box<dyn Feature>>,
    /// What was known when the guide was told last.
    knowledge_of_states: Option<Arc<MachineKnowledge>>,
    search: Option<Search>,
    kept: Option<Kept>,
    is_contested: bool,
}

/// In the start clock it looks after so many states whether more is known of the game.
const NODES_BETWEEN_NEWS: u64 = 4096;

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planner").field("method", &self.method).finish_non_exhaustive()
    }
}

impl Planner {
    /// A planner without a plan.
    pub fn new(method: Method) -> Self {
        Self { method, guide: None, knowledge_of_states: None, search: None, kept: None, is_contested: false }
    }

    /// Whether another role was seen to have a choice, so that there are no plans.
    pub fn is_contested(&self) -> bool {
        self.is_contested
    }

    /// Whether the plan that is kept is known to be optimal.
    pub fn is_optimal(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.is_optimal)
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Self { guide: self.guide.take(), ..Self::new(self.method) };
    }

    /// Finds the turn's state on the plan that is kept, or mends the plan for it. Whether it then is
    /// known to be optimal, so that no search is needed.
    ///
    /// # Errors
    /// A limit, or what the machine answers.
    pub fn follow(&mut self, turn: &mut Turn<'_>) -> Answer<bool> {
        let Some(kept) = &mut self.kept else { return Ok(false) };
        if !kept.find(turn.state) {
            let mut explorer = Explorer::new(turn);
            let off = self.kept.take();
            self.kept = match off {
                Some(off) => off.mend(&mut explorer, turn.arena.role, turn.state)?,
                None => None,
            };
            turn.note("plan mended", if self.kept.is_some() { "yes" } else { "no, made anew" });
        }
        Ok(self.kept.as_ref().is_some_and(|kept| kept.is_optimal))
    }

    /// Searches on from a state, for `nodes` more states at most, and keeps the best plan.
    ///
    /// # Errors
    /// A limit, after keeping what was found; or what the machine answers.
    pub fn search(&mut self, turn: &mut Turn<'_>, root: &State, nodes: u64) -> Answer<()> {
        let Resources { memory, .. } = turn.arena.resources;
        let search = match &mut self.search {
            Some(search) if search.root() == root => search,
            slot => slot.insert(Search::new(self.method, root, turn.arena.role, memory)),
        };
        let before = search.nodes();
        let mut explorer = Explorer::new(turn);
        let nodes = before.saturating_add(nodes);
        let result = match &mut self.guide {
            None => search.run(&mut explorer, nodes),
            Some(guide) => search.run_guided(&mut explorer, nodes, &mut |explorer, state| {
                worth(&mut **guide, explorer, state)
            }),
        };
        turn.note("nodes", search.nodes() - before);
        self.keep(root);
        result.map(|_| ())
    }

    /// Keeps the plan of the search if it is better than what is left of the one so far.
    fn keep(&mut self, root: &State) {
        let Some(search) = &self.search else { return };
        self.is_contested = search.progress() == Progress::Contested;
        if self.is_contested {
            self.kept = None;
            return;
        }
        let Some(best) = search.best() else { return };
        let is_optimal = search.progress() == Progress::Optimal && best.complete;
        let is_covered = self.kept.as_mut().is_some_and(|kept| kept.find(root));
        let known = self.kept.as_ref().filter(|_| is_covered).map(Kept::rest);
        if is_optimal || known.is_none_or(|known| best.is_better_than(&known)) {
            self.kept = Some(Kept::new(best.clone(), is_optimal));
        }
    }

    /// Tells the turn what the plan is; whether there is one.
    pub fn tell(&self, turn: &mut Turn<'_>) -> bool {
        if let Some(search) = &self.search {
            turn.note("nodes of the plan", search.nodes());
            if let Some(iterations) = search.iterations() {
                let counts: Vec<String> = iterations.iter().map(u64::to_string).collect();
                turn.note("nodes per iteration", counts.join(" "));
            }
            if search.progress() == Progress::OutOfMemory {
                turn.note("search", "out of memory");
            }
        }
        let Some(kept) = &self.kept else { return false };
        let rest = kept.rest();
        turn.note(
            "plan",
            match (kept.is_optimal, rest.complete) {
                (true, _) => "optimal",
                (false, true) => "complete",
                (false, false) => "beginning",
            },
        );
        turn.note("plan length", rest.joints.len());
        turn.note("expected goal", rest.goal);
        turn.forget_ratings();
        let Some(&action) = kept.step().get(turn.arena.role.index()) else { return false };
        let proven = kept.is_optimal.then_some(rest.goal);
        turn.rate(Rating { action, value: f64::from(rest.goal), visits: 0, proven });
        turn.advise(action);
        turn.expect(&rest.joints);
        true
    }
}

/// What a state looks worth by a heuristic, finely enough to tell states apart; where the game is over,
/// what it is worth.
fn worth(guide: &mut dyn Feature, explorer: &mut Explorer<'_>, state: &State) -> Answer<u32> {
    const FINE: f64 = 1e6;
    let (position, role) = (explorer.open(state)?, explorer.role());
    let worth = match position.terminal {
        true => f64::from(explorer.goal(state, role)?.min(HIGHEST_GOAL)),
        false => guide.score(explorer, &position, role)?.clamp(0.0, f64::from(HIGHEST_GOAL)),
    };
    Ok((worth * FINE) as u32)
}

impl Strategy for Planner {
    fn wants(&self, _: &Arena) -> Topics {
        self.guide.as_ref().map_or(Topics::NONE, |guide| guide.wants())
    }

    fn sit(&mut self, arena: &Arena) {
        self.forget();
        self.inform(arena);
    }

    fn inform(&mut self, arena: &Arena) {
        let Some(guide) = &mut self.guide else { return };
        let is_known = |knowledge_of_states: &Arc<MachineKnowledge>| {
            self.knowledge_of_states
                .as_ref()
                .is_some_and(|known| Arc::ptr_eq(known.knowledge(), knowledge_of_states.knowledge()))
        };
        if arena.knowledge_of_states.as_ref().is_some_and(is_known) {
            return;
        }
        self.knowledge_of_states.clone_from(&arena.knowledge_of_states);
        guide.sit(arena);
        // What is open is in the order of what was known before.
        self.search = None;
    }

    fn prepare(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let (root, mut left) = (turn.state, default_nodes(turn));
        if self.guide.is_none() {
            return self.search(turn, root, left);
        }
        // What is known of the game comes while it searches.
        while left > 0 {
            self.inform(&turn.arena.refreshed());
            self.search(turn, root, left.min(NODES_BETWEEN_NEWS))?;
            if self.search.as_ref().is_none_or(|search| search.progress() != Progress::Searching) {
                break;
            }
            left = left.saturating_sub(NODES_BETWEEN_NEWS);
        }
        Ok(())
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        if !self.is_contested {
            let result = match self.follow(turn) {
                Ok(false) => {
                    let root = turn.state;
                    self.search(turn, root, default_nodes(turn))
                }
                followed => followed.map(|_| ()),
            };
            if !self.is_contested {
                self.tell(turn);
                return result;
            }
        }
        turn.note("plan", "none: others have a choice");
        deliberate(turn, NEEDED, default_nodes(turn)).map(|_| ())
    }

    fn ponder(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let Some(kept) = self.kept.as_ref().filter(|kept| !kept.is_optimal) else { return Ok(()) };
        let next = if turn.made().is_some() { kept.next_state() } else { turn.state }.clone();
        self.search(turn, &next, default_nodes(turn))
    }
}

/// How many states to look at where nothing else ends the search.
fn default_nodes(turn: &Turn<'_>) -> u64 {
    if turn.is_unlimited() { DEFAULT_NODES } else { u64::MAX }
}
