//! Prefix names are case-independent: one name in two spellings works, but reads like two names.

use crate::check::context::Context;
use crate::check::registry::CAPITALISATION;
use crate::diagnostic::{Diagnostic, Fix};
use crate::source::Span;
use crate::tree::{NodeKind, Notation};

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let source = &context.rulesheet.source;
    if context.rulesheet.notation != Notation::Prefix
        || !source.text().bytes().any(|b| b.is_ascii_uppercase())
    {
        return;
    }
    let names = context.tree.name_count();
    let (mut first, mut reported): (Vec<Option<Span>>, _) = (vec![None; names], vec![false; names]);
    let mut other_spellings: Vec<Vec<Span>> = vec![Vec::new(); names];
    let mut findings: Vec<(usize, Diagnostic)> = Vec::new();
    let mut name = |node| {
        let (id, span) = match context.tree.node(node).kind {
            NodeKind::Constant(id) => (id, context.tree.span(node)),
            NodeKind::Compound { name, name_span, .. } => (name, name_span),
            // A variable belongs to its rule, and other rules may write theirs as they like.
            NodeKind::Variable(_) | NodeKind::Error => return,
        };
        let index = id.0 as usize;
        let text = source.slice(span);
        let Some(earlier) = first[index] else {
            first[index] = Some(span);
            return;
        };
        let other = source.slice(earlier);
        if text == other || !text.eq_ignore_ascii_case(other) {
            return;
        }
        other_spellings[index].push(span);
        if !std::mem::replace(&mut reported[index], true) {
            findings.push((
                index,
                CAPITALISATION
                    .at(span, format!("`{text}` is the same name as `{other}`"))
                    .label(earlier, "first written like this")
                    .hint("case does not matter here; write the name in one way"),
            ));
        }
    };
    for (id, _, item) in context.clauses() {
        name(item.head);
        context.literals_of(id).iter().for_each(|l| name(l.node));
    }
    context.terms(name);
    found.extend(findings.into_iter().map(|(index, diagnostic)| {
        let spelling = first[index].map_or("", |span| source.slice(span));
        let spans = std::mem::take(&mut other_spellings[index]);
        diagnostic.fix(Fix::everywhere(format!("write `{spelling}` everywhere"), spans, spelling))
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn one_name_in_two_spellings() {
        let text = r#"
(init (Cell 1 1 b))
(<= (next (cell ?X 1 B)) (true (cell ?x 1 b)))
"#;
        let expected = r#"
note[L055] game:2:12: `cell` is the same name as `Cell`
 2 | (<= (next (cell ?X 1 B)) (true (cell ?x 1 b)))
   |            ^^^^
 1 | (init (Cell 1 1 b))
   |        ---- first written like this
  hint: case does not matter here; write the name in one way
note[L055] game:2:22: `B` is the same name as `b`
 2 | (<= (next (cell ?X 1 B)) (true (cell ?x 1 b)))
   |                      ^
 1 | (init (Cell 1 1 b))
   |                 - first written like this
  hint: case does not matter here; write the name in one way
"#;
        assert_eq!(drawn(&CAPITALISATION, text), expected);
    }
}
