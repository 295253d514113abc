//! Derivations (book chapter 13): queries answered from the rules backwards, with their reasons.
//!
//! [`Derivations`] holds a program and the facts of one state. It answers queries with *all*
//! answers, and shows why: as a proof or a refutation ([`Explanation`]), as the linear derivations
//! that the book prints, or as the whole derivation tree ([`DerivationTree`]).
//!
//! Answers come from tables, so recursion of any kind ends; negation is negation as failure on
//! ground literals, and tests wait until their variables have values. Everything spends a
//! [`Meter`], and no input makes the stack overflow.

mod compile;
mod error;
mod facts;
mod instance;
mod proof;
mod search;
mod show;
mod solve;
#[cfg(test)]
mod tests;
mod tree;
mod unify;
mod writer;

use crate::budget::{LimitError, Meter};
use crate::ids::{IdVec, SymbolId, TermId, VariableId};
use crate::program::{Atom, Formula, GroundAtom, Pattern, Program};

pub use compile::MAX_NESTING;
pub use error::DeriveError;
pub use facts::Reason;
pub use proof::{Attempt, ExplainOptions, Explanation, Node, Premise};
pub use show::{NegationStyle, Numbering, Style};
use solve::{Solver, Value};
pub use tree::{DerivationTree, NodeKind, Root, RootKind, Step, TreeNode, TreeOptions, VariableName};

/// A question: a formula with the names of its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What is asked; a conjunction of literals, or any formula.
    pub formula: Formula,
    /// The names of the formula's variables.
    pub variables: IdVec<VariableId, SymbolId>,
}

impl Query {
    /// The query for one atom without variables.
    pub fn ground(atom: &GroundAtom) -> Self {
        let args = atom.args.iter().map(|&t| Pattern::Ground(t)).collect();
        Self { formula: Formula::Atom(Atom { relation: atom.relation, args }), variables: IdVec::new() }
    }

    /// The variables that occur, in order of their first occurrence.
    pub fn occurring(&self) -> Vec<VariableId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        self.formula.variables(&mut |v| {
            if seen.insert(v) {
                found.push(v);
            }
        });
        found
    }
}

/// All answers to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// The query's variables in order of first occurrence.
    pub variables: Vec<VariableId>,
    /// The values of the variables, one row per answer, in canonical order; one empty row says
    /// "yes" to a query without variables.
    pub rows: Vec<Box<[TermId]>>,
}

impl Answers {
    /// Whether there is any answer.
    pub fn is_yes(&self) -> bool {
        !self.rows.is_empty()
    }
}

/// A program with the facts of one state, and everything that was derived from them so far.
pub struct Derivations<'p> {
    solver: Solver<'p>,
    given: Vec<GroundAtom>,
}

impl<'p> Derivations<'p> {
    /// Derivations from the program's clauses and the `given` facts (the state, moves).
    ///
    /// # Errors
    /// [`DeriveError::Malformed`] when a given fact has an unknown relation or the wrong arity.
    pub fn new(program: &'p Program, given: &[GroundAtom]) -> Result<Self, DeriveError> {
        let fits =
            |a: &GroundAtom| program.relations.get(a.relation).is_some_and(|r| r.arity == a.args.len());
        if !given.iter().all(fits) {
            return Err(DeriveError::Malformed);
        }
        let facts = facts::Facts::new(program, given);
        Ok(Self { solver: Solver::new(program, facts), given: given.to_vec() })
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.solver.program
    }

    /// The facts from outside.
    pub fn given(&self) -> &[GroundAtom] {
        &self.given
    }

    /// All answers to a query, each once, in canonical order.
    ///
    /// # Errors
    /// A limit of the budget; a query or rule that is not safe; recursion through negation.
    pub fn answers(&mut self, query: &Query, meter: &mut Meter) -> Result<Answers, DeriveError> {
        match self.answers_within(query, meter)? {
            (answers, None) => Ok(answers),
            (_, Some(limit)) => Err(limit.into()),
        }
    }

    /// The answers to a query that are found before a limit of the budget is reached, and that limit. Each of
    /// them follows, whatever is still to come; without a limit they are all there are.
    ///
    /// # Errors
    /// A query or rule that is not safe; recursion through negation.
    pub fn answers_within(
        &mut self,
        query: &Query,
        meter: &mut Meter,
    ) -> Result<(Answers, Option<LimitError>), DeriveError> {
        let result = self.solve_query(query, meter);
        if !matches!(result, Ok((_, None))) {
            self.solver.forget();
        }
        result
    }

    /// Whether a ground atom follows.
    ///
    /// # Errors
    /// As [`Derivations::answers`].
    pub fn holds(&mut self, atom: &GroundAtom, meter: &mut Meter) -> Result<bool, DeriveError> {
        self.check_atom(atom)?;
        let call: Box<[Value]> = atom.args.iter().map(|&t| Some(t)).collect();
        let table = self.solver.solve_relation(atom.relation, &call, meter);
        let table = self.forget_after_error(table)?;
        Ok(!self.solver.tables[table].answers.is_empty())
    }

    fn check_atom(&self, atom: &GroundAtom) -> Result<(), DeriveError> {
        match self.program().relations.get(atom.relation) {
            Some(relation) if relation.arity == atom.args.len() => Ok(()),
            _ => Err(DeriveError::Malformed),
        }
    }

    fn check_query(&self, query: &Query) -> Result<(), DeriveError> {
        if compile::nesting(&query.formula) > MAX_NESTING {
            return Err(DeriveError::TooDeep { clause: None });
        }
        let mut fits = true;
        query.formula.atoms(&mut |atom, _| {
            fits &= self.program().relations.get(atom.relation).is_some_and(|r| r.arity == atom.args.len());
        });
        query.formula.variables(&mut |v| fits &= query.variables.get(v).is_some());
        if fits { Ok(()) } else { Err(DeriveError::Malformed) }
    }

    fn solve_query(
        &mut self,
        query: &Query,
        meter: &mut Meter,
    ) -> Result<(Answers, Option<LimitError>), DeriveError> {
        self.check_query(query)?;
        let variables = query.occurring();
        let program = self.program();
        let procedure = self.solver.code.query(program, &query.formula, &variables)?;
        let call = vec![None; variables.len()];
        let (table, stopped) = match self.solver.table(procedure, &call, meter) {
            Ok(table) => (Some(table), self.solver.run(meter)),
            Err(error) => (None, Err(error)),
        };
        let stopped = match stopped {
            Ok(()) => None,
            Err(DeriveError::Limit(limit)) => Some(limit),
            Err(other) => return Err(other),
        };
        // A negation is only settled once its table is complete, so what was answered stays an answer.
        let found = table.map_or(&[][..], |table| &self.solver.tables[table].answers);
        let rows = found.iter();
        let mut rows: Vec<Box<[TermId]>> = rows.filter_map(|row| instance::ground(row)).collect();
        rows.sort_by(|a, b| program.terms.compare_lists(a, b));
        Ok((Answers { variables, rows }, stopped))
    }

    /// After a limit or an error the tables are unfinished and must not be read.
    fn forget_after_error<T>(&mut self, result: Result<T, DeriveError>) -> Result<T, DeriveError> {
        if result.is_err() {
            self.solver.forget();
        }
        result
    }
}
