//! Joint moves of a state by number, and numbers in a random order.

use ludex_logic::TermId;

use super::News;
use super::told::{MoveModel, Told};
use crate::batch::Expansion;
use crate::error::Answer;
use crate::machine::Runner;
use crate::rng::Rng;
use crate::signature::{ActionId, RoleId, Signature};

/// The legal moves of each role in a state that is not terminal.
pub(super) type LegalMoves = Vec<Vec<ActionId>>;

/// The legal moves in the runner's state; `None` where that is terminal.
pub(super) fn legal_here(runner: &mut dyn Runner) -> Answer<Option<LegalMoves>> {
    if runner.terminal()? {
        return Ok(None);
    }
    let roles = runner.signature().roles().len() as u32;
    let legal = (0..roles).map(|role| Ok(runner.legal(RoleId(role))?.to_vec()));
    legal.collect::<Answer<_>>().map(Some)
}

/// The legal moves in a state that was looked at; `None` where that is terminal.
pub(super) fn legal_there(found: &Expansion, number: usize) -> Option<LegalMoves> {
    let roles = 0..found.roles() as u32;
    (!found.terminal(number)).then(|| roles.map(|role| found.legal(number, RoleId(role)).to_vec()).collect())
}

/// Joint moves of a state, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Joints {
    moves: LegalMoves,
    /// For each role, how likely each of its moves is beside the others.
    odds: Vec<Vec<f64>>,
    /// How many there are.
    pub count: u64,
}

impl Joints {
    fn new(moves: LegalMoves) -> Self {
        let count = moves.iter().fold(1u64, |count, moves| count.saturating_mul(moves.len() as u64));
        let even = |moves: &Vec<ActionId>| vec![1.0 / moves.len() as f64; moves.len()];
        Self { odds: moves.iter().map(even).collect(), moves, count }
    }

    /// Takes a role to move by a model.
    pub fn weigh(&mut self, role: RoleId, told: Told, model: &dyn MoveModel) {
        let at = role.index();
        model.weigh(role, told, &self.moves[at], &mut self.odds[at]);
    }

    /// This one alone.
    pub fn only(joint: Vec<ActionId>) -> Self {
        Self::new(joint.into_iter().map(|action| vec![action]).collect())
    }

    /// Those in which a role makes this move; none where the move is not legal or somebody is stuck: that was
    /// not the true state.
    pub fn with_move(mut legal: LegalMoves, role: RoleId, action: ActionId) -> Self {
        match legal.get_mut(role.index()) {
            Some(own) => own.retain(|&other| other == action),
            None => legal.clear(),
        }
        if legal.is_empty() { Self::default() } else { Self::new(legal) }
    }

    /// Those that are as much like what a role was told as the rules allow.
    pub fn forgiving(mut legal: LegalMoves, signature: &Signature, role: RoleId, news: &News) -> Self {
        for (at, moves) in legal.iter_mut().enumerate() {
            let told = match news {
                News::Joint(joint) => joint.get(at).copied(),
                News::Percepts { action, .. } => (at == role.index()).then_some(*action),
            };
            let told = told.and_then(|term: TermId| signature.find_action(term));
            if let Some(told) = told.filter(|told| moves.contains(told)) {
                *moves = vec![told];
            }
        }
        Self::new(legal)
    }

    /// The probability of the joint move of a number.
    pub fn weight(&self, mut number: u64) -> f64 {
        let mut weight = 1.0;
        for odds in &self.odds {
            let length = odds.len() as u64;
            weight *= odds[(number % length) as usize];
            number /= length;
        }
        weight
    }

    /// A joint move, drawn by the probabilities.
    pub fn draw(&self, rng: &mut Rng, joint: &mut Vec<ActionId>) {
        joint.clear();
        for (moves, odds) in self.moves.iter().zip(&self.odds) {
            joint.extend(rng.weighted(odds.iter().copied()).map(|at| moves[at]));
        }
    }

    /// The joint move of a number below the count.
    pub fn get(&self, mut number: u64, joint: &mut Vec<ActionId>) {
        joint.clear();
        for list in &self.moves {
            // No list is empty where there is a joint move.
            let length = list.len() as u64;
            joint.push(list[(number % length) as usize]);
            number /= length;
        }
    }
}

/// All numbers below a bound, each once, in a random order that takes no memory: a random start and a
/// random stride that has no divisor in common with the bound.
#[derive(Clone, Debug)]
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

    #[test]
    fn joint_moves_by_number() {
        let moves = |ids: &[u32]| ids.iter().map(|&id| ActionId(id)).collect::<Vec<_>>();
        let legal = vec![moves(&[1, 2]), moves(&[5, 6, 7])];
        let joints = Joints::with_move(legal.clone(), RoleId(0), ActionId(2));
        let mut joint = Vec::new();
        let all = (0..joints.count).map(|number| {
            joints.get(number, &mut joint);
            joint.clone()
        });
        assert_eq!(all.collect::<Vec<_>>(), [moves(&[2, 5]), moves(&[2, 6]), moves(&[2, 7])]);
        assert_eq!(Joints::with_move(legal, RoleId(1), ActionId(2)).count, 0);
        assert_eq!(Joints::only(moves(&[3, 4])).count, 1);
    }
}
