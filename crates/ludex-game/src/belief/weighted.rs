//! States with how likely they are.

use super::told::ToldByRole;
use crate::rng::Rng;
use crate::state::{MachineTag, State};
use crate::state_table::{StateNumber, StateTable};

/// Distinct states in the order in which they came, each with a weight; the weights of equal states add up. States in
/// which roles were told different things are not equal, where it is noted what they were told.
#[derive(Clone, Debug, Default)]
pub(super) struct WeightedStates {
    states: Vec<State>,
    told: Vec<ToldByRole>,
    weights: Vec<f64>,
    /// The first of the states, to find them by their words and what roles were told; the others are entered when the
    /// next one is added. Most of these sets are only read once they are made.
    places: StateTable<()>,
    /// The words of a state and what roles were told: kept for its memory only.
    key: Vec<u64>,
}

impl WeightedStates {
    /// One state, for certain.
    pub fn only(state: State, told: ToldByRole) -> Self {
        let mut one = Self::default();
        one.push(state, told, 1.0);
        one
    }

    /// The states.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// What each role was told in each of them.
    pub fn told(&self) -> &[ToldByRole] {
        &self.told
    }

    /// The weight of each of them.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Adds a state of the machine with this tag, or weight to one that is there. Whether it is new.
    pub fn add(&mut self, tag: MachineTag, words: &[u64], told: &ToldByRole, weight: f64) -> bool {
        for place in self.places.len()..self.states.len() {
            enter((&mut self.places, &mut self.key), self.states[place].words(), &self.told[place]);
        }
        match enter((&mut self.places, &mut self.key), words, told) {
            Some((_, true)) => {
                self.push(State::new(tag, words), told.clone(), weight);
                true
            }
            Some((place, false)) => {
                self.weights[place as usize] += weight;
                false
            }
            // There are no numbers left: four thousand million words of states.
            None => false,
        }
    }

    /// Adds a state that is none of those there.
    fn push(&mut self, state: State, told: ToldByRole, weight: f64) {
        self.states.push(state);
        self.told.push(told);
        self.weights.push(weight);
    }

    /// Makes the weights sum to 1. Where all are so small that they vanish, each counts the same.
    pub fn normalise(&mut self) {
        let total: f64 = self.weights.iter().sum();
        let even = 1.0 / self.len().max(1) as f64;
        let is_usable = total.is_normal();
        for weight in &mut self.weights {
            *weight = if is_usable { *weight / total } else { even };
        }
    }

    /// Splits into the states for which it holds and the others. Weights stay as they are.
    pub fn partition(self, holds: impl Fn(usize) -> bool) -> (Self, Self) {
        let (mut yes, mut no) = (Self::default(), Self::default());
        let all = self.states.into_iter().zip(self.told).zip(self.weights);
        for (place, ((state, told), weight)) in all.enumerate() {
            let part = if holds(place) { &mut yes } else { &mut no };
            part.push(state, told, weight);
        }
        (yes, no)
    }

    /// How often each state is drawn among so many, in proportion to the weights, which sum to 1: systematic
    /// resampling (Kitagawa 1996), which draws each as often as it should be, give or take one.
    pub fn draw(&self, draws: usize, rng: &mut Rng) -> Vec<u32> {
        let mut next = rng.fraction();
        let mut sum = 0.0;
        let count = |weight: &f64| {
            sum += weight * draws as f64;
            let before = next;
            // Rounding may leave the sum of all a little short of the last mark, which then is not drawn.
            while next < sum {
                next += 1.0;
            }
            (next - before).round() as u32
        };
        self.weights.iter().map(count).collect()
    }

    /// So many draws in place of the states: fewer distinct ones, each with its share of the draws.
    pub fn resampled(&self, draws: usize, rng: &mut Rng) -> Self {
        let mut kept = Self::default();
        for ((state, told), count) in self.states.iter().zip(&self.told).zip(self.draw(draws, rng)) {
            if count > 0 {
                kept.push(state.clone(), told.clone(), f64::from(count));
            }
        }
        kept.normalise();
        kept
    }
}

/// The place of a state, and whether it is a new one; none where there are no numbers left. The key is made anew.
fn enter(
    (places, key): (&mut StateTable<()>, &mut Vec<u64>),
    words: &[u64],
    told: &ToldByRole,
) -> Option<(StateNumber, bool)> {
    key.clear();
    key.extend_from_slice(words);
    key.extend(told.iter().map(|told| told.bits()));
    places.insert(key, ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(number: u64) -> State {
        State::new(Default::default(), &[number])
    }

    fn add(some: &mut WeightedStates, number: u64, weight: f64) -> bool {
        some.add(MachineTag::default(), &[number], &ToldByRole::new(), weight)
    }

    #[test]
    fn equal_states_are_one() {
        let mut some = WeightedStates::default();
        assert!(add(&mut some, 1, 1.0) && add(&mut some, 2, 2.0) && !add(&mut some, 1, 1.0));
        some.normalise();
        assert_eq!(some.weights(), [0.5, 0.5]);
        let (one, other) = some.partition(|place| place == 1);
        assert_eq!((one.states(), other.states()), (&[state(2)][..], &[state(1)][..]));
    }

    #[test]
    fn draws_are_in_proportion() {
        let mut rng = Rng::from_seed(5);
        let mut some = WeightedStates::default();
        for number in 0..7 {
            add(&mut some, number, (number + 1) as f64);
        }
        some.normalise();
        let mut sums = [0.0; 7];
        for _ in 0..2_000 {
            let counts = some.draw(10, &mut rng);
            for ((sum, &count), weight) in sums.iter_mut().zip(&counts).zip(some.weights()) {
                assert!((f64::from(count) - 10.0 * weight).abs() < 1.0 + 1e-9);
                *sum += f64::from(count);
            }
        }
        for (sum, weight) in sums.iter().zip(some.weights()) {
            assert!((sum / 20_000.0 - weight).abs() < 0.01, "{sum} {weight}");
        }
        let few = some.resampled(3, &mut rng);
        assert!(few.len() <= 3 && (few.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn weights_that_vanish_are_even() {
        let mut some = WeightedStates::default();
        add(&mut some, 1, 0.0);
        add(&mut some, 2, 0.0);
        some.normalise();
        assert_eq!(some.weights(), [0.5, 0.5]);
    }
}
