//! The order in which a body is worked through.

use rustc_hash::FxHashSet;

use super::flat::{FlatAtom, FlatLiteral};
use super::plan::PlanTable;
use crate::ids::VariableId;
use crate::program::Pattern;

type Variables = FxHashSet<VariableId>;

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
    tables: &[PlanTable],
    body: &[FlatLiteral],
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
fn shared_variables(body: &[FlatLiteral], bound: &Variables) -> Variables {
    let mut shared = bound.clone();
    let mut in_blocks = Variables::default();
    for literal in body {
        let is_block = matches!(literal, FlatLiteral::Block { .. });
        let mut own = Variables::default();
        literal.variables(&mut |v| {
            own.insert(v);
        });
        for v in own {
            if !is_block || !in_blocks.insert(v) {
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
    tables: &'a [PlanTable],
    body: &'a [FlatLiteral],
    shared: &'a Variables,
    component: u32,
}

impl Search<'_> {
    fn is_bound(bound: &Variables, pattern: &Pattern) -> bool {
        let mut all = true;
        pattern.variables(&mut |v| all &= bound.contains(&v));
        all
    }

    /// The literals that can come next but are no filters.
    fn open(&self, partial: &Partial) -> Vec<usize> {
        let positive = |at: &usize| match &self.body[*at] {
            FlatLiteral::Positive(atom) => self.is_askable(atom, &partial.bound),
            _ => false,
        };
        let rest = |at: &usize| !partial.steps.contains(at);
        let allowed: Vec<usize> = (0..self.body.len()).filter(rest).filter(positive).collect();
        if !allowed.is_empty() {
            return allowed;
        }
        // Nothing binds the key of an asked relation: take it anyway rather than lose it.
        let is_positive = |at: &usize| matches!(self.body[*at], FlatLiteral::Positive(_));
        (0..self.body.len()).filter(rest).filter(is_positive).collect()
    }

    fn is_askable(&self, atom: &FlatAtom, bound: &Variables) -> bool {
        match &self.tables[atom.relation as usize].asked {
            None => true,
            Some(key) => key.iter().all(|&c| Self::is_bound(bound, &atom.args[c as usize])),
        }
    }

    /// Whether the literal only tests or computes, given what is bound.
    fn is_filter(&self, literal: &FlatLiteral, bound: &Variables) -> bool {
        match literal {
            FlatLiteral::Positive(atom) => atom.args.iter().all(|a| Self::is_bound(bound, a)),
            FlatLiteral::Negative(atom) => atom.args.iter().all(|a| Self::is_bound(bound, a)),
            FlatLiteral::Distinct(a, b) => Self::is_bound(bound, a) && Self::is_bound(bound, b),
            FlatLiteral::Equal(a, b) => Self::is_bound(bound, a) || Self::is_bound(bound, b),
            FlatLiteral::Constant(v) => bound.contains(v),
            FlatLiteral::Block { .. } => {
                let mut all = true;
                literal.variables(&mut |v| all &= bound.contains(&v) || !self.shared.contains(&v));
                all
            }
        }
    }

    fn filter_cost(&self, literal: &FlatLiteral) -> f64 {
        match literal {
            FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) => {
                if self.tables[atom.relation as usize].asked.is_some() { 20.0 } else { 1.0 }
            }
            FlatLiteral::Block { alternatives, .. } => 4.0 * alternatives.len() as f64,
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
            if let FlatLiteral::Equal(..) = literal {
                literal.variables(&mut |v| {
                    partial.bound.insert(v);
                });
            }
            return;
        }
        let FlatLiteral::Positive(atom) = literal else { return };
        let table = &self.tables[atom.relation as usize];
        let matches = if delta {
            1.0
        } else {
            let bound = &partial.bound;
            let columns = (0..atom.args.len()).filter(|&c| Self::is_bound(bound, &atom.args[c]));
            table.expected.matches(columns)
        };
        let ask = if table.asked.is_some() && table.component != self.component { 20.0 } else { 0.0 };
        partial.cost += partial.tuples * (1.5 + ask + matches);
        partial.tuples *= matches.max(0.02);
        atom.args.iter().for_each(|a| {
            a.variables(&mut |v| {
                partial.bound.insert(v);
            });
        });
    }

    fn selectivity(&self, literal: &FlatLiteral) -> f64 {
        match literal {
            FlatLiteral::Positive(atom) => {
                self.tables[atom.relation as usize].expected.matches(0..atom.args.len()).clamp(0.05, 0.9)
            }
            FlatLiteral::Negative(atom) => {
                1.0 - self.tables[atom.relation as usize].expected.matches(0..atom.args.len()).clamp(0.1, 0.9)
            }
            FlatLiteral::Block { .. } => 0.6,
            FlatLiteral::Equal(..) => 0.3,
            _ => 0.85,
        }
    }

    fn as_written(&self, mut partial: Partial) -> Partial {
        let placed: FxHashSet<usize> = partial.steps.iter().copied().collect();
        let mut waiting: Vec<usize> = Vec::new();
        for at in (0..self.body.len()).filter(|at| !placed.contains(at)) {
            waiting.push(at);
            let askable = match &self.body[at] {
                FlatLiteral::Positive(atom) => self.is_askable(atom, &partial.bound),
                other => self.is_filter(other, &partial.bound),
            };
            if askable {
                waiting.pop();
                self.place(&mut partial, at, false);
            }
        }
        // Whatever had to wait is tried again until nothing moves.
        loop {
            let before = waiting.len();
            waiting.retain(|&at| {
                let ready = match &self.body[at] {
                    FlatLiteral::Positive(atom) => self.is_askable(atom, &partial.bound),
                    other => self.is_filter(other, &partial.bound),
                };
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
