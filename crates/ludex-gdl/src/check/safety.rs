//! Safety: every variable of a head, a negative literal or a `distinct` must get its values from a
//! positive literal (specification Def. 6), on every way through the disjunctions of the body.

use ludex_logic::{Clause, Formula, Id, VariableId};

use crate::check::binding::Bound;
use crate::check::context::Context;
use crate::check::registry::UNSAFE;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::{Item, NodeId};

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    for (id, clause, item) in context.clauses() {
        if context.broken[id] || clause.variables.is_empty() {
            continue;
        }
        let walk = Walk { context, clause, item };
        walk.clause(found);
    }
}

struct Walk<'a, 'c> {
    context: &'c Context<'a>,
    clause: &'c Clause,
    item: &'c Item,
}

/// An unbound variable with the literal that needs it.
struct Need {
    variable: VariableId,
    span: Span,
    place: &'static str,
}

impl Walk<'_, '_> {
    fn clause(&self, found: &mut Vec<Diagnostic>) {
        let bound = bound(&self.clause.body);
        let mut needs = Vec::new();
        let mut available = Available { everything: 0, counts: vec![0; self.clause.variables.len()] };
        available.change(Some(&bound), true);
        self.clause.head.variables(&mut |v| {
            if !bound.has(v) {
                needs.push((v, self.item.head, "head"));
            }
        });
        if let (Formula::And(parts), Some(nodes)) = (&self.clause.body, &self.item.body) {
            for (part, &node) in parts.iter().zip(nodes) {
                self.tests(part, node, &mut available, &mut needs);
            }
        }
        let mut reported = vec![false; self.clause.variables.len()];
        for (variable, node, place) in needs {
            if std::mem::replace(&mut reported[variable.index()], true) {
                continue;
            }
            let span = self.context.variable_span(node, self.clause, variable);
            let span = span.unwrap_or_else(|| self.context.tree.span(node));
            found.push(self.diagnostic(&Need { variable, span, place }));
        }
    }

    fn diagnostic(&self, need: &Need) -> Diagnostic {
        let name = self.context.variable(self.clause.variables[need.variable]);
        if self.clause.is_fact() {
            return UNSAFE
                .at(need.span, format!("the variable `{name}` stands in a fact"))
                .hint("facts are ground: write a rule whose body says which values it takes");
        }
        let message = match need.place {
            "head" => format!("the variable `{name}` of the head is not bound by the body"),
            place => format!("the variable `{name}` in this {place} is not bound by a positive subgoal"),
        };
        let mut diagnostic = UNSAFE.at(need.span, message);
        if let Some(span) = self.unbinding_branch(need.variable) {
            diagnostic = diagnostic.label(span, format!("`{name}` has no value on this branch"));
        }
        diagnostic.hint(format!("add a subgoal without `not` and `distinct` that gives `{name}` its values"))
    }

    /// A branch of a disjunction of the body that does not bind the variable while another does.
    fn unbinding_branch(&self, variable: VariableId) -> Option<Span> {
        let Formula::And(parts) = &self.clause.body else { return None };
        for (part, &node) in parts.iter().zip(self.item.body.as_ref()?) {
            let Formula::Or(branches) = part else { continue };
            let binds: Vec<bool> = branches.iter().map(|b| bound(b).has(variable)).collect();
            if binds.contains(&true) {
                let at = binds.iter().position(|&b| !b)?;
                return Some(self.context.tree.span(*self.context.tree.children(node).get(at)?));
            }
        }
        None
    }

    /// Adds the variables of negations and `distinct` that neither the formulas around them nor
    /// their own branch bind. `available` counts how many of those bind each variable.
    fn tests(
        &self,
        formula: &Formula,
        node: NodeId,
        available: &mut Available,
        needs: &mut Vec<(VariableId, NodeId, &'static str)>,
    ) {
        let place = match formula {
            Formula::Atom(_) => return,
            Formula::Distinct(..) => "`distinct`",
            Formula::Not(_) => "negation",
            Formula::And(parts) | Formula::Or(parts) => {
                let is_or = matches!(formula, Formula::Or(_));
                for (part, &child) in parts.iter().zip(self.context.tree.children(node)) {
                    let own = if is_or { Some(bound(part)) } else { None };
                    available.change(own.as_ref(), true);
                    self.tests(part, child, available, needs);
                    available.change(own.as_ref(), false);
                }
                return;
            }
        };
        formula.variables(&mut |v| {
            if !available.has(v) {
                needs.push((v, node, place));
            }
        });
    }
}

fn bound(formula: &Formula) -> Bound {
    Bound::by(formula, &|atom, variables| atom.variables(&mut |v| variables.push(v)))
}

/// How many of the formulas around a place bind each variable.
struct Available {
    everything: u32,
    counts: Vec<u32>,
}

impl Available {
    fn change(&mut self, bound: Option<&Bound>, enter: bool) {
        let Some(bound) = bound else { return };
        let step = |count: &mut u32| if enter { *count += 1 } else { *count -= 1 };
        if bound.everything {
            step(&mut self.everything);
        }
        bound.variables.iter().for_each(|v| step(&mut self.counts[v.index()]));
    }

    fn has(&self, variable: VariableId) -> bool {
        self.everything > 0 || self.counts[variable.index()] > 0
    }
}
