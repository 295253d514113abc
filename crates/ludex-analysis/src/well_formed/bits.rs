//! A set of states by their numbers.

use ludex_game::StateNumber;

/// One bit for each state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// The bit of a state; false where none was set.
    pub(super) fn get(&self, state: StateNumber) -> bool {
        self.0.get(state as usize / 64).is_some_and(|word| word >> (state % 64) & 1 == 1)
    }

    /// Sets the bit of a state.
    pub(super) fn set(&mut self, state: StateNumber) {
        let at = state as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (state % 64);
    }

    /// The states whose bit is set, ascending.
    pub(super) fn ones(&self) -> impl Iterator<Item = StateNumber> + '_ {
        (0..64 * self.0.len() as StateNumber).filter(|&state| self.get(state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_and_listed() {
        let mut bits = Bits::default();
        [3, 64, 200, 3].into_iter().for_each(|state| bits.set(state));
        assert!(bits.get(3) && bits.get(64) && bits.get(200) && !bits.get(4) && !bits.get(10_000));
        assert_eq!(bits.ones().collect::<Vec<_>>(), [3, 64, 200]);
    }
}
