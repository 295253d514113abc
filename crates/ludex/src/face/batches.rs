//! Many playouts at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ludex_engine::{LaneEnvironments, LaneOptions};
use ludex_game::{
    Answer, Batch, BatchOptions, EnvironmentError, EnvironmentOptions, Environments, EnvironmentsOneByOne,
    Outcomes, Policy, Rng, Start,
};
use ludex_logic::{Budget, begin_threads};

use super::Game;
use crate::engine::Engine;

/// How [`Game::playouts`] plays.
#[derive(Clone, Debug)]
pub struct PlayoutOptions {
    /// Decides all chances.
    pub seed: u64,
    /// How many threads play, as far as the system has so many left; the result does not depend on it.
    pub threads: usize,
    /// A playout that is not over after this many steps counts as a fault.
    pub step_limit: u32,
    /// Whether to keep a record of each playout beside the tallies.
    pub records: bool,
    /// Limits on each thread's work.
    pub budget: Budget,
}

impl Default for PlayoutOptions {
    /// Seed 1, one thread, 10 000 steps at most.
    fn default() -> Self {
        Self { seed: 1, threads: 1, step_limit: 10_000, records: false, budget: Budget::unlimited() }
    }
}

/// Playouts in one part of the work, for machines that run one state at a time.
const PART: u32 = 64;
/// As few in lanes: at the end of each part lanes run empty.
const LANES_PART: u32 = 4096;
/// More parts than this are no gain.
const PARTS: u32 = 64;

/// Some of the playouts from one start.
struct Part {
    start: usize,
    playouts: u32,
    seed: u64,
}

impl Game {
    /// Plays and expands many states at once: in lanes where the game is a net. A batch belongs to one
    /// thread.
    pub fn batch(&self, options: &BatchOptions) -> Box<dyn Batch + '_> {
        self.machine().batch(options)
    }

    /// Many games that are stepped together by arrays of actions: in lanes where the game is a net, else one after the other.
    /// Nothing is legal in them before the first [`Environments::reset`] or [`Environments::observe`].
    ///
    /// ```
    /// use ludex::game::{Actions, BitRows, EnvironmentArrays, EnvironmentOptions};
    /// use ludex::{Game, GameOptions};
    ///
    /// let game = Game::bundled("tic-tac-toe", &GameOptions::default())?;
    /// let turns = Some(game.turns()?.clone());
    /// let options = EnvironmentOptions { turns, ..EnvironmentOptions::new(100, game.rules()) };
    /// let mut environments = game.environments(options)?;
    /// let (mut legal, mut rewards) = (vec![0; 100 * 10], vec![0.0; 100 * 2]);
    /// let (mut terminated, mut truncated, mut players) = (vec![0; 100], vec![0; 100], vec![0; 100]);
    /// macro_rules! arrays {
    ///     () => {
    ///         EnvironmentArrays {
    ///             legal: BitRows::Bytes(&mut legal),
    ///             rewards: &mut rewards,
    ///             terminated: &mut terminated,
    ///             truncated: &mut truncated,
    ///             players: &mut players,
    ///             ..EnvironmentArrays::default()
    ///         }
    ///     };
    /// }
    /// environments.reset(1, arrays!())?;
    /// environments.step(Actions::Given(&[5; 100]), arrays!())?;
    /// assert_eq!((players[0], &legal[..10]), (1, &[0, 1, 1, 1, 1, 0, 1, 1, 1, 1][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EnvironmentError::NoPlayers`], and a limit on memory.
    pub fn environments(
        &self,
        options: EnvironmentOptions,
    ) -> Result<Box<dyn Environments>, EnvironmentError> {
        if let Some(lanes) = self.lanes(LaneOptions::default())
            && let Some(environments) = LaneEnvironments::new(&lanes, options.clone())?
        {
            return Ok(Box::new(environments));
        }
        Ok(Box::new(EnvironmentsOneByOne::new(self.rules(), options)?))
    }

    /// Plays random games from some states, all of them to their ends, on several threads.
    ///
    /// The same seed gives the same result on any number of threads. Different engines draw random
    /// numbers in different ways, so that their results agree in distribution only.
    ///
    /// ```
    /// use ludex::game::Start;
    /// use ludex::{Game, GameOptions, PlayoutOptions};
    ///
    /// let game = Game::bundled("tic-tac-toe", &GameOptions::default())?;
    /// let start = Start { state: game.initial().clone(), playouts: 10_000 };
    /// let outcomes = game.playouts(&[start], &PlayoutOptions::default())?;
    /// let white = outcomes.tallies[0].mean_goal(game.find_role("white").unwrap()).unwrap();
    /// assert!((60.0..70.0).contains(&white), "who begins wins more often at random: {white}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A limit of the budget, or a state of another machine. Faults of single playouts are in the
    /// outcome.
    pub fn playouts(&self, from: &[Start], options: &PlayoutOptions) -> Answer<Outcomes> {
        let parts = self.parts(from, options.seed);
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<Option<Answer<Outcomes>>>> = Mutex::new(parts.iter().map(|_| None).collect());
        let work = || {
            let batch_options = BatchOptions { budget: options.budget.clone(), records: options.records };
            let mut batch = self.batch(&batch_options);
            let policy = Policy::uniform(options.step_limit);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(part) = parts.get(number) else { return };
                let start = Start { state: from[part.start].state.clone(), playouts: part.playouts };
                let mut outcomes = Outcomes::default();
                let played = batch.playouts(&[start], &policy, part.seed, &mut outcomes);
                if played.is_err() {
                    // The others need not go on.
                    next.store(parts.len(), Ordering::Relaxed);
                }
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done[number] = Some(played.map(|()| outcomes));
            }
        };
        let threads = options.threads.clamp(1, parts.len().max(1));
        std::thread::scope(|scope| {
            begin_threads(scope, (1..threads).map(|_| work));
            work();
        });
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        merge(from.len(), &parts, done)
    }

    /// Cuts the work into parts that depend on nothing but the work and the engine.
    fn parts(&self, from: &[Start], seed: u64) -> Vec<Part> {
        let least = if self.engine() == Engine::Rules { PART } else { LANES_PART };
        let mut seeds = Rng::from_seed(seed);
        let mut parts = Vec::new();
        for (number, start) in from.iter().enumerate() {
            let size = start.playouts.div_ceil(PARTS).max(least);
            let mut left = start.playouts;
            while left > 0 {
                let playouts = left.min(size);
                left -= playouts;
                parts.push(Part { start: number, playouts, seed: seeds.bits() });
            }
        }
        parts
    }
}

/// The outcomes of the starts from those of the parts, in order. The first error counts.
fn merge(starts: usize, parts: &[Part], done: Vec<Option<Answer<Outcomes>>>) -> Answer<Outcomes> {
    let mut sum = Outcomes::default();
    sum.tallies.resize(starts, Default::default());
    for (part, outcomes) in parts.iter().zip(done) {
        // Parts begin in order, so one that never began comes after one that failed.
        let Some(outcomes) = outcomes.transpose()? else { break };
        for tally in &outcomes.tallies {
            sum.tallies[part.start].merge(tally);
        }
        let named = outcomes.records.into_iter();
        sum.records.extend(named.map(|mut record| {
            record.start = part.start as u32;
            record
        }));
    }
    Ok(sum)
}
