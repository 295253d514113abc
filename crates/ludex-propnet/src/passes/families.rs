//! Families of sources of which at most one is true, as the knowledge of a pass.

use ludex_logic::LimitError;
use rustc_hash::FxHashMap;

use super::facts::Knowledge;
use super::rebuild::Site;
use crate::{Edge, Gate};

/// Families of bases or inputs.
#[derive(Default)]
pub(super) struct Families {
    /// The members, sorted, where exactly one of them is true; empty for a family where all can be
    /// false.
    complete: Vec<Vec<Gate>>,
    /// The families of each source.
    of: FxHashMap<Gate, Vec<u32>>,
}

impl Families {
    /// Adds a family of which at most one member is true, or exactly one.
    pub(super) fn add(&mut self, members: impl IntoIterator<Item = Gate>, exactly_one: bool) {
        let number = self.complete.len() as u32;
        let mut members: Vec<Gate> = members.into_iter().collect();
        members.sort_unstable_by_key(key);
        for member in &members {
            self.of.entry(member.clone()).or_default().push(number);
        }
        if !exactly_one {
            members.clear();
        }
        self.complete.push(members);
    }

    /// The complemented operands that are members of families in which exactly one is true.
    fn said_false(&self, site: &Site<'_>, edges: &[Edge]) -> Vec<(u32, Edge)> {
        let mut said = Vec::new();
        for &edge in edges.iter().filter(|e| e.is_complemented()) {
            for &family in self.groups(site.builder.gate(edge.gate())) {
                if !self.complete[family as usize].is_empty() {
                    said.push((family, edge));
                }
            }
        }
        said.sort_unstable();
        said
    }
}

/// An order of the sources.
fn key(gate: &Gate) -> (u8, u32, u32) {
    match gate {
        Gate::False => (0, 0, 0),
        Gate::Base(base) => (1, *base, 0),
        Gate::Input(role, action) => (2, *role, *action),
        Gate::Feedback(number) => (3, *number, 0),
        Gate::And(_) => (4, 0, 0),
    }
}

impl Knowledge for Families {
    fn groups(&self, gate: &Gate) -> &[u32] {
        match gate {
            Gate::Base(_) | Gate::Input(..) => self.of.get(gate).map_or(&[], Vec::as_slice),
            _ => &[],
        }
    }

    /// Says "none of these" as "one of the others" where there are fewer others.
    fn regroup(
        &mut self,
        site: &mut Site<'_>,
        _uses: &dyn Fn(Edge) -> u32,
        edges: &mut Vec<Edge>,
    ) -> Result<(), LimitError> {
        site.meter.spend(edges.len() as u64)?;
        let said = self.said_false(site, edges);
        for of_family in said.chunk_by(|a, b| a.0 == b.0) {
            let members = &self.complete[of_family[0].0 as usize];
            if of_family.len() * 2 <= members.len() {
                continue;
            }
            // An operand may have gone on behalf of another family.
            let mut none: Vec<Edge> = Vec::new();
            edges.sort_unstable();
            if of_family.iter().any(|(_, edge)| edges.binary_search(edge).is_err()) {
                continue;
            }
            site.meter.spend(members.len() as u64 + edges.len() as u64)?;
            for member in members {
                let other = !site.builder.source(member.clone());
                if of_family.binary_search(&(of_family[0].0, other)).is_err() {
                    none.push(other);
                }
            }
            edges.retain(|&edge| of_family.binary_search(&(of_family[0].0, edge)).is_err());
            edges.push(!site.builder.and(&mut none));
        }
        Ok(())
    }
}
