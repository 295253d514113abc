//! Relations that no question about the game ever reaches.

use crate::check::context::Context;
use crate::check::registry::UNUSED;
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let asked = &context.program.interface.asked;
    let needed = context.dependencies.requirements(asked.iter().copied());
    let mut mentioned = vec![false; needed.len()];
    for edge in context.dependencies.edges().iter().filter(|e| e.body != e.head) {
        use ludex_logic::Id;
        mentioned[edge.body.index()] = true;
    }
    for (relation, clauses) in context.clauses_by_head.entries() {
        use ludex_logic::Id;
        let Some(&first) = clauses.first() else { continue };
        if needed[relation] || context.program.is_given(relation) || context.is_unreadable(relation) {
            continue;
        }
        let name = context.name(relation);
        let (message, hint) = if mentioned[relation.index()] {
            (
                format!("`{name}` is used only by relations that are never used"),
                "nothing that the game asks for depends on it",
            )
        } else {
            (format!("`{name}` is never used"), "use it, or leave its clauses out")
        };
        found.push(UNUSED.at(context.head_span(first), message).hint(hint));
    }
}
