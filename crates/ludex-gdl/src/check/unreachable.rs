//! Rules that can never apply, because something they need can never hold.

use ludex_logic::{Atom, ClauseId, Formula, IdVec, RelationId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::context::{Context, Literal, Question, Shape, arguments};
use crate::check::registry::UNREACHABLE;
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let possible = possible(context);
    impossible_relations(context, &possible, found);
    let v = context.vocabulary;
    // In real time, a lifetime stands in front of the fact.
    let place = context.program.relations[v.truth].arity - 1;
    let facts = Produced::new(context, &[v.init, v.next], place);
    let moves = Produced::new(context, &[v.legal], 1);
    for literal in context.literals() {
        if literal.negated {
            continue;
        }
        let span = context.tree.span(literal.node);
        match literal.question {
            Question::Distinct(left, right) if left == right => {
                found.push(
                    UNREACHABLE
                        .at(span, "a term is never distinct from itself")
                        .hint("compare two different terms"),
                );
            }
            Question::Distinct(..) => {}
            Question::Atom(atom) => {
                let (produced, argument, by) = if atom.relation == v.truth {
                    (&facts, place, "`init` or `next`")
                } else if v.expired == Some(atom.relation) {
                    (&facts, 0, "`init` or `next`")
                } else if atom.relation == v.does {
                    (&moves, 1, "`legal`")
                } else {
                    continue;
                };
                if let Some((name, arity)) = produced.missing(context, atom, argument) {
                    let mut diagnostic = UNREACHABLE
                        .at(span, format!("this never holds: no clause of {by} produces a `{name}`{arity}"));
                    if let Some(other) = produced.nearest(context, name) {
                        diagnostic = diagnostic.hint(format!("did you mean `{other}`?"));
                    }
                    found.push(diagnostic);
                }
            }
        }
    }
}

/// The relations that can hold at all, whatever their arguments.
fn possible(context: &Context<'_>) -> IdVec<RelationId, bool> {
    let program = context.program;
    let mut possible: IdVec<RelationId, bool> =
        program.relations.ids().map(|r| program.is_given(r)).collect();
    // Components come in dependency order; inside one, a clause is looked at again when a relation
    // of its body turns out to be possible.
    for members in context.dependencies.components() {
        let mut queue: Vec<ClauseId> =
            members.iter().flat_map(|&m| &context.clauses_by_head[m]).copied().collect();
        let mut users: FxHashMap<RelationId, Vec<ClauseId>> = FxHashMap::default();
        if members.len() > 1 {
            for &clause in &queue {
                for atom in context.literals_of(clause).iter().filter_map(Literal::atom) {
                    if members.binary_search(&atom.relation).is_ok() {
                        users.entry(atom.relation).or_default().push(clause);
                    }
                }
            }
        }
        while let Some(clause) = queue.pop() {
            let clause = &program.clauses[clause];
            let head = clause.head.relation;
            if !possible[head] && can_hold(&clause.body, &possible) {
                possible[head] = true;
                queue.extend(users.remove(&head).unwrap_or_default());
            }
        }
    }
    possible
}

fn can_hold(formula: &Formula, possible: &IdVec<RelationId, bool>) -> bool {
    match formula {
        Formula::Atom(atom) => possible[atom.relation],
        Formula::Distinct(left, right) => left != right,
        Formula::Not(_) => true,
        Formula::And(parts) => parts.iter().all(|p| can_hold(p, possible)),
        Formula::Or(parts) => parts.iter().any(|p| can_hold(p, possible)),
    }
}

fn impossible_relations(
    context: &Context<'_>,
    possible: &IdVec<RelationId, bool>,
    found: &mut Vec<Diagnostic>,
) {
    for (id, clause, _) in context.clauses() {
        let relation = clause.head.relation;
        if can_hold(&clause.body, possible) || context.broken[id] {
            continue;
        }
        // What is undefined, and an `or` of nothing, were reported where they stand; here come the
        // rules that fail for a deeper reason.
        let cause = context.literals_of(id).iter().find(|literal| {
            !literal.negated
                && literal
                    .atom()
                    .is_some_and(|a| !possible[a.relation] && !context.clauses_by_head[a.relation].is_empty())
        });
        let Some(cause) = cause else { continue };
        let Some(atom) = cause.atom() else { continue };
        let need = context.name(atom.relation);
        let head = context.name(relation);
        let message =
            if context.dependencies.component(atom.relation) == context.dependencies.component(relation) {
                format!("this rule of `{head}` can never apply: it waits for itself through `{need}`")
            } else {
                format!("this rule of `{head}` can never apply: `{need}` can never hold")
            };
        found.push(
            UNREACHABLE
                .at(context.tree.span(cause.node), message)
                .hint(format!("look at the rules of `{need}`, or leave this one out")),
        );
    }
}

/// What the heads of some relations can make true, as far as names and numbers of arguments tell.
struct Produced {
    anything: bool,
    shapes: FxHashSet<Shape>,
}

impl Produced {
    fn new(context: &Context<'_>, relations: &[RelationId], argument: usize) -> Self {
        let mut produced = Self { anything: false, shapes: FxHashSet::default() };
        for clause in relations.iter().flat_map(|&r| &context.clauses_by_head[r]) {
            match context.program.clauses[*clause].head.args.get(argument) {
                Some(pattern) => match context.shape(pattern) {
                    Some(shape) => {
                        produced.shapes.insert(shape);
                    }
                    None => produced.anything = true,
                },
                None => produced.anything = true,
            }
        }
        // A game without any such clause has other worries.
        produced.anything |= produced.shapes.is_empty();
        produced
    }

    fn missing<'a>(&self, context: &Context<'a>, atom: &Atom, argument: usize) -> Option<(&'a str, String)> {
        if self.anything {
            return None;
        }
        let (name, arity) = context.shape(atom.args.get(argument)?)?;
        if self.shapes.contains(&(name, arity)) {
            return None;
        }
        let same_name = self.shapes.iter().any(|&(other, _)| other == name);
        let arity = match arity {
            Some(arity) if same_name => format!(" with {}", arguments(arity)),
            None if same_name => " without arguments".to_owned(),
            _ => String::new(),
        };
        Some((context.program.terms.name(name), arity))
    }

    fn nearest<'a>(&self, context: &Context<'a>, name: &str) -> Option<&'a str> {
        context.nearest(name, self.shapes.iter().map(|&(other, _)| context.program.terms.name(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn what_never_held_never_expires() {
        let text = r#"
(init 1 bell)
(<= (next 2 (cat ?c)) (expired bell) (does ?c meow))
(<= terminal (expired belt))
(<= terminal (true ?t (cat ?a ?b)))
"#;
        let expected = r#"
warning[L052] game:3:14: this never holds: no clause of `init` or `next` produces a `belt`
 3 | (<= terminal (expired belt))
   |              ^^^^^^^^^^^^^^
  hint: did you mean `bell`?
warning[L052] game:4:14: this never holds: no clause of `init` or `next` produces a `cat` with two arguments
 4 | (<= terminal (true ?t (cat ?a ?b)))
   |              ^^^^^^^^^^^^^^^^^^^^^
"#;
        assert_eq!(drawn(&UNREACHABLE, text), expected);
    }

    #[test]
    fn rules_that_wait_for_each_other() {
        let text = r#"
(<= p q)
(<= q p)
(<= terminal p)
(<= terminal (or p r))
r
"#;
        let expected = r#"
warning[L052] game:1:7: this rule of `p` can never apply: it waits for itself through `q`
 1 | (<= p q)
   |       ^
  hint: look at the rules of `q`, or leave this one out
warning[L052] game:2:7: this rule of `q` can never apply: it waits for itself through `p`
 2 | (<= q p)
   |       ^
  hint: look at the rules of `p`, or leave this one out
warning[L052] game:3:14: this rule of `terminal` can never apply: `p` can never hold
 3 | (<= terminal p)
   |              ^
  hint: look at the rules of `p`, or leave this one out
"#;
        assert_eq!(drawn(&UNREACHABLE, text), expected);
    }

    #[test]
    fn what_no_rule_makes_true() {
        let text = r#"
(init (cell 1 1 b))
(<= (next (cell ?x ?y o)) (true (cel ?x ?y b)))
(<= terminal (true (cell ?x b)))
(<= terminal (true ?x) (not (true done)))
(legal a noop)
(<= (next q) (does a (mark 1 1)))
"#;
        let expected = r#"
warning[L052] game:2:27: this never holds: no clause of `init` or `next` produces a `cel`
 2 | (<= (next (cell ?x ?y o)) (true (cel ?x ?y b)))
   |                           ^^^^^^^^^^^^^^^^^^^^
  hint: did you mean `cell`?
warning[L052] game:3:14: this never holds: no clause of `init` or `next` produces a `cell` with two arguments
 3 | (<= terminal (true (cell ?x b)))
   |              ^^^^^^^^^^^^^^^^^^
warning[L052] game:6:14: this never holds: no clause of `legal` produces a `mark`
 6 | (<= (next q) (does a (mark 1 1)))
   |              ^^^^^^^^^^^^^^^^^^^
"#;
        assert_eq!(drawn(&UNREACHABLE, text), expected);
    }

    #[test]
    fn nothing_differs_from_itself() {
        let text = r#"
(<= p (q ?x) (distinct ?x ?x))
"#;
        let expected = r#"
warning[L052] game:1:14: a term is never distinct from itself
 1 | (<= p (q ?x) (distinct ?x ?x))
   |              ^^^^^^^^^^^^^^^^
  hint: compare two different terms
"#;
        assert_eq!(drawn(&UNREACHABLE, text), expected);
    }
}
