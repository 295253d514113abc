//! Which relations are asked with bound arguments rather than computed whole.
//!
//! A relation such as `lessthan` over large numbers, or a counter with running totals, has a huge
//! model of which a state needs a few rows. Where every use binds some columns, those become its key:
//! a use asks for one key at a time, and what was found is kept as long as the state it came from.

use rustc_hash::FxHashSet;

use super::compile::Asked;
use super::flat::{FlatAtom, FlatLiteral};
use super::front::{Front, uses};
use crate::budget::{LimitError, Meter};
use crate::ids::{RelationId, VariableId};
use crate::program::Pattern;
use crate::scc::components;

/// Chains of relations that ask each other are not made longer than this, because they nest.
const NESTED: usize = 60;

/// The relations to be asked: those with more than `threshold` possible rows all of whose uses bind
/// some columns.
pub(crate) fn choose(
    front: &Front,
    interface: &[RelationId],
    threshold: f64,
    meter: &mut Meter,
) -> Result<Asked, LimitError> {
    let count = front.relations.len();
    let uses = uses(count, &front.rules);
    let groups = components(count, |n| uses[n].iter().map(|u| u.0).collect());
    let mut group = vec![0; count];
    let mut height = vec![0usize; groups.len()];
    for (number, members) in groups.iter().enumerate() {
        members.iter().for_each(|&m| group[m] = number);
        let below = members.iter().flat_map(|&m| uses[m].iter().map(|u| group[u.0]));
        height[number] = below.filter(|&g| g != number).map(|g| height[g] + 1).max().unwrap_or(0);
    }
    let mut keys: Vec<Option<Vec<bool>>> = front
        .relations
        .iter()
        .enumerate()
        .map(|(id, relation)| {
            let named = relation.key.as_ref().is_some_and(|k| interface.contains(&k.relation));
            let rows: f64 =
                relation.domains.iter().map(|d| d.as_ref().map_or(1e4, |d| d.len().max(1) as f64)).product();
            let has_rules = !uses[id].is_empty();
            let wanted = !named && !relation.is_given && has_rules && rows > threshold;
            (wanted && height[group[id]] < NESTED).then(|| vec![true; relation.domains.len()])
        })
        .collect();
    loop {
        let mut analysis = Analysis { keys: &mut keys, group: &group, home: 0, changed: false };
        for rule in &front.rules {
            meter.spend(1 + rule.body.len() as u64)?;
            analysis.home = group[rule.head.relation as usize];
            let head = &analysis.keys[rule.head.relation as usize];
            let mut bound = FxHashSet::default();
            for (column, arg) in rule.head.args.iter().enumerate() {
                if head.as_ref().is_some_and(|key| key[column]) {
                    arg.variables(&mut |v| {
                        bound.insert(v);
                    });
                }
            }
            analysis.conjunction(&rule.body, bound);
        }
        let mut changed = analysis.changed;
        // A component is asked as a whole or not at all.
        for members in &groups {
            let without = |m: &usize| keys[*m].as_ref().is_none_or(|k| !k.contains(&true));
            if members.iter().any(without) {
                for &member in members {
                    changed |= keys[member].take().is_some();
                }
            }
        }
        if !changed {
            break;
        }
    }
    let columns = keys
        .into_iter()
        .map(|key| {
            let key = key?;
            let columns = key.iter().enumerate().filter(|(_, k)| **k).map(|(c, _)| c as u32);
            Some(columns.collect::<Box<[u32]>>())
        })
        .collect();
    Ok(columns)
}

struct Analysis<'a> {
    keys: &'a mut Vec<Option<Vec<bool>>>,
    /// The component of each relation, and that of the head at hand.
    group: &'a [usize],
    home: usize,
    changed: bool,
}

impl Analysis<'_> {
    /// Narrows the keys of the asked relations in a body to what its other subgoals bind.
    fn conjunction(&mut self, body: &[FlatLiteral], mut bound: FxHashSet<VariableId>) {
        let mut waiting = Vec::new();
        for literal in body {
            match literal {
                FlatLiteral::Positive(atom) if self.keys[atom.relation as usize].is_some() => {
                    waiting.push(atom);
                }
                FlatLiteral::Positive(atom) => bind(atom, &mut bound),
                _ => {}
            }
        }
        close_equalities(body, &mut bound);
        while !waiting.is_empty() {
            // What is computed before the head comes first: recursive subgoals need what it binds.
            let best = (0..waiting.len()).min_by(|&a, &b| {
                let rank = |at: usize| {
                    let (met, wanted) = self.bound_columns(waiting[at], &bound);
                    let is_recursive = self.group[waiting[at].relation as usize] == self.home;
                    (met == 0 && wanted > 0, is_recursive, wanted - met)
                };
                rank(a).cmp(&rank(b)).then(a.cmp(&b))
            });
            let Some(best) = best else { break };
            let atom = waiting.remove(best);
            self.narrow(atom, &bound);
            bind(atom, &mut bound);
            close_equalities(body, &mut bound);
        }
        for literal in body {
            if let FlatLiteral::Block { alternatives, .. } = literal {
                for alternative in alternatives {
                    self.conjunction(alternative, bound.clone());
                }
            }
        }
    }

    /// How many key columns are bound, and how many there are.
    fn bound_columns(&self, atom: &FlatAtom, bound: &FxHashSet<VariableId>) -> (usize, usize) {
        let Some(key) = &self.keys[atom.relation as usize] else { return (0, 0) };
        let wanted = key.iter().filter(|k| **k).count();
        let met = atom.args.iter().zip(key).filter(|(arg, k)| **k && is_bound(arg, bound)).count();
        (met, wanted)
    }

    fn narrow(&mut self, atom: &FlatAtom, bound: &FxHashSet<VariableId>) {
        let Some(key) = &mut self.keys[atom.relation as usize] else { return };
        for (column, arg) in atom.args.iter().enumerate() {
            if key[column] && !is_bound(arg, bound) {
                key[column] = false;
                self.changed = true;
            }
        }
    }
}

fn is_bound(pattern: &Pattern, bound: &FxHashSet<VariableId>) -> bool {
    let mut all = true;
    pattern.variables(&mut |v| all &= bound.contains(&v));
    all
}

fn bind(atom: &FlatAtom, bound: &mut FxHashSet<VariableId>) {
    for arg in &atom.args {
        arg.variables(&mut |v| {
            bound.insert(v);
        });
    }
}

fn close_equalities(body: &[FlatLiteral], bound: &mut FxHashSet<VariableId>) {
    for literal in body {
        if let FlatLiteral::Equal(a, b) = literal
            && (is_bound(a, bound) || is_bound(b, bound))
        {
            for side in [a, b] {
                side.variables(&mut |v| {
                    bound.insert(v);
                });
            }
        }
    }
}
