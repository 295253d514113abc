//! Strategies that choose by chance.

use ludex_logic::Id;

use super::information_sets::{InformationSets, SequenceId, SetId};

/// With which probability a role makes which move, in each of its information sets.
#[derive(Clone, Debug, PartialEq)]
pub struct BehaviourStrategy {
    /// For each sequence of choices, the probability of its last move; 1 for the empty one.
    probabilities: Vec<f64>,
}

impl BehaviourStrategy {
    /// Each move with equal probability.
    pub fn uniform(sets: &InformationSets) -> Self {
        let mut strategy = Self { probabilities: vec![1.0; sets.sequence_count()] };
        for set in sets.ids() {
            let share = 1.0 / sets.moves(set).len() as f64;
            strategy.probabilities[sets.sequences(set)].fill(share);
        }
        strategy
    }

    /// The probabilities of the moves of an information set, in the order of [`InformationSets::moves`].
    ///
    /// # Panics
    /// On a set of another game.
    pub fn of(&self, sets: &InformationSets, set: SetId) -> &[f64] {
        &self.probabilities[sets.sequences(set)]
    }

    /// Sets the probabilities of the moves of an information set in proportion to these weights. Where no weight is
    /// positive, nothing changes; what is negative or no number counts as 0.
    ///
    /// # Panics
    /// On a set of another game, or where there are not as many weights as moves.
    pub fn set(&mut self, sets: &InformationSets, set: SetId, weights: &[f64]) {
        let probabilities = &mut self.probabilities[sets.sequences(set)];
        assert_eq!(probabilities.len(), weights.len(), "there is a weight for each move");
        let total: f64 = weights.iter().map(|weight| weight.max(0.0)).sum();
        if total > 0.0 && total.is_finite() {
            for (probability, weight) in probabilities.iter_mut().zip(weights) {
                *probability = weight.max(0.0) / total;
            }
        }
    }

    /// Says that a move of an information set is always made, by its place among the moves.
    ///
    /// # Panics
    /// On a set of another game, or where there is no such move.
    pub fn choose(&mut self, sets: &InformationSets, set: SetId, place: usize) {
        let probabilities = &mut self.probabilities[sets.sequences(set)];
        probabilities.fill(0.0);
        probabilities[place] = 1.0;
    }

    /// The realisation plan: for each sequence, the probability that the role makes all its choices where chance and
    /// the other role let it.
    ///
    /// # Panics
    /// If the sets are those of another game.
    pub fn plan(&self, sets: &InformationSets) -> Vec<f64> {
        let mut plan = self.probabilities.clone();
        plan[SequenceId::EMPTY.index()] = 1.0;
        for set in sets.ids() {
            let before = plan[sets.parent(set).index()];
            plan[sets.sequences(set)].iter_mut().for_each(|probability| *probability *= before);
        }
        plan
    }

    /// The strategy of a realisation plan, which may be any multiple of one; as here in sets that it does not reach.
    pub(super) fn with_plan(mut self, sets: &InformationSets, plan: &[f64]) -> Self {
        for set in sets.ids() {
            self.set(sets, set, &plan[sets.sequences(set)]);
        }
        self
    }
}
