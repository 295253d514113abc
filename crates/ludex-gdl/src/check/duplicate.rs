//! Clauses that are written twice.

use rustc_hash::FxHashMap;

use crate::check::context::Context;
use crate::check::registry::DUPLICATE;
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    // Variables are numbered by their first occurrence, so clauses that differ only in the names of
    // their variables are equal here.
    let mut seen = FxHashMap::default();
    for (id, clause, item) in context.clauses() {
        if context.broken[id] {
            continue;
        }
        let first = *seen.entry((&clause.head, &clause.body)).or_insert(id);
        if first != id {
            let what = if clause.is_fact() { "fact" } else { "rule" };
            found.push(
                DUPLICATE
                    .at(item.span, format!("this {what} is written twice"))
                    .label(context.span(first), "the first time")
                    .hint("leave one of them out"),
            );
        }
    }
}
