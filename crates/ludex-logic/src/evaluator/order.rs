//! The order in which a body is worked through.

use rustc_hash::FxHashSet;

use super::body::Literal;
use super::plan::{PlannedAtom, PlannedLiteral, PlannedTable};
use super::table::TableId;
use crate::binding::{Binding, HasVariables, Variables, met};
use crate::ids::IdVec;

/// Bodies with up to this many generators are ordered by trying every order.
const EXHAUSTIVE: usize = 5;
/// Bodies with up to this many generators are ordered from each of them as the first.
const FIRSTS: usize = 24;
/// Bodies with more literals than this keep the order they were written in: no person wrote them, and
/// looking for a better order takes time that grows with the cube of the length.
pub(crate) const WRITTEN: usize = 60;

/// Orders a body so that the expected work is least.
///
/// `delta` is the literal that must come first. A literal that is missing from the result can never be
/// tried, because nothing binds its variables: the body is unsafe.
pub(crate) fn order(
    tables: &IdVec<TableId, PlannedTable>,
    body: &[PlannedLiteral],
    bound: &Variables,
    delta: Option<usize>,
    component: u32,
) -> Vec<usize> {
    let shared = shared_variables(body, bound);
    let search = Search { tables, body, shared: &shared, component };
    let mut start = Partial { steps: Vec::new(), bound: bound.clone(), tuples: 1.0, cost: 0.0 };
    if let Some(first) = delta {
        search.place(&mut start, first, true);
    }
    if body.len() > WRITTEN {
        return search.as_written(start).steps;
    }
    search.filters(&mut start);
    let generators = search.open(&start).len();
    let best = if generators <= EXHAUSTIVE {
        let mut best = None;
        search.exhaustive(start.clone(), &mut best);
        best
    } else if generators > FIRSTS {
        Some(search.greedy(start.clone()))
    } else {
        let firsts = search.open(&start);
        let tries = firsts.into_iter().map(|first| {
            let mut partial = start.clone();
            search.place(&mut partial, first, false);
            search.filters(&mut partial);
            search.greedy(partial)
        });
        tries.min_by(|a, b| a.cost.total_cmp(&b.cost))
    };
    best.unwrap_or(start).steps
}

/// The variables of the body that are bound before or occur outside of a single block.
fn shared_variables(body: &[PlannedLiteral], bound: &Variables) -> Variables {
    let mut shared = bound.clone();
    let mut in_blocks = Variables::default();
    for literal in body {
        for v in literal.variable_set() {
            if !literal.is_block() || !in_blocks.insert(v) {
                shared.insert(v);
            }
        }
    }
    shared
}

#[derive(Clone)]
struct Partial {
    steps: Vec<usize>,
    bound: Variables,
    tuples: f64,
    cost: f64,
}

struct Search<'a> {
    tables: &'a IdVec<TableId, PlannedTable>,
    body: &'a [PlannedLiteral],
    shared: &'a Variables,
    component: u32,
}

impl Search<'_> {
    /// The literals that can come next but are no filters.
    fn open(&self, partial: &Partial) -> Vec<usize> {
        let positive = |at: &usize| match &self.body[*at] {
            Literal::Positive(atom) => self.has_its_key(atom, &partial.bound),
            _ => false,
        };
        let rest = |at: &usize| !partial.steps.contains(at);
        let allowed: Vec<usize> = (0..self.body.len()).filter(rest).filter(positive).collect();
        if !allowed.is_empty() {
            return allowed;
        }
        // Nothing binds the key of a demand-driven relation: take it anyway rather than lose it.
        let is_positive = |at: &usize| matches!(self.body[*at], Literal::Positive(_));
        (0..self.body.len()).filter(rest).filter(is_positive).collect()
    }

    fn has_its_key(&self, atom: &PlannedAtom, bound: &Variables) -> bool {
        let key = self.tables[atom.relation].adornment.as_deref().unwrap_or_default();
        met(atom, key, bound) == key.len()
    }

    /// Whether the literal only tests or computes, given what is bound.
    fn is_filter(&self, literal: &PlannedLiteral, bound: &Variables) -> bool {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => bound.binds(atom),
            Literal::Distinct(a, b) => bound.binds(a) && bound.binds(b),
            Literal::Equal(a, b) => bound.binds(a) || bound.binds(b),
            Literal::Constant(v) => bound.contains(v),
            Literal::Block { .. } => {
                let mut all = true;
                literal.each_variable(&mut |v| all &= bound.contains(&v) || !self.shared.contains(&v));
                all
            }
        }
    }

    fn filter_cost(&self, literal: &PlannedLiteral) -> f64 {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                if self.tables[atom.relation].adornment.is_some() { 20.0 } else { 1.0 }
            }
            Literal::Block { alternatives, .. } => 4.0 * alternatives.len() as f64,
            _ => 0.5,
        }
    }

    /// Places every filter that is ready, the cheapest first.
    fn filters(&self, partial: &mut Partial) {
        loop {
            let ready = (0..self.body.len())
                .filter(|at| !partial.steps.contains(at) && self.is_filter(&self.body[*at], &partial.bound));
            let cheapest = ready
                .min_by(|&a, &b| self.filter_cost(&self.body[a]).total_cmp(&self.filter_cost(&self.body[b])));
            match cheapest {
                Some(at) => self.place(partial, at, false),
                None => return,
            }
        }
    }

    fn place(&self, partial: &mut Partial, at: usize, delta: bool) {
        let literal = &self.body[at];
        partial.steps.push(at);
        if !delta && self.is_filter(literal, &partial.bound) {
            partial.cost += partial.tuples * self.filter_cost(literal);
            partial.tuples *= self.selectivity(literal);
            if let Literal::Equal(..) = literal {
                partial.bound.bind(literal);
            }
            return;
        }
        let Literal::Positive(atom) = literal else { return };
        let table = &self.tables[atom.relation];
        let matches = if delta {
            1.0
        } else {
            table.expected.matches((0..atom.args.len()).filter(|&c| partial.bound.binds(&atom.args[c])))
        };
        let demand = if table.adornment.is_some() && table.component != self.component { 20.0 } else { 0.0 };
        partial.cost += partial.tuples * (1.5 + demand + matches);
        partial.tuples *= matches.max(0.02);
        partial.bound.bind(atom);
    }

    fn selectivity(&self, literal: &PlannedLiteral) -> f64 {
        match literal {
            Literal::Positive(atom) => {
                self.tables[atom.relation].expected.matches(0..atom.args.len()).clamp(0.05, 0.9)
            }
            Literal::Negative(atom) => {
                1.0 - self.tables[atom.relation].expected.matches(0..atom.args.len()).clamp(0.1, 0.9)
            }
            Literal::Block { .. } => 0.6,
            Literal::Equal(..) => 0.3,
            _ => 0.85,
        }
    }

    fn is_ready(&self, at: usize, bound: &Variables) -> bool {
        match &self.body[at] {
            Literal::Positive(atom) => self.has_its_key(atom, bound),
            other => self.is_filter(other, bound),
        }
    }

    fn as_written(&self, mut partial: Partial) -> Partial {
        let placed: FxHashSet<usize> = partial.steps.iter().copied().collect();
        let mut waiting: Vec<usize> = Vec::new();
        for at in (0..self.body.len()).filter(|at| !placed.contains(at)) {
            waiting.push(at);
            if self.is_ready(at, &partial.bound) {
                waiting.pop();
                self.place(&mut partial, at, false);
            }
        }
        // Whatever had to wait is tried again until nothing moves.
        loop {
            let before = waiting.len();
            waiting.retain(|&at| {
                let ready = self.is_ready(at, &partial.bound);
                if ready {
                    self.place(&mut partial, at, false);
                }
                !ready
            });
            if waiting.len() == before {
                return partial;
            }
        }
    }

    fn greedy(&self, mut partial: Partial) -> Partial {
        loop {
            let next = self.open(&partial).into_iter().map(|at| {
                let mut longer = partial.clone();
                self.place(&mut longer, at, false);
                self.filters(&mut longer);
                longer
            });
            match next.min_by(|a, b| {
                (a.tuples, a.cost).partial_cmp(&(b.tuples, b.cost)).unwrap_or(std::cmp::Ordering::Equal)
            }) {
                Some(longer) => partial = longer,
                None => return partial,
            }
        }
    }

    fn exhaustive(&self, partial: Partial, best: &mut Option<Partial>) {
        if best.as_ref().is_some_and(|b| b.cost <= partial.cost) {
            return;
        }
        let open = self.open(&partial);
        if open.is_empty() {
            *best = Some(partial);
            return;
        }
        for at in open {
            let mut longer = partial.clone();
            self.place(&mut longer, at, false);
            self.filters(&mut longer);
            self.exhaustive(longer, best);
        }
    }
}
