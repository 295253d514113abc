//! The search: batches of descents on one or more threads until the time is up or the best move known.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ludex_game::{ActionId, Answer, GameError, Goal, Signature};
use ludex_logic::{LimitError, begin_threads};

use super::descent::Tree;
use super::evaluation::{LearnedEvaluation, LearnedOption, Learning, terminal_values};
use super::graph::{Graph, NONE, NewNode, NodeId, Shape};
use super::legacy::Legacy;
use super::objective::Objective;
use super::options::TreeOptions;
use super::pace::{Narrow, Pace};
use super::profile::{PlayoutProfile, Profiler};
use super::stopping::Stopping;
use super::utility::UtilityType;
use super::worker::{Effort, Shared};
use crate::breakdown::broke_down;
use crate::learned_evaluation::{Fitted, TrainedEvaluation};
use crate::strategy::{Arena, Turn};

/// The part of the start clock that goes into learning what facts say.
const LEARNING_SHARE: f64 = 0.5;
/// The part of that which goes into looking for boards.
const LOOKING_SHARE: f64 = 0.2;
/// Less than this part of a clock says nothing of what there is time for.
const FAIR_SHARE: f64 = 0.25;
/// Where nothing else ends a search, it ends after so many playouts.
const UNLIMITED_PLAYOUTS: u64 = 20_000;
/// Pondering has no clock but is called off; if not, it ends after so many.
const PONDERING_PLAYOUTS: u64 = 4_000_000;

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// To find a move, in time.
    Move,
    /// To use time that is nobody's turn; it may be called off as soon as it begins.
    Pondering,
}

/// The search of one player, with the tree that it keeps from move to move.
pub(crate) struct TreeSearch {
    pub(super) options: TreeOptions,
    arena: Option<Arena>,
    profiler: Profiler,
    /// What random games showed, once there were enough.
    pub(super) profile: Option<PlayoutProfile>,
    /// Whether that was found out by another machine, which knew less of playouts.
    is_dated: bool,
    /// What came of learning what facts say.
    pub(super) learning: Learning,
    /// Whether it was looked for what was learned of the game beforehand.
    has_remembered: bool,
    /// What was learned of it in matches before, to go on from.
    known: Option<Fitted>,
    /// Turns in which no batch in lanes came to its end.
    narrow: Narrow,
    /// The longest time that a turn had.
    usual: Duration,
    /// How batches are to begin, where they were few in the last turn.
    pace: Option<Pace>,
    pub(super) tree: Option<Tree>,
    /// What the tree of another machine leaves to the next tree.
    legacy: Option<Legacy>,
    pub(super) effort: Effort,
    /// What was done on the time of others since the last turn.
    pub(super) pondered: Effort,
}

impl TreeSearch {
    /// A search that knows nothing yet.
    pub fn new(options: TreeOptions) -> Self {
        Self {
            options,
            arena: None,
            profiler: Profiler::default(),
            profile: None,
            is_dated: false,
            learning: Learning::Nothing,
            has_remembered: false,
            known: None,
            narrow: Narrow::default(),
            usual: Duration::ZERO,
            pace: None,
            tree: None,
            legacy: None,
            effort: Effort::default(),
            pondered: Effort::default(),
        }
    }

    /// Takes a seat, with a machine that makes all earlier states worthless.
    pub fn sit(&mut self, arena: &Arena) {
        let (effort, pondered) = (self.effort, self.pondered);
        *self = Self { arena: Some(arena.clone()), effort, pondered, ..Self::new(self.options.clone()) };
    }

    /// Goes on with another machine of the same game. What random games showed still holds, until it is known better,
    /// and what the tree knows is taken over node by node.
    pub fn change_machine(&mut self, arena: &Arena) {
        let profile = self.profile.take();
        let old = self.tree.take().zip(self.arena.take());
        let legacy = old.and_then(|(tree, old)| Legacy::of(tree, old.machine));
        // That facts tell little is so on every machine.
        let is_useless = matches!(self.learning, Learning::Useless);
        self.sit(arena);
        if is_useless {
            self.learning = Learning::Useless;
        }
        // What playouts cost is another matter there.
        self.profile = profile.map(|profile| PlayoutProfile { horizon: None, ..profile });
        (self.legacy, self.is_dated) = (legacy, true);
    }

    /// Finds out whom it plays with, and begins to search.
    ///
    /// # Errors
    /// A limit, or what the machine answers.
    pub fn prepare(&mut self, turn: &Turn<'_>) -> Answer<()> {
        self.profile = None;
        let whole = turn.budget.time_left();
        self.look_at_goals(turn)?;
        self.remember(turn);
        // Without a clock the search belongs to the moves.
        if turn.budget.time_left().is_none() {
            return Ok(());
        }
        // What was learned beforehand need not be learned, whatever it is worth; what was learned in passing goes on.
        if matches!(self.learning, Learning::Nothing) || self.known.is_some() {
            self.learn(turn)?;
        }
        self.search_within(turn, turn.budget.time_left(), whole.unwrap_or_default())
    }

    /// Searches for a move in what is `left` of the time that there usually is. Where that is next to nothing, it says
    /// nothing of what there is time for in a turn.
    fn search_within(&mut self, turn: &Turn<'_>, left: Option<Duration>, usual: Duration) -> Answer<()> {
        let narrow = self.narrow;
        let searched = self.search(turn, Purpose::Move);
        if left.is_some_and(|left| left.is_zero() || left < usual.mul_f64(FAIR_SHARE)) {
            self.narrow = narrow;
        }
        searched
    }

    /// Takes what was learned of the game beforehand, once it is known what is played for.
    fn remember(&mut self, turn: &Turn<'_>) {
        let Some(profile) = self.profile.as_ref().filter(|_| !self.has_remembered) else { return };
        self.has_remembered = true;
        let (options, objective) = (&self.options, profile.objective);
        let found = |known: &[_]| LearnedEvaluation::trained(options.learned, known, turn, objective);
        let trained = found(&options.trained);
        if trained.is_none() {
            self.known = found(&turn.arena.introduction.evaluations);
        }
        if let Some(Fitted { network, games, told }) = trained.as_ref().or(self.known.as_ref()) {
            self.learning = Learning::new(options.learned, network.clone(), *games, told);
        }
    }

    /// What it has learned of the game that is of use in other matches.
    pub fn learned(&self) -> Option<TrainedEvaluation> {
        let (learned, profile) = (self.learning.useful()?, self.profile.as_ref()?);
        learned.kept(self.arena.as_ref()?, profile.objective)
    }

    /// Learns what facts say of what states are worth.
    fn learn(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let Some(profile) = self.profile.as_ref().filter(|_| self.options.learned != LearnedOption::Off)
        else {
            return Ok(());
        };
        let budget = turn.budget.clone().with_share_of_time(LEARNING_SHARE);
        let part = Turn::new(turn.arena, turn.state, &[], &budget, turn.seed);
        let (root, objective) = (Root::of(turn)?, profile.objective);
        // Nobody learns from a game that is over, or stuck, before it begins.
        if root.legal.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let values = |goals: &[Option<Goal>], values: &mut [f64]| terminal_values(goals, objective, values);
        let mut game = profile.training_game(&part, &root, &values);
        if let Some(program) = &turn.arena.program {
            let (machine, memory) = (&*turn.arena.machine, turn.arena.resources.memory);
            game.look_at_states(program, machine, memory, &budget.clone().with_share_of_time(LOOKING_SHARE))?;
        }
        let horizon = profile.horizon.unwrap_or(u32::MAX).min(self.options.steps.limit());
        let from = self.known.take();
        let has_known = from.is_some();
        let learned =
            LearnedEvaluation::learn(self.options.learned, &part, &game, (objective, horizon), from)?;
        // Too little time to learn more leaves what is known.
        if !(has_known && matches!(learned, Learning::Nothing)) {
            self.learning = learned;
        }
        Ok(())
    }

    /// Searches for a move: the tree then holds what was found.
    ///
    /// # Errors
    /// A limit, which is how a search usually ends, or what the machine answers.
    pub fn choose(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let left = turn.budget.time_left();
        self.usual = self.usual.max(left.unwrap_or_default());
        if self.profile.is_none() || self.is_dated {
            self.look_at_goals(turn)?;
        }
        self.remember(turn);
        self.search_within(turn, left, self.usual)
    }

    pub(super) fn signature(&self) -> Option<&Arc<Signature>> {
        self.arena.as_ref().map(Arena::signature)
    }

    /// Searches on while others think: behind the move that was made, where one was.
    ///
    /// # Errors
    /// As [`TreeSearch::choose`].
    pub fn ponder(&mut self, turn: &Turn<'_>) -> Answer<()> {
        if self.profile.is_none() || self.is_dated {
            self.look_at_goals(turn)?;
        }
        self.search(turn, Purpose::Pondering)
    }

    /// Plays some random games to see what they show of the game, where there is time.
    fn look_at_goals(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let Some(profile) = self.profiler.profile(&self.options, turn)? else { return Ok(()) };
        if self.tree.as_ref().is_some_and(|tree| tree.objective != profile.objective) {
            // Its values are those of something else.
            self.tree = None;
        }
        (self.profile, self.is_dated) = (Some(profile), false);
        Ok(())
    }

    /// Makes the state the root, keeping what is below it.
    fn set_root(&mut self, turn: &Turn<'_>, purpose: Purpose) -> Answer<()> {
        let arena = turn.arena;
        let root = Root::of(turn)?;
        let mut tree = match self.tree.take() {
            Some(tree) => tree,
            None => {
                let graph = Graph::new(root.legal.len(), tree_memory(arena), root.shape);
                let seats = (arena.role, arena.signature().random());
                let mut tree = Tree::new(graph, &self.options, seats);
                tree.legacy = self.legacy.take();
                tree
            }
        };
        let profile = self.profile.as_ref();
        tree.objective = profile.map_or(Objective::Own, |profile| profile.objective);
        tree.set_utility(profile.map_or(UtilityType::General, PlayoutProfile::utility_of_objective));
        tree.forced = root.forced(turn, purpose);
        match tree.graph.find(turn.state.words()) {
            Some(known) => {
                tree.root = known;
                // Behind a move that is made already, everything at the root is in use.
                if tree.forced.is_none() || tree.graph.tidying.is_some() {
                    tree.graph.tidy_from(known);
                }
            }
            None => {
                tree.forget_nodes();
                tree.root = root.add_to(&mut tree.graph, tree.objective, turn);
                tree.inherit_root(turn);
            }
        }
        // Behind a move that is made already, what is known and hoped for stays as it is.
        if tree.forced.is_none() {
            let prizes = profile.and_then(|profile| profile.prizes.as_ref()).filter(|_| !self.narrow.is_on());
            tree.begin_proofs(prizes, proof_memory(arena), &root.legal);
        }
        tree.reconsider();
        tree.statistics.deepest = 0;
        self.tree = Some(tree);
        Ok(())
    }

    fn search(&mut self, turn: &Turn<'_>, purpose: Purpose) -> Answer<()> {
        self.effort = Effort::default();
        if purpose == Purpose::Move
            && let (Learning::Useful(learned), Some(tree)) =
                (&mut self.learning, self.tree.as_ref().filter(|tree| tree.root != NONE))
        {
            learned.learn_from(tree);
        }
        let planted = self.set_root(turn, purpose);
        let Some(tree) = &mut self.tree else { return planted };
        if planted.is_err() {
            // What there is belongs to another state.
            tree.root = NONE;
            return planted;
        }
        if tree.graph.node(tree.root).terminal {
            return Ok(());
        }
        let is_endless =
            turn.is_unlimited() && self.options.playouts == u64::MAX && self.options.leaves == u64::MAX;
        let most = match purpose {
            Purpose::Pondering if is_endless => PONDERING_PLAYOUTS,
            Purpose::Move if is_endless => UNLIMITED_PLAYOUTS,
            _ => self.options.playouts,
        };
        // What pays in a turn does not follow from what paid where there was no end of time.
        let pace = match purpose {
            Purpose::Move => self.pace.take(),
            Purpose::Pondering => None,
        };
        let pays = purpose == Purpose::Move && self.options.stops_early;
        let limit = turn.budget.time_left().filter(|_| pays && turn.time_cost > 0.0);
        let stopping = limit.map(Stopping::new);
        let shared = Shared {
            most,
            stopping,
            is_enough: AtomicBool::new(false),
            tree: Mutex::new(tree),
            effort: Mutex::default(),
            machine: &*turn.arena.machine,
            is_narrow: self.narrow.is_on(),
            budget: turn.budget,
            options: &self.options,
            profile: self.profile.as_ref(),
            learning: &self.learning,
            seed: turn.seed,
            pace: Mutex::new(pace),
            turn: (purpose == Purpose::Pondering).then_some(self.usual),
            is_broken: AtomicBool::new(false),
        };
        let begun = turn.budget.clock().map(|clock| clock.now());
        let (searched, threads) = on_threads(&shared, turn.arena.resources.threads);
        let (mut effort, pace) = shared.end();
        effort.threads = threads;
        if let (Some(begun), Some(clock)) = (begun, turn.budget.clock()) {
            effort.time = clock.now().saturating_sub(begun);
        }
        if matches!(searched, Err(GameError::BrokeDown { .. })) {
            // It may be half updated.
            self.tree = None;
        }
        self.note_effort(purpose, effort, pace, &searched);
        searched
    }

    /// Takes note of what a search came to, for the next one.
    fn note_effort(&mut self, purpose: Purpose, effort: Effort, pace: Option<Pace>, searched: &Answer<()>) {
        match purpose {
            Purpose::Pondering => self.pondered.add(effort),
            Purpose::Move => {
                let ran_out = match searched {
                    Err(GameError::Limit(limit)) => *limit != LimitError::Cancelled,
                    _ => false,
                };
                self.narrow.note(ran_out && effort.leaves == 0);
                (self.effort, self.pace) = (effort, pace);
            }
        }
    }
}

/// Lets up to so many threads search, this one among them, and waits for all; what it came to, and how many they were.
fn on_threads(shared: &Shared<'_>, threads: usize) -> (Answer<()>, usize) {
    std::thread::scope(|scope| {
        let others = (1..threads as u64).map(|thread| move || shared.work(thread));
        let others = begin_threads(scope, others);
        let count = others.len() + 1;
        let own = shared.work(0);
        let joined = others.into_iter().map(|other| {
            // A thread tells of its panics itself.
            other.join().unwrap_or_else(|panic| Err(broke_down("a thread of the search", &*panic)))
        });
        (joined.fold(own, graver), count)
    })
}

/// What is worse of what two threads came to: a fault, then a limit.
fn graver(a: Answer<()>, b: Answer<()>) -> Answer<()> {
    let weight = |answer: &Answer<()>| match answer {
        Ok(()) => 0,
        Err(GameError::Limit(_)) => 1,
        Err(GameError::BrokeDown { .. }) => 3,
        Err(_) => 2,
    };
    if weight(&b) > weight(&a) { b } else { a }
}

/// What the tree may take. As much may be left of the tree of another machine for a while.
fn tree_memory(arena: &Arena) -> usize {
    arena.resources.memory / 2
}

/// What the search for proofs may take.
fn proof_memory(arena: &Arena) -> usize {
    arena.resources.memory / 6
}

/// The state at the root, as the machine describes it.
pub(super) struct Root {
    terminal: bool,
    pub legal: Vec<Vec<ActionId>>,
    goals: Vec<Option<Goal>>,
    shape: Shape,
}

impl Root {
    /// The state of a turn.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn of(turn: &Turn<'_>) -> Answer<Self> {
        let arena = turn.arena;
        let patient = turn.budget.clone().without_deadline();
        let mut runner = arena.machine.runner(&patient);
        runner.set(turn.state)?;
        let terminal = runner.terminal()?;
        let (mut legal, mut goals) = (Vec::new(), Vec::new());
        for role in arena.signature().role_ids() {
            legal.push(if terminal { Vec::new() } else { runner.legal(role)?.to_vec() });
            goals.push(runner.goal(role)?);
        }
        let shape = Shape::of(turn.state.words().len(), legal.iter().map(Vec::len).sum());
        Ok(Self { terminal, legal, goals, shape })
    }

    /// The player's move behind which is searched, among several, where it was made already.
    fn forced(&self, turn: &Turn<'_>, purpose: Purpose) -> Option<u32> {
        let own = self.legal.get(turn.arena.role.index()).filter(|own| own.len() > 1)?;
        let made = turn.made().filter(|_| purpose == Purpose::Pondering)?;
        own.iter().position(|&action| action == made).map(|place| place as u32)
    }

    fn add_to(&self, graph: &mut Graph, objective: Objective, turn: &Turn<'_>) -> NodeId {
        let goals = objective.goals(&self.goals);
        let new = NewNode { words: turn.state.words(), terminal: self.terminal, goals: &goals };
        graph.add(&new, |role| &self.legal[role][..])
    }
}
