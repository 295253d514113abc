//! Logic programs, one to one with the clauses they were written as.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ids::{ClauseId, Id, IdVec, RelationId, SymbolId, TermId, VariableId};
use crate::terms::Terms;

/// A term that may contain variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// A variable of the clause.
    Variable(VariableId),
    /// A term without variables.
    Ground(TermId),
    /// A functional term with at least one variable in it.
    Compound(SymbolId, Box<[Pattern]>),
}

impl Pattern {
    /// Calls `visit` for each occurrence of a variable, from left to right.
    pub fn variables(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Pattern::Variable(v) => visit(*v),
            Pattern::Ground(_) => {}
            Pattern::Compound(_, args) => args.iter().for_each(|a| a.variables(visit)),
        }
    }

    /// Whether the term has no variable.
    pub fn is_ground(&self) -> bool {
        matches!(self, Pattern::Ground(_))
    }

    /// The term, where it has no variable.
    pub fn ground(&self) -> Option<TermId> {
        if let Pattern::Ground(term) = self { Some(*term) } else { None }
    }

    /// The first `count` variables of a clause.
    pub fn first_variables(count: usize) -> Box<[Pattern]> {
        (0..count).map(|v| Pattern::Variable(VariableId::from_index(v))).collect()
    }
}

/// A relation applied to terms. Relations are those of a program, unless another kind is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom<R = RelationId> {
    /// The relation.
    pub relation: R,
    /// As many terms as the relation's arity.
    pub args: Box<[Pattern]>,
}

impl<R> Atom<R> {
    /// Calls `visit` for each occurrence of a variable, from left to right.
    pub fn variables(&self, visit: &mut impl FnMut(VariableId)) {
        self.args.iter().for_each(|a| a.variables(visit));
    }
}

impl Atom {
    /// The same, where it has no variable.
    pub fn ground(&self) -> Option<GroundAtom> {
        let args = self.args.iter().map(Pattern::ground).collect::<Option<_>>()?;
        Some(GroundAtom { relation: self.relation, args })
    }
}

/// A relation applied to ground terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroundAtom {
    /// The relation.
    pub relation: RelationId,
    /// As many terms as the relation's arity.
    pub args: Box<[TermId]>,
}

/// The body of a clause, nested as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A subgoal.
    Atom(Atom),
    /// The two terms are syntactically different (specification 5.3).
    Distinct(Pattern, Pattern),
    /// Negation as failure.
    Not(Box<Formula>),
    /// All of these; the empty conjunction is true.
    And(Vec<Formula>),
    /// At least one of these; the empty disjunction is false.
    Or(Vec<Formula>),
}

impl Formula {
    /// The formula that always holds.
    pub const TRUE: Formula = Formula::And(Vec::new());

    /// Calls `visit` for each occurrence of a variable, from left to right.
    pub fn variables(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Formula::Atom(atom) => atom.variables(visit),
            Formula::Distinct(a, b) => {
                a.variables(visit);
                b.variables(visit);
            }
            Formula::Not(inner) => inner.variables(visit),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|p| p.variables(visit)),
        }
    }

    /// Calls `visit` for each atom, with whether it stands under an odd number of negations.
    pub fn atoms<'a>(&'a self, visit: &mut impl FnMut(&'a Atom, bool)) {
        self.atoms_below(false, visit);
    }

    fn atoms_below<'a>(&'a self, negated: bool, visit: &mut impl FnMut(&'a Atom, bool)) {
        match self {
            Formula::Atom(atom) => visit(atom, negated),
            Formula::Distinct(..) => {}
            Formula::Not(inner) => inner.atoms_below(!negated, visit),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|p| p.atoms_below(negated, visit));
            }
        }
    }

    /// The same formula with other terms.
    ///
    /// # Errors
    /// What `term` answers.
    pub fn map<E>(&self, term: &mut impl FnMut(&Pattern) -> Result<Pattern, E>) -> Result<Formula, E> {
        Ok(match self {
            Formula::Atom(Atom { relation, args }) => {
                let args = args.iter().map(term).collect::<Result<_, E>>()?;
                Formula::Atom(Atom { relation: *relation, args })
            }
            Formula::Distinct(a, b) => Formula::Distinct(term(a)?, term(b)?),
            Formula::Not(inner) => Formula::Not(Box::new(inner.map(term)?)),
            Formula::And(parts) => Formula::And(parts.iter().map(|p| p.map(term)).collect::<Result<_, E>>()?),
            Formula::Or(parts) => Formula::Or(parts.iter().map(|p| p.map(term)).collect::<Result<_, E>>()?),
        })
    }

    /// The parts of a conjunction; any other formula is its own only part.
    pub fn conjuncts(&self) -> &[Formula] {
        match self {
            Formula::And(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }
}

/// A fact (when the body is [`Formula::TRUE`]) or a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The head.
    pub head: Atom,
    /// The body: as a rule an [`Formula::And`] of the subgoals in the order they were written.
    pub body: Formula,
    /// The names of the clause's variables, without `?`.
    pub variables: IdVec<VariableId, SymbolId>,
    /// The clause of the rulesheet this one is, or was derived from.
    pub origin: ClauseId,
}

impl Clause {
    /// Whether the clause has no body.
    pub fn is_fact(&self) -> bool {
        matches!(&self.body, Formula::And(parts) if parts.is_empty())
    }
}

/// Where a relation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationOrigin {
    /// The program's author.
    Source,
    /// A transform made it to stand for a part of this clause; users never see it.
    Helper(ClauseId),
}

/// A relation constant with its arity. One name with two arities is two relations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The name.
    pub name: SymbolId,
    /// The number of arguments.
    pub arity: usize,
    /// Who introduced it.
    pub origin: RelationOrigin,
}

/// `from` at one moment becomes `to` at the next: `next` feeds `true`, `legal` feeds `does`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feed {
    /// The relation that is computed.
    pub from: RelationId,
    /// The given relation of the same arity that it turns into.
    pub to: RelationId,
    /// `from` only says what `to` can be at most (`base`, `input`) and makes nothing so.
    pub is_bound: bool,
}

/// How an open program (book 2.2, appendix A.3) meets the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Relations whose facts come from outside (`true`, `does`).
    pub given: Vec<RelationId>,
    /// Relations that are asked from outside (`legal`, `next`, `goal`...).
    pub asked: Vec<RelationId>,
    /// What becomes what.
    pub feeds: Vec<Feed>,
}

/// A logic program with its interface, made by [`ProgramBuilder`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Program {
    /// The terms the clauses are made of.
    pub terms: Arc<Terms>,
    /// All relations.
    pub relations: IdVec<RelationId, Relation>,
    /// All clauses, in the order they were written.
    pub clauses: IdVec<ClauseId, Clause>,
    /// What is given, asked and fed.
    pub interface: Interface,
}

impl Program {
    /// The relation of this name and arity.
    pub fn find_relation(&self, name: &str, arity: usize) -> Option<RelationId> {
        let name = self.terms.find_symbol(name)?;
        self.relations.entries().find(|(_, r)| r.name == name && r.arity == arity).map(|(id, _)| id)
    }

    /// The text of a relation's name.
    pub fn relation_name(&self, relation: RelationId) -> &str {
        self.terms.name(self.relations[relation].name)
    }

    /// The ids of the clauses of each relation, in order.
    pub fn clauses_by_head(&self) -> IdVec<RelationId, Vec<ClauseId>> {
        let mut by_head: IdVec<RelationId, Vec<ClauseId>> =
            self.relations.iter().map(|_| Vec::new()).collect();
        for (id, clause) in self.clauses.entries() {
            by_head[clause.head.relation].push(id);
        }
        by_head
    }

    /// The same program over a table that has all its terms.
    pub(crate) fn over(&self, terms: Arc<Terms>) -> Self {
        Self { terms, ..self.clone() }
    }

    /// Whether the relation's facts come from outside.
    pub fn is_given(&self, relation: RelationId) -> bool {
        self.interface.given.contains(&relation)
    }
}

/// Builds a [`Program`] clause by clause.
///
/// ```
/// use std::sync::Arc;
/// use ludex_logic::{Atom, Formula, IdVec, Pattern, ProgramBuilder, Terms, VariableId, Id};
///
/// // `edge(a,b)` and `path(X,Y) :- edge(X,Y)`.
/// let terms = Arc::new(Terms::new());
/// let mut builder = ProgramBuilder::new(Arc::clone(&terms));
/// let edge = builder.relation(terms.symbol("edge"), 2);
/// let path = builder.relation(terms.symbol("path"), 2);
/// let args = [terms.constant("a"), terms.constant("b")].map(Pattern::Ground).into();
/// builder.clause(Atom { relation: edge, args }, Formula::TRUE, IdVec::new(), None);
/// let variables = Pattern::first_variables(2);
/// let body = Formula::And(vec![Formula::Atom(Atom { relation: edge, args: variables.clone() })]);
/// let names: IdVec<VariableId, _> = [terms.symbol("X"), terms.symbol("Y")].into_iter().collect();
/// let rule = builder.clause(Atom { relation: path, args: variables }, body, names, None);
/// let program = builder.finish();
/// assert_eq!((rule.index(), program.relation_name(path)), (1, "path"));
///
/// // What follows from it.
/// let model = ludex_logic::evaluator::model(&program, &[], &ludex_logic::Budget::unlimited()).unwrap();
/// let said: Vec<_> = model.iter().map(|atom| program.relation_name(atom.relation)).collect();
/// assert_eq!(said, ["edge", "path"]);
/// ```
#[derive(Debug)]
pub struct ProgramBuilder {
    program: Program,
    by_name: FxHashMap<(SymbolId, usize), RelationId>,
}

impl ProgramBuilder {
    /// An empty program over these terms.
    pub fn new(terms: Arc<Terms>) -> Self {
        let program = Program {
            terms,
            relations: IdVec::new(),
            clauses: IdVec::new(),
            interface: Interface::default(),
        };
        Self { program, by_name: FxHashMap::default() }
    }

    /// Goes on from an existing program.
    pub fn from_program(program: Program) -> Self {
        let by_name = program.relations.entries().map(|(id, r)| ((r.name, r.arity), id)).collect();
        Self { program, by_name }
    }

    /// A program with the relations of another one, and no clauses yet.
    pub fn over(program: &Program) -> Self {
        let relations = program.relations.clone();
        Self::from_program(Program { relations, ..Self::new(Arc::clone(&program.terms)).program })
    }

    /// The terms of the program.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.program.terms
    }

    /// The relation of this name and arity, made if need be.
    pub fn relation(&mut self, name: SymbolId, arity: usize) -> RelationId {
        let relations = &mut self.program.relations;
        *self
            .by_name
            .entry((name, arity))
            .or_insert_with(|| relations.push(Relation { name, arity, origin: RelationOrigin::Source }))
    }

    /// A new relation that stands for a part of the clause `of`. Its name cannot be written by a user.
    pub fn helper(&mut self, of: ClauseId, arity: usize) -> RelationId {
        let number = self.program.relations.len();
        let name = self.program.terms.symbol(&format!("\u{1}helper {number}"));
        self.program.relations.push(Relation { name, arity, origin: RelationOrigin::Helper(of) })
    }

    /// Adds a clause. Its origin is itself unless `origin` is given.
    pub fn clause(
        &mut self,
        head: Atom,
        body: Formula,
        variables: IdVec<VariableId, SymbolId>,
        origin: Option<ClauseId>,
    ) -> ClauseId {
        let id = ClauseId::from_index(self.program.clauses.len());
        self.program.clauses.push(Clause { head, body, variables, origin: origin.unwrap_or(id) })
    }

    /// Adds a clause of another program over the same terms and relations.
    pub fn add(&mut self, clause: Clause) {
        self.program.clauses.push(clause);
    }

    /// The interface, to be filled in.
    pub fn interface(&mut self) -> &mut Interface {
        &mut self.program.interface
    }

    /// The program so far.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The finished program.
    pub fn finish(self) -> Program {
        self.program
    }
}
