//! Plans for all components of a program.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::EvaluatorError;
use super::body::{FlatId, Literal};
use super::columns::Values;
use super::front::{Front, FrontRelation, uses};
use super::order::WRITTEN;
use super::plan::{Code, Op, PlannedLiteral, PlannedRule, PlannedTable, Planner, Resources, Variant};
use super::session::Session;
use super::statistics::{Expected, TableStatistics};
use super::table::{IndexSpec, Shape, Table, TableId};
use crate::binding::{Adornments, key_of};
use crate::budget::{Budget, LimitError, Meter};
use crate::csr::Csr;
use crate::ids::{ClauseId, Id, IdVec};
use crate::program::{Atom, Pattern};
use crate::scc::components;
use crate::terms::Terms;

/// A flat relation ready to run.
#[derive(Clone, Debug)]
pub(crate) struct CompiledRelation {
    pub shape: Shape,
    pub domains: Vec<Option<Vec<u32>>>,
    pub name: String,
    pub is_given: bool,
    pub component: u32,
    /// For a demand-driven relation: the table of the keys that were demanded.
    pub demand: Option<TableId>,
}

/// Relations that are computed together.
#[derive(Debug, Default)]
pub(crate) struct Component {
    pub tables: Vec<TableId>,
    pub level: u32,
    /// The longest chain of components below.
    pub height: u32,
    pub below: Vec<u32>,
    pub is_demand_driven: bool,
    /// Rules to run once.
    pub once: Vec<(TableId, Code)>,
    /// Rules to run as long as there are new rows at their delta cursor.
    pub repeated: Vec<(TableId, Code, u32)>,
}

/// Everything a session needs, shared by threads. The tables of static relations come first.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub terms: Arc<Terms>,
    pub values: Arc<Values>,
    pub relations: IdVec<TableId, CompiledRelation>,
    pub components: Vec<Component>,
    pub static_count: usize,
    pub static_tables: Vec<Table>,
    pub indexes: IdVec<TableId, Vec<IndexSpec>>,
    pub registers: Vec<u32>,
    pub cursors: u32,
    pub deltas: u32,
    pub levels: u32,
    /// The table of each flat relation.
    pub table_of: IdVec<FlatId, TableId>,
    /// The flat relation of each table; `None` for tables of keys.
    pub origin: IdVec<TableId, Option<FlatId>>,
}

impl Compiled {
    pub(crate) fn relation_text(&self, table: TableId) -> String {
        format!("the relation `{}`", self.relations[table].name)
    }

    /// Whether a table never changes.
    #[inline(always)]
    pub(crate) fn is_static(&self, table: TableId) -> bool {
        table.index() < self.static_count
    }

    /// The position of a table among those that are not static.
    #[inline(always)]
    pub(crate) fn at(&self, table: TableId) -> usize {
        table.index() - self.static_count
    }

    /// The components that `component` needs, each after those it needs itself.
    pub(crate) fn requirements(&self, component: u32) -> Vec<u32> {
        let mut seen = FxHashSet::from_iter([component]);
        let mut queue = vec![component];
        while let Some(at) = queue.pop() {
            for &below in &self.components[at as usize].below {
                if seen.insert(below) {
                    queue.push(below);
                }
            }
        }
        seen.remove(&component);
        let mut found: Vec<u32> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }
}

/// The relations of a front as tables, with tables of keys added, and its rules over them: what is
/// demand-driven is guarded by its keys (the magic-set transform).
struct Arranged {
    relations: IdVec<TableId, CompiledRelation>,
    facts: IdVec<TableId, Vec<Vec<u32>>>,
    levels: IdVec<TableId, u32>,
    adornments: IdVec<TableId, Option<Box<[u32]>>>,
    rules: Vec<PlannedRule>,
    static_count: usize,
    table_of: IdVec<FlatId, TableId>,
    origin: IdVec<TableId, Option<FlatId>>,
}

fn arrange(front: &Front, adornments: &Adornments) -> Arranged {
    let (statics, others): (Vec<FlatId>, Vec<FlatId>) =
        front.relations.ids().partition(|&id| front.relations[id].level == 0 && adornments[id].is_none());
    let mut arranged = Arranged {
        relations: IdVec::new(),
        facts: IdVec::new(),
        levels: IdVec::new(),
        adornments: IdVec::new(),
        rules: Vec::new(),
        static_count: statics.len(),
        table_of: vec![TableId::from_index(0); front.relations.len()].into(),
        origin: IdVec::new(),
    };
    for id in statics.into_iter().chain(others) {
        let relation = &front.relations[id];
        let table = arranged.add(&relation.name, relation.domains.clone(), relation.level, Some(id));
        arranged.table_of[id] = table;
        arranged.relations[table].is_given = relation.is_given;
        arranged.facts[table] = relation.facts.clone();
        arranged.adornments[table] = adornments[id].clone();
    }
    for table in arranged.relations.ids() {
        if let Some(key) = &arranged.adornments[table] {
            let relation = &arranged.relations[table];
            let domains = key.iter().map(|&c| relation.domains[c as usize].clone()).collect();
            let (name, level) = (relation.name.clone(), arranged.levels[table]);
            arranged.relations[table].demand = Some(arranged.add(&name, domains, level, None));
        }
    }
    arranged.rules = front.rules.iter().map(|rule| rule.map(&|&id| arranged.table_of[id])).collect();
    arranged.guard();
    // Facts of a demand-driven relation are rules whose only subgoal is the demand.
    for table in arranged.table_of.iter().copied().collect::<Vec<_>>() {
        if arranged.adornments[table].is_none() {
            continue;
        }
        for row in std::mem::take(&mut arranged.facts[table]) {
            let args = row.iter().map(|&value| Pattern::Ground(front.values.term(value))).collect();
            let head = Atom { relation: table, args };
            let body = arranged.demand_for(&head).map(Literal::Positive).into_iter().collect();
            arranged.rules.push(PlannedRule { head, body, variables: 0, origin: None });
        }
    }
    arranged
}

impl Arranged {
    fn add(
        &mut self,
        name: &str,
        domains: Vec<Option<Vec<u32>>>,
        level: u32,
        origin: Option<FlatId>,
    ) -> TableId {
        let slices: Vec<Option<&[u32]>> = domains.iter().map(|d| d.as_deref()).collect();
        let shape = Shape::new(&slices);
        let name = name.to_owned();
        self.facts.push(Vec::new());
        self.levels.push(level);
        self.adornments.push(None);
        self.origin.push(origin);
        self.relations.push(CompiledRelation {
            shape,
            domains,
            name,
            is_given: false,
            component: 0,
            demand: None,
        })
    }

    /// The key of an atom of a demand-driven relation as an atom of its table of keys.
    fn demand_for(&self, atom: &Atom<TableId>) -> Option<Atom<TableId>> {
        let key = self.adornments[atom.relation].as_ref()?;
        Some(Atom { relation: self.relations[atom.relation].demand?, args: key_of(atom, key) })
    }

    /// Rules of demand-driven relations begin with what is demanded.
    fn guard(&mut self) {
        let mut rules = std::mem::take(&mut self.rules);
        for rule in &mut rules {
            let demand = self.demand_for(&rule.head).map(Literal::Positive);
            rule.body.splice(0..0, demand);
        }
        self.rules = rules;
    }
}

/// Where the tables of the static relations come from.
pub(crate) enum Statics<'a> {
    /// They are computed.
    Compute,
    /// The same relations were compiled before, with other statistics.
    Same(&'a Compiled),
    /// From elsewhere; those of other relations are not used.
    Tables(IdVec<FlatId, Table>),
}

/// Compiles a program. Static relations are computed on the way, within `budget`.
pub(crate) fn compile(
    front: &Front,
    adornments: &Adornments,
    statistics: &IdVec<FlatId, TableStatistics>,
    statics: Statics<'_>,
    budget: &Budget,
) -> Result<Compiled, EvaluatorError> {
    check_shapes(front, budget)?;
    let mut arranged = arrange(front, adornments);
    let count = arranged.relations.len();
    let uses = uses(count, &arranged.rules);
    let mut order = components(count, |n| {
        let demand = arranged.relations[TableId::from_index(n)].demand.map(Id::index);
        uses[n].iter().map(|u| u.0).chain(demand).collect()
    });
    join_demands(&mut order, &arranged);
    for (number, members) in order.iter().enumerate() {
        for &member in members {
            arranged.relations[TableId::from_index(member)].component = number as u32;
        }
    }
    let component = |member| arranged.relations[TableId::from_index(member)].component;
    for (head, list) in uses.iter().enumerate() {
        if list.iter().any(|&(u, negated)| negated && component(u) == component(head)) {
            let relation = arranged.relations[TableId::from_index(head)].name.clone();
            return Err(EvaluatorError::Unstratified { relation });
        }
    }
    let mut seen: IdVec<TableId, TableStatistics> = vec![TableStatistics::default(); count].into();
    for (id, statistics) in statistics.entries() {
        seen[arranged.table_of[id]] = statistics.clone();
    }
    let static_tables = match statics {
        Statics::Compute => compute_static(front, &arranged, &order, &uses, &mut seen, budget)?,
        Statics::Same(before) => copy_static(before, &mut seen),
        Statics::Tables(tables) => take_static(tables, &arranged, &mut seen),
    };
    let is_dynamic = |table: TableId| table.index() >= arranged.static_count;
    let planned = plan_components(front, &arranged, &order, &uses, &seen, &is_dynamic, budget)?;
    let mut compiled = assemble(front, &arranged, planned, arranged.static_count);
    check_tables(&compiled, budget)?;
    compiled.static_tables = static_tables;
    for (at, table) in compiled.static_tables.iter_mut().enumerate() {
        let id = TableId::from_index(at);
        for spec in &compiled.indexes[id] {
            table.add_index(spec);
        }
        for index in 0..compiled.indexes[id].len() {
            table.refresh(compiled.relations[id].shape.arity, index);
        }
    }
    Ok(compiled)
}

/// Whether the numbering of rows fits into memory: a rulesheet can have many relations with many values.
fn check_shapes(front: &Front, budget: &Budget) -> Result<(), LimitError> {
    let column = |d: &Option<Vec<u32>>| d.as_ref().map_or(0, |d| 4 * d.len());
    let cost = |r: &FrontRelation| {
        let domains: Vec<Option<&[u32]>> = r.domains.iter().map(|d| d.as_deref()).collect();
        Shape::bytes(&domains) + r.domains.iter().map(column).sum::<usize>()
    };
    // A relation is kept for planning and for running.
    let bytes = front.relations.iter().map(|r| 3 * cost(r)).sum();
    budget.meter().check_memory(bytes, || "the columns of the relations".into())
}

/// Whether the empty tables of a session fit into memory.
fn check_tables(compiled: &Compiled, budget: &Budget) -> Result<(), LimitError> {
    let members = compiled.relations.iter().map(|r| r.shape.size.unwrap_or(0) as usize / 8);
    let heads = compiled.indexes.iter().flatten().map(|i| i.keys.size.unwrap_or(0) as usize * 4);
    let bytes = members.chain(heads).sum();
    budget.meter().check_memory(bytes, || "the tables of the relations".into())
}

/// A table of keys belongs to the component of the relation it is for.
fn join_demands(order: &mut Vec<Vec<usize>>, arranged: &Arranged) {
    order.retain(|members| members.len() > 1 || arranged.origin[TableId::from_index(members[0])].is_some());
    for members in order {
        let demand = |&member: &usize| arranged.relations[TableId::from_index(member)].demand;
        let demands: Vec<usize> = members.iter().filter_map(demand).map(Id::index).collect();
        members.extend(demands.into_iter().filter(|demand| !members.contains(demand)).collect::<Vec<_>>());
    }
}

fn copy_static(before: &Compiled, seen: &mut IdVec<TableId, TableStatistics>) -> Vec<Table> {
    let tables = before.static_tables.iter().enumerate().map(|(at, table)| {
        let id = TableId::from_index(at);
        seen[id] = TableStatistics::of(table, before.relations[id].shape.arity);
        table.without_indexes()
    });
    tables.collect()
}

fn take_static(
    mut tables: IdVec<FlatId, Table>,
    arranged: &Arranged,
    seen: &mut IdVec<TableId, TableStatistics>,
) -> Vec<Table> {
    let statics = arranged.origin.entries().take(arranged.static_count);
    let taken = statics.filter_map(|(id, origin)| {
        let table = std::mem::replace(&mut tables[(*origin)?], Table::new(&Shape::default(), &[]));
        seen[id] = TableStatistics::of(&table, arranged.relations[id].shape.arity);
        Some(table)
    });
    taken.collect()
}

fn compute_static(
    front: &Front,
    arranged: &Arranged,
    order: &[Vec<usize>],
    uses: &[Vec<(usize, bool)>],
    seen: &mut IdVec<TableId, TableStatistics>,
    budget: &Budget,
) -> Result<Vec<Table>, EvaluatorError> {
    for (id, facts) in arranged.facts.entries() {
        if seen[id].samples == 0 && !facts.is_empty() {
            let distinct: Vec<usize> = (0..arranged.relations[id].shape.arity)
                .map(|c| facts.iter().map(|f| f[c]).collect::<FxHashSet<u32>>().len())
                .collect();
            seen[id].add(facts.len(), &distinct);
        }
    }
    // Static relations that are demand-driven are computed here as far as the others demand.
    let is_static = |table: TableId| arranged.levels[table] == 0;
    let planned = plan_components(front, arranged, order, uses, seen, &is_static, budget)?;
    let compiled = Arc::new(assemble(front, arranged, planned, 0));
    check_tables(&compiled, budget)?;
    let mut session = Session::new(Arc::clone(&compiled), budget);
    for (id, facts) in arranged.facts.entries().take(arranged.static_count) {
        for row in facts {
            session.insert_row(id, row)?;
        }
    }
    // In the order of the components, so that nothing has to be looked for below them.
    for &id in order.iter().flatten().filter(|&&id| id < arranged.static_count) {
        session.count(TableId::from_index(id))?;
    }
    let mut tables = session.into_tables();
    tables.truncate(arranged.static_count);
    let mut plain = Vec::with_capacity(tables.len());
    for (at, table) in tables.iter_mut().enumerate() {
        let id = TableId::from_index(at);
        let shape = &arranged.relations[id].shape;
        let mut fresh = Table::new(shape, &[]);
        fresh.exchange(table, shape.arity);
        seen[id] = TableStatistics::of(&fresh, shape.arity);
        plain.push(fresh);
    }
    Ok(plain)
}

/// So many pairs of literals are ordered in the time of one step of inference.
const PLANNED: usize = 16;

struct Planned {
    components: Vec<Component>,
    resources: Resources,
}

fn plan_components(
    front: &Front,
    arranged: &Arranged,
    order: &[Vec<usize>],
    uses: &[Vec<(usize, bool)>],
    seen: &IdVec<TableId, TableStatistics>,
    wanted: &dyn Fn(TableId) -> bool,
    budget: &Budget,
) -> Result<Planned, EvaluatorError> {
    let mut meter = budget.meter();
    let plan_table = |(id, relation): (TableId, &CompiledRelation)| {
        let sizes: Vec<Option<usize>> = relation.domains.iter().map(|d| d.as_ref().map(Vec::len)).collect();
        PlannedTable {
            shape: relation.shape.clone(),
            domains: relation.domains.clone(),
            expected: Expected::new(&seen[id], &sizes),
            adornment: arranged.adornments[id].clone(),
            component: relation.component,
        }
    };
    let tables: IdVec<TableId, PlannedTable> = arranged.relations.entries().map(plan_table).collect();
    let by_head = Csr::from_pairs(tables.len(), || {
        arranged.rules.iter().enumerate().map(|(number, rule)| (rule.head.relation.index(), number))
    });
    let mut resources = Resources::new(tables.len());
    let value_of = |term| front.values.number(term);
    let mut planner = Planner {
        tables: &tables,
        value_of: &value_of,
        resources: &mut resources,
        bytes: 0,
        is_unsafe: false,
    };
    let mut planned: Vec<Component> = Vec::with_capacity(order.len());
    for (number, members) in order.iter().enumerate() {
        let members: Vec<TableId> = members.iter().map(|&member| TableId::from_index(member)).collect();
        let mut component = Component {
            level: members.iter().map(|&m| arranged.levels[m]).max().unwrap_or(0),
            is_demand_driven: members.iter().any(|&m| arranged.adornments[m].is_some()),
            ..Component::default()
        };
        let mut below: Vec<u32> = members
            .iter()
            .flat_map(|&m| uses[m.index()].iter())
            .map(|u| arranged.relations[TableId::from_index(u.0)].component)
            .filter(|&c| c != number as u32)
            .collect();
        below.sort_unstable();
        below.dedup();
        component.height = below.iter().map(|&b| planned[b as usize].height + 1).max().unwrap_or(0);
        component.below = below;
        if members.iter().any(|&m| wanted(m)) {
            for &number_of_rule in members.iter().flat_map(|&m| &by_head[m.index()]) {
                let rule = &arranged.rules[number_of_rule];
                plan_rule(&mut planner, rule, number as u32, &mut component, &mut meter)?;
            }
        }
        component.tables = members;
        planned.push(component);
    }
    Ok(Planned { components: planned, resources })
}

fn plan_rule(
    planner: &mut Planner<'_>,
    rule: &PlannedRule,
    number: u32,
    component: &mut Component,
    meter: &mut Meter,
) -> Result<(), EvaluatorError> {
    let tables = planner.tables;
    let length = rule.body.len();
    // Long bodies are not put in order.
    let effort = (1 + length.min(WRITTEN).pow(2) / PLANNED + length / 4) as u64;
    let inside = |literal: &PlannedLiteral| matches!(literal, Literal::Positive(atom) if tables[atom.relation].component == number);
    let mut nested = false;
    for literal in &rule.body {
        if literal.is_block() {
            literal.atoms(false, &mut |atom, _| nested |= tables[atom.relation].component == number);
        }
    }
    let recursive: Vec<usize> = (0..rule.body.len()).filter(|&at| inside(&rule.body[at])).collect();
    let plans = recursive.len().max(1);
    planner.bytes =
        planner.bytes.saturating_add(plans.saturating_mul(length).saturating_mul(size_of::<Op>()));
    meter.check_memory(planner.bytes, || "the plans of the rules".into())?;
    if recursive.is_empty() && !nested {
        meter.spend(effort)?;
        let (code, _) = planner.rule(rule, Variant { delta: None, component: number });
        component.once.push((rule.head.relation, code));
    } else {
        for &at in &recursive {
            meter.spend(effort)?;
            let (code, delta) = planner.rule(rule, Variant { delta: Some(at), component: number });
            if let Some(delta) = delta {
                component.repeated.push((rule.head.relation, code, delta));
            }
        }
    }
    if nested || planner.is_unsafe {
        // Rules without an origin bind all their variables.
        return Err(EvaluatorError::Unsafe { clause: rule.origin.unwrap_or(ClauseId::from_index(0)) });
    }
    Ok(())
}

fn assemble(front: &Front, arranged: &Arranged, planned: Planned, static_count: usize) -> Compiled {
    Compiled {
        origin: arranged.origin.clone(),
        terms: Arc::clone(&front.terms),
        values: Arc::new(front.values.clone()),
        relations: arranged.relations.clone(),
        components: planned.components,
        static_count,
        static_tables: Vec::new(),
        indexes: planned.resources.indexes,
        registers: planned.resources.registers,
        cursors: planned.resources.cursors,
        deltas: planned.resources.deltas,
        levels: front.levels,
        table_of: arranged.table_of.clone(),
    }
}
