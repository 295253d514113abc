//! The relaxed model, and the instances of the rules over it (book 14.4).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::GroundError;
use super::draft::{Draft, Kind, Rule};
use crate::budget::Budget;
use crate::evaluator::compile::{Compiled, Statics, compile};
use crate::evaluator::flat::{FlatAtom, FlatId, FlatKey, FlatLiteral, FlatRule};
use crate::evaluator::session::{Session, collect_table};
use crate::evaluator::statistics::{Expected, TableStatistics};
use crate::evaluator::table::{Shape, Table};
use crate::ids::{ClauseId, Id, VariableId};
use crate::program::{Pattern, Program};

/// The rows of all relations of a draft, by flat id: exact for static relations, a superset of what
/// can hold at some time for the others.
pub(super) struct Model {
    pub tables: Vec<Table>,
    pub shapes: Vec<Shape>,
}

/// Computes the static relations alone.
pub(super) fn static_model(draft: &Draft, budget: &Budget) -> Result<Model, GroundError> {
    let rules = draft.rules.iter().filter(|r| draft.kind(r.head.relation) == Kind::Static);
    let front = draft.front_with(rules.map(|r| relaxed_rule(draft, r)).collect(), 2);
    let unseen = vec![TableStatistics::default(); front.relations.len()];
    let asked = vec![None; front.relations.len()];
    let compiled = compile(&front, &asked, &unseen, Statics::Compute, budget)?;
    Ok(Model::from_static(&compiled, front.relations.len()))
}

impl Model {
    fn from_static(compiled: &Compiled, count: usize) -> Self {
        let shapes: Vec<Shape> =
            (0..count).map(|id| compiled.relations[compiled.place[id] as usize].shape.clone()).collect();
        let tables = (0..count)
            .map(|id| match compiled.static_tables.get(compiled.place[id] as usize) {
                Some(table) => table.without_indexes(),
                None => Table::new(&shapes[id], &[]),
            })
            .collect();
        Self { tables, shapes }
    }

    /// A number below [`Model::places`] for a row of the relation; `None` for one that can never hold.
    pub(super) fn place(&self, relation: FlatId, row: &[u32]) -> Option<u32> {
        self.tables[relation as usize].place(&self.shapes[relation as usize], row)
    }

    /// See [`Model::place`].
    pub(super) fn places(&self, relation: FlatId) -> usize {
        self.tables[relation as usize].places(&self.shapes[relation as usize])
    }

    /// The sizes of the relations: of static ones as they are, of others as the domains allow.
    pub(super) fn sizes(&self, draft: &Draft) -> Vec<Expected> {
        let relations = draft.front.relations.iter().enumerate();
        let sizes = relations.map(|(id, relation)| {
            let table = &self.tables[id];
            if table.len() > 0 || draft.kinds[id] == Kind::Static {
                let mut seen = TableStatistics::default();
                collect_table(table, self.shapes[id].arity, &mut seen);
                if seen.samples == 0 {
                    seen.add(0, &vec![0; self.shapes[id].arity]);
                }
                return Expected::new(&seen, &vec![None; self.shapes[id].arity]);
            }
            Expected::full(relation.domains.iter().map(|d| d.as_ref().map_or(1000, Vec::len)))
        });
        sizes.collect()
    }

    /// Copies of the tables, with empty ones for relations that were added since.
    fn tables_for(&self, draft: &Draft) -> Vec<Table> {
        (0..draft.front.relations.len())
            .map(|id| match self.tables.get(id) {
                Some(table) => table.without_indexes(),
                None => Table::new(&Shape::default(), &[]),
            })
            .collect()
    }
}

/// Computes the relaxed model, given that of the static relations.
pub(super) fn relaxed_model(
    draft: &Draft,
    program: &Program,
    statics: &Model,
    budget: &Budget,
) -> Result<Model, GroundError> {
    let changing = draft.rules.iter().filter(|r| draft.kind(r.head.relation) != Kind::Static);
    let mut rules: Vec<FlatRule> = changing.map(|r| relaxed_rule(draft, r)).collect();
    rules.extend(feed_rules(draft, program));
    let front = draft.front_with(rules, 2);
    let count = front.relations.len();
    let unseen = vec![TableStatistics::default(); count];
    let source = Statics::Tables(statics.tables_for(draft));
    let compiled = Arc::new(compile(&front, &vec![None; count], &unseen, source, budget)?);
    let mut session = Session::new(Arc::clone(&compiled), budget);
    session.report_rounds();
    for id in 0..count as FlatId {
        let place = compiled.place[id as usize];
        if place < compiled.static_count {
            continue;
        }
        if let Err(limit) = session.row_count(place) {
            return Err(named(draft, &compiled, &session, limit));
        }
    }
    let mut model = Model::from_static(&compiled, count);
    for (at, table) in session.into_tables().into_iter().enumerate() {
        if let Some(Some(id)) = compiled.origin.get(compiled.static_count as usize + at) {
            model.tables[*id as usize] = table.into_plain();
        }
    }
    Ok(model)
}

/// A limit, with the relation that has most rows.
fn named(
    draft: &Draft,
    compiled: &Compiled,
    session: &Session,
    limit: crate::budget::LimitError,
) -> GroundError {
    let largest = session
        .sizes()
        .into_iter()
        .filter_map(|(place, rows)| Some((rows, compiled.origin.get(place as usize).copied()??)))
        .max();
    let (rows, relation) = match largest {
        Some((rows, id)) => (rows as usize, draft.name(id).to_owned()),
        None => (0, String::new()),
    };
    GroundError::Limit { limit, relation, rows }
}

/// A rule as the relaxed model has it.
fn relaxed_rule(draft: &Draft, rule: &Rule) -> FlatRule {
    let body = rule.body.iter().filter_map(|g| draft.relaxed(g)).cloned().collect();
    let origin = rule.origin.unwrap_or(ClauseId::from_index(0));
    FlatRule { head: rule.head.clone(), body, variables: rule.variables, origin }
}

/// `next` and `init` feed `true`, `legal` feeds `does`. What `base` and `input` promise is left out:
/// they often promise more than can be.
fn feed_rules(draft: &Draft, program: &Program) -> Vec<FlatRule> {
    let mut rules = Vec::new();
    for feed in &program.interface.feeds {
        if feed.is_bound {
            continue;
        }
        for &to in &draft.front.variants[feed.to.index()] {
            let Some(key) = draft.key(to) else { continue };
            let source = FlatKey { relation: feed.from, slots: key.slots.clone() };
            let Some(&from) = draft.front.ids.get(&source) else { continue };
            let args: Vec<Pattern> =
                (0..key.arity()).map(|v| Pattern::Variable(VariableId::from_index(v))).collect();
            rules.push(FlatRule {
                head: FlatAtom { relation: to, args: args.clone() },
                body: vec![FlatLiteral::Positive(FlatAtom { relation: from, args })],
                variables: key.arity() as u32,
                origin: ClauseId::from_index(0),
            });
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
    /// Prepares the instances of these rules of the draft.
    pub(super) fn new(
        draft: &Draft,
        wanted: &[&Rule],
        model: &Model,
        budget: &Budget,
    ) -> Result<Self, GroundError> {
        let mut front = draft.front_with(Vec::new(), 3);
        for relation in &mut front.relations {
            relation.level = 0;
            relation.facts.clear();
        }
        let mut rules = Vec::new();
        for rule in wanted {
            let columns = instance_variables(draft, rule);
            let domains = columns.iter().map(|&v| draft.domain(v, &rule.body)).collect();
            let id = front.relations.len() as FlatId;
            front.relations.push(crate::evaluator::front::FrontRelation {
                key: None,
                name: draft.name(rule.head.relation).to_owned(),
                domains,
                is_given: false,
                level: 1,
                facts: Vec::new(),
            });
            let mut flat = relaxed_rule(draft, rule);
            let is_whole = flat.body.iter().all(|literal| {
                let mut known = true;
                literal.variables(&mut |v| known &= columns.binary_search(&v).is_ok());
                known
            });
            let args = columns.iter().map(|&v| Pattern::Variable(v)).collect();
            flat.head = FlatAtom { relation: id, args };
            front.rules.push(flat);
            rules.push(Instantiated { relation: id, columns, is_whole });
        }
        let count = front.relations.len();
        let unseen = vec![TableStatistics::default(); count];
        let source = Statics::Tables(model.tables_for(draft));
        let compiled = Arc::new(compile(&front, &vec![None; count], &unseen, source, budget)?);
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
        let place = self.compiled.place[*relation as usize];
        if *is_whole && !columns.is_empty() {
            self.session.expect_no_row_twice(place);
        }
        if let Err(limit) = self.session.row_count(place) {
            let relation = self.compiled.relations[place as usize].name.clone();
            let rows = self.session.sizes().into_iter().map(|(_, rows)| rows as usize).max().unwrap_or(0);
            return Err(GroundError::Limit { limit, relation, rows });
        }
        if columns.is_empty() {
            if self.session.row_count(place).is_ok_and(|n| n > 0) {
                visit(columns, &[])?;
            }
        } else {
            let rows = self.session.rows(place).unwrap_or_default();
            for row in rows.chunks_exact(columns.len()) {
                visit(columns, row)?;
            }
        }
        self.session.release(place);
        Ok(())
    }
}

/// The variables that tell one instance of a rule from another.
fn instance_variables(draft: &Draft, rule: &Rule) -> Vec<VariableId> {
    let mut found = FxHashSet::default();
    let mut note = |v| {
        found.insert(v);
    };
    rule.head.args.iter().for_each(|a| a.variables(&mut note));
    for goal in rule.body.iter().filter(|g| draft.is_emitted(g)) {
        goal.literal.variables(&mut note);
    }
    let mut columns: Vec<VariableId> = found.into_iter().collect();
    columns.sort_unstable();
    columns
}
