//! Typed indices: no bare `usize` names a thing.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense index of one kind of thing.
pub trait Id: Copy + Eq + Ord + std::hash::Hash {
    /// The id of the thing at `index`.
    fn from_index(index: usize) -> Self;
    /// The position of the thing, from 0.
    fn index(self) -> usize;
}

/// Defines a typed index of 32 bits, with the visibility that is written before its name.
///
/// ```
/// use ludex_logic::{Id, IdVec};
///
/// ludex_logic::define_id!(
///     /// A square of a board.
///     pub SquareId
/// );
/// let mut names: IdVec<SquareId, &str> = IdVec::new();
/// let corner = names.push("a1");
/// assert_eq!((names[corner], corner.index()), ("a1", 0));
/// ```
#[macro_export]
macro_rules! define_id {
    ($(#[$doc:meta])* $visibility:vis $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $visibility struct $name(pub(crate) u32);

        impl $crate::Id for $name {
            #[inline(always)]
            fn from_index(index: usize) -> Self {
                debug_assert!(index <= u32::MAX as usize);
                Self(index as u32)
            }
            #[inline(always)]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

define_id!(
    /// An interned name: a constant, functor or relation name.
    pub SymbolId
);
define_id!(
    /// A ground term. Two ids of one [`Terms`](crate::Terms) are equal exactly when the terms are.
    pub TermId
);
define_id!(
    /// A relation (name and arity) of one program.
    pub RelationId
);
define_id!(
    /// A clause of one program, in the order of the rulesheet.
    pub ClauseId
);
define_id!(
    /// A ground atom of one [`Grounding`](crate::ground::Grounding).
    pub AtomId
);
define_id!(
    /// A variable of one clause.
    pub VariableId
);

/// A vector indexed by a typed id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    marker: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self::from(Vec::new())
    }
    /// Appends an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }
    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }
    /// All items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// All ids with their items, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }
    /// The item of `id`, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// The item of `id`, if there is one, to be changed.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())
    }
    /// All items in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, marker: PhantomData }
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        Self::from(iter.into_iter().collect::<Vec<_>>())
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
