//! Opponents for people, in five levels: the tournament player with so many playouts a move, and with mistakes.
//!
//! What the lower four do is counted and not timed, so that they are as strong on every machine; all answer within seconds.

use std::time::Duration;

use ludex_game::{News, Rng, TimeTerms};
use ludex_logic::{Budget, TermId};

use super::random::RandomPlayer;
use crate::introduction::Introduction;
use crate::learned_evaluation::TrainedEvaluation;
use crate::player::{Choice, Outcome, Player, PlayerError, Seat};
use crate::registry::{BuiltIn, StrategyError, StrategyOptions};
use crate::strategy::Resources;

/// So long nobody minds waiting for a move, and for the first one.
const MOVE_TIME: Duration = Duration::from_millis(2_500);
const START_TIME: Duration = Duration::from_millis(1_500);

pub(crate) const ONE: BuiltIn = level(
    "level-1",
    "for people: a beginner, who looks a little ahead and often moves anyhow",
    |_, resources| make("ludex:playouts=8:solver=off:proving=0:evaluation=off", 0.4, resources),
);
pub(crate) const TWO: BuiltIn =
    level("level-2", "for people: easy; sees what is near, and sometimes does not", |_, resources| {
        make("ludex:playouts=32:proving=0:evaluation=off", 0.15, resources)
    });
pub(crate) const THREE: BuiltIn =
    level("level-3", "for people: makes few mistakes, and looks ahead a little", |_, resources| {
        make("ludex:playouts=200:proving=0", 0.04, resources)
    });
pub(crate) const FOUR: BuiltIn =
    level("level-4", "for people: strong, by 3000 playouts a move", |_, resources| {
        make("ludex:playouts=3000:proving=0", 0.0, resources)
    });
pub(crate) const FIVE: BuiltIn = level(
    "level-5",
    "for people: the tournament player, who answers within three seconds",
    |_, resources| make("ludex", 0.0, resources),
);

/// A player that was made, or why there is none.
type Made = Result<Box<dyn Player>, StrategyError>;

const fn level(
    name: &'static str,
    description: &'static str,
    make: fn(&StrategyOptions<'_>, &Resources) -> Made,
) -> BuiltIn {
    BuiltIn { name, description, options: &[], make }
}

/// A player of a strategy that makes so many mistakes, from 0 to 1.
fn make(strategy: &str, mistakes: f64, resources: &Resources) -> Made {
    Ok(Box::new(LevelPlayer {
        able: crate::create(strategy, resources)?,
        careless: RandomPlayer::new(resources.seed),
        mistakes,
        seed: resources.seed,
        rng: Rng::from_seed(resources.seed),
    }))
}

/// Plays as well as another player, but for mistakes, and never for long.
struct LevelPlayer {
    able: Box<dyn Player>,
    careless: RandomPlayer,
    /// How often it moves without thinking, from 0 to 1.
    mistakes: f64,
    seed: u64,
    rng: Rng,
}

/// At most so much time of a budget, if it has a clock.
fn at_most(budget: &Budget, time: Duration) -> Budget {
    let is_longer = budget.time_left().is_none_or(|left| left > time);
    match budget.clock().cloned().filter(|_| is_longer) {
        Some(clock) => budget.clone().with_time(clock, time),
        None => budget.clone(),
    }
}

impl Player for LevelPlayer {
    fn introduce(&mut self, introduction: &Introduction) {
        self.able.introduce(introduction);
    }

    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError> {
        self.rng = Rng::from_seed(self.seed);
        if self.mistakes > 0.0 {
            self.careless.prepare(seat.clone(), budget)?;
        }
        self.able.prepare(seat, &at_most(budget, START_TIME))
    }

    fn hear_time(&mut self, terms: &TimeTerms) {
        self.able.hear_time(terms);
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        if self.rng.fraction() < self.mistakes {
            return self.careless.choose(budget);
        }
        self.able.choose(&at_most(budget, MOVE_TIME))
    }

    fn first_thought(&mut self, budget: &Budget) -> Option<TermId> {
        self.able.first_thought(budget)
    }

    fn observe(&mut self, news: &News) {
        if self.mistakes > 0.0 {
            self.careless.observe(news);
        }
        self.able.observe(news);
    }

    fn tree_dot(&self, nodes: usize) -> Option<String> {
        self.able.tree_dot(nodes)
    }

    fn learned(&self) -> Option<TrainedEvaluation> {
        self.able.learned()
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.able.finish(outcome);
    }
}
