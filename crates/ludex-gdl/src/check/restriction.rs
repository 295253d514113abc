//! Where keywords may stand: `true` and `does` only in bodies, `init` and `next` only in heads
//! (specification Def. 20).

use crate::check::context::Context;
use crate::check::registry::{GIVEN_IN_HEAD, RESULT_IN_BODY};
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    for (_, clause, item) in context.clauses() {
        let relation = clause.head.relation;
        let hint = if relation == v.truth {
            "the facts of the initial state are `init`, those of the next state `next`"
        } else if relation == v.does {
            "what players may do is `legal`; what they do is given from outside"
        } else {
            continue;
        };
        let name = context.name(relation);
        found.push(
            GIVEN_IN_HEAD
                .at(context.tree.span(item.head), format!("`{name}` cannot stand in a head"))
                .hint(hint),
        );
    }
    for literal in context.literals() {
        let Some(atom) = literal.atom() else { continue };
        if atom.relation == v.init || atom.relation == v.next {
            let name = context.name(atom.relation);
            found.push(
                RESULT_IN_BODY
                    .at(context.tree.span(literal.node), format!("`{name}` should not stand in a body"))
                    .hint("other players may reject this; a helper relation with the same rules says it too"),
            );
        }
    }
}
