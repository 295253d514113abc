//! Goes through a circuit and simplifies each conjunction by what a pass knows.

use ludex_logic::{LimitError, Meter};

use super::cones::readers;
use super::facts::{Facts, Knowledge};
use super::rebuild::{Rewrite, Site, rebuild};
use crate::circuit::normalise;
use crate::{Circuit, Edge, Gate, GateId};

/// Simplifies every gate that is not in `untouched` (no gate, if that is empty).
pub(super) fn simplify(
    circuit: &mut Circuit,
    knowledge: impl Knowledge,
    untouched: Vec<bool>,
    share: bool,
    meter: &mut Meter,
) -> Result<(), LimitError> {
    let readers = readers(circuit);
    let mut pass = Simplify { knowledge, facts: Facts::default(), readers, uses: Vec::new(), untouched };
    rebuild(circuit, &mut pass, share, meter).map(drop)
}

struct Simplify<K> {
    knowledge: K,
    facts: Facts,
    /// Readers of each old gate.
    readers: Vec<u32>,
    /// Readers of the old gates that each new gate stands for.
    uses: Vec<u32>,
    untouched: Vec<bool>,
}

impl<K: Knowledge> Rewrite for Simplify<K> {
    fn and(&mut self, site: &mut Site<'_>, gate: GateId, edges: &mut Vec<Edge>) -> Result<Edge, LimitError> {
        let uses = |edge: Edge| self.uses.get(edge.gate().index()).copied().unwrap_or(0);
        let new = if self.untouched.get(gate.index()) == Some(&true) {
            site.builder.and(edges)
        } else if let Some(simple) = normalise(edges) {
            simple
        } else {
            self.knowledge.regroup(site, &uses, edges)?;
            self.facts.conjunction(&self.knowledge, site, &uses, edges)?
        };
        if let Gate::And(_) = site.builder.gate(new.gate()) {
            let index = new.gate().index();
            if self.uses.len() <= index {
                self.uses.resize(index + 1, 0);
            }
            self.uses[index] += self.readers[gate.index()];
        }
        Ok(new)
    }
}
