//! The ground facts of a program and a state, indexed for partly bound subgoals.

use rustc_hash::FxHashMap;

use crate::ids::{ClauseId, IdVec, RelationId, SymbolId, TermId};
use crate::program::{GroundAtom, Pattern, Program};
use crate::terms::{TermView, Terms};

/// Where an atom comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// A clause of the program.
    Clause(ClauseId),
    /// A fact from outside: the position in the list that was given.
    Given(usize),
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Argument(usize, TermId),
    Functor(usize, SymbolId, usize),
    /// An argument of an argument, such as the row in `true(cell(1,Y,P))`.
    Nested(usize, SymbolId, usize, TermId),
}

/// The facts of one relation.
#[derive(Default)]
pub(crate) struct FactTable {
    pub rows: Vec<Box<[TermId]>>,
    pub reasons: Vec<Reason>,
    lookup: FxHashMap<Box<[TermId]>, usize>,
    index: Option<FxHashMap<Key, Vec<usize>>>,
}

impl FactTable {
    fn add(&mut self, row: Box<[TermId]>, reason: Reason) {
        if !self.lookup.contains_key(&row) {
            self.lookup.insert(row.clone(), self.rows.len());
            self.rows.push(row);
            self.reasons.push(reason);
        }
    }

    pub fn find(&self, row: &[TermId]) -> Option<usize> {
        self.lookup.get(row).copied()
    }

    /// The rows that may match, in order; `value` gives the value of a pattern where it is known.
    pub fn candidates(
        &mut self,
        terms: &Terms,
        args: &[Pattern],
        mut value: impl FnMut(&Pattern) -> Option<TermId>,
    ) -> Vec<usize> {
        let index = self.index.get_or_insert_with(|| Self::build(&self.rows, terms));
        let mut best: Option<&[usize]> = None;
        let mut consider = |key: Key| {
            let rows = index.get(&key).map_or(&[][..], Vec::as_slice);
            if best.is_none_or(|b| rows.len() < b.len()) {
                best = Some(rows);
            }
        };
        for (position, arg) in args.iter().enumerate() {
            if let Some(term) = value(arg) {
                consider(Key::Argument(position, term));
            } else if let Pattern::Compound(functor, parts) = arg {
                consider(Key::Functor(position, *functor, parts.len()));
                for (i, part) in parts.iter().enumerate() {
                    if let Some(term) = value(part) {
                        consider(Key::Nested(position, *functor, i, term));
                    }
                }
            }
        }
        best.map_or_else(|| (0..self.rows.len()).collect(), <[usize]>::to_vec)
    }

    fn build(rows: &[Box<[TermId]>], terms: &Terms) -> FxHashMap<Key, Vec<usize>> {
        let mut index: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
        for (number, row) in rows.iter().enumerate() {
            for (position, &term) in row.iter().enumerate() {
                index.entry(Key::Argument(position, term)).or_default().push(number);
                if let TermView::Compound(functor, args) = terms.view(term) {
                    index.entry(Key::Functor(position, functor, args.len())).or_default().push(number);
                    for (i, &arg) in args.iter().enumerate() {
                        index.entry(Key::Nested(position, functor, i, arg)).or_default().push(number);
                    }
                }
            }
        }
        index
    }
}

/// The facts of all relations.
pub(crate) struct Facts {
    tables: IdVec<RelationId, FactTable>,
}

impl Facts {
    /// The program's own ground facts and the given ones, in this order.
    pub fn new(program: &Program, given: &[GroundAtom]) -> Self {
        let mut tables: IdVec<RelationId, FactTable> =
            program.relations.iter().map(|_| FactTable::default()).collect();
        for (id, clause) in program.clauses.entries() {
            if let Some(row) = ground_fact(program, id) {
                tables[clause.head.relation].add(row, Reason::Clause(id));
            }
        }
        for (number, atom) in given.iter().enumerate() {
            tables[atom.relation].add(atom.args.clone(), Reason::Given(number));
        }
        Self { tables }
    }

    pub fn of(&self, relation: RelationId) -> &FactTable {
        &self.tables[relation]
    }

    pub fn of_mut(&mut self, relation: RelationId) -> &mut FactTable {
        &mut self.tables[relation]
    }

    /// A rough count of the bytes held.
    pub fn bytes(&self) -> usize {
        self.tables.iter().map(|t| t.rows.iter().map(|r| 96 + 8 * r.len()).sum::<usize>()).sum()
    }
}

/// The arguments of a clause that is a ground fact.
pub(crate) fn ground_fact(program: &Program, clause: ClauseId) -> Option<Box<[TermId]>> {
    let clause = &program.clauses[clause];
    if !clause.is_fact() {
        return None;
    }
    clause.head.args.iter().map(Pattern::ground).collect()
}
