//! Relations that every game must have.

use crate::check::context::Context;
use crate::check::registry::{MISSING_INIT, MISSING_KEYWORD};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    let start = Span::new(0, 0);
    for (relation, purpose) in [
        (v.role, "who plays"),
        (v.legal, "what players may do"),
        (v.goal, "what the players want"),
        (v.terminal, "when the game is over"),
    ] {
        if !context.clauses_by_head[relation].is_empty() {
            continue;
        }
        let name = context.name(relation);
        let message = format!("no clause says {purpose}: `{name}` is missing");
        let mut diagnostic = MISSING_KEYWORD.at(start, message);
        let heads = context.clauses().map(|(_, clause, _)| context.name(clause.head.relation));
        if let Some(other) = context.nearest(name, heads) {
            diagnostic = diagnostic.hint(format!("did you mean `{name}` where you wrote `{other}`?"));
        } else {
            let args: &[&str] = match name {
                "role" => &["white"],
                "legal" => &["white", "noop"],
                "goal" => &["white", "100"],
                _ => &[],
            };
            let example = context.example(name, args);
            diagnostic = diagnostic.hint(format!("add a clause such as `{example}`"));
        }
        found.push(diagnostic);
    }
    let has_init = context.game.dialect.has_steps() || !context.clauses_by_head[v.init].is_empty();
    if !has_init && context.clauses().next().is_some() {
        found.push(
            MISSING_INIT
                .at(start, "nothing holds in the initial state: `init` is missing")
                .hint("add facts with `init` for what holds at the start"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn every_game_has_these() {
        let text = r#"
(rol a)
(legal a x)
(<= terminl (true p))
"#;
        let expected = r#"
error[L046] game:1:1: no clause says who plays: `role` is missing
  hint: did you mean `role` where you wrote `rol`?
error[L046] game:1:1: no clause says what the players want: `goal` is missing
  hint: add a clause such as `(goal white 100)`
error[L046] game:1:1: no clause says when the game is over: `terminal` is missing
  hint: did you mean `terminal` where you wrote `terminl`?
"#;
        assert_eq!(drawn(&MISSING_KEYWORD, text), expected);
    }

    #[test]
    fn an_empty_initial_state() {
        let text = r#"
(role a)
"#;
        let expected = r#"
note[L048] game:1:1: nothing holds in the initial state: `init` is missing
  hint: add facts with `init` for what holds at the start
"#;
        assert_eq!(drawn(&MISSING_INIT, text), expected);
    }
}
