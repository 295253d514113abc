//! Relations that every game must have.

use crate::check::context::Context;
use crate::check::registry::{MISSING_INIT, MISSING_KEYWORD};
use crate::diagnostic::{Diagnostic, Fix};
use crate::game_program::Dialect;
use crate::source::Span;
use crate::tree::{Item, Notation};

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
            let wrong = |item: &&Item| context.node_name(item.head) == Some(other);
            let heads = context.clauses().map(|(_, _, item)| item);
            let spans = heads.filter(wrong).map(|item| context.name_span(item.head)).collect();
            let fix = Fix::everywhere(format!("change `{other}` to `{name}`"), spans, name);
            diagnostic =
                diagnostic.hint(format!("did you mean `{name}` where you wrote `{other}`?")).fix(fix);
        } else {
            let args: &[&str] = match name {
                "role" => &["white"],
                "legal" => &["white", "noop"],
                "goal" => &["white", "100"],
                _ => &[],
            };
            let example = context.example(name, args);
            diagnostic =
                diagnostic.hint(format!("add a clause such as `{example}`")).fix(added(context, name));
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

/// Puts clauses behind the last one, for each role where they are about roles.
fn added(context: &Context<'_>, name: &str) -> Option<Fix> {
    let roles = context.game.roles.iter().map(|&role| {
        let term = context.program.terms.written(role, context.rulesheet.notation);
        match name {
            "legal" => context.example(name, &[&term, "noop"]),
            _ => context.example(name, &[&term, "100"]),
        }
    });
    let clauses: Vec<String> = match name {
        // A step in the head needs a body that binds it.
        _ if context.game.dialect.has_steps() && name != "role" => return None,
        "role" => vec![context.example(name, &["white"])],
        "terminal" => vec![context.example(name, &[])],
        _ => roles.collect(),
    };
    let text = context.rulesheet.source.text();
    let end = context.rulesheet.items.last().map_or(text.len(), |_| text.trim_end().len());
    let stop = if context.game.dialect == Dialect::Epilog { "" } else { full_stop(context) };
    let lines: String = clauses.iter().map(|clause| format!("\n{clause}{stop}")).collect();
    let lines = if end == 0 { lines.trim_start().to_owned() } else { lines };
    (!clauses.is_empty()).then(|| {
        let plural = if clauses.len() == 1 { "a clause" } else { "clauses" };
        Fix::new(format!("add {plural} of `{name}`"), Span::new(end, end), lines)
    })
}

/// What ends a clause, if the last one of the text ends so.
fn full_stop<'a>(context: &Context<'_>) -> &'a str {
    let is_infix = context.rulesheet.notation == Notation::Infix;
    let text = context.rulesheet.source.text();
    let ends = context.rulesheet.items.last().and_then(|item| text.get(item.span.end as usize..));
    if is_infix && ends.is_some_and(|rest| rest.trim_start().starts_with('.')) { "." } else { "" }
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
