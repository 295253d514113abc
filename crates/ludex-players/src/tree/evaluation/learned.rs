//! What was learned from games with itself, beside playouts: it says of all successors of a leaf at once which of them
//! look good.

use std::collections::VecDeque;
use std::str::FromStr;

use ludex_game::{Answer, AtLimit, Batch, BatchOptions, GameError, Outcomes, Policy, Start};
use rustc_hash::FxHashSet;

use super::successors::WIDEST;
use super::{Evaluations, Leaf, LeafEvaluation, Leaves, Playouts, mean_values, terminal_values};
use crate::learned_evaluation::{Example, Learned, Network, Sums, TrainingGame, learn};
use crate::strategy::Turn;
use crate::tree::descent::Tree;
use crate::tree::graph::{NONE, SEVERAL};
use crate::tree::horizon::covariance;
use crate::tree::objective::Objective;
use crate::tree::options::Weights;

/// Whether what was learned from games with itself counts beside playouts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LearnedOption {
    /// Where it tells nearly as much as playouts do, and what one of two roles gains the other loses or states have many
    /// moves.
    Auto,
    /// Never.
    Off,
    /// Wherever anything can be learned, and it counts so much in the value of a leaf, 0 to 1.
    Always(f64),
}

impl FromStr for LearnedOption {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            _ => text.parse().ok().filter(|weight| (0.0..=1.0).contains(weight)).map(Self::Always).ok_or(()),
        }
    }
}

/// The part of the time that learning takes; the rest is for seeing whether it was worth it.
const LEARNING_SHARE: f64 = 0.75;
/// Playouts that what was learned is compared with, from each state.
const PLAYOUTS: u32 = 16;
/// Fewer states say nothing.
const ENOUGH: usize = 128;
/// What was learned is to tell so much of what playouts tell: the one correlation to the other.
const TOLD: f64 = 0.8;
/// The same where playouts can be made from all successors of a leaf, which tell more than those from the leaf: in pawn
/// whopping, where it is 1.6, who searches by what was learned wins; in pentago (1.04 to 1.3), who does loses
/// (`benches/results/learned-evaluation.md`).
const TOLD_IN_NARROW_GAMES: f64 = 1.4;
/// How much it counts then in the value of a leaf.
const SHARE: f64 = 0.5;
/// States that were visited so often are learned from.
const OFTEN: u32 = 64;
/// It is learned from so many states between two moves at most, those nearest to the root first.
const MOST_LESSONS: usize = 10_000;

/// What was learned, and how much it counts.
#[derive(Debug)]
pub(in crate::tree) struct LearnedEvaluation {
    network: Network,
    /// The games that it was learned from.
    pub games: u64,
    /// How much it counts beside playouts, 0 to 1.
    share: f64,
}

impl LearnedEvaluation {
    /// Learns for the time of a turn; `None` where it is not worth it. Playouts end after `horizon` steps.
    ///
    /// # Errors
    /// What the batch answers, other than limits.
    pub fn learn(
        option: LearnedOption,
        turn: &Turn<'_>,
        game: &TrainingGame<'_>,
        (objective, horizon): (Objective, u32),
    ) -> Answer<Option<Self>> {
        let (narrowest, fixed) = match option {
            LearnedOption::Off => return Ok(None),
            // Where nothing has constant sum, only wide games showed that it helps.
            LearnedOption::Auto => (if game.is_shared { 0.0 } else { WIDEST as f64 }, None),
            LearnedOption::Always(share) => (0.0, Some(share)),
        };
        let machine = &*turn.arena.machine;
        let budget = turn.budget.clone().with_share_of_time(LEARNING_SHARE);
        let mut batch = machine.batch(&BatchOptions { budget: budget.clone(), records: false });
        if batch.width() == 1 {
            return Ok(None);
        }
        let Some(learned) = learn(game, narrowest, &mut *batch, &budget)? else { return Ok(None) };
        let Learned { network, games, moves, examples } = learned;
        let learned = Self { network, games, share: fixed.unwrap_or(SHARE) };
        if fixed.is_some() {
            return Ok(Some(learned));
        }
        let mut batch = machine.batch(&BatchOptions { budget: turn.budget.clone(), records: false });
        let told = if moves > WIDEST as f64 { TOLD } else { TOLD_IN_NARROW_GAMES };
        match is_worth_it(&examples, told, turn, &mut *batch, objective, horizon) {
            Ok(true) => Ok(Some(learned)),
            Ok(false) | Err(GameError::Limit(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// How the tree goes by what was learned.
    pub fn weights(exploration: f64) -> Weights {
        Weights { exploration, exploration_with_priors: 0.1, prior: 2.0 }
    }

    /// Learns from a search: in states that were visited often, what came of the visits says more than playouts from
    /// there (TreeStrap: Veness, Silver, Uther and Blair, 2009).
    pub fn learn_from(&mut self, tree: &Tree) {
        let (mut open, mut met) = (VecDeque::from([tree.root]), FxHashSet::default());
        let (mut targets, mut sums) = (Vec::new(), Sums::default());
        while let Some(id) = open.pop_front() {
            let node = *tree.graph.node(id);
            if node.visits < OFTEN || node.terminal || node.mover == SEVERAL || !met.insert(id) {
                continue;
            }
            if met.len() > MOST_LESSONS {
                break;
            }
            targets.clear();
            targets.extend(tree.graph.sums(id).iter().map(|sum| (sum / f64::from(node.visits)) as f32));
            self.network.learn(tree.graph.state(id), &targets, &mut sums);
            let children = tree.graph.edges(id, node.mover as usize).iter().map(|edge| edge.child);
            open.extend(children.filter(|&child| child != NONE));
        }
    }
}

/// Mixes what was learned into what another evaluation says of leaves, and says by it alone which moves look good.
pub(in crate::tree) struct LearnedLeaves<'l, E> {
    inner: E,
    learned: &'l LearnedEvaluation,
    /// Of the leaf, and of one of its successors; kept for their memory.
    near: Sums,
    sums: Sums,
}

impl<'l, E> LearnedLeaves<'l, E> {
    /// Beside another evaluation.
    pub fn beside(inner: E, learned: &'l LearnedEvaluation) -> Self {
        Self { inner, learned, near: Sums::default(), sums: Sums::default() }
    }

    /// Notes what the successors of a leaf promise the role that chooses among them, and gives the best of that.
    fn note_priors(&mut self, leaf: &Leaf<'_>, leaves: &Leaves<'_>, found: &mut Evaluations) -> Option<f32> {
        let network = &self.learned.network;
        let mut ends = vec![0.0; leaves.roles];
        let mut best = None;
        for look in leaf.successors.clone() {
            let prior = if leaves.looked.terminal(look) {
                terminal_values(leaves.looked.goals(look), leaves.objective, &mut ends);
                ends[leaf.chooser] as f32
            } else {
                let words = leaves.looked.state(look);
                network.evaluate_near(&self.near, leaf.words, words, leaf.chooser, &mut self.sums)
            };
            found.priors[look] = prior;
            best = Some(best.map_or(prior, |best: f32| best.max(prior)));
        }
        best
    }
}

impl<E: LeafEvaluation> LeafEvaluation for LearnedLeaves<'_, E> {
    fn evaluate(
        &mut self,
        leaves: &Leaves<'_>,
        playouts: &Playouts,
        batch: &mut dyn Batch,
        found: &mut Evaluations,
    ) -> Answer<()> {
        let LearnedEvaluation { network, share, .. } = self.learned;
        if *share < 1.0 {
            self.inner.evaluate(leaves, playouts, batch, found)?;
        } else {
            // What would count for nothing is not played; each leaf counts as if it had been, where work is counted.
            found.begin(leaves);
            found.playouts = leaves.leaves.len() as u64;
        }
        for (number, leaf) in leaves.leaves.iter().enumerate() {
            network.sum(leaf.words, &mut self.near);
            // What the best successor promises is a better judgement than what is said of the leaf itself.
            let best = self.note_priors(leaf, leaves, found).filter(|_| network.is_shared());
            for (role, value) in found.values_mut(number).iter_mut().enumerate() {
                let said = match best {
                    Some(best) if role == leaf.chooser => best,
                    Some(best) => 1.0 - best,
                    None => network.value(&self.near, role),
                };
                *value += share * (f64::from(said) - *value);
            }
        }
        Ok(())
    }
}

/// Whether what was said of states tells enough of what came of them: `least` times what playouts tell.
fn is_worth_it(
    examples: &VecDeque<Example>,
    least: f64,
    turn: &Turn<'_>,
    batch: &mut dyn Batch,
    objective: Objective,
    horizon: u32,
) -> Answer<bool> {
    if examples.len() < ENOUGH {
        return Ok(false);
    }
    let start =
        |example: &Example| Start { state: turn.state.with_words(&example.words), playouts: PLAYOUTS };
    let starts: Vec<Start> = examples.iter().map(start).collect();
    let policy = Policy { at_limit: AtLimit::Goals, ..Policy::uniform(horizon) };
    let mut outcomes = Outcomes::default();
    batch.playouts(&starts, &policy, turn.seed, &mut outcomes)?;
    let role = turn.arena.role.index();
    let mut played = vec![0.0; turn.arena.signature().roles().len()];
    let mut of_playouts = |tally| {
        mean_values(tally, objective, &mut played);
        played[role]
    };
    let played: Vec<f64> = outcomes.tallies.iter().map(&mut of_playouts).collect();
    let said: Vec<f64> = examples.iter().map(|example| example.said[role]).collect();
    let came: Vec<f64> = examples.iter().map(|example| example.value[role]).collect();
    let told = correlation(&said, &came);
    Ok(told > 0.0 && told >= least * correlation(&played, &came))
}

/// Pearson's coefficient, -1 to 1; 0 where one of the two is always the same.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let spread = covariance(a, a) * covariance(b, b);
    if spread > 0.0 { covariance(a, b) / spread.sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_together_correlates() {
        let list = [1.0, 2.0, 3.0, 5.0];
        assert!((correlation(&list, &[2.0, 4.0, 6.0, 10.0]) - 1.0).abs() < 1e-12);
        assert!((correlation(&list, &[-1.0, -2.0, -3.0, -5.0]) + 1.0).abs() < 1e-12);
        assert_eq!(correlation(&list, &[7.0; 4]), 0.0);
        // Means are 2.75 and 0.5; the moments 8.75, 1 and 0.5.
        let half = correlation(&list, &[0.0, 1.0, 0.0, 1.0]);
        assert!((half - 1.5 / 8.75f64.sqrt()).abs() < 1e-12, "{half}");
    }

    #[test]
    fn weights_are_within_limits() {
        assert_eq!("auto".parse(), Ok(LearnedOption::Auto));
        assert_eq!("off".parse(), Ok(LearnedOption::Off));
        assert_eq!("0.25".parse(), Ok(LearnedOption::Always(0.25)));
        for bad in ["1.5", "-1", "NaN", "on", ""] {
            assert_eq!(bad.parse::<LearnedOption>(), Err(()), "{bad}");
        }
    }
}
