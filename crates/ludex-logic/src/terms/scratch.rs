//! Scratch: the functional terms that one thread makes on the way to an answer, most of which nobody wants
//! for longer.
//!
//! A scratch goes on from a table that all threads add to, and needs no lock. Its terms have ids with a mark
//! that no id of a table has, so that those of the table, also the ones that are added later, mean the same
//! beside it. Whoever works with a scratch compares terms by their ids, so one structure must have *one* id
//! there for as long as the scratch lives, though another thread may put the same structure into the table
//! at any moment. Constants are always in the table, and so what follows is about functional terms.
//!
//! - When the scratch gets its first term, it notes how many terms the table has, *before* it looks whether
//!   the table has that one: `fresh`. A term is in the table's hash table before anyone else gets at the lock
//!   of the table, so what has an id below `fresh` would have been found. It follows by induction over the
//!   arguments that no term of the scratch is the same as one of the table below `fresh`: a term whose
//!   arguments are all of the table was looked for, and of a term that contains one of the scratch the table
//!   had not even that part.
//! - [`Scratch::make`] looks in the scratch first. If a structure is there, it stays what it is called there,
//!   whatever the table gets meanwhile. If it is not, and the table has it, it is called what the table calls
//!   it from then on, since nothing is ever taken out of the table.
//! - An id of the table that comes from outside (a fact, a move) and is not below `fresh` may be that of a
//!   structure that is in the scratch. [`Scratch::name_of`] tells what it is called here: it gives the
//!   arguments their names first and then looks for the term made of those.
//! - Thus no term that is called what the table calls it contains one that is not, and taking terms apart
//!   gives ids that are right here.
//!
//! What is wanted for longer is taken out term by term ([`Scratch::take`]), into the table or into a new
//! scratch, and the whole is dropped.

use std::cell::Cell;
use std::convert::Infallible;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::{HASHER, TermView, Terms, term_bytes};
use crate::ids::{SymbolId, TermId};

/// The bit that the ids of a scratch have and those of a table have not.
const MARK: u32 = 1 << 31;
/// The most terms of a table, and of a scratch, so that a mark fits beside them.
pub(crate) const MOST_TERMS: usize = 1 << 30;
/// Where a term is that was not taken out.
const NOWHERE: TermId = TermId(u32::MAX);
/// A place in the index, and in the table of names.
const INDEX_BYTES: usize = 6;
const NAME_BYTES: usize = 10;

impl TermId {
    /// Whether this is the id of a term in some scratch.
    #[inline(always)]
    pub(crate) fn is_scratch(self) -> bool {
        self.0 & MARK != 0
    }

    /// The least id that a term in a scratch can have.
    pub(crate) const LEAST_OF_SCRATCH: TermId = TermId(MARK);
}

/// A functional term: one of the scratch, or one of the table that was asked for, so that the next who asks
/// needs no lock.
#[derive(Debug)]
struct Entry {
    functor: SymbolId,
    /// Where its arguments begin; those of the next entry begin where they end.
    start: u32,
    id: TermId,
    /// What it is called where it was taken to.
    taken: Cell<TermId>,
    /// The bytes of the term in prefix notation; `u64::MAX` stands for that many or more.
    text: u64,
}

/// Terms beside a table; see the module.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    entries: Vec<Entry>,
    args: Vec<TermId>,
    index: HashTable<u32>,
    /// What functional terms of the table are called here, of those not below `fresh`.
    names: FxHashMap<TermId, TermId>,
    /// The number of terms that the table had when the first one was made here.
    fresh: Option<u32>,
    largest_text: u64,
    /// Bytes that its terms would take in the table.
    in_table: usize,
}

/// There is no room for another term.
#[derive(Debug)]
pub(crate) struct Full;

impl Scratch {
    /// Whether some term is called otherwise than in the table.
    #[inline(always)]
    pub(crate) fn has_terms(&self) -> bool {
        self.fresh.is_some()
    }

    /// The bytes held, by internal accounting.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.args.capacity() * size_of::<TermId>()
            + self.index.capacity() * INDEX_BYTES
            + self.names.capacity() * NAME_BYTES
    }

    /// The bytes that its content takes, without what is reserved for more.
    #[inline]
    pub(crate) fn used(&self) -> usize {
        self.entries.len() * (size_of::<Entry>() + INDEX_BYTES)
            + self.args.len() * size_of::<TermId>()
            + self.names.len() * NAME_BYTES
    }

    /// The bytes that its terms would take in the table.
    pub(crate) fn bytes_in_table(&self) -> usize {
        self.in_table
    }

    /// No term here takes more than this many bytes as text.
    pub(crate) fn largest_text(&self) -> u64 {
        self.largest_text
    }

    fn entry(&self, term: TermId) -> &Entry {
        &self.entries[(term.0 & !MARK) as usize]
    }

    fn args_of(&self, entry: usize) -> &[TermId] {
        let end = self.entries.get(entry + 1).map_or(self.args.len(), |next| next.start as usize);
        &self.args[self.entries[entry].start as usize..end]
    }

    /// What a term of the scratch or the table is made of.
    #[inline]
    pub(crate) fn view<'a>(&'a self, terms: &'a Terms, term: TermId) -> TermView<'a> {
        if !term.is_scratch() {
            return terms.view(term);
        }
        TermView::Compound(self.entry(term).functor, self.args_of((term.0 & !MARK) as usize))
    }

    /// As [`Terms::text_bytes`].
    pub(crate) fn text_bytes(&self, terms: &Terms, term: TermId) -> u64 {
        if term.is_scratch() { self.entry(term).text } else { terms.text_bytes(term) }
    }

    fn hash(functor: SymbolId, args: &[TermId]) -> u64 {
        HASHER.hash_one((functor, args))
    }

    #[inline]
    fn find(&self, hash: u64, functor: SymbolId, args: &[TermId]) -> Option<TermId> {
        let same = |&e: &u32| self.entries[e as usize].functor == functor && self.args_of(e as usize) == args;
        self.index.find(hash, same).map(|&e| self.entries[e as usize].id)
    }

    /// The functional term `functor(args)`; it is added to no table. `room` tells how many bytes the scratch
    /// may hold.
    ///
    /// # Errors
    /// [`Full`] where those are not enough.
    #[inline]
    pub(crate) fn make(
        &mut self,
        terms: &Terms,
        functor: SymbolId,
        args: &[TermId],
        room: impl FnOnce() -> usize,
    ) -> Result<TermId, Full> {
        if args.is_empty() {
            return Ok(terms.constant_of(functor));
        }
        let hash = Self::hash(functor, args);
        if let Some(known) = self.find(hash, functor, args) {
            return Ok(known);
        }
        if !self.reserve(args.len(), room()) {
            return find_in_table(terms, functor, args).ok_or(Full);
        }
        Ok(self.find_or_add(terms, hash, functor, args))
    }

    /// The id of a term that is not in the index: the table's if it has it, or else one of a new term.
    fn find_or_add(&mut self, terms: &Terms, hash: u64, functor: SymbolId, args: &[TermId]) -> TermId {
        // This comes before the look into the table: see the module.
        let fresh = self.fresh.unwrap_or(terms.len() as u32);
        match find_in_table(terms, functor, args) {
            Some(known) => self.push(hash, functor, args, known, 0),
            None => {
                self.fresh = Some(fresh);
                self.add(terms, hash, functor, args)
            }
        }
    }

    fn add(&mut self, terms: &Terms, hash: u64, functor: SymbolId, args: &[TermId]) -> TermId {
        let arg = |&arg: &TermId| self.text_bytes(terms, arg).saturating_add(1);
        let text = args.iter().map(arg).fold(terms.name(functor).len() as u64 + 2, u64::saturating_add);
        self.largest_text = self.largest_text.max(text);
        self.in_table += term_bytes(args.len());
        let id = TermId(self.entries.len() as u32 | MARK);
        self.push(hash, functor, args, id, text)
    }

    fn push(&mut self, hash: u64, functor: SymbolId, args: &[TermId], id: TermId, text: u64) -> TermId {
        let entry = self.entries.len() as u32;
        let start = self.args.len() as u32;
        self.entries.push(Entry { functor, start, id, taken: Cell::new(NOWHERE), text });
        self.args.extend_from_slice(args);
        let Self { entries, args, index, .. } = self;
        let hash_of = |&e: &u32| {
            let end = entries.get(e as usize + 1).map_or(args.len(), |next| next.start as usize);
            Self::hash(entries[e as usize].functor, &args[entries[e as usize].start as usize..end])
        };
        index.insert_unique(hash, entry, hash_of);
        id
    }

    /// Makes room for another term with so many arguments, unless the scratch would take more than `room`
    /// bytes then.
    #[inline]
    fn reserve(&mut self, args: usize, room: usize) -> bool {
        let is_full = self.entries.len() == self.entries.capacity()
            || self.args.len() + args > self.args.capacity()
            || self.index.len() == self.index.capacity();
        !is_full && self.bytes() <= room || self.grow(args, room)
    }

    #[cold]
    fn grow(&mut self, args: usize, room: usize) -> bool {
        if self.entries.len() >= MOST_TERMS || self.args.len() + args > u32::MAX as usize {
            return false;
        }
        let entries = further(self.entries.len(), self.entries.capacity(), 1);
        let more = further(self.args.len(), self.args.capacity(), args);
        let slots = further(self.index.len(), self.index.capacity(), 1);
        let growth = entries * size_of::<Entry>() + more * size_of::<TermId>() + slots * INDEX_BYTES;
        if self.bytes() + growth > room {
            return false;
        }
        self.entries.reserve_exact(entries);
        self.args.reserve_exact(more);
        true
    }

    /// Whether a term of the table with this id may be called otherwise here.
    #[inline(always)]
    pub(crate) fn is_fresh(&self, term: TermId) -> bool {
        self.fresh.is_some_and(|fresh| term.0 >= fresh) && !term.is_scratch()
    }

    /// What a term of the table is called here. `room` tells how many bytes the scratch may hold.
    ///
    /// # Errors
    /// [`Full`] where those are not enough.
    pub(crate) fn name_of(&mut self, terms: &Terms, term: TermId, room: usize) -> Result<TermId, Full> {
        let mut waiting = vec![term];
        while let Some(&term) = waiting.last() {
            if self.known_name(terms, term).is_some() {
                waiting.pop();
                continue;
            }
            // A constant is called what the table calls it.
            let TermView::Compound(functor, args) = terms.view(term) else {
                waiting.pop();
                continue;
            };
            let before = waiting.len();
            waiting.extend(args.iter().filter(|&&arg| self.known_name(terms, arg).is_none()));
            if waiting.len() > before {
                continue;
            }
            waiting.pop();
            let here: SmallVec<[TermId; 8]> =
                args.iter().filter_map(|&arg| self.known_name(terms, arg)).collect();
            let hash = Self::hash(functor, &here);
            let name = match self.find(hash, functor, &here) {
                Some(name) => name,
                None if *here == *args => term,
                None if self.reserve(here.len(), room) => self.add(terms, hash, functor, &here),
                None => return Err(Full),
            };
            if self.names.len() == self.names.capacity()
                && self.bytes() + self.names.capacity().max(8) * NAME_BYTES > room
            {
                return Err(Full);
            }
            self.names.insert(term, name);
        }
        // The last one that was named is the term itself.
        Ok(self.known_name(terms, term).unwrap_or(term))
    }

    /// What a term is called here, if that needs no search.
    fn known_name(&self, terms: &Terms, term: TermId) -> Option<TermId> {
        let is_right = !self.is_fresh(term) || matches!(terms.view(term), TermView::Constant(_));
        if is_right { Some(term) } else { self.names.get(&term).copied() }
    }

    /// Takes a term to another place, which `make` adds to, and remembers what it and its parts are called
    /// there. All terms of a scratch go to one place, or to the table first.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn take<E>(
        &self,
        term: TermId,
        mut make: impl FnMut(SymbolId, &[TermId]) -> Result<TermId, E>,
    ) -> Result<TermId, E> {
        let taken = |term: TermId| if term.is_scratch() { self.entry(term).taken.get() } else { term };
        let is_waiting = |term: TermId| taken(term) == NOWHERE;
        let mut waiting: SmallVec<[TermId; 8]> = smallvec![term];
        while let Some(&term) = waiting.last() {
            if !is_waiting(term) {
                waiting.pop();
                continue;
            }
            let args = self.args_of((term.0 & !MARK) as usize);
            let before = waiting.len();
            waiting.extend(args.iter().copied().filter(|&arg| is_waiting(arg)));
            if waiting.len() == before {
                let entry = self.entry(term);
                let there: SmallVec<[TermId; 8]> = args.iter().map(|&arg| taken(arg)).collect();
                entry.taken.set(make(entry.functor, &there)?);
                waiting.pop();
            }
        }
        Ok(taken(term))
    }

    /// Takes a term over into another scratch, which takes no more room there than here.
    pub(crate) fn take_over(&self, term: TermId, terms: &Terms, to: &mut Scratch) -> TermId {
        let make = |functor, args: &[TermId]| {
            let hash = Self::hash(functor, args);
            let known = to.find(hash, functor, args);
            Ok::<_, Infallible>(known.unwrap_or_else(|| to.find_or_add(terms, hash, functor, args)))
        };
        match self.take(term, make) {
            Ok(taken) => taken,
            Err(never) => match never {},
        }
    }
}

/// What a table calls a term, if it has it; it has none with arguments of a scratch.
fn find_in_table(terms: &Terms, functor: SymbolId, args: &[TermId]) -> Option<TermId> {
    if args.iter().any(|arg| arg.is_scratch()) { None } else { terms.find_compound(functor, args) }
}

/// For how many more items there is to be room where `count` more do not fit.
fn further(length: usize, capacity: usize, count: usize) -> usize {
    /// Whatever is longer grows by a quarter instead of by as much again.
    const LARGE: usize = 1 << 18;
    if length + count <= capacity {
        0
    } else if length < LARGE {
        length.max(32).max(count)
    } else {
        (length / 4).max(count)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;
    use crate::ids::Id;

    fn make(scratch: &mut Scratch, terms: &Terms, functor: SymbolId, args: &[TermId]) -> TermId {
        scratch.make(terms, functor, args, || usize::MAX).unwrap()
    }

    fn name_of(scratch: &mut Scratch, terms: &Terms, term: TermId) -> TermId {
        scratch.name_of(terms, term, usize::MAX).unwrap()
    }

    #[test]
    fn what_the_table_has_is_not_made_again() {
        let terms = Terms::new();
        let (f, a) = (terms.symbol("f"), terms.constant("a"));
        let fa = terms.compound(f, &[a]);
        let held = (terms.len(), terms.bytes());
        let mut scratch = Scratch::default();
        assert_eq!(make(&mut scratch, &terms, f, &[a]), fa);
        assert_eq!(make(&mut scratch, &terms, f, &[]), terms.find_compound(f, &[]).unwrap());
        assert!(!scratch.has_terms());
        let held = (held.0 + 1, held.1 + ENTRY_OF_CONSTANT);
        let ffa = make(&mut scratch, &terms, f, &[fa]);
        let pair = make(&mut scratch, &terms, f, &[ffa, a]);
        assert!(ffa.is_scratch() && pair.is_scratch() && scratch.has_terms());
        assert_eq!(make(&mut scratch, &terms, f, &[fa]), ffa);
        assert_eq!(scratch.view(&terms, pair), TermView::Compound(f, &[ffa, a]));
        assert_eq!(scratch.view(&terms, fa), TermView::Compound(f, &[a]));
        assert_eq!(scratch.text_bytes(&terms, pair), "(f (f (f a)) a)".len() as u64);
        assert_eq!(scratch.largest_text(), scratch.text_bytes(&terms, pair));
        assert_eq!((terms.len(), terms.bytes()), held);
        assert_eq!(scratch.bytes_in_table(), term_bytes(1) + term_bytes(2));
    }

    /// What the constant `f` takes.
    const ENTRY_OF_CONSTANT: usize = super::super::ENTRY_BYTES;

    #[test]
    fn a_structure_keeps_its_id_when_the_table_gets_it_too() {
        let terms = Terms::new();
        let (f, g, a) = (terms.symbol("f"), terms.symbol("g"), terms.constant("a"));
        let old = terms.compound(g, &[a]);
        let mut scratch = Scratch::default();
        let fa = make(&mut scratch, &terms, f, &[a]);
        // Another thread needs these, too.
        let theirs = terms.compound(f, &[a]);
        let deep = terms.compound(g, &[theirs]);
        let other = terms.compound(g, &[old]);
        assert_eq!(make(&mut scratch, &terms, f, &[a]), fa);
        assert_eq!(name_of(&mut scratch, &terms, theirs), fa);
        // What contains it is a term of the scratch as well, whoever comes first.
        let here = name_of(&mut scratch, &terms, deep);
        assert!(here.is_scratch());
        assert_eq!(make(&mut scratch, &terms, g, &[fa]), here);
        // What does not is the table's, from whichever side it comes.
        assert_eq!(name_of(&mut scratch, &terms, other), other);
        assert_eq!(make(&mut scratch, &terms, g, &[old]), other);
        assert_eq!([old, a].map(|term| name_of(&mut scratch, &terms, term)), [old, a]);
        assert_eq!(name_of(&mut scratch, &terms, here), here);
    }

    #[test]
    fn what_is_wanted_is_taken_out_once() {
        let terms = Terms::new();
        let (f, a) = (terms.symbol("f"), terms.constant("a"));
        let mut scratch = Scratch::default();
        let doubled = (0..100).fold(a, |term, _| make(&mut scratch, &terms, f, &[term, term]));
        assert_eq!(scratch.text_bytes(&terms, doubled), u64::MAX);
        let before = terms.len();
        let put = |functor, args: &[TermId]| Ok::<_, Infallible>(terms.compound(functor, args));
        let Ok(there) = scratch.take(doubled, put);
        assert_eq!((terms.len() - before, terms.text_bytes(there)), (100, u64::MAX));
        let never = |_, _: &[TermId]| Err(());
        assert_eq!((scratch.take(doubled, never), scratch.take(a, never)), (Ok(there), Ok(a)));
        // A limit on the way leaves no wrong name behind.
        let b = terms.constant("b");
        let deep = (0..10).fold(b, |term, _| make(&mut scratch, &terms, f, &[term]));
        let mut left = 5;
        let some = |functor, args: &[TermId]| {
            left -= 1;
            if left > 0 { Ok(terms.compound(functor, args)) } else { Err("full") }
        };
        assert_eq!(scratch.take(deep, some), Err("full"));
        let Ok(there) = scratch.take(deep, put);
        assert_eq!(terms.text_bytes(there), 41);
        assert_eq!(name_of(&mut scratch, &terms, there), deep);
    }

    #[test]
    fn a_new_scratch_has_what_is_still_wanted_and_no_more() {
        let terms = Terms::new();
        let (s, zero) = (terms.symbol("s"), terms.constant("0"));
        let mut old = Scratch::default();
        let chain: Vec<TermId> = (0..1_000)
            .scan(zero, |term, _| {
                *term = make(&mut old, &terms, s, &[*term]);
                Some(*term)
            })
            .collect();
        let theirs = (0..3).fold(zero, |term, _| terms.compound(s, &[term]));
        let mut new = Scratch::default();
        // Ids of the new one that are those of other terms in the old one do no harm.
        let first = make(&mut new, &terms, s, &[zero, zero]);
        assert_eq!(first, chain[0]);
        let tenth = old.take_over(chain[9], &terms, &mut new);
        assert_eq!(new.text_bytes(&terms, tenth), old.text_bytes(&terms, chain[9]));
        assert_eq!(old.take_over(chain[2], &terms, &mut new), theirs);
        assert_eq!(old.take_over(chain[9], &terms, &mut new), tenth);
        assert!(new.used() * 20 < old.used());
        assert_eq!(new.bytes_in_table(), 7 * term_bytes(1) + term_bytes(2));
    }

    #[test]
    fn a_scratch_keeps_to_its_room() {
        let terms = Terms::new();
        let (s, zero) = (terms.symbol("s"), terms.constant("0"));
        let known = terms.compound(s, &[zero, zero]);
        for room in [0, 5_000, 1 << 20] {
            let mut scratch = Scratch::default();
            let mut term = zero;
            while let Ok(next) = scratch.make(&terms, s, &[term], || room) {
                term = next;
                assert!(scratch.bytes() <= room + room / 8, "{} of {room}", scratch.bytes());
            }
            assert!(scratch.bytes() >= room / 8 && scratch.used() <= scratch.bytes());
            // What the table has takes none.
            assert_eq!(scratch.make(&terms, s, &[zero, zero], || room).unwrap(), known);
        }
    }

    #[test]
    fn threads_that_share_a_table_have_one_id_for_each_structure() {
        const DEPTH: usize = 300;
        let terms = Terms::new();
        let (s, zero) = (terms.symbol("s"), terms.constant("0"));
        let barrier = Barrier::new(4);
        let work = |turn: usize| -> (Scratch, Vec<TermId>) {
            barrier.wait();
            let mut scratch = Scratch::default();
            let mut here = vec![zero];
            for n in 0..DEPTH {
                here.push(make(&mut scratch, &terms, s, &here[n..]));
                if n % 4 == turn {
                    let put = |functor, args: &[TermId]| Ok::<_, Infallible>(terms.compound(functor, args));
                    let Ok(there) = scratch.take(here[n + 1], put);
                    assert_eq!(name_of(&mut scratch, &terms, there), here[n + 1]);
                }
            }
            (scratch, here)
        };
        let done: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|turn| {
                    scope.spawn({
                        let work = &work;
                        move || work(turn)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (mut scratch, here) in done {
            for term in (0..terms.len()).map(TermId::from_index) {
                if let TermView::Compound(..) = terms.view(term) {
                    let depth = (terms.text_bytes(term) as usize - 1) / 4;
                    assert_eq!(name_of(&mut scratch, &terms, term), here[depth]);
                }
            }
        }
    }
}
