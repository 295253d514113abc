//! Facts that may hold: proposed by the names of the propositions and by equal columns in samples,
//! kept if all samples agree.

use std::hash::Hasher;

use ludex_logic::{LimitError, Meter, SymbolId, TermId, TermView};
use rustc_hash::{FxHashMap, FxHasher};

use super::fact::Fact;
use super::sample::Samples;
use crate::Circuit;

/// Propositions with more arguments vary in one argument, or in all.
const MOST_ARGUMENTS: usize = 5;

/// Bases whose propositions differ in some arguments only.
struct Group {
    /// How many arguments vary.
    varied: u32,
    members: Vec<u32>,
    /// Whether it was proposed.
    proposed: bool,
    /// Whether it is contained in one that was proposed.
    covered: bool,
}

/// The groups by name, from those that vary in most arguments on.
pub(super) struct Guesses<'a> {
    samples: &'a Samples,
    groups: Vec<Group>,
    /// Per base the groups it is in.
    groups_of: Vec<Vec<u32>>,
}

impl<'a> Guesses<'a> {
    pub(super) fn new(circuit: &Circuit, samples: &'a Samples) -> Self {
        let mut groups = groups_by_name(circuit);
        groups.retain(|g| g.members.len() > 1);
        groups.sort_by_key(|g| std::cmp::Reverse(g.varied));
        let mut groups_of = vec![Vec::new(); circuit.bases.len()];
        for (at, group) in groups.iter().enumerate() {
            group.members.iter().for_each(|&b| groups_of[b as usize].push(at as u32));
        }
        Self { samples, groups, groups_of }
    }

    /// All first guesses, constants before equal bases before groups.
    pub(super) fn all(&mut self, meter: &mut Meter) -> Result<Vec<Fact>, LimitError> {
        let mut facts = constants(self.samples, self.groups_of.len());
        meter.spend((self.groups_of.len() * self.samples.words()) as u64)?;
        facts.extend(equal_columns(self.samples, self.groups_of.len()));
        meter.spend((self.groups_of.len() * self.samples.words()) as u64)?;
        self.propose(0..self.groups.len(), &mut facts, meter)?;
        facts.sort_by_key(|fact| match fact {
            Fact::Constant { .. } => 0,
            Fact::Equal { .. } => 1,
            Fact::AtMostOne(_) => 2,
            Fact::AtLeastOne(_) => 3,
        });
        Ok(facts)
    }

    /// The smaller groups inside of a group that turned out wrong.
    pub(super) fn smaller(&mut self, wrong: &[u32], meter: &mut Meter) -> Result<Vec<Fact>, LimitError> {
        let mut inside: Vec<u32> =
            wrong.iter().flat_map(|&b| self.groups_of[b as usize].iter().copied()).collect();
        inside.sort_unstable();
        inside.dedup();
        meter.spend(inside.len() as u64)?;
        inside.retain(|&at| {
            let group = &self.groups[at as usize];
            group.members.len() < wrong.len() && group.members.iter().all(|b| wrong.binary_search(b).is_ok())
        });
        for &at in &inside {
            self.groups[at as usize].covered = false;
        }
        let mut facts = Vec::new();
        self.propose(inside.into_iter().map(|at| at as usize), &mut facts, meter)?;
        facts.retain(|fact| matches!(fact, Fact::AtMostOne(_)));
        Ok(facts)
    }

    fn propose(
        &mut self,
        order: impl Iterator<Item = usize>,
        facts: &mut Vec<Fact>,
        meter: &mut Meter,
    ) -> Result<(), LimitError> {
        for at in order {
            let group = &mut self.groups[at];
            if group.covered || std::mem::replace(&mut group.proposed, true) {
                continue;
            }
            let group = &self.groups[at];
            meter.spend((group.members.len() * self.samples.words()) as u64)?;
            let Some((members, always)) = self.exclusive_part(group) else { continue };
            if members.len() == group.members.len() {
                self.cover(at);
            }
            if always {
                facts.push(Fact::AtLeastOne(members.clone()));
            }
            facts.push(Fact::AtMostOne(members));
        }
        Ok(())
    }

    /// Marks the groups contained in this one.
    fn cover(&mut self, at: usize) {
        let members = self.groups[at].members.clone();
        let varied = self.groups[at].varied;
        let mut inside: Vec<u32> =
            members.iter().flat_map(|&b| self.groups_of[b as usize].iter().copied()).collect();
        inside.sort_unstable();
        inside.dedup();
        for inner in inside {
            let group = &mut self.groups[inner as usize];
            if group.varied <= varied && group.members.iter().all(|b| members.binary_search(b).is_ok()) {
                group.covered = true;
            }
        }
    }

    /// Most members of a group such that no sample has two of them, and whether each sample has one.
    /// None if that leaves less than half of them, or less than two that are ever true.
    fn exclusive_part(&self, group: &Group) -> Option<(Vec<u32>, bool)> {
        let mut seen = vec![0u64; self.samples.words()];
        let mut members = Vec::with_capacity(group.members.len());
        let mut ever_true = 0;
        for (tried, &base) in group.members.iter().enumerate() {
            let row = self.samples.row(base);
            if row.iter().zip(&seen).any(|(word, seen)| word & seen != 0) {
                let wrong = tried + 1 - members.len();
                // A group that varies in several arguments has its parts proposed on their own.
                if group.varied > 1 || wrong * 2 > group.members.len() {
                    return None;
                }
                continue;
            }
            let mut any = 0;
            for (seen, word) in seen.iter_mut().zip(row) {
                *seen |= word;
                any |= word;
            }
            ever_true += usize::from(any != 0);
            members.push(base);
        }
        (ever_true > 1).then(|| (members, seen.iter().all(|&word| word == u64::MAX)))
    }
}

fn constants(samples: &Samples, bases: usize) -> Vec<Fact> {
    let mut facts = Vec::new();
    for base in 0..bases as u32 {
        let row = samples.row(base);
        let value = row.first().is_some_and(|word| word & 1 == 1);
        let expected = if value { u64::MAX } else { 0 };
        if row.iter().all(|&word| word == expected) {
            facts.push(Fact::Constant { base, value });
        }
    }
    facts
}

/// Bases that are equal, or complements, in all samples; constants left out.
fn equal_columns(samples: &Samples, bases: usize) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut first_with: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for base in 0..bases as u32 {
        let row = samples.row(base);
        let flip = if row.first().is_some_and(|word| word & 1 == 1) { u64::MAX } else { 0 };
        if row.iter().all(|&word| word == flip) {
            continue;
        }
        let mut hasher = FxHasher::default();
        row.iter().for_each(|&word| hasher.write_u64(word ^ flip));
        let same_hash = first_with.entry(hasher.finish()).or_default();
        let equal = |other: &&u32| {
            let column = samples.row(**other);
            let turn = if column.first().is_some_and(|word| word & 1 == 1) { u64::MAX } else { 0 };
            row.iter().zip(column).all(|(a, b)| a ^ flip == b ^ turn)
        };
        match same_hash.iter().find(equal) {
            Some(&other) => {
                let complemented = (samples.row(other)[0] ^ row[0]) & 1 == 1;
                facts.push(Fact::Equal { base, other, complemented });
            }
            None => same_hash.push(base),
        }
    }
    facts
}

/// The functor, which arguments vary, and the other arguments.
type Name = (SymbolId, usize, u32, Vec<TermId>);

fn groups_by_name(circuit: &Circuit) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut numbers: FxHashMap<Name, usize> = FxHashMap::default();
    for (base, stored) in circuit.bases.iter().enumerate() {
        let term = circuit.propositions[stored.proposition as usize];
        let TermView::Compound(functor, arguments) = circuit.terms.view(term) else { continue };
        for varied in varied_sets(arguments.len()) {
            let fixed = (0..arguments.len())
                .filter(|&i| i >= 32 || varied >> i & 1 == 0)
                .map(|i| arguments[i])
                .collect();
            let number = *numbers.entry((functor, arguments.len(), varied, fixed)).or_insert_with(|| {
                groups.push(Group {
                    varied: varied.count_ones(),
                    members: Vec::new(),
                    proposed: false,
                    covered: false,
                });
                groups.len() - 1
            });
            groups[number].members.push(base as u32);
        }
    }
    groups
}

/// The sets of arguments that vary together, as bits.
fn varied_sets(arguments: usize) -> Vec<u32> {
    if arguments <= MOST_ARGUMENTS {
        return (1..1u32 << arguments).collect();
    }
    let shown = arguments.min(32);
    (0..shown).map(|at| 1 << at).chain([u32::MAX >> (32 - shown)]).collect()
}
