//! Terms, logic programs, models and proofs: the logic under every game.
//!
//! This crate knows nothing of games, files or notations. A [`Program`] is a
//! set of clauses over hash-consed [`Terms`] with an [`Interface`] that says
//! which relations are *given* from outside, which are *asked*, and which
//! *feed* which (`next` feeds `true`). Everything else in Ludex is built from
//! questions about such a program.
#![forbid(unsafe_code)]

mod binding;
mod budget;
#[cfg(test)]
mod clause_text;
mod csr;
pub mod dependency;
pub mod derive;
pub mod domain;
pub mod escape;
pub mod evaluator;
pub mod ground;
mod ids;
pub mod levels;
mod order;
mod program;
pub mod relational;
pub mod sat;
pub mod scc;
mod terms;
mod threads;
mod union_find;

pub use budget::{Budget, Clock, LimitError, Meter, Progress};
pub use csr::Csr;
pub use ids::{AtomId, ClauseId, Id, IdVec, RelationId, SymbolId, TermId, VariableId};
pub use program::{
    Atom, Clause, Feed, Formula, GroundAtom, Interface, Pattern, Program, ProgramBuilder, Relation,
    RelationOrigin,
};
pub use terms::{LEGAL_TEXT_LIMIT, Notation, SHOWN_TEXT, Survivors, TEXT_LIMIT, TermView, Terms};
pub use threads::begin_threads;
pub use union_find::UnionFind;
