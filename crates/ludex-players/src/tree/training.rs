//! Learning of a game before any match of it: by games that a network plays with itself on several threads.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ludex_game::{Answer, BatchOptions, GameError, Goal, Machine, RoleId};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, begin_threads};

use super::evaluation::{held_out, terminal_values};
use super::options::TreeOptions;
use super::profile::Profiler;
use super::search::Root;
use crate::breakdown::{broke_down, unbroken};
use crate::learned_evaluation::{
    HeldOut, Learned, Network, SelfPlay, Stop, TrainedEvaluation, Training, TrainingGame,
    correlation_of_examples,
};
use crate::strategy::{Arena, Resources, Turn};

/// So many states each thread sees before what all of them learned is put together.
const ROUND: u64 = 1 << 16;
/// The part of the time that games take; the rest is for comparing what was learned with random games.
const PLAYING_SHARE: f64 = 0.95;

/// The part of what was learned where there was no time to compare it.
const SHARE: f64 = 0.5;

/// How to learn.
#[derive(Clone, Debug)]
pub struct TrainingOptions {
    /// It ends after about so many games with itself.
    pub games: u64,
    /// How many threads play.
    pub threads: usize,
    /// Decides all chances: equal seeds learn equally, as long as games are counted and not timed, on as many threads.
    pub seed: u64,
    /// What to go on from: the first that was learned of this game. Where there are some, one of them has to be.
    pub from: Vec<Arc<TrainedEvaluation>>,
}

impl Default for TrainingOptions {
    /// Without end, on one thread, from nothing, seed 1.
    fn default() -> Self {
        Self { games: u64::MAX, threads: 1, seed: 1, from: Vec::new() }
    }
}

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingProgress {
    /// Games that came to an end, without those that it began from.
    pub games: u64,
    /// How what is said of states goes with what comes of them, in the last games, before these are learned from:
    /// Pearson's coefficient, -1 to 1.
    pub told: f64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Trained {
    /// What was learned.
    pub evaluation: TrainedEvaluation,
    /// How far it came.
    pub progress: TrainingProgress,
    /// How the mean of 32 random games goes with what comes of the same states; `None` where there was no time for them.
    pub told_by_playouts: Option<f64>,
}

/// Why nothing can be learned of a game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// Only one role plays.
    #[error("nobody plays against anybody in this game: a puzzle is searched, not learned")]
    Alone,
    /// States are not known to those who play.
    #[error("roles do not see everything in this game, so that states alone have no value")]
    Hidden,
    /// The machine plays one game at a time.
    #[error(
        "this game is played one state at a time, which is too slow to learn from: its rules make no net"
    )]
    Slow,
    /// What was to be gone on from was learned of another game, or of the same one with other goals in mind.
    #[error("what was learned of `{0}` says nothing of this game: its rules are others")]
    OtherGame(String),
    /// No game came to an end.
    #[error("no game came to an end in the time that there was")]
    NoGame,
    /// The machine has no answer.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// Learns what states of a game are worth from games that a small network plays with itself (temporal differences:
/// Sutton, 1988), until the budget ends or there were enough games. It tells how far it has come after every 65 536
/// states of each thread.
///
/// ```
/// use ludex_players::{TrainingOptions, train};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let options = TrainingOptions { games: 2000, ..TrainingOptions::default() };
/// let trained = train(rules.machine(), rules.program(), &options, &Default::default(), &mut |_| {})?;
/// assert!(trained.evaluation.games() >= 2000);
/// assert!(trained.progress.told > 0.3, "it tells something of what comes of a state");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`TrainingError`] where nothing can be learned. Where the budget ends or is called off (its cancel flag), it is no
/// error, once a game has come to an end; what was learned is then still compared with random games for a short while.
pub fn train(
    machine: &Arc<dyn Machine>,
    program: &Arc<GameProgram>,
    options: &TrainingOptions,
    budget: &Budget,
    report: &mut dyn FnMut(&TrainingProgress),
) -> Result<Trained, TrainingError> {
    let signature = machine.signature();
    let players: Vec<RoleId> =
        signature.role_ids().filter(|&role| Some(role) != signature.random()).collect();
    match players.len() {
        _ if !program.has_perfect_information() => return Err(TrainingError::Hidden),
        0 | 1 => return Err(TrainingError::Alone),
        _ => {}
    }
    let role = players[0];
    let resources = Resources { threads: options.threads, ..Resources::from_seed(options.seed) };
    let arena = Arena::new(Arc::clone(machine), role, resources).with_program(program);
    let turn = Turn::new(&arena, machine.initial(), &[], budget, options.seed);
    let profile =
        Profiler::default().profile(&TreeOptions::default(), &turn)?.ok_or(TrainingError::NoGame)?;
    let root = Root::of(&turn)?;
    if root.legal.iter().any(Vec::is_empty) {
        return Err(TrainingError::NoGame);
    }
    let objective = profile.objective;
    let values = |goals: &[Option<Goal>], values: &mut [f64]| terminal_values(goals, objective, values);
    let mut game = profile.training_game(&turn, &root, &values);
    let fit =
        |from: &Arc<TrainedEvaluation>| from.fit(program, &**machine, &profile.objective.name(), budget);
    let known = options.from.iter().find_map(fit);
    if let (None, Some(other)) = (&known, options.from.first()) {
        return Err(TrainingError::OtherGame(other.name().to_owned()));
    }
    let before = known.as_ref().map_or(0, |known| known.games);
    let networks = match known {
        Some(known) => vec![known.network],
        None => {
            game.look_at_states(program, &**machine, arena.resources.memory, budget)?;
            game.networks()
        }
    };
    let playing = budget.clone().with_share_of_time(PLAYING_SHARE);
    let rounds = Rounds { game: &game, machine: &**machine, budget: &playing };
    let learned = rounds.learn(networks, options, report)?;
    let progress =
        TrainingProgress { games: learned.games, told: correlation_of_examples(learned.examples.iter(), 0) };
    let mut batch = machine.batch(&BatchOptions { budget: comparing(budget), records: false });
    let horizon = profile.horizon.unwrap_or(u32::MAX).min(TreeOptions::default().steps.limit());
    let held_out = held_out(learned.examples.iter(), &turn, &mut *batch, profile.objective, horizon)?;
    let unknown = HeldOut { said: progress.told, played: 0.0, share: SHARE };
    let told = held_out.unwrap_or(unknown).among(learned.moves);
    let objective = profile.objective.name();
    let training = Training { objective: &objective, games: before.saturating_add(learned.games), told };
    Ok(Trained {
        evaluation: TrainedEvaluation::new(program, &**machine, &learned.networks[0], training),
        progress,
        told_by_playouts: held_out.map(|told| told.played),
    })
}

/// The budget for comparing what was learned with random games: what is left, or where learning was called off, as small a
/// part of the time left as would have been kept of all.
fn comparing(budget: &Budget) -> Budget {
    let is_called_off = budget.cancel_flag().load(Ordering::Relaxed) && budget.time_left().is_some();
    let own = || budget.clone().with_own_cancel_flag().with_share_of_time(1.0 - PLAYING_SHARE);
    if is_called_off { own() } else { budget.clone() }
}

/// Rounds of games, after each of which the threads put together what they learned.
struct Rounds<'r> {
    game: &'r TrainingGame<'r>,
    machine: &'r dyn Machine,
    budget: &'r Budget,
}

impl Rounds<'_> {
    fn learn(
        &self,
        networks: Vec<Network>,
        options: &TrainingOptions,
        report: &mut dyn FnMut(&TrainingProgress),
    ) -> Result<Learned, TrainingError> {
        let seeds = (0..options.threads.max(1) as u64).map(|thread| options.seed ^ thread << 32);
        let mut players: Vec<SelfPlay<'_>> =
            seeds.map(|seed| SelfPlay::new(self.game, networks.clone(), seed)).collect();
        loop {
            let stop = self.play(&mut players, options.games)?;
            if players.len() > 1 {
                let kept = players.iter().map(|player| player.learned.networks.len()).min().unwrap_or(1);
                players.iter_mut().for_each(|player| player.keep(kept));
                for number in 0..kept {
                    let parts = players.iter().map(|player| &player.learned.networks[number]);
                    let mean = Network::mean(&parts.collect::<Vec<_>>());
                    players.iter_mut().for_each(|player| player.learned.networks[number].clone_from(&mean));
                }
            }
            let games = players.iter().map(|player| player.learned.games).sum();
            let best = players[0].learned.best();
            let examples = players.iter().flat_map(|player| &player.learned.examples);
            match stop {
                Stop::Enough if games < options.games => {
                    report(&TrainingProgress { games, told: correlation_of_examples(examples, best) });
                }
                _ if games == 0 => return Err(TrainingError::NoGame),
                _ => {
                    let examples = examples.cloned().collect();
                    return Ok(Learned { games, examples, ..players.swap_remove(0).learned }.into_best());
                }
            }
        }
    }

    /// Lets each player play a round, on a thread of its own, to so many games of all players in all.
    fn play(&self, players: &mut [SelfPlay<'_>], games: u64) -> Result<Stop, TrainingError> {
        let each = games.div_ceil(players.len() as u64);
        let round = |player: &mut SelfPlay<'_>| unbroken("a thread of training", || self.round(player, each));
        let Some((own, others)) = players.split_first_mut() else { return Ok(Stop::Budget) };
        let stops: Vec<Answer<Option<Stop>>> = std::thread::scope(|scope| {
            let others = begin_threads(scope, others.iter_mut().map(|player| move || round(player)));
            let own = round(own);
            let joined = others.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|panic| Err(broke_down("a thread of training", &*panic)))
            });
            std::iter::once(own).chain(joined).collect()
        });
        let mut worst = Stop::Enough;
        for stop in stops {
            match stop?.ok_or(TrainingError::Slow)? {
                Stop::Enough => {}
                stop => worst = stop,
            }
        }
        Ok(worst)
    }

    /// `None` where the machine has no lanes.
    fn round(&self, player: &mut SelfPlay<'_>, games: u64) -> Answer<Option<Stop>> {
        let mut batch = self.machine.batch(&BatchOptions { budget: self.budget.clone(), records: false });
        if batch.width() == 1 {
            return Ok(None);
        }
        player.play((ROUND, games), &mut *batch, self.budget).map(Some)
    }
}
