//! What follows from the operands of one and-gate, and how the gate is simplified by it.

use ludex_logic::LimitError;

use super::rebuild::Site;
use crate::circuit::{GateBuilder, normalise};
use crate::{Edge, Gate};

/// Operands of operands are only looked into up to this number for one gate.
const LOOK_INTO: usize = 64;
/// Facts that one gate's operands may bring in.
const MOST_FACTS: usize = 512;

/// What one pass knows of edges that are true.
pub(super) trait Knowledge {
    /// The groups of a source of which at most one member is true; empty for every other gate.
    fn groups(&self, _gate: &Gate) -> &[u32] {
        &[]
    }

    /// What is true whenever this source is.
    fn implies(&self, _gate: &Gate, _site: &Site<'_>) -> Option<Edge> {
        None
    }

    /// Whether to look into the operands of uncomplemented and-gates.
    fn looks_into_operands(&self) -> bool {
        false
    }

    /// Rewrites the operands of a conjunction, sorted and without constants, in other ways.
    fn regroup(
        &mut self,
        _site: &mut Site<'_>,
        _uses: &dyn Fn(Edge) -> u32,
        _edges: &mut Vec<Edge>,
    ) -> Result<(), LimitError> {
        Ok(())
    }
}

/// What is known while one gate is simplified. Tables are kept between gates; an entry counts if it
/// bears the current stamp.
#[derive(Default)]
pub(super) struct Facts {
    stamp: u32,
    /// Per edge: it is one of the operands.
    given: Vec<u32>,
    /// Per edge: it follows from another operand.
    implied: Vec<u32>,
    /// Per group the member that is true.
    member: Vec<(u32, Edge)>,
    stack: Vec<Edge>,
    brought: usize,
}

impl Facts {
    fn clear(&mut self, builder: &GateBuilder) {
        if self.stamp == u32::MAX {
            *self = Self::default();
        }
        self.stamp += 1;
        self.brought = 0;
        let edges = builder.gates().len() * 2;
        if self.given.len() < edges {
            self.given.resize(edges, 0);
            self.implied.resize(edges, 0);
        }
    }

    fn is_marked(&self, table: &[u32], edge: Edge) -> bool {
        table.get(edge.index()) == Some(&self.stamp)
    }

    /// Whether another operand makes this edge true.
    fn follows(&self, knowledge: &impl Knowledge, builder: &GateBuilder, edge: Edge) -> bool {
        self.is_marked(&self.implied, edge)
            || (edge.is_complemented() && self.is_excluded(knowledge, builder, !edge))
    }

    /// Whether a member of one of the edge's groups is true, and it is not this one.
    fn is_excluded(&self, knowledge: &impl Knowledge, builder: &GateBuilder, edge: Edge) -> bool {
        !edge.is_complemented()
            && knowledge.groups(builder.gate(edge.gate())).iter().any(|&group| {
                let member = self.member.get(group as usize);
                member.is_some_and(|&(stamp, member)| stamp == self.stamp && member != edge)
            })
    }

    /// The value of an edge, where known.
    fn value(&self, knowledge: &impl Knowledge, builder: &GateBuilder, edge: Edge) -> Option<bool> {
        let is_true = |e: Edge| {
            self.is_marked(&self.given, e)
                || self.is_marked(&self.implied, e)
                || (e.is_complemented() && self.is_excluded(knowledge, builder, !e))
        };
        if is_true(edge) {
            Some(true)
        } else if is_true(!edge) {
            Some(false)
        } else {
            None
        }
    }

    /// Takes an operand as true, with all that follows; false if that contradicts what is known.
    fn assume(
        &mut self,
        knowledge: &impl Knowledge,
        site: &mut Site<'_>,
        operand: Edge,
    ) -> Result<bool, LimitError> {
        if self.value(knowledge, site.builder, operand) == Some(false) {
            return Ok(false);
        }
        self.given[operand.index()] = self.stamp;
        self.stack.clear();
        self.stack.push(operand);
        while let Some(edge) = self.stack.pop() {
            site.meter.spend(1)?;
            if edge.is_complemented() {
                continue;
            }
            let gate = site.builder.gate(edge.gate());
            for &group in knowledge.groups(gate) {
                let group = group as usize;
                if self.member.len() <= group {
                    self.member.resize(group + 1, (0, Edge::FALSE));
                }
                self.member[group] = (self.stamp, edge);
            }
            if self.brought > MOST_FACTS {
                continue;
            }
            let implied = knowledge.implies(gate, site);
            let operands = match gate {
                Gate::And(operands) if knowledge.looks_into_operands() || edge != operand => &**operands,
                _ => &[],
            };
            for &next in implied.iter().chain(operands) {
                site.meter.spend(1)?;
                match self.value(knowledge, site.builder, next) {
                    _ if next == Edge::FALSE => return Ok(false),
                    Some(false) => return Ok(false),
                    _ if self.is_marked(&self.implied, next) => {}
                    _ => {
                        self.implied[next.index()] = self.stamp;
                        self.stack.push(next);
                        self.brought += 1;
                    }
                }
            }
        }
        Ok(true)
    }

    /// Simplifies the conjunction of `edges` by what each operand says about the others, and makes its
    /// gate. `uses` tells of a new gate how many readers its old gates had.
    pub(super) fn conjunction(
        &mut self,
        knowledge: &impl Knowledge,
        site: &mut Site<'_>,
        uses: &impl Fn(Edge) -> u32,
        edges: &mut Vec<Edge>,
    ) -> Result<Edge, LimitError> {
        // A shortened operand can be news for the others; few gates need a third turn.
        for _ in 0..4 {
            if let Some(simple) = normalise(edges) {
                return Ok(simple);
            }
            self.clear(site.builder);
            for &edge in &*edges {
                if !self.assume(knowledge, site, edge)? {
                    return Ok(Edge::FALSE);
                }
            }
            // An operand that follows from another one can go: no two follow from each other, since
            // a gate only implies what comes before it or what it excludes, and that implies nothing.
            edges.retain(|&e| !self.follows(knowledge, site.builder, e));
            let mut news = false;
            let mut kept = 0;
            for at in 0..edges.len() {
                let shorter = self.shorten(knowledge, site, uses, edges[at])?;
                news |= shorter != edges[at];
                if shorter != Edge::TRUE {
                    edges[kept] = shorter;
                    kept += 1;
                }
            }
            edges.truncate(kept);
            if !news {
                break;
            }
        }
        Ok(site.builder.and(edges))
    }

    /// A complemented and-gate among the operands, without the operands of it that are known.
    fn shorten(
        &mut self,
        knowledge: &impl Knowledge,
        site: &mut Site<'_>,
        uses: &impl Fn(Edge) -> u32,
        edge: Edge,
    ) -> Result<Edge, LimitError> {
        let Some(inner) =
            site.builder.operands(edge).filter(|o| edge.is_complemented() && o.len() <= LOOK_INTO)
        else {
            return Ok(edge);
        };
        site.meter.spend(inner.len() as u64)?;
        let mut left: Vec<Edge> = Vec::new();
        let count = inner.len();
        for &operand in inner {
            match self.value(knowledge, site.builder, operand) {
                Some(false) => return Ok(Edge::TRUE),
                Some(true) => {}
                None => left.push(operand),
            }
        }
        if left.len() == count {
            return Ok(edge);
        }
        Ok(match left.len() {
            0 | 1 => !site.builder.and(&mut left),
            _ if uses(edge) <= 1 => !site.builder.and(&mut left),
            _ => site.builder.find(&left).map_or(edge, |found| !found),
        })
    }
}
