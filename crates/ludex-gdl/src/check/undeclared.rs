//! Declarations that leave something out (book 2.2, 17.2): where there are any clauses of `base`, `input`
//! or `percept`, they are to list all propositions, moves and percepts.

use ludex_logic::{Atom, ClauseId, RelationId};
use rustc_hash::FxHashMap;

use crate::check::context::{Context, Shape};
use crate::check::instance::may_be_equal;
use crate::check::registry::UNDECLARED;
use crate::diagnostic::{Diagnostic, Fix};
use crate::source::Span;
use crate::tree::{Item, NameId, NodeId, Notation};

/// Comparisons of terms in one rulesheet, so that a million heads and a million declarations end.
const MOST_COMPARISONS: usize = 4_000_000;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    let mut left = MOST_COMPARISONS;
    for (declaring, what, results) in [
        (v.base, "proposition", &[v.init, v.next][..]),
        (v.input, "move", &[v.legal]),
        (v.percept, "percept", &[v.sees]),
    ] {
        if declaring == v.percept && !context.game.dialect.has_percepts() {
            continue;
        }
        let declared = Declared::new(context, declaring);
        if declared.anything || declared.by_shape.is_empty() {
            continue;
        }
        let mut reported: Vec<Shape> = Vec::new();
        for (id, clause, item) in context.clauses() {
            if !results.contains(&clause.head.relation) || context.broken[id] {
                continue;
            }
            let Some(last) = clause.head.args.last() else { continue };
            let Some(shape) = context.shape(last) else { continue };
            if reported.contains(&shape) || declared.allows(context, &clause.head, shape, &mut left) {
                continue;
            }
            reported.push(shape);
            let node = context.tree.children(item.head).last();
            let span = node.map_or(item.span, |&node| context.tree.span(node));
            let (name, result) = (context.name(declaring), context.name(clause.head.relation));
            found.push(
                UNDECLARED
                    .at(span, format!("no clause of `{name}` declares this {what} of `{result}`"))
                    .hint(format!("add one: where `{name}` declares anything, it should declare all"))
                    .fix(declaration(context, id, item, declaring)),
            );
        }
    }
}

/// A clause that declares what a clause gives, behind the last clause that declares anything: with the subgoals that depend on
/// nothing, where these bind all its variables.
fn declaration(context: &Context<'_>, id: ClauseId, item: &Item, declaring: RelationId) -> Option<Fix> {
    let v = context.vocabulary;
    let (tree, source) = (context.tree, &context.rulesheet.source);
    let text = |node: NodeId| source.slice(tree.span(node)).to_owned();
    // In real time, there is a lifetime in front.
    let given = tree.children(item.head);
    let wanted = context.program.relations[declaring].arity;
    let args = given.get(given.len().checked_sub(wanted)?..)?;
    let changing = context.dependencies.dependents([v.truth, v.does].into_iter().chain(v.expired));
    let mut open: Vec<NameId> = tree.variables(args).collect();
    let mut body = Vec::new();
    for literal in context.literals_of(id) {
        let is_subgoal = item.body.as_ref().is_some_and(|body| body.contains(&literal.node));
        let Some(atom) = literal.atom().filter(|_| is_subgoal && !literal.negated) else { continue };
        let is_fixed = !changing[atom.relation] && !context.program.is_given(atom.relation);
        let mut bound: Vec<NameId> = tree.variables(&[literal.node]).collect();
        bound.retain(|name| open.contains(name));
        if is_fixed && !bound.is_empty() {
            open.retain(|name| !bound.contains(name));
            body.push(text(literal.node));
        }
    }
    if !open.is_empty() {
        return None;
    }
    let texts: Vec<String> = args.iter().map(|&arg| text(arg)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let head = context.sample(context.name(declaring), &texts);
    let clause = match (context.rulesheet.notation, body.is_empty()) {
        (_, true) => head,
        (Notation::Prefix, _) => format!("(<= {head} {})", body.join(" ")),
        (Notation::Infix, _) => format!("{head} :- {}", body.join(" & ")),
    };
    let last = context.clauses_by_head[declaring].last()?;
    let behind = context.span(*last).end as usize;
    let has_stop = context.rulesheet.notation == Notation::Infix
        && source.text().get(behind..).is_some_and(|rest| rest.trim_start().starts_with('.'));
    let (behind, stop) = if has_stop {
        let gap = source.text()[behind..].len() - source.text()[behind..].trim_start().len();
        (behind + gap + 1, ".")
    } else {
        (behind, "")
    };
    let title = format!("declare it with `{}`", context.name(declaring));
    Some(Fix::new(title, Span::new(behind, behind), format!("\n{clause}{stop}")))
}

/// What the clauses of a declaring relation may declare.
struct Declared<'a> {
    /// A clause declares a variable alone.
    anything: bool,
    by_shape: FxHashMap<Shape, Vec<&'a Atom>>,
}

impl<'a> Declared<'a> {
    fn new(context: &Context<'a>, relation: RelationId) -> Self {
        let mut declared = Self { anything: false, by_shape: FxHashMap::default() };
        for &clause in &context.clauses_by_head[relation] {
            let head = &context.program.clauses[clause].head;
            match head.args.last().and_then(|last| context.shape(last)) {
                Some(shape) => declared.by_shape.entry(shape).or_default().push(head),
                None => declared.anything = true,
            }
        }
        declared
    }

    /// Whether some declaration fits, as far as that shows in the heads.
    fn allows(&self, context: &Context<'_>, head: &Atom, shape: Shape, left: &mut usize) -> bool {
        let Some(declared) = self.by_shape.get(&shape) else { return false };
        // Whoever has so much to compare that nothing is left gets no warning.
        // In real time, `init` and `next` have a lifetime in front, which `base` does not declare.
        let fits = |other: &&Atom| {
            let extra = head.args.len().saturating_sub(other.args.len());
            may_be_equal(&context.program.terms, &head.args[extra..], &other.args, left)
        };
        declared.iter().any(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn percepts_are_declared_all_or_none() {
        let text = r#"
(percept a ok)
(<= (percept ?r (move ?x)) (role ?r) (square ?x))
(<= (sees a ok) (true p))
(<= (sees b ok) (true p))
(<= (sees ?r (move ?x)) (role ?r) (true (at ?x)))
(<= (sees ?r (moved ?x)) (role ?r) (true (at ?x)))
(<= (sees a (moved ?x)) (true (at ?x)))
"#;
        let expected = r#"
warning[L056] game:4:13: no clause of `percept` declares this percept of `sees`
 4 | (<= (sees b ok) (true p))
   |             ^^
  hint: add one: where `percept` declares anything, it should declare all
warning[L056] game:6:14: no clause of `percept` declares this percept of `sees`
 6 | (<= (sees ?r (moved ?x)) (role ?r) (true (at ?x)))
   |              ^^^^^^^^^^
  hint: add one: where `percept` declares anything, it should declare all
"#;
        assert_eq!(drawn(&UNDECLARED, text), expected);
        let undeclared = text.lines().filter(|line| !line.contains("percept")).collect::<Vec<_>>().join("\n");
        assert_eq!(drawn(&UNDECLARED, &undeclared), "\n");
    }

    #[test]
    fn propositions_and_moves_are_declared_all_or_none() {
        let text = r#"
(<= (base (cell ?x b)) (square ?x))
(base (step 1))
(init (step 1))
(init (control a))
(<= (next (cell ?x ?y)) (true (cell ?x ?y)))
(<= (next (cell ?x o)) (true (cell ?x b)))
(<= (input ?r (mark ?x)) (role ?r) (square ?x))
(<= (legal ?r (mark 1)) (role ?r))
(legal a noop)
"#;
        let expected = r#"
warning[L056] game:4:7: no clause of `base` declares this proposition of `init`
 4 | (init (control a))
   |       ^^^^^^^^^^^
  hint: add one: where `base` declares anything, it should declare all
warning[L056] game:6:11: no clause of `base` declares this proposition of `next`
 6 | (<= (next (cell ?x o)) (true (cell ?x b)))
   |           ^^^^^^^^^^^
  hint: add one: where `base` declares anything, it should declare all
warning[L056] game:9:10: no clause of `input` declares this move of `legal`
 9 | (legal a noop)
   |          ^^^^
  hint: add one: where `input` declares anything, it should declare all
"#;
        assert_eq!(drawn(&UNDECLARED, text), expected);
    }
}
