//! Clauses that are written twice.

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::check::context::Context;
use crate::check::registry::DUPLICATE;
use crate::diagnostic::{Diagnostic, Fix};

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    // Variables are numbered by their first occurrence, so clauses that differ only in the names of
    // their variables are equal here.
    let mut seen = FxHashMap::with_capacity_and_hasher(context.program.clauses.len(), FxBuildHasher);
    for (id, clause, item) in context.clauses() {
        if context.broken[id] {
            continue;
        }
        let first = *seen.entry((&clause.head, &clause.body)).or_insert(id);
        if first != id {
            let what = if clause.is_fact() { "fact" } else { "rule" };
            found.push(
                DUPLICATE
                    .at(item.span, format!("this {what} is written twice"))
                    .label(context.span(first), "the first time")
                    .hint("leave one of them out")
                    .fix(Fix::without_clauses(
                        format!("remove the second {what}"),
                        context.rulesheet.source.text(),
                        &[item.span],
                    )),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn names_of_variables_do_not_matter() {
        let text = r#"
(p a)
(<= (q ?x) (p ?x) (not (r ?x)))
(<= (q ?y) (p ?y) (not (r ?y)))
(<= (q ?y) (not (r ?y)) (p ?y))
(p a)
"#;
        let expected = r#"
warning[L053] game:3:1: this rule is written twice
 3 | (<= (q ?y) (p ?y) (not (r ?y)))
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
 2 | (<= (q ?x) (p ?x) (not (r ?x)))
   | ------------------------------- the first time
  hint: leave one of them out
warning[L053] game:5:1: this fact is written twice
 5 | (p a)
   | ^^^^^
 1 | (p a)
   | ----- the first time
  hint: leave one of them out
"#;
        assert_eq!(drawn(&DUPLICATE, text), expected);
    }
}
