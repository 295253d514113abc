//! `distinct` under a negation.
//!
//! Its meaning would be equality, but no grammar of the language has it (specification Def. 3: a
//! literal is an atom or the negation of one, and `distinct` is no ordinary atom), and other
//! systems reject it. It is an error that can be waived: lowering keeps it as it is written.

use crate::check::context::{Context, Question};
use crate::check::registry::NEGATED_DISTINCT;
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    for literal in context.literals() {
        if literal.negated && matches!(literal.question, Question::Distinct(..)) {
            found.push(
                NEGATED_DISTINCT
                    .at(context.tree.span(literal.node), "`distinct` cannot be negated")
                    .hint("write the same term in both places instead"),
            );
        }
    }
}
