//! Lifetimes that are no number greater than 0 (rtGDL paper, sections 2 and 3): in the text, or among the facts of a
//! relation that a rule takes them from. What a state brings about is found out while the game runs.

use ludex_logic::{Clause, ClauseId, Formula, Pattern, RelationId, TermId, TermView, VariableId};
use rustc_hash::FxHashMap;

use crate::check::context::Context;
use crate::check::registry::LIFETIME;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::time::{Lifetime, LifetimeError, TimeError};
use crate::tree::NodeId;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    if context.vocabulary.expired.is_none() {
        return;
    }
    let v = context.vocabulary;
    let mut listed = Listed { context, wrong: FxHashMap::default() };
    for (id, clause, item) in context.clauses() {
        let relation = clause.head.relation;
        if (relation != v.init && relation != v.next) || context.broken[id] {
            continue;
        }
        match clause.head.args.first() {
            Some(Pattern::Variable(variable)) => listed.check(id, clause, *variable, item.head, found),
            Some(lifetime) => {
                let hint = "write how long the fact holds from the update on, or `infinity`";
                written(context, lifetime, item.head, hint, found);
            }
            None => {}
        }
    }
    for literal in context.literals() {
        let Some(atom) = literal.atom().filter(|atom| atom.relation == v.truth) else { continue };
        let Some(lifetime) = atom.args.first() else { continue };
        let hint = "no fact holds with that lifetime; what has just ended is told by `expired`";
        written(context, lifetime, literal.node, hint, found);
    }
}

/// So many facts that are no lifetimes are looked at for each rule that may take them.
const MOST_COMPARED: usize = 100;

/// Why a term is no lifetime, if it is none.
fn fault(context: &Context<'_>, term: TermId) -> Option<String> {
    let terms = &context.program.terms;
    let error = match terms.view(term) {
        TermView::Constant(symbol) => {
            let name = terms.name(symbol);
            let error = Lifetime::parse(name).err()?;
            let is_decimal = error != LifetimeError::NoTime(TimeError::NoDecimal);
            if is_decimal && error != LifetimeError::NotPositive && name.contains('.') {
                // Lowering has reported this one.
                return None;
            }
            error
        }
        TermView::Compound(..) => LifetimeError::NoTime(TimeError::NoDecimal),
    };
    Some(error.to_string())
}

/// The first argument of a sentence, or all of it.
fn lifetime_span(context: &Context<'_>, sentence: NodeId) -> Span {
    let node = context.tree.children(sentence).first().copied().unwrap_or(sentence);
    context.tree.span(node)
}

fn written(
    context: &Context<'_>,
    lifetime: &Pattern,
    sentence: NodeId,
    hint: &str,
    found: &mut Vec<Diagnostic>,
) {
    let why = match lifetime {
        Pattern::Variable(_) => return,
        Pattern::Ground(term) => match fault(context, *term) {
            Some(why) => why,
            None => return,
        },
        Pattern::Compound(..) => LifetimeError::NoTime(TimeError::NoDecimal).to_string(),
    };
    let span = lifetime_span(context, sentence);
    let text = context.rulesheet.source.slice(span);
    found.push(LIFETIME.at(span, format!("the lifetime `{text}` {why}")).hint(hint));
}

/// What stands in the arguments of relations that are lists of facts.
struct Listed<'c, 'a> {
    context: &'c Context<'a>,
    /// The terms in an argument that are no lifetimes, with their clauses; `None` where rules derive the relation.
    wrong: FxHashMap<(RelationId, usize), Option<FxHashMap<TermId, ClauseId>>>,
}

impl Listed<'_, '_> {
    /// Looks at where a variable that stands for a lifetime has its values from.
    fn check(
        &mut self,
        id: ClauseId,
        clause: &Clause,
        variable: VariableId,
        head: NodeId,
        found: &mut Vec<Diagnostic>,
    ) {
        let mut sources = Vec::new();
        for part in clause.body.conjuncts() {
            let Formula::Atom(atom) = part else { continue };
            for (place, argument) in atom.args.iter().enumerate() {
                if *argument != Pattern::Variable(variable) {
                    continue;
                }
                if atom.relation == self.context.vocabulary.truth && place == 0 {
                    // Lifetimes of what holds are greater than 0.
                    return;
                }
                sources.push((atom.relation, place));
            }
        }
        let Some((term, fact)) = self.common(&sources, clause, variable) else { return };
        let context = self.context;
        let name = context.variable(clause.variables[variable]);
        let text = context.program.terms.shown_in(term, context.rulesheet.notation);
        let why = fault(context, term).unwrap_or_default();
        let span = context.variable_span(head, clause, variable).unwrap_or_else(|| context.span(id));
        found.push(
            LIFETIME
                .at(span, format!("the lifetime `{name}` can be `{text}`, which {why}"))
                .label(context.head_span(fact), format!("here `{name}` is `{text}`"))
                .hint("every lifetime is a decimal number greater than 0, or `infinity`"),
        );
    }

    /// The first term that is no lifetime and is listed in all of these arguments.
    fn common(
        &mut self,
        sources: &[(RelationId, usize)],
        clause: &Clause,
        variable: VariableId,
    ) -> Option<(TermId, ClauseId)> {
        for &source in sources {
            self.list(source);
        }
        let mut lists = sources.iter().filter_map(|source| self.wrong.get(source)?.as_ref());
        let first = lists.next()?;
        let others: Vec<_> = lists.collect();
        let excluded = |term: TermId| {
            let pair = [Pattern::Variable(variable), Pattern::Ground(term)];
            clause.body.conjuncts().iter().any(|part| match part {
                Formula::Distinct(a, b) => [a, b] == [&pair[0], &pair[1]] || [b, a] == [&pair[0], &pair[1]],
                _ => false,
            })
        };
        let common = first
            .iter()
            .take(MOST_COMPARED)
            .filter(|(term, _)| others.iter().all(|list| list.contains_key(*term)));
        common
            .map(|(&term, &fact)| (term, fact))
            .filter(|&(term, _)| !excluded(term))
            .min_by_key(|&(_, fact)| fact)
    }

    fn list(&mut self, (relation, place): (RelationId, usize)) {
        let context = self.context;
        self.wrong.entry((relation, place)).or_insert_with(|| {
            let mut wrong = FxHashMap::default();
            if context.program.is_given(relation) {
                return None;
            }
            for &id in &context.clauses_by_head[relation] {
                let clause = &context.program.clauses[id];
                let term = clause.head.args.get(place)?.ground().filter(|_| clause.is_fact())?;
                if fault(context, term).is_some() {
                    wrong.entry(term).or_insert(id);
                }
            }
            Some(wrong)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn lifetimes_in_the_text_are_greater_than_0() {
        let text = r#"
(init 0 p)
(init abc p)
(init 0.5 p)
(<= (next -1 p) (true 0.0 p))
(<= (next (s ?t) p) (true ?t p))
(<= (next ?t p) (true ?t p))
"#;
        let expected = r#"
error[L065] game:1:7: the lifetime `0` is not greater than 0
 1 | (init 0 p)
   |       ^
  hint: write how long the fact holds from the update on, or `infinity`
error[L065] game:2:7: the lifetime `abc` is neither a decimal number nor `infinity`
 2 | (init abc p)
   |       ^^^
  hint: write how long the fact holds from the update on, or `infinity`
error[L065] game:4:11: the lifetime `-1` is not greater than 0
 4 | (<= (next -1 p) (true 0.0 p))
   |           ^^
  hint: write how long the fact holds from the update on, or `infinity`
error[L065] game:4:23: the lifetime `0.0` is not greater than 0
 4 | (<= (next -1 p) (true 0.0 p))
   |                       ^^^
  hint: no fact holds with that lifetime; what has just ended is told by `expired`
error[L065] game:5:11: the lifetime `(s ?t)` is neither a decimal number nor `infinity`
 5 | (<= (next (s ?t) p) (true ?t p))
   |           ^^^^^^
  hint: write how long the fact holds from the update on, or `infinity`
"#;
        assert_eq!(drawn(&LIFETIME, text), expected);
    }

    #[test]
    fn lifetimes_from_facts_are_greater_than_0() {
        let text = r#"
(cost barracks 6.0)
(cost hut 0)
(slow barracks 6.0)
(init infinity (p))
(<= (next ?t (built ?b)) (does ?r (build ?b)) (cost ?b ?t))
(<= (next ?t (built ?b)) (does ?r (build ?b)) (cost ?b ?t) (slow ?b ?t))
(<= (next ?t (built ?b)) (does ?r (build ?b)) (cost ?b ?t) (distinct ?t 0))
(<= (next ?t (built ?b)) (true ?t (built ?b)) (cost ?b ?t))
"#;
        let expected = r#"
error[L065] game:5:11: the lifetime `?t` can be `0`, which is not greater than 0
 5 | (<= (next ?t (built ?b)) (does ?r (build ?b)) (cost ?b ?t))
   |           ^^
 2 | (cost hut 0)
   | ------------ here `?t` is `0`
  hint: every lifetime is a decimal number greater than 0, or `infinity`
"#;
        assert_eq!(drawn(&LIFETIME, text), expected);
    }

    #[test]
    fn numbers_elsewhere_may_be_anything() {
        assert_eq!(drawn(&LIFETIME, "(init 1 (p 0)) (<= (next ?t (p 0)) (true ?t (p -1)))"), "\n");
        assert_eq!(drawn(&LIFETIME, "(init (p 0)) (<= (next p) (true (p -1)))"), "\n");
    }
}
