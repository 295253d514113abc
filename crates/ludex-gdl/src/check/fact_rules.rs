//! The clauses of `init` and `next` in real time, as the checks of lifetimes look at them.

use ludex_logic::{Atom, ClauseId, Formula, IdVec, Pattern, RelationId};
use rustc_hash::FxHashSet;

use crate::check::context::{Context, Shape};
use crate::time::INFINITY;

/// A clause that gives a fact a lifetime.
pub(super) struct FactRule<'a> {
    pub clause: ClauseId,
    /// Of `init`, not of `next`.
    pub is_initial: bool,
    pub lifetime: &'a Pattern,
    pub fact: &'a Pattern,
    /// What the fact looks like; `None` for a variable.
    pub shape: Option<Shape>,
    /// The lifetimes of the subgoals by which the fact itself holds already.
    pub kept: Vec<&'a Pattern>,
    /// Whether a subgoal says that somebody moves.
    pub needs_move: bool,
    /// What has to expire.
    pub expired: Vec<Option<Shape>>,
    /// Whether a subgoal may ask for an event by way of a relation of the rulesheet.
    pub hides_event: bool,
}

/// What makes an update.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Move,
    Expiry(Shape),
}

impl FactRule<'_> {
    /// Whether the rule may apply at an update that this event alone makes.
    pub fn may_apply_at(&self, event: Event) -> bool {
        self.hides_event
            || match event {
                Event::Move => self.expired.is_empty(),
                Event::Expiry(shape) => {
                    !self.needs_move && self.expired.iter().all(|needed| needed.is_none_or(|n| n == shape))
                }
            }
    }

    /// Whether the rule asks for no event: it may apply at every update.
    pub fn applies_at_any_event(&self) -> bool {
        !self.needs_move && self.expired.is_empty() && !self.hides_event
    }

    /// Whether the rule keeps a fact with what is left of its lifetime.
    pub fn is_frame(&self) -> bool {
        !self.is_initial && self.kept.contains(&self.lifetime)
    }

    /// Whether what the rule says holds for all facts that look like its own.
    pub fn covers_shape(&self) -> bool {
        match self.fact {
            Pattern::Variable(_) => true,
            Pattern::Ground(_) => false,
            Pattern::Compound(_, args) => {
                let mut seen = FxHashSet::default();
                args.iter().all(|arg| matches!(arg, Pattern::Variable(v) if seen.insert(*v)))
            }
        }
    }
}

/// All clauses of `init` and `next`, in their order; none where facts have no lifetimes.
pub(super) fn fact_rules<'a>(context: &Context<'a>) -> Vec<FactRule<'a>> {
    let v = context.vocabulary;
    let Some(expired) = v.expired else { return Vec::new() };
    let on_events = context.dependencies.dependents([v.does, expired]);
    let mut rules = Vec::new();
    for (id, clause, _) in context.clauses() {
        let relation = clause.head.relation;
        if (relation != v.init && relation != v.next) || context.broken[id] {
            continue;
        }
        let [lifetime, fact] = &*clause.head.args else { continue };
        let mut rule = FactRule {
            clause: id,
            is_initial: relation == v.init,
            lifetime,
            fact,
            shape: context.shape(fact),
            kept: Vec::new(),
            needs_move: false,
            expired: Vec::new(),
            hides_event: false,
        };
        for part in clause.body.conjuncts() {
            note(context, &mut rule, part, expired, &on_events);
        }
        rules.push(rule);
    }
    rules
}

fn note<'a>(
    context: &Context<'a>,
    rule: &mut FactRule<'a>,
    part: &'a Formula,
    expired: RelationId,
    on_events: &IdVec<RelationId, bool>,
) {
    let Formula::Atom(atom) = part else {
        let mut hides = false;
        part.atoms(&mut |atom, negated| hides |= !negated && on_events[atom.relation]);
        rule.hides_event |= hides;
        return;
    };
    let v = context.vocabulary;
    match (&*atom.args, atom.relation) {
        (_, relation) if relation == v.does => rule.needs_move = true,
        ([fact], relation) if relation == expired => rule.expired.push(context.shape(fact)),
        ([lifetime, fact], relation) if relation == v.truth && fact == rule.fact => rule.kept.push(lifetime),
        (_, relation) => rule.hides_event |= on_events[relation],
    }
}

/// Whether a lifetime in the text is `infinity`.
pub(super) fn is_infinite(context: &Context<'_>, lifetime: &Pattern) -> bool {
    context
        .shape(lifetime)
        .is_some_and(|(name, arity)| arity.is_none() && context.program.terms.name(name) == INFINITY)
}

/// So many times the rules are gone through: lifetimes that are copied from fact to fact to fact still count.
const ROUNDS: usize = 20;

/// What the facts look like that can have a finite lifetime.
pub(super) fn finite_shapes(context: &Context<'_>, rules: &[FactRule<'_>]) -> FxHashSet<Shape> {
    let mut finite = FxHashSet::default();
    for _ in 0..ROUNDS {
        let before = finite.len();
        for rule in rules {
            let Some(shape) = rule.shape else { continue };
            let is_finite = match rule.lifetime {
                Pattern::Ground(_) => !is_infinite(context, rule.lifetime),
                lifetime => !copies_only_infinite(context, rule.clause, lifetime, &finite),
            };
            if is_finite {
                finite.insert(shape);
            }
        }
        if finite.len() == before {
            break;
        }
    }
    finite
}

/// Whether a variable has its value from the lifetime of a fact that is not known to be finite.
fn copies_only_infinite(
    context: &Context<'_>,
    clause: ClauseId,
    lifetime: &Pattern,
    finite: &FxHashSet<Shape>,
) -> bool {
    let is_copied = |atom: &Atom| {
        atom.relation == context.vocabulary.truth
            && atom.args.first() == Some(lifetime)
            && atom
                .args
                .last()
                .and_then(|fact| context.shape(fact))
                .is_none_or(|shape| !finite.contains(&shape))
    };
    context.program.clauses[clause]
        .body
        .conjuncts()
        .iter()
        .any(|part| matches!(part, Formula::Atom(atom) if is_copied(atom)))
}
