//! What may depend on the state and on the moves (specification Def. 20; rtGDL paper, section 2.1, where what has
//! expired is a part of the state).
//!
//! The paper says that `does` must not depend on `legal`, `terminal` and `goal`, but `does` has no rules: it is those
//! that must not depend on `does`.
//!
//! Def. 20 asks for "not the same component" where it must mean "no directed path": otherwise no
//! helper relation could serve both `init` and `next`.

use ludex_logic::RelationId;

use crate::check::context::Context;
use crate::check::registry::{BASE_DEPENDENCY, Check, DOES_DEPENDENCY, INIT_DEPENDENCY, PERCEPT_DEPENDENCY};
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    let state: Vec<RelationId> = [v.truth, v.does].into_iter().chain(v.expired).collect();
    let fixed = "it is asked once, before there is any state; leave the condition out";
    forbid(context, &INIT_DEPENDENCY, v.init, &state, fixed, found);
    forbid(context, &BASE_DEPENDENCY, v.base, &state, fixed, found);
    forbid(context, &BASE_DEPENDENCY, v.input, &state, fixed, found);
    if context.game.dialect.has_percepts() {
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
    let mut diagnostic = check.at(
        context.edge_span(steps[0]),
        format!("`{name}` depends on `{cause}`{through}, which it must not"),
    );
    for step in &steps[1..] {
        diagnostic = diagnostic.label(context.edge_span(step), context.edge_text(step));
    }
    found.push(diagnostic.hint(hint));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn the_initial_state_cannot_depend_on_the_state() {
        let text = r#"
(<= (init p) helper)
(<= helper (true q))
"#;
        let expected = r#"
error[L043] game:1:14: `init` depends on `true` through `helper`, which it must not
 1 | (<= (init p) helper)
   |              ^^^^^^
 2 | (<= helper (true q))
   |            -------- `helper` depends on `true`
  hint: it is asked once, before there is any state; leave the condition out
"#;
        assert_eq!(drawn(&INIT_DEPENDENCY, text), expected);
    }

    #[test]
    fn what_has_expired_is_a_part_of_the_state() {
        let text = r#"
(<= (init 1 p) (expired q))
(<= (legal a x) (expired q))
(<= terminal (does a x))
"#;
        let expected = r#"
error[L043] game:1:16: `init` depends on `expired`, which it must not
 1 | (<= (init 1 p) (expired q))
   |                ^^^^^^^^^^^
  hint: it is asked once, before there is any state; leave the condition out
"#;
        assert_eq!(drawn(&INIT_DEPENDENCY, text), expected);
        assert!(
            drawn(&DOES_DEPENDENCY, text)
                .starts_with("\nerror[L045] game:3:14: `terminal` depends on `does`")
        );
    }

    #[test]
    fn base_and_input_are_fixed() {
        let text = r#"
(<= (base ?x) (true ?x))
(<= (input ?r ?x) (does ?r ?x))
"#;
        let expected = r#"
error[L044] game:1:15: `base` depends on `true`, which it must not
 1 | (<= (base ?x) (true ?x))
   |               ^^^^^^^^^
  hint: it is asked once, before there is any state; leave the condition out
error[L044] game:2:19: `input` depends on `does`, which it must not
 2 | (<= (input ?r ?x) (does ?r ?x))
   |                   ^^^^^^^^^^^^
  hint: it is asked once, before there is any state; leave the condition out
"#;
        assert_eq!(drawn(&BASE_DEPENDENCY, text), expected);
    }

    #[test]
    fn moves_come_after_legality() {
        let text = r#"
(<= (legal a x) p)
(<= p (not q))
(<= q (does a x))
(<= terminal (does a x))
(<= (next r) q)
"#;
        let expected = r#"
error[L045] game:1:17: `legal` depends on `does` through `p`, `q`, which it must not
 1 | (<= (legal a x) p)
   |                 ^
 2 | (<= p (not q))
   |            - `p` depends on the negation of `q`
 3 | (<= q (does a x))
   |       ---------- `q` depends on `does`
  hint: it is asked before the moves are made; let `next` remember them in the state
error[L045] game:4:14: `terminal` depends on `does`, which it must not
 4 | (<= terminal (does a x))
   |              ^^^^^^^^^^
  hint: it is asked before the moves are made; let `next` remember them in the state
"#;
        assert_eq!(drawn(&DOES_DEPENDENCY, text), expected);
    }

    #[test]
    fn percepts_are_declared_beforehand() {
        let text = r#"
(sees a p)
(<= (percept a p) (true q))
"#;
        let expected = r#"
error[L062] game:2:19: `percept` depends on `true`, which it must not
 2 | (<= (percept a p) (true q))
   |                   ^^^^^^^^
  hint: it is asked once, before there is any state; leave the condition out
"#;
        assert_eq!(drawn(&PERCEPT_DEPENDENCY, text), expected);
    }
}
