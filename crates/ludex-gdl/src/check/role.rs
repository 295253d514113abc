//! Roles: ground facts (specification Def. 20), each with moves and goals, and no others spoken of.

use ludex_logic::{Atom, Pattern, RelationId, TermId};
use rustc_hash::FxHashSet;

use crate::check::context::Context;
use crate::check::registry::{IDLE_ROLE, ROLE_NOT_A_FACT, UNKNOWN_ROLE};
use crate::diagnostic::{Diagnostic, Fix};

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    not_a_fact(context, found);
    unknown(context, found);
    idle(context, found);
}

fn not_a_fact(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    for (id, clause, _) in context.clauses() {
        if clause.head.relation != context.vocabulary.role || context.broken[id] {
            continue;
        }
        // A variable in a fact is the business of the safety check.
        if !clause.is_fact() {
            found.push(
                ROLE_NOT_A_FACT.at(context.span(id), "roles must be given by facts, not by a rule").hint(
                    format!("write one fact for each role, as in `{}`", context.sample("role", &["white"])),
                ),
            );
        }
    }
}

/// The relations whose first argument is a role.
fn about_roles(context: &Context<'_>) -> Vec<RelationId> {
    let v = context.vocabulary;
    let mut relations = vec![v.input, v.does, v.legal, v.goal];
    if context.game.dialect.has_percepts() {
        relations.extend([v.sees, v.percept]);
    }
    relations
}

fn unknown(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    if context.game.roles.is_empty() {
        return;
    }
    let about = about_roles(context);
    let terms = &context.program.terms;
    let names: Vec<String> = context.game.roles.iter().map(|&r| terms.shown(r)).collect();
    let mut known: FxHashSet<TermId> = context.game.roles.iter().copied().collect();
    for (node, atom) in context.atoms() {
        let Some(&Pattern::Ground(role)) = atom.args.first() else { continue };
        if !about.contains(&atom.relation) || !known.insert(role) {
            continue;
        }
        let name = terms.shown(role);
        let span =
            context.tree.children(node).first().map_or(context.tree.span(node), |&c| context.tree.span(c));
        let nearest = context.nearest(&name, names.iter().map(String::as_str));
        let hint = match nearest {
            Some(other) => format!("did you mean `{other}`?"),
            None if names.len() > 10 => format!("there are {} roles, and this is none of them", names.len()),
            None => format!(
                "the roles are {}",
                names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        let nearest = nearest.and_then(|other| names.iter().position(|name| name == other));
        let fix = nearest.map(|at| {
            let wrong = |atom: &Atom| {
                about.contains(&atom.relation)
                    && matches!(atom.args.first(), Some(Pattern::Ground(other)) if *other == role)
            };
            let atoms = context.atoms().filter(|(_, atom)| wrong(atom));
            let first = atoms.filter_map(|(node, _)| context.tree.children(node).first());
            let spans = first.map(|&node| context.tree.span(node)).collect();
            let other = terms.written(context.game.roles[at], context.rulesheet.notation);
            Fix::everywhere(format!("change it to `{other}`"), spans, &other)
        });
        found.push(UNKNOWN_ROLE.at(span, format!("`{name}` is not a role")).hint(hint).fix(fix));
    }
}

fn idle(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    let random = context.game.random_role().map(|at| context.game.roles[at]);
    for relation in [v.legal, v.goal] {
        let clauses = &context.clauses_by_head[relation];
        let mut named = FxHashSet::default();
        let mut all = false;
        for &clause in clauses {
            match context.program.clauses[clause].head.args.first() {
                Some(Pattern::Ground(role)) => {
                    named.insert(*role);
                }
                _ => all = true,
            }
        }
        // A relation without any clause has an error of its own.
        if all || clauses.is_empty() {
            continue;
        }
        for (_, clause, item) in context.clauses() {
            let [Pattern::Ground(role)] = *clause.head.args else { continue };
            let is_random = random == Some(role) && relation == v.goal;
            if clause.head.relation != v.role || !clause.is_fact() || named.contains(&role) || is_random {
                continue;
            }
            let (name, relation) = (context.program.terms.shown(role), context.name(relation));
            found.push(
                IDLE_ROLE
                    .at(item.span, format!("no clause of `{relation}` speaks of the role `{name}`"))
                    .hint(match relation {
                        "legal" if context.game.dialect.is_timed() => "its player never has anything to do",
                        "legal" => "a role without a legal move brings the game to a halt; give it one",
                        _ => "its player never learns what a state is worth",
                    }),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn roles_are_facts() {
        let text = r#"
(<= (role ?x) (player ?x))
"#;
        let expected = r#"
error[L040] game:1:1: roles must be given by facts, not by a rule
 1 | (<= (role ?x) (player ?x))
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: write one fact for each role, as in `(role white)`
"#;
        assert_eq!(drawn(&ROLE_NOT_A_FACT, text), expected);
    }

    #[test]
    fn a_role_that_does_not_exist() {
        let text = r#"
(role xplayer)
(role oplayer)
(legal xplyer noop)
(<= (goal white 100) (does oplayer noop))
"#;
        let expected = r#"
warning[L049] game:3:8: `xplyer` is not a role
 3 | (legal xplyer noop)
   |        ^^^^^^
  hint: did you mean `xplayer`?
warning[L049] game:4:11: `white` is not a role
 4 | (<= (goal white 100) (does oplayer noop))
   |           ^^^^^
  hint: the roles are `xplayer`, `oplayer`
"#;
        assert_eq!(drawn(&UNKNOWN_ROLE, text), expected);
    }

    #[test]
    fn each_role_moves_and_has_goals() {
        let text = r#"
(role a)
(role b)
(legal a x)
(<= (goal ?r 100) (role ?r))
"#;
        let expected = r#"
warning[L038] game:2:1: no clause of `legal` speaks of the role `b`
 2 | (role b)
   | ^^^^^^^^
  hint: a role without a legal move brings the game to a halt; give it one
"#;
        assert_eq!(drawn(&IDLE_ROLE, text), expected);
    }
}
