//! The search: waves of descents on one or more threads until the time is up or the best move known.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ludex_game::{
    Answer, AtLimit, BatchOptions, GameError, Machine, Outcomes, PlayoutRecord, Policy, RoleId, Signature,
    Start, State,
};
use ludex_logic::{Budget, Clock};

use super::descent::Tree;
use super::graph::{Graph, NewNode};
use super::nature::{ENOUGH, Nature};
use super::options::TreeOptions;
use super::pace::Pace;
use super::wave::{Plan, Wave};
use crate::strategy::{Arena, Turn};

/// Playouts that show what the goals of the roles have to do with each other.
const NATURE_PLAYOUTS: u32 = 512;
/// Where nothing else ends a search, it ends after so many playouts.
const UNLIMITED_PLAYOUTS: u64 = 20_000;
/// Waves without a leaf, after which there is nothing to search.
const IDLE: u32 = 8;
/// The tree is cleaned up between moves when it takes more than this part of the memory.
const CLEAN_SHARE: f64 = 0.4;

/// What a search came to, beside the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Effort {
    pub playouts: u64,
    /// Joint moves made in playouts.
    pub steps: u64,
    /// Leaves that were played from.
    pub leaves: u64,
    pub time: Duration,
    /// The part of the time that went into playouts.
    pub playing: Duration,
}

/// The search of one player, with the tree that it keeps from move to move.
pub(crate) struct TreeSearch {
    pub(super) options: TreeOptions,
    arena: Option<Arena>,
    nature: Option<Nature>,
    /// The ends of random games, until there are enough of them.
    ends: Vec<PlayoutRecord>,
    pub(super) tree: Option<Tree>,
    /// The state that was last chosen in, and the choice, for pondering.
    chosen: Option<(State, u32)>,
    pub(super) effort: Effort,
}

/// What the threads of a search share.
struct Shared<'s> {
    tree: Mutex<&'s mut Tree>,
    effort: Mutex<Effort>,
    machine: &'s dyn Machine,
    budget: &'s Budget,
    seed: u64,
    most: u64,
}

impl TreeSearch {
    /// A search that knows nothing yet.
    pub fn new(options: TreeOptions) -> Self {
        Self {
            options,
            arena: None,
            nature: None,
            ends: Vec::new(),
            tree: None,
            chosen: None,
            effort: Effort::default(),
        }
    }

    /// Takes a seat, with a machine that makes all earlier states worthless.
    pub fn sit(&mut self, arena: &Arena) {
        self.arena = Some(arena.clone());
        self.tree = None;
        self.nature = None;
        self.chosen = None;
    }

    /// Finds out whom it plays with, and begins to search.
    ///
    /// # Errors
    /// A limit, or what the machine answers.
    pub fn prepare(&mut self, turn: &Turn<'_>) -> Answer<()> {
        self.nature = None;
        self.look_at_goals(turn)?;
        if turn.is_unlimited() || turn.budget.time_left().is_none() {
            return Ok(());
        }
        self.search(turn, None)
    }

    /// Searches for a move: the tree then holds what was found.
    ///
    /// # Errors
    /// A limit, which is how a search usually ends, or what the machine answers.
    pub fn choose(&mut self, turn: &Turn<'_>) -> Answer<()> {
        self.chosen = None;
        if self.nature.is_none() {
            self.look_at_goals(turn)?;
        }
        self.search(turn, None)
    }

    pub(super) fn signature(&self) -> Option<&Arc<Signature>> {
        self.arena.as_ref().map(Arena::signature)
    }

    /// Notes which move is made, to think on from there.
    pub fn remember_choice(&mut self, state: &State, arm: u32) {
        self.chosen = Some((state.clone(), arm));
    }

    /// Searches on behind the move that was chosen.
    ///
    /// # Errors
    /// As [`TreeSearch::choose`].
    pub fn ponder(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let Some((state, arm)) = self.chosen.clone() else { return Ok(()) };
        if state != *turn.state || turn.is_unlimited() && turn.arena.resources.threads == 0 {
            return Ok(());
        }
        self.search(turn, Some(arm))
    }

    /// Plays some games to see whether the roles are opponents. Where there is no time for enough of
    /// them, it is tried again at the next move.
    fn look_at_goals(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let signature = turn.arena.signature();
        let random = signature.random().map(RoleId::index);
        let options = BatchOptions { budget: turn.budget.clone().with_share_of_time(0.2), records: true };
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
                Err(GameError::Limit(_)) => break,
                Err(error) => return Err(error),
            }
        }
        if self.ends.len() >= ENOUGH {
            self.nature = Some(Nature::of(&self.ends, signature.roles().len(), random));
            self.ends = Vec::new();
        }
        Ok(())
    }

    /// Makes the state the root, keeping what is below it.
    fn set_root(&mut self, turn: &Turn<'_>, forced: Option<u32>) -> Answer<()> {
        let arena = turn.arena;
        let roles = arena.signature().roles().len();
        let mut tree = match self.tree.take() {
            Some(tree) if self.options.reuse || forced.is_some() => tree,
            _ => {
                let graph = Graph::new(roles, tree_memory(arena));
                let random = arena.signature().random();
                Tree::new(graph, self.options.clone(), arena.role, random)
            }
        };
        tree.set_nature(self.nature.unwrap_or(Nature::General));
        let found = tree.graph.find(turn.state.words());
        let is_large = tree.graph.bytes() as f64 > CLEAN_SHARE * arena.resources.memory as f64;
        tree.root = match found {
            Some(root) if is_large && forced.is_none() => {
                tree.graph = tree.graph.reachable_from(root);
                tree.knowledge.forget_rapid();
                0
            }
            Some(root) => root,
            None => {
                if is_large || tree.graph.len() > 0 && forced.is_none() {
                    tree.graph = Graph::new(roles, tree_memory(arena));
                    tree.knowledge.forget_rapid();
                }
                add_root(&mut tree, arena, turn)?
            }
        };
        tree.forced = forced;
        tree.deepest = 0;
        tree.actions = arena.signature().action_count();
        self.tree = Some(tree);
        Ok(())
    }

    fn search(&mut self, turn: &Turn<'_>, forced: Option<u32>) -> Answer<()> {
        self.effort = Effort::default();
        self.set_root(turn, forced)?;
        let Some(tree) = &mut self.tree else { return Ok(()) };
        if tree.graph.node(tree.root).terminal {
            return Ok(());
        }
        let most = match self.options.playouts {
            u64::MAX if turn.is_unlimited() => UNLIMITED_PLAYOUTS,
            most => most,
        };
        let shared = Shared {
            most,
            tree: Mutex::new(tree),
            effort: Mutex::default(),
            machine: &*turn.arena.machine,
            budget: turn.budget,
            seed: turn.seed,
        };
        let begun = turn.budget.clock().map(|clock| clock.now());
        let threads = turn.arena.resources.threads.max(1) as u64;
        let searched = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map(|n| {
                    scope.spawn({
                        let shared = &shared;
                        move || shared.work(n)
                    })
                })
                .collect();
            let own = shared.work(0);
            // A thread that panicked has found nothing; the others have.
            others.into_iter().filter_map(|other| other.join().ok()).fold(own, Answer::and)
        });
        self.effort = *lock(&shared.effort);
        if let (Some(begun), Some(clock)) = (begun, turn.budget.clock()) {
            self.effort.time = clock.now().saturating_sub(begun);
        }
        searched
    }
}

/// What the tree may take: cleaning up needs room for what is kept.
fn tree_memory(arena: &Arena) -> usize {
    arena.resources.memory / 3 * 2
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn add_root(tree: &mut Tree, arena: &Arena, turn: &Turn<'_>) -> Answer<u32> {
    let patient = turn.budget.clone().without_deadline();
    let mut runner = arena.machine.runner(&patient);
    runner.set(turn.state)?;
    let terminal = runner.terminal()?;
    let (mut legal, mut goals) = (Vec::new(), Vec::new());
    for role in arena.signature().role_ids() {
        legal.push(if terminal { Vec::new() } else { runner.legal(role)?.to_vec() });
        goals.push(runner.goal(role)?);
    }
    let new = NewNode { words: turn.state.words(), terminal, goals: &goals };
    Ok(tree.graph.add(&new, |role| &legal[role][..]))
}

impl Shared<'_> {
    /// Makes waves until the search is over.
    fn work(&self, thread: u64) -> Answer<()> {
        let options = lock(&self.tree).options.clone();
        let batch_options = BatchOptions { budget: self.budget.clone(), records: false };
        let mut batch = self.machine.batch(&batch_options);
        let mut pace = Pace::new(batch.width(), options.probes);
        let mut wave = Wave::default();
        let mut plan = Plan {
            roles: self.machine.signature().roles().len(),
            look_ahead: options.look_ahead && options.solver && batch.width() > 1,
            probes: 1,
            fill: 0,
            step_limit: options.step_limit,
            seed: 0,
        };
        let mut meter = self.budget.meter();
        let mut idle = 0;
        for number in 0u64.. {
            meter.check()?;
            if !pace.has_time(self.budget.time_left()) || lock(&self.effort).playouts >= self.most {
                break;
            }
            let started = self.now();
            if !self.collect(&mut wave, &pace) {
                break;
            }
            if wave.len() == 0 {
                idle += 1;
                if idle >= IDLE {
                    break;
                }
                continue;
            }
            idle = 0;
            (plan.probes, plan.fill) = (pace.probes(), pace.fill());
            plan.seed = self.seed ^ (number << 8 | thread).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let collected = self.now();
            let played = wave.run(&mut *batch, &plan, self.clock());
            if let Err(error) = played {
                wave.abandon(&mut lock(&self.tree));
                return Err(error);
            }
            let run = self.now();
            wave.finish(&mut lock(&self.tree));
            let playing = wave.playing.min(run.saturating_sub(collected));
            let tree_time = self.now().saturating_sub(started).saturating_sub(playing);
            meter.spend(wave.steps)?;
            if self.clock().is_some() {
                pace.measured(tree_time, playing, self.budget.time_left());
            }
            let mut effort = lock(&self.effort);
            effort.playouts += wave.playouts;
            effort.steps += wave.steps;
            effort.leaves += wave.len() as u64;
            effort.playing += playing;
        }
        Ok(())
    }

    /// Collects a wave; `false` where the best move is known.
    fn collect(&self, wave: &mut Wave, pace: &Pace) -> bool {
        let mut tree = lock(&self.tree);
        if tree.forced.is_none() && tree.is_decided() {
            return false;
        }
        let leaves = pace.leaves(tree.graph.len()).min(tree.options.leaves).max(1);
        wave.collect(&mut tree, leaves);
        true
    }

    fn clock(&self) -> Option<&dyn Clock> {
        self.budget.clock().map(|clock| &**clock)
    }

    fn now(&self) -> Duration {
        self.clock().map_or(Duration::ZERO, Clock::now)
    }
}
