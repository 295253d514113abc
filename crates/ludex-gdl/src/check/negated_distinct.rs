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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn distinct_cannot_be_negated() {
        let text = r#"
(<= (same ?x ?y) (p ?x) (p ?y) (not (distinct ?x ?y)))
"#;
        let expected = r#"
error[L029] game:1:37: `distinct` cannot be negated
 1 | (<= (same ?x ?y) (p ?x) (p ?y) (not (distinct ?x ?y)))
   |                                     ^^^^^^^^^^^^^^^^
  hint: write the same term in both places instead
"#;
        assert_eq!(drawn(&NEGATED_DISTINCT, text), expected);
    }

    #[test]
    fn not_even_deep_inside() {
        let text = r#"
(<= q (p ?x) (not (or (r ?x) (distinct ?x a))))
"#;
        let expected = r#"
error[L029] game:1:30: `distinct` cannot be negated
 1 | (<= q (p ?x) (not (or (r ?x) (distinct ?x a))))
   |                              ^^^^^^^^^^^^^^^
  hint: write the same term in both places instead
"#;
        assert_eq!(drawn(&NEGATED_DISTINCT, text), expected);
    }

    #[test]
    fn a_plain_distinct_is_fine() {
        let text = r#"
(<= (differ ?x ?y) (p ?x) (p ?y) (distinct ?x ?y) (not (not (distinct ?x ?y))))
"#;
        let expected = r#"
"#;
        assert_eq!(drawn(&NEGATED_DISTINCT, text), expected);
    }
}
