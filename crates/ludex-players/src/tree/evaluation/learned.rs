//! What was learned from games with itself, beside playouts: it says of all successors of a leaf at once which of them
//! look good.

use std::collections::VecDeque;
use std::str::FromStr;
use std::sync::Arc;

use ludex_game::{Answer, Batch, BatchOptions, RoleId};
use rustc_hash::FxHashSet;

use super::held_out::held_out;
use super::successors::WIDEST;
use super::{Evaluations, Leaf, LeafEvaluation, Leaves, Playouts, terminal_values};
use crate::learned_evaluation::{
    Fitted, Learned, Network, Sums, Told, TrainedEvaluation, Training, TrainingGame, learn,
};
use crate::strategy::{Arena, Turn};
use crate::tree::descent::Tree;
use crate::tree::graph::{NONE, SEVERAL};
use crate::tree::look_ahead::WIDEST_LEAF;
use crate::tree::objective::Objective;

/// Whether what was learned from games with itself counts beside playouts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LearnedOption {
    /// Where it tells enough of what comes of games; it counts by how much it tells.
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
/// What was learned is not worth its time where its correlation with results is less than this: in amazons (0.13), quarto
/// (0.19) and hex (0.18 to 0.32) a search is no better with it, or worse.
const LEAST_TOLD: f64 = 0.25;
/// In games of few moves, where playouts are made from all successors of a leaf, its part in the mixture with playouts that
/// tells most is to be so large...
const LEAST_SHARE: f64 = 0.35;
/// ... and in games of many moves, where nothing else says which of them look good, its correlation so large a part of that
/// of playouts.
const LEAST_OF_PLAYED: f64 = 0.8;
/// It counts so much at least in games of many moves: there are fewer playouts from a leaf than it is compared with.
const LEAST_SHARE_OF_MANY_MOVES: f64 = 0.5;
/// Playouts keep so much at least: they see what a sum over facts cannot. Not where states have so many moves that few of
/// them can be tried: to look at all that can follow once costs no more than a few playouts, and says more
/// (`benches/results/learned-evaluation.md`).
const MOST_SHARE: f64 = 0.8;
/// Beside playouts from all successors of a leaf, what was learned says which moves look good where its correlation with
/// results is so high. Moves differ by less than states do: in connect four (0.34) and quarto (0.17) a search is better
/// without, in pentago (0.34) and hex (0.22) no better, in reversi (0.64), pawn whopping (0.59) and checkers (0.77)
/// better with it (`benches/results/learned-evaluation.md`).
const TELLS_MOVES: f64 = 0.45;
/// What nothing is known of.
const UNKNOWN: f32 = 0.5;
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
    told: Told,
    shares: Shares,
}

/// What came of learning.
#[derive(Debug, Default)]
pub(in crate::tree) enum Learning {
    /// Nothing was learned: it was not tried, or there was too little time, or it cannot be.
    #[default]
    Nothing,
    /// What was learned tells too little of what comes of games, so that a search is no better with it.
    Useless,
    /// What was learned counts.
    Useful(Box<LearnedEvaluation>),
}

impl Learning {
    /// What was learned, where it counts.
    pub fn new(option: LearnedOption, network: Network, games: u64, told: &Told) -> Self {
        match Shares::new(option, told) {
            Some(shares) => Self::Useful(Box::new(LearnedEvaluation { network, games, told: *told, shares })),
            None => Self::Useless,
        }
    }

    /// What counts, if anything does.
    pub fn useful(&self) -> Option<&LearnedEvaluation> {
        if let Self::Useful(learned) = self { Some(learned.as_ref()) } else { None }
    }
}

/// How much what was learned counts beside playouts, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shares {
    /// In what a leaf is worth.
    of_values: f64,
    /// In which of its moves look good, where there are playouts from all of its successors.
    of_moves: f64,
}

impl Shares {
    /// As it was asked for, or as it told what came of games; `None` where a search is no better with it.
    fn new(option: LearnedOption, told: &Told) -> Option<Self> {
        if let LearnedOption::Always(share) = option {
            return Some(Self { of_values: share, of_moves: share });
        }
        let has_many_moves = told.moves > WIDEST as f64;
        let is_worth_it = match has_many_moves {
            true => told.said >= LEAST_OF_PLAYED * told.played,
            false => told.share >= LEAST_SHARE,
        };
        let least = if has_many_moves { LEAST_SHARE_OF_MANY_MOVES } else { 0.0 };
        let share = match told.moves > WIDEST_LEAF as f64 {
            true => 1.0,
            false => told.share.clamp(least, MOST_SHARE),
        };
        let of_moves = if told.said >= TELLS_MOVES { share } else { 0.0 };
        (is_worth_it && told.said >= LEAST_TOLD).then_some(Self { of_values: share, of_moves })
    }
}

impl LearnedEvaluation {
    /// Learns for the time of a turn, on from what is known where something is. Playouts end after `horizon` steps.
    ///
    /// # Errors
    /// What the batch answers, other than limits.
    pub fn learn(
        option: LearnedOption,
        turn: &Turn<'_>,
        game: &TrainingGame<'_>,
        (objective, horizon): (Objective, u32),
        from: Option<Fitted>,
    ) -> Answer<Learning> {
        let before = from.as_ref().map_or(0, |known| known.games);
        let machine = &*turn.arena.machine;
        let budget = turn.budget.clone().with_share_of_time(LEARNING_SHARE);
        let mut batch = machine.batch(&BatchOptions { budget: budget.clone(), records: false });
        if batch.width() == 1 {
            return Ok(Learning::Nothing);
        }
        let Some(learned) = learn(game, from.map(|known| known.network), &mut *batch, &budget)? else {
            return Ok(Learning::Nothing);
        };
        let Learned { mut networks, games, moves, examples } = learned;
        let games = games.saturating_add(before);
        let Some(network) = networks.pop() else { return Ok(Learning::Nothing) };
        let told = match option {
            LearnedOption::Always(_) => Told::default(),
            _ => {
                let records = objective.needs_records();
                let mut batch = machine.batch(&BatchOptions { budget: turn.budget.clone(), records });
                match held_out(examples.iter(), turn, &mut *batch, objective, horizon)? {
                    Some(held_out) => held_out.among(moves),
                    None => return Ok(Learning::Nothing),
                }
            }
        };
        Ok(Learning::new(option, network, games, &told))
    }

    /// What was learned beforehand, where it is of the game that a turn is in.
    pub fn trained(
        option: LearnedOption,
        trained: &[Arc<TrainedEvaluation>],
        turn: &Turn<'_>,
        objective: Objective,
    ) -> Option<Fitted> {
        let program = turn.arena.program.as_ref()?;
        if option == LearnedOption::Off {
            return None;
        }
        let fit = |trained: &Arc<TrainedEvaluation>| {
            trained.fit(program, &*turn.arena.machine, &objective.name(), turn.budget)
        };
        trained.iter().find_map(fit)
    }

    /// The same as a file for later matches, for a player of this game.
    pub fn kept(&self, arena: &Arena, objective: Objective) -> Option<TrainedEvaluation> {
        let (program, name) = (arena.program.as_ref()?, objective.name());
        let training = Training { objective: &name, games: self.games, told: self.told };
        Some(TrainedEvaluation::new(program, &*arena.machine, &self.network, training))
    }

    /// Whether what counts is how many moves roles have, and nothing else.
    pub fn goes_by_moves(&self) -> bool {
        self.network.goes_by_moves()
    }

    /// The bits that tell whose turn it is, where what counts is how many moves roles have; else none.
    pub fn turn_bits(&self) -> &[u64] {
        self.network.turn()
    }

    /// Learns from a search: in states that were visited often, what came of the visits says more than playouts from
    /// there (TreeStrap: Veness, Silver, Uther and Blair, 2009).
    pub fn learn_from(&mut self, tree: &Tree) {
        if self.network.goes_by_moves() {
            // They are not counted in nodes, and what little there is to know of them is known.
            return;
        }
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

/// Mixes what was learned into what another evaluation says of leaves, and of their moves; where that says nothing of moves,
/// it says by itself which of them look good.
pub(in crate::tree) struct LearnedLeaves<'l, E> {
    inner: E,
    learned: &'l LearnedEvaluation,
    /// Of the leaf, and of one of its successors; kept for their memory.
    near: Sums,
    sums: Sums,
    /// What is seen of them.
    features: Vec<u64>,
}

impl<'l, E> LearnedLeaves<'l, E> {
    /// Beside another evaluation.
    pub fn beside(inner: E, learned: &'l LearnedEvaluation) -> Self {
        Self { inner, learned, near: Sums::default(), sums: Sums::default(), features: Vec::new() }
    }

    /// Notes what the successors of a leaf, of which so much is seen, promise the role that chooses among them, and gives
    /// the best of that.
    fn note_priors(
        &mut self,
        (leaf, seen): (&Leaf<'_>, &[u64]),
        leaves: &Leaves<'_>,
        found: &mut Evaluations,
    ) -> Option<f32> {
        let network = &self.learned.network;
        let mut ends = vec![0.0; leaves.roles];
        let mut best = None;
        for look in leaf.successors.clone() {
            let prior = if leaves.looked.terminal(look) {
                terminal_values(leaves.looked.goals(look), leaves.objective, &mut ends);
                ends[leaf.chooser] as f32
            } else {
                let count = |role| leaves.looked.move_count(look, RoleId(role as u32));
                let after = network.see(leaves.looked.state(look), count, &mut self.features);
                network.evaluate_near(&self.near, seen, after, leaf.chooser, &mut self.sums)
            };
            let played = found.priors[look];
            let share = self.learned.shares.of_moves as f32;
            found.priors[look] = if played.is_nan() { prior } else { played + share * (prior - played) };
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
        let LearnedEvaluation { network, shares, .. } = self.learned;
        let share = shares.of_values;
        if share < 1.0 {
            self.inner.evaluate(leaves, playouts, batch, found)?;
        } else {
            // What would count for nothing is not played; each leaf counts as if it had been, where work is counted.
            found.begin(leaves);
            found.playouts = leaves.leaves.len() as u64;
        }
        let mut seen = Vec::new();
        for (number, leaf) in leaves.leaves.iter().enumerate() {
            let count =
                |role| leaf.number.map_or(0, |number| leaves.states.move_count(number, RoleId(role as u32)));
            let seen = network.see(leaf.words, count, &mut seen);
            network.sum(seen, &mut self.near);
            // What the best successor promises is a better judgement than what is said of the leaf itself.
            let best = self.note_priors((leaf, seen), leaves, found).filter(|_| network.is_shared());
            let is_uncounted = network.goes_by_moves() && leaf.number.is_none();
            for (role, value) in found.values_mut(number).iter_mut().enumerate() {
                let said = match best {
                    Some(best) if role == leaf.chooser => best,
                    Some(best) => 1.0 - best,
                    // Nobody counted its moves; without playouts, too, nothing is known of it.
                    None if is_uncounted && share < 1.0 => continue,
                    None if is_uncounted => UNKNOWN,
                    None => network.value(&self.near, role),
                };
                *value += share * (f64::from(said) - *value);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_enough_counts_by_how_much_it_tells() {
        let shares = |moves: f64, said: f64, played: f64, share: f64| {
            let told = Told { said, played, share, moves };
            Shares::new(LearnedOption::Auto, &told).map(|shares| (shares.of_values, shares.of_moves))
        };
        let (few, many) = (9.0, 30.0);
        assert_eq!(shares(few, 0.6, 0.6, 0.4), Some((0.4, 0.4)));
        assert_eq!(shares(few, 0.35, 0.6, 0.4), Some((0.4, 0.0)), "it does not tell moves apart");
        assert_eq!(shares(few, 0.6, 0.6, 0.3), None, "its part is too small");
        assert_eq!(shares(few, 0.2, 0.1, 0.9), None, "it tells too little");
        assert_eq!(shares(many, 0.4, 0.5, 0.2), Some((0.5, 0.0)));
        assert_eq!(shares(many, 0.4, 0.6, 0.7), None, "random games tell more");
        assert_eq!(shares(many, 0.5, 0.2, 0.95), Some((0.8, 0.8)), "playouts keep a part");
        assert_eq!(shares(900.0, 0.5, 0.55, 0.1), Some((1.0, 1.0)), "of so many moves few can be tried");
        let asked = Shares::new(LearnedOption::Always(1.0), &Told::default()).unwrap();
        assert_eq!((asked.of_values, asked.of_moves), (1.0, 1.0));
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
