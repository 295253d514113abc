//! A small network over facts: what each fact is worth by itself, and what a layer of hidden units finds in facts that
//! hold together.

use std::sync::Arc;

use ludex_game::Rng;
use smallvec::SmallVec;

use super::features::WORDS;
use super::trained::Row;
use super::tuples::{TupleSums, Tuples};

const HIDDEN: usize = Network::HIDDEN;
/// Numbers that are added at once; rows are as long as a multiple of this.
const BLOCK: usize = 8;
/// How large the first steps of learning are.
const STEP: f32 = 0.02;
/// The same of the weights of what stands on several cells together, for all tuples.
const TUPLE_STEP: f32 = 0.5;
/// How much the weights of tables count as changed that were read.
const KNOWN: f32 = 1.0;
/// What is added to the sums of squares, so that the first steps are not the largest.
const CALM: f32 = 0.1;
const CALM_HIDDEN: f32 = 0.01;
/// Weights begin within this of zero, so that no two hidden units are the same.
const FIRST_IN: f32 = 0.1;
const FIRST_OUT: f32 = 0.2;

/// What a state is worth to each role: the logistic function of a weighted sum of the facts that hold and of hidden
/// units, each of which is what a weighted sum of the facts is above zero.
///
/// States are words in which each bit is a fact, as those of machines that play in lanes, or a few that say how many moves
/// there are ([`super::features`]).
#[derive(Clone, Debug)]
pub(crate) struct Network {
    roles: usize,
    /// Whether two roles have 1 together, so that the weights for the first one are enough.
    is_shared: bool,
    /// The length of a row: the hidden units, then the roles that have weights of their own, then nothing.
    row: usize,
    /// Per fact, and once for what holds always, a row.
    weights: Vec<f32>,
    /// How much weights were changed already, the sum of the squares of the slopes: per row the mean of those of all
    /// hidden units, then that of each role.
    squares: Vec<f32>,
    /// Per role that has weights of its own, and hidden unit.
    outputs: Vec<f32>,
    output_squares: Vec<f32>,
    /// What stands on several cells together, with a weight for each entry of its tables, per role that has weights of
    /// its own; and how much these were changed already.
    tuples: Option<Arc<Tuples>>,
    tuple_weights: Vec<f32>,
    tuple_squares: Vec<f32>,
    /// The bits of states that tell whose turn it is, where it does not see facts but how many moves roles have.
    turn: Vec<u64>,
}

/// The sums of the rows of the facts that hold in a state, and of what stands on several cells together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums(Vec<f32>, TupleSums);

impl Network {
    /// The number of hidden units.
    pub const HIDDEN: usize = 32;

    /// One that knows nothing: each role is expected to get about one half. `is_shared` says that what two roles get
    /// is 1 together.
    pub fn new(roles: usize, words: usize, is_shared: bool, seed: u64) -> Self {
        let columns = if is_shared { 1 } else { roles };
        let row = HIDDEN + columns.next_multiple_of(BLOCK);
        let mut rng = Rng::from_seed(seed);
        let mut random = |most: f32| most * (2.0 * rng.fraction() as f32 - 1.0);
        let rows = 64 * words + 1;
        let calm = |at: usize| if at.is_multiple_of(1 + columns) { CALM_HIDDEN } else { CALM };
        let weight = |at: usize, random: &mut dyn FnMut(f32) -> f32| {
            if at % row < HIDDEN { random(FIRST_IN) } else { 0.0 }
        };
        Self {
            roles,
            is_shared,
            row,
            weights: (0..rows * row).map(|at| weight(at, &mut random)).collect(),
            squares: (0..rows * (1 + columns)).map(calm).collect(),
            outputs: (0..columns * HIDDEN).map(|_| random(FIRST_OUT)).collect(),
            output_squares: vec![CALM; columns * HIDDEN],
            tuples: None,
            tuple_weights: Vec::new(),
            tuple_squares: Vec::new(),
            turn: Vec::new(),
        }
    }

    /// One that sees how many moves each role has or would have if it was its turn, which these bits of states tell, and
    /// nothing else.
    pub fn of_moves(roles: usize, is_shared: bool, turn: &[u64], seed: u64) -> Self {
        Self { turn: turn.to_vec(), ..Self::new(roles, roles * WORDS, is_shared, seed) }
    }

    /// Whether it sees how many moves roles have, and nothing else.
    pub fn goes_by_moves(&self) -> bool {
        !self.turn.is_empty()
    }

    /// The bits of states that tell whose turn it is, where it sees how many moves roles have; else none.
    pub fn turn(&self) -> &[u64] {
        &self.turn
    }

    /// The number of roles.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// The same with tables of what stands on several cells together, all of whose weights are nothing yet.
    #[must_use]
    pub fn with_tuples(mut self, tuples: Option<Arc<Tuples>>) -> Self {
        let size = self.width() * tuples.as_ref().map_or(0, |tuples| tuples.size());
        (self.tuple_weights, self.tuple_squares) = (vec![0.0; size], vec![CALM; size]);
        Self { tuples, ..self }
    }

    /// The number of roles that have weights of their own.
    pub fn width(&self) -> usize {
        if self.is_shared { 1 } else { self.roles }
    }

    /// Whether two roles have 1 together.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// What several networks say on average, one at least, that began as one and learned from games of their own.
    pub fn mean(networks: &[&Self]) -> Self {
        let mut mean = networks[0].clone();
        let share = 1.0 / networks.len() as f32;
        for (part, others) in mean.parts_mut().into_iter().zip(0..) {
            for (at, number) in part.iter_mut().enumerate() {
                *number = networks.iter().map(|network| share * network.parts()[others][at]).sum();
            }
        }
        mean
    }

    /// What belongs to a fact, or to what holds always.
    pub(super) fn written_row(&self, fact: usize) -> Row {
        let width = self.width();
        Row {
            weights: self.row_of(fact)[..HIDDEN + width].to_vec(),
            squares: self.squares[fact * (1 + width)..][..1 + width].to_vec(),
        }
    }

    /// Takes what belongs to a fact, or to what holds always, from a network for the same roles in another order: where
    /// each role stands there. What is not written counts for nothing.
    pub(super) fn read_row(&mut self, fact: usize, written: &Row, roles: &[usize]) {
        let (width, sign) = (self.width(), self.sign(roles));
        let row = &mut self.weights[fact * self.row..][..self.row];
        let squares = &mut self.squares[fact * (1 + width)..][..1 + width];
        let number = |list: &[f32], at: usize| list.get(at).copied();
        for (at, weight) in row[..HIDDEN].iter_mut().enumerate() {
            *weight = number(&written.weights, at).unwrap_or(0.0);
        }
        squares[0] = number(&written.squares, 0).unwrap_or(squares[0]);
        for column in 0..width {
            let there = if self.is_shared { 0 } else { roles[column] };
            row[HIDDEN + column] = sign * number(&written.weights, HIDDEN + there).unwrap_or(0.0);
            squares[1 + column] = number(&written.squares, 1 + there).unwrap_or(squares[1 + column]);
        }
    }

    /// What the hidden units count, per role that has weights of its own, and how much that was changed already.
    pub(super) fn written_outputs(&self) -> (Vec<f32>, Vec<f32>) {
        (self.outputs.clone(), self.output_squares.clone())
    }

    /// Takes what hidden units count from a network for the same roles in another order.
    pub(super) fn read_outputs(&mut self, outputs: &[f32], squares: &[f32], roles: &[usize]) {
        let sign = self.sign(roles);
        for (column, &role) in roles.iter().enumerate().take(self.width()) {
            let there = if self.is_shared { 0 } else { role };
            for unit in 0..HIDDEN {
                self.outputs[column * HIDDEN + unit] = sign * outputs[there * HIDDEN + unit];
                self.output_squares[column * HIDDEN + unit] = squares[there * HIDDEN + unit];
            }
        }
    }

    /// What stands on several cells together.
    pub(super) fn tuples(&self) -> Option<&Tuples> {
        self.tuples.as_deref()
    }

    /// The weights of that, per role that has weights of its own.
    pub(super) fn tuple_weights(&self) -> &[f32] {
        &self.tuple_weights
    }

    /// Takes the weights of what stands on several cells together from a network for the same roles in another order:
    /// where they are, and what they are.
    pub(super) fn read_tuples(&mut self, places: &[u32], weights: &[f32], roles: &[usize]) {
        let Some(tuples) = &self.tuples else { return };
        let mut all = vec![0.0; self.tuple_weights.len()];
        places.iter().zip(weights).for_each(|(&place, &weight)| all[place as usize] = weight);
        for (column, &role) in roles.iter().enumerate().take(self.width()) {
            let there = if self.is_shared { 0 } else { role };
            let (here, there) = (tuples.of_column(column), tuples.of_column(there));
            let (sign, own) = (self.sign(roles), &mut self.tuple_weights[here]);
            own.iter_mut().zip(&all[there]).for_each(|(own, other)| *own = sign * other);
        }
        self.tuple_squares.fill(KNOWN);
    }

    /// What is for the first of two roles that share what there is, is against it where the other one is the first.
    fn sign(&self, roles: &[usize]) -> f32 {
        if self.is_shared && roles.first() == Some(&1) { -1.0 } else { 1.0 }
    }

    fn parts(&self) -> [&[f32]; 6] {
        let (tuples, tuple_squares) = (&self.tuple_weights, &self.tuple_squares);
        [&self.weights, &self.squares, &self.outputs, &self.output_squares, tuples, tuple_squares]
    }

    fn parts_mut(&mut self) -> [&mut [f32]; 6] {
        let (tuples, tuple_squares) = (&mut self.tuple_weights, &mut self.tuple_squares);
        [
            &mut self.weights,
            &mut self.squares,
            &mut self.outputs,
            &mut self.output_squares,
            tuples,
            tuple_squares,
        ]
    }

    fn row_of(&self, fact: usize) -> &[f32] {
        &self.weights[fact * self.row..][..self.row]
    }

    /// The number of the row that counts always.
    pub fn always(&self) -> usize {
        self.weights.len() / self.row - 1
    }

    /// Sums up a state.
    pub fn sum(&self, words: &[u64], sums: &mut Sums) {
        sums.0.clear();
        sums.0.extend_from_slice(self.row_of(self.always()));
        for fact in places(words) {
            add(&mut sums.0, self.row_of(fact));
        }
        if let Some(tuples) = &self.tuples {
            tuples.sum(words, &self.tuple_weights, self.width(), &mut sums.1);
        }
    }

    /// What a state is worth to a role, 0 to 1, from that of another state, from which it differs by a few facts.
    pub fn evaluate_near(
        &self,
        near: &Sums,
        before: &[u64],
        words: &[u64],
        role: usize,
        sums: &mut Sums,
    ) -> f32 {
        sums.0.clear();
        sums.0.extend_from_slice(&near.0);
        for (number, (&old, &new)) in before.iter().zip(words).enumerate() {
            let mut changed = old ^ new;
            while changed != 0 {
                let bit = changed.trailing_zeros() as usize;
                changed &= changed - 1;
                let row = self.row_of(64 * number + bit);
                if new >> bit & 1 == 1 { add(&mut sums.0, row) } else { subtract(&mut sums.0, row) }
            }
        }
        let column = self.column(role);
        let more = match &self.tuples {
            Some(tuples) => {
                tuples.total_near(&near.1, (before, words), &self.tuple_weights, column, &mut sums.1)
            }
            None => 0.0,
        };
        self.for_role(role, logistic(self.logit(sums, column) + more))
    }

    /// What a state that was summed up is worth to a role, 0 to 1.
    pub fn value(&self, sums: &Sums, role: usize) -> f32 {
        self.for_role(role, self.column_value(sums, self.column(role)))
    }

    fn column(&self, role: usize) -> usize {
        if self.is_shared { 0 } else { role }
    }

    fn for_role(&self, role: usize, value: f32) -> f32 {
        if self.is_shared && role == 1 { 1.0 - value } else { value }
    }

    fn column_value(&self, sums: &Sums, column: usize) -> f32 {
        let more = self.tuples.as_ref().map_or(0.0, |tuples| tuples.total(&sums.1, column));
        logistic(self.logit(sums, column) + more)
    }

    fn logit(&self, sums: &Sums, column: usize) -> f32 {
        let outputs = &self.outputs[column * HIDDEN..][..HIDDEN];
        let mut parts = [0.0; BLOCK];
        for (sums, outputs) in sums.0[..HIDDEN].chunks_exact(BLOCK).zip(outputs.chunks_exact(BLOCK)) {
            for at in 0..BLOCK {
                parts[at] += sums[at].max(0.0) * outputs[at];
            }
        }
        sums.0[HIDDEN + column] + parts.iter().sum::<f32>()
    }

    /// Draws what is said of a state towards what it turned out to be worth to each role, 0 to 1: a step along the
    /// slope of the logarithmic loss, with a size of its own for each weight past the hidden units and from them, and
    /// for each row of weights into them (AdaGrad: Duchi, Hazan and Singer, 2011).
    pub fn learn(&mut self, words: &[u64], targets: &[f32], sums: &mut Sums) {
        self.sum(words, sums);
        let (width, mut slopes) = (self.width(), [0.0; HIDDEN]);
        let mut errors: SmallVec<[f32; 4]> = SmallVec::new();
        for (column, target) in targets[..width].iter().enumerate() {
            let error = target - self.column_value(sums, column);
            let outputs = &mut self.outputs[column * HIDDEN..][..HIDDEN];
            let squares = &mut self.output_squares[column * HIDDEN..][..HIDDEN];
            for unit in 0..HIDDEN {
                let sum = sums.0[unit].max(0.0);
                slopes[unit] += if sum > 0.0 { error * outputs[unit] } else { 0.0 };
                let slope = error * sum;
                squares[unit] += slope * slope;
                outputs[unit] += STEP * slope / squares[unit].sqrt();
            }
            errors.push(error);
        }
        if let Some(tuples) = &self.tuples {
            let step = TUPLE_STEP / tuples.len() as f32;
            for (column, error) in errors.iter().enumerate() {
                for at in tuples.weights_of(&sums.1, column) {
                    self.tuple_squares[at] += error * error;
                    self.tuple_weights[at] += step * error / self.tuple_squares[at].sqrt();
                }
            }
        }
        let square = slopes.iter().map(|slope| slope * slope).sum::<f32>() / HIDDEN as f32;
        let always = self.always();
        for fact in places(words).chain([always]) {
            let weights = &mut self.weights[fact * self.row..][..self.row];
            let squares = &mut self.squares[fact * (1 + width)..][..1 + width];
            squares[0] += square;
            let size = STEP / squares[0].sqrt();
            weights[..HIDDEN].iter_mut().zip(&slopes).for_each(|(weight, slope)| *weight += size * slope);
            for ((weight, square), error) in weights[HIDDEN..].iter_mut().zip(&mut squares[1..]).zip(&errors)
            {
                *square += error * error;
                *weight += STEP * error / square.sqrt();
            }
        }
    }
}

fn add(sums: &mut [f32], row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
}

fn subtract(sums: &mut [f32], row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum -= weight);
}

fn logistic(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}

/// The numbers of the bits that are set.
pub(super) fn places(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(number, &word)| {
        std::iter::successors((word != 0).then_some(word), |&rest| {
            let rest = rest & (rest - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |rest| 64 * number + rest.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_set_bits_are_found() {
        assert_eq!(places(&[]).count(), 0);
        assert_eq!(places(&[0, 0]).count(), 0);
        let words = [0b1001, 0, u64::MAX];
        let expected: Vec<usize> = [0, 3].into_iter().chain(128..192).collect();
        assert_eq!(places(&words).collect::<Vec<_>>(), expected);
    }

    /// Lets a network see states of eight facts, and gives the largest error that is left.
    fn largest_error(worth: impl Fn(u64) -> f32) -> f32 {
        let (mut network, mut sums) = (Network::new(2, 1, true, 7), Sums::default());
        for round in 0..20_000u64 {
            let word = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
            network.learn(&[word], &[worth(word)], &mut sums);
        }
        let error = |word: u64| {
            network.sum(&[word], &mut sums);
            let said = network.value(&sums, 0);
            assert!((network.value(&sums, 1) - (1.0 - said)).abs() < 1e-6);
            (said - worth(word)).abs()
        };
        (0..256).map(error).fold(0.0, f32::max)
    }

    #[test]
    fn a_fact_that_decides_is_found_among_others() {
        // Bit 2 wins, bit 5 loses, the others say nothing.
        let error = largest_error(|word| match (word >> 2 & 1, word >> 5 & 1) {
            (1, 0) => 1.0,
            (0, 1) => 0.0,
            _ => 0.5,
        });
        assert!(error < 0.15, "{error}");
    }

    #[test]
    fn facts_that_count_together_are_found() {
        // Each of the two says nothing alone: no sum over facts tells it.
        let error = largest_error(|word| if (word >> 1 ^ word >> 6) & 1 == 1 { 1.0 } else { 0.0 });
        assert!(error < 0.15, "{error}");
    }

    #[test]
    fn roles_that_share_nothing_have_weights_of_their_own() {
        let (mut network, mut sums) = (Network::new(3, 1, false, 1), Sums::default());
        for _ in 0..1000 {
            network.learn(&[1], &[0.9, 0.9, 0.1], &mut sums);
        }
        network.sum(&[1], &mut sums);
        let values: Vec<f32> = (0..3).map(|role| network.value(&sums, role)).collect();
        assert!(values[0] > 0.8 && values[1] > 0.8 && values[2] < 0.2, "{values:?}");
    }

    #[test]
    fn what_differs_by_a_few_facts_is_evaluated_as_from_the_start() {
        let mut network = Network::new(2, 2, true, 3);
        let (mut near, mut sums) = (Sums::default(), Sums::default());
        let (before, after) = ([0b1011, 1 << 40], [0b0110, 1 << 40 | 1]);
        (0..100).for_each(|_| network.learn(&before, &[1.0], &mut sums));
        network.sum(&before, &mut near);
        for role in 0..2 {
            let by_difference = network.evaluate_near(&near, &before, &after, role, &mut sums);
            network.sum(&after, &mut sums);
            assert!((by_difference - network.value(&sums, role)).abs() < 1e-5);
        }
    }
}
