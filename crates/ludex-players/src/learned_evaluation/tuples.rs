//! What stands on several cells of a board together: a table for each of many small groups of cells, with a weight for each
//! way to fill them (n-tuple networks: Lucas, 2008; Thill, Koch and Konen, 2012).

use smallvec::SmallVec;

/// The most entries of a table.
pub(super) const MOST_ENTRIES: usize = 4096;
/// The most weights in all tables together.
pub(super) const MOST_WEIGHTS: usize = 1 << 22;
/// The most tables.
pub(super) const MOST_TUPLES: usize = 4096;

/// Groups of cells with their tables. Cells hold one of some facts each, or none; states are words in which each bit is a
/// fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tuples {
    /// Per cell the bits of the facts that it can hold. The values of a cell are the places of these, from 1, and 0 for
    /// none.
    cells: Vec<Vec<usize>>,
    /// The cells of each tuple.
    tuples: Vec<Vec<usize>>,
    /// A bit that says whose turn it is: there are tables for both.
    turn: Option<usize>,
    /// Per bit the cell and the value that it stands for.
    values: Vec<Option<(u32, u32)>>,
    /// Per cell the tuples that it is part of, each with what a value counts there.
    places: Vec<SmallVec<[(u32, u32); 16]>>,
    /// Where the table of each tuple begins, among the tables for one turn.
    begins: Vec<u32>,
    /// The entries of all tables for one turn.
    entries: usize,
}

/// Where the entries of a state are, and the sums of their weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct TupleSums {
    /// Per tuple its entry.
    entries: Vec<u32>,
    /// Per turn, and role that has weights of its own.
    totals: SmallVec<[f32; 4]>,
    /// Whose turn it is.
    turn: usize,
    /// The tuples that differ from those of another state, with their entries there.
    changed: Vec<(u32, u32)>,
}

impl Tuples {
    /// Tables for groups of cells, of states of so many words.
    pub fn new(words: usize, cells: Vec<Vec<usize>>, tuples: Vec<Vec<usize>>, turn: Option<usize>) -> Self {
        let mut values = vec![None; 64 * words];
        for (cell, bits) in (0u32..).zip(&cells) {
            (1..).zip(bits).for_each(|(value, &bit)| values[bit] = Some((cell, value)));
        }
        let mut places = vec![SmallVec::new(); cells.len()];
        let (mut begins, mut entries) = (Vec::new(), 0);
        for (tuple, members) in (0u32..).zip(&tuples) {
            begins.push(entries as u32);
            let mut stride = 1;
            for &cell in members {
                places[cell].push((tuple, stride as u32));
                stride *= 1 + cells[cell].len();
            }
            entries += stride;
        }
        Self { cells, tuples, turn, values, places, begins, entries }
    }

    /// The cells with the bits of their facts.
    pub fn cells(&self) -> &[Vec<usize>] {
        &self.cells
    }

    /// The cells of each tuple.
    pub fn tuples(&self) -> &[Vec<usize>] {
        &self.tuples
    }

    /// The bit that says whose turn it is.
    pub fn turn(&self) -> Option<usize> {
        self.turn
    }

    /// How many weights there are for one role.
    pub fn size(&self) -> usize {
        self.turns() * self.entries
    }

    /// How many tuples there are.
    pub fn len(&self) -> usize {
        self.tuples.len()
    }

    fn turns(&self) -> usize {
        if self.turn.is_some() { 2 } else { 1 }
    }

    fn turn_of(&self, words: &[u64]) -> usize {
        self.turn.map_or(0, |bit| (words[bit / 64] >> (bit % 64) & 1) as usize)
    }

    /// Where a weight is, of an entry for a turn and a role. Where a cell holds two facts, which it never should, it is
    /// some other weight.
    fn place(&self, entry: u32, turn: usize, column: usize) -> usize {
        (column * self.turns() + turn) * self.entries + (entry as usize).min(self.entries - 1)
    }

    /// Finds the entries of a state, and sums up their weights for either turn.
    pub fn sum(&self, words: &[u64], weights: &[f32], columns: usize, sums: &mut TupleSums) {
        sums.entries.clone_from(&self.begins);
        for bit in super::network::places(words) {
            let Some((cell, value)) = self.values[bit] else { continue };
            for &(tuple, stride) in &self.places[cell as usize] {
                sums.entries[tuple as usize] += value * stride;
            }
        }
        sums.turn = self.turn_of(words);
        sums.totals.clear();
        for column in 0..columns {
            for turn in 0..self.turns() {
                let weight = |&entry: &u32| weights[self.place(entry, turn, column)];
                sums.totals.push(sums.entries.iter().map(weight).sum());
            }
        }
    }

    /// The same of a state that differs from another one by a few bits, for its own turn only and one role; the entries are
    /// not kept.
    pub fn total_near(
        &self,
        near: &TupleSums,
        (before, words): (&[u64], &[u64]),
        weights: &[f32],
        column: usize,
        sums: &mut TupleSums,
    ) -> f32 {
        sums.entries.clone_from(&near.entries);
        sums.changed.clear();
        for (number, (&old, &new)) in before.iter().zip(words).enumerate() {
            let mut changed = old ^ new;
            while changed != 0 {
                let bit = changed.trailing_zeros() as usize;
                changed &= changed - 1;
                let Some((cell, value)) = self.values[64 * number + bit] else { continue };
                let is_new = new >> bit & 1 == 1;
                for &(tuple, stride) in &self.places[cell as usize] {
                    let entry = &mut sums.entries[tuple as usize];
                    if *entry == near.entries[tuple as usize] {
                        sums.changed.push((tuple, *entry));
                    }
                    let part = value * stride;
                    *entry = if is_new { entry.wrapping_add(part) } else { entry.wrapping_sub(part) };
                }
            }
        }
        let turn = self.turn_of(words);
        let mut total = near.totals[column * self.turns() + turn];
        for &(tuple, before) in &sums.changed {
            // A tuple that came back to what it was in between is here twice, and counts nothing the second time.
            let now = std::mem::replace(&mut sums.entries[tuple as usize], before);
            total += weights[self.place(now, turn, column)] - weights[self.place(before, turn, column)];
        }
        total
    }

    /// Where the weights of a role stand among those of all roles.
    pub fn of_column(&self, column: usize) -> std::ops::Range<usize> {
        column * self.size()..(column + 1) * self.size()
    }

    /// The sum of the weights of a state that was summed up.
    pub fn total(&self, sums: &TupleSums, column: usize) -> f32 {
        sums.totals[column * self.turns() + sums.turn]
    }

    /// Where the weights of a state that was summed up are, for a role.
    pub fn weights_of<'t>(&'t self, sums: &'t TupleSums, column: usize) -> impl Iterator<Item = usize> + 't {
        sums.entries.iter().map(move |&entry| self.place(entry, sums.turn, column))
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::Rng;

    use super::*;

    /// Six cells in two rows of three, each of which holds one of two facts or none; bit 12 says whose turn it is.
    fn board() -> Tuples {
        let cells = (0..6).map(|cell| vec![2 * cell, 2 * cell + 1]).collect();
        let tuples = vec![vec![0, 1, 2], vec![3, 4, 5], vec![0, 3], vec![1, 4], vec![2, 5], vec![0, 1, 3, 4]];
        Tuples::new(1, cells, tuples, Some(12))
    }

    /// A state: what each cell holds, 0 for nothing, and whose turn it is.
    fn state(cells: [u64; 6], turn: u64) -> [u64; 1] {
        let held =
            |(cell, &value): (usize, &u64)| if value > 0 { 1 << (2 * cell as u64 + value - 1) } else { 0 };
        [cells.iter().enumerate().map(held).sum::<u64>() | turn << 12]
    }

    #[test]
    fn each_way_to_fill_cells_has_a_weight_of_its_own() {
        let board = board();
        assert_eq!((board.len(), board.size()), (6, 2 * (27 + 27 + 9 + 9 + 9 + 81)));
        let mut sums = TupleSums::default();
        let mut places = |cells, turn| -> Vec<usize> {
            board.sum(&state(cells, turn), &vec![0.0; board.size()], 1, &mut sums);
            board.weights_of(&sums, 0).collect()
        };
        assert_eq!(places([0; 6], 0), [0, 27, 54, 63, 72, 81]);
        assert_eq!(places([0; 6], 1), [162, 189, 216, 225, 234, 243]);
        // The first cell counts 1, the second 3, the third 9, and so on.
        assert_eq!(places([2, 0, 1, 0, 0, 0], 0), [2 + 9, 27, 54 + 2, 63, 72 + 1, 81 + 2]);
        let all: std::collections::BTreeSet<usize> = (0..3u64.pow(6))
            .flat_map(|code| places(std::array::from_fn(|cell| code / 3u64.pow(cell as u32) % 3), 1))
            .collect();
        assert_eq!(all.len(), 162, "all weights of a turn are reached");
    }

    #[test]
    fn what_differs_by_a_few_facts_is_summed_up_as_from_the_start() {
        let board = board();
        let mut rng = Rng::from_seed(5);
        let weights: Vec<f32> = (0..2 * board.size()).map(|_| rng.fraction() as f32).collect();
        let mut draw = || {
            let cells = std::array::from_fn(|_| rng.below(3));
            state(cells, rng.below(2))
        };
        let (mut near, mut other, mut scratch) =
            (TupleSums::default(), TupleSums::default(), TupleSums::default());
        for _ in 0..500 {
            let (before, after) = (draw(), draw());
            board.sum(&before, &weights, 2, &mut near);
            board.sum(&after, &weights, 2, &mut other);
            for column in 0..2 {
                let by_difference =
                    board.total_near(&near, (&before, &after), &weights, column, &mut scratch);
                assert!((by_difference - board.total(&other, column)).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn cells_that_hold_two_facts_are_no_fault() {
        let board = board();
        let weights = vec![1.0; board.size()];
        let (mut near, mut scratch) = (TupleSums::default(), TupleSums::default());
        let (all, none) = ([u64::MAX], [0]);
        for (before, after) in [(all, none), (none, all), (all, all)] {
            board.sum(&before, &weights, 1, &mut near);
            assert_eq!(board.weights_of(&near, 0).filter(|&at| at < weights.len()).count(), board.len());
            assert!(board.total_near(&near, (&before, &after), &weights, 0, &mut scratch).is_finite());
        }
    }
}
