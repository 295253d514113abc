//! Facts that an update can lose before their lifetime is over: a state has only what `next` gives it, so that a fact
//! needs a rule for every event that comes before its own end, be it a move or the end of another fact.

use rustc_hash::FxHashMap;

use crate::check::context::{Context, Shape};
use crate::check::fact_rules::{Event, FactRule, fact_rules, finite_shapes};
use crate::check::registry::LOST_FACT;
use crate::diagnostic::Diagnostic;

/// Facts in a rulesheet that are looked at: each is compared with each.
const MOST_SHAPES: usize = 1000;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let rules = fact_rules(context);
    let finite = finite_shapes(context, &rules);
    if finite.len() > MOST_SHAPES {
        return;
    }
    // In the order of the text.
    let mut shapes: Vec<Shape> = Vec::new();
    for rule in &rules {
        shapes.extend(rule.shape.filter(|shape| finite.contains(shape) && !shapes.contains(shape)));
    }
    let mut events: Vec<Event> = shapes.iter().map(|&shape| Event::Expiry(shape)).collect();
    if !context.clauses_by_head[context.vocabulary.legal].is_empty() {
        events.insert(0, Event::Move);
    }
    events.retain(|&event| !ends_the_game(context, event));
    let mut by_shape: FxHashMap<Option<Shape>, Vec<&FactRule<'_>>> = FxHashMap::default();
    for rule in rules.iter().filter(|rule| !rule.is_initial) {
        by_shape.entry(rule.shape).or_default().push(rule);
    }
    let is_kept = |shape: Shape, event: Event| {
        let mut giving = [None, Some(shape)].into_iter().filter_map(|key| by_shape.get(&key)).flatten();
        giving.any(|rule| rule.may_apply_at(event))
    };
    for &shape in &shapes {
        let others = events.iter().filter(|&&event| event != Event::Expiry(shape));
        let lost = others.copied().find(|&event| !is_kept(shape, event));
        let given = rules.iter().find(|rule| rule.shape == Some(shape));
        if let (Some(event), Some(given)) = (lost, given) {
            found.push(diagnostic(context, shape, event, given));
        }
    }
}

/// Whether the game is over when such a fact expires, so that nothing matters any more.
fn ends_the_game(context: &Context<'_>, event: Event) -> bool {
    let Event::Expiry(shape) = event else { return false };
    context.clauses_by_head[context.vocabulary.terminal].iter().any(|&id| {
        let [only] = context.literals_of(id) else { return false };
        let atom = only.atom().filter(|atom| Some(atom.relation) == context.vocabulary.expired);
        !only.negated
            && atom.is_some_and(|atom| atom.args.iter().all(|fact| context.shape(fact) == Some(shape)))
    })
}

fn diagnostic(context: &Context<'_>, shape: Shape, event: Event, given: &FactRule<'_>) -> Diagnostic {
    let name = |shape: Shape| context.program.terms.name(shape.0);
    let lost = name(shape);
    let when = match event {
        Event::Move => "somebody moves".to_owned(),
        Event::Expiry(other) => format!("`{}` expires", name(other)),
    };
    let fact = match shape.1 {
        None => lost.to_owned(),
        Some(arity) => {
            let variables: Vec<String> =
                (1..=arity).map(|n| context.rulesheet.notation.variable(&format!("X{n}"))).collect();
            let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
            context.sample(lost, &variables)
        }
    };
    let time = context.rulesheet.notation.variable("T");
    let [next, holds] = ["next", "true"].map(|relation| context.sample(relation, &[&time, &fact]));
    LOST_FACT
        .at(
            context.head_span(given.clause),
            format!(
                "`{lost}` is lost before its lifetime is over when {when}: no rule of `next` keeps it then"
            ),
        )
        .hint(format!("`{next}` under the condition `{holds}` keeps it with what is left of its lifetime"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn a_fact_needs_a_rule_for_every_event() {
        let text = r#"
(init 5 bomb)
(init 1 (cat ?c))
(<= (next 2 (cat ?c)) (expired (cat ?c)))
(<= (next ?t (cat ?c)) (true ?t (cat ?c)))
(legal a wait)
"#;
        let expected = r#"
warning[L066] game:1:1: `bomb` is lost before its lifetime is over when somebody moves: no rule of `next` keeps it then
 1 | (init 5 bomb)
   | ^^^^^^^^^^^^^
  hint: `(next ?T bomb)` under the condition `(true ?T bomb)` keeps it with what is left of its lifetime
"#;
        assert_eq!(drawn(&LOST_FACT, text), expected);
        let quiet = text.replace("(legal a wait)", "(<= terminal (expired (cat ?c)))");
        assert_eq!(drawn(&LOST_FACT, &quiet), "\n");
        let kept = text.replace("(init 5 bomb)", "(init 5 bomb) (<= (next ?t bomb) (true ?t bomb))");
        assert_eq!(drawn(&LOST_FACT, &kept), "\n");
        let all = text.replace("(init 5 bomb)", "(init 5 bomb) (<= (next ?t ?f) (true ?t ?f))");
        assert_eq!(drawn(&LOST_FACT, &all), "\n");
    }

    #[test]
    fn what_every_move_gives_anew_needs_no_more() {
        let text =
            "(init 1.0 (control x)) (<= (next 1.0 (control ?s)) (does ?r ?m) (other ?r ?s)) (other x o)
            (legal x go) (<= terminal (expired (control ?r)))";
        assert_eq!(drawn(&LOST_FACT, text), "\n");
        let two = format!("{text} (init 3 bell)");
        let found = drawn(&LOST_FACT, &two);
        assert!(
            found.contains("`control` is lost before its lifetime is over when `bell` expires"),
            "{found}"
        );
        assert!(found.contains("`bell` is lost before its lifetime is over when somebody moves"), "{found}");
    }
}
