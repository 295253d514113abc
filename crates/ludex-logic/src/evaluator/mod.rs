//! Bottom-up evaluation: models of programs, whole or only as far as a question needs.
//!
//! A program is made flat (functors become columns), its rules become plans over registers, static
//! relations are computed once, and a [`Session`] computes any other relation when it is first asked
//! for. Recursive relations are computed semi-naively. What this layer does not do: parse, explain
//! (see the derivations), or know what a game is.

pub(crate) mod body;
mod columns;
pub(crate) mod compile;
mod demand_driven;
pub(crate) mod flat;
pub(crate) mod front;
mod layout;
mod normal;
mod order;
mod plan;
pub(crate) mod session;
pub(crate) mod statistics;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::binding::Adornments;
use crate::budget::{Budget, LimitError};
use crate::ids::{ClauseId, Id, IdVec, RelationId, SymbolId, TermId};
use crate::program::{GroundAtom, Program};
use crate::terms::{TermView, Terms};
use body::FlatId;
use compile::{Compiled, Statics, compile};
use flat::{FlatKey, Slot};
use front::Front;
pub use session::{SCRATCH_BYTES, Session};
use statistics::TableStatistics;
pub use table::TableId;

/// Why a program cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluatorError {
    /// A limit on work, time or memory.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A relation depends on its own negation (specification Def. 8).
    #[error("`{relation}` depends on its own negation")]
    Unstratified {
        /// The relation's name.
        relation: String,
    },
    /// A clause with a variable that no positive subgoal binds (specification Def. 18).
    #[error("clause {} has a variable that no positive subgoal binds", .clause.index() + 1)]
    Unsafe {
        /// The clause.
        clause: ClauseId,
    },
    /// A fact that the program can never hold.
    #[error("the fact is outside of what the program can hold")]
    Outside {
        /// The fact.
        fact: GroundAtom,
    },
}

/// A row of values. Values number terms; [`Evaluator::decode`] gives them back.
pub type Row = SmallVec<[u32; 8]>;

/// Arguments, and `None` for those that are not in the table of all.
pub type Known = SmallVec<[Option<TermId>; 4]>;

/// A program ready to run. Cheap to clone; shared by threads.
///
/// ```
/// use std::sync::Arc;
/// use ludex_logic::{Atom, Budget, Formula, IdVec, Pattern, ProgramBuilder, Terms};
/// use ludex_logic::evaluator::Evaluator;
///
/// // `light` is given from outside, and `dark :- ~light`.
/// let terms = Arc::new(Terms::new());
/// let mut builder = ProgramBuilder::new(Arc::clone(&terms));
/// let atom = |relation| Atom { relation, args: Pattern::first_variables(0) };
/// let (light, dark) = (builder.relation(terms.symbol("light"), 0), builder.relation(terms.symbol("dark"), 0));
/// let body = Formula::And(vec![Formula::Not(Box::new(Formula::Atom(atom(light))))]);
/// builder.clause(atom(dark), body, IdVec::new(), None);
/// builder.interface().given.push(light);
/// let program = builder.finish();
///
/// let evaluator = Evaluator::new(&program, &Budget::unlimited()).unwrap();
/// let mut session = evaluator.session(&Budget::unlimited());
/// assert_eq!(evaluator.answers(&mut session, dark).unwrap().len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator {
    front: Arc<Front>,
    compiled: Arc<Compiled>,
    adornments: Arc<Adornments>,
    /// Bytes of terms that a session makes before it looks which are still wanted.
    scratch: usize,
}

/// How large relations were in the states of a sample.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    tables: IdVec<FlatId, TableStatistics>,
}

/// A program made flat, from which evaluators with different plans are made.
#[derive(Debug)]
pub struct Preparation {
    front: Arc<Front>,
    interface: Vec<RelationId>,
}

impl Preparation {
    /// Makes a program flat.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn new(program: &Program, budget: &Budget) -> Result<Self, EvaluatorError> {
        let interface = program.interface.asked.iter().chain(&program.interface.given).copied().collect();
        Ok(Self { front: Arc::new(Front::new(program, budget)?), interface })
    }

    /// How many relations have more than `threshold` possible rows and bind some columns in all uses.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn demand_driven_count(&self, threshold: f64, budget: &Budget) -> Result<usize, EvaluatorError> {
        Ok(self.adornments(threshold, budget)?.iter().flatten().count())
    }

    fn adornments(&self, threshold: f64, budget: &Budget) -> Result<Adornments, LimitError> {
        if threshold.is_infinite() {
            return Ok(vec![None; self.front.relations.len()].into());
        }
        demand_driven::choose(&self.front, &self.interface, threshold, &mut budget.meter())
    }

    /// An evaluator that computes those relations for bound arguments, as they are demanded, and not whole.
    /// Static relations are computed on the way, within `budget`.
    ///
    /// # Errors
    /// When a clause is unsafe, negation is not stratified, or a limit is reached.
    pub fn evaluator(&self, threshold: f64, budget: &Budget) -> Result<Evaluator, EvaluatorError> {
        let adornments = self.adornments(threshold, budget)?;
        let unseen = vec![TableStatistics::default(); self.front.relations.len()].into();
        let compiled = compile(&self.front, &adornments, &unseen, Statics::Compute, budget)?;
        Ok(Evaluator {
            front: Arc::clone(&self.front),
            compiled: Arc::new(compiled),
            adornments: Arc::new(adornments),
            scratch: SCRATCH_BYTES,
        })
    }
}

impl Evaluator {
    /// Prepares a program. Its static relations are computed on the way, within `budget`.
    ///
    /// # Errors
    /// When a clause is unsafe, negation is not stratified, or a limit is reached.
    pub fn new(program: &Program, budget: &Budget) -> Result<Self, EvaluatorError> {
        Preparation::new(program, budget)?.evaluator(f64::INFINITY, budget)
    }

    /// A session whose questions stay within `budget`.
    pub fn session(&self, budget: &Budget) -> Session {
        Session::with_scratch(Arc::clone(&self.compiled), budget, self.scratch)
    }

    /// An empty sample for [`Evaluator::sample`].
    pub fn statistics(&self) -> Statistics {
        Statistics { tables: vec![TableStatistics::default(); self.front.relations.len()].into() }
    }

    /// Adds what a session has computed to a sample.
    pub fn sample(&self, session: &Session, statistics: &mut Statistics) {
        let mut seen: IdVec<TableId, TableStatistics> =
            vec![TableStatistics::default(); self.compiled.relations.len()].into();
        for (id, table) in statistics.tables.entries() {
            seen[self.compiled.table_of[id]] = table.clone();
        }
        session.collect(&mut seen);
        for (table, &id) in statistics.tables.iter_mut().zip(self.compiled.table_of.iter()) {
            *table = seen[id].clone();
        }
    }

    /// The same program with join orders chosen by a sample.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn with_statistics(&self, statistics: &Statistics, budget: &Budget) -> Result<Self, EvaluatorError> {
        let before = Statics::Same(&self.compiled);
        let compiled = compile(&self.front, &self.adornments, &statistics.tables, before, budget)?;
        Ok(Self {
            front: Arc::clone(&self.front),
            compiled: Arc::new(compiled),
            adornments: Arc::clone(&self.adornments),
            scratch: self.scratch,
        })
    }

    /// The same program, whose sessions look which of the terms that they make are still wanted whenever those
    /// take `bytes` ([`SCRATCH_BYTES`] otherwise), and drop the others.
    #[must_use]
    pub fn with_scratch(self, bytes: usize) -> Self {
        Self { scratch: bytes, ..self }
    }

    /// The terms of the program.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.compiled.terms
    }

    /// The number of tables.
    pub fn table_count(&self) -> usize {
        self.compiled.relations.len()
    }

    /// The tables of a relation: one for each choice of functors in its arguments.
    pub fn tables(&self, relation: RelationId) -> Vec<TableId> {
        self.front.variants[relation.index()].iter().map(|&id| self.compiled.table_of[id]).collect()
    }

    /// The number of columns.
    pub fn arity(&self, table: TableId) -> usize {
        self.compiled.relations[table].shape.arity
    }

    /// How many different rows there can be, where that is small enough to number them.
    pub fn size(&self, table: TableId) -> Option<u32> {
        self.compiled.relations[table].shape.size
    }

    /// The number of a row below [`Evaluator::size`].
    #[inline]
    pub fn number(&self, table: TableId, row: &[u32]) -> u32 {
        self.compiled.relations[table].shape.number(row)
    }

    /// The table and row of a ground atom; `None` when no state can hold it.
    pub fn encode(&self, relation: RelationId, args: &[TermId]) -> Option<(TableId, Row)> {
        let terms = &self.compiled.terms;
        self.front.variants[relation.index()].iter().find_map(|&id| {
            let key = self.front.relations[id].key.as_ref()?;
            let row = encode_as(terms, key, args, |t| self.compiled.values.number(t))?;
            self.is_exact(key, args).then(|| (self.compiled.table_of[id], row))
        })
    }

    /// Whether a variant is the one that holds these arguments: a split position's plain column holds
    /// constants only.
    fn is_exact(&self, key: &FlatKey, args: &[TermId]) -> bool {
        let terms = &self.compiled.terms;
        let siblings = &self.front.variants[key.relation.index()];
        key.slots.iter().zip(args).enumerate().all(|(i, (slot, &arg))| {
            let is_split = siblings.iter().any(|&s| {
                self.front.relations[s].key.as_ref().is_some_and(|k| matches!(k.slots[i], Slot::Functor(_)))
            });
            *slot != Slot::Column || !is_split || matches!(terms.view(arg), TermView::Constant(_))
        })
    }

    /// The arguments of the program's relation that a row of a session stands for; empty for relations made
    /// here. Those that only the session has are put into the table of all, as far as its limit on memory goes.
    ///
    /// # Errors
    /// [`LimitError::Memory`].
    pub fn decode(
        &self,
        session: &Session,
        table: TableId,
        row: &[u32],
    ) -> Result<SmallVec<[TermId; 4]>, LimitError> {
        let limit = session.memory_limit();
        self.decode_by(session, table, row, |name, args| self.terms().try_compound(name, args, limit))
    }

    /// As [`Evaluator::decode`], whatever the limit: for what was counted before.
    pub fn decode_surely(&self, session: &Session, table: TableId, row: &[u32]) -> SmallVec<[TermId; 4]> {
        let make = |name, args: &[TermId]| Ok::<_, Infallible>(self.terms().compound(name, args));
        match self.decode_by(session, table, row, make) {
            Ok(args) => args,
            Err(never) => match never {},
        }
    }

    fn decode_by<E>(
        &self,
        session: &Session,
        table: TableId,
        row: &[u32],
        mut make: impl FnMut(SymbolId, &[TermId]) -> Result<TermId, E>,
    ) -> Result<SmallVec<[TermId; 4]>, E> {
        self.arguments(table, row)
            .map(|(slot, values)| match slot {
                Slot::Column => session.take(values[0], &mut make),
                Slot::Value(term) => Ok(*term),
                Slot::Functor((name, _)) => {
                    let inner: Result<SmallVec<[TermId; 8]>, E> =
                        values.iter().map(|&value| session.take(value, &mut make)).collect();
                    make(*name, &inner?)
                }
            })
            .collect()
    }

    /// The arguments that a row of a session stands for, as far as the table of all has them.
    pub fn look(&self, session: &Session, table: TableId, row: &[u32]) -> Known {
        self.arguments(table, row)
            .map(|(slot, values)| match slot {
                Slot::Column => session.lasting(values[0]),
                Slot::Value(term) => Some(*term),
                Slot::Functor((name, _)) => {
                    let inner: Option<SmallVec<[TermId; 8]>> =
                        values.iter().map(|&value| session.lasting(value)).collect();
                    self.terms().find_compound(*name, &inner?)
                }
            })
            .collect()
    }

    /// The arguments of the program's relation with their parts of a row.
    fn arguments<'a>(
        &'a self,
        table: TableId,
        row: &'a [u32],
    ) -> impl Iterator<Item = (&'a Slot, &'a [u32])> {
        let id = self.compiled.origin[table];
        let key = id.and_then(|id| self.front.relations[id].key.as_ref());
        let mut rest = row;
        key.map_or(&[][..], |key| &key.slots).iter().map(move |slot| {
            let (values, others) = rest.split_at(slot.width());
            rest = others;
            (slot, values)
        })
    }

    /// The bytes that the arguments of a row take as text beside its values ([`Terms::text_bytes`]).
    pub fn text_bytes_beside(&self, table: TableId) -> u64 {
        let terms = &self.compiled.terms;
        let id = self.compiled.origin[table];
        let key = id.and_then(|id| self.front.relations[id].key.as_ref());
        let slots = key.map_or(&[][..], |key| &key.slots);
        let bytes = slots.iter().map(|slot| match slot {
            Slot::Column => 0,
            Slot::Value(term) => terms.text_bytes(*term),
            Slot::Functor((name, arity)) => (terms.name(*name).len() + 2 + arity) as u64,
        });
        bytes.fold(0, u64::saturating_add)
    }

    /// The terms that can stand in one argument of a relation, as far as its columns tell; nothing
    /// when some column is open or there are more than `limit`.
    pub fn possible(&self, relation: RelationId, argument: usize, limit: usize) -> Vec<TermId> {
        let mut found = rustc_hash::FxHashSet::default();
        for &id in &self.front.variants[relation.index()] {
            let front = &self.front.relations[id];
            let Some(key) = &front.key else { continue };
            let start: usize = key.slots[..argument].iter().map(Slot::width).sum();
            let columns = &front.domains[start..start + key.slots[argument].width()];
            let mut rows: Vec<Vec<TermId>> = vec![Vec::new()];
            for column in columns {
                let Some(domain) = column else { return Vec::new() };
                if rows.len().saturating_mul(domain.len()) > limit {
                    return Vec::new();
                }
                rows = rows
                    .iter()
                    .flat_map(|r| {
                        domain.iter().map(|&v| [r.as_slice(), &[self.compiled.values.term(v)]].concat())
                    })
                    .collect();
            }
            for row in rows {
                found.insert(match key.slots[argument] {
                    Slot::Column => row[0],
                    Slot::Functor((name, _)) => self.compiled.terms.compound(name, &row),
                    Slot::Value(term) => term,
                });
            }
            if found.len() > limit {
                return Vec::new();
            }
        }
        let mut found: Vec<TermId> = found.into_iter().collect();
        found.sort_unstable_by(|&a, &b| self.compiled.terms.compare(a, b));
        found
    }

    /// All ground atoms of these relations, in canonical order of their arguments.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn answers(
        &self,
        session: &mut Session,
        relation: RelationId,
    ) -> Result<Vec<SmallVec<[TermId; 4]>>, LimitError> {
        let mut found = Vec::new();
        for table in self.tables(relation) {
            session.count(table)?;
            for row in session.each_known_row(table) {
                found.push(self.decode(session, table, row)?);
            }
        }
        let terms = &self.compiled.terms;
        found.sort_by(|a, b| terms.compare_lists(a, b));
        Ok(found)
    }

    /// Adds a ground atom to a given relation of a session.
    ///
    /// # Errors
    /// [`EvaluatorError::Outside`] when the program can never hold it; a limit.
    pub fn give(&self, session: &mut Session, atom: &GroundAtom) -> Result<(), EvaluatorError> {
        let outside = || EvaluatorError::Outside { fact: atom.clone() };
        let (table, row) = self.encode(atom.relation, &atom.args).ok_or_else(outside)?;
        if session.insert_row(table, &row)? { Ok(()) } else { Err(outside()) }
    }

    /// The pairs of tables by which `from` becomes `to` when a session advances.
    pub fn feed(&self, from: RelationId, to: RelationId) -> TableFeed {
        let moves = self.front.variants[to.index()]
            .iter()
            .map(|&id| {
                let key = self.front.relations[id].key.as_ref();
                let source =
                    key.and_then(|k| self.front.ids.get(&FlatKey { relation: from, slots: k.slots.clone() }));
                (source.map(|&source| self.compiled.table_of[source]), self.compiled.table_of[id])
            })
            .collect();
        let level = self.front.variants[to.index()].first().map_or(0, |&id| self.front.relations[id].level);
        TableFeed { moves, level }
    }
}

/// How one relation becomes another; see [`Evaluator::feed`].
#[derive(Clone, Debug)]
pub struct TableFeed {
    moves: Vec<(Option<TableId>, TableId)>,
    level: u32,
}

impl Session {
    /// Empties the relation that a feed leads to, with everything that was computed from it.
    pub fn clear(&mut self, feed: &TableFeed) {
        let targets: SmallVec<[TableId; 16]> = feed.moves.iter().map(|m| m.1).collect();
        self.clear_given(&targets, feed.level);
    }

    /// Makes what was computed of the first relation of a feed the content of the second, and forgets
    /// everything that depended on the old content.
    ///
    /// # Errors
    /// When a limit is reached while the first relation is computed.
    pub fn follow(&mut self, feed: &TableFeed) -> Result<(), LimitError> {
        for &(from, _) in &feed.moves {
            if let Some(from) = from {
                self.count(from)?;
            }
        }
        self.advance(&feed.moves, feed.level);
        Ok(())
    }
}

fn encode_as(terms: &Terms, key: &FlatKey, args: &[TermId], value: impl Fn(TermId) -> u32) -> Option<Row> {
    let mut row = Row::new();
    for (slot, &arg) in key.slots.iter().zip(args) {
        match (slot, terms.view(arg)) {
            (Slot::Column, _) => row.push(value(arg)),
            (Slot::Value(term), _) if *term == arg => {}
            (Slot::Functor((name, arity)), TermView::Compound(f, inner))
                if f == *name && inner.len() == *arity =>
            {
                row.extend(inner.iter().map(|&t| value(t)));
            }
            _ => return None,
        }
    }
    Some(row)
}

/// Everything that follows from a program and given facts: all ground atoms of all its relations but
/// helpers, ordered by relation and then canonically (specification Def. 13).
///
/// # Errors
/// When the program cannot be evaluated, a given fact can never hold, or a limit is reached.
pub fn model(
    program: &Program,
    given: &[GroundAtom],
    budget: &Budget,
) -> Result<Vec<GroundAtom>, EvaluatorError> {
    let evaluator = Evaluator::new(program, budget)?;
    let mut session = evaluator.session(budget);
    for atom in given {
        evaluator.give(&mut session, atom)?;
    }
    let mut found = Vec::new();
    for relation in program.relations.ids() {
        for args in evaluator.answers(&mut session, relation)? {
            found.push(GroundAtom { relation, args: args.into_vec().into() });
        }
    }
    Ok(found)
}
