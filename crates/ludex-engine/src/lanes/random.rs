//! Random bits for all lanes at once.

use ludex_game::Rng;

use super::vector::Vector;
use crate::kernel::Block;

/// One generator per word of a block (xoshiro256++ by Blackman and Vigna), seeded from one number by
/// splitmix64, and a scalar generator for draws that have to be repeated.
///
/// What it gives depends on the seed and the width only.
#[derive(Clone, Debug)]
pub(super) struct LaneRandom<const N: usize> {
    pub(super) state: [Block<N>; 4],
    pub(super) repeat: Rng,
}

impl<const N: usize> LaneRandom<N> {
    pub(super) fn from_seed(seed: u64) -> Self {
        let mut counter = seed;
        let mut state = [Block::ZERO; 4];
        for word in 0..N {
            for block in &mut state {
                block.0[word] = splitmix(&mut counter);
            }
        }
        Self { state, repeat: Rng::from_seed(splitmix(&mut counter)) }
    }
}

/// The next number of Steele, Lea and Flood's splitmix64, which moves `counter` on.
pub(super) fn splitmix(counter: &mut u64) -> u64 {
    *counter = counter.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *counter;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The generators in registers.
#[derive(Clone, Copy)]
pub(super) struct Generator<V>([V; 4]);

impl<V: Vector> Generator<V> {
    #[inline(always)]
    pub(super) fn load<const N: usize>(state: &[Block<N>; 4], part: usize) -> Self {
        let [a, b, c, d] = state;
        Self([V::load(a, part), V::load(b, part), V::load(c, part), V::load(d, part)])
    }

    #[inline(always)]
    pub(super) fn store<const N: usize>(self, state: &mut [Block<N>; 4], part: usize) {
        for (vector, block) in self.0.into_iter().zip(state) {
            vector.store(block, part);
        }
    }

    /// A fair bit for every lane.
    #[inline(always)]
    pub(super) fn bits(&mut self) -> V {
        let [mut a, mut b, mut c, mut d] = self.0;
        let result = a.add(d).rotate_left::<23, 41>().add(a);
        let shifted = b.shift_left::<17>();
        c = c.xor(a);
        d = d.xor(b);
        b = b.xor(c);
        a = a.xor(d);
        c = c.xor(shifted);
        d = d.rotate_left::<45, 19>();
        self.0 = [a, b, c, d];
        result
    }
}
