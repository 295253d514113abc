//! The relaxed model, and the instances of the rules over it (book 14.4).

use std::sync::Arc;

use super::GroundError;
use super::program::{GroundingProgram, GroundingRule, Kind, atom_over};
use crate::binding::{Binding, HasVariables, Variables};
use crate::budget::Budget;
use crate::evaluator::body::{FlatId, FlatRule, Rule};
use crate::evaluator::compile::{Compiled, Statics, compile};
use crate::evaluator::flat::FlatKey;
use crate::evaluator::front::{Front, FrontRelation};
use crate::evaluator::session::Session;
use crate::evaluator::statistics::{Expected, TableStatistics};
use crate::evaluator::table::{Shape, Table};
use crate::ids::{Id, IdVec, VariableId};
use crate::program::Program;

/// The rows of all relations of a grounding program: exact for static relations, a superset of what
/// can hold at some time for the others.
pub(super) struct Model {
    pub tables: IdVec<FlatId, Table>,
    pub shapes: IdVec<FlatId, Shape>,
}

/// Computes the static relations alone.
pub(super) fn static_model(grounding: &GroundingProgram, budget: &Budget) -> Result<Model, GroundError> {
    let rules = grounding.rules.iter().filter(|r| grounding.kind(r.head.relation) == Kind::Static);
    let front = grounding.front_with(rules.map(|r| relaxed_rule(grounding, r)).collect(), 2);
    Ok(Model::from_static(&*compiled(&front, Statics::Compute, budget)?))
}

/// Everything is computed whole, in orders that domains tell.
fn compiled(front: &Front, statics: Statics<'_>, budget: &Budget) -> Result<Arc<Compiled>, GroundError> {
    let count = front.relations.len();
    let unseen = vec![TableStatistics::default(); count].into();
    Ok(Arc::new(compile(front, &vec![None; count].into(), &unseen, statics, budget)?))
}

impl Model {
    fn from_static(compiled: &Compiled) -> Self {
        let ids = compiled.table_of.iter();
        let shapes: IdVec<FlatId, Shape> =
            ids.clone().map(|&id| compiled.relations[id].shape.clone()).collect();
        let table = |(&id, shape)| match compiled.static_tables.get(Id::index(id)) {
            Some(table) => table.without_indexes(),
            None => Table::new(shape, &[]),
        };
        Self { tables: ids.zip(shapes.iter()).map(table).collect(), shapes }
    }

    /// A number below [`Model::places`] for a row of the relation; `None` for one that can never hold.
    pub(super) fn place(&self, relation: FlatId, row: &[u32]) -> Option<u32> {
        self.tables[relation].place(&self.shapes[relation], row)
    }

    /// See [`Model::place`].
    pub(super) fn places(&self, relation: FlatId) -> usize {
        self.tables[relation].places(&self.shapes[relation])
    }

    /// The sizes of the relations: of static ones as they are, of others as the domains allow.
    pub(super) fn sizes(&self, grounding: &GroundingProgram) -> IdVec<FlatId, Expected> {
        let size = |(id, relation): (FlatId, &FrontRelation)| {
            let (table, arity) = (&self.tables[id], self.shapes[id].arity);
            if table.len() > 0 || grounding.kinds[id] == Kind::Static {
                return Expected::new(&TableStatistics::of(table, arity), &vec![None; arity]);
            }
            Expected::full(relation.domains.iter().map(|d| d.as_ref().map_or(1000, Vec::len)))
        };
        grounding.front.relations.entries().map(size).collect()
    }

    /// Copies of the tables, with empty ones for relations that were added since.
    fn tables_for(&self, front: &Front) -> IdVec<FlatId, Table> {
        let copy = |id| match self.tables.get(id) {
            Some(table) => table.without_indexes(),
            None => Table::new(&Shape::default(), &[]),
        };
        front.relations.ids().map(copy).collect()
    }
}

/// Computes the relaxed model, given that of the static relations.
pub(super) fn relaxed_model(
    grounding: &GroundingProgram,
    program: &Program,
    statics: &Model,
    budget: &Budget,
) -> Result<Model, GroundError> {
    let changing = grounding.rules.iter().filter(|r| grounding.kind(r.head.relation) != Kind::Static);
    let mut rules: Vec<FlatRule> = changing.map(|r| relaxed_rule(grounding, r)).collect();
    rules.extend(feed_rules(grounding, program));
    let front = grounding.front_with(rules, 2);
    let source = Statics::Tables(statics.tables_for(&front));
    let compiled = compiled(&front, source, budget)?;
    let mut session = Session::new(Arc::clone(&compiled), budget);
    session.report_rounds();
    for &table in compiled.table_of.iter().filter(|&&table| !compiled.is_static(table)) {
        if let Err(limit) = session.count(table) {
            return Err(named(grounding, &compiled, &session, limit));
        }
    }
    let mut model = Model::from_static(&compiled);
    let origins = compiled.origin.iter().skip(compiled.static_count);
    for (table, origin) in session.into_tables().into_iter().zip(origins) {
        if let Some(id) = origin {
            model.tables[*id] = table.into_plain();
        }
    }
    Ok(model)
}

/// A limit, with the relation that has most rows.
fn named(
    grounding: &GroundingProgram,
    compiled: &Compiled,
    session: &Session,
    limit: crate::budget::LimitError,
) -> GroundError {
    let largest =
        session.sizes().into_iter().filter_map(|(table, rows)| Some((rows, compiled.origin[table]?))).max();
    let (rows, relation) = match largest {
        Some((rows, id)) => (rows as usize, grounding.name(id).to_owned()),
        None => (0, String::new()),
    };
    GroundError::Limit { limit, relation, rows }
}

/// A rule as the relaxed model has it.
fn relaxed_rule(grounding: &GroundingProgram, rule: &GroundingRule) -> FlatRule {
    let body = rule.body.iter().filter_map(|g| grounding.relaxed(g)).cloned().collect();
    Rule { head: rule.head.clone(), body, variables: rule.variables, origin: rule.origin }
}

/// `next` and `init` feed `true`, `legal` feeds `does`. What `base` and `input` promise is left out:
/// they often promise more than can be.
fn feed_rules(grounding: &GroundingProgram, program: &Program) -> Vec<FlatRule> {
    let mut rules = Vec::new();
    for feed in &program.interface.feeds {
        if feed.is_bound {
            continue;
        }
        for &to in &grounding.front.variants[feed.to.index()] {
            let Some(key) = grounding.key(to) else { continue };
            let source = FlatKey { relation: feed.from, slots: key.slots.clone() };
            let Some(&from) = grounding.front.ids.get(&source) else { continue };
            rules.push(FlatRule::copying(from, to, key.arity()));
        }
    }
    rules
}

/// The rules that have instances in the ground program, ready to be instantiated.
pub(super) struct Instances {
    compiled: Arc<Compiled>,
    session: Session,
    rules: Vec<Instantiated>,
}

/// The instances of a rule as a relation.
struct Instantiated {
    relation: FlatId,
    /// The variables that are the columns.
    columns: Vec<VariableId>,
    /// Whether those are all variables there are: then no two ways to satisfy the body make one row.
    is_whole: bool,
}

impl Instances {
    /// Prepares the instances of these rules of the grounding.
    pub(super) fn new(
        grounding: &GroundingProgram,
        wanted: &[&GroundingRule],
        model: &Model,
        budget: &Budget,
    ) -> Result<Self, GroundError> {
        let mut front = grounding.front_with(Vec::new(), 3);
        for relation in front.relations.iter_mut() {
            relation.level = 0;
            relation.facts.clear();
        }
        let mut rules = Vec::new();
        for rule in wanted {
            let columns = instance_variables(grounding, rule);
            let domains = columns.iter().map(|&v| grounding.domain(v, &rule.body)).collect();
            let name = grounding.name(rule.head.relation).to_owned();
            let id = front.relations.push(FrontRelation::made(name, domains, 1));
            let mut flat = relaxed_rule(grounding, rule);
            let is_whole = columns.iter().copied().collect::<Variables>().binds(&flat.body[..]);
            flat.head = atom_over(id, &columns);
            front.rules.push(flat);
            rules.push(Instantiated { relation: id, columns, is_whole });
        }
        let source = Statics::Tables(model.tables_for(&front));
        let compiled = compiled(&front, source, budget)?;
        let session = Session::new(Arc::clone(&compiled), budget);
        Ok(Self { compiled, session, rules })
    }

    /// Calls `visit` with the values of the variables in each instance of a rule.
    pub(super) fn each(
        &mut self,
        number: usize,
        mut visit: impl FnMut(&[VariableId], &[u32]) -> Result<(), GroundError>,
    ) -> Result<(), GroundError> {
        let Instantiated { relation, columns, is_whole } = &self.rules[number];
        let table = self.compiled.table_of[*relation];
        if *is_whole && !columns.is_empty() {
            self.session.expect_no_row_twice(table);
        }
        if let Err(limit) = self.session.count(table) {
            let relation = self.compiled.relations[table].name.clone();
            let rows = self.session.sizes().into_iter().map(|(_, rows)| rows as usize).max().unwrap_or(0);
            return Err(GroundError::Limit { limit, relation, rows });
        }
        for row in self.session.each_known_row(table) {
            visit(columns, row)?;
        }
        self.session.release(table);
        Ok(())
    }
}

/// The variables that tell one instance of a rule from another.
fn instance_variables(grounding: &GroundingProgram, rule: &GroundingRule) -> Vec<VariableId> {
    let mut found = rule.head.variable_set();
    rule.body.iter().filter(|subgoal| grounding.is_emitted(subgoal)).for_each(|subgoal| found.bind(subgoal));
    let mut columns: Vec<VariableId> = found.into_iter().collect();
    columns.sort_unstable();
    columns
}
