//! The terms that a session makes: in its scratch, out of it, and when it is cleared.

use super::{Limited, Session};
use crate::budget::LimitError;
use crate::evaluator::Row;
use crate::evaluator::compile::Compiled;
use crate::evaluator::table::Table;
use crate::ids::{SymbolId, TermId};
use crate::terms::TermView;
use crate::terms::scratch::{Full, Scratch};

/// A session looks which of its terms are still wanted when those take this many bytes (1 MiB); or an eighth
/// of the limit on memory where that is less, and twice what was wanted the last time where that is more.
pub const SCRATCH_BYTES: usize = 1 << 20;
/// See [`SCRATCH_BYTES`].
const SHARE_OF_MEMORY: usize = 8;

/// Where a session makes terms.
pub(super) enum Made {
    /// In the table: whoever asks keeps all that is computed.
    InTable,
    /// In a scratch of its own.
    InScratch(Box<Local>),
}

/// A scratch and what a session knows of it.
pub(super) struct Local {
    scratch: Scratch,
    /// The least value that stands for a term of a scratch.
    least: u32,
    /// Bytes up to which nobody looks what is still wanted.
    spare: usize,
    /// Bytes that were still wanted the last time.
    wanted: usize,
    /// How often terms of the scratch have got other ids.
    generation: u64,
}

impl Local {
    pub(super) fn new(compiled: &Compiled, spare: usize) -> Self {
        let least = compiled.values.least_of_scratch();
        Self { scratch: Scratch::default(), least, spare, wanted: 0, generation: 0 }
    }
}

impl Made {
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Made::InTable => 0,
            Made::InScratch(local) => local.scratch.bytes(),
        }
    }

    /// What a term is made of.
    #[inline]
    pub(super) fn view<'a>(&'a self, compiled: &'a Compiled, term: TermId) -> TermView<'a> {
        match self {
            Made::InTable => compiled.terms.view(term),
            Made::InScratch(local) => local.scratch.view(&compiled.terms, term),
        }
    }

    fn localised(&mut self, compiled: &Compiled, row: &[u32], room: usize) -> Result<Row, Full> {
        let name = |&value: &u32| match self {
            Made::InTable => Ok(value),
            Made::InScratch(local) => {
                let name = local.scratch.name_of(&compiled.terms, compiled.values.term(value), room)?;
                Ok(compiled.values.number(name))
            }
        };
        row.iter().map(name).collect()
    }

    /// The scratch, where some term is called otherwise in it than in the table.
    #[inline(always)]
    fn with_terms(&self) -> Option<&Local> {
        match self {
            Made::InScratch(local) if local.scratch.has_terms() => Some(local),
            _ => None,
        }
    }
}

impl Session {
    /// The term `functor(args)` for this session.
    #[inline]
    pub(super) fn make(
        &mut self,
        compiled: &Compiled,
        functor: SymbolId,
        args: &[TermId],
    ) -> Limited<TermId> {
        let limit = self.budget.memory();
        let Made::InScratch(local) = &mut self.made else {
            return compiled.terms.try_compound(functor, args, limit);
        };
        let held = self.bytes + self.outside;
        let room = || limit.saturating_sub(held + compiled.terms.bytes());
        match local.scratch.make(&compiled.terms, functor, args, room) {
            Ok(term) => Ok(term),
            Err(Full) => self.make_after_count(compiled, functor, args),
        }
    }

    /// As [`Session::make`], after the tables were counted afresh.
    #[cold]
    fn make_after_count(
        &mut self,
        compiled: &Compiled,
        functor: SymbolId,
        args: &[TermId],
    ) -> Limited<TermId> {
        let room = self.room_for_scratch(compiled);
        match &mut self.made {
            Made::InTable => compiled.terms.try_compound(functor, args, self.budget.memory()),
            Made::InScratch(local) => {
                let made = local.scratch.make(&compiled.terms, functor, args, || room);
                made.map_err(|Full| self.no_room())
            }
        }
    }

    /// Bytes that the scratch may hold.
    fn room_for_scratch(&mut self, compiled: &Compiled) -> usize {
        self.bytes = self.tables.iter().map(Table::bytes).sum();
        self.budget.memory().saturating_sub(self.bytes + self.outside + compiled.terms.bytes())
    }

    fn no_room(&self) -> LimitError {
        LimitError::Memory { limit: self.budget.memory(), what: "ground terms".into() }
    }

    /// A row from outside with the values that its terms have in this session, where those may be others.
    pub(super) fn localised(&mut self, compiled: &Compiled, row: &[u32]) -> Limited<Option<Row>> {
        let Some(local) = self.made.with_terms() else { return Ok(None) };
        if !row.iter().any(|&value| local.scratch.is_fresh(compiled.values.term(value))) {
            return Ok(None);
        }
        let held = self.bytes + self.outside + compiled.terms.bytes();
        let room = self.budget.memory().saturating_sub(held);
        if let Ok(row) = self.made.localised(compiled, row, room) {
            return Ok(Some(row));
        }
        let room = self.room_for_scratch(compiled);
        self.made.localised(compiled, row, room).map(Some).map_err(|Full| self.no_room())
    }

    /// Whether the scratch has grown so far that it pays to look what is still wanted.
    pub(super) fn has_large_scratch(&self) -> bool {
        let Made::InScratch(local) = &self.made else { return false };
        let spare = local.spare.min(self.budget.memory() / SHARE_OF_MEMORY);
        local.scratch.used() > spare.max(2 * local.wanted)
    }

    /// Drops the scratch but for the terms of the rows that there are, which get other ids. Not for the time
    /// between a question and its answer.
    #[cold]
    pub(super) fn tidy(&mut self, compiled: &Compiled) {
        let Made::InScratch(local) = &mut self.made else { return };
        let old = std::mem::take(&mut local.scratch);
        if old.has_terms() {
            local.generation += 1;
            let mut name = |value: u32| match compiled.values.term(value) {
                term if term.is_scratch() => {
                    compiled.values.number(old.take_over(term, &compiled.terms, &mut local.scratch))
                }
                _ => value,
            };
            let shapes = compiled.relations.as_slice()[compiled.static_count..].iter().map(|r| &r.shape);
            for (table, shape) in self.tables.iter_mut().zip(shapes) {
                if table.rows().iter().any(|&value| value >= local.least) {
                    table.rename(shape, &mut name);
                }
            }
        }
        local.wanted = local.scratch.used();
    }

    /// How often values of this session have come to stand for other terms: the values that
    /// [`Session::is_passing`] tells of do so when the facts change.
    pub fn generation(&self) -> u64 {
        match &self.made {
            Made::InTable => 0,
            Made::InScratch(local) => local.generation,
        }
    }

    /// Whether some value of a row stands for a term that only this session has, and only until its
    /// [`Session::generation`] ends.
    #[inline]
    pub fn is_passing(&self, row: &[u32]) -> bool {
        self.made.with_terms().is_some_and(|local| row.iter().any(|&value| value >= local.least))
    }

    /// The bytes of a value's term as text ([`Terms::text_bytes`](crate::Terms::text_bytes)).
    pub fn text_bytes(&self, value: u32) -> u64 {
        let (terms, term) = (&self.compiled.terms, self.compiled.values.term(value));
        match self.made.with_terms() {
            Some(local) => local.scratch.text_bytes(terms, term),
            None => terms.text_bytes(term),
        }
    }

    /// No term of this session takes more than this many bytes as text.
    pub fn largest_text(&self) -> u64 {
        let here = self.made.with_terms().map_or(0, |local| local.scratch.largest_text());
        here.max(self.compiled.terms.largest_text())
    }

    /// The bytes that its passing terms would take in the table of all.
    pub fn bytes_in_table(&self) -> usize {
        self.made.with_terms().map_or(0, |local| local.scratch.bytes_in_table())
    }

    /// The term of a value, put into the table of all by `make`.
    pub(crate) fn take<E>(
        &self,
        value: u32,
        make: impl FnMut(SymbolId, &[TermId]) -> Result<TermId, E>,
    ) -> Result<TermId, E> {
        let term = self.compiled.values.term(value);
        match self.made.with_terms() {
            Some(local) => local.scratch.take(term, make),
            None => Ok(term),
        }
    }

    /// The term of a value, if no other session could have another id for it.
    pub(crate) fn lasting(&self, value: u32) -> Option<TermId> {
        Some(self.compiled.values.term(value)).filter(|term| !term.is_scratch())
    }

    /// What it may take to put terms into the table of all.
    pub(crate) fn memory_limit(&self) -> usize {
        self.budget.memory()
    }
}
