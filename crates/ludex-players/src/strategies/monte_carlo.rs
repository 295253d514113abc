//! The strategy `monte-carlo`.

use std::ops::Range;

use ludex_analysis::knowledge::{Topic, Topics};
use ludex_game::{ActionId, Answer, GameError, RoleId, Runner, State};
use rustc_hash::FxHashMap;

use crate::explorer::{Explorer, Joints};
use crate::registry::{BuiltIn, OptionInfo, StrategyError, StrategyOptions};
use crate::simulation::Simulation;
use crate::strategy::{Arena, Rating, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "monte-carlo",
    description: "expands the tree to a fixed depth and values its fringe by random games (8.2)",
    options: &[
        OptionInfo { name: "depth", default: "1", description: "joint moves to expand" },
        OptionInfo {
            name: "probes",
            default: "4",
            description: "random games from each fringe state; with a clock, more until it ends",
        },
        OptionInfo {
            name: "playouts",
            default: "0",
            description: "random games in all, in place of probes; 0: as many as the probes and the clock say",
        },
        OptionInfo { name: "steps", default: "2000", description: "joint moves of a random game at most" },
        FUZZY_WEIGHT,
    ],
    make: |options, resources| {
        let strategy = MonteCarlo {
            depth: options.get::<usize>("depth")?.max(1),
            probes: options.get::<u64>("probes")?.max(1),
            playouts: options.get("playouts")?,
            step_limit: options.get("steps")?,
            fuzzy: fuzzy_weight(options)?,
        };
        Ok(Box::new(StrategyPlayer::new(strategy, resources)))
    },
};

/// The option `fuzzy` of the strategies with random games.
pub(super) const FUZZY_WEIGHT: OptionInfo = OptionInfo {
    name: "fuzzy",
    default: "0",
    description: "how much the degree to which goals are satisfied counts beside random games, 0 to 1",
};

/// The value of that option.
pub(super) fn fuzzy_weight(options: &StrategyOptions<'_>) -> Result<f64, StrategyError> {
    let weight: f64 = options.get(FUZZY_WEIGHT.name)?;
    if (0.0..=1.0).contains(&weight) { Ok(weight) } else { Err(options.bad_value(FUZZY_WEIGHT.name)) }
}

/// The part of the play clock that expanding the first joint move may take, and each further one.
const EXPANSION_SHARES: [f64; 2] = [0.5, 0.25];

/// Monte Carlo search in two phases (book 8.2).
///
/// *Expansion*: the tree is explored level by level to the depth given, or to the last level that
/// time and memory let it complete; of the first level, as many of the player's moves as they allow. *Probes*: from each state of the fringe, games are played at random
/// to the end; their mean is what the state is worth. The values are backed up as in minimax: the
/// player's maximum over its moves of the others' minimum over their joint moves; chance is averaged.
#[derive(Debug)]
struct MonteCarlo {
    depth: usize,
    probes: u64,
    playouts: u64,
    step_limit: u32,
    /// How much fuzzy goals count beside random games.
    fuzzy: f64,
}

impl Strategy for MonteCarlo {
    fn wants(&self, _: &Arena) -> Topics {
        Topics::NONE.with(Topic::Fuzzy, self.fuzzy > 0.0).with(Topic::Latches, self.fuzzy > 0.0)
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let roles = turn.arena.signature().roles().len();
        let mut tree = Tree::new(turn);
        self.expand(&mut tree, turn)?;
        turn.note("depth", tree.depth);
        turn.note("states", tree.nodes.len());
        let fringe: Vec<usize> = tree.fringe().collect();
        turn.note("fringe states", fringe.len());
        let mut simulation = Simulation::new(roles, turn.seed, self.step_limit, turn.budget);
        let mut runner = turn.arena.machine.runner(turn.budget);
        let ended = self.probe(&mut tree, &fringe, &mut simulation, &mut *runner, turn);
        turn.note("playouts", simulation.playouts);
        self.mix(&mut tree, &fringe, turn);
        tree.tell(turn);
        ended
    }
}

impl MonteCarlo {
    fn expand(&self, tree: &mut Tree, turn: &Turn<'_>) -> Answer<()> {
        for depth in 0..self.depth {
            let share = EXPANSION_SHARES[usize::from(depth > 0)];
            let budget = turn.budget.clone().with_share_of_time(share);
            match tree.expand_level(&mut Explorer::within(turn.arena, &budget)) {
                Ok(true) => {}
                // Probing what there is meets the limit again if it is not just this share.
                Ok(false) | Err(GameError::Limit(_)) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Mixes into what probes say of the fringe to what degree goals are satisfied there.
    fn mix(&self, tree: &mut Tree, fringe: &[usize], turn: &Turn<'_>) {
        let Some(knowledge_of_states) = turn.arena.knowledge_of_states.as_ref().filter(|_| self.fuzzy > 0.0)
        else {
            return;
        };
        let mut reader = knowledge_of_states.reader();
        for &place in fringe {
            let node = &mut tree.nodes[place];
            if let Some(worth) = reader.worth(&node.state, turn.arena.role) {
                node.total = (1.0 - self.fuzzy) * node.total + self.fuzzy * worth * f64::from(node.probes);
            }
        }
    }

    /// Probes all states of the fringe in turn, again and again.
    fn probe(
        &self,
        tree: &mut Tree,
        fringe: &[usize],
        simulation: &mut Simulation,
        runner: &mut dyn Runner,
        turn: &Turn<'_>,
    ) -> Answer<()> {
        let is_over = |pass: u64, playouts: u64| match self.playouts {
            0 => pass >= self.probes && turn.is_unlimited(),
            wanted => playouts >= wanted,
        };
        let role = turn.arena.role.index();
        for pass in 0.. {
            for &place in fringe {
                if is_over(pass, simulation.playouts) {
                    return Ok(());
                }
                let node = &mut tree.nodes[place];
                runner.set(&node.state)?;
                simulation.play(runner)?;
                node.total += simulation.goals.get(role).copied().unwrap_or(0.0);
                node.probes += 1;
            }
            if fringe.is_empty() {
                break;
            }
        }
        Ok(())
    }
}

/// The expanded part of the game tree; states of one level are merged where they are equal.
struct Tree {
    role: RoleId,
    random: Option<RoleId>,
    nodes: Vec<Node>,
    /// The states of the last complete level.
    level: Range<usize>,
    depth: usize,
    memory: usize,
}

/// A state of the tree.
struct Node {
    state: State,
    /// The player's sum over the probes, or the goal where the game is over.
    total: f64,
    /// Probes; 1 where the game is over.
    probes: u32,
    is_over: bool,
    branches: Vec<Branch>,
}

/// One of the player's moves in a state.
struct Branch {
    /// The states after each joint move of the others, the last role's moves changing fastest.
    next: Vec<u32>,
    /// How many moves chance has.
    chances: usize,
    /// How many joint moves the roles after chance have.
    stride: usize,
}

impl Tree {
    fn new(turn: &Turn<'_>) -> Self {
        Self {
            role: turn.arena.role,
            random: turn.arena.signature().random(),
            nodes: vec![Node::new(turn.state.clone())],
            level: 0..1,
            depth: 0,
            memory: turn.arena.resources.memory,
        }
    }

    /// The states to probe.
    fn fringe(&self) -> impl Iterator<Item = usize> {
        (0..self.nodes.len()).filter(|&n| !self.nodes[n].is_over && self.nodes[n].branches.is_empty())
    }

    /// Expands the last level; says whether there is another one now. The tree stays as it was if there
    /// is no time or room for all of the level; of the first one what was done is kept.
    fn expand_level(&mut self, explorer: &mut Explorer<'_>) -> Answer<bool> {
        let before = self.nodes.len();
        let level = self.level.clone();
        let expanded = self.expand_nodes(level.clone(), explorer);
        if !matches!(expanded, Ok(true)) && level.start > 0 {
            self.nodes.truncate(before);
            self.nodes[level].iter_mut().for_each(|node| node.branches.clear());
            return expanded;
        }
        self.depth += usize::from(self.nodes.len() > before);
        self.level = before..self.nodes.len();
        Ok(expanded? && !self.level.is_empty())
    }

    /// Whether there was room.
    fn expand_nodes(&mut self, level: Range<usize>, explorer: &mut Explorer<'_>) -> Answer<bool> {
        let mut known: FxHashMap<State, u32> = FxHashMap::default();
        let mut bytes = self.nodes.len() * size_of::<Node>();
        for place in level {
            if self.nodes[place].is_over {
                continue;
            }
            let position = explorer.open(&self.nodes[place].state.clone())?;
            for &action in &position.legal[self.role.index()] {
                let mut joints = Joints::replies(&position, self.role, action);
                let mut branch = Branch::new(&position.legal, self.role, self.random);
                while let Some(joint) = joints.next() {
                    let state = explorer.successor(&position.state, joint)?;
                    let next = match known.get(&state) {
                        Some(&next) => next,
                        None => {
                            let next = self.nodes.len() as u32;
                            self.nodes.push(self.node(explorer, state.clone())?);
                            bytes += size_of::<(Node, State)>() + 2 * size_of_val(state.words());
                            known.insert(state, next);
                            next
                        }
                    };
                    branch.next.push(next);
                    bytes += size_of::<u32>();
                    if bytes > self.memory || next == u32::MAX {
                        return Ok(false);
                    }
                }
                if branch.next.is_empty() {
                    // Somebody is stuck: the state is probed, which gives what it is worth.
                    break;
                }
                self.nodes[place].branches.push(branch);
            }
        }
        Ok(true)
    }

    fn node(&self, explorer: &mut Explorer<'_>, state: State) -> Answer<Node> {
        let position = explorer.open(&state)?;
        let mut node = Node::new(state);
        if position.terminal {
            node.is_over = true;
            node.probes = 1;
            node.total = f64::from(explorer.goal(&node.state, self.role)?);
        }
        Ok(node)
    }

    /// What each state is worth; `None` where too little was probed. What comes after a state stands
    /// after it, so one pass from the end is enough.
    fn values(&self) -> Vec<Option<f64>> {
        let mut values: Vec<Option<f64>> = vec![None; self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate().rev() {
            values[place] = if node.branches.is_empty() {
                (node.probes > 0).then(|| node.total / f64::from(node.probes))
            } else {
                node.branches.iter().filter_map(|branch| branch.value(&values)).reduce(f64::max)
            };
        }
        values
    }

    fn tell(&self, turn: &mut Turn<'_>) {
        let values = self.values();
        let Some(root) = self.nodes.first() else { return };
        for (branch, &action) in root.branches.iter().zip(turn.legal) {
            let visits = branch.next.iter().map(|&next| u64::from(self.nodes[next as usize].probes)).sum();
            if let Some(value) = branch.value(&values) {
                turn.rate(Rating { action, value, visits, proven: None });
            }
        }
    }
}

impl Node {
    fn new(state: State) -> Self {
        Self { state, total: 0.0, probes: 0, is_over: false, branches: Vec::new() }
    }
}

impl Branch {
    /// A branch for replies to one move of `own`, none known yet.
    fn new(legal: &[Vec<ActionId>], own: RoleId, random: Option<RoleId>) -> Self {
        let count = |role: usize| if role == own.index() { 1 } else { legal[role].len().max(1) };
        let chances = random.map_or(1, |random| count(random.index()));
        let after = random.map_or(legal.len(), |random| random.index() + 1);
        Self { next: Vec::new(), chances, stride: (after..legal.len()).map(count).product() }
    }

    /// The minimum over the others' joint moves of the mean over chance.
    fn value(&self, values: &[Option<f64>]) -> Option<f64> {
        let mut least: Option<f64> = None;
        let block = self.stride * self.chances;
        for start in (0..self.next.len()).step_by(block.max(1)) {
            for offset in 0..self.stride {
                let mut sum = 0.0;
                for chance in 0..self.chances {
                    let next = *self.next.get(start + chance * self.stride + offset)?;
                    sum += values[next as usize]?;
                }
                let mean = sum / self.chances as f64;
                least = Some(least.map_or(mean, |known| known.min(mean)));
            }
        }
        least
    }
}
