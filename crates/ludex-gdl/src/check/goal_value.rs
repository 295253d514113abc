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
            _ => "is not a number",
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
