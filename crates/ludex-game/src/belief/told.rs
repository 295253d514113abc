//! What others were told, in short.

use std::hash::{Hash, Hasher};

use ludex_logic::TermId;
use rustc_hash::FxHasher;
use smallvec::SmallVec;

use crate::signature::{ActionId, RoleId};

/// Stands for what a role was told since the beginning of a match, by a hash: its moves, each with what it saw then,
/// in whatever order. That the order does not count is what makes it small: in most games it tells nothing, and two
/// courses that differ in nothing else are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Told(u64);

impl Told {
    /// Nothing yet.
    pub const NOTHING: Self = Self(0);

    /// It as a number.
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    /// That, and a move with what the role saw of it, in canonical order. In games where all moves are seen these stand
    /// for what was seen.
    #[must_use]
    pub fn and(self, action: TermId, percepts: &[TermId]) -> Self {
        let mut hasher = FxHasher::default();
        (action, percepts).hash(&mut hasher);
        // What the hasher leaves in the lower bits is mixed again, since these are added up.
        Self(self.0.wrapping_add(hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)))
    }
}

/// What each role was told; empty where nobody asks.
pub(super) type ToldByRole = SmallVec<[Told; 4]>;

/// How others are taken to move. Chance moves by its odds whatever a model says.
pub trait MoveModel {
    /// Sets the probability of each legal move of a role that was told this; they sum to 1, and at first all are the
    /// same.
    fn weigh(&self, role: RoleId, told: Told, legal: &[ActionId], odds: &mut [f64]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_does_not_count_and_all_else_does() {
        let terms = ludex_logic::Terms::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.constant(name));
        let some = Told::NOTHING.and(a, &[b]).and(b, &[]);
        assert_eq!(some, Told::NOTHING.and(b, &[]).and(a, &[b]));
        let others = [
            Told::NOTHING.and(a, &[]).and(b, &[b]),
            Told::NOTHING.and(a, &[b]),
            Told::NOTHING.and(a, &[b]).and(b, &[]).and(b, &[]),
            Told::NOTHING.and(a, &[c]).and(b, &[]),
        ];
        assert!(others.iter().all(|other| *other != some));
    }
}
