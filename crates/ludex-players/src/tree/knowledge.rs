//! What is learned about moves while searching, wherever they are made.
//!
//! Playouts in lanes do not say which moves they made, so all of this is learned from the moves in the
//! tree ("tree-only": Finnsson and Björnsson, Learning simulation control in general game-playing agents,
//! 2010).

use ludex_game::ActionId;
use rustc_hash::FxHashMap;

use super::options::TreeOptions;

/// How often, and the sum of the values.
#[derive(Clone, Copy, Debug, Default)]
struct Average {
    count: f32,
    sum: f32,
}

/// Older values fade so that the averages follow the search.
const MOST: f32 = 2000.0;

impl Average {
    fn add(&mut self, value: f32) {
        if self.count >= MOST {
            self.count *= 0.5;
            self.sum *= 0.5;
        }
        self.count += 1.0;
        self.sum += value;
    }

    /// The mean, drawn towards `expected` as long as there are few values.
    fn mean(&self, expected: f32) -> f32 {
        (self.sum + PATIENCE * expected) / (self.count + PATIENCE)
    }
}

/// So many values count as much as what was expected.
const PATIENCE: f32 = 4.0;
/// A reply of this value or better did well.
const WELL: f64 = 0.6;
/// A pair of moves counts when it was seen so often.
const PAIR_MIN: f32 = 4.0;

/// The move of a role before, as far as replies go: that of the last role that had a choice.
pub(super) type Before = Option<ActionId>;

/// What is known about moves.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    averages: Vec<Vec<Average>>,
    pairs: FxHashMap<(u32, ActionId, ActionId), Average>,
    replies: FxHashMap<(u32, ActionId), ActionId>,
    rapid: FxHashMap<u64, Average>,
}

/// A move on a descent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub role: usize,
    pub action: ActionId,
    pub before: Before,
}

impl Knowledge {
    pub fn new(roles: usize) -> Self {
        Self { averages: vec![Vec::new(); roles], ..Self::default() }
    }

    /// Learns from a descent that came to these values.
    pub fn learn(&mut self, options: &TreeOptions, made: &[(usize, Made)], values: &[f64]) {
        for (_, made) in made {
            let value = values[made.role];
            if options.move_averages || options.playout_averages {
                let list = &mut self.averages[made.role];
                if list.len() <= made.action.index() {
                    list.resize(made.action.index() + 1, Average::default());
                }
                list[made.action.index()].add(value as f32);
            }
            let Some(before) = made.before else { continue };
            let role = made.role as u32;
            if options.pairs {
                self.pairs.entry((role, before, made.action)).or_default().add(value as f32);
            }
            if options.good_replies {
                if value >= WELL {
                    self.replies.insert((role, before), made.action);
                } else if self.replies.get(&(role, before)) == Some(&made.action) {
                    self.replies.remove(&(role, before));
                }
            }
        }
    }

    /// Learns what a move is worth in a node above the one it was made in.
    pub fn learn_rapid(&mut self, arm: u64, value: f64) {
        self.rapid.entry(arm).or_default().add(value as f32);
    }

    /// Forgets the rapid values: the arms have other numbers now.
    pub fn forget_rapid(&mut self) {
        self.rapid.clear();
    }

    /// What a move is expected to be worth that was not tried; `expected` is the mean of its node.
    pub fn guess(&self, options: &TreeOptions, made: &Made, expected: f64) -> f64 {
        let mut guess = expected as f32;
        if options.move_averages
            && let Some(average) = self.averages[made.role].get(made.action.index())
        {
            guess = average.mean(guess);
        }
        let Some(before) = made.before else { return f64::from(guess) };
        if options.pairs
            && let Some(pair) = self.pairs.get(&(made.role as u32, before, made.action))
            && pair.count >= PAIR_MIN
        {
            guess = pair.mean(guess);
        }
        if options.good_replies && self.replies.get(&(made.role as u32, before)) == Some(&made.action) {
            guess += 0.2;
        }
        f64::from(guess)
    }

    /// The value of an arm with `visits` and this mean, mixed with its rapid value: the fewer visits,
    /// the more of that (Gelly and Silver, 2007).
    pub fn mixed(&self, arm: u64, visits: u32, mean: f64) -> f64 {
        let Some(rapid) = self.rapid.get(&arm).filter(|rapid| rapid.count > 0.0) else { return mean };
        let share = (EQUIVALENCE / (3.0 * f64::from(visits) + EQUIVALENCE)).sqrt();
        share * f64::from(rapid.sum / rapid.count) + (1.0 - share) * mean
    }

    /// Weights for playouts, per role and action: 8 for a move of average worth, more for better ones.
    pub fn weights(&self, actions: usize) -> Vec<Vec<u8>> {
        let weigh = |list: &Vec<Average>| {
            let tried = list.iter().filter(|a| a.count > 0.0);
            let (count, sum) = tried.fold((0.0, 0.0), |(n, s), a| (n + 1.0, s + a.sum / a.count));
            let middle = if count > 0.0 { sum / count } else { 0.0 };
            let weight = |average: &Average| {
                let better = average.mean(middle) - middle;
                (8.0 * (better * SHARPNESS).exp()).clamp(1.0, 64.0) as u8
            };
            let mut weights: Vec<u8> = list.iter().map(weight).collect();
            weights.resize(actions, 8);
            weights
        };
        self.averages.iter().map(weigh).collect()
    }
}

/// At so many visits rapid values and the others count about the same.
const EQUIVALENCE: f64 = 30.0;
/// How much a better average raises the weight of a move in playouts.
const SHARPNESS: f32 = 4.0;
