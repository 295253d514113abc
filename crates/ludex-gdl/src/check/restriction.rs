//! Where keywords may stand: `true`, `does` and `expired` only in bodies, `init`, `next` and `sees` only in heads
//! (specification Def. 20; rtGDL paper, section 2.1).

use crate::check::context::Context;
use crate::check::registry::{GIVEN_IN_HEAD, RESULT_IN_BODY, SEES_IN_BODY};
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    for (_, clause, item) in context.clauses() {
        let relation = clause.head.relation;
        let hint = if relation == v.truth {
            "the facts of the initial state are `init`, those of the next state `next`"
        } else if relation == v.does {
            "what players may do is `legal`; what they do is given from outside"
        } else if v.expired == Some(relation) {
            "a fact expires by itself when its lifetime is over: `next` says how long it holds"
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
        let check = if atom.relation == v.init || atom.relation == v.next {
            &RESULT_IN_BODY
        } else if atom.relation == v.sees && context.game.dialect.has_percepts() {
            &SEES_IN_BODY
        } else {
            continue;
        };
        let name = context.name(atom.relation);
        found.push(
            check
                .at(context.tree.span(literal.node), format!("`{name}` should not stand in a body"))
                .hint("other players may reject this; a helper relation with the same rules says it too"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn true_and_does_are_given() {
        let text = r#"
(true p)
(<= (does a x) (true p))
"#;
        let expected = r#"
error[L041] game:1:1: `true` cannot stand in a head
 1 | (true p)
   | ^^^^^^^^
  hint: the facts of the initial state are `init`, those of the next state `next`
error[L041] game:2:5: `does` cannot stand in a head
 2 | (<= (does a x) (true p))
   |     ^^^^^^^^^^
  hint: what players may do is `legal`; what they do is given from outside
"#;
        assert_eq!(drawn(&GIVEN_IN_HEAD, text), expected);
    }

    #[test]
    fn expired_is_given_in_real_time() {
        let text = r#"
(init 1 p)
(<= (expired q) (true 1 p))
"#;
        let expected = r#"
error[L041] game:2:5: `expired` cannot stand in a head
 2 | (<= (expired q) (true 1 p))
   |     ^^^^^^^^^^^
  hint: a fact expires by itself when its lifetime is over: `next` says how long it holds
"#;
        assert_eq!(drawn(&GIVEN_IN_HEAD, text), expected);
        assert_eq!(drawn(&GIVEN_IN_HEAD, "(<= (expired q) (true p))"), "\n");
    }

    #[test]
    fn init_and_next_are_results() {
        let text = r#"
(<= p (init q))
(<= (goal a 100) (not (next q)))
(<= terminal (legal a x) terminal)
"#;
        let expected = r#"
warning[L042] game:1:7: `init` should not stand in a body
 1 | (<= p (init q))
   |       ^^^^^^^^
  hint: other players may reject this; a helper relation with the same rules says it too
warning[L042] game:2:23: `next` should not stand in a body
 2 | (<= (goal a 100) (not (next q)))
   |                       ^^^^^^^^
  hint: other players may reject this; a helper relation with the same rules says it too
"#;
        assert_eq!(drawn(&RESULT_IN_BODY, text), expected);
    }

    #[test]
    fn percepts_are_results() {
        let text = r#"
(role random)
(<= (sees a p) (does a x))
(<= terminal (sees a p))
"#;
        let expected = r#"
warning[L060] game:3:14: `sees` should not stand in a body
 3 | (<= terminal (sees a p))
   |              ^^^^^^^^^^
  hint: other players may reject this; a helper relation with the same rules says it too
"#;
        assert_eq!(drawn(&SEES_IN_BODY, text), expected);
    }
}
