//! Sets of examples as bits.

/// Adds two words to a third, bit by bit, and returns the carries: where counting bits takes a dozen steps, eight words
/// are better added up first (R. Harley; W. Mula, N. Kurz, D. Lemire: Faster population counts, 2018).
fn add(sum: &mut u64, first: u64, second: u64) -> u64 {
    let half = *sum ^ first;
    let carry = (*sum & first) | (half & second);
    *sum = half ^ second;
    carry
}

/// A set of small numbers, of a fixed size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// None of so many.
    pub fn none(length: usize) -> Self {
        Self(vec![0; length.div_ceil(64)])
    }

    /// Those of so many of which this holds.
    pub fn of(length: usize, holds: impl Fn(usize) -> bool) -> Self {
        let mut bits = Self::none(length);
        (0..length).filter(|&at| holds(at)).for_each(|at| bits.insert(at));
        bits
    }

    /// Adds the first `more` of another set after the first `length` of this, which has no others.
    pub fn append(&mut self, length: usize, other: &Self, more: usize) {
        self.0.resize((length + more).div_ceil(64), 0);
        let (place, shift) = (length / 64, length % 64);
        for (number, &word) in other.0.iter().enumerate().filter(|(_, word)| **word != 0) {
            self.0[place + number] |= word << shift;
            if shift > 0 && word >> (64 - shift) != 0 {
                self.0[place + number + 1] |= word >> (64 - shift);
            }
        }
    }

    /// None of as many as another set has room for.
    pub fn none_like(other: &Self) -> Self {
        Self(vec![0; other.0.len()])
    }

    /// This one alone, with room for as many as another set.
    pub fn of_one(other: &Self, at: usize) -> Self {
        let mut bits = Self::none_like(other);
        bits.insert(at);
        bits
    }

    /// Words of 64.
    pub fn words(&self) -> usize {
        self.0.len()
    }

    pub fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    pub fn contains(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// How many are in both.
    pub fn count_and(&self, other: &Self) -> usize {
        let (mine, others) = (self.0.chunks_exact(8), other.0.chunks_exact(8));
        let rest = mine.remainder().iter().zip(others.remainder());
        let mut count: usize = rest.map(|(a, b)| (a & b).count_ones() as usize).sum();
        let [mut ones, mut twos, mut fours] = [0_u64; 3];
        for (mine, others) in mine.zip(others) {
            let word = |at: usize| mine[at] & others[at];
            let twos_first = add(&mut ones, word(0), word(1));
            let twos_second = add(&mut ones, word(2), word(3));
            let fours_first = add(&mut twos, twos_first, twos_second);
            let twos_first = add(&mut ones, word(4), word(5));
            let twos_second = add(&mut ones, word(6), word(7));
            let fours_second = add(&mut twos, twos_first, twos_second);
            count += 8 * add(&mut fours, fours_first, fours_second).count_ones() as usize;
        }
        count + (4 * fours.count_ones() + 2 * twos.count_ones() + ones.count_ones()) as usize
    }

    pub fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// Leaves those that are in the other, too.
    pub fn keep(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    /// Those of this that are not in the other.
    pub fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(place, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                (left != 0).then(|| {
                    left &= left - 1;
                    place * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_both_is_counted() {
        for length in [0, 1, 64, 500, 513, 1300] {
            let (twos, threes) = (Bits::of(length, |at| at % 2 == 0), Bits::of(length, |at| at % 3 == 0));
            assert_eq!(twos.count_and(&threes), twos.and(&threes).count(), "{length}");
            assert_eq!(
                twos.and(&threes).iter().collect::<Vec<_>>(),
                (0..length).step_by(6).collect::<Vec<_>>()
            );
            assert_eq!(twos.without(&threes).count() + twos.count_and(&threes), twos.count());
        }
    }

    #[test]
    fn one_set_goes_on_where_another_ends() {
        for (first, second) in [(0, 3), (64, 64), (1, 63), (70, 130), (127, 2)] {
            let mut bits = Bits::of(first, |at| at % 3 == 0);
            bits.append(first, &Bits::of(second, |at| (first + at) % 3 == 0), second);
            assert_eq!(bits, Bits::of(first + second, |at| at % 3 == 0), "{first} {second}");
        }
    }
}
