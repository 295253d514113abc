//! Which relations are grounded on demand, and by which arguments.

use rustc_hash::FxHashSet;

use super::GroundError;
use super::draft::{Draft, Kind, Rule};
use crate::budget::Meter;
use crate::evaluator::flat::{FlatAtom, FlatLiteral};
use crate::ids::VariableId;
use crate::program::{Pattern, Program};

/// A static relation with more possible rows is grounded on demand.
const STATIC_ROWS: f64 = 100_000.0;
/// The same for a relation that changes.
const CHANGING_ROWS: f64 = 4_000.0;
/// The same for a relation that changes and occurs only under negation.
const NEGATED_ROWS: f64 = 200.0;
/// Per flat relation its key columns, where it is grounded on demand.
pub(super) type Keys = Vec<Option<Box<[u32]>>>;

/// In what order the subgoals of a body pass their variables on.
pub(super) struct Passing {
    /// Per flat relation: rows it may have, and different values per column.
    sizes: Vec<(f64, Vec<f64>)>,
    is_changing: Vec<bool>,
}

impl Passing {
    /// By the sizes of facts and, for everything else, of the columns' domains.
    pub(super) fn new(draft: &Draft) -> Self {
        let mut has_rules = vec![false; draft.kinds.len()];
        draft.rules.iter().for_each(|r| has_rules[r.head.relation as usize] = true);
        let size = |(id, relation): (usize, &crate::evaluator::front::FrontRelation)| {
            let columns: Vec<f64> = relation
                .domains
                .iter()
                .map(|d| d.as_ref().map_or(100.0, |d| d.len().max(1) as f64))
                .collect();
            let product: f64 = columns.iter().product();
            let is_listed = !has_rules[id] && draft.kinds[id] == Kind::Static;
            let rows = if is_listed { relation.facts.len() as f64 } else { product };
            (rows, columns.iter().map(|&c| c.min(rows.max(1.0))).collect())
        };
        Self {
            sizes: draft.front.relations.iter().enumerate().map(size).collect(),
            is_changing: draft.kinds.iter().map(|k| *k == Kind::Changing).collect(),
        }
    }

    fn growth(&self, atom: &FlatAtom, bound: &FxHashSet<VariableId>) -> f64 {
        let Some((rows, columns)) = self.sizes.get(atom.relation as usize) else { return 1.0 };
        let bound = atom.args.iter().zip(columns).filter(|(arg, _)| is_bound(arg, bound));
        bound.fold(*rows, |rows, (_, column)| rows / column)
    }

    /// The positive subgoals of a rule in the order in which they bind variables; those of relations
    /// with a key come as soon as something of the key is bound.
    pub(super) fn order(&self, rule: &Rule, keys: &Keys) -> Vec<usize> {
        let key = |atom: &FlatAtom| keys.get(atom.relation as usize).and_then(Option::as_ref);
        let mut bound = FxHashSet::default();
        if let Some(columns) = key(&rule.head) {
            columns.iter().for_each(|&c| bind(&rule.head.args[c as usize], &mut bound));
        }
        let positive = |at: &usize| matches!(rule.body[*at].literal, FlatLiteral::Positive(_));
        let mut waiting: Vec<usize> = (0..rule.body.len()).filter(positive).collect();
        let mut order = Vec::with_capacity(waiting.len());
        while !waiting.is_empty() {
            close_equalities(rule, &mut bound);
            // The least growth first. What is grounded on demand finds less than its columns allow, so
            // it wins a tie, and what changes more so; but something of its key has to be bound.
            let rank = |at: &usize| {
                let FlatLiteral::Positive(atom) = &rule.body[*at].literal else { return (true, 0.0, 2) };
                let growth = self.growth(atom, &bound);
                match key(atom) {
                    Some(columns) => {
                        let is_met = columns.iter().any(|&c| is_bound(&atom.args[c as usize], &bound));
                        let is_changing = self.is_changing[atom.relation as usize];
                        (!is_met && !columns.is_empty(), growth, if is_changing { 0 } else { 1 })
                    }
                    None => (false, growth, 2),
                }
            };
            let ranked = waiting.iter().enumerate().map(|(position, at)| (rank(at), position));
            let best =
                ranked.min_by(|a, b| a.0.0.cmp(&b.0.0).then(a.0.1.total_cmp(&b.0.1)).then(a.0.2.cmp(&b.0.2)));
            let Some((_, position)) = best else { break };
            let at = waiting.remove(position);
            if let FlatLiteral::Positive(atom) = &rule.body[at].literal {
                atom.args.iter().for_each(|a| bind(a, &mut bound));
            }
            order.push(at);
        }
        order
    }
}

/// The key columns of the relations that are large and all of whose uses bind some columns.
pub(super) fn find_keys(
    draft: &Draft,
    program: &Program,
    passing: &Passing,
    meter: &mut Meter,
) -> Result<Keys, GroundError> {
    let mut keys = large_relations(draft, program);
    loop {
        let mut changed = false;
        for rule in &draft.rules {
            let length = rule.body.len() as u64;
            meter.spend(1 + length * length / 16)?;
            let mut bound = FxHashSet::default();
            if let Some(columns) = &keys[rule.head.relation as usize] {
                columns.iter().for_each(|&c| bind(&rule.head.args[c as usize], &mut bound));
            }
            for at in passing.order(rule, &keys) {
                let FlatLiteral::Positive(atom) = &rule.body[at].literal else { continue };
                close_equalities(rule, &mut bound);
                let key = &mut keys[atom.relation as usize];
                if let Some(columns) = key {
                    let kept: Box<[u32]> = columns
                        .iter()
                        .copied()
                        .filter(|&c| is_bound(&atom.args[c as usize], &bound))
                        .collect();
                    if kept.len() < columns.len() {
                        changed = true;
                        *key = (!kept.is_empty()).then_some(kept);
                    }
                }
                atom.args.iter().for_each(|a| bind(a, &mut bound));
            }
        }
        if !changed {
            return Ok(keys);
        }
    }
}

/// Relations large enough to be grounded on demand, with all their columns.
fn large_relations(draft: &Draft, program: &Program) -> Keys {
    let mut is_positive = vec![false; draft.kinds.len()];
    let mut has_rules = vec![false; draft.kinds.len()];
    for rule in &draft.rules {
        has_rules[rule.head.relation as usize] = true;
        for goal in &rule.body {
            if let FlatLiteral::Positive(atom) = &goal.literal {
                is_positive[atom.relation as usize] = true;
            }
        }
    }
    let interface = &program.interface;
    let relations = draft.front.relations.iter().enumerate();
    let key = relations.map(|(id, relation)| {
        let is_named = relation
            .key
            .as_ref()
            .is_some_and(|k| interface.asked.contains(&k.relation) || interface.given.contains(&k.relation));
        let rows: f64 =
            relation.domains.iter().map(|d| d.as_ref().map_or(1e4, |d| d.len().max(1) as f64)).product();
        let limit = match draft.kinds[id] {
            Kind::Static => STATIC_ROWS,
            Kind::Changing if is_positive[id] => CHANGING_ROWS,
            Kind::Changing => NEGATED_ROWS,
            Kind::Guard => f64::INFINITY,
        };
        let is_large = has_rules[id] && !is_named && rows > limit;
        is_large.then(|| (0..relation.domains.len() as u32).collect())
    });
    key.collect()
}

fn is_bound(pattern: &Pattern, bound: &FxHashSet<VariableId>) -> bool {
    let mut all = true;
    pattern.variables(&mut |v| all &= bound.contains(&v));
    all
}

fn bind(pattern: &Pattern, bound: &mut FxHashSet<VariableId>) {
    pattern.variables(&mut |v| {
        bound.insert(v);
    });
}

/// `X = t` binds the variables of one side once those of the other are bound.
fn close_equalities(rule: &Rule, bound: &mut FxHashSet<VariableId>) {
    for goal in &rule.body {
        if let FlatLiteral::Equal(a, b) = &goal.literal
            && (is_bound(a, bound) || is_bound(b, bound))
        {
            bind(a, bound);
            bind(b, bound);
        }
    }
}
