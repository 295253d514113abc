//! Ways through groups of propositions of which at most one is true.

use ludex_logic::TermId;
use ludex_logic::scc::components;
use ludex_propnet::Invariants;

use super::Latches;
use super::disjunction::Group;
use super::generator::Generator;
use crate::Faithful;
use crate::finding::Reason;

/// Larger groups are left alone: they are boards or hands rather than counters.
pub(super) const MOST_MEMBERS: usize = 512;

/// Propositions that follow each other in a group of which at most one is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The propositions, which may come back to each other. A stage without members is that none of the
    /// group is true.
    pub members: Vec<TermId>,
    /// The stages that may follow next, by position; all come after this one.
    pub next: Vec<usize>,
}

/// A group of propositions of which at most one is true, and how one follows another.
///
/// Once a stage is left it never comes back: members of stages that cannot be reached any more stay false
/// for the rest of the game. The members of a stage and of all that can follow latch as a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Succession {
    /// The stages, each before those that can follow it.
    pub stages: Vec<Stage>,
}

/// A succession in numbers of bases.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    pub(super) stages: Vec<(Vec<u32>, Vec<usize>)>,
    /// Per stage the members of all stages that cannot be reached from it.
    pub(super) gone: Vec<Vec<u32>>,
}

impl Ways {
    /// The stages of several members that lead nowhere else: once one of the members holds, one always does.
    pub(super) fn closed(&self, follows: &[Vec<usize>], group: &[u32]) -> Vec<Group> {
        // Where none is true the group is left, though no other stage is reached.
        let vanishes = |member: &u32| {
            let place = group.iter().position(|other| other == member);
            place.is_none_or(|place| follows[place].contains(&group.len()))
        };
        let stages = self.stages.iter().filter(|(members, next)| next.is_empty() && members.len() > 1);
        let kept = stages.filter(|(members, _)| !members.iter().any(vanishes));
        kept.map(|(members, _)| Group { members: members.clone() }).collect()
    }

    pub(super) fn named(&self, faithful: &Faithful) -> Succession {
        let stage = |(members, next): &(Vec<u32>, Vec<usize>)| Stage {
            members: members.iter().map(|&base| faithful.base_term(base)).collect(),
            next: next.clone(),
        };
        Succession { stages: self.stages.iter().map(stage).collect() }
    }
}

/// The successions of all groups that have more than one stage; and of all groups the members that only lead
/// to each other, where there are several. What was found is kept where a limit ends the search.
pub(super) fn find(
    latches: &Latches,
    generator: &mut Generator<'_>,
    invariants: &Invariants,
    found: &mut Vec<Ways>,
    closed: &mut Vec<Group>,
) -> Result<(), Reason> {
    let groups = invariants.exactly_one.iter().map(|group| (group, true));
    let groups = groups.chain(invariants.exclusive.iter().map(|group| (group, false)));
    for (group, exact) in groups.filter(|(group, _)| (3..=MOST_MEMBERS).contains(&group.len())) {
        let follows = followers(latches, generator, group, exact)?;
        let ways = ways(group, &follows);
        closed.extend(ways.closed(&follows, group));
        // Of a single stage there is nothing to say but that it is one.
        if ways.stages.len() > 1 {
            found.push(ways);
        }
    }
    Ok(())
}

/// Per member what may follow it, by position in the group; the last position is that none is true.
fn followers(
    latches: &Latches,
    generator: &mut Generator<'_>,
    group: &[u32],
    exact: bool,
) -> Result<Vec<Vec<usize>>, Reason> {
    let none_before =
        group.iter().map(|&base| generator.base(0, base, false)).collect::<Result<Vec<_>, _>>()?;
    let none_after =
        group.iter().map(|&base| generator.base(1, base, false)).collect::<Result<Vec<_>, _>>()?;
    let vanished = generator.all(&none_after)?;
    let mut follows = Vec::with_capacity(group.len() + 1);
    for &member in group {
        let known = latches.inhibitions.iter().find(|i| i.base == member && i.value);
        let now = generator.base(0, member, true)?;
        let excluded = |other: &u32| {
            known.is_some_and(|i| i.excludes.binary_search(other).is_ok())
                || latches.at_first.binary_search(other).is_ok()
        };
        let mut candidates = Vec::new();
        for (place, other) in
            group.iter().enumerate().filter(|(_, other)| known.is_none() && **other != member)
        {
            candidates.push((place, generator.base(1, *other, true)?));
        }
        if !exact {
            candidates.push((group.len(), vanished));
        }
        let impossible = generator.impossible(&[now], candidates)?.proved;
        let may = |place: &usize| match group.get(*place) {
            Some(other) => !excluded(other) && !impossible.contains(place),
            None => !exact && !impossible.contains(place),
        };
        follows.push((0..=group.len()).filter(may).collect());
    }
    let mut from_none = Vec::new();
    if !exact {
        for (place, &other) in group.iter().enumerate() {
            from_none.push((place, generator.base(1, other, true)?));
        }
        let impossible = generator.impossible(&none_before, from_none)?.proved;
        follows.push((0..=group.len()).filter(|place| !impossible.contains(place)).collect());
    }
    Ok(follows)
}

/// The stages of a group, from what may follow each member (and none of them, where that is a place).
pub(super) fn ways(group: &[u32], follows: &[Vec<usize>]) -> Ways {
    let mut parts = components(follows.len(), |at| follows[at].clone());
    // Sinks come first.
    parts.reverse();
    let mut stage_of = vec![0; follows.len()];
    for (stage, part) in parts.iter().enumerate() {
        part.iter().for_each(|&place| stage_of[place] = stage);
    }
    let mut stages = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let mut next: Vec<usize> =
            part.iter().flat_map(|&place| &follows[place]).map(|&to| stage_of[to]).collect();
        next.retain(|&to| to != number);
        next.sort_unstable();
        next.dedup();
        let members: Vec<u32> = part.iter().filter_map(|&place| group.get(place).copied()).collect();
        stages.push((members, next));
    }
    let mut gone = vec![Vec::new(); stages.len()];
    let mut reached: Vec<Vec<bool>> = vec![Vec::new(); stages.len()];
    for number in (0..stages.len()).rev() {
        let mut row = vec![false; stages.len()];
        row[number] = true;
        for &to in &stages[number].1 {
            row.iter_mut().zip(&reached[to]).for_each(|(all, &more)| *all |= more);
        }
        let lost = row.iter().zip(&stages).filter(|(reached, _)| !**reached);
        gone[number] = lost.flat_map(|(_, stage)| stage.0.iter().copied()).collect();
        reached[number] = row;
    }
    Ways { stages, gone }
}
