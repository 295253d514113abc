//! A weighted combination of features, with weights learned from random games (book 7.3).

use ludex_analysis::knowledge::Topics;
use ludex_game::{Answer, Rng, RoleId};
use ludex_logic::Budget;

use super::random_games::play_random_games;
use super::{Feature, Fuzzy, GoalValue, Mobility, Proximity, Regression, Whose};
use crate::explorer::{Explorer, OpenedState};
use crate::strategy::Arena;

/// The shares of the time that is left for the two parts.
const SHARES: [f64; 2] = [0.3, 0.8];
/// States of each random game that weights are learned from.
const EXAMPLES: usize = 4;

/// The sum of features times weights, within 0 to 100.
///
/// The weights come from random games, in two parts. In the first part the features themselves learn
/// (proximity: what desirable terminal states look like). In the second, a few states of each game are
/// drawn, and for each role a [`Regression`] finds the weights with which the features of these states
/// come closest to what the role got in the end. Before that, the value is half of what there is to get,
/// and a little more for mobility.
pub struct Learned {
    features: Vec<Box<dyn Feature>>,
    /// Per role, the weights and what is added to the sum.
    weights: Vec<(Vec<f64>, f64)>,
    scores: Vec<f64>,
}

/// What was learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LearnedFrom {
    /// Random games played.
    pub games: u64,
    /// States that the weights were fitted to.
    pub examples: u64,
}

/// Whether the role has a choice: what a state is worth often differs by whose turn it is.
struct Turn;

impl Feature for Turn {
    fn score(&mut self, _: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<f64> {
        Ok(if position.legal[role.index()].len() > 1 { 100.0 } else { 0.0 })
    }
}

impl Learned {
    /// A combination of these features.
    pub fn new(features: Vec<Box<dyn Feature>>) -> Self {
        Self { features, weights: Vec::new(), scores: Vec::new() }
    }

    /// Mobility, proximity and goal value, the role's own and the others', and whose turn it is; with
    /// `fuzzy` also to what degree goals are satisfied, where that is known in time.
    pub(crate) fn usual(fuzzy: bool) -> Self {
        let mut features: Vec<Box<dyn Feature>> = vec![Box::new(Turn)];
        for whose in [Whose::Own, Whose::Opponents] {
            features.push(Box::new(Mobility::new(whose, 0)));
            features.push(Box::new(Proximity::new(whose)));
            features.push(Box::new(GoalValue::new(whose)));
            if fuzzy {
                features.push(Box::new(Fuzzy::new(whose)));
            }
        }
        Self::new(features)
    }

    /// The weights of the features for a role, and what is added to the sum; `None` before learning.
    pub fn weights(&self, role: RoleId) -> Option<(&[f64], f64)> {
        self.weights.get(role.index()).map(|(weights, constant)| (&weights[..], *constant))
    }

    /// Learns from random games for most of the time of the budget. What a limit leaves is used.
    ///
    /// # Errors
    /// What the machine answers, other than limits.
    pub fn learn(&mut self, arena: &Arena, budget: &Budget, seed: u64) -> Answer<LearnedFrom> {
        let mut rng = Rng::from_seed(seed);
        let part = budget.clone().with_share_of_time(SHARES[0]);
        let mut games = play_random_games(arena, &part, &mut rng, &mut |_, game, _| {
            if game.end.terminal {
                self.features.iter_mut().for_each(|feature| feature.analysis(&game.end.state, &game.goals));
            }
            Ok(())
        })?;
        // By now more may be known of the game. What comes later has no weight any more.
        let informed = arena.refreshed();
        self.features.iter_mut().for_each(|feature| feature.inform(&informed));
        let mut regressions = vec![Regression::new(self.features.len()); arena.signature().roles().len()];
        let part = budget.clone().with_share_of_time(SHARES[1]);
        games += play_random_games(arena, &part, &mut rng, &mut |explorer, game, rng| {
            for _ in 0..EXAMPLES {
                let Some(position) = rng.pick(&game.positions) else { break };
                for (role, regression) in (0..).map(RoleId).zip(&mut regressions) {
                    self.measure(explorer, position, role)?;
                    let goal = game.goals.get(role.index()).copied().unwrap_or(0);
                    regression.add(&self.scores, f64::from(goal));
                }
            }
            Ok(())
        })?;
        let examples = regressions.first().map_or(0, Regression::count);
        if let Some(weights) = regressions.iter().map(Regression::solve).collect() {
            self.weights = weights;
        }
        Ok(LearnedFrom { games, examples })
    }

    /// Fills in what each feature scores.
    fn measure(&mut self, explorer: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<()> {
        self.scores.clear();
        for feature in &mut self.features {
            self.scores.push(feature.score(explorer, position, role)?);
        }
        Ok(())
    }
}

impl Feature for Learned {
    fn wants(&self) -> Topics {
        self.features.iter().fold(Topics::NONE, |all, feature| all.and(feature.wants()))
    }

    fn inform(&mut self, arena: &Arena) {
        self.features.iter_mut().for_each(|feature| feature.inform(arena));
    }

    fn sit(&mut self, arena: &Arena) {
        self.features.iter_mut().for_each(|feature| feature.sit(arena));
    }

    fn score(&mut self, explorer: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<f64> {
        let Some((weights, constant)) = self.weights.get(role.index()) else {
            let legal = position.legal[role.index()].len() as f64;
            return Ok(50.0 + 10.0 * legal / (legal + 10.0));
        };
        let mut sum = *constant;
        for (feature, weight) in self.features.iter_mut().zip(weights) {
            // Features that say nothing need not be asked.
            if *weight != 0.0 {
                sum += weight * feature.score(explorer, position, role)?;
            }
        }
        Ok(sum.clamp(0.0, 100.0))
    }

    fn learn(&mut self, arena: &Arena, budget: &Budget, seed: u64) -> Answer<LearnedFrom> {
        Self::learn(self, arena, budget, seed)
    }
}
