//! Rules for `sees` whose role nothing binds. Competitions of GDL-II were held with such rules: their
//! controller asked for the percepts of one role at a time, so that the role had a value before the body
//! was looked at. They mean every role, and that is how they are read.

use ludex_logic::{Atom, Formula, Pattern, VariableId};

use crate::check::binding::Bound;
use crate::check::registry::UNBOUND_PERCEIVER;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The variable in the place of the role of a head, where nothing in the body gives it a value.
pub(crate) fn unbound(head: &Atom, body: &Formula) -> Option<VariableId> {
    let &Pattern::Variable(variable) = head.args.first()? else { return None };
    let bound = Bound::by(body, &|atom, variables| atom.variables(&mut |v| variables.push(v)));
    (!bound.has(variable)).then_some(variable)
}

/// What to say where such a rule was completed; `variable` and `subgoal` as the rulesheet writes them.
pub(crate) fn warning(span: Span, variable: &str, subgoal: &str) -> Diagnostic {
    UNBOUND_PERCEIVER
        .at(span, format!("nothing binds the role `{variable}` of this `sees`: it is read as every role"))
        .hint(format!("write `{subgoal}` as a subgoal: other programs may refuse the rule"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::check::drawn;
    use crate::check::registry::UNSAFE;
    use crate::load::{LoadOptions, load};
    use crate::source::Source;

    #[test]
    fn the_role_of_a_percept_may_be_any() {
        let text = r#"
(<= (sees ?p (control ?r)) (true (control ?r)))
(<= (sees ?p light) (not (blind ?p)))
(sees ?p dawn)
(<= (sees ?p dark) (or (blind ?p) (true night)))
(<= (sees ?p a) (role ?p))
(<= (sees ?p (f ?x)) (role ?p))
"#;
        let expected = r#"
warning[L063] game:1:11: nothing binds the role `?p` of this `sees`: it is read as every role
 1 | (<= (sees ?p (control ?r)) (true (control ?r)))
   |           ^^
  hint: write `(role ?p)` as a subgoal: other programs may refuse the rule
warning[L063] game:2:11: nothing binds the role `?p` of this `sees`: it is read as every role
 2 | (<= (sees ?p light) (not (blind ?p)))
   |           ^^
  hint: write `(role ?p)` as a subgoal: other programs may refuse the rule
warning[L063] game:3:7: nothing binds the role `?p` of this `sees`: it is read as every role
 3 | (sees ?p dawn)
   |       ^^
  hint: write `(role ?p)` as a subgoal: other programs may refuse the rule
warning[L063] game:4:11: nothing binds the role `?p` of this `sees`: it is read as every role
 4 | (<= (sees ?p dark) (or (blind ?p) (true night)))
   |           ^^
  hint: write `(role ?p)` as a subgoal: other programs may refuse the rule
"#;
        assert_eq!(drawn(&UNBOUND_PERCEIVER, text), expected);
        // What is seen needs a value all the same.
        assert_eq!(drawn(&UNSAFE, text).matches("error").count(), 1);
    }

    #[test]
    fn such_a_rule_is_of_every_role() {
        let text = "(role a) (role b) (legal a x) (legal b x) (init p) (goal a 0) (goal b 0)
            (<= (sees ?r p) (true p)) (<= terminal (true q)) (<= (next q) (true p))";
        let checked = load(Arc::new(Source::new("x", text)), &LoadOptions::default());
        assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
        let game = checked.game.unwrap();
        let clause = game.program.clauses.iter().find(|c| c.head.relation == game.vocabulary.sees).unwrap();
        let Formula::And(parts) = &clause.body else { panic!("{:?}", clause.body) };
        assert!(matches!(&parts[..], [Formula::Atom(_), Formula::Atom(last)]
            if last.relation == game.vocabulary.role && last.args[0] == clause.head.args[0]));
    }
}
