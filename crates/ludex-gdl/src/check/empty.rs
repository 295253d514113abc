//! Rules without a body, and connectives that join nothing.

use crate::check::context::Context;
use crate::check::registry::{EMPTY_BODY, EMPTY_DISJUNCTION};
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    for (_, _, item) in context.clauses() {
        if item.body.as_ref().is_some_and(Vec::is_empty) {
            found.push(
                EMPTY_BODY
                    .at(item.span, "this rule has no body, so its head always holds")
                    .hint("write it as a fact, or add the missing conditions"),
            );
        }
    }
    for &node in &context.connectives {
        if !context.tree.children(node).is_empty() {
            continue;
        }
        let (message, hint) = match context.node_name(node) {
            Some("or") => ("this `or` has no alternative, so it never holds", "add the alternatives"),
            _ => ("this `and` joins nothing, so it always holds", "leave it out"),
        };
        found.push(EMPTY_DISJUNCTION.at(context.tree.span(node), message).hint(hint));
    }
}
