//! What a state remembers of earlier ones, and the rules that see to it.

use ludex_logic::RelationId;

use super::writer::Writer;
use crate::source::Span;
use crate::tree::{Item, NodeId};

/// How far back something is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// For so many steps, from 1 on.
    Ago(u32),
    /// That it ever was so.
    Once,
    /// At which steps it was so.
    Past,
}

/// Something that is remembered: an atom without its step.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub reach: Reach,
    pub relation: RelationId,
    pub args: Vec<NodeId>,
    /// The same with variables numbered, to find it again.
    pub pattern: String,
    /// The literal that asks for it.
    pub span: Span,
}

impl Writer<'_> {
    /// The fact that something was so; `label` is the step of [`Reach::Past`].
    pub(super) fn memory_fact(
        &mut self,
        reach: Reach,
        relation: RelationId,
        args: &[NodeId],
        label: Option<NodeId>,
        span: Span,
    ) -> NodeId {
        let name = self.written_name(relation);
        let atom = self.sentence(&name, args, span);
        match reach {
            Reach::Ago(steps) => {
                let name = self.names.previous.clone();
                (0..steps).fold(atom, |term, _| self.sentence(&name, &[term], span))
            }
            Reach::Once => {
                let name = self.names.once.clone();
                self.sentence(&name, &[atom], span)
            }
            Reach::Past => {
                let name = self.names.past.clone();
                let args: Vec<NodeId> = std::iter::once(atom).chain(label).collect();
                self.sentence(&name, &args, span)
            }
        }
    }

    /// Sees to it that something is remembered.
    pub(super) fn remember(&mut self, reach: Reach, relation: RelationId, args: &[NodeId], span: Span) {
        // What was so two steps before is what was so one step before one step before.
        if let Reach::Ago(steps) = reach
            && steps > 1
        {
            self.remember(Reach::Ago(steps - 1), relation, args, span);
        }
        let pattern = self.tree.pattern(args);
        let is_known = |memory: &Memory| {
            memory.reach == reach && memory.relation == relation && memory.pattern == pattern
        };
        if !self.memories.iter().any(is_known) {
            self.memories.push(Memory { reach, relation, args: args.to_vec(), pattern, span });
        }
    }

    /// The rules by which the next state remembers.
    pub(super) fn memory_rules(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        for memory in self.memories.clone() {
            let Memory { reach, relation, args, span, .. } = memory;
            let label = (reach == Reach::Past).then(|| self.variable_beside("S", &args, span));
            let fact = self.memory_fact(reach, relation, &args, label, span);
            let mut body = match reach {
                Reach::Ago(steps) if steps > 1 => {
                    let before = self.memory_fact(Reach::Ago(steps - 1), relation, &args, None, span);
                    vec![self.holds(before, span)]
                }
                _ => self.present(relation, &args, span),
            };
            if let Some(label) = label {
                body.push(self.step_is(label, span));
            }
            items.push(self.next(fact, body, span));
            if !matches!(reach, Reach::Ago(_)) {
                let body = vec![self.holds(fact, span)];
                items.push(self.next(fact, body, span));
            }
        }
        items
    }

    fn next(&mut self, fact: NodeId, body: Vec<NodeId>, span: Span) -> Item {
        let head = self.sentence("next", &[fact], span);
        Item { head, body: Some(body), span }
    }
}
