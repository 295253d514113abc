//! What may depend on the state and on the moves (specification Def. 20).
//!
//! Def. 20 asks for "not the same component" where it must mean "no directed path": otherwise no
//! helper relation could serve both `init` and `next`.

use ludex_logic::RelationId;

use crate::check::context::Context;
use crate::check::registry::{BASE_DEPENDENCY, Check, DOES_DEPENDENCY, INIT_DEPENDENCY, PERCEPT_DEPENDENCY};
use crate::diagnostic::Diagnostic;
use crate::game_program::Dialect;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    let state = [v.truth, v.does];
    let fixed = "it is asked once, before there is any state; leave the condition out";
    forbid(context, &INIT_DEPENDENCY, v.init, &state, fixed, found);
    forbid(context, &BASE_DEPENDENCY, v.base, &state, fixed, found);
    forbid(context, &BASE_DEPENDENCY, v.input, &state, fixed, found);
    if context.game.dialect == Dialect::GdlII {
        forbid(context, &PERCEPT_DEPENDENCY, v.percept, &state, fixed, found);
    }
    let moves = "it is asked before the moves are made; let `next` remember them in the state";
    for relation in [v.legal, v.goal, v.terminal] {
        forbid(context, &DOES_DEPENDENCY, relation, &[v.does], moves, found);
    }
}

fn forbid(
    context: &Context<'_>,
    check: &Check,
    relation: RelationId,
    causes: &[RelationId],
    hint: &str,
    found: &mut Vec<Diagnostic>,
) {
    let paths = causes.iter().map(|&cause| context.dependencies.path(cause, relation));
    let Some(path) = paths.filter(|p| !p.is_empty()).min_by_key(Vec::len) else { return };
    // Told from the relation down to the cause: the first place is where its own rule goes wrong.
    let steps: Vec<_> = path.iter().rev().collect();
    let (name, cause) = (context.name(relation), context.name(path[0].body));
    let through = match &steps[1..] {
        [] => String::new(),
        rest => {
            let names: Vec<_> = rest.iter().map(|e| format!("`{}`", context.name(e.head))).collect();
            format!(" through {}", names.join(", "))
        }
    };
    let mut diagnostic = check
        .at(context.edge_span(steps[0]), format!("`{name}` must not depend on `{cause}`, but does{through}"));
    for step in &steps[1..] {
        diagnostic = diagnostic.label(context.edge_span(step), context.edge_text(step));
    }
    found.push(diagnostic.hint(hint));
}
