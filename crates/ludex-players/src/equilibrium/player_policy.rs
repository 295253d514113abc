//! What a player does in each information set, found out by asking it.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{News, Rng};
use ludex_logic::{Budget, Clock, Id, LimitError};

use super::behaviour::BehaviourStrategy;
use super::error::EquilibriumError;
use super::information_sets::{InformationSets, SetId};
use crate::player::{Choice, Player, PlayerError, Seat};
use crate::registry::StrategyError;

/// How a player is asked.
#[derive(Clone)]
pub struct AskOptions {
    /// How often it is asked in an information set where it does not say by which probabilities it chooses.
    pub samples: u32,
    /// Decides the seeds of the players.
    pub seed: u64,
    /// Measures the clocks; without one there are none.
    pub clock: Option<Arc<dyn Clock>>,
    /// The time to get ready, each time it is asked.
    pub start_clock: Option<Duration>,
    /// The time for a move.
    pub play_clock: Option<Duration>,
}

impl Default for AskOptions {
    /// Twenty times; no clocks.
    fn default() -> Self {
        Self { samples: 20, seed: 1, clock: None, start_clock: None, play_clock: None }
    }
}

/// What a player does, as a strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerPolicy {
    /// The probabilities of its moves: those that it told, or how often it made them. In sets that it never comes to,
    /// because of what it does before, each move counts as equally likely.
    pub strategy: BehaviourStrategy,
    /// In how many information sets it was asked.
    pub sets: usize,
    /// In how many of them it told by which probabilities it chooses ([`Report::policy`](crate::Report::policy)).
    pub told: usize,
    /// How often it was asked in all.
    pub questions: u64,
    /// How often it had no answer, or a move that is not legal. A referee then draws one of the legal moves.
    pub faults: u64,
}

/// Finds out what a player does in each information set of its role that it comes to, by asking a new player each
/// time: it is seated, told the news of the way there, and asked for a move. The sets are those of the seat's game
/// and role ([`SequenceForm::roles`](super::SequenceForm::roles)); `make` makes a player of a seed.
///
/// # Errors
/// [`EquilibriumError::Strategy`] where no player can be made; the end of the budget.
pub fn ask_player(
    sets: &InformationSets,
    seat: &Seat,
    make: &mut dyn FnMut(u64) -> Result<Box<dyn Player>, StrategyError>,
    options: &AskOptions,
    budget: &Budget,
) -> Result<PlayerPolicy, EquilibriumError> {
    let strategy = BehaviourStrategy::uniform(sets);
    let policy = PlayerPolicy { strategy, sets: 0, told: 0, questions: 0, faults: 0 };
    let mut asking =
        Asking { sets, seat, make, options, budget, seeds: Rng::from_seed(options.seed), policy };
    let mut plan = vec![1.0; sets.sequence_count()];
    for set in sets.ids() {
        budget.report("information sets", set.index() as u64, Some(sets.len() as u64));
        let before: f64 = plan[sets.parent(set).index()];
        if before > 0.0 {
            let weights = asking.weights(set)?;
            asking.policy.strategy.set(sets, set, &weights);
        }
        let probabilities = asking.policy.strategy.of(sets, set);
        plan[sets.sequences(set)].iter_mut().zip(probabilities).for_each(|(plan, p)| *plan = before * p);
    }
    Ok(asking.policy)
}

struct Asking<'a> {
    sets: &'a InformationSets,
    seat: &'a Seat,
    make: &'a mut dyn FnMut(u64) -> Result<Box<dyn Player>, StrategyError>,
    options: &'a AskOptions,
    budget: &'a Budget,
    seeds: Rng,
    policy: PlayerPolicy,
}

impl Asking<'_> {
    /// How likely the player is to make each move of a set, up to a factor.
    fn weights(&mut self, set: SetId) -> Result<Vec<f64>, EquilibriumError> {
        let news = self.sets.news(set);
        let mut weights = vec![0.0; self.sets.moves(set).len()];
        self.policy.sets += 1;
        for _ in 0..self.options.samples.max(1) {
            match self.ask(&news)? {
                Ok(choice) => {
                    if let Some(told) = self.told(set, &choice) {
                        self.policy.told += 1;
                        return Ok(told);
                    }
                    match self.place(set, choice.action) {
                        Some(place) => weights[place] += 1.0,
                        None => self.draw(&mut weights),
                    }
                }
                Err(_) => self.draw(&mut weights),
            }
        }
        Ok(weights)
    }

    /// Counts what a referee would do: any legal move is as likely as another.
    fn draw(&mut self, weights: &mut [f64]) {
        self.policy.faults += 1;
        let share = 1.0 / weights.len() as f64;
        weights.iter_mut().for_each(|weight| *weight += share);
    }

    /// The probabilities that the player told, by the places of the moves; `None` where it told none of legal moves.
    fn told(&self, set: SetId, choice: &Choice) -> Option<Vec<f64>> {
        let mut weights = vec![0.0; self.sets.moves(set).len()];
        for &(action, probability) in &choice.report.policy {
            if let (Some(place), true) = (self.place(set, action), probability > 0.0) {
                weights[place] += probability;
            }
        }
        weights.iter().any(|&weight| weight > 0.0).then_some(weights)
    }

    fn place(&self, set: SetId, action: ludex_logic::TermId) -> Option<usize> {
        self.sets.moves(set).iter().position(|&known| known == action)
    }

    /// Asks a new player, who is told these news first.
    fn ask(&mut self, news: &[News]) -> Result<Result<Choice, PlayerError>, EquilibriumError> {
        self.budget.meter().check()?;
        self.policy.questions += 1;
        let mut player = (self.make)(self.seeds.bits())?;
        // A player that fails to get ready may still be asked.
        let _ = player.prepare(self.seat.clone(), &self.timed(self.options.start_clock));
        news.iter().for_each(|news| player.observe(news));
        let budget = self.timed(self.options.play_clock);
        let asked = self.options.clock.as_ref().map(|clock| clock.now());
        let chosen = player.choose(&budget);
        // What comes late does not count.
        let taken =
            self.options.clock.as_ref().zip(asked).map(|(clock, asked)| clock.now().saturating_sub(asked));
        let is_late = taken.zip(self.options.play_clock).is_some_and(|(taken, limit)| taken > limit);
        self.budget.meter().check()?;
        Ok(if is_late { Err(ludex_game::GameError::Limit(LimitError::Deadline).into()) } else { chosen })
    }

    fn timed(&self, limit: Option<Duration>) -> Budget {
        let budget = self.budget.clone().without_progress();
        match (&self.options.clock, limit) {
            (Some(clock), Some(limit)) => budget.with_time(Arc::clone(clock), limit),
            _ => budget,
        }
    }
}
