//! GDL-II: the role that moves at random (book 17).

use ludex_logic::Pattern;

use crate::check::context::Context;
use crate::check::registry::RANDOM_ROLE;
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    let Some(random) = context.game.random_role().map(|at| context.game.roles[at]) else { return };
    for (_, clause, item) in context.clauses() {
        if clause.head.args.first() != Some(&Pattern::Ground(random)) {
            continue;
        }
        let relation = clause.head.relation;
        let message = if relation == v.goal {
            "`random` has no goals: it plays by chance"
        } else if relation == v.sees {
            "`random` sees nothing: it plays by chance"
        } else {
            continue;
        };
        found.push(RANDOM_ROLE.at(context.tree.span(item.head), message).hint("leave this clause out"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn chance_wants_and_sees_nothing() {
        let text = r#"
(role random)
(goal random 0)
(sees random p)
"#;
        let expected = r#"
note[L061] game:2:1: `random` has no goals: it plays by chance
 2 | (goal random 0)
   | ^^^^^^^^^^^^^^^
  hint: leave this clause out
note[L061] game:3:1: `random` sees nothing: it plays by chance
 3 | (sees random p)
   | ^^^^^^^^^^^^^^^
  hint: leave this clause out
"#;
        assert_eq!(drawn(&RANDOM_ROLE, text), expected);
    }
}
