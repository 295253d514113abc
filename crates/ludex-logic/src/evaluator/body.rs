//! Rules over literals and blocks, for relations of a program and for flat ones.

use crate::binding::HasVariables;
use crate::ids::{ClauseId, RelationId, VariableId};
use crate::program::{Atom, Pattern};

crate::define_id!(
    /// A flat relation: a relation of the program with one choice of functors, or one that was made.
    pub(crate) FlatId
);

/// A subgoal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Literal<R> {
    Positive(Atom<R>),
    /// All variables are bound by positive literals.
    Negative(Atom<R>),
    Distinct(Pattern, Pattern),
    Equal(Pattern, Pattern),
    /// The variable holds a constant, not a functional term.
    Constant(VariableId),
    /// Holds when some alternative does, or when none does. Variables that occur nowhere else are
    /// existential.
    Block {
        negated: bool,
        alternatives: Vec<Vec<Literal<R>>>,
    },
}

/// A rule whose subgoals are literals, or more than that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule<R, G = Literal<R>> {
    pub head: Atom<R>,
    pub body: Vec<G>,
    /// Variables are numbered below this.
    pub variables: u32,
    /// The clause it is a part of; `None` where it only hands on facts.
    pub origin: Option<ClauseId>,
}

pub(crate) type NormalLiteral = Literal<RelationId>;
pub(crate) type NormalRule = Rule<RelationId>;
pub(crate) type FlatAtom = Atom<FlatId>;
pub(crate) type FlatLiteral = Literal<FlatId>;
pub(crate) type FlatRule = Rule<FlatId>;

impl<R> HasVariables for Literal<R> {
    fn each_variable(&self, visit: &mut dyn FnMut(VariableId)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.each_variable(visit),
            Literal::Distinct(a, b) | Literal::Equal(a, b) => {
                a.each_variable(visit);
                b.each_variable(visit);
            }
            Literal::Constant(v) => visit(*v),
            Literal::Block { alternatives, .. } => {
                alternatives.iter().for_each(|body| body.each_variable(visit));
            }
        }
    }
}

impl<R> Literal<R> {
    /// Calls `visit` for each atom, with whether it stands under an odd number of negations.
    pub(crate) fn atoms<'a>(&'a self, negated: bool, visit: &mut dyn FnMut(&'a Atom<R>, bool)) {
        match self {
            Literal::Positive(atom) => visit(atom, negated),
            Literal::Negative(atom) => visit(atom, !negated),
            Literal::Block { negated: n, alternatives } => {
                alternatives.iter().flatten().for_each(|l| l.atoms(negated != *n, visit));
            }
            _ => {}
        }
    }

    /// Whether it is the literal of a block.
    pub(crate) fn is_block(&self) -> bool {
        matches!(self, Literal::Block { .. })
    }

    /// The same with other atoms and other compared terms.
    pub(crate) fn map<S>(
        &self,
        atom: &impl Fn(&Atom<R>) -> Atom<S>,
        term: &impl Fn(&Pattern) -> Pattern,
    ) -> Literal<S> {
        match self {
            Literal::Positive(positive) => Literal::Positive(atom(positive)),
            Literal::Negative(negative) => Literal::Negative(atom(negative)),
            Literal::Distinct(a, b) => Literal::Distinct(term(a), term(b)),
            Literal::Equal(a, b) => Literal::Equal(term(a), term(b)),
            Literal::Constant(v) => Literal::Constant(*v),
            Literal::Block { negated, alternatives } => {
                let map = |body: &Vec<Literal<R>>| body.iter().map(|l| l.map(atom, term)).collect();
                Literal::Block { negated: *negated, alternatives: alternatives.iter().map(map).collect() }
            }
        }
    }
}

impl<R> Rule<R> {
    /// The rule by which `to` holds what `from` does.
    pub(crate) fn copying(from: R, to: R, arity: usize) -> Self {
        let args = Pattern::first_variables(arity);
        Self {
            head: Atom { relation: to, args: args.clone() },
            body: vec![Literal::Positive(Atom { relation: from, args })],
            variables: arity as u32,
            origin: None,
        }
    }

    /// The same over other relations.
    pub(crate) fn map<S>(&self, relation: &impl Fn(&R) -> S) -> Rule<S> {
        let atom = |atom: &Atom<R>| Atom { relation: relation(&atom.relation), args: atom.args.clone() };
        Rule {
            head: atom(&self.head),
            body: self.body.iter().map(|literal| literal.map(&atom, &Pattern::clone)).collect(),
            variables: self.variables,
            origin: self.origin,
        }
    }
}
