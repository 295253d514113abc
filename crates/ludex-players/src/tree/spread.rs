//! Playing from the successors of a new leaf in its place: what they are worth says what the leaf is worth, and
//! which of its moves look good before any was made.

use std::ops::Range;

use ludex_game::{Expansion, Start, Tally};

use super::aim::Aim;
use super::descent::Tree;
use super::graph::{NodeId, SEVERAL};
use super::wave::{mean_values, terminal_values};

/// Where there are fewer playouts than this for each successor of a leaf, they are made from the leaf.
const THINNEST: usize = 2;
/// So they are where there are more successors than this. Small trees have many playouts for each leaf also in wide
/// games, but so they would not remain: nodes near the root would be judged in another way than those below.
pub(super) const WIDEST: usize = 16;
/// What was played from a successor is blurred by so many playouts that bring what all successors bring.
const BLUR: f64 = 8.0;

/// Whether so many playouts are enough for so many successors.
pub(super) fn is_enough(playouts: u32, successors: usize) -> bool {
    (1..=WIDEST.min(playouts as usize / THINNEST)).contains(&successors)
}

/// Starts playouts from those of the looks that are no ends of the game, `playouts` in all or a little more.
pub(super) fn add_starts(looks: Range<usize>, looked: &Expansion, playouts: u32, starts: &mut Vec<Start>) {
    let begun = starts.len();
    let open = looks.filter(|&look| !looked.terminal(look));
    starts.extend(open.map(|look| Start { state: looked.to_state(look), playouts: 0 }));
    let parts = (starts.len() - begun).max(1) as u32;
    starts[begun..].iter_mut().for_each(|start| start.playouts = playouts.div_ceil(parts));
}

/// What the successors of a leaf are worth.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Per successor and role, 0 to 1.
    values: Vec<f64>,
    /// Per successor how many playouts say so; infinitely many at an end of the game.
    counts: Vec<f64>,
}

impl Parts {
    /// Takes over what was found of the successors, and gives their mean in `mean`. The tallies are those of the
    /// starts from [`add_starts`].
    pub fn read(
        &mut self,
        looks: Range<usize>,
        looked: &Expansion,
        tallies: &[Tally],
        aim: Aim,
        mean: &mut [f64],
    ) {
        let share = 1.0 / looks.len().max(1) as f64;
        let mut tallies = tallies.iter();
        self.values.clear();
        self.counts.clear();
        mean.fill(0.0);
        for look in looks {
            let begun = self.values.len();
            self.values.resize(begun + mean.len(), 0.0);
            let part = &mut self.values[begun..];
            if looked.terminal(look) {
                terminal_values(&aim.goals(looked.goals(look)), part);
                self.counts.push(f64::INFINITY);
            } else {
                let tally = tallies.next();
                if let Some(tally) = tally {
                    mean_values(tally, part);
                    aim.means(part);
                }
                self.counts.push(tally.map_or(0.0, |tally| f64::from(tally.playouts())));
            }
            mean.iter_mut().zip(part).for_each(|(mean, part)| *mean += share * *part);
        }
    }

    /// Notes in a new node what its moves promise; `choices` are the places of the moves that lead to the
    /// successors, and `mean` is what those are worth on average.
    pub fn note(&mut self, tree: &mut Tree, node: NodeId, choices: impl Iterator<Item = u32>, mean: &[f64]) {
        let mover = tree.graph.node(node).mover;
        if mover == SEVERAL {
            return;
        }
        self.blur(mean);
        let (mover, roles) = (mover as usize, mean.len());
        for (part, choice) in self.values.chunks(roles).zip(choices) {
            tree.graph.arms_mut(node, mover)[choice as usize].first = part[mover] as f32;
        }
    }

    /// A few playouts say little: moves what they brought towards the mean.
    fn blur(&mut self, mean: &[f64]) {
        for (part, &count) in self.values.chunks_mut(mean.len()).zip(&self.counts) {
            if count.is_finite() {
                let blurred = |value: f64, mean: f64| (value * count + BLUR * mean) / (count + BLUR);
                part.iter_mut().zip(mean).for_each(|(value, &mean)| *value = blurred(*value, mean));
            }
        }
    }
}
