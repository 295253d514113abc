//! What follows from the states that are possible: facts, moves and ends that are certain, and how likely others are.

use ludex_logic::{Budget, TermId};
use rustc_hash::FxHashMap;

use super::{Belief, BeliefError, batch_for};
use crate::batch::Expansion;

/// How likely something is, by the states that are held possible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likelihood {
    /// The sum of the weights of the states in which it is so.
    pub weight: f64,
    /// In how many of the states it is so.
    pub states: usize,
    /// Whether it is so in all of them. Where these are not all that are possible ([`Belief::is_exact`]), this is no
    /// proof; [`Belief::certain`] says what is proved.
    pub in_all: bool,
}

/// Something that holds, or may be done, in some of the states that are held possible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likely {
    /// The fact, or the move.
    pub term: TermId,
    /// How likely it is.
    pub likelihood: Likelihood,
}

impl Belief {
    /// All facts that hold in some of the states, with how likely they are, in canonical order: in all of them, what
    /// the role knows.
    ///
    /// # Errors
    /// As [`Belief::update`].
    pub fn facts(&mut self, budget: &Budget) -> Result<Vec<Likely>, BeliefError> {
        self.update(budget)?;
        let mut meter = budget.meter();
        let mut count: FxHashMap<TermId, (f64, usize)> = FxHashMap::default();
        let mut facts = Vec::new();
        for (state, &weight) in self.possible.states().iter().zip(self.possible.weights()) {
            meter.check()?;
            self.machine.facts(state, &mut facts);
            for &fact in &facts {
                let (sum, states) = count.entry(fact).or_default();
                *sum += weight;
                *states += 1;
            }
        }
        Ok(self.in_order(count))
    }

    /// All moves of the role that are legal in some of the states, with how likely that is, in canonical order.
    ///
    /// # Errors
    /// As [`Belief::update`].
    pub fn moves(&mut self, budget: &Budget) -> Result<Vec<Likely>, BeliefError> {
        let looked = self.update_and_look(budget)?;
        let mut count: FxHashMap<TermId, (f64, usize)> = FxHashMap::default();
        let mut runner = self.machine.runner(budget);
        for (number, &weight) in self.possible.weights().iter().enumerate() {
            let legal = if looked.terminal(number) {
                // A match may be gone on with after its end.
                runner.set(&self.possible.states()[number])?;
                runner.legal(self.role)?
            } else {
                looked.legal(number, self.role)
            };
            for &action in legal {
                let (sum, states) = count.entry(self.machine.signature().action(action)).or_default();
                *sum += weight;
                *states += 1;
            }
        }
        Ok(self.in_order(count))
    }

    /// How likely it is that the game is over. Terminal states are left out as long as there are others, since the
    /// role would have been told of the end: it is all or nothing.
    ///
    /// # Errors
    /// As [`Belief::update`].
    pub fn is_over(&mut self, budget: &Budget) -> Result<Likelihood, BeliefError> {
        let looked = self.update_and_look(budget)?;
        let ended = (0..looked.len()).filter(|&number| looked.terminal(number));
        let (weight, states) =
            ended.fold((0.0, 0), |(sum, states), number| (sum + self.possible.weights()[number], states + 1));
        Ok(Likelihood { weight, states, in_all: states == self.possible.len() })
    }

    /// The moves that are legal in all states held possible, in canonical order.
    ///
    /// # Errors
    /// As [`Belief::update`].
    pub fn legal_in_all(&mut self, budget: &Budget) -> Result<Vec<TermId>, BeliefError> {
        let moves = self.moves(budget)?.into_iter();
        Ok(moves.filter(|found| found.likelihood.in_all).map(|found| found.term).collect())
    }

    /// The moves that are as likely to be legal as any other, in canonical order.
    ///
    /// # Errors
    /// As [`Belief::update`].
    pub fn likeliest_legal(&mut self, budget: &Budget) -> Result<Vec<TermId>, BeliefError> {
        let moves = self.moves(budget)?;
        let most = moves.iter().map(|found| found.likelihood.weight).fold(0.0, f64::max);
        // Sums of the same weights in another order may differ in their last digits.
        let likeliest = moves.into_iter().filter(|found| found.likelihood.weight >= most - 1e-9);
        Ok(likeliest.map(|found| found.term).collect())
    }

    /// The facts that hold in all states held possible, in canonical order: what the role knows.
    ///
    /// # Errors
    /// As [`Belief::update`].
    pub fn known_facts(&mut self, budget: &Budget) -> Result<Vec<TermId>, BeliefError> {
        let facts = self.facts(budget)?.into_iter();
        Ok(facts.filter(|found| found.likelihood.in_all).map(|found| found.term).collect())
    }

    fn update_and_look(&mut self, budget: &Budget) -> Result<Expansion, BeliefError> {
        self.update(budget)?;
        self.look(&mut *batch_for(&*self.machine, self.is_hidden(), budget))
    }

    fn in_order(&self, count: FxHashMap<TermId, (f64, usize)>) -> Vec<Likely> {
        let all = self.possible.len();
        let likely = |(term, (weight, states)): (TermId, (f64, usize))| Likely {
            term,
            likelihood: Likelihood { weight, states, in_all: states == all },
        };
        let mut found: Vec<Likely> = count.into_iter().map(likely).collect();
        let terms = self.machine.signature().terms();
        found.sort_by(|a, b| terms.compare(a.term, b.term));
        found
    }
}
