//! Safety: every variable of a head, a negative literal or a `distinct` must get its values from a
//! positive literal (specification Def. 6), on every way through the disjunctions of the body.

use ludex_logic::{Clause, Formula, Id, Pattern, VariableId};

use crate::check::binding::Bound;
use crate::check::context::Context;
use crate::check::registry::UNSAFE;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::{Item, NodeId};

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let mut available = Available { everything: 0, counts: Vec::new() };
    let mut needs = Vec::new();
    for (id, clause, item) in context.clauses() {
        if context.broken[id] || clause.variables.is_empty() {
            continue;
        }
        available.counts.clear();
        available.counts.resize(clause.variables.len(), 0);
        available.everything = 0;
        needs.clear();
        let walk = Walk { context, clause, item };
        walk.find(&mut available, &mut needs);
        let mut reported = Vec::new();
        for need in &needs {
            if !reported.contains(&need.variable) && found.len() < MAX_FOUND {
                reported.push(need.variable);
                found.push(walk.diagnostic(need));
            }
        }
    }
}

/// Nobody reads more findings than this, and each one costs a search through its rule.
const MAX_FOUND: usize = 10_000;

struct Walk<'a, 'c> {
    context: &'c Context<'a>,
    clause: &'c Clause,
    item: &'c Item,
}

/// An unbound variable with what needs it.
struct Need {
    variable: VariableId,
    node: NodeId,
    place: &'static str,
}

impl Walk<'_, '_> {
    fn find(&self, available: &mut Available, needs: &mut Vec<Need>) {
        available.add_atoms(&self.clause.body);
        self.clause.head.variables(&mut |variable| {
            if !available.has(variable) {
                needs.push(Need { variable, node: self.item.head, place: "head" });
            }
        });
        if let (Formula::And(parts), Some(nodes)) = (&self.clause.body, &self.item.body) {
            for (part, &node) in parts.iter().zip(nodes) {
                self.tests(part, node, available, needs);
            }
        }
    }

    fn diagnostic(&self, need: &Need) -> Diagnostic {
        let name = self.context.variable(self.clause.variables[need.variable]);
        let span = self.context.variable_span(need.node, self.clause, need.variable);
        let span = span.unwrap_or_else(|| self.context.tree.span(need.node));
        if self.clause.is_fact() {
            return UNSAFE
                .at(span, format!("the variable `{name}` stands in a fact"))
                .hint("facts are ground: write a rule whose body says which values it takes");
        }
        let message = match need.place {
            "head" => format!("the variable `{name}` of the head is not bound by the body"),
            place => format!("the variable `{name}` in this {place} is not bound by a positive subgoal"),
        };
        let mut diagnostic = UNSAFE.at(span, message);
        if let Some(branch) = self.unbinding_branch(need.variable) {
            diagnostic = diagnostic.label(branch, format!("`{name}` has no value on this branch"));
        }
        if self.is_role(need.variable) {
            let subgoal = self.context.sample("role", &[&name]);
            return diagnostic.hint(format!("if every role is meant, add the subgoal `{subgoal}`"));
        }
        diagnostic.hint(format!("add a subgoal without `not` and `distinct` that gives `{name}` its values"))
    }

    /// Whether the variable stands for a role in the head.
    fn is_role(&self, variable: VariableId) -> bool {
        let v = self.context.vocabulary;
        let head = &self.clause.head;
        [v.legal, v.goal, v.input, v.percept].contains(&head.relation)
            && head.args.first() == Some(&Pattern::Variable(variable))
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
    fn tests(&self, formula: &Formula, node: NodeId, available: &mut Available, needs: &mut Vec<Need>) {
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
        formula.variables(&mut |variable| {
            if !available.has(variable) {
                needs.push(Need { variable, node, place });
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
    /// Adds what the body of a clause binds, without a list where it has no disjunction.
    fn add_atoms(&mut self, formula: &Formula) {
        match formula {
            Formula::Atom(atom) => atom.variables(&mut |v| self.counts[v.index()] += 1),
            Formula::And(parts) => parts.iter().for_each(|p| self.add_atoms(p)),
            Formula::Or(_) => self.change(Some(&bound(formula)), true),
            Formula::Distinct(..) | Formula::Not(_) => {}
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn a_head_variable_needs_a_value() {
        let text = r#"
(<= (legal ?r (mark ?x ?y)) (role ?r) (index ?x))
"#;
        let expected = r#"
error[L030] game:1:24: the variable `?y` of the head is not bound by the body
 1 | (<= (legal ?r (mark ?x ?y)) (role ?r) (index ?x))
   |                        ^^
  hint: add a subgoal without `not` and `distinct` that gives `?y` its values
"#;
        assert_eq!(drawn(&UNSAFE, text), expected);
    }

    #[test]
    fn negation_binds_nothing() {
        let text = r#"
(<= (test ?x) (test2 ?x) (not (test3 ?y)))
"#;
        let expected = r#"
error[L030] game:1:38: the variable `?y` in this negation is not bound by a positive subgoal
 1 | (<= (test ?x) (test2 ?x) (not (test3 ?y)))
   |                                      ^^
  hint: add a subgoal without `not` and `distinct` that gives `?y` its values
"#;
        assert_eq!(drawn(&UNSAFE, text), expected);
    }

    #[test]
    fn distinct_binds_nothing() {
        let text = r#"
(<= (test ?x) (test2 ?x) (distinct ?x ?z))
"#;
        let expected = r#"
error[L030] game:1:39: the variable `?z` in this `distinct` is not bound by a positive subgoal
 1 | (<= (test ?x) (test2 ?x) (distinct ?x ?z))
   |                                       ^^
  hint: add a subgoal without `not` and `distinct` that gives `?z` its values
"#;
        assert_eq!(drawn(&UNSAFE, text), expected);
    }

    #[test]
    fn every_branch_of_a_disjunction_must_bind() {
        let text = r#"
(<= (test ?x) (or (test2 ?x)
                  (test3 ?y)))
"#;
        let expected = r#"
error[L030] game:1:11: the variable `?x` of the head is not bound by the body
 1 | (<= (test ?x) (or (test2 ?x)
   |           ^^
 2 |                   (test3 ?y)))
   |                   ---------- `?x` has no value on this branch
  hint: add a subgoal without `not` and `distinct` that gives `?x` its values
"#;
        assert_eq!(drawn(&UNSAFE, text), expected);
    }

    #[test]
    fn a_branch_may_bind_for_itself() {
        let text = r#"
(<= (test ?x) (p ?x) (or (and (q ?y) (not (r ?y)))
                         (distinct ?y ?x)))
"#;
        let expected = r#"
error[L030] game:2:36: the variable `?y` in this `distinct` is not bound by a positive subgoal
 2 |                          (distinct ?y ?x)))
   |                                    ^^
 2 |                          (distinct ?y ?x)))
   |                          ---------------- `?y` has no value on this branch
  hint: add a subgoal without `not` and `distinct` that gives `?y` its values
"#;
        assert_eq!(drawn(&UNSAFE, text), expected);
    }

    #[test]
    fn nested_formulas_bind_what_all_branches_bind() {
        let text = r#"
(<= (test ?x ?y)
    (or (and (p ?x) (or (q ?y) (r ?y)))
        (s ?y ?x)
        (or))
    (not (t ?x ?y)))
"#;
        let expected = r#"
"#;
        assert_eq!(drawn(&UNSAFE, text), expected);
    }

    #[test]
    fn facts_are_ground() {
        let text = r#"
(error is ?here)
"#;
        let expected = r#"
error[L030] game:1:11: the variable `?here` stands in a fact
 1 | (error is ?here)
   |           ^^^^^
  hint: facts are ground: write a rule whose body says which values it takes
"#;
        assert_eq!(drawn(&UNSAFE, text), expected);
    }

    #[test]
    fn a_role_that_nothing_binds() {
        let text = r#"
(<= (goal ?r 50) (not open))
"#;
        let expected = r#"
error[L030] game:1:11: the variable `?r` of the head is not bound by the body
 1 | (<= (goal ?r 50) (not open))
   |           ^^
  hint: if every role is meant, add the subgoal `(role ?r)`
"#;
        assert_eq!(drawn(&UNSAFE, text), expected);
    }
}
