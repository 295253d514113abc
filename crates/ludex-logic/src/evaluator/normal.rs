//! Clauses with nested bodies to rules over literals and blocks.
//!
//! A disjunction or a negated formula whose variables are all bound elsewhere becomes a *block*: a
//! filter that is tried in place. A disjunction that has to bind variables becomes a helper
//! relation, so that nothing is multiplied out; an alternative that is not safe by itself takes along
//! subgoals of the rule that bind what it only tests. Where there are none, the rule is copied per
//! alternative, up to a limit.

use super::body::{Literal, NormalLiteral, NormalRule};
use crate::binding::{Binding, HasVariables, Variables, close_equalities};
use crate::budget::{LimitError, Meter};
use crate::dependency::Dependencies;
use crate::ids::{ClauseId, Id, RelationId, VariableId};
use crate::program::{Atom, Clause, Formula, Pattern, Program};

/// Copies of a rule that one disjunction after the other may make.
const COPY_LIMIT: usize = 32;

/// Whether a relation is a helper that normalising made, by its id: helpers come after the
/// program's own relations.
pub(crate) struct Normalised {
    pub rules: Vec<NormalRule>,
    /// The arity of each helper relation, and the clause it was made for.
    pub helpers: Vec<(usize, ClauseId)>,
}

/// Normalises all clauses that are not facts.
pub(crate) fn normalise(program: &Program, meter: &mut Meter) -> Result<Normalised, LimitError> {
    let dependencies = Dependencies::new(program);
    let mut work = Normaliser {
        first_helper: program.relations.len(),
        helpers: Vec::new(),
        rules: Vec::new(),
        variables: 0,
        origin: ClauseId::from_index(0),
        dependencies: &dependencies,
        component: 0,
        meter,
        failure: None,
    };
    for (id, clause) in program.clauses.entries() {
        work.spend(1);
        if !clause.is_fact() {
            work.clause(id, clause);
        }
        if let Some(limit) = work.failure.take() {
            return Err(limit);
        }
    }
    Ok(Normalised { rules: work.rules, helpers: work.helpers })
}

struct Normaliser<'a> {
    dependencies: &'a Dependencies,
    /// The component of the head that is being worked on.
    component: usize,
    first_helper: usize,
    helpers: Vec<(usize, ClauseId)>,
    rules: Vec<NormalRule>,
    variables: u32,
    origin: ClauseId,
    meter: &'a mut Meter,
    /// The limit that was reached, if any: then what comes out is not used.
    failure: Option<LimitError>,
}

impl Normaliser<'_> {
    fn spend(&mut self, steps: u64) {
        if let Err(limit) = self.meter.spend(steps) {
            self.failure = Some(limit);
        }
    }

    fn clause(&mut self, id: ClauseId, clause: &Clause) {
        self.variables = clause.variables.len() as u32;
        self.origin = id;
        self.component = self.dependencies.component(clause.head.relation);
        let mut body = Vec::new();
        literals_of(&clause.body, &mut body);
        let head_variables = clause.head.variable_set();
        for body in self.conjunction(body, &Variables::default(), &head_variables) {
            self.rules.push(NormalRule {
                head: clause.head.clone(),
                body,
                variables: self.variables,
                origin: Some(id),
            });
        }
    }

    /// The conjunctions that together are equal to `literals`, given that `entry` is bound before
    /// and `wanted` must be bound after.
    fn conjunction(
        &mut self,
        literals: Vec<NormalLiteral>,
        entry: &Variables,
        wanted: &Variables,
    ) -> Vec<Vec<NormalLiteral>> {
        let mut finished = Vec::new();
        let mut queue = vec![literals];
        while let Some(mut literals) = queue.pop() {
            let blocks = literals.iter().filter(|l| matches!(l, Literal::Block { .. })).count();
            self.spend((blocks * literals.len()) as u64 / 4);
            if self.failure.is_some() {
                return finished;
            }
            let blocks = self.binding_blocks(&literals, entry, wanted);
            let Some(&first) = blocks.first() else {
                let bound = bound_after(&literals, entry);
                self.inner_blocks(&mut literals, &bound);
                finished.push(literals);
                continue;
            };
            let with_context = blocks.iter().find_map(|&at| {
                let shared = shared_variables(&literals, at, entry, wanted);
                Some((at, contexts(&literals, at, &shared)?, shared))
            });
            if let Some((at, contexts, shared)) = with_context {
                let Literal::Block { alternatives, .. } = literals.swap_remove(at) else { continue };
                let bodies = alternatives.into_iter().zip(contexts).map(|(a, c)| [c, a].concat()).collect();
                let helper = self.helper(&shared, bodies);
                literals.push(Literal::Positive(helper));
                queue.push(literals);
                continue;
            }
            let Literal::Block { alternatives, .. } = &literals[first] else { continue };
            if (queue.len() + finished.len() + 1) * alternatives.len() > COPY_LIMIT {
                // Left as a filter; what it should have bound stays unbound and is reported.
                finished.push(literals);
                continue;
            }
            let Literal::Block { alternatives, .. } = literals.swap_remove(first) else { continue };
            for alternative in alternatives {
                let mut copy = literals.clone();
                copy.extend(alternative);
                queue.push(copy);
            }
        }
        finished
    }

    /// Whether the literal uses a relation that depends on the head: a fixpoint must see its rows one
    /// by one, which a filter does not.
    fn is_recursive(&self, literal: &NormalLiteral) -> bool {
        match literal {
            Literal::Positive(atom) => {
                atom.relation.index() < self.first_helper
                    && self.dependencies.component(atom.relation) == self.component
            }
            Literal::Block { alternatives, .. } => {
                alternatives.iter().flatten().any(|l| self.is_recursive(l))
            }
            _ => false,
        }
    }

    /// The disjunctions that must bind a variable for the head or for another literal, or are recursive.
    fn binding_blocks(
        &self,
        literals: &[NormalLiteral],
        entry: &Variables,
        wanted: &Variables,
    ) -> Vec<usize> {
        let mut bound = entry.clone();
        for literal in literals {
            if let Literal::Positive(atom) = literal {
                bound.bind(atom);
            }
        }
        close_equalities(literals.iter(), &mut bound);
        let is_binding = |&at: &usize| {
            matches!(&literals[at], Literal::Block { negated: false, .. })
                && (self.is_recursive(&literals[at])
                    || shared_variables(literals, at, entry, wanted).iter().any(|v| !bound.contains(v)))
        };
        (0..literals.len()).filter(is_binding).collect()
    }

    /// Normalises the conjunctions inside blocks and turns negative atoms with variables of their
    /// own into blocks.
    fn inner_blocks(&mut self, literals: &mut Vec<NormalLiteral>, bound: &Variables) {
        for literal in literals {
            match literal {
                Literal::Negative(atom) if !bound.binds(atom) => {
                    let inner = vec![vec![Literal::Positive(atom.clone())]];
                    *literal = Literal::Block { negated: true, alternatives: inner };
                }
                Literal::Block { alternatives, .. } => {
                    let inner = std::mem::take(alternatives);
                    *alternatives = inner
                        .into_iter()
                        .flat_map(|a| self.conjunction(a, bound, &Variables::default()))
                        .collect();
                }
                _ => {}
            }
        }
    }

    /// A relation over the shared variables that holds when one of these bodies does.
    fn helper(&mut self, shared: &[VariableId], bodies: Vec<Vec<NormalLiteral>>) -> Atom {
        let relation = RelationId::from_index(self.first_helper + self.helpers.len());
        self.helpers.push((shared.len(), self.origin));
        let args: Box<[Pattern]> = shared.iter().map(|&v| Pattern::Variable(v)).collect();
        let head = Atom { relation, args };
        let wanted: Variables = shared.iter().copied().collect();
        for body in bodies {
            for body in self.conjunction(body, &Variables::default(), &wanted) {
                self.rules.push(NormalRule {
                    head: head.clone(),
                    body,
                    variables: self.variables,
                    origin: Some(self.origin),
                });
            }
        }
        head
    }
}

fn literals_of(formula: &Formula, out: &mut Vec<NormalLiteral>) {
    match formula {
        Formula::Atom(atom) => out.push(Literal::Positive(atom.clone())),
        Formula::Distinct(a, b) => out.push(Literal::Distinct(a.clone(), b.clone())),
        Formula::And(parts) => parts.iter().for_each(|p| literals_of(p, out)),
        Formula::Or(parts) if parts.len() == 1 => literals_of(&parts[0], out),
        Formula::Or(parts) => {
            out.push(Literal::Block { negated: false, alternatives: alternatives_of(parts) });
        }
        Formula::Not(inner) => match &**inner {
            Formula::Atom(atom) => out.push(Literal::Negative(atom.clone())),
            Formula::Distinct(a, b) => out.push(Literal::Equal(a.clone(), b.clone())),
            // Not a filter: it may be recursive, as what it says is positive.
            Formula::Not(twice) => literals_of(twice, out),
            Formula::Or(parts) => {
                out.push(Literal::Block { negated: true, alternatives: alternatives_of(parts) });
            }
            other => {
                let alternatives = alternatives_of(std::slice::from_ref(other));
                out.push(Literal::Block { negated: true, alternatives });
            }
        },
    }
}

fn alternatives_of(parts: &[Formula]) -> Vec<Vec<NormalLiteral>> {
    let mut alternatives = Vec::new();
    for part in parts {
        if let Formula::Or(nested) = part {
            alternatives.extend(alternatives_of(nested));
        } else {
            let mut literals = Vec::new();
            literals_of(part, &mut literals);
            alternatives.push(literals);
        }
    }
    alternatives
}

/// The variables that are bound once all literals hold.
fn bound_after(literals: &[NormalLiteral], entry: &Variables) -> Variables {
    let mut bound = entry.clone();
    for literal in literals {
        match literal {
            Literal::Positive(atom) => bound.bind(atom),
            Literal::Block { negated: false, alternatives } => {
                let mut sets = alternatives.iter().map(|a| bound_after(a, &Variables::default()));
                if let Some(first) = sets.next() {
                    bound.extend(sets.fold(first, |acc, s| acc.intersection(&s).copied().collect()));
                }
            }
            _ => {}
        }
    }
    close_equalities(literals.iter(), &mut bound);
    bound
}

/// Per alternative of the block at `at`, positive literals beside it that bind the shared variables
/// which the alternative only tests; `None` when there are none for some variable.
fn contexts(literals: &[NormalLiteral], at: usize, shared: &[VariableId]) -> Option<Vec<Vec<NormalLiteral>>> {
    let Literal::Block { alternatives, .. } = &literals[at] else { return None };
    let context = |alternative: &Vec<NormalLiteral>| {
        let mut bound = bound_after(alternative, &Variables::default());
        let mut context = Vec::new();
        for variable in shared {
            if bound.contains(variable) {
                continue;
            }
            let is_binder = |literal: &&NormalLiteral| matches!(literal, Literal::Positive(atom) if atom.variable_set().contains(variable));
            let binder = literals.iter().find(is_binder)?;
            bound.bind(binder);
            context.push(binder.clone());
        }
        Some(context)
    };
    alternatives.iter().map(context).collect()
}

/// The variables of the literal at `at` that occur outside of it, in order.
fn shared_variables(
    literals: &[NormalLiteral],
    at: usize,
    entry: &Variables,
    wanted: &Variables,
) -> Vec<VariableId> {
    let mut outside = entry.clone();
    outside.extend(wanted);
    for (i, literal) in literals.iter().enumerate() {
        if i != at {
            outside.bind(literal);
        }
    }
    let mut shared = Vec::new();
    literals[at].each_variable(&mut |v| {
        if outside.contains(&v) && !shared.contains(&v) {
            shared.push(v);
        }
    });
    shared
}
