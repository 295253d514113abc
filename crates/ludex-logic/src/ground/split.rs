//! Rules split along a tree decomposition of their variables.
//!
//! A rule over many variables has an instance for each combination of their values. Eliminating a
//! variable `V` (bucket elimination, Dechter 1999) moves the subgoals that mention it into a rule of
//! their own over the variables they share with the rest: `h(X,Y) :- p(X,V), q(V,Y)`. The instances of
//! the parts add up where those of the whole multiply. Which variables are worth eliminating is
//! estimated from the sizes of the relations.

use rustc_hash::FxHashMap;

use super::GroundError;
use super::program::{GroundingProgram, GroundingRule, Kind, Subgoal};
use crate::binding::{Binding, HasVariables, Variables};
use crate::budget::Budget;
use crate::evaluator::body::{FlatAtom, FlatId, Literal};
use crate::evaluator::statistics::Expected;
use crate::ids::{IdVec, VariableId};

/// A split has to leave less than this share of the literals.
const WORTHWHILE: f64 = 0.75;
/// Rules expected to have fewer literals than this are left alone.
const SMALL: f64 = 24.0;
/// Bodies longer than this are left alone: looking for splits takes time with the cube of the length.
const LONG: usize = 60;

/// Splits the rules of a grounding program whose instances get fewer by it.
pub(super) fn split(
    grounding: &mut GroundingProgram,
    sizes: &IdVec<FlatId, Expected>,
    budget: &Budget,
) -> Result<(), GroundError> {
    let mut meter = budget.meter();
    let mut queue: Vec<GroundingRule> = std::mem::take(&mut grounding.rules);
    queue.reverse();
    while let Some(mut rule) = queue.pop() {
        let length = rule.body.len() as u64;
        meter.spend(1 + length * length)?;
        let is_candidate = grounding.kind(rule.head.relation) == Kind::Changing
            && (2..LONG).contains(&rule.body.len())
            && !rule.body.iter().any(|g| matches!(g.literal, Literal::Equal(..)));
        if is_candidate {
            let mut splitter = Splitter::new(grounding, sizes, &rule);
            while let Some(bag) = splitter.best() {
                splitter.take(bag);
                meter.spend(length * length)?;
            }
            let split = splitter.finish();
            apply(grounding, &mut rule, split);
        }
        grounding.rules.push(rule);
    }
    Ok(())
}

/// A subgoal, or a part that was split off.
#[derive(Clone)]
struct Factor {
    variables: Variables,
    what: What,
    is_emitted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Subgoal(usize),
    Part(usize),
}

/// Factors to be moved into a rule of their own.
struct Bag {
    factors: Vec<usize>,
    /// The variables that the part shares with the rest, in order.
    shared: Vec<VariableId>,
}

struct Splitter<'a> {
    sizes: &'a IdVec<FlatId, Expected>,
    rule: &'a GroundingRule,
    head: Variables,
    factors: Vec<Factor>,
    /// What the parts consist of, with the variables that they share with the rest.
    parts: Vec<(Vec<What>, Vec<VariableId>)>,
    domains: FxHashMap<VariableId, f64>,
}

impl<'a> Splitter<'a> {
    fn new(
        grounding: &GroundingProgram,
        sizes: &'a IdVec<FlatId, Expected>,
        rule: &'a GroundingRule,
    ) -> Self {
        let factors: Vec<Factor> = rule
            .body
            .iter()
            .enumerate()
            .map(|(at, subgoal)| Factor {
                variables: subgoal.variable_set(),
                what: What::Subgoal(at),
                is_emitted: grounding.is_emitted(subgoal),
            })
            .collect();
        let all: Variables = factors.iter().flat_map(|f| f.variables.iter().copied()).collect();
        let size = |v: VariableId| grounding.domain(v, &rule.body).map_or(1000.0, |d| d.len().max(1) as f64);
        let domains = all.iter().map(|&v| (v, size(v))).collect();
        Self { sizes, rule, head: rule.head.variable_set(), factors, parts: Vec::new(), domains }
    }

    /// The split that leaves the fewest literals, if one is worth it.
    fn best(&self) -> Option<Bag> {
        let everything: Vec<usize> = (0..self.factors.len()).collect();
        let whole = self.literals(&everything, &self.head, 0);
        if whole < SMALL {
            return None;
        }
        let mut variables: Vec<VariableId> =
            self.factors.iter().filter(|f| f.is_emitted).flat_map(|f| f.variables.iter().copied()).collect();
        variables.sort_unstable();
        variables.dedup();
        variables.retain(|v| !self.head.contains(v));
        let tried = variables.iter().filter_map(|&v| {
            let bag = self.bag(v)?;
            let rest: Vec<usize> =
                everything.iter().copied().filter(|at| !bag.factors.contains(at)).collect();
            let shared: Variables = bag.shared.iter().copied().collect();
            let mut outside = self.head.clone();
            outside.extend(&shared);
            let cost = self.literals(&bag.factors, &shared, 0) + self.rest(&rest, &outside);
            Some((cost, bag))
        });
        let (cost, bag) = tried.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (cost < WORTHWHILE * whole).then_some(bag)
    }

    /// The factors that mention a variable, with those that only filter what these bind.
    fn bag(&self, variable: VariableId) -> Option<Bag> {
        let mut chosen: Vec<usize> =
            (0..self.factors.len()).filter(|&at| self.factors[at].variables.contains(&variable)).collect();
        let all: Variables =
            chosen.iter().flat_map(|&at| self.factors[at].variables.iter().copied()).collect();
        for (at, factor) in self.factors.iter().enumerate() {
            let filters =
                !factor.is_emitted && factor.variables.is_subset(&all) && !factor.variables.is_empty();
            if filters && !chosen.contains(&at) {
                chosen.push(at);
            }
        }
        chosen.sort_unstable();
        let emitted_outside =
            self.factors.iter().enumerate().filter(|(at, f)| f.is_emitted && !chosen.contains(at)).count();
        let inside = chosen.iter().filter(|&&at| self.factors[at].is_emitted).count();
        // A single factor over shared variables alone would only be renamed.
        if inside == 0 || emitted_outside == 0 {
            return None;
        }
        let used: Variables = self
            .factors
            .iter()
            .enumerate()
            .filter(|(at, _)| !chosen.contains(at))
            .flat_map(|(_, f)| f.variables.iter().copied())
            .chain(self.head.iter().copied())
            .collect();
        let mut shared: Vec<VariableId> = all.into_iter().filter(|v| used.contains(v)).collect();
        shared.sort_unstable();
        Some(Bag { factors: chosen, shared })
    }

    /// Literals of the rule that is left when a part over `outside` is split off.
    fn rest(&self, factors: &[usize], outside: &Variables) -> f64 {
        self.literals(factors, outside, 1)
    }

    /// How many literals the instances of a rule with these factors have, told apart by `outside` and
    /// by what its emitted factors mention.
    fn literals(&self, factors: &[usize], outside: &Variables, more: usize) -> f64 {
        let mut visible = outside.clone();
        let mut emitted = more;
        for &at in factors {
            if self.factors[at].is_emitted {
                visible.extend(&self.factors[at].variables);
                emitted += 1;
            }
        }
        let product: f64 = visible.iter().map(|v| self.domains.get(v).copied().unwrap_or(1.0)).product();
        self.tuples(factors, &visible).min(product) * emitted as f64
    }

    /// The expected number of rows of a join, by the greedy order.
    fn tuples(&self, factors: &[usize], visible: &Variables) -> f64 {
        let mut bound = Variables::default();
        let mut tuples = 1.0f64;
        let mut open: Vec<usize> = factors
            .iter()
            .copied()
            .filter(|&at| match self.factors[at].what {
                What::Subgoal(at) => self.rule.body[at].is_positive(),
                What::Part(_) => true,
            })
            .collect();
        while !open.is_empty() {
            let growths = open.iter().map(|&at| self.growth(at, &bound));
            let best = growths.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            let Some((position, growth)) = best else { break };
            tuples *= growth;
            bound.extend(&self.factors[open.swap_remove(position)].variables);
        }
        // What no positive factor here binds, a guard will.
        for v in visible.iter().filter(|v| !bound.contains(v)) {
            tuples *= self.domains.get(v).copied().unwrap_or(1.0);
        }
        tuples
    }

    /// By how much a factor multiplies the rows, given what is bound.
    fn growth(&self, at: usize, bound: &Variables) -> f64 {
        let factor = &self.factors[at];
        match factor.what {
            What::Subgoal(at) => {
                let Literal::Positive(atom) = &self.rule.body[at].literal else { return 1.0 };
                let columns = (0..atom.args.len()).filter(|&c| bound.binds(&atom.args[c]));
                self.sizes[atom.relation].matches(columns)
            }
            What::Part(_) => {
                let open = factor.variables.iter().filter(|v| !bound.contains(v));
                open.map(|v| self.domains.get(v).copied().unwrap_or(1.0)).product()
            }
        }
    }

    /// Moves a bag into a part.
    fn take(&mut self, bag: Bag) {
        let content = bag.factors.iter().map(|&at| self.factors[at].what).collect();
        let variables = bag.shared.iter().copied().collect();
        let part = Factor { variables, what: What::Part(self.parts.len()), is_emitted: true };
        let mut at = 0;
        self.factors.retain(|_| {
            at += 1;
            !bag.factors.contains(&(at - 1))
        });
        self.factors.push(part);
        self.parts.push((content, bag.shared));
    }

    fn finish(self) -> Split {
        Split { rest: self.factors.iter().map(|f| f.what).collect(), parts: self.parts }
    }
}

/// How a rule is to be split.
struct Split {
    rest: Vec<What>,
    parts: Vec<(Vec<What>, Vec<VariableId>)>,
}

fn apply(grounding: &mut GroundingProgram, rule: &mut GroundingRule, split: Split) {
    if split.parts.is_empty() {
        return;
    }
    let original = rule.clone();
    let mut atoms: Vec<FlatAtom> = Vec::new();
    let subgoal = |what: &What, atoms: &[FlatAtom]| match what {
        What::Subgoal(at) => original.body[*at].clone(),
        What::Part(at) => Subgoal::plain(Literal::Positive(atoms[*at].clone())),
    };
    for (content, shared) in &split.parts {
        let mut body: Vec<Subgoal> = content.iter().map(|w| subgoal(w, &atoms)).collect();
        add_guards(grounding, &original, &mut body, shared);
        let atom = grounding.part(&original, shared, body, Kind::Changing);
        atoms.push(atom);
    }
    rule.body = split.rest.iter().map(|w| subgoal(w, &atoms)).collect();
}

/// Adds projections of the rule's positive subgoals that bind what a part only tests.
fn add_guards(
    grounding: &mut GroundingProgram,
    rule: &GroundingRule,
    body: &mut Vec<Subgoal>,
    shared: &[VariableId],
) {
    let mut needed: Variables = shared.iter().copied().collect();
    let mut bound = Variables::default();
    for subgoal in body.iter() {
        needed.bind(subgoal);
        if subgoal.is_positive() {
            bound.bind(subgoal);
        }
    }
    loop {
        let missing: Variables = needed.difference(&bound).copied().collect();
        if missing.is_empty() {
            return;
        }
        let candidates = rule.body.iter().filter(|subgoal| subgoal.is_positive());
        let best = candidates
            .map(|g| (g, g.variable_set()))
            .map(|(g, variables)| (variables.intersection(&missing).count(), g, variables))
            .filter(|(count, ..)| *count > 0)
            // As many as it can bind at once, then the narrowest.
            .max_by_key(|(count, _, variables)| (*count, std::cmp::Reverse(variables.len())));
        let Some((_, subgoal, variables)) = best else { return };
        let mut kept: Vec<VariableId> = variables.intersection(&needed).copied().collect();
        kept.sort_unstable();
        bound.extend(&kept);
        let guard = subgoal.as_guard();
        if kept.len() == variables.len() {
            body.push(guard);
        } else {
            let atom = grounding.part(rule, &kept, vec![guard], Kind::Guard);
            body.push(Subgoal::guard(atom));
        }
    }
}
