//! Relations that are asked for but have no clause: they never hold.

use ludex_logic::Id;
use rustc_hash::FxHashMap;

use crate::check::context::{Context, arguments};
use crate::check::keyword::is_misused_keyword;
use crate::check::registry::UNDEFINED;
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    let defined: Vec<_> = context
        .program
        .relations
        .entries()
        .filter(|(r, _)| !context.clauses_by_head[*r].is_empty() || context.program.is_given(*r))
        .collect();
    // An undefined relation is not in here with its own number of arguments.
    let by_name: FxHashMap<&str, usize> =
        defined.iter().rev().map(|(r, relation)| (context.name(*r), relation.arity)).collect();
    let mut done = vec![false; context.program.relations.len()];
    for literal in context.literals() {
        let Some(atom) = literal.atom() else { continue };
        let relation = atom.relation;
        if std::mem::replace(&mut done[relation.index()], true)
            || !context.clauses_by_head[relation].is_empty()
            || context.program.is_given(relation)
            || context.is_unreadable(relation)
            || is_misused_keyword(context, relation)
            // A game without these has an error or note of its own.
            || [v.role, v.legal, v.goal, v.terminal, v.init].contains(&relation)
        {
            continue;
        }
        let name = context.name(relation);
        let arity = atom.args.len();
        let mut diagnostic = UNDEFINED
            .at(context.name_span(literal.node), format!("`{name}` has no clause, so it never holds"));
        if let Some(&other) = by_name.get(name) {
            diagnostic =
                diagnostic.hint(format!("there is a `{name}` with {}, not {arity}", arguments(other)));
        } else if context.may_compare() {
            let same_arity = defined.iter().filter(|(_, d)| d.arity == arity).map(|(r, _)| context.name(*r));
            let any = defined.iter().map(|(r, _)| context.name(*r));
            diagnostic = match context.nearest(name, same_arity).or_else(|| context.nearest(name, any)) {
                Some(other) => diagnostic.hint(format!("did you mean `{other}`?")),
                None => diagnostic.hint("define it, or leave it out"),
            };
        }
        found.push(diagnostic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn the_nearest_name_is_offered() {
        let text = r#"
(colum 1)
(<= p (column ?x))
(<= p (column ?x) zebra)
(<= p (not (colum 1 2)))
"#;
        let expected = r#"
warning[L050] game:2:8: `column` has no clause, so it never holds
 2 | (<= p (column ?x))
   |        ^^^^^^
  hint: did you mean `colum`?
warning[L050] game:3:19: `zebra` has no clause, so it never holds
 3 | (<= p (column ?x) zebra)
   |                   ^^^^^
  hint: define it, or leave it out
warning[L050] game:4:13: `colum` has no clause, so it never holds
 4 | (<= p (not (colum 1 2)))
   |             ^^^^^
  hint: there is a `colum` with one argument, not 2
"#;
        assert_eq!(drawn(&UNDEFINED, text), expected);
    }
}
