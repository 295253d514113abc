//! Variables under `not` that get their values further on in the body. By the stratified model the order
//! of subgoals means nothing. The game managers of the first competitions read bodies from left to right,
//! and a negation whose variable had no value yet said "for no value at all"; rulesheets of that time
//! count on it. A variable of the head had its value from the question and is left alone.

use ludex_logic::{Formula, Id, VariableId};

use crate::check::context::Context;
use crate::check::registry::BOUND_LATER;
use crate::diagnostic::Diagnostic;
use crate::tree::NodeId;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    for (id, clause, item) in context.clauses() {
        let (Formula::And(parts), Some(nodes)) = (&clause.body, &item.body) else { continue };
        if context.broken[id] || !parts.iter().any(|part| matches!(part, Formula::Not(_))) {
            continue;
        }
        // For each variable the subgoal that gives it its value, as positions in the body.
        let mut bound_by = vec![usize::MAX; clause.variables.len()];
        clause.head.variables(&mut |v| bound_by[v.index()] = 0);
        for (at, part) in parts.iter().enumerate() {
            if !matches!(part, Formula::Not(_) | Formula::Distinct(..)) {
                part.variables(&mut |v| bound_by[v.index()] = bound_by[v.index()].min(at));
            }
        }
        for (at, (part, &node)) in parts.iter().zip(nodes).enumerate() {
            let Formula::Not(_) = part else { continue };
            let mut later: Option<VariableId> = None;
            part.variables(&mut |v| {
                let by = bound_by[v.index()];
                if by > at && by < parts.len() {
                    later.get_or_insert(v);
                }
            });
            if let Some(variable) = later
                && let Some(&binder) = nodes.get(bound_by[variable.index()])
            {
                found.push(warning(context, clause, variable, node, binder));
            }
        }
    }
}

fn warning(
    context: &Context<'_>,
    clause: &ludex_logic::Clause,
    variable: VariableId,
    negation: NodeId,
    binder: NodeId,
) -> Diagnostic {
    let name = context.variable(clause.variables[variable]);
    let span = context.variable_span(negation, clause, variable);
    BOUND_LATER
        .at(
            span.unwrap_or_else(|| context.tree.span(negation)),
            format!("`{name}` gets its values only after this negation: here it is one value at a time"),
        )
        .label(context.tree.span(binder), format!("`{name}` gets its values here"))
        .hint(format!(
            "managers of the first competitions read from left to right: there is no `{name}` at all; \
             if that is meant, negate a helper relation without `{name}`"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn a_negated_variable_is_bound_too_late() {
        let text = r#"
(<= (next (on ?d ?p))
    (true (on ?d ?p))
    (not (does a (move ?d ?q)))
    (pillar ?q))
(<= (next (top ?p)) (not (does a (move ?d ?p))) (true (top ?p)))
(<= (p ?x) (q ?y) (not (r ?x ?y)) (s ?x))
(<= p (not (r ?x)) (or (s ?x) (not (t ?y))) (q ?y))
"#;
        let expected = r#"
warning[L057] game:3:27: `?q` gets its values only after this negation: here it is one value at a time
 3 |     (not (does a (move ?d ?q)))
   |                           ^^
 4 |     (pillar ?q))
   |     ----------- `?q` gets its values here
  hint: managers of the first competitions read from left to right: there is no `?q` at all; if that is meant, negate a helper relation without `?q`
warning[L057] game:7:15: `?x` gets its values only after this negation: here it is one value at a time
 7 | (<= p (not (r ?x)) (or (s ?x) (not (t ?y))) (q ?y))
   |               ^^
 7 | (<= p (not (r ?x)) (or (s ?x) (not (t ?y))) (q ?y))
   |                    ------------------------ `?x` gets its values here
  hint: managers of the first competitions read from left to right: there is no `?x` at all; if that is meant, negate a helper relation without `?x`
"#;
        assert_eq!(drawn(&BOUND_LATER, text), expected);
    }
}
