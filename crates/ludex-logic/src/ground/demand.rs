//! Demand: relations grounded only as far as something asks for their atoms.
//!
//! The magic-set transform (Bancilhon, Maier, Sagiv, Ullman 1986). A relation all of whose uses bind
//! some arguments gets a relation of the keys that can be asked for; its rules are guarded by it, and
//! each use adds the keys that the rest of its body allows. Relations that occur only under negation
//! gain most: the rest of the body binds all their arguments.

use super::GroundError;
use super::program::{GroundingProgram, GroundingRule, Kind, Subgoal};
use crate::binding::{Adornments, Binding, HasVariables, Sips, Variables, adorn, key_of, met, pass};
use crate::budget::Budget;
use crate::evaluator::body::{FlatAtom, FlatId, Literal, Rule};
use crate::evaluator::front::FrontRelation;
use crate::ids::IdVec;
use crate::program::{Atom, Pattern, Program};

/// A static relation with more possible rows is grounded on demand.
const STATIC_ROWS: f64 = 100_000.0;
/// The same for a relation that changes.
const CHANGING_ROWS: f64 = 4_000.0;
/// The same for a relation that changes and occurs only under negation.
const NEGATED_ROWS: f64 = 200.0;

/// Restricts large relations of a grounding program to what is demanded.
pub(super) fn restrict(
    rules: &mut GroundingProgram,
    program: &Program,
    budget: &Budget,
) -> Result<(), GroundError> {
    let mut meter = budget.meter();
    let sips = LeastGrowth::new(rules);
    let adornments = adorn(&rules.rules, &[], &sips, large_relations(rules, program), &mut meter)?;
    if adornments.iter().all(Option::is_none) {
        return Ok(());
    }
    rules.separate_facts(|relation| adornments[relation].is_some());
    let mut demand: IdVec<FlatId, Option<FlatId>> = vec![None; rules.kinds.len()].into();
    for (relation, key) in adornments.entries() {
        let Some(key) = key else { continue };
        let name = rules.name(relation).to_owned();
        let domains = vec![Some(Vec::new()); key.len()];
        demand[relation] = Some(rules.add_relation(name, domains, Kind::Guard));
        rules.kinds[relation] = Kind::Changing;
    }
    let wanted = Demand { adornments: &adornments, demand: &demand, sips: &sips };
    let mut asking = Vec::new();
    let mut guarded = std::mem::take(&mut rules.rules);
    for rule in &mut guarded {
        meter.spend(1 + rule.body.len() as u64)?;
        let guard = wanted.key(&rule.head).map(Subgoal::guard);
        wanted.uses(rule, guard.as_ref(), &mut asking);
        rule.body.splice(0..0, guard);
    }
    for rule in &asking {
        widen(rules, rule, &demand);
    }
    guarded.extend(asking);
    rules.rules = guarded;
    Ok(())
}

/// Relations large enough to be grounded on demand, with all their columns.
fn large_relations(rules: &GroundingProgram, program: &Program) -> Adornments {
    let mut is_positive: IdVec<FlatId, bool> = vec![false; rules.kinds.len()].into();
    let mut has_rules = is_positive.clone();
    for rule in &rules.rules {
        has_rules[rule.head.relation] = true;
        for subgoal in &rule.body {
            if let Literal::Positive(atom) = &subgoal.literal {
                is_positive[atom.relation] = true;
            }
        }
    }
    let interface = &program.interface;
    let large = rules.front.relations.entries().map(|(id, relation)| {
        let is_named = relation
            .key
            .as_ref()
            .is_some_and(|k| interface.asked.contains(&k.relation) || interface.given.contains(&k.relation));
        let limit = match rules.kinds[id] {
            Kind::Static => STATIC_ROWS,
            Kind::Changing if is_positive[id] => CHANGING_ROWS,
            Kind::Changing => NEGATED_ROWS,
            Kind::Guard => f64::INFINITY,
        };
        let is_large = has_rules[id] && !is_named && relation.possible_rows() > limit;
        is_large.then(|| (0..relation.domains.len() as u32).collect())
    });
    large.collect()
}

/// What multiplies the rows least comes first. What is grounded on demand finds less than its columns
/// allow, so it wins a tie, and what changes more so; but something of its key has to be bound.
struct LeastGrowth {
    /// Rows that a relation may have, and different values per column.
    sizes: IdVec<FlatId, (f64, Vec<f64>)>,
    is_changing: IdVec<FlatId, bool>,
}

impl LeastGrowth {
    /// By the sizes of facts and, for everything else, of the columns' domains.
    fn new(rules: &GroundingProgram) -> Self {
        let mut has_rules: IdVec<FlatId, bool> = vec![false; rules.kinds.len()].into();
        rules.rules.iter().for_each(|rule| has_rules[rule.head.relation] = true);
        let size = |(id, relation): (FlatId, &FrontRelation)| {
            let columns = relation.domains.iter();
            let columns: Vec<f64> =
                columns.map(|d| d.as_ref().map_or(100.0, |d| d.len().max(1) as f64)).collect();
            let product: f64 = columns.iter().product();
            let is_listed = !has_rules[id] && rules.kinds[id] == Kind::Static;
            let rows = if is_listed { relation.facts.len() as f64 } else { product };
            (rows, columns.iter().map(|&c| c.min(rows.max(1.0))).collect())
        };
        Self {
            sizes: rules.front.relations.entries().map(size).collect(),
            is_changing: rules.kinds.iter().map(|kind| *kind == Kind::Changing).collect(),
        }
    }

    fn growth(&self, atom: &FlatAtom, bound: &Variables) -> f64 {
        let Some((rows, columns)) = self.sizes.get(atom.relation) else { return 1.0 };
        let bound = atom.args.iter().zip(columns).filter(|(arg, _)| bound.binds(*arg));
        bound.fold(*rows, |rows, (_, column)| rows / column)
    }
}

impl Sips for LeastGrowth {
    type Rank = (bool, f64, u8);

    fn rank(
        &self,
        _head: FlatId,
        atom: &FlatAtom,
        adornment: Option<&[u32]>,
        bound: &Variables,
    ) -> Option<Self::Rank> {
        let growth = self.growth(atom, bound);
        Some(match adornment {
            Some(columns) => {
                let is_unmet = met(atom, columns, bound) == 0 && !columns.is_empty();
                (is_unmet, growth, u8::from(!self.is_changing[atom.relation]))
            }
            None => (false, growth, 2),
        })
    }
}

/// The relations of keys.
struct Demand<'a> {
    adornments: &'a Adornments,
    demand: &'a IdVec<FlatId, Option<FlatId>>,
    sips: &'a LeastGrowth,
}

impl Demand<'_> {
    /// The key of an atom as an atom of the relation of keys.
    fn key(&self, atom: &FlatAtom) -> Option<FlatAtom> {
        let adornment = self.adornments.get(atom.relation)?.as_ref()?;
        Some(Atom { relation: self.demand[atom.relation]?, args: key_of(atom, adornment) })
    }

    /// Adds the rules by which the body of `rule`, which will be guarded by `guard`, asks for atoms of
    /// restricted relations.
    fn uses(&self, rule: &GroundingRule, guard: Option<&Subgoal>, out: &mut Vec<GroundingRule>) {
        let is_test =
            |subgoal: &&Subgoal| !matches!(subgoal.literal, Literal::Positive(_) | Literal::Negative(_));
        let tests = rule.body.iter().filter(is_test).map(Subgoal::as_guard);
        let mut before: Vec<Subgoal> = guard.cloned().into_iter().chain(tests).collect();
        let bound = guard.map(HasVariables::variable_set).unwrap_or_default();
        pass(self.sips, rule.head.relation, &rule.body, self.adornments, bound, |at, atom, _| {
            out.extend(self.key(atom).map(|key| asking(rule, key, &before)));
            before.push(rule.body[at].as_guard());
        });
        for subgoal in &rule.body {
            if let Literal::Negative(atom) = &subgoal.literal {
                out.extend(self.key(atom).map(|key| asking(rule, key, &before)));
            }
        }
    }
}

fn asking(of: &GroundingRule, key: FlatAtom, before: &[Subgoal]) -> GroundingRule {
    // Tests of variables that only come later cannot be made yet.
    let mut bound = Variables::default();
    let binders = before.iter().filter(|s| matches!(s.literal, Literal::Positive(_) | Literal::Equal(..)));
    binders.for_each(|subgoal| bound.bind(subgoal));
    let body = before.iter().filter(|subgoal| bound.binds(*subgoal)).cloned().collect();
    Rule { head: key, body, variables: of.variables, origin: of.origin }
}

/// Lets the columns of a relation of keys hold what a rule puts there.
fn widen(rules: &mut GroundingProgram, rule: &GroundingRule, demand: &IdVec<FlatId, Option<FlatId>>) {
    // Relations of keys are still being widened: they do not tell what a variable can be.
    let is_known = |subgoal: &&Subgoal| match &subgoal.literal {
        Literal::Positive(atom) => !demand.as_slice().contains(&Some(atom.relation)),
        _ => true,
    };
    let known: Vec<Subgoal> = rule.body.iter().filter(is_known).cloned().collect();
    for (column, arg) in rule.head.args.iter().enumerate() {
        let values = match arg {
            Pattern::Ground(term) => Some(vec![rules.front.values.number(*term)]),
            Pattern::Variable(v) => rules.domain(*v, &known),
            Pattern::Compound(..) => None,
        };
        let domain = &mut rules.front.relations[rule.head.relation].domains[column];
        *domain = match (domain.take(), values) {
            (Some(mut have), Some(values)) => {
                have.extend(values);
                have.sort_unstable();
                have.dedup();
                Some(have)
            }
            _ => None,
        };
    }
}
