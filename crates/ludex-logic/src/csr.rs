//! Many short lists in two arrays.

use std::ops::Index;

/// Lists one after the other in one array (compressed sparse rows): list `n` goes from where it starts to
/// where the next one does. At most 2³² items.
///
/// ```
/// let mut lists = ludex_logic::Csr::new();
/// lists.push_list(["a", "b"]);
/// lists.push_list([]);
/// assert_eq!((&lists[0], lists[1].len(), lists.item_count()), (&["a", "b"][..], 0, 2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr<T> {
    /// Where each list starts, and where the last one ends.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Csr<T> {
    /// No list.
    pub fn new() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }

    /// Adds an item to the list that [`Csr::finish_list`] or [`Csr::abandon_list`] ends.
    pub fn push_item(&mut self, item: T) {
        self.items.push(item);
    }

    /// The items that were pushed since the last list was finished.
    pub fn open_list(&mut self) -> &mut [T] {
        let start = self.starts[self.len()] as usize;
        &mut self.items[start..]
    }

    /// Ends a list with the items that were pushed since the last one.
    pub fn finish_list(&mut self) {
        self.starts.push(self.items.len() as u32);
    }

    /// Drops the items that were pushed since the last list was finished.
    pub fn abandon_list(&mut self) {
        self.items.truncate(self.starts[self.len()] as usize);
    }

    /// Adds a list.
    pub fn push_list(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
        self.finish_list();
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no list.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of items in all lists.
    pub fn item_count(&self) -> usize {
        self.items.len()
    }

    /// The items of all lists.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// All lists in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.starts.windows(2).map(|ends| &self.items[ends[0] as usize..ends[1] as usize])
    }

    /// Where the items of a list lie among those of all lists.
    pub fn range(&self, list: usize) -> std::ops::Range<usize> {
        self.starts[list] as usize..self.starts[list + 1] as usize
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.starts.len() * size_of::<u32>() + self.items.len() * size_of::<T>()
    }
}

impl<T: Copy> Csr<T> {
    /// `count` lists of which each pair puts its item at the end of one. The pairs are gone through twice.
    pub fn from_pairs<P: Iterator<Item = (usize, T)>>(count: usize, pairs: impl Fn() -> P) -> Self {
        let mut starts = vec![0u32; count + 1];
        pairs().for_each(|(list, _)| starts[list + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let Some((_, any)) = pairs().next() else { return Self { starts, items: Vec::new() } };
        let mut items = vec![any; starts[count] as usize];
        let mut next = starts.clone();
        for (list, item) in pairs() {
            items[next[list] as usize] = item;
            next[list] += 1;
        }
        Self { starts, items }
    }
}

impl<T> Default for Csr<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Index<usize> for Csr<T> {
    type Output = [T];
    #[inline(always)]
    fn index(&self, list: usize) -> &[T] {
        &self.items[self.range(list)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_to_their_lists_in_order() {
        let pairs = [(2, 'a'), (0, 'b'), (2, 'c')];
        let lists = Csr::from_pairs(4, || pairs.iter().copied());
        let expected: [&[char]; 4] = [&['b'], &[], &['a', 'c'], &[]];
        assert!(lists.iter().eq(expected));
        assert_eq!(Csr::from_pairs(2, std::iter::empty::<(usize, u8)>).len(), 2);
    }

    #[test]
    fn a_list_that_is_abandoned_leaves_nothing() {
        let mut lists = Csr::new();
        lists.push_list([1]);
        lists.push_item(2);
        lists.abandon_list();
        lists.push_list([3, 4]);
        assert_eq!((&lists[0], &lists[1]), (&[1][..], &[3, 4][..]));
    }
}
