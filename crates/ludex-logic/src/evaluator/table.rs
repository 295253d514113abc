//! Relations as arrays of rows, with membership and indexes.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

crate::define_id!(
    /// A table of an evaluator: the rows of a relation of the program, or the part of it with certain
    /// functors. Those of static relations come first.
    pub TableId
);

/// How the rows of a relation are numbered, where the product of its column domains is small.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub arity: usize,
    /// Bits needed for one bit per possible row; `None` where that is too many.
    pub size: Option<u32>,
    columns: Vec<NumberedColumn>,
    /// Per column and value the part of the row number, or [`ABSENT`].
    maps: Vec<u32>,
}

/// Where a column's part of the maps lies, and for which values.
#[derive(Clone, Copy, Debug)]
struct NumberedColumn {
    start: u32,
    first: u32,
    span: u32,
}

/// Larger than any row number; a sum of up to [`DENSE_ARITY`] of them does not overflow.
const ABSENT: u32 = 1 << 27;
const DENSE_ARITY: usize = 15;
/// The largest number of possible rows that get a bit each.
const DENSE_ROWS: u64 = 1 << 17;
/// The most values, in gaps of the domains too, for which rows are numbered.
const DENSE_VALUES: usize = 1 << 17;

impl Shape {
    /// A shape for columns with these domains (sorted values); `None` for a column without a finite one.
    pub(crate) fn new(domains: &[Option<&[u32]>]) -> Self {
        let mut shape = Self { arity: domains.len(), ..Self::default() };
        let Some(size) = Self::dense_size(domains) else { return shape };
        shape.size = Some(size);
        let mut stride = 1u32;
        for domain in domains.iter().flatten() {
            let start = shape.maps.len();
            let (first, span) = (domain.first().copied().unwrap_or(0), span(domain));
            shape.columns.push(NumberedColumn { start: start as u32, first, span: span as u32 });
            shape.maps.resize(start + span, ABSENT);
            for (position, &value) in domain.iter().enumerate() {
                shape.maps[start + (value - first) as usize] = position as u32 * stride;
            }
            stride *= (domain.len() as u32).max(1);
        }
        shape
    }

    /// The number of possible rows where that is small enough, and the values lie close together.
    fn dense_size(domains: &[Option<&[u32]>]) -> Option<u32> {
        if domains.is_empty() || domains.len() > DENSE_ARITY {
            return None;
        }
        let product =
            domains.iter().try_fold(1u64, |n, d| Some(n.saturating_mul(d.as_ref()?.len() as u64)))?;
        let values: usize = domains.iter().flatten().map(|d| span(d)).sum();
        (product <= DENSE_ROWS && values <= DENSE_VALUES).then_some(product as u32)
    }

    /// Bytes that a shape for these domains takes.
    pub(crate) fn bytes(domains: &[Option<&[u32]>]) -> usize {
        match Self::dense_size(domains) {
            Some(_) => domains.iter().flatten().map(|d| 4 * span(d)).sum(),
            None => 0,
        }
    }

    /// The part of the row number that a value in a column makes.
    #[inline(always)]
    pub(crate) fn part(&self, column: usize, value: u32) -> u32 {
        let NumberedColumn { start, first, span } = self.columns[column];
        let offset = value.wrapping_sub(first);
        if offset < span { self.maps[(start + offset) as usize] } else { ABSENT }
    }

    #[inline(always)]
    pub(crate) fn number(&self, row: &[u32]) -> u32 {
        let mut number = 0;
        for (column, &value) in row.iter().enumerate() {
            number += self.part(column, value);
        }
        number
    }
}

/// How many values lie between the first and the last of a domain, with both.
fn span(domain: &[u32]) -> usize {
    match (domain.first(), domain.last()) {
        (Some(first), Some(last)) => (last - first) as usize + 1,
        _ => 0,
    }
}

#[derive(Clone, Debug)]
enum Members {
    Flag,
    Bits(Vec<u64>),
    Hash(HashTable<u32>),
    /// Nobody looks for rows: whoever inserts them knows that they differ.
    Unsought,
}

/// The rows of one relation. Values are numbers; what they mean is the evaluator's business.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    rows: Vec<u32>,
    count: u32,
    members: Members,
    indexes: Vec<Index>,
}

/// What happened to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inserted {
    New,
    Known,
    /// Some value lies outside the column's domain.
    Outside,
}

#[inline(always)]
fn hash_row(row: &[u32]) -> u64 {
    FxBuildHasher.hash_one(row)
}

impl Table {
    pub(crate) fn new(shape: &Shape, indexes: &[IndexSpec]) -> Self {
        let members = match shape.size {
            _ if shape.arity == 0 => Members::Flag,
            Some(size) => Members::Bits(vec![0; (size as usize).div_ceil(64)]),
            None => Members::Hash(HashTable::new()),
        };
        let indexes = indexes.iter().map(Index::new).collect();
        Self { rows: Vec::new(), count: 0, members, indexes }
    }

    /// A table without indexes for rows that come once each and are only read one after the other.
    pub(crate) fn unsought() -> Self {
        Self { rows: Vec::new(), count: 0, members: Members::Unsought, indexes: Vec::new() }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> u32 {
        self.count
    }

    #[inline(always)]
    pub(crate) fn row(&self, arity: usize, number: u32) -> &[u32] {
        let start = number as usize * arity;
        &self.rows[start..start + arity]
    }

    #[inline(always)]
    pub(crate) fn value(&self, arity: usize, number: u32, column: usize) -> u32 {
        self.rows[number as usize * arity + column]
    }

    /// All rows one after the other.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Whether the row is in; for shapes with row numbers use [`Table::contains_number`].
    #[inline]
    pub(crate) fn contains(&self, shape: &Shape, row: &[u32]) -> bool {
        self.place(shape, row).is_some()
    }

    /// A number below [`Table::places`] that tells a row from the others; `None` for a row that is not in.
    #[inline]
    pub(crate) fn place(&self, shape: &Shape, row: &[u32]) -> Option<u32> {
        match &self.members {
            Members::Flag => (self.count > 0).then_some(0),
            Members::Bits(_) => Some(shape.number(row)).filter(|&number| self.contains_number(number)),
            Members::Hash(table) => {
                let arity = shape.arity;
                table.find(hash_row(row), |&r| self.row(arity, r) == row).copied()
            }
            Members::Unsought => None,
        }
    }

    /// See [`Table::place`].
    pub(crate) fn places(&self, shape: &Shape) -> usize {
        match &self.members {
            Members::Bits(_) => shape.size.unwrap_or(0) as usize,
            Members::Flag | Members::Hash(_) | Members::Unsought => self.count as usize,
        }
    }

    #[inline(always)]
    pub(crate) fn contains_number(&self, number: u32) -> bool {
        match &self.members {
            Members::Bits(bits) => {
                bits.get(number as usize / 64).is_some_and(|w| w >> (number % 64) & 1 == 1)
            }
            _ => false,
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, shape: &Shape, row: &[u32]) -> Inserted {
        match &mut self.members {
            Members::Flag => {
                if self.count > 0 {
                    return Inserted::Known;
                }
            }
            Members::Bits(bits) => {
                let number = shape.number(row);
                if number >= ABSENT {
                    return Inserted::Outside;
                }
                let word = &mut bits[number as usize / 64];
                let bit = 1u64 << (number % 64);
                if *word & bit != 0 {
                    return Inserted::Known;
                }
                *word |= bit;
            }
            Members::Hash(table) => {
                let arity = shape.arity;
                let rows = &self.rows;
                let at = |r: u32| &rows[r as usize * arity..(r as usize + 1) * arity];
                let hash = hash_row(row);
                if table.find(hash, |&r| at(r) == row).is_some() {
                    return Inserted::Known;
                }
                table.insert_unique(hash, self.count, |&r| hash_row(at(r)));
            }
            Members::Unsought => {}
        }
        self.rows.extend_from_slice(row);
        self.count += 1;
        Inserted::New
    }

    /// Whether the next insertion makes the table larger in memory.
    #[inline(always)]
    pub(crate) fn is_full(&self, arity: usize) -> bool {
        self.rows.len() + arity > self.rows.capacity()
    }

    /// Makes room for more rows.
    pub(crate) fn grow(&mut self, arity: usize) {
        self.rows.reserve_exact(self.further(arity));
    }

    /// Bytes that [`Table::grow`] adds, with those of members and indexes for the rows it is for.
    pub(crate) fn growth(&self, arity: usize) -> usize {
        let values = self.further(arity);
        let members = if let Members::Hash(_) = self.members { 5 } else { 0 };
        let indexes: usize =
            self.indexes.iter().map(|i| if i.spec.keys.size.is_some() { 4 } else { 21 }).sum();
        4 * values + values / arity.max(1) * (members + indexes)
    }

    /// Values to make room for: twice as many while the table is small, then a quarter more.
    fn further(&self, arity: usize) -> usize {
        const LARGE: usize = 1 << 18;
        let length = self.rows.len();
        if length < LARGE { length.max(16 * arity) } else { length / 4 / arity * arity }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let members = match &self.members {
            Members::Flag | Members::Unsought => 0,
            Members::Bits(bits) => bits.len() * 8,
            Members::Hash(table) => table.capacity() * 5,
        };
        let indexes: usize = self.indexes.iter().map(Index::bytes).sum();
        self.rows.capacity() * 4 + members + indexes
    }

    pub(crate) fn clear(&mut self, shape: &Shape) {
        if self.count == 0 {
            return;
        }
        let arity = shape.arity;
        for index in &mut self.indexes {
            index.clear(arity, &self.rows);
        }
        match &mut self.members {
            Members::Flag | Members::Unsought => {}
            Members::Bits(bits) => {
                if self.count as usize * 2 > bits.len() {
                    bits.fill(0);
                } else {
                    for row in self.rows.chunks_exact(arity) {
                        let number = shape.number(row);
                        bits[number as usize / 64] = 0;
                    }
                }
            }
            Members::Hash(table) => table.clear(),
        }
        self.rows.clear();
        self.count = 0;
    }

    /// The rows, without indexes.
    pub(crate) fn into_plain(mut self) -> Self {
        self.indexes = Vec::new();
        self
    }

    /// The same rows without indexes.
    pub(crate) fn without_indexes(&self) -> Self {
        Self {
            rows: self.rows.clone(),
            count: self.count,
            members: self.members.clone(),
            indexes: Vec::new(),
        }
    }

    /// Adds all rows of another table of the same shape.
    pub(crate) fn copy(&mut self, shape: &Shape, other: &Table) {
        if shape.arity == 0 && other.count > 0 {
            self.insert(shape, &[]);
        }
        for row in other.rows.chunks_exact(shape.arity.max(1)) {
            self.insert(shape, row);
        }
    }

    /// Gives values other numbers, different ones to different values; indexes start afresh.
    pub(crate) fn rename(&mut self, shape: &Shape, name: &mut impl FnMut(u32) -> u32) {
        let rows: Vec<u32> = self.rows.iter().map(|&value| name(value)).collect();
        self.clear(shape);
        for row in rows.chunks_exact(shape.arity.max(1)) {
            self.insert(shape, row);
        }
    }

    /// Swaps the rows with another table of the same shape; indexes start afresh.
    pub(crate) fn exchange(&mut self, other: &mut Table, arity: usize) {
        for index in &mut self.indexes {
            index.clear(arity, &self.rows);
        }
        for index in &mut other.indexes {
            index.clear(arity, &other.rows);
        }
        std::mem::swap(&mut self.rows, &mut other.rows);
        std::mem::swap(&mut self.count, &mut other.count);
        std::mem::swap(&mut self.members, &mut other.members);
    }

    /// Brings an index up to date.
    #[inline]
    pub(crate) fn refresh(&mut self, arity: usize, index: usize) {
        let index = &mut self.indexes[index];
        if index.built < self.count {
            index.extend(arity, &self.rows, self.count);
        }
    }

    /// The first row of a chain that may hold these key values, plus one; 0 for none.
    #[inline]
    pub(crate) fn first(&self, index: usize, key: &[u32]) -> u32 {
        self.indexes[index].first(key)
    }

    /// The row after this one in its chain, in the same encoding.
    #[inline(always)]
    pub(crate) fn next(&self, index: usize, row: u32) -> u32 {
        self.indexes[index].next[row as usize]
    }

    pub(crate) fn add_index(&mut self, spec: &IndexSpec) {
        self.indexes.push(Index::new(spec));
    }
}

/// Which columns an index is keyed by, and how keys are numbered where their product is small.
#[derive(Clone, Debug)]
pub(crate) struct IndexSpec {
    pub columns: Box<[u32]>,
    pub keys: Shape,
}

#[derive(Clone, Debug)]
enum Heads {
    Dense(Vec<u32>),
    /// By hash of the key; chains may mix keys, so that rows must be compared.
    Hash(HashTable<(u64, u32)>),
}

#[derive(Clone, Debug)]
struct Index {
    spec: IndexSpec,
    built: u32,
    heads: Heads,
    next: Vec<u32>,
}

impl Index {
    fn new(spec: &IndexSpec) -> Self {
        let heads = match spec.keys.size {
            Some(size) => Heads::Dense(vec![0; size as usize]),
            None => Heads::Hash(HashTable::new()),
        };
        Self { spec: spec.clone(), built: 0, heads, next: Vec::new() }
    }

    #[inline]
    fn extend(&mut self, arity: usize, rows: &[u32], count: u32) {
        let columns = &self.spec.columns;
        for number in self.built..count {
            let row = &rows[number as usize * arity..];
            let following = match &mut self.heads {
                Heads::Dense(heads) => {
                    let mut key = 0;
                    for (i, &column) in columns.iter().enumerate() {
                        key += self.spec.keys.part(i, row[column as usize]);
                    }
                    std::mem::replace(&mut heads[key as usize], number + 1)
                }
                Heads::Hash(table) => {
                    let hash = hash_columns(columns, row);
                    match table.find_mut(hash, |&(h, _)| h == hash) {
                        Some((_, head)) => std::mem::replace(head, number + 1),
                        None => {
                            table.insert_unique(hash, (hash, number + 1), |&(h, _)| h);
                            0
                        }
                    }
                }
            };
            self.next.push(following);
        }
        self.built = count;
    }

    #[inline(always)]
    fn first(&self, key: &[u32]) -> u32 {
        match &self.heads {
            Heads::Dense(heads) => {
                let number = self.spec.keys.number(key);
                if number < ABSENT { heads[number as usize] } else { 0 }
            }
            Heads::Hash(table) => {
                let hash = hash_row(key);
                table.find(hash, |&(h, _)| h == hash).map_or(0, |&(_, head)| head)
            }
        }
    }

    fn clear(&mut self, arity: usize, rows: &[u32]) {
        match &mut self.heads {
            Heads::Dense(heads) => {
                if self.built as usize * 4 > heads.len() {
                    heads.fill(0);
                } else {
                    for row in rows.chunks_exact(arity).take(self.built as usize) {
                        let mut key = 0;
                        for (i, &column) in self.spec.columns.iter().enumerate() {
                            key += self.spec.keys.part(i, row[column as usize]);
                        }
                        heads[key as usize] = 0;
                    }
                }
            }
            Heads::Hash(table) => table.clear(),
        }
        self.next.clear();
        self.built = 0;
    }

    fn bytes(&self) -> usize {
        let heads = match &self.heads {
            Heads::Dense(heads) => heads.len() * 4,
            Heads::Hash(table) => table.capacity() * 17,
        };
        heads + self.next.capacity() * 4
    }
}

#[inline]
fn hash_columns(columns: &[u32], row: &[u32]) -> u64 {
    let mut key = [0u32; 16];
    let key = &mut key[..columns.len()];
    for (slot, &column) in key.iter_mut().zip(columns) {
        *slot = row[column as usize];
    }
    hash_row(key)
}

/// An index is keyed by at most this many columns; further bound columns are compared row by row.
pub(crate) const KEY_LIMIT: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> [Shape; 2] {
        let (a, b): (&[u32], &[u32]) = (&[0, 2, 3], &[1, 2]);
        [Shape::new(&[Some(a), Some(b)]), Shape::new(&[None, Some(b)])]
    }

    #[test]
    fn each_row_has_a_place_of_its_own() {
        for shape in shapes() {
            let mut table = Table::new(&shape, &[]);
            let rows = [[0, 1], [3, 2], [2, 1]];
            rows.iter().for_each(|row| assert_eq!(table.insert(&shape, row), Inserted::New));
            let mut places = rows.map(|row| table.place(&shape, &row).unwrap());
            places.sort_unstable();
            assert!(places[0] < places[1] && places[1] < places[2]);
            assert!((places[2] as usize) < table.places(&shape));
            assert_eq!(table.place(&shape, &[0, 2]), None);
        }
    }

    #[test]
    fn rows_that_nobody_seeks_are_kept_as_they_come() {
        for shape in shapes() {
            let mut table = Table::unsought();
            let rows = [[2, 2], [0, 1], [3, 1]];
            rows.iter().for_each(|row| assert_eq!(table.insert(&shape, row), Inserted::New));
            assert_eq!((table.len(), table.rows()), (3, &[2, 2, 0, 1, 3, 1][..]));
            table.clear(&shape);
            assert_eq!(table.len(), 0);
        }
    }

    #[test]
    fn dense_and_hashed_tables_agree() {
        for shape in shapes() {
            let keys = Shape::new(&[Some(&[0, 2, 3])]);
            let spec = IndexSpec { columns: Box::new([0]), keys };
            let mut table = Table::new(&shape, &[spec]);
            for _ in 0..3 {
                assert_eq!(table.insert(&shape, &[0, 1]), Inserted::New);
                assert_eq!(table.insert(&shape, &[2, 2]), Inserted::New);
                assert_eq!(table.insert(&shape, &[0, 2]), Inserted::New);
                assert_eq!(table.insert(&shape, &[0, 1]), Inserted::Known);
                assert!(table.contains(&shape, &[0, 1]) && !table.contains(&shape, &[3, 1]));
                table.refresh(2, 0);
                let mut found = Vec::new();
                let mut at = table.first(0, &[0]);
                while at != 0 {
                    found.push(table.value(2, at - 1, 1));
                    at = table.next(0, at - 1);
                }
                assert_eq!(found, [2, 1]);
                assert_eq!(table.first(0, &[3]), 0);
                table.clear(&shape);
                assert_eq!(table.len(), 0);
                assert!(!table.contains(&shape, &[0, 1]));
                assert_eq!(table.first(0, &[0]), 0);
            }
        }
    }

    #[test]
    fn values_outside_a_domain_are_refused() {
        let [shape, _] = shapes();
        let mut table = Table::new(&shape, &[]);
        assert_eq!(table.insert(&shape, &[1, 1]), Inserted::Outside);
        assert_eq!(table.insert(&shape, &[0, 900]), Inserted::Outside);
        assert!(!table.contains(&shape, &[900, 1]));
    }
}
