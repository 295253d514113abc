//! Which relations are demand-driven: computed for bound arguments rather than whole.
//!
//! A relation such as `lessthan` over large numbers, or a counter with running totals, has a huge
//! model of which a state needs a few rows. Where every use binds some columns, those become its key:
//! a use demands one key at a time, and what was found is kept as long as the state it came from.

use super::body::{FlatAtom, FlatId};
use super::front::{Front, groups, uses};
use crate::binding::{Adornments, Sips, Variables, adorn, met};
use crate::budget::{LimitError, Meter};
use crate::ids::{Id, IdVec, RelationId};

/// Chains of relations that demand each other are not made longer than this, because they nest.
const NESTED: usize = 60;

/// The demand-driven relations: those with more than `threshold` possible rows all of whose uses bind
/// some columns.
pub(crate) fn choose(
    front: &Front,
    interface: &[RelationId],
    threshold: f64,
    meter: &mut Meter,
) -> Result<Adornments, LimitError> {
    let uses = uses(front.relations.len(), &front.rules);
    let (groups, group) = groups(&uses);
    let mut height = vec![0usize; groups.len()];
    for (number, members) in groups.iter().enumerate() {
        let below = members.iter().flat_map(|&m| uses[m].iter().map(|u| group[FlatId::from_index(u.0)]));
        height[number] = below.filter(|&g| g != number).map(|g| height[g] + 1).max().unwrap_or(0);
    }
    let large = front.relations.entries().map(|(id, relation)| {
        let is_named = relation.key.as_ref().is_some_and(|k| interface.contains(&k.relation));
        let has_rules = !uses[id.index()].is_empty();
        let is_candidate =
            !is_named && !relation.is_given && has_rules && relation.possible_rows() > threshold;
        let columns = 0..relation.domains.len() as u32;
        (is_candidate && height[group[id]] < NESTED).then(|| columns.collect())
    });
    adorn(&front.rules, &groups, &AfterOthers { group: &group }, large.collect(), meter)
}

/// What is computed whole comes first, then what has most of its key bound. What is computed before the
/// head comes before what is recursive, which needs what it binds.
struct AfterOthers<'a> {
    /// The component of each relation.
    group: &'a IdVec<FlatId, usize>,
}

impl Sips for AfterOthers<'_> {
    type Rank = (bool, bool, usize);

    fn rank(
        &self,
        head: FlatId,
        atom: &FlatAtom,
        adornment: Option<&[u32]>,
        bound: &Variables,
    ) -> Option<Self::Rank> {
        let columns = adornment?;
        let met = met(atom, columns, bound);
        let is_recursive = self.group[atom.relation] == self.group[head];
        Some((met == 0 && !columns.is_empty(), is_recursive, columns.len() - met))
    }
}
