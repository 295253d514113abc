//! Rules split along a tree decomposition of their variables.
//!
//! A rule over many variables has an instance for each combination of their values. Eliminating a
//! variable `V` (bucket elimination, Dechter 1999) moves the subgoals that mention it into a rule of
//! their own over the variables they share with the rest: `h(X,Y) :- p(X,V), q(V,Y)`. The instances of
//! the parts add up where those of the whole multiply. Which variables are worth eliminating is
//! estimated from the sizes of the relations.

use rustc_hash::{FxHashMap, FxHashSet};

use super::GroundError;
use super::draft::{Draft, Goal, Kind, Rule};
use crate::budget::Budget;
use crate::evaluator::flat::{FlatAtom, FlatLiteral};
use crate::evaluator::statistics::Expected;
use crate::ids::VariableId;
use crate::program::Pattern;

/// A split has to leave less than this share of the literals.
const WORTHWHILE: f64 = 0.75;
/// Rules expected to have fewer literals than this are left alone.
const SMALL: f64 = 24.0;
/// Bodies longer than this are left alone: looking for splits takes time with the cube of the length.
const LONG: usize = 60;

/// Splits the rules of `draft` whose instances get fewer by it. `sizes` are by flat relation.
pub(super) fn split(draft: &mut Draft, sizes: &[Expected], budget: &Budget) -> Result<(), GroundError> {
    let mut meter = budget.meter();
    let mut queue: Vec<Rule> = std::mem::take(&mut draft.rules);
    queue.reverse();
    while let Some(mut rule) = queue.pop() {
        let length = rule.body.len() as u64;
        meter.spend(1 + length * length)?;
        let is_candidate = draft.kind(rule.head.relation) == Kind::Changing
            && (2..LONG).contains(&rule.body.len())
            && !rule.body.iter().any(|g| matches!(g.literal, FlatLiteral::Equal(..)));
        if is_candidate {
            let mut splitter = Splitter::new(draft, sizes, &rule);
            while let Some(bag) = splitter.best() {
                splitter.take(bag);
                meter.spend(length * length)?;
            }
            let parts = splitter.finish();
            apply(draft, &mut rule, parts);
        }
        draft.rules.push(rule);
    }
    Ok(())
}

type Variables = FxHashSet<VariableId>;

/// A subgoal, or a part that was split off.
#[derive(Clone)]
struct Factor {
    variables: Variables,
    what: What,
    is_emitted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Goal(usize),
    Part(usize),
}

/// Factors to be moved into a rule of their own.
struct Bag {
    factors: Vec<usize>,
    /// The variables that the part shares with the rest, in order.
    shared: Vec<VariableId>,
}

struct Splitter<'a> {
    sizes: &'a [Expected],
    rule: &'a Rule,
    head: Variables,
    factors: Vec<Factor>,
    /// What the parts consist of, with the variables that they share with the rest.
    parts: Vec<(Vec<What>, Vec<VariableId>)>,
    domains: FxHashMap<VariableId, f64>,
}

impl<'a> Splitter<'a> {
    fn new(draft: &Draft, sizes: &'a [Expected], rule: &'a Rule) -> Self {
        let mut head = Variables::default();
        rule.head.args.iter().for_each(|a| {
            a.variables(&mut |v| {
                head.insert(v);
            });
        });
        let factors: Vec<Factor> = rule
            .body
            .iter()
            .enumerate()
            .map(|(at, goal)| Factor {
                variables: goal.variables(),
                what: What::Goal(at),
                is_emitted: draft.is_emitted(goal),
            })
            .collect();
        let all: Variables = factors.iter().flat_map(|f| f.variables.iter().copied()).collect();
        let size = |v: VariableId| draft.domain(v, &rule.body).map_or(1000.0, |d| d.len().max(1) as f64);
        let domains = all.iter().map(|&v| (v, size(v))).collect();
        Self { sizes, rule, head, factors, parts: Vec::new(), domains }
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
                What::Goal(goal) => matches!(self.rule.body[goal].literal, FlatLiteral::Positive(_)),
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
            What::Goal(goal) => {
                let FlatLiteral::Positive(atom) = &self.rule.body[goal].literal else { return 1.0 };
                let is_bound = |arg: &Pattern| {
                    let mut all = true;
                    arg.variables(&mut |v| all &= bound.contains(&v));
                    all
                };
                let columns = (0..atom.args.len()).filter(|&c| is_bound(&atom.args[c]));
                self.sizes[atom.relation as usize].matches(columns)
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

    fn finish(self) -> Parts {
        Parts { rest: self.factors.iter().map(|f| f.what).collect(), parts: self.parts }
    }
}

/// How a rule is to be split.
struct Parts {
    rest: Vec<What>,
    parts: Vec<(Vec<What>, Vec<VariableId>)>,
}

fn apply(draft: &mut Draft, rule: &mut Rule, parts: Parts) {
    if parts.parts.is_empty() {
        return;
    }
    let original = rule.clone();
    let mut atoms: Vec<FlatAtom> = Vec::new();
    let goal = |what: &What, atoms: &[FlatAtom]| match what {
        What::Goal(at) => original.body[*at].clone(),
        What::Part(at) => Goal { literal: FlatLiteral::Positive(atoms[*at].clone()), is_guard: false },
    };
    for (content, shared) in &parts.parts {
        let mut body: Vec<Goal> = content.iter().map(|w| goal(w, &atoms)).collect();
        add_guards(draft, &original, &mut body, shared);
        let atom = draft.part(&original, shared, body, Kind::Changing);
        atoms.push(atom);
    }
    rule.body = parts.rest.iter().map(|w| goal(w, &atoms)).collect();
}

/// Adds projections of the rule's positive subgoals that bind what a part only tests.
fn add_guards(draft: &mut Draft, rule: &Rule, body: &mut Vec<Goal>, shared: &[VariableId]) {
    let mut needed: Variables = shared.iter().copied().collect();
    let mut bound = Variables::default();
    for goal in body.iter() {
        let variables = goal.variables();
        if matches!(goal.literal, FlatLiteral::Positive(_)) {
            bound.extend(&variables);
        }
        needed.extend(variables);
    }
    loop {
        let missing: Variables = needed.difference(&bound).copied().collect();
        if missing.is_empty() {
            return;
        }
        let candidates = rule.body.iter().filter(|g| matches!(g.literal, FlatLiteral::Positive(_)));
        let best = candidates
            .map(|g| (g, g.variables()))
            .map(|(g, variables)| (variables.intersection(&missing).count(), g, variables))
            .filter(|(count, ..)| *count > 0)
            // As many as it can bind at once, then the narrowest.
            .max_by_key(|(count, _, variables)| (*count, std::cmp::Reverse(variables.len())));
        let Some((_, goal, variables)) = best else { return };
        let mut kept: Vec<VariableId> = variables.intersection(&needed).copied().collect();
        kept.sort_unstable();
        bound.extend(&kept);
        let guard = Goal { literal: goal.literal.clone(), is_guard: true };
        if kept.len() == variables.len() {
            body.push(guard);
        } else {
            let atom = draft.part(rule, &kept, vec![guard], Kind::Guard);
            body.push(Goal::guard(atom));
        }
    }
}
