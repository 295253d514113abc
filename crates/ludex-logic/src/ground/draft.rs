//! Rules on their way to being grounded.

use rustc_hash::FxHashSet;

use super::persistent;
use crate::budget::{Budget, LimitError};
use crate::evaluator::flat::{FlatAtom, FlatId, FlatKey, FlatLiteral, FlatRule};
use crate::evaluator::front::{Front, FrontRelation, uses};
use crate::ids::{ClauseId, VariableId};
use crate::program::{Pattern, Program};
use crate::scc::components;

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
pub(super) struct Goal {
    pub literal: FlatLiteral,
    /// Narrows the instances, but is not part of them.
    pub is_guard: bool,
}

impl Goal {
    pub(super) fn guard(atom: FlatAtom) -> Self {
        Self { literal: FlatLiteral::Positive(atom), is_guard: true }
    }

    pub(super) fn variables(&self) -> FxHashSet<VariableId> {
        let mut found = FxHashSet::default();
        self.literal.variables(&mut |v| {
            found.insert(v);
        });
        found
    }
}

/// A rule without blocks.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub head: FlatAtom,
    pub body: Vec<Goal>,
    pub variables: u32,
    /// The clause it is a part of; `None` where it stands for facts.
    pub origin: Option<ClauseId>,
}

/// A flat program whose rules are being rewritten for grounding.
#[derive(Debug)]
pub(super) struct Draft {
    /// Its rules have been taken out.
    pub front: Front,
    pub kinds: Vec<Kind>,
    pub rules: Vec<Rule>,
    /// Which relations depend on each other; relations made for parts of a rule have none.
    component: Vec<Option<usize>>,
}

impl Draft {
    /// With `is_faithful`, given relations that stay as they were are taken to change like others.
    pub(super) fn new(program: &Program, is_faithful: bool, budget: &Budget) -> Result<Self, LimitError> {
        let mut front = Front::new(program, budget)?;
        let mut rules = std::mem::take(&mut front.rules);
        let kinds = persistent::kinds(program, &front, &mut rules, is_faithful);
        let made: Vec<bool> = front.relations.iter().map(|r| r.key.is_none()).collect();
        let is_made = |relation: FlatId| made[relation as usize];
        let uses = uses(front.relations.len(), &rules);
        let mut component = vec![None; front.relations.len()];
        let groups = components(uses.len(), |n| uses[n].iter().map(|u| u.0).collect());
        for (number, members) in groups.iter().enumerate() {
            members.iter().for_each(|&m| component[m] = Some(number));
        }
        let mut draft = Self { front, kinds, rules: Vec::new(), component };
        let mut meter = budget.meter();
        let mut queue: Vec<Rule> = rules.into_iter().map(|rule| plain(rule, is_made)).collect();
        while let Some(mut rule) = queue.pop() {
            meter.spend(1 + rule.body.len() as u64)?;
            draft.take_blocks(&mut rule, &mut queue);
            draft.rules.push(rule);
        }
        draft.rules.reverse();
        Ok(draft)
    }

    /// A relation that stands for a part of a rule of a relation with this name.
    pub(super) fn add_relation(
        &mut self,
        name: String,
        domains: Vec<Option<Vec<u32>>>,
        kind: Kind,
    ) -> FlatId {
        let level = u32::from(kind != Kind::Static);
        self.front.relations.push(FrontRelation {
            key: None,
            name,
            domains,
            is_given: false,
            level,
            facts: Vec::new(),
        });
        self.kinds.push(kind);
        self.component.push(None);
        self.kinds.len() as FlatId - 1
    }

    pub(super) fn kind(&self, relation: FlatId) -> Kind {
        self.kinds[relation as usize]
    }

    pub(super) fn name(&self, relation: FlatId) -> &str {
        &self.front.relations[relation as usize].name
    }

    pub(super) fn key(&self, relation: FlatId) -> Option<&FlatKey> {
        self.front.relations[relation as usize].key.as_ref()
    }

    /// Whether the subgoal is part of the instances.
    pub(super) fn is_emitted(&self, goal: &Goal) -> bool {
        !goal.is_guard
            && match &goal.literal {
                FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) => {
                    self.kind(atom.relation) == Kind::Changing
                }
                _ => false,
            }
    }

    /// The subgoal as the relaxed model has it: negation of what changes is dropped.
    pub(super) fn relaxed<'a>(&self, goal: &'a Goal) -> Option<&'a FlatLiteral> {
        match &goal.literal {
            FlatLiteral::Negative(atom) if self.kind(atom.relation) != Kind::Static => None,
            other => Some(other),
        }
    }

    /// The values a variable can take in a body, as far as one positive subgoal tells.
    pub(super) fn domain(&self, variable: VariableId, body: &[Goal]) -> Option<Vec<u32>> {
        let mut best: Option<&Vec<u32>> = None;
        for goal in body {
            let FlatLiteral::Positive(atom) = &goal.literal else { continue };
            let domains = &self.front.relations[atom.relation as usize].domains;
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
        of: &Rule,
        variables: &[VariableId],
        body: Vec<Goal>,
        kind: Kind,
    ) -> FlatAtom {
        let domains = variables.iter().map(|&v| self.domain(v, &body)).collect();
        let name = self.name(of.head.relation).to_owned();
        let relation = self.add_relation(name, domains, kind);
        let args: Vec<Pattern> = variables.iter().map(|&v| Pattern::Variable(v)).collect();
        let head = FlatAtom { relation, args };
        self.rules.push(Rule { head: head.clone(), body, variables: of.variables, origin: of.origin });
        head
    }

    /// Replaces each block of a rule by a relation over the variables it shares with the rest.
    fn take_blocks(&mut self, rule: &mut Rule, queue: &mut Vec<Rule>) {
        let is_block = |g: &Goal| matches!(g.literal, FlatLiteral::Block { .. });
        if !rule.body.iter().any(is_block) {
            return;
        }
        let (blocks, mut rest): (Vec<Goal>, Vec<Goal>) =
            std::mem::take(&mut rule.body).into_iter().partition(is_block);
        let is_static = rest.iter().all(|goal| match &goal.literal {
            FlatLiteral::Positive(atom) => self.kind(atom.relation) == Kind::Static,
            _ => true,
        });
        let context_kind = if is_static { Kind::Static } else { Kind::Guard };
        // A static block is tested, not assumed: it must not wait for what waits for it.
        let home = self.component[rule.head.relation as usize];
        let waits = |goal: &Goal| match &goal.literal {
            FlatLiteral::Positive(atom) => is_static && self.component[atom.relation as usize] == home,
            _ => false,
        };
        let context: Vec<Goal> = rest
            .iter()
            .filter(|g| !matches!(g.literal, FlatLiteral::Negative(_)))
            .map(|g| Goal { literal: g.literal.clone(), is_guard: true })
            .collect();
        let early: Vec<Goal> = context.iter().filter(|g| !waits(g)).cloned().collect();
        let early = bound_part(early);
        let variables_of: Vec<FxHashSet<VariableId>> = blocks.iter().map(Goal::variables).collect();
        let mut outside: FxHashSet<VariableId> = FxHashSet::default();
        rest.iter().for_each(|g| outside.extend(g.variables()));
        rule.head.args.iter().for_each(|a| {
            a.variables(&mut |v| {
                outside.insert(v);
            });
        });
        for (at, block) in blocks.into_iter().enumerate() {
            let FlatLiteral::Block { negated, alternatives } = block.literal else { continue };
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
            self.component[relation as usize] = home;
            let args: Vec<Pattern> = shared.iter().map(|&v| Pattern::Variable(v)).collect();
            let head = FlatAtom { relation, args };
            for alternative in alternatives {
                let mut body: Vec<Goal> =
                    alternative.into_iter().map(|literal| Goal { literal, is_guard: false }).collect();
                let open = unbound(&shared, &body);
                let (told, untold): (Vec<VariableId>, Vec<VariableId>) =
                    open.iter().partition(|v| early.iter().any(|g| binds(g, **v)));
                if !told.is_empty() {
                    let asked = self.part(rule, &told, early.clone(), context_kind);
                    body.push(Goal::guard(asked));
                }
                for variable in untold {
                    if let Some(domain) = self.domain(variable, &context) {
                        body.push(self.one_of(rule, variable, &domain));
                    }
                }
                for (&variable, domain) in shared.iter().zip(&domains) {
                    if let Some(domain) = domain
                        && !open.contains(&variable)
                        && !self.keeps_within(variable, &body, domain)
                    {
                        body.push(self.one_of(rule, variable, domain));
                    }
                }
                queue.push(Rule { head: head.clone(), body, variables: rule.variables, origin: rule.origin });
            }
            let literal = if negated { FlatLiteral::Negative(head) } else { FlatLiteral::Positive(head) };
            rest.push(Goal { literal, is_guard: false });
        }
        rule.body = rest;
    }

    /// Whether a body lets a variable have no other values than these.
    fn keeps_within(&self, variable: VariableId, body: &[Goal], domain: &[u32]) -> bool {
        let inside = |values: Vec<u32>| values.iter().all(|value| domain.binary_search(value).is_ok());
        self.domain(variable, body).is_some_and(inside)
    }

    /// A guard by which a variable has one of these values: others are of no use to the rest of the
    /// rule, and lie outside of the columns of the block's relation.
    fn one_of(&mut self, of: &Rule, variable: VariableId, domain: &[u32]) -> Goal {
        let name = self.name(of.head.relation).to_owned();
        let relation = self.add_relation(name, vec![Some(domain.to_vec())], Kind::Static);
        self.front.relations[relation as usize].facts = domain.iter().map(|&value| vec![value]).collect();
        Goal::guard(FlatAtom { relation, args: vec![Pattern::Variable(variable)] })
    }

    /// Moves the facts of these relations to relations of their own, so that rules alone say what holds.
    pub(super) fn separate_facts(&mut self, is_wanted: impl Fn(usize) -> bool) {
        for relation in (0..self.kinds.len()).filter(|&r| is_wanted(r)) {
            let facts = std::mem::take(&mut self.front.relations[relation].facts);
            if facts.is_empty() {
                continue;
            }
            let domains = self.front.relations[relation].domains.clone();
            let name = self.name(relation as FlatId).to_owned();
            let args: Vec<Pattern> = (0..domains.len())
                .map(|v| Pattern::Variable(<VariableId as crate::ids::Id>::from_index(v)))
                .collect();
            let from = self.add_relation(name, domains, Kind::Static);
            self.front.relations[from as usize].facts = facts;
            let literal = FlatLiteral::Positive(FlatAtom { relation: from, args: args.clone() });
            self.rules.push(Rule {
                variables: args.len() as u32,
                head: FlatAtom { relation: relation as FlatId, args },
                body: vec![Goal { literal, is_guard: false }],
                origin: None,
            });
        }
    }

    /// Every relation that depends on what changes is in the ground rules itself.
    pub(super) fn settle_kinds(&mut self) {
        loop {
            let mut changed = false;
            for rule in &self.rules {
                let head = rule.head.relation as usize;
                if self.kinds[head] != Kind::Static {
                    continue;
                }
                let depends = rule.body.iter().any(|goal| match &goal.literal {
                    FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) => {
                        self.kind(atom.relation) != Kind::Static
                    }
                    _ => false,
                });
                if depends {
                    self.kinds[head] = Kind::Changing;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let is_changing: Vec<bool> = self.kinds.iter().map(|k| *k != Kind::Static).collect();
        self.separate_facts(|relation| is_changing.get(relation) == Some(&true));
        for (relation, kind) in self.front.relations.iter_mut().zip(&self.kinds) {
            relation.level = u32::from(*kind != Kind::Static);
        }
    }

    /// A front over the same values with these rules.
    pub(super) fn front_with(&self, rules: Vec<FlatRule>, levels: u32) -> Front {
        let mut relations = self.front.relations.clone();
        for relation in &mut relations {
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

/// Whether a subgoal binds a variable.
fn binds(goal: &Goal, variable: VariableId) -> bool {
    matches!(goal.literal, FlatLiteral::Positive(_) | FlatLiteral::Equal(..))
        && goal.variables().contains(&variable)
}

/// The subgoals all of whose variables are bound by the positive ones among them.
fn bound_part(goals: Vec<Goal>) -> Vec<Goal> {
    let positive = goals.iter().filter(|g| matches!(g.literal, FlatLiteral::Positive(_)));
    let bound: FxHashSet<VariableId> = positive.flat_map(Goal::variables).collect();
    let is_bound =
        |goal: &Goal| matches!(goal.literal, FlatLiteral::Equal(..)) || goal.variables().is_subset(&bound);
    goals.into_iter().filter(is_bound).collect()
}

/// The variables that a body must hold but does not bind by itself.
fn unbound(shared: &[VariableId], body: &[Goal]) -> Vec<VariableId> {
    let mut needed: FxHashSet<VariableId> = shared.iter().copied().collect();
    let mut bound = FxHashSet::default();
    for goal in body {
        match goal.literal {
            FlatLiteral::Positive(_) => bound.extend(goal.variables()),
            // What is inside of a block is looked at when the block becomes a relation itself.
            FlatLiteral::Block { .. } => {}
            _ => needed.extend(goal.variables().iter().filter(|v| shared.contains(v))),
        }
    }
    let mut open: Vec<VariableId> = needed.difference(&bound).copied().collect();
    open.sort_unstable();
    open
}

/// `is_made` tells relations that only hold the facts of another one.
fn plain(rule: FlatRule, is_made: impl Fn(FlatId) -> bool) -> Rule {
    let is_fact = match rule.body.as_slice() {
        [FlatLiteral::Positive(atom)] => is_made(atom.relation),
        _ => false,
    };
    let body = rule.body.into_iter().map(|literal| Goal { literal, is_guard: false }).collect();
    let origin = (!is_fact).then_some(rule.origin);
    Rule { head: rule.head, body, variables: rule.variables, origin }
}
