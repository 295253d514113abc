//! `distinct` under a negation.
//!
//! Its meaning would be equality, but no grammar of the language has it (specification Def. 3: a
//! literal is an atom or the negation of one, and `distinct` is no ordinary atom), and other
//! systems reject it. It is an error that can be waived: lowering keeps it as it is written.

use crate::check::context::{Context, Question};
use crate::check::registry::NEGATED_DISTINCT;
use crate::diagnostic::{Diagnostic, Fix, TextEdit};
use crate::source::Span;
use crate::tree::{Item, NodeId, NodeKind};

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    for (id, _, item) in context.clauses() {
        for literal in context.literals_of(id) {
            if literal.negated && matches!(literal.question, Question::Distinct(..)) {
                found.push(
                    NEGATED_DISTINCT
                        .at(context.tree.span(literal.node), "`distinct` cannot be negated")
                        .hint("write the same term in both places instead")
                        .fix(equated(context, item, literal.node)),
                );
            }
        }
    }
}

/// The subgoal taken out, and the term on one side of it in the place of the variable on the other.
fn equated(context: &Context<'_>, item: &Item, distinct: NodeId) -> Option<Fix> {
    let tree = context.tree;
    let body = item.body.as_deref()?;
    let at = body.iter().position(|&subgoal| tree.children(subgoal) == [distinct])?;
    let &[left, right] = tree.children(distinct) else { return None };
    let variable = |node: NodeId| match tree.node(node).kind {
        NodeKind::Variable(name) => Some(name),
        _ => None,
    };
    let (name, other) = match (variable(left), variable(right)) {
        (Some(name), _) => (name, right),
        (None, Some(name)) => (name, left),
        (None, None) => return None,
    };
    // A rule needs a body, and a term cannot stand in itself.
    if body.len() == 1 || tree.variables(&[other]).any(|inner| inner == name) {
        return None;
    }
    let source = &context.rulesheet.source;
    let taken = match at {
        0 => Span { start: tree.span(body[0]).start, end: tree.span(body[1]).start },
        _ => Span { start: tree.span(body[at - 1]).end, end: tree.span(body[at]).end },
    };
    if context.rulesheet.comments.iter().any(|c| taken.start < c.span.end && c.span.start < taken.end) {
        return None;
    }
    let mut edits = vec![TextEdit { span: taken, text: String::new() }];
    let mut open: Vec<NodeId> = vec![item.head];
    open.extend(body.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, node)| node));
    while let Some(node) = open.pop() {
        if variable(node) == Some(name) {
            edits.push(TextEdit { span: tree.span(node), text: source.slice(tree.span(other)).to_owned() });
        }
        open.extend(tree.children(node));
    }
    let title = format!(
        "write `{}` for `{}`",
        source.slice(tree.span(other)),
        context.rulesheet.notation.variable(tree.name(name))
    );
    Some(Fix { title, edits })
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
