//! The search: waves of descents on one or more threads until the time is up or the best move known.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ludex_game::{
    ActionId, Answer, AtLimit, Batch, BatchOptions, GameError, Goal, Outcomes, PlayoutRecord, Policy, RoleId,
    Sight, Signature, Start,
};
use ludex_logic::{Budget, LimitError, begin_threads};

use super::aim::{Aim, Parties};
use super::descent::Tree;
use super::graph::{BEST, Graph, NONE, NewNode, NodeId, Shape};
use super::horizon::{self, Horizon};
use super::judging::Judging;
use super::legacy::Legacy;
use super::nature::{ENOUGH, Nature, mean_steps};
use super::options::TreeOptions;
use super::pace::{Narrow, Pace};
use super::proving;
use super::sighting::sight;
use super::wave::terminal_values;
use super::worker::{Effort, Shared};
use crate::breakdown::broke_down;
use crate::explorer::Explorer;
use crate::judgement::Lesson;
use crate::proof_number::Prizes;
use crate::strategy::{Arena, Turn};

/// Playouts that show what the goals of the roles have to do with each other.
const NATURE_PLAYOUTS: u32 = 512;
/// The part of the start clock that goes into learning what facts say.
const JUDGING_SHARE: f64 = 0.5;
/// Less than this part of a clock says nothing of what there is time for.
const FAIR_SHARE: f64 = 0.25;
/// The part of a turn that looking at goals may take.
const GOALS_SHARE: f64 = 0.2;
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
    nature: Option<Nature>,
    aim: Aim,
    /// Playouts end after so many steps.
    pub(super) horizon: Option<u32>,
    /// What roles look for in playouts.
    sight: Option<Sight>,
    /// What was learned of facts.
    pub(super) judging: Option<Judging>,
    /// How many steps random games have from where they were looked at.
    length: f64,
    /// What the player can get, where that is little enough to prove what it can force.
    prizes: Option<Prizes>,
    /// The ends of random games, until there are enough of them.
    ends: Vec<PlayoutRecord>,
    /// So much time was not enough to see a single end.
    in_vain: Duration,
    /// Turns in which no wave in lanes came to its end.
    narrow: Narrow,
    /// The longest time that a turn had.
    usual: Duration,
    /// How waves are to begin, where they were few in the last turn.
    pace: Option<Pace>,
    pub(super) tree: Option<Tree>,
    /// What the tree of another machine leaves to the next tree.
    legacy: Option<Legacy>,
    /// Whether what is known of goals was found out by another machine, which knew less of playouts.
    is_dated: bool,
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
            nature: None,
            aim: Aim::Own,
            horizon: None,
            sight: None,
            judging: None,
            length: 0.0,
            prizes: None,
            ends: Vec::new(),
            in_vain: Duration::ZERO,
            narrow: Narrow::default(),
            usual: Duration::ZERO,
            pace: None,
            tree: None,
            legacy: None,
            is_dated: false,
            effort: Effort::default(),
            pondered: Effort::default(),
        }
    }

    /// Takes a seat, with a machine that makes all earlier states worthless.
    pub fn sit(&mut self, arena: &Arena) {
        self.arena = Some(arena.clone());
        self.tree = None;
        self.legacy = None;
        self.is_dated = false;
        self.nature = None;
        self.aim = Aim::Own;
        self.horizon = match self.options.horizon {
            Horizon::After(steps) => Some(steps),
            Horizon::Auto | Horizon::Off => None,
        };
        self.sight = None;
        self.judging = None;
        self.prizes = None;
        self.ends.clear();
        self.in_vain = Duration::ZERO;
        self.narrow = Narrow::default();
        self.usual = Duration::ZERO;
        self.pace = None;
    }

    /// Goes on with another machine of the same game. What was found out about goals still holds, until it is known
    /// better, and what the tree knows is taken over node by node.
    pub fn change_machine(&mut self, arena: &Arena) {
        let (nature, aim, length) = (self.nature, self.aim, self.length);
        let (sight, prizes) = (self.sight.take(), self.prizes.take());
        let old = self.tree.take().zip(self.arena.take());
        let legacy = old.and_then(|(tree, old)| Legacy::of(tree, old.machine));
        self.sit(arena);
        (self.nature, self.aim, self.length) = (nature, aim, length);
        (self.sight, self.prizes) = (sight, prizes);
        (self.legacy, self.is_dated) = (legacy, true);
    }

    /// Finds out whom it plays with, and begins to search.
    ///
    /// # Errors
    /// A limit, or what the machine answers.
    pub fn prepare(&mut self, turn: &Turn<'_>) -> Answer<()> {
        self.nature = None;
        let whole = turn.budget.time_left();
        self.look_at_goals(turn)?;
        // Without a clock the search belongs to the moves.
        if turn.budget.time_left().is_none() {
            return Ok(());
        }
        self.learn_to_judge(turn)?;
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

    /// Learns what facts say of what states are worth.
    fn learn_to_judge(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let Some(nature) = self.nature else { return Ok(()) };
        let budget = turn.budget.clone().with_share_of_time(JUDGING_SHARE);
        let part = Turn::new(turn.arena, turn.state, &[], &budget, turn.seed);
        let (root, aim) = (Root::of(turn)?, self.aim);
        // Nobody learns from a game that is over, or stuck, before it begins.
        if root.legal.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let lesson = Lesson {
            start: turn.state.words(),
            legal: &root.legal,
            random: turn.arena.signature().random().map(RoleId::index),
            is_shared: root.legal.len() == 2 && aim.nature(nature) == Nature::ConstantSum { sum: BEST },
            length: self.length,
            seed: turn.seed,
            values: &|goals, values| terminal_values(&aim.goals(goals), values),
        };
        let horizon = self.horizon.unwrap_or(u32::MAX).min(self.options.step_limit);
        self.judging = Judging::learn(&self.options, &part, &lesson, (aim, horizon))?;
        Ok(())
    }

    /// Searches for a move: the tree then holds what was found.
    ///
    /// # Errors
    /// A limit, which is how a search usually ends, or what the machine answers.
    pub fn choose(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let left = turn.budget.time_left();
        self.usual = self.usual.max(left.unwrap_or_default());
        if self.nature.is_none() || self.is_dated {
            self.look_at_goals(turn)?;
        }
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
        if !self.options.reuse {
            return Ok(());
        }
        if self.nature.is_none() || self.is_dated {
            self.look_at_goals(turn)?;
        }
        self.search(turn, Purpose::Pondering)
    }

    /// Plays some games to see whether the roles are opponents. Where there is no time for enough of
    /// them, it is tried again at the next move, but not where it would only be in vain again.
    fn look_at_goals(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let time = turn.budget.time_left().map(|left| left.mul_f64(GOALS_SHARE));
        if time.is_some_and(|time| time < 2 * self.in_vain) {
            return Ok(());
        }
        let budget = turn.budget.clone().with_share_of_time(GOALS_SHARE);
        let options = BatchOptions { budget: budget.clone(), records: true };
        let mut batch = turn.arena.machine.batch(&options);
        // In parts, so that a slow game shows something in time.
        let part = (batch.width() as u32).min(NATURE_PLAYOUTS).max(ENOUGH as u32 / 4);
        let policy = Policy { at_limit: AtLimit::Goals, ..Policy::uniform(self.options.step_limit) };
        let mut outcomes = Outcomes::default();
        while self.ends.len() < NATURE_PLAYOUTS as usize {
            let start = Start { state: turn.state.clone(), playouts: part };
            let seed = turn.seed.wrapping_add(self.ends.len() as u64);
            match batch.playouts(&[start], &policy, seed, &mut outcomes) {
                Ok(()) => self.ends.append(&mut outcomes.records),
                // Who is called off has not found out that there is no time.
                Err(GameError::Limit(limit)) if limit != LimitError::Cancelled => break,
                Err(error) => return Err(error),
            }
        }
        if let (Some(time), true) = (time, self.ends.is_empty()) {
            self.in_vain = time;
        }
        if self.ends.len() >= ENOUGH {
            // Without a clock nothing says what playouts cost.
            if self.options.horizon == Horizon::Auto && budget.clock().is_some() && batch.width() > 1 {
                self.horizon = self.find_horizon(turn, &mut *batch, &budget)?;
            }
            self.learn_from_ends(turn)?;
        }
        Ok(())
    }

    /// What the ends of random games say of the roles.
    fn nature_of_ends(&self, turn: &Turn<'_>) -> Answer<(Nature, Aim)> {
        let signature = turn.arena.signature();
        let (roles, random) = (signature.roles().len(), signature.random().map(RoleId::index));
        let nature = Nature::of(&self.ends, roles, random);
        let parties = Parties { roles, random, is_simultaneous: is_simultaneous(turn)? };
        Ok((nature, Aim::of(self.options.aim, &self.ends, nature, parties)))
    }

    /// When playouts are to end, by the ends of random games that there are.
    fn find_horizon(&self, turn: &Turn<'_>, batch: &mut dyn Batch, budget: &Budget) -> Answer<Option<u32>> {
        let (_, aim) = self.nature_of_ends(turn)?;
        match horizon::find(turn, batch, budget, &self.ends, aim, self.options.step_limit) {
            Err(GameError::Limit(limit)) if limit != LimitError::Cancelled => Ok(None),
            found => found,
        }
    }

    /// Takes in what the ends of random games say of the roles, which are not needed any more then.
    fn learn_from_ends(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let (nature, aim) = self.nature_of_ends(turn)?;
        let signature = turn.arena.signature();
        self.sight = sight(&self.ends, nature, signature.roles().len(), signature.random());
        self.nature = Some(nature);
        self.is_dated = false;
        if aim != self.aim {
            // Its values are those of something else.
            (self.aim, self.tree) = (aim, None);
        }
        let ends = std::mem::take(&mut self.ends);
        self.length = mean_steps(&ends);
        self.prizes = proving::prizes(&ends, aim, nature, turn.arena.role.index());
        Ok(())
    }

    /// Makes the state the root, keeping what is below it.
    fn set_root(&mut self, turn: &Turn<'_>, purpose: Purpose) -> Answer<()> {
        let arena = turn.arena;
        let root = Root::of(turn)?;
        let mut tree = match self.tree.take() {
            Some(tree) if self.options.reuse => tree,
            _ => {
                let options = self.judging.as_ref().map_or(&self.options, |judging| &judging.options).clone();
                let graph = Graph::new(root.legal.len(), tree_memory(arena), root.shape);
                let mut tree = Tree::new(graph, options, arena.role, arena.signature().random());
                tree.legacy = self.legacy.take();
                tree
            }
        };
        tree.aim = self.aim;
        tree.set_nature(self.aim.nature(self.nature.unwrap_or(Nature::General)));
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
                tree.root = root.add_to(&mut tree.graph, tree.aim, turn);
                tree.inherit_root(turn);
            }
        }
        // Behind a move that is made already, what is known and hoped for stays as it is.
        if tree.forced.is_none() {
            let prizes = self.prizes.as_ref().filter(|_| !self.narrow.is_on());
            tree.begin_proofs(prizes, proof_memory(arena), &root.legal);
        }
        tree.reconsider();
        tree.deepest = 0;
        self.tree = Some(tree);
        Ok(())
    }

    fn search(&mut self, turn: &Turn<'_>, purpose: Purpose) -> Answer<()> {
        self.effort = Effort::default();
        if purpose == Purpose::Move
            && let (Some(judging), Some(tree)) =
                (&mut self.judging, self.tree.as_ref().filter(|tree| tree.root != NONE))
        {
            judging.learn_from(tree);
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
        let most = match self.options.playouts {
            u64::MAX if turn.is_unlimited() && purpose == Purpose::Pondering => PONDERING_PLAYOUTS,
            u64::MAX if turn.is_unlimited() => UNLIMITED_PLAYOUTS,
            most => most,
        };
        // What pays in a turn does not follow from what paid where there was no end of time.
        let pace = match purpose {
            Purpose::Move => self.pace.take(),
            Purpose::Pondering => None,
        };
        let shared = Shared {
            most,
            tree: Mutex::new(tree),
            effort: Mutex::default(),
            machine: &*turn.arena.machine,
            is_narrow: self.narrow.is_on(),
            budget: turn.budget,
            horizon: self.horizon,
            seed: turn.seed,
            sight: self.sight.as_ref(),
            judging: self.judging.as_ref(),
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

/// Whether several roles have a choice in the state of a turn.
fn is_simultaneous(turn: &Turn<'_>) -> Answer<bool> {
    let patient = turn.budget.clone().without_deadline();
    let position = Explorer::within(turn.arena, &patient).open(turn.state)?;
    Ok(position.legal.iter().filter(|moves| moves.len() > 1).count() > 1)
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
struct Root {
    terminal: bool,
    legal: Vec<Vec<ActionId>>,
    goals: Vec<Option<Goal>>,
    shape: Shape,
}

impl Root {
    fn of(turn: &Turn<'_>) -> Answer<Self> {
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

    fn add_to(&self, graph: &mut Graph, aim: Aim, turn: &Turn<'_>) -> NodeId {
        let goals = aim.goals(&self.goals);
        let new = NewNode { words: turn.state.words(), terminal: self.terminal, goals: &goals };
        graph.add(&new, |role| &self.legal[role][..])
    }
}
