//! Relations that no question about the game ever reaches.

use ludex_logic::Id;

use crate::check::context::Context;
use crate::check::keyword::is_misused_keyword;
use crate::check::registry::UNUSED;
use crate::diagnostic::{Diagnostic, Fix};
use crate::source::Span;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let asked = &context.program.interface.asked;
    let needed = context.dependencies.requirements(asked.iter().copied());
    let mut mentioned = vec![false; needed.len()];
    for edge in context.dependencies.edges().iter().filter(|e| e.body != e.head) {
        mentioned[edge.body.index()] = true;
    }
    for (relation, clauses) in context.clauses_by_head.entries() {
        let Some(&first) = clauses.first() else { continue };
        if needed[relation]
            || context.program.is_given(relation)
            || context.is_unreadable(relation)
            || is_misused_keyword(context, relation)
        {
            continue;
        }
        let name = context.name(relation);
        let (message, hint) = if mentioned[relation.index()] {
            (
                format!("`{name}` is used only by relations that are never used"),
                "nothing that the game asks for depends on it",
            )
        } else {
            (format!("`{name}` is never used"), "use it, or leave its clauses out")
        };
        // What is used by others of no use would be missing there.
        let fix = (!mentioned[relation.index()]).then(|| {
            let spans: Vec<Span> = clauses.iter().map(|&clause| context.span(clause)).collect();
            let title = format!("remove the clauses of `{name}`");
            Fix::without_clauses(title, context.rulesheet.source.text(), &spans)
        });
        found.push(UNUSED.at(context.head_span(first), message).hint(hint).fix(fix));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn nothing_asks_for_these() {
        let text = r#"
(p a)
(<= q (r ?x))
(r a)
(<= (goal a 100) (s ?x))
(s a)
(<= t t)
"#;
        let expected = r#"
warning[L051] game:1:1: `p` is never used
 1 | (p a)
   | ^^^^^
  hint: use it, or leave its clauses out
warning[L051] game:2:5: `q` is never used
 2 | (<= q (r ?x))
   |     ^
  hint: use it, or leave its clauses out
warning[L051] game:3:1: `r` is used only by relations that are never used
 3 | (r a)
   | ^^^^^
  hint: nothing that the game asks for depends on it
warning[L051] game:6:5: `t` is never used
 6 | (<= t t)
   |     ^
  hint: use it, or leave its clauses out
"#;
        assert_eq!(drawn(&UNUSED, text), expected);
    }
}
