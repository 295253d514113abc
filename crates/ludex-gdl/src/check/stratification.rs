//! Stratification: no relation may depend on its own negation (specification Def. 8).
//!
//! Some real games let one value of a relation depend on the absence of another, as in
//! `(<= (goal ?r 0) (not (goal ?r 100)))`. Relation by relation that is a cycle; clause by clause it
//! is none, and the model is unique all the same. Those get a warning.

use ludex_logic::ClauseId;
use ludex_logic::scc::component_of;

use crate::check::context::Context;
use crate::check::instance::may_be_equal;
use crate::check::registry::{STRATIFIED_BY_CLAUSES, UNSTRATIFIED};
use crate::diagnostic::Diagnostic;

/// Each explanation searches the whole graph; nobody reads more of them than this.
const MAX_EXPLAINED: usize = 100;

/// More pairs of a subgoal and a clause than this are not compared: the cycle counts as an error.
const MAX_PAIRS: usize = 4_000_000;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let dependencies = &context.dependencies;
    let mut explained = vec![false; dependencies.components().len()];
    let mut count = 0;
    for edge in dependencies.unstratified() {
        let component = dependencies.component(edge.head);
        if std::mem::replace(&mut explained[component], true) {
            continue;
        }
        count += 1;
        let name = context.name(edge.head);
        let span = context.edge_span(edge);
        if is_stratified_by_clauses(context, component) {
            found.push(
                STRATIFIED_BY_CLAUSES
                    .at(span, format!("`{name}` depends on its own negation, with other arguments"))
                    .hint("the meaning is clear here, but not every system accepts it; a helper relation avoids it"),
            );
            continue;
        }
        let mut diagnostic = UNSTRATIFIED
            .at(span, format!("`{name}` depends on its own negation, so the rules have no unique model"));
        if edge.head != edge.body && count < MAX_EXPLAINED {
            diagnostic = diagnostic.label(context.head_span(edge.clause), context.edge_text(edge));
            // The path runs from bodies to heads; told backwards it goes on from the negated one.
            for step in dependencies.path(edge.head, edge.body).iter().rev() {
                diagnostic = diagnostic.label(context.edge_span(step), context.edge_text(step));
            }
        }
        found.push(diagnostic.hint("break the cycle at one of these places"));
    }
}

/// Whether no clause of the component depends on its own negation, where a clause depends on those
/// whose heads could be instances of its subgoals.
fn is_stratified_by_clauses(context: &Context<'_>, component: usize) -> bool {
    let program = context.program;
    let members = &context.dependencies.components()[component];
    let clauses: Vec<ClauseId> = members.iter().flat_map(|&m| &context.clauses_by_head[m]).copied().collect();
    // As for relations, with the clauses in their place: an edge for each subgoal and each clause
    // whose head it may meet.
    let (mut pairs, mut left) = (0, usize::MAX);
    let mut edges: Vec<(usize, usize, bool)> = Vec::new();
    for (number, &clause) in clauses.iter().enumerate() {
        program.clauses[clause].body.atoms(&mut |atom, negated| {
            pairs += clauses.len();
            if pairs <= MAX_PAIRS {
                let heads = clauses.iter().map(|&other| &program.clauses[other].head).enumerate();
                let met = heads.filter(|(_, head)| {
                    atom.relation == head.relation
                        && may_be_equal(&program.terms, &atom.args, &head.args, &mut left)
                });
                edges.extend(met.map(|(other, _)| (other, number, negated)));
            }
        });
    }
    let component = component_of(clauses.len(), edges.iter().map(|&(from, to, _)| (from, to)));
    pairs <= MAX_PAIRS
        && !edges.iter().any(|&(from, to, negated)| negated && component[from] == component[to])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn a_cycle_through_a_negation_is_told_step_by_step() {
        let text = r#"
(<= (p ?x) (q ?x) (not (r ?x)))
(<= (s ?x) (p ?x))
(<= (r ?x) (s ?x))
(q 1)
"#;
        let expected = r#"
error[L031] game:1:24: `p` depends on its own negation, so the rules have no unique model
 1 | (<= (p ?x) (q ?x) (not (r ?x)))
   |                        ^^^^^^
 1 | (<= (p ?x) (q ?x) (not (r ?x)))
   |     ------ `p` depends on the negation of `r`
 3 | (<= (r ?x) (s ?x))
   |            ------ `r` depends on `s`
 2 | (<= (s ?x) (p ?x))
   |            ------ `s` depends on `p`
  hint: break the cycle at one of these places
"#;
        assert_eq!(drawn(&UNSTRATIFIED, text), expected);
    }

    #[test]
    fn a_relation_that_negates_itself() {
        let text = r#"
(<= (win ?x) (move ?x ?y) (not (win ?y)))
"#;
        let expected = r#"
error[L031] game:1:32: `win` depends on its own negation, so the rules have no unique model
 1 | (<= (win ?x) (move ?x ?y) (not (win ?y)))
   |                                ^^^^^^^^
  hint: break the cycle at one of these places
"#;
        assert_eq!(drawn(&UNSTRATIFIED, text), expected);
    }

    #[test]
    fn negation_from_a_higher_stratum_is_fine() {
        let text = r#"
(<= (p ?x) (q ?x) (not (r ?x)))
(<= (r ?x) (q ?x) (r ?x))
"#;
        let expected = r#"
"#;
        assert_eq!(drawn(&UNSTRATIFIED, text), expected);
    }

    #[test]
    fn other_arguments_break_the_cycle() {
        let text = r#"
(<= (goal ?r 100) (won ?r))
(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
"#;
        let expected = r#"
warning[L039] game:2:32: `goal` depends on its own negation, with other arguments
 2 | (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
   |                                ^^^^^^^^^^^^^
  hint: the meaning is clear here, but not every system accepts it; a helper relation avoids it
"#;
        assert_eq!(drawn(&STRATIFIED_BY_CLAUSES, text), expected);
    }

    #[test]
    fn function_terms_are_compared_too() {
        let text = r#"
(<= (p (f ?x)) (q ?x) (not (p (g ?x a))))
(<= (p (g 1 ?x)) (q ?x))
"#;
        let expected = r#"
warning[L039] game:1:28: `p` depends on its own negation, with other arguments
 1 | (<= (p (f ?x)) (q ?x) (not (p (g ?x a))))
   |                            ^^^^^^^^^^^^
  hint: the meaning is clear here, but not every system accepts it; a helper relation avoids it
"#;
        assert_eq!(drawn(&STRATIFIED_BY_CLAUSES, text), expected);
    }
}
