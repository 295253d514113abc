//! Groups of automorphisms, as generators that know their order.

use std::fmt;

use super::permutation::Permutation;

/// A vertex that is fixed by what comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasePoint {
    /// The vertex.
    pub vertex: u32,
    /// Where the automorphisms that fix all base points before this one can move it: how many places.
    pub orbit: u32,
}

/// A group of automorphisms: a base and strong generators (Sims).
///
/// Each automorphism in the group is known by where it takes the base points. A generator belongs to a
/// level: it fixes the base points before that level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Automorphisms {
    pub(super) base: Vec<BasePoint>,
    /// Ordered by level, the deepest first.
    pub(super) generators: Vec<(usize, Permutation)>,
}

impl Automorphisms {
    /// The base points, in order.
    pub fn base(&self) -> &[BasePoint] {
        &self.base
    }

    /// The generators; none when the identity is all there is.
    pub fn generators(&self) -> impl ExactSizeIterator<Item = &Permutation> {
        self.generators.iter().map(|(_, generator)| generator)
    }

    /// The generators of the automorphisms that fix the first base points, so many.
    pub fn stabiliser(&self, points: usize) -> impl Iterator<Item = &Permutation> {
        self.generators.iter().filter(move |(level, _)| *level >= points).map(|(_, generator)| generator)
    }

    /// How many automorphisms there are.
    pub fn order(&self) -> GroupOrder {
        self.stabiliser_order(0)
    }

    /// How many automorphisms fix the first base points, so many.
    pub fn stabiliser_order(&self, points: usize) -> GroupOrder {
        let factors = self.base.iter().skip(points).map(|point| point.orbit);
        GroupOrder { factors: factors.filter(|&orbit| orbit > 1).collect() }
    }
}

/// The number of elements of a group: a product, which may be too large for any integer type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupOrder {
    factors: Vec<u32>,
}

impl GroupOrder {
    /// The product of these numbers.
    pub fn product(factors: Vec<u32>) -> Self {
        Self { factors }
    }

    /// Whether there is the identity and nothing else.
    pub fn is_one(&self) -> bool {
        self.factors.iter().all(|&factor| factor == 1)
    }

    /// The number, unless it is too large.
    pub fn value(&self) -> Option<u128> {
        self.factors.iter().try_fold(1u128, |product, &factor| product.checked_mul(factor.into()))
    }
}

/// All digits.
impl fmt::Display for GroupOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const BASE: u64 = 1_000_000_000;
        // Digits in base 10^9, the last ones first.
        let mut digits = vec![1u64];
        for &factor in &self.factors {
            let mut carry = 0;
            for digit in &mut digits {
                let product = *digit * u64::from(factor) + carry;
                *digit = product % BASE;
                carry = product / BASE;
            }
            if carry > 0 {
                digits.push(carry);
            }
        }
        let mut text = digits.pop().unwrap_or(0).to_string();
        digits.iter().rev().for_each(|digit| text.push_str(&format!("{digit:09}")));
        f.write_str(&text)
    }
}
