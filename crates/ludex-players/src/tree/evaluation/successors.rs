//! Playing from the successors of a new leaf in its place: what they are worth says what the leaf is worth, and
//! which of its moves look good before any was made.

use ludex_game::{Answer, Batch, Start, State};

use super::{Evaluations, Leaf, LeafEvaluation, Leaves, Playouts, RandomGames, terminal_values};

/// Where there are fewer playouts than this for each successor of a leaf, they are made from the leaf.
const THINNEST: usize = 2;
/// So they are where there are more successors than this. Small trees have many playouts for each leaf also in wide
/// games, but so they would not remain: nodes near the root would be evaluated in another way than those below.
pub(in crate::tree) const WIDEST: usize = 16;
/// What was played from a successor is blurred by so many playouts that bring what all successors bring.
const BLUR: f64 = 8.0;

/// Plays from all successors of a leaf where they are few, else from the leaf.
pub(in crate::tree) struct SuccessorPlayouts<'c> {
    games: RandomGames<'c>,
    /// Per leaf its first start, and whether it is played from its successors.
    begun: Vec<(usize, bool)>,
    /// Per successor of a leaf and role, 0 to 1.
    values: Vec<f64>,
}

impl<'c> SuccessorPlayouts<'c> {
    /// Plays such games.
    pub fn new(games: RandomGames<'c>) -> Self {
        Self { games, begun: Vec::new(), values: Vec::new() }
    }

    /// Starts playouts from those successors of a leaf that are no ends of the game, `playouts` in all or a few more.
    fn add_starts(&mut self, leaf: &Leaf<'_>, leaves: &Leaves<'_>, playouts: u32) {
        let begun = self.games.starts.len();
        let open = leaf.successors.clone().filter(|&look| !leaves.looked.terminal(look));
        let start = |look| Start { state: leaves.looked.to_state(look), playouts: 0 };
        self.games.starts.extend(open.map(start));
        let parts = (self.games.starts.len() - begun).max(1) as u32;
        self.games.starts[begun..].iter_mut().for_each(|start| start.playouts = playouts.div_ceil(parts));
    }

    /// A leaf is worth what its successors are worth on average; each of these seems to be worth what was played from
    /// it, moved towards that average, since a few playouts say little.
    fn read(&mut self, number: usize, leaves: &Leaves<'_>, found: &mut Evaluations) {
        let leaf = &leaves.leaves[number];
        let outcomes = &self.games.outcomes;
        let mut starts = self.begun[number].0..outcomes.tallies.len();
        let share = 1.0 / leaf.successors.len().max(1) as f64;
        self.values.clear();
        for look in leaf.successors.clone() {
            let begun = self.values.len();
            self.values.resize(begun + leaves.roles, 0.0);
            let values = &mut self.values[begun..];
            let mut count = 0.0;
            if leaves.looked.terminal(look) {
                terminal_values(leaves.looked.goals(look), leaves.objective, values);
                count = f64::INFINITY;
            } else if let Some(start) = starts.next() {
                leaves.objective.mean_values(outcomes, start, values);
                count = f64::from(outcomes.tallies[start].playouts());
            }
            // What is certain is not moved.
            found.priors[look] = if count.is_finite() { (count / (count + BLUR)) as f32 } else { 1.0 };
            let mean = found.values_mut(number);
            mean.iter_mut().zip(&*values).for_each(|(mean, value)| *mean += share * *value);
        }
        let mean = found.values(number)[leaf.chooser];
        for (look, values) in leaf.successors.clone().zip(self.values.chunks(leaves.roles)) {
            let trust = f64::from(found.priors[look]);
            found.priors[look] = (trust * values[leaf.chooser] + (1.0 - trust) * mean) as f32;
        }
    }
}

/// Whether so many playouts are enough for so many successors.
fn is_enough(playouts: u32, successors: usize) -> bool {
    (1..=WIDEST.min(playouts as usize / THINNEST)).contains(&successors)
}

impl LeafEvaluation for SuccessorPlayouts<'_> {
    fn evaluate(
        &mut self,
        leaves: &Leaves<'_>,
        playouts: &Playouts,
        batch: &mut dyn Batch,
        found: &mut Evaluations,
    ) -> Answer<()> {
        found.begin(leaves);
        let each = playouts.for_each_leaf(leaves.leaves.len());
        self.games.starts.clear();
        self.begun.clear();
        for leaf in &leaves.leaves {
            let is_spread = is_enough(each, leaf.successors.len());
            self.begun.push((self.games.starts.len(), is_spread));
            if is_spread {
                self.add_starts(leaf, leaves, each);
            } else {
                self.games.starts.push(Start { state: State::new(leaves.tag, leaf.words), playouts: each });
            }
        }
        self.games.play(playouts, batch, found)?;
        let ends = self.begun.iter().skip(1).map(|begun| begun.0).chain([self.games.starts.len()]);
        found.starts.extend(self.begun.iter().zip(ends).map(|(begun, end)| begun.0..end));
        for number in 0..leaves.leaves.len() {
            match self.begun[number] {
                (_, true) => self.read(number, leaves, found),
                (start, false) => {
                    leaves.objective.mean_values(&self.games.outcomes, start, found.values_mut(number));
                }
            }
        }
        Ok(())
    }
}
