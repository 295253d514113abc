//! Demand: relations grounded only as far as something asks for their atoms.
//!
//! The magic-set transform (Bancilhon, Maier, Sagiv, Ullman 1986). A relation all of whose uses bind
//! some arguments gets a relation of the keys that can be asked for; its rules are guarded by it, and
//! each use adds the keys that the rest of its body allows. Relations that occur only under negation
//! gain most: the rest of the body binds all their arguments.

use rustc_hash::FxHashSet;

use super::GroundError;
use super::draft::{Draft, Goal, Kind, Rule};
use super::keys::{Keys, Passing, find_keys};
use crate::budget::Budget;
use crate::evaluator::flat::{FlatAtom, FlatId, FlatLiteral};
use crate::ids::VariableId;
use crate::program::{Pattern, Program};

/// Restricts large relations of the draft to what is demanded.
pub(super) fn restrict(draft: &mut Draft, program: &Program, budget: &Budget) -> Result<(), GroundError> {
    let mut meter = budget.meter();
    let passing = Passing::new(draft);
    let keys = find_keys(draft, program, &passing, &mut meter)?;
    if keys.iter().all(Option::is_none) {
        return Ok(());
    }
    draft.separate_facts(|relation| keys[relation].is_some());
    let mut demand: Vec<Option<FlatId>> = vec![None; draft.kinds.len()];
    for (relation, key) in keys.iter().enumerate() {
        let Some(key) = key else { continue };
        let name = draft.name(relation as FlatId).to_owned();
        let domains = vec![Some(Vec::new()); key.len()];
        demand[relation] = Some(draft.add_relation(name, domains, Kind::Guard));
        draft.kinds[relation] = Kind::Changing;
    }
    let wanted = Wanted { keys: &keys, demand: &demand, passing: &passing };
    let rules = std::mem::take(&mut draft.rules);
    let mut asking = Vec::new();
    let mut guarded = Vec::with_capacity(rules.len());
    for mut rule in rules {
        meter.spend(1 + rule.body.len() as u64)?;
        let guard = wanted.keys_of(&rule.head).map(Goal::guard);
        wanted.uses(&rule, guard.as_ref(), &mut asking);
        rule.body.splice(0..0, guard);
        guarded.push(rule);
    }
    for rule in &asking {
        widen(draft, rule, &demand);
    }
    draft.rules = guarded;
    draft.rules.extend(asking);
    Ok(())
}

/// The relations of keys.
struct Wanted<'a> {
    keys: &'a Keys,
    demand: &'a [Option<FlatId>],
    passing: &'a Passing,
}

impl Wanted<'_> {
    /// The key of an atom as an atom of the relation of keys.
    fn keys_of(&self, atom: &FlatAtom) -> Option<FlatAtom> {
        let key = self.keys.get(atom.relation as usize)?.as_ref()?;
        let relation = self.demand[atom.relation as usize]?;
        Some(FlatAtom { relation, args: key.iter().map(|&c| atom.args[c as usize].clone()).collect() })
    }

    /// Adds the rules by which the body of `rule`, which will be guarded by `guard`, asks for atoms of
    /// restricted relations.
    fn uses(&self, rule: &Rule, guard: Option<&Goal>, out: &mut Vec<Rule>) {
        let tests = rule
            .body
            .iter()
            .filter(|g| !matches!(g.literal, FlatLiteral::Positive(_) | FlatLiteral::Negative(_)));
        let mut before: Vec<Goal> = guard.cloned().into_iter().chain(tests.map(as_guard)).collect();
        for at in self.passing.order(rule, self.keys) {
            let goal = &rule.body[at];
            if let FlatLiteral::Positive(atom) = &goal.literal
                && let Some(key) = self.keys_of(atom)
            {
                out.push(asking(rule, key, &before));
            }
            before.push(as_guard(goal));
        }
        for goal in &rule.body {
            if let FlatLiteral::Negative(atom) = &goal.literal
                && let Some(key) = self.keys_of(atom)
            {
                out.push(asking(rule, key, &before));
            }
        }
    }
}

fn as_guard(goal: &Goal) -> Goal {
    Goal { literal: goal.literal.clone(), is_guard: true }
}

fn asking(of: &Rule, key: FlatAtom, before: &[Goal]) -> Rule {
    // Tests of variables that only come later cannot be made yet.
    let mut bound: FxHashSet<VariableId> = FxHashSet::default();
    for goal in
        before.iter().filter(|g| matches!(g.literal, FlatLiteral::Positive(_) | FlatLiteral::Equal(..)))
    {
        bound.extend(goal.variables());
    }
    let body = before.iter().filter(|g| g.variables().is_subset(&bound)).cloned().collect();
    Rule { head: key, body, variables: of.variables, origin: of.origin }
}

/// Lets the columns of a relation of keys hold what a rule puts there.
fn widen(draft: &mut Draft, rule: &Rule, demand: &[Option<FlatId>]) {
    // Relations of keys are still being widened: they do not tell what a variable can be.
    let is_key = |g: &Goal| match &g.literal {
        FlatLiteral::Positive(atom) => demand.contains(&Some(atom.relation)),
        _ => false,
    };
    let known: Vec<Goal> = rule.body.iter().filter(|g| !is_key(g)).cloned().collect();
    for (column, arg) in rule.head.args.iter().enumerate() {
        let values = match arg {
            Pattern::Ground(term) => Some(vec![draft.front.values.number(*term)]),
            Pattern::Variable(v) => draft.domain(*v, &known),
            Pattern::Compound(..) => None,
        };
        let domain = &mut draft.front.relations[rule.head.relation as usize].domains[column];
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
