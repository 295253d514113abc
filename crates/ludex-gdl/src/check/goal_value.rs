//! Goal values are integers from 0 to 100.

use ludex_logic::Pattern;

use crate::check::context::Context;
use crate::check::registry::GOAL_VALUE;
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let terms = &context.program.terms;
    for (_, clause, item) in context.clauses() {
        if clause.head.relation != context.vocabulary.goal {
            continue;
        }
        let Some(value) = clause.head.args.get(1) else { continue };
        let problem = match value {
            Pattern::Variable(_) => continue,
            Pattern::Ground(term) if terms.integer(*term).is_some_and(|n| n <= 100) => continue,
            Pattern::Ground(term) if terms.integer(*term).is_some() => "is more than 100",
            _ => "is not a plain number",
        };
        let span = context.tree.children(item.head).get(1).map_or(item.span, |&n| context.tree.span(n));
        let text = context.rulesheet.source.slice(span);
        found.push(
            GOAL_VALUE
                .at(span, format!("the goal value `{text}` {problem}"))
                .hint("goal values are whole numbers from 0 to 100, without sign and leading zeros"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn goals_are_numbers_from_0_to_100() {
        let text = r#"
(goal a 0)
(goal a 100)
(goal a 101)
(goal a -1)
(goal a win)
(goal a 050)
(<= (goal a ?x) (score ?x))
(<= (goal a (f ?x)) (score ?x))
"#;
        let expected = r#"
warning[L047] game:3:9: the goal value `101` is more than 100
 3 | (goal a 101)
   |         ^^^
  hint: goal values are whole numbers from 0 to 100, without sign and leading zeros
warning[L047] game:4:9: the goal value `-1` is not a plain number
 4 | (goal a -1)
   |         ^^
  hint: goal values are whole numbers from 0 to 100, without sign and leading zeros
warning[L047] game:5:9: the goal value `win` is not a plain number
 5 | (goal a win)
   |         ^^^
  hint: goal values are whole numbers from 0 to 100, without sign and leading zeros
warning[L047] game:6:9: the goal value `050` is not a plain number
 6 | (goal a 050)
   |         ^^^
  hint: goal values are whole numbers from 0 to 100, without sign and leading zeros
warning[L047] game:8:13: the goal value `(f ?x)` is not a plain number
 8 | (<= (goal a (f ?x)) (score ?x))
   |             ^^^^^^
  hint: goal values are whole numbers from 0 to 100, without sign and leading zeros
"#;
        assert_eq!(drawn(&GOAL_VALUE, text), expected);
    }
}
