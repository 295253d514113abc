//! The strategy `uct`.

mod tree;

use std::sync::Arc;

use ludex_analysis::knowledge::{Topic, Topics};
use ludex_game::{ActionId, Answer, RoleId, Runner, Signature, State};

use super::monte_carlo::{FUZZY_WEIGHT, fuzzy_weight};
use crate::machine_knowledge::KnowledgeReader;
use crate::registry::{BuiltIn, OptionInfo};
use crate::simulation::Simulation;
use crate::strategy::{Arena, Rating, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;
use crate::tree_drawing;
use tree::{NodeId, Tree};

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "uct",
    description: "Monte Carlo tree search by upper confidence bounds, one random game at a time (8.3)",
    options: &[
        OptionInfo { name: "c", default: "0.6", description: "how much to explore; 1 is the range of goals" },
        OptionInfo {
            name: "playouts",
            default: "0",
            description: "random games for each move; 0: until the clock ends, 1000 without a clock",
        },
        OptionInfo { name: "steps", default: "2000", description: "joint moves of a random game at most" },
        OptionInfo { name: "reuse", default: "on", description: "whether to keep the tree between moves" },
        FUZZY_WEIGHT,
    ],
    make: |options, resources| {
        let strategy = Uct {
            exploration: options.get::<f64>("c")? * 100.0,
            playouts: options.get("playouts")?,
            step_limit: options.get("steps")?,
            keeps_tree: options.is_on("reuse")?,
            fuzzy: fuzzy_weight(options)?,
            tree: Tree::new(0, 0),
            signature: None,
        };
        Ok(Box::new(StrategyPlayer::new(strategy, resources)))
    },
};

/// Random games for a move where neither an option nor the budget says how many.
const PLAYOUTS: u64 = 1_000;
/// Joint moves of the variation that is reported.
const VARIATION: usize = 20;

/// Monte Carlo tree search with UCT (book 8.3), as plain as it is usually meant.
///
/// In each state of the tree each role has statistics of its own about its own goals (decoupled UCT), so
/// that the search works for any number of roles, for moves made at the same time and for goals of any
/// kind: each role takes the move of the highest `mean + c * sqrt(ln n / n_move)`, one not tried yet
/// before all others, and chance draws. Equal states are one node. One state is added for each random
/// game, as long as there is memory; then the statistics of the states there are go on.
struct Uct {
    exploration: f64,
    playouts: u64,
    step_limit: u32,
    keeps_tree: bool,
    /// How much fuzzy goals count beside random games.
    fuzzy: f64,
    tree: Tree,
    signature: Option<Arc<Signature>>,
}

impl Strategy for Uct {
    fn wants(&self, _: &Arena) -> Topics {
        Topics::NONE.with(Topic::Fuzzy, self.fuzzy > 0.0).with(Topic::Latches, self.fuzzy > 0.0)
    }

    fn sit(&mut self, arena: &Arena) {
        self.tree = Tree::new(arena.signature().roles().len(), arena.resources.memory);
        self.signature = Some(Arc::clone(arena.signature()));
    }

    fn prepare(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        // Where games are counted they belong to moves.
        if !self.keeps_tree || self.playouts > 0 || turn.is_unlimited() {
            return Ok(());
        }
        self.search(turn)
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let begun = turn.budget.clock().map(|clock| clock.now());
        if !self.keeps_tree {
            self.tree.clear();
        }
        let kept = self.tree.len();
        let ended = self.search(turn);
        turn.note("states kept", kept.min(self.tree.len()));
        if let (Some(begun), Some(clock)) = (begun, turn.budget.clock()) {
            let seconds = clock.now().saturating_sub(begun).as_secs_f64();
            if seconds > 0.0 {
                let rate = self.tree.playouts() as f64 / seconds;
                turn.note("playouts a second", format_args!("{rate:.0}"));
            }
        }
        self.tell(turn);
        ended
    }

    fn ponder(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        if !self.keeps_tree {
            return Ok(());
        }
        self.search(turn)
    }

    fn tree_dot(&self, nodes: usize) -> Option<String> {
        let (root, signature) = (self.tree.root()?, self.signature.as_ref()?);
        Some(tree_drawing::dot(&self.tree, root.number(), nodes, signature))
    }
}

impl Uct {
    /// Plays random games from the turn's state until the budget or the count ends.
    fn search(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let roles = turn.arena.signature().roles().len();
        let mut runner = turn.arena.machine.runner(turn.budget);
        let mut simulation = Simulation::new(roles, turn.seed, self.step_limit, turn.budget);
        self.tree.plant(turn.state, &mut *runner)?;
        let wanted = match self.playouts {
            0 if turn.is_unlimited() => PLAYOUTS,
            0 => u64::MAX,
            wanted => wanted,
        };
        let knowledge_of_states = turn.arena.knowledge_of_states.as_ref().filter(|_| self.fuzzy > 0.0);
        let mut walk = Walk {
            tree: &mut self.tree,
            exploration: self.exploration,
            random: turn.arena.signature().random(),
            path: Vec::new(),
            picked: Vec::new(),
            joint: Vec::new(),
            scratch: turn.state.clone(),
            fuzzy: self.fuzzy,
            reader: knowledge_of_states
                .filter(|knowledge_of_states| knowledge_of_states.knows_worth())
                .map(|knowledge_of_states| knowledge_of_states.reader()),
        };
        for _ in 0..wanted {
            walk.cycle(&mut *runner, &mut simulation)?;
        }
        Ok(())
    }

    fn tell(&self, turn: &mut Turn<'_>) {
        let Some(root) = self.tree.root() else { return };
        turn.note("playouts", self.tree.playouts());
        turn.note("states", self.tree.len());
        turn.note("depth", self.tree.depth());
        turn.note("tree bytes", self.tree.bytes());
        let mut best: Option<Rating> = None;
        for edge in self.tree.edges(root, turn.arena.role) {
            let Some(value) = edge.mean() else { continue };
            let rating = Rating { action: edge.action, value, visits: edge.visits.into(), proven: None };
            turn.rate(rating);
            if best.is_none_or(|best| (rating.visits, value) > (best.visits, best.value)) {
                best = Some(rating);
            }
        }
        if let Some(best) = best {
            turn.advise(best.action);
        }
        turn.expect(&self.variation(root));
    }

    /// The joint moves tried most, as far as the tree reaches.
    fn variation(&self, root: NodeId) -> Vec<Vec<ActionId>> {
        let mut node = Some(root);
        let mut variation = Vec::new();
        while let Some(at) = node.filter(|_| variation.len() < VARIATION) {
            let most_tried = |role: RoleId| {
                let edges = self.tree.edges(at, role).iter().enumerate();
                edges.rev().max_by_key(|(_, edge)| edge.visits).filter(|(_, edge)| edge.visits > 0)
            };
            let Some(joint) = self.tree.roles().map(most_tried).collect::<Option<Vec<_>>>() else { break };
            let places = joint.iter().map(|&(place, _)| place as u32);
            let number = self.tree.joint_number(at, places);
            variation.push(joint.iter().map(|(_, edge)| edge.action).collect());
            node = number.and_then(|number| self.tree.child(at, number));
        }
        variation
    }
}

/// One way down the tree after the other.
struct Walk<'t> {
    tree: &'t mut Tree,
    exploration: f64,
    random: Option<RoleId>,
    /// The states on the way down.
    path: Vec<NodeId>,
    /// For each of them, the place of each role's move among its legal moves.
    picked: Vec<u32>,
    joint: Vec<ActionId>,
    scratch: State,
    /// How much fuzzy goals count, and who knows them.
    fuzzy: f64,
    reader: Option<KnowledgeReader>,
}

impl Walk<'_> {
    /// Selection, expansion, simulation and backpropagation.
    fn cycle(&mut self, runner: &mut dyn Runner, simulation: &mut Simulation) -> Answer<()> {
        self.path.clear();
        self.picked.clear();
        self.tree.begin_cycle();
        self.descend(runner, simulation)?;
        self.tree.back_up(&self.path, &self.picked, &simulation.goals);
        Ok(())
    }

    /// Goes down to a state that is new, over or was met on this very way, and finds what it is worth.
    fn descend(&mut self, runner: &mut dyn Runner, simulation: &mut Simulation) -> Answer<()> {
        let Some(mut node) = self.tree.root() else {
            return simulation.play(runner);
        };
        loop {
            simulation.spend(1)?;
            if let Some(goals) = self.tree.goals(node) {
                simulation.goals.copy_from_slice(goals);
                return Ok(());
            }
            if !self.tree.enter(node) {
                // A game that returns to where it was: playing on from here may lead elsewhere.
                self.tree.copy_state(node, &mut self.scratch);
                runner.set(&self.scratch)?;
                return simulation.play(runner);
            }
            let number = self.select(node, simulation);
            self.path.push(node);
            if let Some(child) = number.and_then(|number| self.tree.child(node, number)) {
                node = child;
                continue;
            }
            self.tree.copy_state(node, &mut self.scratch);
            runner.set(&self.scratch)?;
            runner.step_legal(&self.joint)?;
            // Without a number there are more joint moves than can be told apart.
            let Some(number) = number else { return simulation.play(runner) };
            runner.save(&mut self.scratch);
            if let Some(known) = self.tree.find(&self.scratch) {
                self.tree.link(node, number, known);
                node = known;
                continue;
            }
            if let Some(new) = self.tree.insert(&self.scratch, runner)? {
                self.tree.link(node, number, new);
            }
            simulation.play(runner)?;
            self.mix(simulation);
            return Ok(());
        }
    }

    /// Mixes into what a random game from a new state brought to what degree goals are satisfied there.
    fn mix(&mut self, simulation: &mut Simulation) {
        let Some(reader) = &mut self.reader else { return };
        for (role, goal) in (0..).map(RoleId).zip(&mut simulation.goals) {
            if let Some(worth) = reader.worth(&self.scratch, role) {
                *goal = (1.0 - self.fuzzy) * *goal + self.fuzzy * worth;
            }
        }
    }

    /// Lets each role choose its move; the number of the joint move.
    fn select(&mut self, node: NodeId, simulation: &mut Simulation) -> Option<u64> {
        self.joint.clear();
        let start = self.picked.len();
        let visits = f64::from(self.tree.visits(node));
        let log = visits.max(1.0).ln();
        for role in self.tree.roles() {
            let edges = self.tree.edges(node, role);
            let place = if Some(role) == self.random {
                simulation.rng().below(edges.len() as u64) as usize
            } else {
                pick(edges, log, self.exploration, simulation)
            };
            self.picked.push(place as u32);
            self.joint.push(edges[place].action);
        }
        self.tree.joint_number(node, self.picked[start..].iter().copied())
    }
}

/// The place of the move with the highest upper confidence bound; any of those that were not tried yet
/// before all others.
fn pick(edges: &[tree::Edge], log: f64, exploration: f64, simulation: &mut Simulation) -> usize {
    if edges.len() == 1 {
        return 0;
    }
    let mut untried = 0;
    let mut best = (0, f64::NEG_INFINITY);
    for (place, edge) in edges.iter().enumerate() {
        if edge.visits == 0 {
            untried += 1;
        } else if untried == 0 {
            let visits = f64::from(edge.visits);
            let bound = edge.total / visits + exploration * (log / visits).sqrt();
            if bound > best.1 {
                best = (place, bound);
            }
        }
    }
    if untried == 0 {
        return best.0;
    }
    let number = simulation.rng().below(untried) as usize;
    let mut places = edges.iter().enumerate().filter(|(_, edge)| edge.visits == 0);
    places.nth(number).map_or(0, |(place, _)| place)
}
