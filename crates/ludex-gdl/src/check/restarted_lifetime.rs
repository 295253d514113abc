//! Rules that keep a fact but give it its lifetime anew at every update, so that it may never expire: mostly
//! `infinity`, or a number, stands where the variable of the lifetime was meant.

use ludex_logic::{Id, Pattern};

use crate::check::context::Context;
use crate::check::fact_rules::{fact_rules, finite_shapes, is_infinite};
use crate::check::registry::RESTARTED_LIFETIME;
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let rules = fact_rules(context);
    let finite = finite_shapes(context, &rules);
    for rule in &rules {
        let variable = rule.kept.iter().find_map(|kept| match kept {
            Pattern::Variable(variable) => Some(*variable),
            _ => None,
        });
        let Some(variable) = variable else { continue };
        let may_be_finite = rule.shape.is_none_or(|shape| finite.contains(&shape));
        if rule.is_initial || !rule.lifetime.is_ground() || !rule.applies_at_any_event() || !may_be_finite {
            continue;
        }
        let clause = &context.program.clauses[rule.clause];
        let head = context.rulesheet.items[rule.clause.index()].head;
        let node = context.tree.children(head).first().copied().unwrap_or(head);
        let span = context.tree.span(node);
        let written = context.rulesheet.source.slice(span);
        let name = context.variable(clause.variables[variable]);
        let message = if is_infinite(context, rule.lifetime) {
            "this rule keeps a fact, and makes it hold for ever: it never expires".to_owned()
        } else {
            format!("this rule keeps a fact, and starts its lifetime of {written} anew at every update")
        };
        found.push(RESTARTED_LIFETIME.at(span, message).hint(format!(
            "write `{name}` in the place of `{written}` to keep what is left of the lifetime"
        )));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn a_frame_keeps_what_is_left() {
        let text = r#"
(init 1 (cat ?c))
(init infinity wall)
(<= (next infinity (cat ?c)) (true ?t (cat ?c)))
(<= (next 2.50 (cat ?c)) (true ?t (cat ?c)) (not (true 1 wall)))
(<= (next 1 (cat ?c)) (true ?t (cat ?c)) (does ?r (feed ?c)))
(<= (next infinity wall) (true ?t wall))
(<= (next ?t (cat ?c)) (true ?t (cat ?c)))
"#;
        let expected = r#"
warning[L067] game:3:11: this rule keeps a fact, and makes it hold for ever: it never expires
 3 | (<= (next infinity (cat ?c)) (true ?t (cat ?c)))
   |           ^^^^^^^^
  hint: write `?t` in the place of `infinity` to keep what is left of the lifetime
warning[L067] game:4:11: this rule keeps a fact, and starts its lifetime of 2.50 anew at every update
 4 | (<= (next 2.50 (cat ?c)) (true ?t (cat ?c)) (not (true 1 wall)))
   |           ^^^^
  hint: write `?t` in the place of `2.50` to keep what is left of the lifetime
"#;
        assert_eq!(drawn(&RESTARTED_LIFETIME, text), expected);
    }
}
