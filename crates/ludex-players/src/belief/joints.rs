//! Joint moves of a state by number, and numbers in a random order.

use ludex_game::{ActionId, Rng, Runner, State};

use super::BeliefError;
use crate::player::{News, Seat};

/// All joint moves of a state with one role's move fixed, by number.
pub(super) struct Joints {
    moves: Vec<Vec<ActionId>>,
    /// How many there are.
    pub count: u64,
}

impl Joints {
    pub fn none() -> Self {
        Self { moves: Vec::new(), count: 0 }
    }

    pub fn only(joint: Vec<ActionId>) -> Self {
        Self { moves: joint.into_iter().map(|action| vec![action]).collect(), count: 1 }
    }

    /// `None` where the player's move is not legal, somebody is stuck, or the state is terminal: it
    /// then was not the true state.
    pub fn of(
        runner: &mut dyn Runner,
        state: &State,
        seat: &Seat,
        own: ActionId,
    ) -> Result<Option<Self>, BeliefError> {
        runner.set(state)?;
        if runner.terminal()? {
            return Ok(None);
        }
        let mut moves = Vec::new();
        let mut count: u64 = 1;
        for role in seat.signature().role_ids() {
            let legal = runner.legal(role)?;
            if role == seat.role {
                if !legal.contains(&own) {
                    return Ok(None);
                }
                moves.push(vec![own]);
            } else {
                count = count.saturating_mul(legal.len() as u64);
                moves.push(legal.to_vec());
            }
        }
        Ok((count > 0).then_some(Self { moves, count }))
    }

    /// The joint moves that are as much like what the player was told as the rules allow; `None` where
    /// somebody is stuck or the state is terminal.
    pub fn forgiving(
        runner: &mut dyn Runner,
        state: &State,
        seat: &Seat,
        news: &News,
    ) -> Result<Option<Self>, BeliefError> {
        runner.set(state)?;
        if runner.terminal()? {
            return Ok(None);
        }
        let signature = seat.signature();
        let mut moves = Vec::new();
        let mut count: u64 = 1;
        for role in signature.role_ids() {
            let told = match news {
                News::Joint(joint) => joint.get(role.index()).copied(),
                News::Percepts { action, .. } => (role == seat.role).then_some(*action),
            };
            let told = told.and_then(|term| signature.find_action(term));
            let legal = runner.legal(role)?;
            let list = match told {
                Some(told) if legal.contains(&told) => vec![told],
                _ => legal.to_vec(),
            };
            count = count.saturating_mul(list.len() as u64);
            moves.push(list);
        }
        Ok((count > 0).then_some(Self { moves, count }))
    }

    pub fn get(&self, mut number: u64, joint: &mut Vec<ActionId>) {
        joint.clear();
        for list in &self.moves {
            let length = list.len() as u64;
            // No list is empty, see `of` and `only`.
            joint.push(list[(number % length) as usize]);
            number /= length;
        }
    }
}

/// All numbers below a bound, each once, in a random order that takes no memory: a random start and a
/// random stride that has no divisor in common with the bound.
pub(super) struct Numbers {
    bound: u64,
    left: u64,
    at: u64,
    stride: u64,
}

impl Numbers {
    pub fn all(bound: u64, rng: &mut Rng) -> Self {
        let mut stride = 1 + rng.below(bound);
        // One is always found soon: the numbers without a common divisor are frequent, and 1 is one.
        while gcd(stride, bound) > 1 {
            stride = 1 + rng.below(bound);
        }
        Self { bound, left: bound, at: rng.below(bound), stride }
    }
}

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        let found = self.at;
        self.at = ((u128::from(self.at) + u128::from(self.stride)) % u128::from(self.bound)) as u64;
        Some(found)
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        let mut rng = Rng::from_seed(1);
        for bound in [0, 1, 2, 6, 30, 97, 1_000] {
            let drawn: Vec<u64> = Numbers::all(bound, &mut rng).collect();
            let mut sorted = drawn.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..bound).collect::<Vec<_>>());
        }
        let first = |rng: &mut Rng| Numbers::all(1_000, rng).next();
        assert_ne!(first(&mut rng), first(&mut rng));
    }
}
