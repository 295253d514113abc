//! Legality from the moves that were made, where nobody wrote down which others were legal.
//!
//! There are no negative examples, so rules are weighed by how much they say: the fewer moves of a state are said to be
//! legal, the fewer bits tell the one that was made (J. Rissanen, Modeling by shortest data description, 1978). What
//! holds of all moves made is taken for a condition where it saves more bits than an accident among so many tests
//! could; where a test divides the moves made into two kinds that have more in common, there are rules for each.

use rustc_hash::{FxHashMap, FxHashSet};

use ludex_logic::{LimitError, Meter};

use crate::bits::Bits;
use crate::cover::Tests;
use crate::examples::{Distinct, Examples, chance};
use crate::language::Test;
use crate::observations::Target;
use crate::table::Row;

/// In so many states it is counted which moves rules say to be legal.
const STATES: usize = 200;
/// So many moves of a role are looked at there that were not made.
const OTHERS: usize = 16;
/// So many moves made are looked at to begin with.
const MADE: usize = 2000;
/// Bits that an accident saves only once in a hundred games.
const ACCIDENT: f32 = 7.0;
/// Tests that cost more divide nothing.
const COSTLIEST_DIVISION: f32 = 4.0;
/// So many tests at most are tried as divisions.
const DIVISIONS: usize = 300;
/// Moves made are divided so often, one time within the other.
const DEEPEST: usize = 4;
/// Of so few moves made nothing is said apart.
const FEWEST: usize = 5;
/// Of so many tests it is counted exactly what they save.
const COMPARED: usize = 6;
/// A move that is denied counts as so many, so that what keeps it out is worth it: 40 bits.
const DENIED: f32 = 1e12;
/// What one unit of cost is worth, in bits.
const COST: f32 = 1.5;

/// The examples that moves made are learned from: those moves, and moves of the same role that were not made.
pub(crate) struct Moves {
    /// Per example: the state and the role it belongs to, where moves are counted.
    group: Vec<Option<u32>>,
    /// Per state and role: how many moves each that was looked at and not made stands for.
    scale: Vec<f32>,
}

/// The moves made in these states, given as numbers in what was seen of the target, and some others.
pub(crate) fn first_moves(target: &Target, states: &[usize], seed: u64) -> Vec<(Row, bool)> {
    let mut order = states.to_vec();
    order.sort_by_key(|&number| (chance(seed, number as u64, 1), number));
    let mut examples = Vec::new();
    let mut made = 0;
    for (place, &number) in order.iter().enumerate() {
        let (state, held) = &target.seen[number];
        if made < MADE {
            made += held.len();
            examples.extend(held.iter().map(|&atom| ((*state, atom), true)));
        }
        if place >= STATES {
            continue;
        }
        for atoms in atoms_by_role(target).values() {
            let mut others: Vec<u32> =
                atoms.iter().copied().filter(|atom| held.binary_search(atom).is_err()).collect();
            others.sort_by_key(|&atom| (chance(seed, 2 + *state as u64, u64::from(atom)), atom));
            examples.extend(others.into_iter().take(OTHERS).map(|atom| ((*state, atom), false)));
        }
    }
    examples.extend(denied(target));
    examples
}

/// What is known not to hold.
pub(crate) fn denied(target: &Target) -> impl Iterator<Item = (Row, bool)> + '_ {
    target.denied.iter().flat_map(|(state, atoms)| atoms.iter().map(move |&atom| ((*state, atom), false)))
}

/// The atoms of a target by what is in their first column: the role, of moves.
fn atoms_by_role(target: &Target) -> FxHashMap<u32, Vec<u32>> {
    let mut by_role: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (atom, number) in target.atoms.iter().zip(0..) {
        by_role.entry(atom[0]).or_default().push(number);
    }
    by_role
}

impl Moves {
    /// Puts examples in groups by state and role.
    pub fn new(target: &Target, examples: &Examples) -> Self {
        let by_role = atoms_by_role(target);
        let denied: FxHashSet<Row> = denied(target).map(|(row, _)| row).collect();
        let mut numbers: FxHashMap<(usize, u32), u32> = FxHashMap::default();
        let mut looked_at: Vec<(f32, f32)> = Vec::new();
        let mut group = Vec::with_capacity(examples.rows.len());
        for (&(state, atom), &held) in examples.rows.iter().zip(&examples.held) {
            if held {
                group.push(None);
                continue;
            }
            let role = target.atoms[atom as usize][0];
            let number = *numbers.entry((state, role)).or_insert_with(|| {
                looked_at.push((0.0, by_role[&role].len() as f32));
                looked_at.len() as u32 - 1
            });
            looked_at[number as usize].0 += 1.0;
            if denied.contains(&(state, atom)) {
                // It is not only unlikely.
                looked_at[number as usize].1 = DENIED;
            }
            group.push(Some(number));
        }
        let scale = looked_at.iter().map(|(some, all)| all / some).collect();
        Self { group, scale }
    }

    /// How many bits tell the moves that were made, if these and those that were not made may be.
    fn bits(&self, others: impl Iterator<Item = usize>) -> f32 {
        let mut counts = vec![0.0_f32; self.scale.len()];
        for row in others {
            if let Some(group) = self.group[row] {
                counts[group as usize] += self.scale[group as usize];
            }
        }
        counts.iter().map(|count| (1.0 + count).log2()).sum()
    }
}

/// A kind of moves: what all that were made have in common.
#[derive(Clone)]
struct Kind {
    made: Bits,
    /// Moves that were not made and have it, too.
    others: Bits,
    tests: Vec<usize>,
}

/// Rules for moves made, each as tests by their numbers, and how many bits tell the moves made then, with what the
/// rules cost.
pub(crate) struct Kinds {
    pub rules: Vec<Vec<usize>>,
    pub bits: f32,
}

/// Looks for rules that hold of all moves made and of few others.
pub(crate) fn kinds(distinct: &Distinct, moves: &Moves, meter: &mut Meter) -> Result<Kinds, LimitError> {
    let search = KindSearch { tests: &distinct.tests, other_rows: &distinct.rows[1], moves };
    let all = distinct.tests.sizes.map(|size| Bits::of(size, |_| true));
    let [made, others] = all;
    let first = search.with_conditions(Kind { made, others, tests: Vec::new() }, meter)?;
    let mut found = Vec::new();
    search.divide(first, DEEPEST, &mut found, meter)?;
    let rules: Vec<Vec<usize>> = found.iter().map(|kind| search.shortened(kind)).collect();
    let all = found.iter().fold(Bits::none(distinct.tests.sizes[1]), |mut all, kind| {
        all.add(&kind.others);
        all
    });
    let cost: f32 = rules.iter().flatten().map(|&test| distinct.tests.costs[test]).sum();
    Ok(Kinds { bits: search.bits(&all) + COST * (cost + rules.len() as f32), rules })
}

struct KindSearch<'a> {
    tests: &'a Tests,
    other_rows: &'a [usize],
    moves: &'a Moves,
}

impl KindSearch<'_> {
    fn bits(&self, others: &Bits) -> f32 {
        self.moves.bits(others.iter().map(|other| self.other_rows[other]))
    }

    /// What a condition has to save, apart from what it costs.
    fn least(&self) -> f32 {
        ACCIDENT + (self.tests.costs.len().max(1) as f32).log2()
    }

    /// Adds what all moves made of a kind have in common and others have not, what saves most first.
    fn with_conditions(&self, mut kind: Kind, meter: &mut Meter) -> Result<Kind, LimitError> {
        let made = kind.made.count();
        loop {
            meter.spend(1 + (self.tests.holds.len() / 8) as u64)?;
            let before = kind.others.count();
            let common = (0..self.tests.holds.len()).filter_map(|test| {
                let holds = &self.tests.holds[test];
                if holds[0].count_and(&kind.made) < made {
                    return None;
                }
                let removed = before - holds[1].count_and(&kind.others);
                (removed > 0).then_some((removed, test))
            });
            let mut common: Vec<(usize, usize)> = common.collect();
            common.sort_by(|a, b| {
                b.0.cmp(&a.0)
                    .then(self.tests.costs[a.1].total_cmp(&self.tests.costs[b.1]))
                    .then(a.1.cmp(&b.1))
            });
            let bits = self.bits(&kind.others);
            let worth = |&(_, test): &(usize, usize)| {
                let left = kind.others.and(&self.tests.holds[test][1]);
                (bits - self.bits(&left) - COST * self.tests.costs[test], test)
            };
            let best = common.iter().take(COMPARED).map(worth).max_by(|a, b| a.0.total_cmp(&b.0));
            match best {
                Some((worth, test)) if worth > self.least() => {
                    kind.others.keep(&self.tests.holds[test][1]);
                    kind.tests.push(test);
                }
                _ => return Ok(kind),
            }
        }
    }

    /// Divides a kind in two as long as that saves bits.
    fn divide(
        &self,
        kind: Kind,
        deepest: usize,
        found: &mut Vec<Kind>,
        meter: &mut Meter,
    ) -> Result<(), LimitError> {
        let made = kind.made.count();
        let divides = |&test: &usize| {
            let part = self.tests.holds[test][0].count_and(&kind.made);
            part.min(made - part) >= FEWEST && self.tests.costs[test] <= COSTLIEST_DIVISION
        };
        let mut tests: Vec<usize> = (0..self.tests.holds.len()).filter(divides).collect();
        tests.sort_by(|&a, &b| self.tests.costs[a].total_cmp(&self.tests.costs[b]).then(a.cmp(&b)));
        tests.truncate(if deepest == 0 { 0 } else { DIVISIONS });
        let bits = self.bits(&kind.others);
        let mut best: Option<(f32, [Kind; 2])> = None;
        for test in tests {
            let holds = &self.tests.holds[test];
            let mut first = kind.clone();
            first.made.keep(&holds[0]);
            first.others.keep(&holds[1]);
            first.tests.push(test);
            let second = Kind { made: kind.made.without(&holds[0]), ..kind.clone() };
            let both = [self.with_conditions(first, meter)?, self.with_conditions(second, meter)?];
            let mut all = both[0].others.clone();
            all.add(&both[1].others);
            let cost: f32 = both
                .iter()
                .flat_map(|half| &half.tests[kind.tests.len()..])
                .map(|&it| self.tests.costs[it])
                .sum();
            let worth = bits - self.bits(&all) - COST * (1.0 + cost);
            if worth > 2.0 * self.least() && best.as_ref().is_none_or(|(known, _)| worth > *known) {
                best = Some((worth, both));
            }
        }
        match best {
            Some((_, both)) => {
                for half in both {
                    self.divide(half, deepest - 1, found, meter)?;
                }
            }
            None => found.push(kind),
        }
        Ok(())
    }

    /// The tests of a kind without those that keep no other move out.
    fn shortened(&self, kind: &Kind) -> Vec<usize> {
        let mut tests = kind.tests.clone();
        let mut order = tests.clone();
        order.sort_by(|&a, &b| self.tests.costs[b].total_cmp(&self.tests.costs[a]));
        for test in order {
            let fewer: Vec<usize> = tests.iter().copied().filter(|&other| other != test).collect();
            if self.tests.conjunction(fewer.clone()).holds[1] == kind.others {
                tests = fewer;
            }
        }
        tests
    }
}

/// Tests of the language by their numbers among those that differ.
pub(crate) fn written(distinct: &Distinct, tests: &[(Test, f32)], rule: &[usize]) -> Vec<Test> {
    rule.iter().map(|&test| tests[distinct.places[test]].0.clone()).collect()
}
