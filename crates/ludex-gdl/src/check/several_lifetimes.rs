//! Facts that hold with several lifetimes at once. A state is a set of pairs (rtGDL paper, section 3), so that this
//! has a meaning: such a fact expires several times.

use ludex_logic::{Pattern, TermId};
use rustc_hash::FxHashMap;

use crate::check::context::Context;
use crate::check::fact_rules::{FactRule, fact_rules};
use crate::check::registry::SEVERAL_LIFETIMES;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

const HINT: &str = "the fact then holds with both, and expires once for each";

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let rules = fact_rules(context);
    at_first(context, &rules, found);
    beside_a_frame(context, &rules, found);
}

/// Two facts of `init` about one fact.
fn at_first(context: &Context<'_>, rules: &[FactRule<'_>], found: &mut Vec<Diagnostic>) {
    let mut lifetimes: FxHashMap<TermId, (TermId, Span)> = FxHashMap::default();
    for rule in rules.iter().filter(|rule| rule.is_initial && context.program.clauses[rule.clause].is_fact())
    {
        let (&Pattern::Ground(lifetime), &Pattern::Ground(fact)) = (rule.lifetime, rule.fact) else {
            continue;
        };
        let span = context.head_span(rule.clause);
        let &mut (first, place) = lifetimes.entry(fact).or_insert((lifetime, span));
        if first != lifetime {
            let text = context.program.terms.shown_in(fact, context.rulesheet.notation);
            found.push(
                SEVERAL_LIFETIMES
                    .at(span, format!("`{text}` has another lifetime here than before"))
                    .label(place, "it was given one here")
                    .hint(HINT),
            );
        }
    }
}

/// A rule that gives a fact another lifetime while a rule without conditions keeps the one it has.
fn beside_a_frame(context: &Context<'_>, rules: &[FactRule<'_>], found: &mut Vec<Diagnostic>) {
    let is_plain = |rule: &&FactRule<'_>| {
        rule.is_frame()
            && rule.covers_shape()
            && context.program.clauses[rule.clause].body.conjuncts().len() == 1
    };
    let mut frames = FxHashMap::default();
    for frame in rules.iter().filter(is_plain) {
        frames.entry(frame.shape).or_insert(frame);
    }
    for rule in rules.iter().filter(|rule| !rule.is_initial && !rule.kept.is_empty() && !rule.is_frame()) {
        let Some(frame) = frames.get(&rule.shape).or_else(|| frames.get(&None)) else { continue };
        found.push(
            SEVERAL_LIFETIMES
                .at(
                    context.head_span(rule.clause),
                    "this gives a fact that holds another lifetime beside its own",
                )
                .label(context.span(frame.clause), "this rule keeps the fact with the lifetime that it has")
                .hint(HINT),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn one_fact_may_have_two_lifetimes() {
        let text = r#"
(init 1 p)
(init 2.0 p)
(init 1.0 p)
(<= (next 3 (cat ?c)) (true ?t (cat ?c)) (does ?r (feed ?c)))
(<= (next ?t (cat ?c)) (true ?t (cat ?c)))
(<= (next 3 (dog ?c)) (true ?t (dog ?c)) (does ?r (feed ?c)))
(<= (next ?t (dog ?c)) (true ?t (dog ?c)) (not (does a (feed ?c))))
"#;
        let expected = r#"
note[L068] game:2:1: `p` has another lifetime here than before
 2 | (init 2.0 p)
   | ^^^^^^^^^^^^
 1 | (init 1 p)
   | ---------- it was given one here
  hint: the fact then holds with both, and expires once for each
note[L068] game:4:5: this gives a fact that holds another lifetime beside its own
 4 | (<= (next 3 (cat ?c)) (true ?t (cat ?c)) (does ?r (feed ?c)))
   |     ^^^^^^^^^^^^^^^^^
 5 | (<= (next ?t (cat ?c)) (true ?t (cat ?c)))
   | ------------------------------------------ this rule keeps the fact with the lifetime that it has
  hint: the fact then holds with both, and expires once for each
"#;
        assert_eq!(drawn(&SEVERAL_LIFETIMES, text), expected);
    }
}
