//! Rules without a body, and connectives that join nothing.

use crate::check::context::Context;
use crate::check::registry::{EMPTY_BODY, EMPTY_DISJUNCTION};
use crate::diagnostic::{Diagnostic, Fix};

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let text = |node| context.rulesheet.source.slice(context.tree.span(node));
    for (_, _, item) in context.clauses() {
        if item.body.as_ref().is_some_and(Vec::is_empty) {
            found.push(
                EMPTY_BODY
                    .at(item.span, "this rule has no body, so its head always holds")
                    .hint("write it as a fact, or add the missing conditions")
                    .fix(Fix::new("write it as a fact", item.span, text(item.head))),
            );
        }
    }
    for &node in &context.connectives {
        if !context.tree.children(node).is_empty() {
            continue;
        }
        let (message, hint) = match context.node_name(node) {
            Some("or") => ("this `or` has no alternative, so it never holds", "add the alternatives"),
            Some("and") => ("this `and` joins nothing, so it always holds", "leave it out"),
            // Lowering has reported an empty `not`.
            _ => continue,
        };
        found.push(EMPTY_DISJUNCTION.at(context.tree.span(node), message).hint(hint));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn a_rule_without_a_body_is_a_fact() {
        let text = r#"
(<= (goal you 100))
"#;
        let expected = r#"
warning[L035] game:1:1: this rule has no body, so its head always holds
 1 | (<= (goal you 100))
   | ^^^^^^^^^^^^^^^^^^^
  hint: write it as a fact, or add the missing conditions
"#;
        assert_eq!(drawn(&EMPTY_BODY, text), expected);
    }

    #[test]
    fn connectives_that_join_nothing() {
        let text = r#"
(<= (legal you bar) (role you) (or))
(<= p q (not (or)) (and))
"#;
        let expected = r#"
warning[L028] game:1:32: this `or` has no alternative, so it never holds
 1 | (<= (legal you bar) (role you) (or))
   |                                ^^^^
  hint: add the alternatives
warning[L028] game:2:14: this `or` has no alternative, so it never holds
 2 | (<= p q (not (or)) (and))
   |              ^^^^
  hint: add the alternatives
warning[L028] game:2:20: this `and` joins nothing, so it always holds
 2 | (<= p q (not (or)) (and))
   |                    ^^^^^
  hint: leave it out
"#;
        assert_eq!(drawn(&EMPTY_DISJUNCTION, text), expected);
    }
}
