//! Everything about a program that does not depend on statistics: flat rules, columns, levels.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::body::{FlatId, FlatLiteral, FlatRule, Literal, Rule};
use super::columns::{Columns, Values};
use super::flat::{Flat, FlatKey, flatten};
use super::layout::Layout;
use super::normal::normalise;
use crate::binding::HasLiteral;
use crate::budget::{Budget, LimitError, Meter};
use crate::ids::{ClauseId, Id, IdVec, RelationId};
use crate::program::{Pattern, Program};
use crate::scc::components;
use crate::terms::Terms;

/// What one fact takes beside its arguments, while relations are prepared.
const FACT_BYTES: usize = 96;

/// A flat relation before planning.
#[derive(Clone, Debug)]
pub(crate) struct FrontRelation {
    /// The variant of the program's relation; `None` for relations made here.
    pub key: Option<FlatKey>,
    /// The relation that messages name.
    pub name: String,
    /// The values of each column in ascending order, where they are known.
    pub domains: Vec<Option<Vec<u32>>>,
    pub is_given: bool,
    /// 0 for static relations; `n + 1` for what depends on the `n`-th given relation but no later one.
    pub level: u32,
    pub facts: Vec<Vec<u32>>,
}

impl FrontRelation {
    /// A relation that is not one of the program's.
    pub(crate) fn made(name: String, domains: Vec<Option<Vec<u32>>>, level: u32) -> Self {
        Self { key: None, name, domains, is_given: false, level, facts: Vec::new() }
    }

    /// How many rows the columns allow; 10 000 values count for an open one.
    pub(crate) fn possible_rows(&self) -> f64 {
        self.domains.iter().map(|d| d.as_ref().map_or(1e4, |d| d.len().max(1) as f64)).product()
    }
}

/// A program made flat.
#[derive(Debug)]
pub(crate) struct Front {
    pub terms: Arc<Terms>,
    pub values: Values,
    pub relations: IdVec<FlatId, FrontRelation>,
    pub rules: Vec<FlatRule>,
    /// The flat relations of each relation of the program.
    pub variants: Vec<Vec<FlatId>>,
    pub ids: FxHashMap<FlatKey, FlatId>,
    pub levels: u32,
}

impl Front {
    pub(crate) fn new(program: &Program, budget: &Budget) -> Result<Self, LimitError> {
        let mut meter = budget.meter();
        let normal = normalise(program, &mut meter)?;
        let helper_arities: Vec<usize> = normal.helpers.iter().map(|h| h.0).collect();
        let mut layout = Layout::new(program, &normal.rules, &helper_arities);
        let (flat, columns) = loop {
            let mut flat = flatten(program, &normal.rules, &mut layout, &mut meter)?;
            let columns = Columns::new(program, &mut flat, &mut meter)?;
            prune(program, &mut flat);
            if !separate_negation(program, &flat, &mut layout, &mut meter)? {
                break (flat, columns);
            }
        };
        let mut flat = flat;
        let bytes = flat.facts.iter().map(|(_, row)| FACT_BYTES + 8 * row.len()).sum::<usize>();
        meter.check_memory(bytes + program.terms.bytes(), || "the facts of the rulesheet".into())?;
        meter.check()?;
        let values = columns.values(&program.terms, &flat.rules);
        let relation = |(id, key): (FlatId, &FlatKey)| FrontRelation {
            key: Some(key.clone()),
            name: relation_name(program, &normal.helpers, key.relation),
            domains: (0..key.arity()).map(|c| columns.domain(&values, id, c)).collect(),
            is_given: program.is_given(key.relation),
            level: 0,
            facts: Vec::new(),
        };
        let mut relations: IdVec<FlatId, FrontRelation> = flat.keys.entries().map(relation).collect();
        for (relation, row) in &flat.facts {
            let row = row.iter().map(|&t| values.number(t)).collect();
            relations[*relation].facts.push(row);
        }
        drop_constant_guards(&relations, &values, &program.terms, &mut flat.rules);
        let mut variants = vec![Vec::new(); program.relations.len()];
        for (id, key) in flat.keys.entries() {
            if let Some(list) = variants.get_mut(key.relation.index()) {
                list.push(id);
            }
        }
        let mut front = Self {
            terms: Arc::clone(&program.terms),
            values,
            relations,
            rules: flat.rules,
            variants,
            ids: flat.ids,
            levels: program.interface.given.len() as u32 + 1,
        };
        front.find_levels(program);
        front.separate_facts();
        meter.check()?;
        Ok(front)
    }

    fn find_levels(&mut self, program: &Program) {
        for relation in self.relations.iter_mut() {
            let Some(key) = &relation.key else { continue };
            if let Some(group) = program.interface.given.iter().position(|&g| g == key.relation) {
                relation.level = group as u32 + 1;
            }
        }
        let uses = uses(self.relations.len(), &self.rules);
        for members in groups(&uses).0 {
            let level = members
                .iter()
                .flat_map(|&m| uses[m].iter().map(|e| e.0).chain([m]))
                .map(|r| self.relations[FlatId::from_index(r)].level)
                .max()
                .unwrap_or(0);
            members.iter().for_each(|&m| self.relations[FlatId::from_index(m)].level = level);
        }
    }

    /// Facts of a relation that also depends on the state go to a static relation of their own.
    fn separate_facts(&mut self) {
        for id in self.relations.ids() {
            let relation = &mut self.relations[id];
            if relation.level == 0 || relation.facts.is_empty() {
                continue;
            }
            let mut source = FrontRelation::made(relation.name.clone(), relation.domains.clone(), 0);
            source.facts = std::mem::take(&mut relation.facts);
            let arity = source.domains.len();
            let from = self.relations.push(source);
            self.rules.push(FlatRule::copying(from, id, arity));
        }
    }
}

/// A relation that depends on its own negation, but for other values (`goal(R,0)` on `~goal(R,100)`),
/// is split by those values. True when there is something to flatten again.
fn separate_negation(
    program: &Program,
    flat: &Flat,
    layout: &mut Layout,
    meter: &mut Meter,
) -> Result<bool, LimitError> {
    const VALUES: usize = 200;
    let uses = uses(flat.keys.len(), &flat.rules);
    let (_, group) = groups(&uses);
    let mut changed = false;
    for (head, list) in uses.iter().enumerate() {
        let home = group[FlatId::from_index(head)];
        let negated = list.iter().filter(|u| u.1).map(|u| FlatId::from_index(u.0));
        for used in negated.filter(|&used| group[used] == home) {
            let relation = flat.keys[used].relation;
            let Some(info) = program.relations.get(relation) else { continue };
            for position in 0..info.arity {
                let node = layout.position(relation, position);
                if layout.split_values(node).is_some() {
                    continue;
                }
                meter.spend(program.clauses.len() as u64)?;
                let mut values = Vec::new();
                let layout_node = |relation, at| layout.position(relation, at);
                // Relations that feed each other are split alike, so that the values of all count.
                let heads = program.clauses.iter().flat_map(|clause| {
                    let head = &clause.head;
                    let same = move |(at, _): &(usize, &Pattern)| layout_node(head.relation, *at) == node;
                    head.args.iter().enumerate().filter(same)
                });
                let all_ground = heads.into_iter().all(|(_, arg)| match arg {
                    Pattern::Ground(term) => {
                        if !values.contains(term) {
                            values.push(*term);
                        }
                        values.len() <= VALUES
                    }
                    _ => false,
                });
                if all_ground && values.len() > 1 {
                    changed |= layout.split_by_value(node, values);
                }
            }
        }
    }
    Ok(changed)
}

/// By relation: what its rules use, and whether that stands under a negation.
pub(crate) type Uses = Vec<Vec<(usize, bool)>>;

/// The strongly connected components of relations, each after those it uses, and the component of each
/// relation.
pub(crate) fn groups(uses: &Uses) -> (Vec<Vec<usize>>, IdVec<FlatId, usize>) {
    let groups = components(uses.len(), |n| uses[n].iter().map(|u| u.0).collect());
    let mut group: IdVec<FlatId, usize> = vec![0; uses.len()].into();
    for (number, members) in groups.iter().enumerate() {
        members.iter().for_each(|&m| group[FlatId::from_index(m)] = number);
    }
    (groups, group)
}

/// What each relation's rules use.
pub(crate) fn uses<R: Id, G: HasLiteral<R>>(count: usize, rules: &[Rule<R, G>]) -> Uses {
    let mut uses = vec![Vec::new(); count];
    for rule in rules {
        let list = &mut uses[rule.head.relation.index()];
        for subgoal in &rule.body {
            subgoal.literal().atoms(false, &mut |atom, negated| list.push((atom.relation.index(), negated)));
        }
    }
    for list in &mut uses {
        list.sort_unstable();
        list.dedup();
    }
    uses
}

fn relation_name(program: &Program, helpers: &[(usize, ClauseId)], relation: RelationId) -> String {
    let named = match program.relations.get(relation) {
        Some(_) => relation,
        None => {
            let origin = helpers[relation.index() - program.relations.len()].1;
            program.clauses[origin].head.relation
        }
    };
    program.relation_name(named).to_owned()
}

/// Drops rules that can never hold because they need a relation without facts and live rules.
fn prune(program: &Program, flat: &mut Flat) {
    let mut live: IdVec<FlatId, bool> = flat.keys.iter().map(|k| program.is_given(k.relation)).collect();
    for (relation, _) in &flat.facts {
        live[*relation] = true;
    }
    // Given relations that are fed live only as far as something feeds them; keeping them is harmless.
    let mut waiting: IdVec<FlatId, Vec<usize>> = vec![Vec::new(); flat.keys.len()].into();
    let mut missing = vec![0usize; flat.rules.len()];
    let mut queue = Vec::new();
    for (number, rule) in flat.rules.iter().enumerate() {
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal
                && !live[atom.relation]
            {
                waiting[atom.relation].push(number);
                missing[number] += 1;
            }
        }
        if missing[number] == 0 {
            queue.push(number);
        }
    }
    let mut kept = vec![false; flat.rules.len()];
    while let Some(number) = queue.pop() {
        kept[number] = true;
        let head = flat.rules[number].head.relation;
        if !std::mem::replace(&mut live[head], true) {
            for &waiter in &waiting[head] {
                missing[waiter] -= 1;
                if missing[waiter] == 0 {
                    queue.push(waiter);
                }
            }
        }
    }
    let mut kept = kept.into_iter();
    flat.rules.retain(|_| kept.next().unwrap_or(false));
}

/// A guard that a variable holds a constant is dropped where some column it comes from holds nothing else.
fn drop_constant_guards(
    relations: &IdVec<FlatId, FrontRelation>,
    values: &Values,
    terms: &Terms,
    rules: &mut [FlatRule],
) {
    use crate::terms::TermView;
    let mut constant_columns: FxHashMap<(FlatId, usize), bool> = FxHashMap::default();
    let mut only_constants = |relation: FlatId, column: usize| {
        *constant_columns.entry((relation, column)).or_insert_with(|| {
            relations[relation].domains[column].as_ref().is_some_and(|d| {
                d.iter().all(|&v| matches!(terms.view(values.term(v)), TermView::Constant(_)))
            })
        })
    };
    for rule in rules {
        drop_in(&mut rule.body, &mut only_constants);
    }
}

fn drop_in(body: &mut Vec<FlatLiteral>, only_constants: &mut dyn FnMut(FlatId, usize) -> bool) {
    let mut safe = rustc_hash::FxHashSet::default();
    for literal in body.iter() {
        if let Literal::Positive(atom) = literal {
            for (column, arg) in atom.args.iter().enumerate() {
                if let Pattern::Variable(v) = arg
                    && only_constants(atom.relation, column)
                {
                    safe.insert(*v);
                }
            }
        }
    }
    body.retain(|l| !matches!(l, Literal::Constant(v) if safe.contains(v)));
    for literal in body {
        if let Literal::Block { alternatives, .. } = literal {
            alternatives.iter_mut().for_each(|a| drop_in(a, only_constants));
        }
    }
}
