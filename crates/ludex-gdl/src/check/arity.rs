//! One name with several numbers of arguments.

use ludex_logic::Id;
use rustc_hash::FxHashMap;

use crate::check::context::{Context, arguments};
use crate::check::keyword::arity_of_keyword;
use crate::check::registry::{FUNCTION_ARITY, RELATION_ARITY};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::{NameId, NodeKind};

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    relations(context, found);
    functions(context, found);
}

fn relations(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let relations = &context.program.relations;
    let mut first_use: Vec<Option<Span>> = vec![None; relations.len()];
    for (node, atom) in context.atoms() {
        let span = context.tree.span(node);
        let first = first_use[atom.relation.index()].get_or_insert(span);
        *first = (*first).min(span);
    }
    let mut by_name: FxHashMap<_, Vec<(Span, usize)>> = FxHashMap::default();
    for (id, relation) in relations.entries() {
        // A keyword with the wrong arity has an error of its own.
        if arity_of_keyword(context.name(id), context.game.dialect).is_none()
            && let Some(span) = first_use[id.index()]
        {
            by_name.entry(relation.name).or_default().push((span, relation.arity));
        }
    }
    for (name, mut uses) in by_name {
        uses.sort();
        let (first, arity) = uses[0];
        let name = context.program.terms.name(name);
        for &(span, other) in &uses[1..] {
            found.push(
                RELATION_ARITY
                    .at(span, format!("`{name}` has {} here and {arity} elsewhere", arguments(other)))
                    .label(first, format!("here it has {arity}"))
                    .hint("these are two different relations; if that is meant, give them two names"),
            );
        }
    }
}

fn functions(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let tree = context.tree;
    let mut first_use: FxHashMap<NameId, Vec<(usize, Span)>> = FxHashMap::default();
    context.terms(|node| {
        let NodeKind::Compound { name, ref children, .. } = tree.node(node).kind else { return };
        let uses = first_use.entry(name).or_default();
        let arity = children.len();
        if uses.iter().any(|&(a, _)| a == arity) {
            return;
        }
        if let Some(&(other, first)) = uses.first() {
            let text = tree.name(name);
            found.push(
                FUNCTION_ARITY
                    .at(
                        tree.span(node),
                        format!("the function `{text}` has {} here and {other} elsewhere", arguments(arity)),
                    )
                    .label(first, format!("here it has {other}"))
                    .hint("terms with different numbers of arguments are never equal"),
            );
        }
        uses.push((arity, tree.span(node)));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn one_name_two_relations() {
        let text = r#"
(<= (test ?x) (test2 ?x))
(<= (test ?x ?y) (test2 ?x) (test3 ?y))
"#;
        let expected = r#"
warning[L036] game:2:5: `test` has two arguments here and 1 elsewhere
 2 | (<= (test ?x ?y) (test2 ?x) (test3 ?y))
   |     ^^^^^^^^^^^^
 1 | (<= (test ?x) (test2 ?x))
   |     --------- here it has 1
  hint: these are two different relations; if that is meant, give them two names
"#;
        assert_eq!(drawn(&RELATION_ARITY, text), expected);
    }

    #[test]
    fn one_name_two_functions() {
        let text = r#"
(legal robot (a 1))
(legal robot (a 2 3))
(legal robot a)
"#;
        let expected = r#"
warning[L037] game:2:14: the function `a` has two arguments here and 1 elsewhere
 2 | (legal robot (a 2 3))
   |              ^^^^^^^
 1 | (legal robot (a 1))
   |              ----- here it has 1
  hint: terms with different numbers of arguments are never equal
"#;
        assert_eq!(drawn(&FUNCTION_ARITY, text), expected);
    }
}
