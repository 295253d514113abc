//! Instances and variants of patterns: values and other variables put in for variables.

use std::convert::Infallible;

use rustc_hash::FxHashMap;

use super::solve::Value;
use crate::budget::{LimitError, Meter};
use crate::ids::{Id, SymbolId, TermId, VariableId};
use crate::program::{Formula, Pattern};
use crate::terms::{TermView, Terms};

/// Makes terms in a table that may grow to `limit` bytes.
#[derive(Clone, Copy)]
pub(super) struct Maker<'a> {
    pub terms: &'a Terms,
    pub limit: usize,
}

impl<'a> Maker<'a> {
    pub fn new(terms: &'a Terms, meter: &Meter) -> Self {
        Self { terms, limit: meter.budget().memory() }
    }
}

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
pub(super) fn substitute(
    maker: Maker<'_>,
    formula: &Formula,
    value: &dyn Fn(VariableId) -> Value,
) -> Formula {
    let put = |p: &Pattern| Ok::<_, Infallible>(substitute_pattern(maker, p, value));
    let Ok(instance) = formula.map(&mut { put });
    instance
}

fn substitute_pattern(maker: Maker<'_>, pattern: &Pattern, value: &dyn Fn(VariableId) -> Value) -> Pattern {
    if let Ok(Some(term)) = build(maker, pattern, value) {
        return Pattern::Ground(term);
    }
    match pattern {
        Pattern::Compound(functor, args) => {
            Pattern::Compound(*functor, args.iter().map(|a| substitute_pattern(maker, a, value)).collect())
        }
        other => other.clone(),
    }
}

/// The ground term a pattern stands for, if all its variables have values.
pub(super) fn build(
    maker: Maker<'_>,
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
                let term = maker.terms.try_compound(functor, &done[at..], maker.limit)?;
                done.truncate(at);
                done.push(term);
            }
        }
    }
    Ok(done.pop())
}

/// Makes a pattern equal to a ground term by giving values to its variables.
fn matches(
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

/// Makes patterns equal to the known values of a row.
pub(super) fn matches_row(
    terms: &Terms,
    patterns: &[Pattern],
    row: impl Iterator<Item = Value>,
    values: &mut [Value],
    meter: &mut Meter,
) -> Result<bool, LimitError> {
    for (pattern, value) in patterns.iter().zip(row) {
        if let Some(term) = value
            && !matches(terms, pattern, term, values, meter)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether two lists of terms are equal but for the names of variables.
pub(super) fn is_variant(left: &[Pattern], right: &[Pattern], meter: &mut Meter) -> Result<bool, LimitError> {
    let mut there: FxHashMap<VariableId, VariableId> = FxHashMap::default();
    let mut back: FxHashMap<VariableId, VariableId> = FxHashMap::default();
    let mut pairs: Vec<(&Pattern, &Pattern)> = left.iter().zip(right).collect();
    while let Some(pair) = pairs.pop() {
        meter.spend(1)?;
        match pair {
            (Pattern::Ground(x), Pattern::Ground(y)) if x == y => {}
            (Pattern::Variable(x), Pattern::Variable(y)) => {
                if *there.entry(*x).or_insert(*y) != *y || *back.entry(*y).or_insert(*x) != *x {
                    return Ok(false);
                }
            }
            (Pattern::Compound(f, x), Pattern::Compound(g, y)) if f == g && x.len() == y.len() => {
                pairs.extend(x.iter().zip(y));
            }
            _ => return Ok(false),
        }
    }
    Ok(true)
}
