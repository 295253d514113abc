//! Plans for all components of a program.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::EvaluatorError;
use super::columns::Values;
use super::flat::{FlatAtom, FlatId, FlatLiteral, FlatRule};
use super::front::{Front, FrontRelation, uses};
use super::order::WRITTEN;
use super::plan::{Code, Op, PlanTable, Planner, Resources, Variant};
use super::session::{Session, collect_table};
use super::statistics::{Expected, TableStatistics};
use super::table::{IndexSpec, Shape, Table};
use crate::budget::{Budget, LimitError, Meter};
use crate::ids::Id;
use crate::program::Pattern;
use crate::scc::components;
use crate::terms::Terms;

/// A flat relation ready to run.
#[derive(Debug)]
pub(crate) struct CompiledRelation {
    pub shape: Shape,
    pub domains: Vec<Option<Vec<u32>>>,
    pub name: String,
    pub is_given: bool,
    pub component: u32,
    /// For an asked relation: the relation of the keys asked for.
    pub demand: Option<FlatId>,
}

/// Relations that are computed together.
#[derive(Debug, Default)]
pub(crate) struct Component {
    pub tables: Vec<FlatId>,
    pub level: u32,
    /// The longest chain of components below.
    pub height: u32,
    pub below: Vec<u32>,
    pub is_asked: bool,
    /// Rules to run once.
    pub once: Vec<(FlatId, Code)>,
    /// Rules to run as long as there are new rows at their delta cursor.
    pub repeated: Vec<(FlatId, Code, u32)>,
}

/// Everything a session needs, shared by threads. Flat ids are those of the plan: static relations
/// first.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub terms: Arc<Terms>,
    pub values: Arc<Values>,
    pub relations: Vec<CompiledRelation>,
    pub components: Vec<Component>,
    pub static_count: u32,
    pub static_tables: Vec<Table>,
    pub indexes: Vec<Vec<IndexSpec>>,
    pub registers: Vec<u32>,
    pub cursors: u32,
    pub deltas: u32,
    pub levels: u32,
    /// From the front's flat ids to the plan's.
    pub place: Vec<FlatId>,
    /// From the plan's flat ids to the front's; `None` for relations that planning added.
    pub origin: Vec<Option<FlatId>>,
}

/// Which relations are asked rather than computed whole, by the front's flat ids: their key columns.
pub(crate) type Asked = Vec<Option<Box<[u32]>>>;

impl Compiled {
    pub(crate) fn relation_text(&self, relation: FlatId) -> String {
        format!("the relation `{}`", self.relations[relation as usize].name)
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

/// The rules and relations of a front with flat ids in plan order and demand relations added.
struct Arranged {
    relations: Vec<CompiledRelation>,
    facts: Vec<Vec<Vec<u32>>>,
    levels: Vec<u32>,
    asked: Asked,
    rules: Vec<FlatRule>,
    static_count: u32,
    place: Vec<FlatId>,
}

fn arrange(front: &Front, asked: &Asked) -> Arranged {
    let is_static = |id: usize| front.relations[id].level == 0 && asked[id].is_none();
    let mut order: Vec<usize> = (0..front.relations.len()).filter(|&id| is_static(id)).collect();
    let static_count = order.len() as u32;
    order.extend((0..front.relations.len()).filter(|&id| !is_static(id)));
    let mut place = vec![0; order.len()];
    for (at, &id) in order.iter().enumerate() {
        place[id] = at as FlatId;
    }
    let compiled = |name: &str, domains: Vec<Option<Vec<u32>>>, is_given| {
        let slices: Vec<Option<&[u32]>> = domains.iter().map(|d| d.as_deref()).collect();
        CompiledRelation {
            shape: Shape::new(&slices),
            name: name.to_owned(),
            is_given,
            component: 0,
            demand: None,
            domains,
        }
    };
    let mut arranged = Arranged {
        relations: Vec::new(),
        facts: Vec::new(),
        levels: Vec::new(),
        asked: Vec::new(),
        rules: Vec::new(),
        static_count,
        place,
    };
    for &id in &order {
        let relation = &front.relations[id];
        arranged.relations.push(compiled(&relation.name, relation.domains.clone(), relation.is_given));
        arranged.facts.push(relation.facts.clone());
        arranged.levels.push(relation.level);
        arranged.asked.push(asked[id].clone());
    }
    for at in 0..order.len() {
        if let Some(key) = arranged.asked[at].clone() {
            let domains = key.iter().map(|&c| arranged.relations[at].domains[c as usize].clone()).collect();
            let name = arranged.relations[at].name.clone();
            arranged.relations[at].demand = Some(arranged.relations.len() as FlatId);
            arranged.relations.push(compiled(&name, domains, false));
            arranged.facts.push(Vec::new());
            arranged.levels.push(arranged.levels[at]);
            arranged.asked.push(None);
        }
    }
    let place = &arranged.place;
    arranged.rules = front.rules.iter().map(|rule| map_rule(rule, place)).collect();
    for rule in &mut arranged.rules {
        let head = rule.head.relation as usize;
        if let (Some(key), Some(demand)) = (&arranged.asked[head], arranged.relations[head].demand) {
            let args = key.iter().map(|&c| rule.head.args[c as usize].clone()).collect();
            rule.body.insert(0, FlatLiteral::Positive(FlatAtom { relation: demand, args }));
        }
    }
    // Facts of an asked relation are rules whose only subgoal is the demand.
    for at in 0..order.len() {
        if let (Some(key), Some(demand)) = (arranged.asked[at].clone(), arranged.relations[at].demand) {
            for row in std::mem::take(&mut arranged.facts[at]) {
                let args: Vec<Pattern> = row.iter().map(|&v| Pattern::Ground(front.values.term(v))).collect();
                let wanted = key.iter().map(|&c| args[c as usize].clone()).collect();
                arranged.rules.push(FlatRule {
                    head: FlatAtom { relation: at as FlatId, args },
                    body: vec![FlatLiteral::Positive(FlatAtom { relation: demand, args: wanted })],
                    variables: 0,
                    origin: crate::ids::ClauseId::from_index(0),
                });
            }
        }
    }
    arranged
}

fn map_rule(rule: &FlatRule, place: &[FlatId]) -> FlatRule {
    let mut rule = rule.clone();
    rule.head.relation = place[rule.head.relation as usize];
    map_body(&mut rule.body, place);
    rule
}

fn map_body(body: &mut [FlatLiteral], place: &[FlatId]) {
    for literal in body {
        match literal {
            FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) => {
                atom.relation = place[atom.relation as usize];
            }
            FlatLiteral::Block { alternatives, .. } => {
                alternatives.iter_mut().for_each(|a| map_body(a, place));
            }
            _ => {}
        }
    }
}

/// Where the tables of the static relations come from.
pub(crate) enum Statics<'a> {
    /// They are computed.
    Compute,
    /// The same relations were compiled before, with other statistics.
    Same(&'a Compiled),
    /// From elsewhere, by the front's flat ids; those of other relations are not used.
    Tables(Vec<Table>),
}

/// Compiles a program. Static relations are computed on the way, within `budget`.
///
/// `statistics` are by the front's flat ids.
pub(crate) fn compile(
    front: &Front,
    asked: &Asked,
    statistics: &[TableStatistics],
    statics: Statics<'_>,
    budget: &Budget,
) -> Result<Compiled, EvaluatorError> {
    check_shapes(front, budget)?;
    let mut arranged = arrange(front, asked);
    let count = arranged.relations.len();
    let uses = uses(count, &arranged.rules);
    let mut order = components(count, |n| {
        let demand = arranged.relations[n].demand.map(|d| d as usize);
        uses[n].iter().map(|u| u.0).chain(demand).collect()
    });
    join_demands(&mut order, &arranged);
    for (number, members) in order.iter().enumerate() {
        for &member in members {
            arranged.relations[member].component = number as u32;
        }
    }
    for (head, list) in uses.iter().enumerate() {
        let component = arranged.relations[head].component;
        if list.iter().any(|&(u, negated)| negated && arranged.relations[u].component == component) {
            let relation = arranged.relations[head].name.clone();
            return Err(EvaluatorError::Unstratified { relation });
        }
    }
    let mut seen = vec![TableStatistics::default(); count];
    for (id, statistics) in statistics.iter().enumerate() {
        seen[arranged.place[id] as usize] = statistics.clone();
    }
    let static_tables = match statics {
        Statics::Compute => compute_static(front, &arranged, &order, &uses, &mut seen, budget)?,
        Statics::Same(before) => copy_static(before, &mut seen),
        Statics::Tables(tables) => take_static(tables, &arranged, &mut seen),
    };
    let is_dynamic = |n: usize| n >= arranged.static_count as usize;
    let planned = plan_components(front, &arranged, &order, &uses, &seen, &is_dynamic, budget)?;
    let mut compiled = assemble(front, &arranged, planned, arranged.static_count);
    check_tables(&compiled, budget)?;
    compiled.static_tables = static_tables;
    for (id, table) in compiled.static_tables.iter_mut().enumerate() {
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

/// A demand relation belongs to the component of the relation it is for.
fn join_demands(order: &mut Vec<Vec<usize>>, arranged: &Arranged) {
    let mut owner = vec![None; arranged.relations.len()];
    for (id, relation) in arranged.relations.iter().enumerate() {
        if let Some(demand) = relation.demand {
            owner[demand as usize] = Some(id);
        }
    }
    order.retain(|members| members.len() > 1 || owner[members[0]].is_none());
    for members in order {
        let demands: Vec<usize> =
            members.iter().filter_map(|&m| arranged.relations[m].demand.map(|d| d as usize)).collect();
        for demand in demands {
            if !members.contains(&demand) {
                members.push(demand);
            }
        }
    }
}

fn copy_static(before: &Compiled, seen: &mut [TableStatistics]) -> Vec<Table> {
    let tables = before.static_tables.iter().enumerate().map(|(id, table)| {
        let shape = &before.relations[id].shape;
        seen[id] = TableStatistics::default();
        collect_table(table, shape.arity, &mut seen[id]);
        table.without_indexes()
    });
    tables.collect()
}

fn take_static(mut tables: Vec<Table>, arranged: &Arranged, seen: &mut [TableStatistics]) -> Vec<Table> {
    let mut ids: Vec<usize> = (0..arranged.place.len()).collect();
    ids.sort_unstable_by_key(|&id| arranged.place[id]);
    ids.truncate(arranged.static_count as usize);
    let taken = ids.iter().enumerate().map(|(place, &id)| {
        let table = std::mem::replace(&mut tables[id], Table::new(&Shape::default(), &[]));
        seen[place] = TableStatistics::default();
        collect_table(&table, arranged.relations[place].shape.arity, &mut seen[place]);
        table
    });
    taken.collect()
}

fn compute_static(
    front: &Front,
    arranged: &Arranged,
    order: &[Vec<usize>],
    uses: &[Vec<(usize, bool)>],
    seen: &mut [TableStatistics],
    budget: &Budget,
) -> Result<Vec<Table>, EvaluatorError> {
    for (id, facts) in arranged.facts.iter().enumerate() {
        if seen[id].samples == 0 && !facts.is_empty() {
            let distinct: Vec<usize> = (0..arranged.relations[id].shape.arity)
                .map(|c| facts.iter().map(|f| f[c]).collect::<FxHashSet<u32>>().len())
                .collect();
            seen[id].add(facts.len(), &distinct);
        }
    }
    // Static relations that are asked are computed here as far as the others ask for them.
    let is_static = |n: usize| arranged.levels[n] == 0;
    let planned = plan_components(front, arranged, order, uses, seen, &is_static, budget)?;
    let compiled = Arc::new(assemble(front, arranged, planned, 0));
    check_tables(&compiled, budget)?;
    let mut session = Session::new(Arc::clone(&compiled), budget);
    for (id, facts) in arranged.facts.iter().enumerate().take(arranged.static_count as usize) {
        for row in facts {
            session.insert_given(id as FlatId, row)?;
        }
    }
    // In the order of the components, so that nothing has to be looked for below them.
    for &id in order.iter().flatten().filter(|&&id| id < arranged.static_count as usize) {
        session.row_count(id as FlatId)?;
    }
    let mut tables = session.into_tables();
    tables.truncate(arranged.static_count as usize);
    let mut plain = Vec::with_capacity(tables.len());
    for (id, table) in tables.iter_mut().enumerate() {
        let shape = &arranged.relations[id].shape;
        let mut fresh = Table::new(shape, &[]);
        fresh.exchange(table, shape.arity);
        seen[id] = TableStatistics::default();
        collect_table(&fresh, shape.arity, &mut seen[id]);
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
    seen: &[TableStatistics],
    wanted: &dyn Fn(usize) -> bool,
    budget: &Budget,
) -> Result<Planned, EvaluatorError> {
    let mut meter = budget.meter();
    let tables: Vec<PlanTable> = arranged
        .relations
        .iter()
        .enumerate()
        .map(|(id, relation)| {
            let sizes: Vec<Option<usize>> =
                relation.domains.iter().map(|d| d.as_ref().map(Vec::len)).collect();
            PlanTable {
                shape: relation.shape.clone(),
                domains: relation.domains.clone(),
                expected: Expected::new(&seen[id], &sizes),
                asked: arranged.asked[id].clone(),
                component: relation.component,
            }
        })
        .collect();
    let mut by_head: Vec<Vec<usize>> = vec![Vec::new(); arranged.relations.len()];
    for (number, rule) in arranged.rules.iter().enumerate() {
        by_head[rule.head.relation as usize].push(number);
    }
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
        let mut component = Component {
            tables: members.iter().map(|&m| m as FlatId).collect(),
            level: members.iter().map(|&m| arranged.levels[m]).max().unwrap_or(0),
            is_asked: members.iter().any(|&m| arranged.asked[m].is_some()),
            ..Component::default()
        };
        let mut below: Vec<u32> = members
            .iter()
            .flat_map(|&m| uses[m].iter().map(|u| arranged.relations[u.0].component))
            .filter(|&c| c != number as u32)
            .collect();
        below.sort_unstable();
        below.dedup();
        component.height = below.iter().map(|&b| planned[b as usize].height + 1).max().unwrap_or(0);
        component.below = below;
        if members.iter().any(|&m| wanted(m)) {
            for &number_of_rule in members.iter().flat_map(|&m| &by_head[m]) {
                let rule = &arranged.rules[number_of_rule];
                plan_rule(&mut planner, rule, number as u32, &mut component, &mut meter)?;
            }
        }
        planned.push(component);
    }
    Ok(Planned { components: planned, resources })
}

fn plan_rule(
    planner: &mut Planner<'_>,
    rule: &FlatRule,
    number: u32,
    component: &mut Component,
    meter: &mut Meter,
) -> Result<(), EvaluatorError> {
    let tables = planner.tables;
    let length = rule.body.len();
    // Long bodies are not put in order.
    let effort = (1 + length.min(WRITTEN).pow(2) / PLANNED + length / 4) as u64;
    let inside = |literal: &FlatLiteral| matches!(literal, FlatLiteral::Positive(atom) if tables[atom.relation as usize].component == number);
    let mut nested = false;
    for literal in &rule.body {
        if let FlatLiteral::Block { .. } = literal {
            literal.atoms(false, &mut |atom, _| {
                nested |= tables[atom.relation as usize].component == number;
            });
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
    if nested {
        return Err(EvaluatorError::Unsafe { clause: rule.origin });
    }
    if planner.is_unsafe {
        return Err(EvaluatorError::Unsafe { clause: rule.origin });
    }
    Ok(())
}

fn assemble(front: &Front, arranged: &Arranged, planned: Planned, static_count: u32) -> Compiled {
    let relations = arranged
        .relations
        .iter()
        .map(|r| CompiledRelation {
            shape: r.shape.clone(),
            domains: r.domains.clone(),
            name: r.name.clone(),
            is_given: r.is_given,
            component: r.component,
            demand: r.demand,
        })
        .collect();
    let mut origin = vec![None; arranged.relations.len()];
    for (id, &place) in arranged.place.iter().enumerate() {
        origin[place as usize] = Some(id as FlatId);
    }
    Compiled {
        origin,
        terms: Arc::clone(&front.terms),
        values: Arc::new(front.values.clone()),
        relations,
        components: planned.components,
        static_count,
        static_tables: Vec::new(),
        indexes: planned.resources.indexes,
        registers: planned.resources.registers,
        cursors: planned.resources.cursors,
        deltas: planned.resources.deltas,
        levels: front.levels,
        place: arranged.place.clone(),
    }
}
