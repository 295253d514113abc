//! Truth assignments, and what they satisfy: the definitions of 19.2, word by word.

use rustc_hash::FxHashSet;

use super::{Sentence, StatedSentence};
use crate::ids::{Id, RelationId, TermId, VariableId};
use crate::program::{GroundAtom, Pattern};
use crate::terms::Terms;

/// A truth assignment over some objects: the ground atoms that are true; all others are false.
#[derive(Clone, Debug, Default)]
pub struct Assignment {
    /// What variables range over, here without sorts.
    pub objects: Vec<TermId>,
    /// The atoms that are true.
    pub holds: FxHashSet<GroundAtom>,
}

impl Assignment {
    /// Makes an atom true.
    pub fn set(&mut self, relation: RelationId, args: &[TermId]) {
        self.holds.insert(GroundAtom { relation, args: args.into() });
    }

    /// Whether the assignment satisfies a sentence: with free variables, whether it satisfies every instance.
    pub fn satisfies(&self, terms: &Terms, stated: &StatedSentence) -> bool {
        let mut evaluation =
            Evaluation { assignment: self, terms, binding: vec![None; stated.variables.len()] };
        evaluation.every(&stated.free, &stated.sentence)
    }
}

struct Evaluation<'a> {
    assignment: &'a Assignment,
    terms: &'a Terms,
    binding: Vec<Option<TermId>>,
}

impl Evaluation<'_> {
    fn every(&mut self, variables: &[VariableId], sentence: &Sentence) -> bool {
        let Some((&first, rest)) = variables.split_first() else { return self.holds(sentence) };
        let assignment = self.assignment;
        let every = assignment.objects.iter().all(|&object| {
            self.binding[first.index()] = Some(object);
            self.every(rest, sentence)
        });
        self.binding[first.index()] = None;
        every
    }

    fn holds(&mut self, sentence: &Sentence) -> bool {
        match sentence {
            Sentence::Atom(atom) => {
                let args: Option<Box<[TermId]>> = atom.args.iter().map(|arg| self.term(arg)).collect();
                args.is_some_and(|args| {
                    self.assignment.holds.contains(&GroundAtom { relation: atom.relation, args })
                })
            }
            Sentence::Equal(one, other) => self.term(one) == self.term(other),
            Sentence::Not(part) => !self.holds(part),
            Sentence::And(parts) => parts.iter().all(|part| self.holds(part)),
            Sentence::Or(parts) => parts.iter().any(|part| self.holds(part)),
            Sentence::Implies(one, other) => !self.holds(one) || self.holds(other),
            Sentence::Iff(one, other) => self.holds(one) == self.holds(other),
            Sentence::ForAll(variable, scope) => self.every(&[*variable], scope),
            Sentence::Exists(variable, scope) => {
                let assignment = self.assignment;
                let some = assignment.objects.iter().any(|&object| {
                    self.binding[variable.index()] = Some(object);
                    self.holds(scope)
                });
                self.binding[variable.index()] = None;
                some
            }
        }
    }

    /// The term that a pattern stands for; none where a variable has no quantifier, which no stated sentence has.
    fn term(&self, pattern: &Pattern) -> Option<TermId> {
        match pattern {
            Pattern::Ground(term) => Some(*term),
            Pattern::Variable(variable) => self.binding[variable.index()],
            Pattern::Compound(functor, args) => {
                let args: Vec<TermId> = args.iter().map(|arg| self.term(arg)).collect::<Option<_>>()?;
                Some(self.terms.compound(*functor, &args))
            }
        }
    }
}
