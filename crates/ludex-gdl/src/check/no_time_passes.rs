//! Updates without end while no time passes. Lifetimes are greater than 0, and players take their time: so only
//! `random` can do that, which acts at once whenever it has a move (rtGDL paper, section 6.1).

use ludex_logic::{Pattern, TermId, TermView};

use crate::check::context::Context;
use crate::check::registry::NO_TIME_PASSES;
use crate::diagnostic::Diagnostic;
use crate::time::GameTime;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    let (Some(expired), Some(random)) = (v.expired, context.game.random_role()) else { return };
    let random = context.game.roles[random];
    let on_state = context.dependencies.dependents([v.truth, expired]);
    for &id in &context.clauses_by_head[v.legal] {
        let clause = &context.program.clauses[id];
        let [role, action] = &*clause.head.args else { continue };
        let may_be_random = role.ground().is_none_or(|role| role == random);
        let mut needs_state = false;
        clause.body.atoms(&mut |atom, _| needs_state |= on_state[atom.relation]);
        if context.broken[id] || !may_be_random || needs_state || !is_immediate(context, action) {
            continue;
        }
        found.push(
            NO_TIME_PASSES
                .at(
                    context.head_span(id),
                    "`random` has this move in every state, and makes it at once: no time ever passes",
                )
                .hint(format!(
                    "let a fact of the state allow the move, or give it a delay in front, as in `{}`",
                    context.sample("ring", &["2.5"])
                )),
        );
    }
}

/// Whether a move is surely one without a delay: no number greater than 0 is its first argument.
fn is_immediate(context: &Context<'_>, action: &Pattern) -> bool {
    let terms = &context.program.terms;
    let is_delay = |term: TermId| match terms.view(term) {
        TermView::Constant(name) => GameTime::parse(terms.name(name)).is_ok_and(|time| time > GameTime::ZERO),
        TermView::Compound(..) => false,
    };
    match action {
        Pattern::Variable(_) => false,
        Pattern::Ground(term) => match terms.view(*term) {
            TermView::Constant(_) => true,
            TermView::Compound(_, args) => !args.first().is_some_and(|&first| is_delay(first)),
        },
        Pattern::Compound(_, args) => match args.first() {
            Some(Pattern::Ground(first)) => !is_delay(*first),
            Some(Pattern::Compound(..)) | None => true,
            Some(Pattern::Variable(_)) => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn random_must_not_always_have_a_move() {
        let text = r#"
(role random) (role a) (sees a p) (init 1 p)
(legal random ring)
(<= (legal random (shot 0 ?w)) (weapon ?w))
(<= (legal random (shot 2 ?w)) (weapon ?w))
(<= (legal random (shot ?t ?w)) (weapon ?w) (delay ?t))
(<= (legal random wait) (true ?t p))
(legal a ring)
"#;
        let expected = r#"
warning[L069] game:2:1: `random` has this move in every state, and makes it at once: no time ever passes
 2 | (legal random ring)
   | ^^^^^^^^^^^^^^^^^^^
  hint: let a fact of the state allow the move, or give it a delay in front, as in `(ring 2.5)`
warning[L069] game:3:5: `random` has this move in every state, and makes it at once: no time ever passes
 3 | (<= (legal random (shot 0 ?w)) (weapon ?w))
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: let a fact of the state allow the move, or give it a delay in front, as in `(ring 2.5)`
"#;
        let text = format!("{text}(<= terminal (expired p))");
        assert_eq!(drawn(&NO_TIME_PASSES, &text), expected);
    }
}
