//! From rows of a flat relation to ids and back, remembered.

use ludex_logic::evaluator::{Evaluator, Session, TableId};
use rustc_hash::FxHashMap;

/// What each row of one flat relation stands for.
#[derive(Debug)]
pub(super) enum RowCache<T> {
    /// By row number.
    Dense(Vec<Option<T>>),
    /// By row.
    Hash {
        lasting: Rows<T>,
        /// Rows whose values mean something in one generation of the session only.
        passing: Rows<T>,
        generation: u64,
    },
}

type Rows<T> = FxHashMap<Box<[u32]>, T>;

impl<T: Copy> RowCache<T> {
    pub(super) fn new(evaluator: &Evaluator, relation: TableId) -> Self {
        match evaluator.size(relation) {
            Some(size) => Self::Dense(vec![None; size as usize]),
            None => Self::Hash { lasting: Rows::default(), passing: Rows::default(), generation: 0 },
        }
    }

    /// What a row of the session stands for, found by `make` the first time.
    ///
    /// # Errors
    /// Those of `make`.
    #[inline]
    pub(super) fn get<E>(
        &mut self,
        evaluator: &Evaluator,
        session: &Session,
        relation: TableId,
        row: &[u32],
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Self::Dense(items) => {
                let number = evaluator.number(relation, row) as usize;
                match items.get_mut(number) {
                    Some(Some(item)) => Ok(*item),
                    Some(slot) => Ok(*slot.insert(make()?)),
                    None => make(),
                }
            }
            Self::Hash { lasting, passing, generation } => {
                let rows = if session.is_passing(row) {
                    if *generation != session.generation() {
                        *generation = session.generation();
                        *passing = Rows::default();
                    }
                    passing
                } else {
                    lasting
                };
                if let Some(&item) = rows.get(row) {
                    return Ok(item);
                }
                let item = make()?;
                rows.insert(row.into(), item);
                Ok(item)
            }
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Dense(items) => items.len() * size_of::<Option<T>>(),
            Self::Hash { lasting, passing, .. } => {
                let bytes = |rows: &Rows<T>| {
                    // A short allocation takes a header and is rounded up.
                    let row = rows.keys().next().map_or(0, |row| (4 * row.len() + 8).next_multiple_of(16));
                    rows.capacity() * (size_of::<(Box<[u32]>, T)>() + 1) + rows.len() * row
                };
                bytes(lasting) + bytes(passing)
            }
        }
    }
}
