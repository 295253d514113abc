//! Bodies of rules: safe because what negative parts and heads use is bound by positive literals first.

use ludex_game::Rng;

use super::Knobs;
use super::sorts::{Sort, SortId, Sorts, apply};
use crate::rules::shuffle;

/// Something a body may ask: written `prefix (name args) suffix`, as `(true (f ?x))`.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) sorts: Vec<SortId>,
    /// `true` for fluents.
    pub(super) wrapper: Option<&'static str>,
    /// A rule of one level negates lower levels only.
    pub(super) level: usize,
}

impl Symbol {
    pub(super) fn text(&self, args: &[String]) -> String {
        let inner = apply(&self.name, args);
        self.wrapper.map_or(inner.clone(), |w| format!("({w} {inner})"))
    }
}

/// A body under construction.
pub(super) struct Body<'a> {
    pub(super) sorts: &'a Sorts,
    pub(super) knobs: Knobs,
    pub(super) rng: &'a mut Rng,
    variables: Vec<(String, SortId)>,
    literals: Vec<String>,
}

impl<'a> Body<'a> {
    pub(super) fn new(sorts: &'a Sorts, knobs: Knobs, rng: &'a mut Rng) -> Self {
        Self { sorts, knobs, rng, variables: Vec::new(), literals: Vec::new() }
    }

    pub(super) fn add(&mut self, literal: String) {
        self.literals.push(literal);
    }

    /// The literals in random order: what binds a variable need not come first.
    pub(super) fn finish(self) -> Vec<String> {
        let Self { mut literals, rng, .. } = self;
        if rng.below(3) == 0 {
            shuffle(&mut literals, rng);
        }
        literals
    }

    fn fresh(&mut self, sort: SortId) -> String {
        let name = format!("?v{}", self.variables.len());
        self.variables.push((name.clone(), sort));
        name
    }

    fn existing(&mut self, sort: SortId) -> Option<String> {
        let of_sort: Vec<_> = self.variables.iter().filter(|v| v.1 == sort).map(|v| v.0.clone()).collect();
        self.rng.pick(&of_sort).cloned()
    }

    /// A term for a positive literal; its variables become bound.
    pub(super) fn binding_term(&mut self, sort: SortId) -> String {
        match self.rng.below(10) {
            0 => return self.sorts.value(sort, self.rng),
            1..=4 => {
                if let Some(variable) = self.existing(sort) {
                    return variable;
                }
            }
            _ => {}
        }
        if let Sort::Compound { functor, fields } = &self.sorts.0[sort]
            && self.rng.below(2) == 0
        {
            let fields: Vec<_> = fields.iter().map(|&f| self.binding_term(f)).collect();
            return apply(functor, &fields);
        }
        self.fresh(sort)
    }

    /// A term of bound variables and constants only.
    pub(super) fn bound_term(&mut self, sort: SortId) -> String {
        if self.rng.below(8) != 0
            && let Some(variable) = self.existing(sort)
        {
            return variable;
        }
        if let Sort::Compound { functor, fields } = &self.sorts.0[sort] {
            let fields: Vec<_> = fields.iter().map(|&f| self.bound_term(f)).collect();
            return apply(functor, &fields);
        }
        self.sorts.value(sort, self.rng)
    }

    /// A variable of the sort, bound by a guard if need be; a constant term for compound sorts.
    pub(super) fn guarded_variable(&mut self, sort: SortId) -> String {
        if let Some(variable) = self.existing(sort) {
            return variable;
        }
        self.new_guarded(sort)
    }

    fn new_guarded(&mut self, sort: SortId) -> String {
        if let Sort::Compound { functor, fields } = &self.sorts.0[sort] {
            let fields: Vec<_> = fields.iter().map(|&f| self.guarded_variable(f)).collect();
            return apply(functor, &fields);
        }
        let variable = self.fresh(sort);
        if let Some(guard) = self.sorts.guard(sort, &variable) {
            self.add(guard);
        }
        variable
    }

    /// A positive literal that binds its variables.
    pub(super) fn positive(&mut self, symbol: &Symbol) {
        let before = self.variables.len();
        let args: Vec<_> = symbol.sorts.iter().map(|&s| self.binding_term(s)).collect();
        let literal = symbol.text(&args);
        let new = self.variables[before..].to_vec();
        let simple = new.iter().all(|(_, s)| matches!(self.sorts.0[*s], Sort::Constants { .. }));
        if self.knobs.disjunction && simple && self.rng.below(4) == 0 {
            // The other branch binds the same variables.
            let mut other: Vec<String> =
                new.iter().filter_map(|(name, sort)| self.sorts.guard(*sort, name)).collect();
            let test = self.variables.len() > 1;
            if test && let Some(distinct) = self.distinct() {
                other.push(distinct);
            }
            let other = match other.len() {
                0 => {
                    let args: Vec<_> = symbol.sorts.iter().map(|&s| self.bound_term(s)).collect();
                    symbol.text(&args)
                }
                1 => other.remove(0),
                _ => format!("(and {})", other.join(" ")),
            };
            self.add(format!("(or {literal} {other})"));
        } else {
            self.add(literal);
        }
    }

    /// A positive literal of a relation of the same component: its variables are bound elsewhere, so
    /// that the recursion restriction (specification Def. 15) holds.
    pub(super) fn recursive(&mut self, symbol: &Symbol) {
        let args: Vec<_> = symbol
            .sorts
            .iter()
            .map(|&sort| {
                if matches!(self.sorts.0[sort], Sort::Compound { .. }) {
                    return self.sorts.value(sort, self.rng);
                }
                if self.rng.below(2) == 0 { self.new_guarded(sort) } else { self.guarded_variable(sort) }
            })
            .collect();
        self.add(symbol.text(&args));
    }

    fn distinct(&mut self) -> Option<String> {
        let (name, sort) = self.rng.pick(&self.variables).cloned()?;
        let other = self.bound_term(sort);
        (other != name).then(|| format!("(distinct {name} {other})"))
    }

    /// A literal, or nested formula, that only tests.
    pub(super) fn test(&mut self, lower: &[Symbol]) {
        let Some(symbol) = self.rng.pick(lower).cloned() else { return };
        let args: Vec<_> = symbol.sorts.iter().map(|&s| self.bound_term(s)).collect();
        let atom = symbol.text(&args);
        let second = self.rng.pick(lower).cloned().map(|symbol| {
            let args: Vec<_> = symbol.sorts.iter().map(|&s| self.bound_term(s)).collect();
            symbol.text(&args)
        });
        let distinct = self.distinct();
        let nested = self.knobs.disjunction;
        let literal = match (self.rng.below(6), second, distinct) {
            (0, Some(second), _) if nested && self.knobs.negation => format!("(not (and {atom} {second}))"),
            (1, Some(second), _) if nested && self.knobs.negation => format!("(not (or {atom} {second}))"),
            (2, Some(second), Some(distinct)) if nested => format!("(or {second} {distinct})"),
            (3, _, Some(distinct)) => distinct,
            _ if self.knobs.negation => format!("(not {atom})"),
            _ => atom,
        };
        self.add(literal);
    }
}
