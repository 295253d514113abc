//! Interned symbols and hash-consed ground terms.

use std::fmt;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::budget::LimitError;
use crate::ids::{Id, SymbolId, TermId};

/// A ground term, one level deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermView<'a> {
    /// An object constant such as `a` or `12`.
    Constant(SymbolId),
    /// A functional term such as `cell(1,1,b)`; no arguments only for `f()`, which is not a constant.
    Compound(SymbolId, &'a [TermId]),
}

#[derive(Debug)]
enum TermData {
    Constant(SymbolId),
    Compound(SymbolId, Box<[TermId]>),
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
pub struct Terms {
    symbols: boxcar::Vec<SymbolData>,
    terms: boxcar::Vec<TermData>,
    tables: Mutex<Tables>,
    bytes: AtomicUsize,
    byte_limit: AtomicUsize,
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
const ENTRY_BYTES: usize = 48;

/// What the allocator takes for a slice of this many bytes.
fn allocation(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}

impl Terms {
    /// An empty table without a limit on its size.
    pub fn new() -> Self {
        Self {
            symbols: boxcar::Vec::new(),
            terms: boxcar::Vec::new(),
            tables: Mutex::default(),
            bytes: AtomicUsize::new(0),
            byte_limit: AtomicUsize::new(usize::MAX),
        }
    }

    /// From now on [`Terms::try_compound`] fails once the table holds this many bytes.
    pub fn set_byte_limit(&self, limit: usize) {
        self.byte_limit.store(limit, Ordering::Relaxed);
    }

    /// The limit of [`Terms::set_byte_limit`].
    pub fn byte_limit(&self) -> usize {
        self.byte_limit.load(Ordering::Relaxed)
    }

    /// The bytes held, by internal accounting.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The number of distinct ground terms.
    pub fn len(&self) -> usize {
        self.terms.count()
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
        let tables = self.lock();
        tables.symbols.find(HASHER.hash_one(name), |&s| self.name(s) == name).copied()
    }

    /// The text of a symbol.
    pub fn name(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol.index()].name
    }

    /// The value of a symbol that is written as a decimal number without sign or leading zeros.
    pub fn number(&self, symbol: SymbolId) -> Option<u64> {
        self.symbols[symbol.index()].number
    }

    /// The constant of this name.
    pub fn constant(&self, name: &str) -> TermId {
        self.constant_of(self.symbol(name))
    }

    /// The constant of this symbol.
    pub fn constant_of(&self, symbol: SymbolId) -> TermId {
        let mut tables = self.lock();
        let hash = HASHER.hash_one(symbol);
        let same = |&t: &TermId| matches!(self.view(t), TermView::Constant(s) if s == symbol);
        if let Some(&id) = tables.terms.find(hash, same) {
            return id;
        }
        self.insert(&mut tables, hash, TermData::Constant(symbol))
    }

    /// The functional term `functor(args)`; without arguments it is the constant, as `f()` is `f`.
    pub fn compound(&self, functor: SymbolId, args: &[TermId]) -> TermId {
        if args.is_empty() {
            return self.constant_of(functor);
        }
        let mut tables = self.lock();
        let hash = HASHER.hash_one((functor, args));
        match self.find_compound_in(&tables, hash, functor, args) {
            Some(id) => id,
            None => self.insert(&mut tables, hash, TermData::Compound(functor, args.into())),
        }
    }

    /// As [`Terms::compound`], but fails instead of growing past the byte limit.
    pub fn try_compound(&self, functor: SymbolId, args: &[TermId]) -> Result<TermId, LimitError> {
        if args.is_empty() {
            return Ok(self.constant_of(functor));
        }
        let mut tables = self.lock();
        let hash = HASHER.hash_one((functor, args));
        if let Some(id) = self.find_compound_in(&tables, hash, functor, args) {
            return Ok(id);
        }
        let limit = self.byte_limit.load(Ordering::Relaxed);
        if self.bytes() >= limit {
            return Err(LimitError::Memory { limit, what: "ground terms".into() });
        }
        Ok(self.insert(&mut tables, hash, TermData::Compound(functor, args.into())))
    }

    /// The functional term `functor(args)`, if it was interned before.
    pub fn find_compound(&self, functor: SymbolId, args: &[TermId]) -> Option<TermId> {
        if args.is_empty() {
            return Some(self.constant_of(functor));
        }
        let tables = self.lock();
        self.find_compound_in(&tables, HASHER.hash_one((functor, args)), functor, args)
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
        self.bytes.fetch_add(ENTRY_BYTES + allocation(4 * args), Ordering::Relaxed);
        let id = TermId::from_index(self.terms.push(data));
        tables.terms.insert_unique(hash, id, |&t| match self.view(t) {
            TermView::Constant(s) => HASHER.hash_one(s),
            TermView::Compound(f, a) => HASHER.hash_one((f, a)),
        });
        id
    }

    /// What a term is made of.
    pub fn view(&self, term: TermId) -> TermView<'_> {
        match &self.terms[term.index()] {
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

    /// The term in prefix notation, `(cell 1 1 b)`; names are written as they are.
    pub fn prefix(&self, term: TermId) -> String {
        let mut out = String::new();
        self.write_prefix(term, &mut out);
        out
    }

    /// Appends the term in prefix notation.
    pub fn write_prefix(&self, term: TermId, out: &mut String) {
        enum Job {
            Term(TermId),
            Text(&'static str),
        }
        let mut jobs = vec![Job::Term(term)];
        while let Some(job) = jobs.pop() {
            match job {
                Job::Text(text) => out.push_str(text),
                Job::Term(term) => match self.view(term) {
                    TermView::Constant(s) => out.push_str(self.name(s)),
                    TermView::Compound(f, args) => {
                        out.push('(');
                        out.push_str(self.name(f));
                        jobs.push(Job::Text(")"));
                        for &arg in args.iter().rev() {
                            jobs.push(Job::Term(arg));
                            jobs.push(Job::Text(" "));
                        }
                    }
                },
            }
        }
    }

    /// The term in infix notation, `cell(1,1,b)`; names are written as they are.
    pub fn infix(&self, term: TermId) -> String {
        enum Job {
            Term(TermId),
            Text(&'static str),
        }
        let mut out = String::new();
        let mut jobs = vec![Job::Term(term)];
        while let Some(job) = jobs.pop() {
            match job {
                Job::Text(text) => out.push_str(text),
                Job::Term(term) => match self.view(term) {
                    TermView::Constant(s) => out.push_str(self.name(s)),
                    TermView::Compound(f, args) => {
                        out.push_str(self.name(f));
                        out.push('(');
                        jobs.push(Job::Text(")"));
                        for (i, &arg) in args.iter().enumerate().rev() {
                            jobs.push(Job::Term(arg));
                            if i > 0 {
                                jobs.push(Job::Text(","));
                            }
                        }
                    }
                },
            }
        }
        out
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
        assert_eq!(terms.prefix(deep).len(), 1 + 4 * 1_000_000);
        assert_eq!(terms.compare(deep, deep), std::cmp::Ordering::Equal);
    }

    #[test]
    fn the_byte_limit_is_kept() {
        let terms = Terms::new();
        terms.set_byte_limit(10_000);
        let s = terms.symbol("s");
        let mut term = terms.constant("0");
        let error = loop {
            match terms.try_compound(s, &[term]) {
                Ok(next) => term = next,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, LimitError::Memory { limit: 10_000, .. }));
        assert!(terms.bytes() < 11_000);
    }
}
