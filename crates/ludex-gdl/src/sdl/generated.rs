//! Rules that no author wrote: which step it is, and what other rules turned out to need.

use ludex_logic::RelationId;

use super::conversion::Conversion;
use super::memory::Reach;
use super::placement::Version;
use crate::source::Span;
use crate::tree::{Item, NodeId, Rulesheet};

impl Conversion<'_, '_> {
    /// The rules of the fact that says which step it is.
    pub(super) fn step_rules(&mut self, has_end: bool) -> Vec<Item> {
        let writer = &mut self.writer;
        let at = |name: &str, rulesheet: &Rulesheet| {
            let found = rulesheet
                .items
                .iter()
                .find(|item| rulesheet.tree.head(item.head).is_some_and(|(head, _)| head == name));
            found.map_or(Span::default(), |item| item.span)
        };
        let span = at("step", self.rulesheet);
        let name = writer.names.step.clone();
        let mut rules = Vec::new();
        if let Some(first) = writer.step(0, span) {
            let fact = writer.sentence(&name, &[first], span);
            rules.push(Item { head: writer.sentence("init", &[fact], span), body: None, span });
        }
        let after = at("successor", self.rulesheet);
        let [now, next] = ["M", "N"].map(|name| writer.variable(name, after));
        let fact = writer.sentence(&name, &[next], after);
        let head = writer.sentence("next", &[fact], after);
        let body = vec![writer.step_is(now, after), writer.sentence("successor", &[now, next], after)];
        rules.push(Item { head, body: Some(body), span: after });
        if !has_end && let Some(last) = writer.step(writer.order.chain.last(), span) {
            let head = writer.sentence("terminal", &[], span);
            rules.push(Item { head, body: Some(vec![writer.step_is(last, span)]), span });
        }
        rules
    }

    /// The rules that others turned out to need.
    pub(super) fn helper_rules(&mut self) -> Vec<Item> {
        let truth = self.game.vocabulary.truth;
        let writer = &mut self.writer;
        let span = Span::default();
        let mut rules = Vec::new();
        let mut rule = |head: NodeId, body: Vec<NodeId>| rules.push(Item { head, body: Some(body), span });
        for (version, name) in [(Version::Next, "next"), (Version::First, "init")] {
            if writer.needed.contains(&(truth, version)) {
                let fact = writer.variable("F", span);
                let holds = writer.names.holds(version).to_owned();
                rule(writer.sentence(name, &[fact], span), vec![writer.sentence(&holds, &[fact], span)]);
            }
        }
        if writer.asks_earlier {
            let [s, t, u] = ["S", "T", "U"].map(|name| writer.variable(name, span));
            let earlier = writer.names.earlier.clone();
            let head = writer.sentence(&earlier, &[s, t], span);
            rule(head, vec![writer.sentence("successor", &[s, t], span)]);
            let before = writer.sentence(&earlier, &[s, u], span);
            rule(head, vec![before, writer.sentence("successor", &[u, t], span)]);
        }
        if writer.asks_any_fact {
            let [a, s] = ["A", "S"].map(|name| writer.variable(name, span));
            let has = |wanted: fn(Reach) -> bool| writer.memories.iter().any(|memory| wanted(memory.reach));
            let facts = [
                (true, writer.names.step.clone(), vec![a]),
                (has(|reach| matches!(reach, Reach::Ago(_))), writer.names.previous.clone(), vec![a]),
                (has(|reach| reach == Reach::Once), writer.names.once.clone(), vec![a]),
                (has(|reach| reach == Reach::Past), writer.names.past.clone(), vec![a, s]),
            ];
            let remembered = writer.names.remembered.clone();
            for (_, name, args) in facts.into_iter().filter(|(is_used, ..)| *is_used) {
                let fact = writer.sentence(&name, &args, span);
                rule(writer.sentence(&remembered, &[fact], span), vec![writer.holds(fact, span)]);
            }
        }
        rules.extend(self.declarations());
        rules
    }

    /// Declares the facts of the memory, where the author declares facts.
    fn declarations(&mut self) -> Vec<Item> {
        let vocabulary = &self.game.vocabulary;
        let program = &self.game.program;
        let declares =
            |relation: RelationId| program.clauses.iter().any(|clause| clause.head.relation == relation);
        let mut rules = Vec::new();
        if !declares(vocabulary.base) {
            return rules;
        }
        let has_inputs = declares(vocabulary.input);
        let writer = &mut self.writer;
        let span = Span::default();
        let label = writer.variable("S", span);
        let is_step = writer.sentence("step", &[label], span);
        let name = writer.names.step.clone();
        let fact = writer.sentence(&name, &[label], span);
        rules.push(Item { head: writer.sentence("base", &[fact], span), body: Some(vec![is_step]), span });
        // `base` itself cannot be asked for what it declares: each declaration would give another one.
        let declared: Vec<&Item> = self
            .rulesheet
            .items
            .iter()
            .filter(|item| self.rulesheet.tree.head(item.head) == Some(("base", 1)))
            .filter(|item| {
                item.body.iter().flatten().all(|&node| !self.rulesheet.tree.mentions(node, "base"))
            })
            .collect();
        for memory in writer.memories.clone() {
            let mut kinds: Vec<(Vec<NodeId>, Vec<NodeId>)> = Vec::new();
            if memory.relation == vocabulary.truth {
                kinds.extend(declared.iter().map(|item| {
                    (self.rulesheet.tree.children(item.head).to_vec(), item.body.clone().unwrap_or_default())
                }));
            } else if memory.relation == vocabulary.does && has_inputs {
                let input = writer.sentence("input", &memory.args, span);
                kinds.push((memory.args.clone(), vec![input]));
            }
            for (args, mut body) in kinds {
                let is_past = memory.reach == Reach::Past;
                let all: Vec<NodeId> = args.iter().chain(&body).copied().collect();
                let label = writer.variable_beside("S", &all, span);
                let fact =
                    writer.memory_fact(memory.reach, memory.relation, &args, is_past.then_some(label), span);
                if is_past {
                    body.push(writer.sentence("step", &[label], span));
                }
                let body = (!body.is_empty()).then_some(body);
                let head = writer.sentence("base", &[fact], span);
                let is_same = |known: &Item| {
                    let (known_body, body) =
                        (known.body.as_deref().unwrap_or(&[]), body.as_deref().unwrap_or(&[]));
                    let is_same = |(&one, &other): (&NodeId, &NodeId)| writer.same(one, other);
                    writer.same(known.head, head)
                        && known_body.len() == body.len()
                        && known_body.iter().zip(body).all(is_same)
                };
                if !rules.iter().any(is_same) {
                    rules.push(Item { head, body, span });
                }
            }
        }
        rules
    }
}
