//! Relational logic (book 19.2): sentences in place of rules, with no negation as failure.
//!
//! What a set of sentences ([`Theory`]) says is said of *truth assignments*: each gives every ground atom a value, and
//! satisfies some sentences or not ([`Sentence`]). A sentence is *entailed* if all assignments that satisfy the theory
//! satisfy it, *refuted* if none does, and *unknown* otherwise.
//!
//! The variables range over a finite [`Universe`]; over it, sentences become propositional formulas
//! ([`Grounding`]), and a [`Reasoner`] asks a solver about them. The definition itself, without any solver, is
//! [`Assignment`].

mod assignment;
mod formulas;
mod grounding;
mod reasoner;
#[cfg(test)]
mod tests;
mod universe;

use std::sync::Arc;

use crate::ids::{IdVec, RelationId, SymbolId, VariableId};
use crate::program::{Atom, Pattern, Relation};
use crate::terms::Terms;

pub use assignment::Assignment;
pub use formulas::{Edge, EdgeView, Formulas};
pub use grounding::{Grounding, GroundingError, GroundingOptions, Instance, Root};
pub use reasoner::{Answer, Moment, PremiseId, Reasoner};
pub use universe::Universe;

crate::define_id!(
    /// A sentence of one [`Theory`], in the order in which they were written.
    pub SentenceId
);

/// A sentence of relational logic, nested as it was written (book 19.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sentence {
    /// A relation holds of some terms.
    Atom(Atom),
    /// Two terms are the same.
    Equal(Pattern, Pattern),
    /// A negation.
    Not(Box<Sentence>),
    /// A conjunction; the empty one is true.
    And(Vec<Sentence>),
    /// A disjunction; the empty one is false.
    Or(Vec<Sentence>),
    /// An implication: antecedent, consequent.
    Implies(Box<Sentence>, Box<Sentence>),
    /// A biconditional.
    Iff(Box<Sentence>, Box<Sentence>),
    /// Every instance holds.
    ForAll(VariableId, Box<Sentence>),
    /// Some instance holds.
    Exists(VariableId, Box<Sentence>),
}

impl Sentence {
    /// The parts of the sentence, one level below.
    pub fn parts(&self) -> Vec<&Sentence> {
        match self {
            Self::Atom(_) | Self::Equal(..) => Vec::new(),
            Self::Not(part) | Self::ForAll(_, part) | Self::Exists(_, part) => vec![part],
            Self::And(parts) | Self::Or(parts) => parts.iter().collect(),
            Self::Implies(one, other) | Self::Iff(one, other) => vec![one, other],
        }
    }

    /// Calls `visit` for the sentence and all sentences in it.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Sentence)) {
        let mut open = vec![self];
        while let Some(sentence) = open.pop() {
            visit(sentence);
            open.extend(sentence.parts().into_iter().rev());
        }
    }

    /// Calls `visit` for each atom.
    pub fn atoms<'a>(&'a self, visit: &mut impl FnMut(&'a Atom)) {
        self.visit(&mut |sentence| {
            if let Self::Atom(atom) = sentence {
                visit(atom);
            }
        });
    }
}

/// A sentence with its variables: those that no quantifier binds are universal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedSentence {
    /// What is said.
    pub sentence: Sentence,
    /// The names of all its variables, free or bound, without `?`; each quantifier has a variable of its own.
    pub variables: IdVec<VariableId, SymbolId>,
    /// Those that no quantifier binds, in the order in which they occur.
    pub free: Vec<VariableId>,
}

/// A set of sentences over some relations.
#[derive(Clone, Debug)]
pub struct Theory {
    /// The terms the sentences are made of.
    pub terms: Arc<Terms>,
    /// All relations.
    pub relations: IdVec<RelationId, Relation>,
    /// The sentences, in the order in which they were written.
    pub sentences: IdVec<SentenceId, StatedSentence>,
    /// Arguments that stand for the same things even where no sentence says so, as those of `next` and `true`: the
    /// relation and the position, from 0.
    pub same_things: Vec<[(RelationId, usize); 2]>,
}

impl Theory {
    /// A theory that says nothing yet.
    pub fn new(terms: Arc<Terms>) -> Self {
        Self { terms, relations: IdVec::new(), sentences: IdVec::new(), same_things: Vec::new() }
    }

    /// The relation of this name and arity.
    pub fn find_relation(&self, name: &str, arity: usize) -> Option<RelationId> {
        let name = self.terms.find_symbol(name)?;
        self.relations.entries().find(|(_, r)| r.name == name && r.arity == arity).map(|(id, _)| id)
    }

    /// The relation of this name and arity, made if need be.
    pub fn relation(&mut self, name: SymbolId, arity: usize) -> RelationId {
        let known = self.relations.entries().find(|(_, r)| r.name == name && r.arity == arity);
        match known {
            Some((id, _)) => id,
            None => {
                let origin = crate::program::RelationOrigin::Source;
                self.relations.push(Relation { name, arity, origin })
            }
        }
    }
}
