//! Formulas that share their parts as bodies of clauses, which do not.

use ludex_logic::relational::{Edge, EdgeView, Grounding};
use ludex_logic::{Atom, Formula, Pattern, RelationId};

use crate::lower::MAX_NESTING;

/// The most parts of all formulas together, written without shared parts.
const MOST_PARTS: usize = 4_000_000;

/// Writes formulas without shared parts.
pub(super) struct Writer<'a> {
    grounding: &'a Grounding,
    /// What relations are called in the program.
    relation: &'a dyn Fn(RelationId) -> RelationId,
    parts: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(grounding: &'a Grounding, relation: &'a dyn Fn(RelationId) -> RelationId) -> Self {
        Self { grounding, relation, parts: 0 }
    }

    /// The body of a clause; none where all of them together get too large, or this one too deep.
    pub(super) fn body(&mut self, edge: Edge) -> Option<Formula> {
        Some(match self.formula(edge, 1)? {
            Formula::And(parts) => Formula::And(parts),
            other => Formula::And(vec![other]),
        })
    }

    fn formula(&mut self, edge: Edge, depth: usize) -> Option<Formula> {
        self.parts += 1;
        if self.parts > MOST_PARTS || depth > MAX_NESTING {
            return None;
        }
        let (grounding, relation) = (self.grounding, self.relation);
        let mut part = |edge: Edge| self.formula(edge, depth + 1);
        let negated = edge.is_negated();
        Some(match grounding.formulas.view(edge) {
            EdgeView::True if negated => Formula::Or(Vec::new()),
            EdgeView::True => Formula::TRUE,
            EdgeView::Atom(atom) => {
                let atom = &grounding.atoms[atom];
                let args = atom.args.iter().map(|&arg| Pattern::Ground(arg)).collect();
                let atom = Formula::Atom(Atom { relation: relation(atom.relation), args });
                if negated { Formula::Not(Box::new(atom)) } else { atom }
            }
            EdgeView::And(parts) if negated => {
                Formula::Or(parts.iter().map(|&edge| part(!edge)).collect::<Option<_>>()?)
            }
            EdgeView::And(parts) => {
                Formula::And(parts.iter().map(|&edge| part(edge)).collect::<Option<_>>()?)
            }
            EdgeView::Iff(one, other) => {
                let other = if negated { !other } else { other };
                let both = Formula::And(vec![part(one)?, part(other)?]);
                let neither = Formula::And(vec![part(!one)?, part(!other)?]);
                Formula::Or(vec![both, neither])
            }
        })
    }
}
