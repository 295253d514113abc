//! Keywords in the wrong place or with the wrong number of arguments.

use ludex_logic::{Atom, Id, RelationId};

use crate::check::context::{Context, arguments};
use crate::check::registry::{CONNECTIVE_AS_TERM, KEYWORD_ARITY, KEYWORD_AS_TERM};
use crate::diagnostic::{Diagnostic, Severity};
use crate::game_program::Dialect;
use crate::time::INFINITY;

const CONNECTIVES: [&str; 5] = ["and", "or", "not", "distinct", "<="];

/// The keywords that are relations, with the number of arguments where facts have no lifetimes.
const RELATIONS: [(&str, usize); 13] = [
    ("role", 1),
    ("base", 1),
    ("input", 2),
    ("init", 1),
    ("true", 1),
    ("does", 2),
    ("next", 1),
    ("legal", 2),
    ("goal", 2),
    ("terminal", 0),
    ("sees", 2),
    ("percept", 2),
    ("expired", 1),
];

/// The number of arguments of a relation that the dialect gives a meaning to.
pub(crate) fn arity_of_keyword(name: &str, dialect: Dialect) -> Option<usize> {
    let &(_, arity) = RELATIONS.iter().find(|(keyword, _)| *keyword == name)?;
    match name {
        "sees" | "percept" if !dialect.has_percepts() => None,
        "expired" => dialect.is_timed().then_some(arity),
        "init" | "true" | "next" if dialect.is_timed() => Some(arity + 1),
        "init" | "next" if dialect.has_steps() => None,
        "true" | "does" | "legal" | "goal" | "terminal" | "sees" if dialect.has_steps() => Some(arity + 1),
        _ => Some(arity),
    }
}

/// Whether the relation has the name of a keyword with a number of arguments that has its own error.
pub(super) fn is_misused_keyword(context: &Context<'_>, relation: RelationId) -> bool {
    let arity = arity_of_keyword(context.name(relation), context.game.dialect);
    arity.is_some_and(|arity| arity != context.program.relations[relation].arity)
}

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    terms(context, found);
    arities(context, found);
}

fn terms(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let tree = context.tree;
    let connectives: Vec<_> = CONNECTIVES.iter().filter_map(|c| tree.find_name(c)).collect();
    let mut keywords: Vec<_> = RELATIONS
        .iter()
        .filter(|(name, _)| arity_of_keyword(name, context.game.dialect).is_some())
        .filter_map(|(name, _)| tree.find_name(name))
        .collect();
    if connectives.is_empty() && keywords.is_empty() {
        return;
    }
    context.terms(|node| {
        use crate::tree::NodeKind::{Compound, Constant};
        let (Constant(name) | Compound { name, .. }) = tree.node(node).kind else { return };
        let span = context.name_span(node);
        if connectives.contains(&name) {
            let text = tree.name(name);
            found.push(
                CONNECTIVE_AS_TERM
                    .at(span, format!("`{text}` is a connective, but stands inside a sentence"))
                    .hint("connectives join sentences; a constant or function needs another name"),
            );
        } else if let Some(at) = keywords.iter().position(|&k| k == name) {
            // Once is enough: where it is meant, as in `(did (does ?r ?a))`, it comes often.
            keywords.swap_remove(at);
            let text = tree.name(name);
            found.push(
                KEYWORD_AS_TERM
                    .at(span, format!("the keyword `{text}` is used as a term"))
                    .hint("here it is an ordinary name without its usual meaning"),
            );
        }
    });
}

fn arities(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let wrong: Vec<Option<usize>> = context
        .program
        .relations
        .iter()
        .map(|r| {
            let wanted = arity_of_keyword(context.program.terms.name(r.name), context.game.dialect)?;
            (wanted != r.arity).then_some(wanted)
        })
        .collect();
    if wrong.iter().all(Option::is_none) {
        return;
    }
    for (node, &Atom { relation, .. }) in context.atoms() {
        let Some(wanted) = wrong[relation.index()] else { continue };
        let given = context.program.relations[relation].arity;
        let name = context.name(relation);
        let mut diagnostic = KEYWORD_ARITY
            .at(context.tree.span(node), format!("`{name}` takes {}, not {given}", arguments(wanted)));
        // The specification of 2006 does not know these two; as other relations they are harmless.
        if matches!(name, "base" | "input") {
            diagnostic.severity = Severity::Warning;
            diagnostic = diagnostic.hint("with this many arguments it is an ordinary relation");
        } else {
            diagnostic = diagnostic.hint(match name {
                "terminal" if !context.game.dialect.has_steps() => {
                    "write `terminal` alone and put its conditions in the body".to_owned()
                }
                "terminal" => format!("as in `{}`", context.example(name, &[])),
                "role" => format!("as in `{}`", context.example("role", &["white"])),
                "legal" | "does" => format!("as in `{}`", context.example(name, &["white", "noop"])),
                "goal" => format!("as in `{}`", context.example(name, &["white", "100"])),
                "sees" | "percept" => format!("as in `{}`", context.example(name, &["white", "ok"])),
                "true" if context.game.dialect.has_steps() => {
                    let proposition = context.sample("cell", &["1", "1", "b"]);
                    format!("as in `{}`", context.example(name, &[&proposition]))
                }
                _ => {
                    let proposition = context.sample("cell", &["1", "1", "b"]);
                    let args = [INFINITY, &proposition];
                    format!("as in `{}`", context.sample(name, &args[args.len() - wanted..]))
                }
            });
        }
        found.push(diagnostic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn a_connective_is_no_constant_and_no_function() {
        let text = r#"
(foo not bar)
(foo (not bar))
"#;
        let expected = r#"
error[L024] game:1:6: `not` is a connective, but stands inside a sentence
 1 | (foo not bar)
   |      ^^^
  hint: connectives join sentences; a constant or function needs another name
error[L024] game:2:7: `not` is a connective, but stands inside a sentence
 2 | (foo (not bar))
   |       ^^^
  hint: connectives join sentences; a constant or function needs another name
"#;
        assert_eq!(drawn(&CONNECTIVE_AS_TERM, text), expected);
    }

    #[test]
    fn a_keyword_inside_a_sentence_is_noted_once() {
        let text = r#"
(did (does a noop))
(did (does b noop))
"#;
        let expected = r#"
note[L025] game:1:7: the keyword `does` is used as a term
 1 | (did (does a noop))
   |       ^^^^
  hint: here it is an ordinary name without its usual meaning
"#;
        assert_eq!(drawn(&KEYWORD_AS_TERM, text), expected);
    }

    #[test]
    fn keywords_have_a_fixed_number_of_arguments() {
        let text = r#"
(role a b)
(legal noop)
(<= (terminal ?x) (true ?x))
(<= p (true a b c))
(input mark)
(init (cell 1) b)
"#;
        let expected = r#"
error[L026] game:1:1: `role` takes one argument, not 2
 1 | (role a b)
   | ^^^^^^^^^^
  hint: as in `(role white)`
error[L026] game:2:1: `legal` takes two arguments, not 1
 2 | (legal noop)
   | ^^^^^^^^^^^^
  hint: as in `(legal white noop)`
error[L026] game:3:5: `terminal` takes no argument, not 1
 3 | (<= (terminal ?x) (true ?x))
   |     ^^^^^^^^^^^^^
  hint: write `terminal` alone and put its conditions in the body
error[L026] game:4:7: `true` takes one argument, not 3
 4 | (<= p (true a b c))
   |       ^^^^^^^^^^^^
  hint: as in `(true (cell 1 1 b))`
warning[L026] game:5:1: `input` takes two arguments, not 1
 5 | (input mark)
   | ^^^^^^^^^^^^
  hint: with this many arguments it is an ordinary relation
error[L026] game:6:1: `init` takes one argument, not 2
 6 | (init (cell 1) b)
   | ^^^^^^^^^^^^^^^^^
  hint: as in `(init (cell 1 1 b))`
"#;
        assert_eq!(drawn(&KEYWORD_ARITY, text), expected);
    }

    #[test]
    fn in_real_time_facts_have_a_lifetime() {
        let text = r#"
(init 1 p)
(<= (next q) (true 1 p))
(<= terminal (expired 1 p))
"#;
        let expected = r#"
error[L026] game:2:5: `next` takes two arguments, not 1
 2 | (<= (next q) (true 1 p))
   |     ^^^^^^^^
  hint: as in `(next infinity (cell 1 1 b))`
error[L026] game:3:14: `expired` takes one argument, not 2
 3 | (<= terminal (expired 1 p))
   |              ^^^^^^^^^^^^^
  hint: as in `(expired (cell 1 1 b))`
"#;
        assert_eq!(drawn(&KEYWORD_ARITY, text), expected);
    }
}
