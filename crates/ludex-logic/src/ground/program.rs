//! The grounding program: rules on their way to being grounded.

use super::persistent::{self, spread_change};
use crate::binding::{Binding, HasLiteral, HasVariables, Variables};
use crate::budget::{Budget, LimitError};
use crate::evaluator::body::{FlatAtom, FlatId, FlatLiteral, FlatRule, Literal, Rule};
use crate::evaluator::flat::FlatKey;
use crate::evaluator::front::{Front, FrontRelation, groups, uses};
use crate::ids::{IdVec, VariableId};
use crate::program::{Atom, Pattern, Program};

/// What becomes of a relation's atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The same in every state: evaluated away.
    Static,
    /// In the ground rules.
    Changing,
    /// Only narrows the relaxed model and the instances: a superset of what it stands for.
    Guard,
}

/// A subgoal.
#[derive(Clone, Debug)]
pub(super) struct Subgoal {
    pub literal: FlatLiteral,
    /// Narrows the instances, but is not part of them.
    pub is_guard: bool,
}

impl Subgoal {
    pub(super) fn plain(literal: FlatLiteral) -> Self {
        Self { literal, is_guard: false }
    }

    pub(super) fn guard(atom: FlatAtom) -> Self {
        Self { literal: Literal::Positive(atom), is_guard: true }
    }

    pub(super) fn as_guard(&self) -> Self {
        Self { literal: self.literal.clone(), is_guard: true }
    }

    pub(super) fn is_positive(&self) -> bool {
        matches!(self.literal, Literal::Positive(_))
    }
}

impl HasVariables for Subgoal {
    fn each_variable(&self, visit: &mut dyn FnMut(VariableId)) {
        self.literal.each_variable(visit);
    }
}

impl HasLiteral for Subgoal {
    fn literal(&self) -> &FlatLiteral {
        &self.literal
    }
}

/// A rule without blocks.
pub(super) type GroundingRule = Rule<FlatId, Subgoal>;

/// A flat program whose rules are being rewritten for grounding.
#[derive(Debug)]
pub(super) struct GroundingProgram {
    /// Its rules have been taken out.
    pub front: Front,
    pub kinds: IdVec<FlatId, Kind>,
    pub rules: Vec<GroundingRule>,
    /// Which relations depend on each other; relations made for parts of a rule have none.
    component: IdVec<FlatId, Option<usize>>,
}

impl GroundingProgram {
    /// With `is_faithful`, given relations that stay as they were are taken to change like others.
    pub(super) fn new(program: &Program, is_faithful: bool, budget: &Budget) -> Result<Self, LimitError> {
        let mut front = Front::new(program, budget)?;
        let mut rules = std::mem::take(&mut front.rules);
        let kinds = persistent::kinds(program, &front, &mut rules, is_faithful);
        let (_, group) = groups(&uses(front.relations.len(), &rules));
        let component = group.iter().map(|&number| Some(number)).collect();
        let mut grounding = Self { front, kinds, rules: Vec::new(), component };
        let mut meter = budget.meter();
        let mut queue: Vec<GroundingRule> = rules.into_iter().map(plain).collect();
        while let Some(mut rule) = queue.pop() {
            meter.spend(1 + rule.body.len() as u64)?;
            grounding.take_blocks(&mut rule, &mut queue);
            grounding.rules.push(rule);
        }
        grounding.rules.reverse();
        Ok(grounding)
    }

    /// A relation that stands for a part of a rule of a relation with this name.
    pub(super) fn add_relation(
        &mut self,
        name: String,
        domains: Vec<Option<Vec<u32>>>,
        kind: Kind,
    ) -> FlatId {
        let level = u32::from(kind != Kind::Static);
        self.front.relations.push(FrontRelation::made(name, domains, level));
        self.component.push(None);
        self.kinds.push(kind)
    }

    pub(super) fn kind(&self, relation: FlatId) -> Kind {
        self.kinds[relation]
    }

    pub(super) fn name(&self, relation: FlatId) -> &str {
        &self.front.relations[relation].name
    }

    pub(super) fn key(&self, relation: FlatId) -> Option<&FlatKey> {
        self.front.relations[relation].key.as_ref()
    }

    /// Whether the subgoal is part of the instances.
    pub(super) fn is_emitted(&self, subgoal: &Subgoal) -> bool {
        !subgoal.is_guard
            && match &subgoal.literal {
                Literal::Positive(atom) | Literal::Negative(atom) => {
                    self.kind(atom.relation) == Kind::Changing
                }
                _ => false,
            }
    }

    /// The subgoal as the relaxed model has it: negation of what changes is dropped.
    pub(super) fn relaxed<'a>(&self, subgoal: &'a Subgoal) -> Option<&'a FlatLiteral> {
        match &subgoal.literal {
            Literal::Negative(atom) if self.kind(atom.relation) != Kind::Static => None,
            other => Some(other),
        }
    }

    /// The values a variable can take in a body, as far as one positive subgoal tells.
    pub(super) fn domain(&self, variable: VariableId, body: &[Subgoal]) -> Option<Vec<u32>> {
        let mut best: Option<&Vec<u32>> = None;
        for subgoal in body {
            let Literal::Positive(atom) = &subgoal.literal else { continue };
            let domains = &self.front.relations[atom.relation].domains;
            for (arg, domain) in atom.args.iter().zip(domains) {
                if let (Pattern::Variable(v), Some(domain)) = (arg, domain)
                    && *v == variable
                    && best.is_none_or(|b| domain.len() < b.len())
                {
                    best = Some(domain);
                }
            }
        }
        best.cloned()
    }

    /// A relation over these variables that holds when `body` does, as its only rule.
    pub(super) fn part(
        &mut self,
        of: &GroundingRule,
        variables: &[VariableId],
        body: Vec<Subgoal>,
        kind: Kind,
    ) -> FlatAtom {
        let domains = variables.iter().map(|&v| self.domain(v, &body)).collect();
        let name = self.name(of.head.relation).to_owned();
        let relation = self.add_relation(name, domains, kind);
        let head = atom_over(relation, variables);
        self.rules.push(Rule { head: head.clone(), body, variables: of.variables, origin: of.origin });
        head
    }

    /// Replaces each block of a rule by a relation over the variables it shares with the rest.
    fn take_blocks(&mut self, rule: &mut GroundingRule, queue: &mut Vec<GroundingRule>) {
        let is_block = |g: &Subgoal| g.literal.is_block();
        if !rule.body.iter().any(is_block) {
            return;
        }
        let (blocks, mut rest): (Vec<Subgoal>, Vec<Subgoal>) =
            std::mem::take(&mut rule.body).into_iter().partition(is_block);
        let is_static = rest.iter().all(|subgoal| match &subgoal.literal {
            Literal::Positive(atom) => self.kind(atom.relation) == Kind::Static,
            _ => true,
        });
        let context_kind = if is_static { Kind::Static } else { Kind::Guard };
        // A static block is tested, not assumed: it must not wait for what waits for it.
        let home = self.component[rule.head.relation];
        let waits = |subgoal: &Subgoal| match &subgoal.literal {
            Literal::Positive(atom) => is_static && self.component[atom.relation] == home,
            _ => false,
        };
        let context: Vec<Subgoal> = rest
            .iter()
            .filter(|g| !matches!(g.literal, Literal::Negative(_)))
            .map(Subgoal::as_guard)
            .collect();
        let early: Vec<Subgoal> = context.iter().filter(|g| !waits(g)).cloned().collect();
        let early = bound_part(early);
        let variables_of: Vec<Variables> = blocks.iter().map(HasVariables::variable_set).collect();
        let mut outside = rest.variable_set();
        outside.bind(&rule.head);
        for (at, block) in blocks.into_iter().enumerate() {
            let Literal::Block { negated, alternatives } = block.literal else { continue };
            let in_other = |v: &VariableId| {
                variables_of.iter().enumerate().any(|(other, set)| other != at && set.contains(v))
            };
            let mut shared: Vec<VariableId> =
                variables_of[at].iter().filter(|v| outside.contains(v) || in_other(v)).copied().collect();
            shared.sort_unstable();
            let changing = alternatives.iter().flatten().any(|l| {
                let mut found = false;
                l.atoms(false, &mut |atom, _| found |= self.kind(atom.relation) != Kind::Static);
                found
            });
            let domains: Vec<Option<Vec<u32>>> = shared.iter().map(|&v| self.domain(v, &context)).collect();
            let name = self.name(rule.head.relation).to_owned();
            let kind = if changing { Kind::Changing } else { Kind::Static };
            let relation = self.add_relation(name, domains.clone(), kind);
            self.component[relation] = home;
            let head = atom_over(relation, &shared);
            for alternative in alternatives {
                let mut body: Vec<Subgoal> = alternative.into_iter().map(Subgoal::plain).collect();
                let open = not_bound(&shared, &body);
                let (bound, unbound): (Vec<VariableId>, Vec<VariableId>) =
                    open.iter().partition(|v| early.iter().any(|g| binds(g, **v)));
                if !bound.is_empty() {
                    let binder = self.part(rule, &bound, early.clone(), context_kind);
                    body.push(Subgoal::guard(binder));
                }
                for variable in unbound {
                    if let Some(domain) = self.domain(variable, &context) {
                        body.push(self.one_of(rule, variable, &domain));
                    }
                }
                for (&variable, domain) in shared.iter().zip(&domains) {
                    // What binds an open variable may leave out the subgoal that the domain comes from.
                    if let Some(domain) = domain
                        && !self.keeps_within(variable, &body, domain)
                    {
                        body.push(self.one_of(rule, variable, domain));
                    }
                }
                queue.push(Rule { head: head.clone(), body, variables: rule.variables, origin: rule.origin });
            }
            let literal = if negated { Literal::Negative(head) } else { Literal::Positive(head) };
            rest.push(Subgoal::plain(literal));
        }
        rule.body = rest;
    }

    /// Whether a body lets a variable have no other values than these.
    fn keeps_within(&self, variable: VariableId, body: &[Subgoal], domain: &[u32]) -> bool {
        let inside = |values: Vec<u32>| values.iter().all(|value| domain.binary_search(value).is_ok());
        self.domain(variable, body).is_some_and(inside)
    }

    /// A guard by which a variable has one of these values: others are of no use to the rest of the
    /// rule, and lie outside of the columns of the block's relation.
    fn one_of(&mut self, of: &GroundingRule, variable: VariableId, domain: &[u32]) -> Subgoal {
        let name = self.name(of.head.relation).to_owned();
        let relation = self.add_relation(name, vec![Some(domain.to_vec())], Kind::Static);
        self.front.relations[relation].facts = domain.iter().map(|&value| vec![value]).collect();
        Subgoal::guard(atom_over(relation, &[variable]))
    }

    /// Moves the facts of these relations to relations of their own, so that rules alone say what holds.
    pub(super) fn separate_facts(&mut self, is_wanted: impl Fn(FlatId) -> bool) {
        for relation in self.kinds.ids().filter(|&relation| is_wanted(relation)) {
            let facts = std::mem::take(&mut self.front.relations[relation].facts);
            if facts.is_empty() {
                continue;
            }
            let domains = self.front.relations[relation].domains.clone();
            let (name, arity) = (self.name(relation).to_owned(), domains.len());
            let from = self.add_relation(name, domains, Kind::Static);
            self.front.relations[from].facts = facts;
            self.rules.push(plain(FlatRule::copying(from, relation, arity)));
        }
    }

    /// Every relation that depends on what changes is in the ground rules itself.
    pub(super) fn settle_kinds(&mut self) {
        spread_change(&mut self.kinds, &uses(self.front.relations.len(), &self.rules));
        let kinds = self.kinds.clone();
        self.separate_facts(|relation| kinds[relation] != Kind::Static);
        for (relation, kind) in self.front.relations.iter_mut().zip(self.kinds.iter()) {
            relation.level = u32::from(*kind != Kind::Static);
        }
    }

    /// A front over the same values with these rules.
    pub(super) fn front_with(&self, rules: Vec<FlatRule>, levels: u32) -> Front {
        let mut relations = self.front.relations.clone();
        for relation in relations.iter_mut() {
            relation.is_given = false;
        }
        Front {
            terms: std::sync::Arc::clone(&self.front.terms),
            values: self.front.values.clone(),
            relations,
            rules,
            variants: Vec::new(),
            ids: rustc_hash::FxHashMap::default(),
            levels,
        }
    }
}

/// An atom whose arguments are these variables.
pub(super) fn atom_over(relation: FlatId, variables: &[VariableId]) -> FlatAtom {
    Atom { relation, args: variables.iter().map(|&v| Pattern::Variable(v)).collect() }
}

/// Whether a subgoal binds a variable.
fn binds(subgoal: &Subgoal, variable: VariableId) -> bool {
    matches!(subgoal.literal, Literal::Positive(_) | Literal::Equal(..))
        && subgoal.variable_set().contains(&variable)
}

/// The subgoals all of whose variables are bound by the positive ones among them.
fn bound_part(mut body: Vec<Subgoal>) -> Vec<Subgoal> {
    let mut bound = Variables::default();
    body.iter().filter(|subgoal| subgoal.is_positive()).for_each(|subgoal| bound.bind(subgoal));
    body.retain(|subgoal| matches!(subgoal.literal, Literal::Equal(..)) || bound.binds(subgoal));
    body
}

/// The variables that a body must hold but does not bind by itself.
fn not_bound(shared: &[VariableId], body: &[Subgoal]) -> Vec<VariableId> {
    let mut needed: Variables = shared.iter().copied().collect();
    let mut bound = Variables::default();
    for subgoal in body {
        match subgoal.literal {
            Literal::Positive(_) => bound.bind(subgoal),
            // What is inside of a block is looked at when the block becomes a relation itself.
            Literal::Block { .. } => {}
            _ => needed.extend(subgoal.variable_set().iter().filter(|v| shared.contains(v))),
        }
    }
    let mut open: Vec<VariableId> = needed.difference(&bound).copied().collect();
    open.sort_unstable();
    open
}

fn plain(rule: FlatRule) -> GroundingRule {
    let body = rule.body.into_iter().map(Subgoal::plain).collect();
    Rule { head: rule.head, body, variables: rule.variables, origin: rule.origin }
}
