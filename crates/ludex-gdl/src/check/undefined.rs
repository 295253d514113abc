//! Relations that are asked for but have no clause: they never hold.

use ludex_logic::{Id, RelationId};
use rustc_hash::FxHashMap;

use crate::check::context::{Context, arguments};
use crate::check::keyword::is_misused_keyword;
use crate::check::registry::UNDEFINED;
use crate::diagnostic::{Diagnostic, Fix};
use crate::print::spell_constant;
use crate::tree::{NodeId, NodeKind};

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
        let name = context.name(relation);
        // Each comparison has a hint of its own; of others one is as good as all.
        let is_comparison = matches!(name, "=" | "==" | "!=" | "\\=") && atom.args.len() == 2;
        if (std::mem::replace(&mut done[relation.index()], true) && !is_comparison)
            || !context.clauses_by_head[relation].is_empty()
            || context.program.is_given(relation)
            || context.is_unreadable(relation)
            || is_misused_keyword(context, relation)
            // A game without these has an error or note of its own.
            || [v.role, v.legal, v.goal, v.terminal, v.init].contains(&relation)
        {
            continue;
        }
        let arity = atom.args.len();
        let mut diagnostic = UNDEFINED
            .at(context.name_span(literal.node), format!("`{name}` has no clause, so it never holds"));
        if let (true, &[left, right]) = (is_comparison, context.tree.children(literal.node)) {
            let equal = name.starts_with('=') != literal.negated;
            let fix = (name.starts_with('!') && !literal.negated).then(|| {
                let text = |node| context.rulesheet.source.slice(context.tree.span(node));
                let distinct = context.sample("distinct", &[text(left), text(right)]);
                Fix::new("write it with `distinct`", context.tree.span(literal.node), distinct)
            });
            diagnostic = diagnostic.hint(comparison(context, equal, left, right)).fix(fix);
        } else if let Some(&other) = by_name.get(name) {
            diagnostic =
                diagnostic.hint(format!("there is a `{name}` with {}, not {arity}", arguments(other)));
        } else if context.may_compare() {
            let same_arity = defined.iter().filter(|(_, d)| d.arity == arity).map(|(r, _)| context.name(*r));
            let any = defined.iter().map(|(r, _)| context.name(*r));
            diagnostic = match context.nearest(name, same_arity).or_else(|| context.nearest(name, any)) {
                Some(other) => {
                    let same = defined.iter().any(|(r, d)| d.arity == arity && context.name(*r) == other);
                    let fix = same.then(|| renamed(context, relation, other));
                    diagnostic.hint(format!("did you mean `{other}`?")).fix(fix)
                }
                None => diagnostic.hint("define it, or leave it out"),
            };
        }
        found.push(diagnostic);
    }
}

/// Another name wherever the relation is asked for.
fn renamed(context: &Context<'_>, relation: RelationId, other: &str) -> Fix {
    let literals = context.literals().iter();
    let asked = literals.filter(|literal| literal.atom().is_some_and(|atom| atom.relation == relation));
    let spans = asked.map(|literal| context.name_span(literal.node)).collect();
    let spelled = spell_constant(other, context.rulesheet.notation);
    Fix::everywhere(format!("change it to `{other}`"), spans, &spelled)
}

/// What to write in the place of a comparison, which the language does not have.
fn comparison(context: &Context<'_>, equal: bool, left: NodeId, right: NodeId) -> String {
    let text = |node| context.rulesheet.source.slice(context.tree.span(node));
    let is_variable = |node| matches!(context.tree.node(node).kind, NodeKind::Variable(_));
    let (one, other) = if is_variable(left) || !is_variable(right) { (left, right) } else { (right, left) };
    let (one, other) = (text(one), text(other));
    match (equal, is_variable(left) && is_variable(right), is_variable(left) || is_variable(right)) {
        (false, ..) => {
            format!("terms that differ are written `{}`", context.sample("distinct", &[one, other]))
        }
        (true, true, _) => {
            format!("there is no `=`: write one variable in the place of `{one}` and `{other}`")
        }
        (true, _, true) => format!("there is no `=`: write `{other}` in the place of `{one}`"),
        (true, ..) => {
            "there is no `=`: two terms without variables are equal or are not, so leave it out".into()
        }
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

    #[test]
    fn terms_are_made_equal_by_one_variable() {
        for (subgoal, hint) in [
            ("(= ?x ?y)", "there is no `=`: write one variable in the place of `?x` and `?y`"),
            ("(= a ?x)", "there is no `=`: write `a` in the place of `?x`"),
            ("(= ?x (f a))", "there is no `=`: write `(f a)` in the place of `?x`"),
            ("(= a b)", "there is no `=`: two terms without variables are equal or are not, so leave it out"),
            ("(not (= ?x ?y))", "terms that differ are written `(distinct ?x ?y)`"),
            ("(!= ?x a)", "terms that differ are written `(distinct ?x a)`"),
        ] {
            let found = drawn(&UNDEFINED, &format!("(q 1)\n(<= p (q ?x) (q ?y) {subgoal})\n"));
            assert!(found.ends_with(&format!("  hint: {hint}\n")), "{found}");
        }
        // Each is shown, since each is mended otherwise.
        let all = drawn(&UNDEFINED, "(q 1)\n(<= p (q ?x) (= ?x 1))\n(<= r (q ?x) (= 2 ?x))\n");
        assert_eq!(all.matches("`=` has no clause").count(), 2, "{all}");
        // A rulesheet may have an `=` of its own.
        assert_eq!(drawn(&UNDEFINED, "(= 1 1)\n(<= p (= ?x ?x))\n"), "\n");
    }
}
