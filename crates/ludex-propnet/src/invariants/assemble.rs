//! From proved facts to the lists that a reader wants.

use rustc_hash::{FxHashMap, FxHashSet};

use super::fact::Fact;
use super::types::{Equivalence, Invariants, Statistics};

/// Puts facts together: constants leave groups, groups of at most and at least one meet, and groups
/// inside of others go.
pub(super) fn assemble(facts: &[Fact], statistics: Statistics) -> Invariants {
    let constants = constants(facts);
    let is = |base: u32, value: bool| constants.get(&base) == Some(&value);
    let open = |members: &[u32]| -> Vec<u32> {
        members.iter().copied().filter(|base| !constants.contains_key(base)).collect()
    };
    let covering: FxHashSet<Vec<u32>> = facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::AtLeastOne(members) if !members.iter().any(|&b| is(b, true)) => Some(open(members)),
            _ => None,
        })
        .collect();
    let mut groups: Vec<Vec<u32>> = facts
        .iter()
        .filter_map(|fact| if let Fact::AtMostOne(members) = fact { Some(open(members)) } else { None })
        .filter(|members| members.len() > 1)
        .collect();
    groups.sort();
    groups.dedup();
    let groups = largest(groups);
    let mut result = Invariants { statistics, ..Invariants::default() };
    for group in groups {
        if covering.contains(&group) { &mut result.exactly_one } else { &mut result.exclusive }.push(group);
    }
    result.equivalences = equivalences(facts, &result.exactly_one, &constants);
    result.constants = constants.into_iter().collect();
    result.constants.sort_unstable();
    result
}

fn constants(facts: &[Fact]) -> FxHashMap<u32, bool> {
    let mut constants: FxHashMap<u32, bool> = facts
        .iter()
        .filter_map(
            |fact| if let Fact::Constant { base, value } = fact { Some((*base, *value)) } else { None },
        )
        .collect();
    // Beside a member that is always true the others are always false.
    for fact in facts {
        if let Fact::AtMostOne(members) = fact
            && let Some(&always) = members.iter().find(|&base| constants.get(base) == Some(&true))
        {
            members
                .iter()
                .filter(|&&base| base != always)
                .for_each(|&base| _ = constants.insert(base, false));
        }
    }
    constants
}

/// The groups that are not contained in another one; all are sorted and different.
fn largest(groups: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut containing: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (at, group) in groups.iter().enumerate() {
        group.iter().for_each(|&base| containing.entry(base).or_default().push(at as u32));
    }
    let contained = |at: usize| {
        let group = &groups[at];
        let candidates = group.first().and_then(|base| containing.get(base)).map_or(&[][..], |c| c);
        candidates.iter().any(|&other| {
            let other = &groups[other as usize];
            other.len() > group.len() && group.iter().all(|base| other.binary_search(base).is_ok())
        })
    };
    let keep: Vec<bool> = (0..groups.len()).map(|at| !contained(at)).collect();
    groups.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(group, _)| group).collect()
}

/// Classes of equal or complementary bases, each told by its smallest member.
fn equivalences(
    facts: &[Fact],
    exactly_one: &[Vec<u32>],
    constants: &FxHashMap<u32, bool>,
) -> Vec<Equivalence> {
    let pairs = exactly_one.iter().filter_map(|group| match **group {
        [one, other] => Some((one, other, true)),
        _ => None,
    });
    let equal = facts.iter().filter_map(|fact| match *fact {
        Fact::Equal { base, other, complemented } => Some((base, other, complemented)),
        _ => None,
    });
    let mut class: FxHashMap<u32, (u32, bool)> = FxHashMap::default();
    let mut bases = Vec::new();
    for (one, other, complemented) in equal.chain(pairs) {
        if constants.contains_key(&one) || constants.contains_key(&other) {
            continue;
        }
        bases.extend([one, other]);
        let (first, first_turned) = representative(&class, one);
        let (second, second_turned) = representative(&class, other);
        let turned = first_turned ^ second_turned ^ complemented;
        if first != second {
            class.insert(first.max(second), (first.min(second), turned));
        }
    }
    bases.sort_unstable();
    bases.dedup();
    let told = bases.into_iter().filter_map(|base| {
        let (same_as, complemented) = representative(&class, base);
        (same_as != base).then_some(Equivalence { base, same_as, complemented })
    });
    told.collect()
}

/// The smallest known member of a base's class, and whether the base is its complement. Each step goes
/// to a smaller base.
fn representative(class: &FxHashMap<u32, (u32, bool)>, base: u32) -> (u32, bool) {
    let (mut base, mut complemented) = (base, false);
    while let Some(&(smaller, turned)) = class.get(&base) {
        base = smaller;
        complemented ^= turned;
    }
    (base, complemented)
}
