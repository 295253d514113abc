//! Straight operations encoded for running, and the loop that runs them.
//!
//! The one unsafe part of the interpreter: slots are read and written without a check of bounds, as
//! all of them are checked when the code is made.
#![allow(unsafe_code, reason = "the check of bounds would be most of the work")]

use super::block::Block;
use crate::stream::{Operation, Operator};

/// Operations of one operator that follow each other.
#[derive(Clone, Copy, Debug)]
struct Run {
    operator: Operator,
    /// How many operations there are.
    count: u32,
}

/// Operations in order; every slot is below a number that is fixed when the code is made.
#[derive(Clone, Debug)]
pub(super) struct Code {
    runs: Vec<Run>,
    /// Where to store, first and second operand of each operation. Invariant: all below `slots`.
    triples: Vec<[u32; 3]>,
    slots: u32,
}

impl Code {
    /// Encodes operations on a number of slots. Gives `None` if one is beyond them.
    pub fn new(operations: &[Operation], slots: u32) -> Option<Self> {
        let mut runs: Vec<Run> = Vec::new();
        let mut triples = Vec::with_capacity(operations.len());
        for operation in operations {
            let triple = [operation.to.0, operation.a.0, operation.b.0];
            if triple.iter().any(|&slot| slot >= slots) {
                return None;
            }
            triples.push(triple);
            match runs.last_mut() {
                Some(run) if run.operator == operation.operator && run.count < u32::MAX => run.count += 1,
                _ => runs.push(Run { operator: operation.operator, count: 1 }),
            }
        }
        Some(Self { runs, triples, slots })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>() + self.triples.capacity() * size_of::<[u32; 3]>()
    }

    /// Runs the operations.
    ///
    /// # Panics
    /// If there are fewer slots than the code was made for.
    #[inline(always)]
    pub fn run<const N: usize>(&self, slots: &mut [Block<N>]) {
        assert!(slots.len() >= self.slots as usize, "code for {} slots", self.slots);
        let mut rest = self.triples.as_slice();
        for run in &self.runs {
            let (triples, after) = rest.split_at(run.count as usize);
            rest = after;
            match run.operator {
                Operator::And => apply(triples, slots, |a, b| a & b),
                Operator::Or => apply(triples, slots, |a, b| a | b),
                Operator::AndNot => apply(triples, slots, |a, b| a & !b),
            }
        }

        /// Runs operations of one operator. All slots in `triples` are below `slots.len()`.
        #[inline(always)]
        fn apply<const N: usize>(
            triples: &[[u32; 3]],
            slots: &mut [Block<N>],
            operator: impl Fn(u64, u64) -> u64,
        ) {
            for &[to, a, b] in triples {
                // SAFETY: `Code::new` has checked that every slot of a triple is below `self.slots`, the
                // fields are private and not changed afterwards, and `run` has checked that
                // `slots.len()` is at least `self.slots`; `apply` is called from nowhere else.
                let (a, b) =
                    unsafe { (slots.get_unchecked(a as usize).0, slots.get_unchecked(b as usize).0) };
                let mut result = [0; N];
                for word in 0..N {
                    result[word] = operator(a[word], b[word]);
                }
                // SAFETY: as above.
                unsafe { slots.get_unchecked_mut(to as usize) }.0 = result;
            }
        }
    }
}
