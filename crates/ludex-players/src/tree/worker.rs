//! What one thread of a search does: waves, until the time is up or the best move known.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ludex_game::{Answer, Batch, BatchOptions, GameError, Machine, Sight, one_by_one};
use ludex_logic::{Budget, Clock, Meter};

use super::descent::Tree;
use super::judging::Judging;
use super::pace::Pace;
use super::proving::Prover;
use super::sighting::Outlook;
use super::wave::{Plan, Wave};
use crate::breakdown::unbroken;

/// So many waves in a row find others working on all that is not known, before a thread leaves it to them.
const MOST_WAITING: u32 = 1 << 20;

/// The part of the time that making room in the tree may take, where leaves take so long that what is done for each of
/// them is next to nothing.
const TIDYING_SHARE: f64 = 0.05;

/// What a search came to, beside the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Effort {
    pub playouts: u64,
    /// Joint moves made in playouts.
    pub steps: u64,
    /// Leaves that were played from.
    pub leaves: u64,
    /// Descents of waves in which nothing new was found: what they came to says more of the moves above nevertheless.
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
    /// Playouts end after so many steps.
    pub horizon: Option<u32>,
    pub seed: u64,
    /// Playouts in all at most.
    pub most: u64,
    pub sight: Option<&'s Sight>,
    pub judging: Option<&'s Judging>,
    /// How waves are to begin in this turn, and then in the next one.
    pub pace: Mutex<Option<Pace>>,
    /// The time of a turn, where the search may be called off at any time because one begins.
    pub turn: Option<Duration>,
    /// Whether a thread panicked: the tree may be half updated, and nobody is to go on with it.
    pub is_broken: AtomicBool,
}

impl Shared<'_> {
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

    fn clock(&self) -> Option<&dyn Clock> {
        self.budget.clock().map(|clock| &**clock)
    }

    fn now(&self) -> Duration {
        self.clock().map_or(Duration::ZERO, Clock::now)
    }

    /// The time within which whatever is begun has to end.
    fn time_left(&self) -> Option<Duration> {
        self.budget.time_left().into_iter().chain(self.turn).min()
    }

    /// What the search came to, and how waves are to begin in the next turn.
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
    wave: Wave,
    plan: Plan<'s>,
    pace: Pace,
    outlook: Outlook,
    prover: Prover,
    begun: Duration,
    leaves: u64,
    /// The time that making room took.
    tidied: Duration,
}

impl<'w, 's> Worker<'w, 's> {
    /// The thread of this number.
    pub fn new(shared: &'w Shared<'s>, thread: u64) -> Self {
        let options = lock(&shared.tree).options.clone();
        let batch_options = BatchOptions { budget: shared.budget.clone(), records: false };
        let batch = if shared.is_narrow {
            one_by_one(shared.machine, &batch_options)
        } else {
            shared.machine.batch(&batch_options)
        };
        let before = lock(&shared.pace).clone().filter(|pace| pace.width() == batch.width());
        let pace = before.unwrap_or_else(|| Pace::new(batch.width(), options.probes));
        let outlook = Outlook::new(options.sighting, shared.sight);
        let roles = shared.machine.signature().roles().len();
        let plan = Plan {
            roles,
            look_ahead: options.look_ahead && options.solver && batch.width() > 1,
            spread: options.spread,
            judging: shared.judging,
            probes: 1,
            fill: 0,
            step_limit: shared.horizon.unwrap_or(u32::MAX).min(options.step_limit),
            aims: shared.sight.cloned(),
            sight: outlook.at_first(),
            seed: 0,
        };
        Self {
            prover: Prover::new(if batch.width() > 1 { options.proving } else { 0.0 }),
            wave: Wave::new(shared.machine.signature().tag()),
            begun: shared.now(),
            leaves: 0,
            tidied: Duration::ZERO,
            shared,
            thread,
            batch,
            plan,
            pace,
            outlook,
        }
    }

    /// Makes waves until the search is over.
    ///
    /// # Errors
    /// A limit, which is how a search usually ends, or what the machine answers.
    pub fn work(&mut self) -> Answer<()> {
        let mut meter = self.shared.budget.meter();
        let mut waited = 0;
        for number in 0u64.. {
            meter.check()?;
            if self.shared.is_broken.load(Ordering::Relaxed) {
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
            if self.wave.len() == 0 {
                let again = self.wave.ends as u64;
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
            self.plan.seed = self.shared.seed ^ turn;
            self.play(started)?;
            meter.spend(self.wave.steps)?;
            self.prove(&mut meter)?;
        }
        Ok(())
    }

    /// Whether there were as many playouts as are allowed; a descent that brought nothing new counts as one.
    fn has_enough(&self) -> bool {
        let effort = lock(&self.shared.effort);
        effort.playouts.saturating_add(effort.again) >= self.shared.most
    }

    /// Collects a wave; `false` where the best move is known, and nobody can get anything wrong.
    fn collect(&mut self) -> bool {
        let mut tree = lock(&self.shared.tree);
        if tree.is_decided() && !tree.resist() {
            return false;
        }
        let leaves = self.pace.leaves(tree.graph.len()).min(tree.options.leaves).max(1);
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
        self.wave.collect(&mut tree, leaves);
        true
    }

    /// Plays the wave that was collected since a point in time, and enters what it came to.
    fn play(&mut self, started: Duration) -> Answer<()> {
        let shared = self.shared;
        (self.plan.probes, self.plan.fill) = (self.pace.probes(), self.pace.fill());
        let collected = shared.now();
        if let Err(error) = self.wave.run(&mut *self.batch, &self.plan, shared.clock()) {
            self.wave.abandon(&mut lock(&shared.tree));
            return Err(error);
        }
        let run = shared.now();
        self.wave.finish(&mut lock(&shared.tree), self.plan.judging);
        let playing = self.wave.playing.min(run.saturating_sub(collected));
        if shared.clock().is_some() {
            let tree_time = shared.now().saturating_sub(started).saturating_sub(playing);
            self.pace.measured(tree_time, playing, shared.budget.time_left());
            *lock(&shared.pace) = self.pace.for_next_turn();
            if self.wave.is_decisive {
                let made = self.wave.playouts / self.wave.len().max(1) as u64;
                self.outlook.adapt(&mut self.plan.sight, self.pace.probes(), made, &mut *self.batch);
            }
        }
        self.leaves += self.wave.len() as u64;
        let mut effort = lock(&shared.effort);
        effort.playouts += self.wave.playouts;
        effort.steps += self.wave.steps;
        effort.leaves += self.wave.len() as u64;
        effort.playing += playing;
        effort.lanes = self.batch.width();
        Ok(())
    }

    /// Looks for proofs for a while. Where few waves fit into a turn, none of them is to spare.
    fn prove(&mut self, meter: &mut Meter) -> Answer<()> {
        let shared = self.shared;
        let length = self.wave.length();
        let elapsed = || shared.clock().map(|clock| clock.now().saturating_sub(self.begun));
        while !self.pace.is_slow() && self.prover.is_due(elapsed(), self.leaves, length) {
            let started = shared.now();
            let left = shared.time_left();
            let has_wave = self.prover.collect(&mut lock(&shared.tree), self.batch.width(), left);
            if has_wave {
                if let Err(error) = self.prover.run(&mut *self.batch) {
                    self.prover.abandon(&mut lock(&shared.tree));
                    return Err(error);
                }
                self.prover.finish(&mut lock(&shared.tree));
            }
            self.prover.spend(shared.now().saturating_sub(started));
            meter.check()?;
            if !has_wave {
                break;
            }
        }
        Ok(())
    }
}
