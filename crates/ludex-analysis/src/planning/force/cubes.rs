//! Sets of states that have some bits in common.

/// The bits of a state, by base.
pub(super) type Bits = Box<[u64]>;

/// A state as bits.
pub(super) fn bits(state: &[bool]) -> Bits {
    let mut words = vec![0_u64; state.len().div_ceil(64)].into_boxed_slice();
    for (number, &value) in state.iter().enumerate() {
        words[number / 64] |= u64::from(value) << (number % 64);
    }
    words
}

/// All states in which some bases have certain values.
#[derive(Clone, Debug)]
pub(super) struct Cube {
    care: Bits,
    value: Bits,
}

impl Cube {
    /// The states that agree with this one in these bases.
    pub(super) fn around(state: &[bool], bases: impl IntoIterator<Item = u32>) -> Self {
        let mut care = vec![0_u64; state.len().div_ceil(64)].into_boxed_slice();
        for base in bases {
            care[base as usize / 64] |= 1 << (base % 64);
        }
        let value = bits(state).iter().zip(&care).map(|(value, care)| value & care).collect();
        Self { care, value }
    }

    fn has(&self, state: &[u64]) -> bool {
        self.care.iter().zip(&self.value).zip(state).all(|((care, value), word)| word & care == *value)
    }

    /// Its bases with their values.
    pub(super) fn bases(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        (0..self.care.len() as u32 * 64).filter_map(|base| {
            let (word, bit) = (base as usize / 64, base % 64);
            (self.care[word] >> bit & 1 == 1).then_some((base, self.value[word] >> bit & 1 == 1))
        })
    }
}

/// Cubes with what is known of their states that are not terminal.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    cubes: Vec<(Cube, u32, u32)>,
}

impl Known {
    /// Adds a cube with a number of steps and a move.
    pub(super) fn add(&mut self, cube: Cube, steps: u32, action: u32) {
        self.cubes.push((cube, steps, action));
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.cubes.len()
    }

    /// The fewest steps of the cubes around a state, with the move of that cube.
    pub(super) fn fewest(&self, state: &[u64]) -> Option<(u32, u32)> {
        let around = self.cubes.iter().filter(|(cube, ..)| cube.has(state));
        around.map(|&(_, steps, action)| (steps, action)).min()
    }

    /// The most steps of the cubes around a state.
    pub(super) fn most(&self, state: &[u64]) -> Option<u32> {
        let around = self.cubes.iter().filter(|(cube, ..)| cube.has(state));
        around.map(|&(_, steps, _)| steps).max()
    }
}
