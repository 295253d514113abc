//! Patterns under partial assignments of values to variables.

use super::solve::Value;
use crate::budget::{LimitError, Meter};
use crate::ids::{Id, SymbolId, TermId, VariableId};
use crate::program::{Atom, Formula, Pattern};
use crate::terms::{TermView, Terms};

pub(super) fn ground(values: &[Value]) -> Option<Box<[TermId]>> {
    values.iter().copied().collect()
}

pub(super) fn known(pattern: &Pattern, values: &[Value]) -> Value {
    match pattern {
        Pattern::Ground(term) => Some(*term),
        Pattern::Variable(v) => values[v.index()],
        // Only worth a look when it was interned before; the index has no other terms.
        Pattern::Compound(..) => None,
    }
}

/// Puts values in for variables; fails over to leaving a term open at the limit of the term table.
pub(super) fn substitute(terms: &Terms, formula: &Formula, value: &dyn Fn(VariableId) -> Value) -> Formula {
    let pattern = |p: &Pattern| substitute_pattern(terms, p, value);
    match formula {
        Formula::Atom(atom) => {
            Formula::Atom(Atom { relation: atom.relation, args: atom.args.iter().map(pattern).collect() })
        }
        Formula::Distinct(a, b) => Formula::Distinct(pattern(a), pattern(b)),
        Formula::Not(inner) => Formula::Not(Box::new(substitute(terms, inner, value))),
        Formula::And(parts) => Formula::And(parts.iter().map(|p| substitute(terms, p, value)).collect()),
        Formula::Or(parts) => Formula::Or(parts.iter().map(|p| substitute(terms, p, value)).collect()),
    }
}

fn substitute_pattern(terms: &Terms, pattern: &Pattern, value: &dyn Fn(VariableId) -> Value) -> Pattern {
    if let Ok(Some(term)) = build(terms, pattern, value) {
        return Pattern::Ground(term);
    }
    match pattern {
        Pattern::Compound(functor, args) => {
            Pattern::Compound(*functor, args.iter().map(|a| substitute_pattern(terms, a, value)).collect())
        }
        other => other.clone(),
    }
}

/// The ground term a pattern stands for, if all its variables have values.
pub(super) fn build(
    terms: &Terms,
    pattern: &Pattern,
    value: impl Fn(VariableId) -> Value,
) -> Result<Value, LimitError> {
    enum Job<'a> {
        Read(&'a Pattern),
        Make(SymbolId, usize),
    }
    match pattern {
        Pattern::Ground(term) => return Ok(Some(*term)),
        Pattern::Variable(v) => return Ok(value(*v)),
        Pattern::Compound(..) => {}
    }
    let mut jobs = vec![Job::Read(pattern)];
    let mut done: Vec<TermId> = Vec::new();
    while let Some(job) = jobs.pop() {
        match job {
            Job::Read(Pattern::Ground(term)) => done.push(*term),
            Job::Read(Pattern::Variable(v)) => match value(*v) {
                Some(term) => done.push(term),
                None => return Ok(None),
            },
            Job::Read(Pattern::Compound(functor, args)) => {
                jobs.push(Job::Make(*functor, args.len()));
                jobs.extend(args.iter().rev().map(Job::Read));
            }
            Job::Make(functor, count) => {
                let at = done.len() - count;
                let term = terms.try_compound(functor, &done[at..])?;
                done.truncate(at);
                done.push(term);
            }
        }
    }
    Ok(done.pop())
}

/// Makes a pattern equal to a ground term by giving values to its variables.
pub(super) fn matches(
    terms: &Terms,
    pattern: &Pattern,
    term: TermId,
    values: &mut [Value],
    meter: &mut Meter,
) -> Result<bool, LimitError> {
    let mut pairs: smallvec::SmallVec<[(&Pattern, TermId); 8]> = smallvec::smallvec![(pattern, term)];
    while let Some((pattern, term)) = pairs.pop() {
        match pattern {
            Pattern::Ground(known) => {
                if *known != term {
                    return Ok(false);
                }
            }
            Pattern::Variable(v) => match &mut values[v.index()] {
                Some(known) if *known != term => return Ok(false),
                slot => *slot = Some(term),
            },
            Pattern::Compound(functor, args) => match terms.view(term) {
                TermView::Compound(f, parts) if f == *functor && parts.len() == args.len() => {
                    meter.spend(1)?;
                    pairs.extend(args.iter().zip(parts.iter().copied()).rev());
                }
                _ => return Ok(false),
            },
        }
    }
    Ok(true)
}
