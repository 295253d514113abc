//! Tails: tables of terms that go on from another one and are dropped when their work is done.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;

use super::{Base, TermView, Terms};
use crate::budget::LimitError;
use crate::ids::{Id, SymbolId, TermId};

impl Terms {
    /// A table that goes on from what `base` holds now: ids of the base mean the same in both, and what
    /// is added here stays here, up to `room` bytes. Two tails share nothing that either changes.
    ///
    /// Symbols are added to the base: there are no more of them than names in texts.
    pub fn tail(base: &Arc<Terms>, room: usize) -> Terms {
        // Terms are in the array before they are in the hash table, and nothing is ever taken out.
        let (first, bytes) = {
            let _no_term_is_half_added = base.lock();
            (base.len(), base.bytes())
        };
        Terms::over(Some(Base { terms: Arc::clone(base), bytes, room }), first)
    }

    /// Bytes of what was added to a tail; of any other table, all.
    pub(super) fn own_bytes(&self) -> usize {
        let before = self.base.as_ref().map_or(0, |base| base.bytes);
        self.bytes.load(Ordering::Relaxed).saturating_sub(before)
    }
}

/// Takes over terms from a tail into the table that it goes on from: those that are wanted for longer.
pub struct Survivors<'a> {
    tail: &'a Terms,
    base: &'a Terms,
    limit: usize,
    known: FxHashMap<TermId, TermId>,
}

impl<'a> Survivors<'a> {
    /// `base` is what `tail` goes on from, and may grow to `limit` bytes.
    pub fn new(tail: &'a Terms, base: &'a Terms, limit: usize) -> Self {
        Self { tail, base, limit, known: FxHashMap::default() }
    }

    /// The term of the base that is the same as this one of the tail.
    ///
    /// # Errors
    /// [`LimitError::Memory`] where the base is full.
    pub fn take(&mut self, term: TermId) -> Result<TermId, LimitError> {
        enum Job<'a> {
            Read(TermId),
            Make(TermId, SymbolId, &'a [TermId]),
        }
        let mut jobs = vec![Job::Read(term)];
        while let Some(job) = jobs.pop() {
            match job {
                Job::Read(term) if self.find(term).is_some() => {}
                Job::Read(term) => match self.tail.view(term) {
                    TermView::Constant(symbol) => {
                        self.known.insert(term, self.base.constant_of(symbol));
                    }
                    TermView::Compound(functor, args) => {
                        jobs.push(Job::Make(term, functor, args));
                        jobs.extend(args.iter().map(|&arg| Job::Read(arg)));
                    }
                },
                Job::Make(term, functor, args) => {
                    // The arguments were taken over before.
                    let args: smallvec::SmallVec<[TermId; 8]> =
                        args.iter().filter_map(|&arg| self.find(arg)).collect();
                    let made = self.base.try_compound(functor, &args, self.limit)?;
                    self.known.insert(term, made);
                }
            }
        }
        // The last job is that of the term itself.
        Ok(self.find(term).unwrap_or(term))
    }

    fn find(&self, term: TermId) -> Option<TermId> {
        if term.index() < self.tail.first { Some(term) } else { self.known.get(&term).copied() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_keeps_what_it_makes_and_sees_what_was_there() {
        let base = Arc::new(Terms::new());
        let (f, a) = (base.symbol("f"), base.constant("a"));
        let fa = base.compound(f, &[a]);
        let tail = Terms::tail(&base, 10_000);
        assert_eq!((tail.constant("a"), tail.compound(f, &[a])), (a, fa));
        let held = (base.len(), base.bytes());
        let ffa = tail.compound(f, &[fa]);
        let b = tail.constant("b");
        assert_eq!(tail.find_compound(f, &[fa]), Some(ffa));
        assert_eq!((base.len(), base.find_compound(f, &[fa])), (held.0, None));
        // What the base gets meanwhile has the same numbers, and is something else.
        let other = base.compound(f, &[fa, fa]);
        assert_eq!(other, ffa);
        assert_eq!((tail.prefix(ffa), base.prefix(other)), ("(f (f a))".into(), "(f (f a) (f a))".into()));
        assert_ne!(tail.compound(f, &[fa, fa]), other);
        let mut survivors = Survivors::new(&tail, &base, usize::MAX);
        let deep = tail.compound(f, &[ffa, b]);
        let taken = survivors.take(deep).unwrap();
        assert_eq!(base.prefix(taken), "(f (f (f a)) b)");
        assert_eq!((survivors.take(fa), survivors.take(deep)), (Ok(fa), Ok(taken)));
    }

    #[test]
    fn a_tail_has_no_more_room_than_it_was_given() {
        let base = Arc::new(Terms::new());
        let (s, zero) = (base.symbol("s"), base.constant("0"));
        (0..1000).fold(zero, |term, _| base.compound(s, &[term]));
        let before = base.bytes();
        let tail = Terms::tail(&base, 5_000);
        let mut term = tail.compound(s, &[zero, zero]);
        let full = loop {
            match tail.try_compound(s, &[term], usize::MAX) {
                Ok(next) => term = next,
                Err(full) => break full,
            }
        };
        assert!(matches!(full, LimitError::Memory { limit: 5_000, .. }), "{full}");
        assert_eq!(base.bytes(), before);
        assert!((5_000..6_000).contains(&(tail.bytes() - before)));
        assert!(Survivors::new(&tail, &base, before).take(term).is_err());
    }

    #[test]
    fn tails_of_many_threads_go_on_from_one_table_and_give_back_the_same() {
        let base = Arc::new(Terms::new());
        let (s, zero) = (base.symbol("s"), base.constant("0"));
        let taken: Vec<TermId> = std::thread::scope(|scope| {
            let work = |_| {
                scope.spawn(|| {
                    let tail = Terms::tail(&base, usize::MAX);
                    let deep = (0..2_000).fold(zero, |term, _| tail.compound(s, &[term]));
                    Survivors::new(&tail, &base, usize::MAX).take(deep).unwrap()
                })
            };
            let threads: Vec<_> = (0..4).map(work).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(taken.iter().all(|&term| term == taken[0]));
        assert_eq!(base.len(), 2_001);
    }
}
