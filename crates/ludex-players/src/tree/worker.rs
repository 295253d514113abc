//! What one thread of a search does: batches, until the time is up or the best move known.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ludex_game::{Answer, AtLimit, Batch, BatchOptions, GameError, Machine, Policy, one_by_one};
use ludex_logic::{Budget, Clock, Meter};

use super::decisive_moves::DecisiveMovesSwitch;
use super::descent::Tree;
use super::evaluation::{LeafEvaluation, LearnedLeaves, Learning, Playouts, RandomGames, SuccessorPlayouts};
use super::leaf_batch::LeafBatch;
use super::look_ahead::Foresight;
use super::options::TreeOptions;
use super::pace::Pace;
use super::profile::PlayoutProfile;
use super::proving::Prover;
use super::stopping::Stopping;
use crate::breakdown::unbroken;

/// So many batches in a row find others working on all that is not known, before a thread leaves it to them.
const MOST_WAITING: u32 = 1 << 20;

/// The part of the time that making room in the tree may take, where leaves take so long that what is done for each of
/// them is next to nothing.
const TIDYING_SHARE: f64 = 0.05;

/// Where a start has more numbers than this of what all roles made and got, they would take too much memory and time: a
/// batch has up to 2048 starts, which then take 64 MB.
const MOST_NUMBERS: usize = 1 << 13;

/// What a search came to, beside the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Effort {
    pub playouts: u64,
    /// Joint moves made in playouts.
    pub steps: u64,
    /// Leaves that were played from.
    pub leaves: u64,
    /// Descents of batches in which nothing new was found: what they came to says more of the moves above nevertheless.
    pub again: u64,
    pub time: Duration,
    /// The part of the time that went into playouts.
    pub playing: Duration,
    /// How many states were played from at once; 1 where there were no lanes.
    pub lanes: usize,
    /// How many threads searched.
    pub threads: usize,
}

impl Effort {
    /// Adds what another search came to.
    pub fn add(&mut self, other: Self) {
        self.playouts += other.playouts;
        self.steps += other.steps;
        self.leaves += other.leaves;
        self.time += other.time;
        self.playing += other.playing;
        self.lanes = self.lanes.max(other.lanes);
        self.threads = self.threads.max(other.threads);
    }
}

/// What the threads of a search share.
pub(super) struct Shared<'s> {
    pub tree: Mutex<&'s mut Tree>,
    pub effort: Mutex<Effort>,
    pub machine: &'s dyn Machine,
    /// One state after the other.
    pub is_narrow: bool,
    pub budget: &'s Budget,
    pub options: &'s TreeOptions,
    /// What random games showed, where there was time for them.
    pub profile: Option<&'s PlayoutProfile>,
    pub learning: &'s Learning,
    pub seed: u64,
    /// Playouts in all at most.
    pub most: u64,
    /// What ends the search before its time, where that is to be saved.
    pub stopping: Option<Stopping>,
    /// Whether it did.
    pub is_enough: AtomicBool,
    /// How batches are to begin in this turn, and then in the next one.
    pub pace: Mutex<Option<Pace>>,
    /// The time of a turn, where the search may be called off at any time because one begins.
    pub turn: Option<Duration>,
    /// Whether a thread panicked: the tree may be half updated, and nobody is to go on with it.
    pub is_broken: AtomicBool,
}

impl<'s> Shared<'s> {
    /// Lets a thread work. One that panics ends the search.
    ///
    /// # Errors
    /// A limit, which is how a search usually ends, what the machine answers, or that the thread broke down.
    pub fn work(&self, thread: u64) -> Answer<()> {
        let worked = unbroken("a thread of the search", || Worker::new(self, thread).work());
        if matches!(worked, Err(GameError::BrokeDown { .. })) {
            self.is_broken.store(true, Ordering::Relaxed);
        }
        worked
    }

    fn clock(&self) -> Option<&'s dyn Clock> {
        let budget: &'s Budget = self.budget;
        budget.clock().map(|clock| &**clock)
    }

    fn now(&self) -> Duration {
        self.clock().map_or(Duration::ZERO, Clock::now)
    }

    /// The time within which whatever is begun has to end.
    fn time_left(&self) -> Option<Duration> {
        self.budget.time_left().into_iter().chain(self.turn).min()
    }

    /// Where facts tell little of what comes of games, it says something that a move is made in them; where they tell more, it
    /// would be wrong to go by that (`benches/results/later-moves.md`).
    fn trusts_later_moves(&self) -> bool {
        let signature = self.machine.signature();
        let (roles, actions) = (signature.roles().len(), signature.action_count());
        matches!(self.learning, Learning::Useless) && roles * (1 + roles) * actions <= MOST_NUMBERS
    }

    /// The bits that tell whose turn it is, where what counts is how many moves roles have.
    fn turn_bits(&self) -> &'s [u64] {
        self.learning.useful().map_or(&[], |learned| learned.turn_bits())
    }

    /// What says what leaves are worth.
    fn evaluation(&self) -> Box<dyn LeafEvaluation + 's> {
        let games = SuccessorPlayouts::new(RandomGames::new(self.clock()));
        match self.learning.useful() {
            Some(learned) => Box::new(LearnedLeaves::beside(games, learned)),
            None => Box::new(games),
        }
    }

    /// What the search came to, and how batches are to begin in the next turn.
    pub fn end(self) -> (Effort, Option<Pace>) {
        let effort = *lock(&self.effort);
        (effort, self.pace.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Takes a lock, also after a panic under it: what is found then is dropped at the end ([`Shared::is_broken`]).
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread of a search.
pub(super) struct Worker<'w, 's> {
    shared: &'w Shared<'s>,
    thread: u64,
    batch: Box<dyn Batch + 's>,
    leaves: LeafBatch,
    evaluation: Box<dyn LeafEvaluation + 's>,
    playouts: Playouts,
    foresight: Foresight,
    /// Whether moves that playouts make later say which look good, where nothing else does.
    trusts_later_moves: bool,
    pace: Pace,
    decisive_moves: DecisiveMovesSwitch,
    /// Whether a role was ever seen to have a move that wins at once.
    is_decisive: bool,
    prover: Prover,
    begun: Duration,
    /// How many leaves it played from.
    played: u64,
    /// The time that making room took.
    tidied: Duration,
}

impl<'w, 's> Worker<'w, 's> {
    /// The thread of this number.
    pub fn new(shared: &'w Shared<'s>, thread: u64) -> Self {
        let (options, profile) = (shared.options, shared.profile);
        let records = profile.is_some_and(|profile| profile.objective.needs_records());
        let batch_options = BatchOptions { budget: shared.budget.clone(), records };
        let batch = if shared.is_narrow {
            one_by_one(shared.machine, &batch_options)
        } else {
            shared.machine.batch(&batch_options)
        };
        let before = lock(&shared.pace).clone().filter(|pace| pace.width() == batch.width());
        let pace = before.unwrap_or_else(|| Pace::new(batch.width(), options.probes));
        let horizon = profile.and_then(|profile| profile.horizon).unwrap_or(u32::MAX);
        let step_limit = horizon.min(options.steps.limit());
        let policy = Policy { at_limit: AtLimit::Goals, ..Policy::uniform(step_limit) };
        Self {
            prover: Prover::new(if batch.width() > 1 { options.proving } else { 0.0 }),
            leaves: LeafBatch::new(shared.machine.signature().tag(), shared.turn_bits()),
            evaluation: shared.evaluation(),
            playouts: Playouts { each: 1, fill: 0, policy, seed: 0 },
            foresight: match shared.learning {
                _ if !options.solver || batch.width() == 1 => Foresight::Nothing,
                Learning::Useful(_) => Foresight::Moves,
                _ => Foresight::Ends,
            },
            trusts_later_moves: batch.width() > 1 && shared.trusts_later_moves(),
            decisive_moves: DecisiveMovesSwitch::new(profile.and_then(|profile| profile.stakes.as_ref())),
            is_decisive: false,
            begun: shared.now(),
            played: 0,
            tidied: Duration::ZERO,
            shared,
            thread,
            batch,
            pace,
        }
    }

    /// Makes batches until the search is over.
    ///
    /// # Errors
    /// A limit, which is how a search usually ends, or what the machine answers.
    pub fn work(&mut self) -> Answer<()> {
        let mut meter = self.shared.budget.meter();
        let mut waited = 0;
        for number in 0u64.. {
            meter.check()?;
            if self.shared.is_broken.load(Ordering::Relaxed) || self.has_thought_enough() {
                break;
            }
            let has_time = self.pace.has_time(self.shared.budget.time_left());
            if !has_time || self.has_enough() {
                break;
            }
            let started = self.shared.now();
            if !self.collect() {
                break;
            }
            if self.leaves.len() == 0 {
                let again = self.leaves.ends as u64;
                lock(&self.shared.effort).again += again;
                meter.spend(again)?;
                self.prove(&mut meter)?;
                if again > 0 {
                    waited = 0;
                    continue;
                }
                // Others are working on all that is not known: this one waits, but not for ever.
                waited += 1;
                if waited > MOST_WAITING {
                    break;
                }
                std::thread::yield_now();
                continue;
            }
            waited = 0;
            let turn = (number << 8 | self.thread).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.playouts.seed = self.shared.seed ^ turn;
            self.play(started)?;
            meter.spend(self.leaves.found.steps)?;
            self.prove(&mut meter)?;
        }
        Ok(())
    }

    /// Whether more thought changes nothing, and costs something.
    fn has_thought_enough(&self) -> bool {
        let shared = self.shared;
        let Some(stopping) = &shared.stopping else { return false };
        if shared.is_enough.load(Ordering::Relaxed) {
            return true;
        }
        let effort = *lock(&shared.effort);
        let descents = effort.leaves + effort.again;
        if descents == 0 {
            return false;
        }
        let visits = lock(&shared.tree).visits_of_candidates();
        let is_due = stopping.is_due(shared.now().saturating_sub(self.begun), descents, &visits);
        shared.is_enough.store(is_due, Ordering::Relaxed);
        is_due
    }

    /// Whether there were as many playouts or leaves as are allowed; a descent that brought nothing new counts as one.
    fn has_enough(&self) -> bool {
        let effort = lock(&self.shared.effort);
        effort.playouts.saturating_add(effort.again) >= self.shared.most
            || effort.leaves.saturating_add(effort.again) >= self.shared.options.leaves
    }

    /// Collects a batch; `false` where the best move is known, and nobody can get anything wrong, or the value is, where
    /// that is wanted.
    fn collect(&mut self) -> bool {
        let mut tree = lock(&self.shared.tree);
        // Nobody is paid for to err.
        let is_pressed = self.shared.stopping.is_some();
        if tree.is_decided() && (tree.solver.wants_value || is_pressed || !tree.resist()) {
            return false;
        }
        let leaves = self.pace.leaves(tree.graph.len()).max(1);
        tree.tidy(leaves);
        if self.shared.budget.time_left().is_some() {
            let begun = self.shared.now();
            let most = begun.saturating_sub(self.begun).mul_f64(TIDYING_SHARE).saturating_sub(self.tidied);
            let spent = || self.shared.now().saturating_sub(begun);
            while tree.graph.tidying.is_some() && spent() < most {
                tree.tidy(leaves);
            }
            self.tidied += spent();
        }
        self.leaves.collect(&mut tree, leaves, self.foresight);
        self.playouts.policy.notes_moves = self.trusts_later_moves && self.leaves.wants_later_moves(&tree);
        true
    }

    /// Plays the batch that was collected since a point in time, and enters what it came to.
    fn play(&mut self, started: Duration) -> Answer<()> {
        let shared = self.shared;
        (self.playouts.each, self.playouts.fill) = (self.pace.probes(), self.pace.fill());
        let collected = shared.now();
        let (batch, evaluation) = (&mut *self.batch, &mut *self.evaluation);
        if let Err(error) = self.leaves.run(batch, evaluation, &self.playouts) {
            self.leaves.abandon(&mut lock(&shared.tree));
            return Err(error);
        }
        let run = shared.now();
        self.leaves.finish(&mut lock(&shared.tree));
        let found = &self.leaves.found;
        let playing = found.playing.min(run.saturating_sub(collected));
        if shared.clock().is_some() {
            let tree_time = shared.now().saturating_sub(started).saturating_sub(playing);
            self.pace.measured(tree_time, playing, shared.budget.time_left());
            *lock(&shared.pace) = self.pace.for_next_turn();
            self.look_for_decisive_moves();
        }
        self.played += self.leaves.len() as u64;
        let mut effort = lock(&shared.effort);
        effort.playouts += self.leaves.found.playouts;
        effort.steps += self.leaves.found.steps;
        effort.leaves += self.leaves.len() as u64;
        effort.playing += playing;
        effort.lanes = self.batch.width();
        Ok(())
    }

    /// Changes whether playouts see one move ahead, once a role was seen to win by one.
    fn look_for_decisive_moves(&mut self) {
        let Some(stakes) = self.shared.profile.and_then(|profile| profile.stakes.as_ref()) else { return };
        self.is_decisive = self.is_decisive || self.leaves.is_decisive(stakes);
        if self.is_decisive {
            let made = self.leaves.found.playouts / self.leaves.len().max(1) as u64;
            let decisive_moves = &mut self.playouts.policy.decisive_moves;
            self.decisive_moves.adapt(decisive_moves, self.pace.probes(), made, &mut *self.batch);
        }
    }

    /// Looks for proofs for a while. Where few batches fit into a turn, none of them is to spare.
    fn prove(&mut self, meter: &mut Meter) -> Answer<()> {
        let shared = self.shared;
        // Where no random games are played, those before the search said how long the game is.
        let length = match self.shared.profile {
            Some(profile) if self.leaves.found.steps == 0 => profile.length,
            _ => self.leaves.length(),
        };
        let elapsed = || shared.clock().map(|clock| clock.now().saturating_sub(self.begun));
        while !self.pace.is_slow() && self.prover.is_due(elapsed(), self.played, length) {
            let started = shared.now();
            let left = shared.time_left();
            let has_work = self.prover.collect(&mut lock(&shared.tree), self.batch.width(), left);
            if has_work {
                if let Err(error) = self.prover.run(&mut *self.batch) {
                    self.prover.abandon(&mut lock(&shared.tree));
                    return Err(error);
                }
                self.prover.finish(&mut lock(&shared.tree));
            }
            self.prover.spend(shared.now().saturating_sub(started));
            meter.check()?;
            if !has_work {
                break;
            }
        }
        Ok(())
    }
}
