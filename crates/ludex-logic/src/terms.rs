//! Interned symbols and hash-consed ground terms.

pub(crate) mod scratch;
mod tail;
mod text;

use std::convert::Infallible;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::budget::LimitError;
use crate::ids::{Id, SymbolId, TermId};
use scratch::MOST_TERMS;
pub use tail::Survivors;
pub use text::{LEGAL_TEXT_LIMIT, Notation, SHOWN_TEXT, TEXT_LIMIT};

/// A ground term, one level deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermView<'a> {
    /// An object constant such as `a` or `12`.
    Constant(SymbolId),
    /// A functional term such as `cell(1,1,b)`, with at least one argument.
    Compound(SymbolId, &'a [TermId]),
}

#[derive(Debug)]
enum TermData {
    Constant(SymbolId),
    Compound(SymbolId, Box<[TermId]>),
}

#[derive(Debug)]
struct Entry {
    data: TermData,
    /// The bytes of the term in prefix notation; `u64::MAX` stands for that many or more.
    text: u64,
}

#[derive(Debug)]
struct SymbolData {
    name: Box<str>,
    number: Option<u64>,
}

#[derive(Debug, Default)]
struct Tables {
    symbols: HashTable<SymbolId>,
    terms: HashTable<TermId>,
}

/// The symbols and ground terms of one game: append-only, shared by all threads.
///
/// A term is stored once, so equality is equality of ids, and a term of any
/// depth costs one entry per distinct subterm. Reading takes no lock;
/// interning takes one. There is no global table: two games share nothing.
///
/// A table has no limit of its own: whoever adds terms says how large it may
/// get ([`Terms::try_compound`]). Work that may make many terms of which few
/// are wanted makes them elsewhere: in a tail ([`Terms::tail`]) that is dropped
/// with it, or in the scratch of a [`Session`](crate::evaluator::Session).
pub struct Terms {
    /// What a tail goes on from.
    base: Option<Base>,
    /// The terms of the base, whose ids come first.
    first: usize,
    symbols: boxcar::Vec<SymbolData>,
    terms: boxcar::Vec<Entry>,
    tables: Mutex<Tables>,
    bytes: AtomicUsize,
    largest_text: AtomicU64,
}

/// A table as it was when its tail was begun; what is added to it later does not concern the tail.
struct Base {
    terms: Arc<Terms>,
    /// Its bytes.
    bytes: usize,
    /// Bytes that the tail may take.
    room: usize,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terms")
            .field("symbols", &self.symbols.count())
            .field("terms", &self.terms.count())
            .finish()
    }
}

const HASHER: FxBuildHasher = FxBuildHasher;
/// A place in the array and its share of the hash table.
const ENTRY_BYTES: usize = 56;

/// What the allocator takes for a slice of this many bytes.
fn allocation(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}

/// What a functional term with so many arguments takes.
fn term_bytes(args: usize) -> usize {
    ENTRY_BYTES + allocation(size_of::<TermId>() * args)
}

impl Terms {
    /// An empty table.
    pub fn new() -> Self {
        Self::over(None, 0)
    }

    fn over(base: Option<Base>, first: usize) -> Self {
        let bytes = base.as_ref().map_or(0, |base| base.bytes);
        Self {
            largest_text: AtomicU64::new(base.as_ref().map_or(0, |base| base.terms.largest_text())),
            base,
            first,
            symbols: boxcar::Vec::new(),
            terms: boxcar::Vec::new(),
            tables: Mutex::default(),
            bytes: AtomicUsize::new(bytes),
        }
    }

    /// The bytes held, by internal accounting. What a tail goes on from is counted too.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The number of distinct ground terms.
    pub fn len(&self) -> usize {
        self.first + self.terms.count()
    }

    /// Whether no term was interned yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        // A panic while the lock is held leaves at most an unreferenced entry behind.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The symbol of this name.
    pub fn symbol(&self, name: &str) -> SymbolId {
        if let Some(base) = &self.base {
            return base.terms.symbol(name);
        }
        let mut tables = self.lock();
        let hash = HASHER.hash_one(name);
        if let Some(&id) = tables.symbols.find(hash, |&s| self.name(s) == name) {
            return id;
        }
        let data = SymbolData { name: name.into(), number: number_of(name) };
        let id = SymbolId::from_index(self.symbols.push(data));
        self.bytes.fetch_add(ENTRY_BYTES + allocation(name.len()), Ordering::Relaxed);
        tables.symbols.insert_unique(hash, id, |&s| HASHER.hash_one(self.name(s)));
        id
    }

    /// The symbol of this name, if it was interned before.
    pub fn find_symbol(&self, name: &str) -> Option<SymbolId> {
        if let Some(base) = &self.base {
            return base.terms.find_symbol(name);
        }
        let tables = self.lock();
        tables.symbols.find(HASHER.hash_one(name), |&s| self.name(s) == name).copied()
    }

    /// The text of a symbol.
    pub fn name(&self, symbol: SymbolId) -> &str {
        &self.symbol_data(symbol).name
    }

    /// The value of a symbol that is written as a decimal number without sign or leading zeros.
    pub fn number(&self, symbol: SymbolId) -> Option<u64> {
        self.symbol_data(symbol).number
    }

    /// A tail has the symbols of its base.
    fn symbol_data(&self, symbol: SymbolId) -> &SymbolData {
        match &self.base {
            None => &self.symbols[symbol.index()],
            Some(base) => base.terms.symbol_data(symbol),
        }
    }

    /// The constant of this name.
    pub fn constant(&self, name: &str) -> TermId {
        self.constant_of(self.symbol(name))
    }

    /// The constant of this symbol.
    pub fn constant_of(&self, symbol: SymbolId) -> TermId {
        if let Some(known) = self.in_base(|base| base.find_constant(symbol)) {
            return known;
        }
        let mut tables = self.lock();
        let hash = HASHER.hash_one(symbol);
        if let Some(&id) = tables.terms.find(hash, |&t| self.is_constant(t, symbol)) {
            return id;
        }
        self.insert(&mut tables, hash, TermData::Constant(symbol))
    }

    fn find_constant(&self, symbol: SymbolId) -> Option<TermId> {
        let known = self.in_base(|base| base.find_constant(symbol));
        known.or_else(|| {
            let tables = self.lock();
            tables.terms.find(HASHER.hash_one(symbol), |&t| self.is_constant(t, symbol)).copied()
        })
    }

    fn is_constant(&self, term: TermId, symbol: SymbolId) -> bool {
        matches!(self.view(term), TermView::Constant(s) if s == symbol)
    }

    /// What is found in the base of a tail, unless that was added after the tail was begun.
    fn in_base(&self, find: impl FnOnce(&Terms) -> Option<TermId>) -> Option<TermId> {
        find(&self.base.as_ref()?.terms).filter(|term| term.index() < self.first)
    }

    /// The functional term `functor(args)`, however many there are: for terms whose number is bounded
    /// in another way. Without arguments it is the constant, as `f()` is `f`.
    pub fn compound(&self, functor: SymbolId, args: &[TermId]) -> TermId {
        match self.make(functor, args, || Ok::<(), Infallible>(())) {
            Ok(term) => term,
            Err(never) => match never {},
        }
    }

    /// As [`Terms::compound`], but fails instead of adding to a table that holds `limit` bytes or more,
    /// or to a tail that has no room left.
    ///
    /// # Errors
    /// [`LimitError::Memory`].
    pub fn try_compound(
        &self,
        functor: SymbolId,
        args: &[TermId],
        limit: usize,
    ) -> Result<TermId, LimitError> {
        self.make(functor, args, || self.check_room(limit))
    }

    fn make<E>(
        &self,
        functor: SymbolId,
        args: &[TermId],
        may_grow: impl FnOnce() -> Result<(), E>,
    ) -> Result<TermId, E> {
        if args.is_empty() {
            return Ok(self.constant_of(functor));
        }
        if let Some(known) = self.in_base(|base| base.find_compound(functor, args)) {
            return Ok(known);
        }
        let mut tables = self.lock();
        let hash = HASHER.hash_one((functor, args));
        if let Some(id) = self.find_compound_in(&tables, hash, functor, args) {
            return Ok(id);
        }
        may_grow()?;
        Ok(self.insert(&mut tables, hash, TermData::Compound(functor, args.into())))
    }

    fn check_room(&self, limit: usize) -> Result<(), LimitError> {
        let full = |limit| LimitError::Memory { limit, what: "ground terms".into() };
        let bytes = self.bytes();
        if bytes >= limit {
            return Err(full(limit));
        }
        // Those that are added without a limit have as many ids again.
        if self.len() >= MOST_TERMS {
            return Err(full(bytes));
        }
        match &self.base {
            Some(base) if self.own_bytes() >= base.room => Err(full(base.room)),
            _ => Ok(()),
        }
    }

    /// The functional term `functor(args)`, if it was interned before.
    pub fn find_compound(&self, functor: SymbolId, args: &[TermId]) -> Option<TermId> {
        if args.is_empty() {
            return self.find_constant(functor);
        }
        let known = self.in_base(|base| base.find_compound(functor, args));
        known.or_else(|| {
            let tables = self.lock();
            self.find_compound_in(&tables, HASHER.hash_one((functor, args)), functor, args)
        })
    }

    fn find_compound_in(
        &self,
        tables: &Tables,
        hash: u64,
        functor: SymbolId,
        args: &[TermId],
    ) -> Option<TermId> {
        let same =
            |&t: &TermId| matches!(self.view(t), TermView::Compound(f, a) if f == functor && a == args);
        tables.terms.find(hash, same).copied()
    }

    fn insert(&self, tables: &mut Tables, hash: u64, data: TermData) -> TermId {
        let args = match &data {
            TermData::Constant(_) => 0,
            TermData::Compound(_, args) => args.len(),
        };
        let text = self.text_of(&data);
        self.bytes.fetch_add(term_bytes(args), Ordering::Relaxed);
        self.largest_text.fetch_max(text, Ordering::Relaxed);
        let id = TermId::from_index(self.first + self.terms.push(Entry { data, text }));
        tables.terms.insert_unique(hash, id, |&t| match self.view(t) {
            TermView::Constant(s) => HASHER.hash_one(s),
            TermView::Compound(f, a) => HASHER.hash_one((f, a)),
        });
        id
    }

    fn entry(&self, term: TermId) -> &Entry {
        match (term.index().checked_sub(self.first), &self.base) {
            (Some(own), _) => &self.terms[own],
            (None, Some(base)) => base.terms.entry(term),
            // Only a tail has terms that come before its own.
            (None, None) => unreachable!("a table without a base begins at 0"),
        }
    }

    /// What a term is made of.
    pub fn view(&self, term: TermId) -> TermView<'_> {
        match &self.entry(term).data {
            TermData::Constant(s) => TermView::Constant(*s),
            TermData::Compound(f, args) => TermView::Compound(*f, args),
        }
    }

    /// The value of a constant that is a decimal number.
    pub fn integer(&self, term: TermId) -> Option<u64> {
        match self.view(term) {
            TermView::Constant(s) => self.number(s),
            TermView::Compound(..) => None,
        }
    }
}

fn number_of(name: &str) -> Option<u64> {
    let plain = name.bytes().all(|b| b.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    if plain { name.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_ids() {
        let terms = Terms::new();
        let (f, a, b) = (terms.symbol("f"), terms.constant("a"), terms.constant("b"));
        assert_eq!(terms.compound(f, &[a, b]), terms.compound(f, &[a, b]));
        assert_ne!(terms.compound(f, &[a, b]), terms.compound(f, &[b, a]));
        assert_eq!(terms.compound(f, &[]), terms.constant("f"));
        assert_eq!(terms.find_compound(f, &[]), Some(terms.constant("f")));
        assert_eq!(terms.prefix(terms.compound(f, &[a, b])), "(f a b)");
        assert_eq!(terms.infix(terms.compound(f, &[a, b])), "f(a,b)");
    }

    #[test]
    fn numbers_are_decimal_without_leading_zeros() {
        let terms = Terms::new();
        let value = |name| terms.integer(terms.constant(name));
        assert_eq!(value("0"), Some(0));
        assert_eq!(value("100"), Some(100));
        assert_eq!(value("007"), None);
        assert_eq!(value("-1"), None);
        assert_eq!(value(""), None);
    }

    #[test]
    fn a_term_a_million_deep_is_no_problem() {
        let terms = Terms::new();
        let s = terms.symbol("s");
        let deep = (0..1_000_000).fold(terms.constant("0"), |t, _| terms.compound(s, &[t]));
        assert_eq!(terms.text_bytes(deep), 1 + 4 * 1_000_000);
        assert_eq!(terms.written_within(deep, Notation::Prefix, u64::MAX).len(), 1 + 4 * 1_000_000);
        assert_eq!(terms.compare(deep, deep), std::cmp::Ordering::Equal);
    }

    #[test]
    fn each_who_adds_says_how_large_the_table_may_get() {
        let terms = Terms::new();
        let s = terms.symbol("s");
        let zero = terms.constant("0");
        let fill = |limit| {
            let mut term = zero;
            loop {
                match terms.try_compound(s, &[term], limit) {
                    Ok(next) => term = next,
                    Err(error) => return error,
                }
            }
        };
        assert!(matches!(fill(10_000), LimitError::Memory { limit: 10_000, .. }));
        assert!(terms.bytes() < 11_000);
        // Somebody else may go on, which does not change what the first may.
        assert!(matches!(fill(20_000), LimitError::Memory { limit: 20_000, .. }));
        assert!(matches!(fill(10_000), LimitError::Memory { limit: 10_000, .. }));
        assert!((20_000..21_000).contains(&terms.bytes()));
    }
}
