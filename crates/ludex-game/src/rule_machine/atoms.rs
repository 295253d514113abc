//! From rows of a flat relation to ids and back, remembered.

use ludex_logic::evaluator::{Evaluator, FlatRelation};
use rustc_hash::FxHashMap;

/// What each row of one flat relation stands for.
#[derive(Debug)]
pub(super) enum RowCache<T> {
    /// By row number.
    Dense(Vec<Option<T>>),
    /// By row.
    Hash(FxHashMap<Box<[u32]>, T>),
}

impl<T: Copy> RowCache<T> {
    pub(super) fn new(evaluator: &Evaluator, relation: FlatRelation) -> Self {
        match evaluator.size(relation) {
            Some(size) => Self::Dense(vec![None; size as usize]),
            None => Self::Hash(FxHashMap::default()),
        }
    }

    /// What `row` stands for, found by `make` the first time.
    #[inline]
    pub(super) fn get(
        &mut self,
        evaluator: &Evaluator,
        relation: FlatRelation,
        row: &[u32],
        make: impl FnOnce() -> T,
    ) -> T {
        match self {
            Self::Dense(items) => {
                let number = evaluator.number(relation, row) as usize;
                match items.get_mut(number) {
                    Some(slot) => *slot.get_or_insert_with(make),
                    None => make(),
                }
            }
            Self::Hash(items) => match items.get(row) {
                Some(&item) => item,
                None => {
                    let item = make();
                    items.insert(row.into(), item);
                    item
                }
            },
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Dense(items) => items.len() * size_of::<Option<T>>(),
            Self::Hash(items) => {
                // A short allocation takes a header and is rounded up.
                let row = items.keys().next().map_or(0, |row| (4 * row.len() + 8).next_multiple_of(16));
                items.capacity() * (size_of::<(Box<[u32]>, T)>() + 1) + items.len() * row
            }
        }
    }
}
