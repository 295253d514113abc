//! Groups of propositions that latch together though none of them does alone (book 12.2).
//!
//! Pairs are guessed from random games and proved with the generator: whenever one of the two is lost in
//! a step, the other one holds after it. Larger groups come from `succession`: of propositions that are known
//! to exclude each other, those that only lead to each other. Those that were only seen to do so are guessed
//! from random games, too, and proved like pairs.

use ludex_logic::{LimitError, Meter};

use super::generator::Generator;
use super::sample::Samples;
use super::{Latches, Standing};
use crate::finding::Reason;
use crate::sat::Literal;

/// Pairs that are asked for at most.
const MOST_PAIRS: usize = 4_096;
/// Guesses at larger groups that may be looked at for one member.
const MOST_GUESSES: usize = 128;

/// Propositions of which, once one of them holds, one does in every later state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) members: Vec<u32>,
}

impl Group {
    /// Whether none of these is a part of it, which would say more.
    pub(super) fn is_new(&self, known: &[Group]) -> bool {
        !known.iter().any(|other| other.members.iter().all(|member| self.members.contains(member)))
    }
}

/// The pairs of propositions of which each is lost in some course, but never both. Proved pairs are added
/// as they are found.
pub(super) fn pairs(
    latches: &Latches,
    generator: &mut Generator<'_>,
    meter: &mut Meter,
    found: &mut Vec<Group>,
) -> Result<(), Reason> {
    let bases = lost(latches);
    let kept = latches.samples.kept_by(meter)?;
    let keeps = |one: u32, other: u32| kept[one as usize][other as usize / 64] >> (other % 64) & 1 == 1;
    let mut candidates = Vec::new();
    'guesses: for (at, &one) in bases.iter().enumerate() {
        for &other in &bases[at + 1..] {
            if !keeps(one, other) || !keeps(other, one) {
                continue;
            }
            if candidates.len() == MOST_PAIRS {
                break 'guesses;
            }
            let members = vec![one, other];
            let lose = all_lost(generator, &members)?;
            candidates.push((members, lose));
        }
    }
    prove(generator, candidates, found)
}

/// What is seen to be lost, and so is no latch by itself.
fn lost(latches: &Latches) -> Vec<u32> {
    let lost = |base: &u32| matches!(latches.standings[*base as usize][1], Standing::Lost(_));
    (0..latches.standings.len() as u32).filter(lost).collect()
}

/// That one of the members holds before the step, and none after it.
fn all_lost(generator: &mut Generator<'_>, members: &[u32]) -> Result<Literal, Reason> {
    let mut missing = |frame| -> Result<Vec<Literal>, Reason> {
        members.iter().map(|&base| generator.base(frame, base, false)).collect()
    };
    let (before, mut all) = (missing(0)?, missing(1)?);
    all.push(!generator.all(&before)?);
    generator.all(&all)
}

fn prove(
    generator: &mut Generator<'_>,
    candidates: Vec<(Vec<u32>, Literal)>,
    found: &mut Vec<Group>,
) -> Result<(), Reason> {
    let mut proved = generator.impossible(&[], candidates)?.proved;
    proved.sort_unstable();
    found.extend(proved.into_iter().map(|members| Group { members }));
    Ok(())
}

/// Groups of three and more that were not seen together, and of which one was lost only to another one. No
/// member of a known group is looked at again. Proved groups are added as they are found.
pub(super) fn larger(
    latches: &Latches,
    generator: &mut Generator<'_>,
    meter: &mut Meter,
    found: &mut Vec<Group>,
) -> Result<(), Reason> {
    let guesser = Guesser::new(&latches.samples, &lost(latches), meter)?;
    let mut guessed: Vec<Group> = found.clone();
    let mut candidates = Vec::new();
    for &base in &guesser.lost {
        if guessed.iter().any(|group| group.members.contains(&base)) {
            continue;
        }
        for members in guesser.groups_with(base, meter)? {
            let group = Group { members };
            if group.members.len() > 2 && group.is_new(&guessed) {
                let lose = all_lost(generator, &group.members)?;
                candidates.push((group.members.clone(), lose));
                guessed.push(group);
            }
        }
    }
    prove(generator, candidates, found)
}

/// Guesses at groups from sampled steps.
struct Guesser<'a> {
    samples: &'a Samples,
    lost: Vec<u32>,
    /// Per base those that may be in a group with it: lost in some step, and never seen beside it. Rows of
    /// bits.
    fits: Vec<Vec<u64>>,
}

impl<'a> Guesser<'a> {
    fn new(samples: &'a Samples, lost: &[u32], meter: &mut Meter) -> Result<Self, LimitError> {
        let mut fits = samples.beside(lost, meter)?;
        let mut all = vec![0; fits.first().map_or(0, Vec::len)];
        lost.iter().for_each(|&base| all[base as usize / 64] |= 1u64 << (base % 64));
        for row in &mut fits {
            row.iter_mut().zip(&all).for_each(|(word, lost)| *word = lost & !*word);
        }
        Ok(Self { samples, lost: lost.to_vec(), fits })
    }

    /// Groups with this base that no sampled step refutes, each sorted. Where a step leads from a member to
    /// none, one of what it leads to is taken as another member, one after the other.
    fn groups_with(&self, base: u32, meter: &mut Meter) -> Result<Vec<Vec<u32>>, LimitError> {
        let mut open = vec![(vec![base], self.fits[base as usize].clone())];
        let mut groups = Vec::new();
        for _ in 0..MOST_GUESSES {
            let Some((members, fits)) = open.pop() else { break };
            let Some(after) = self.samples.loss(&members, meter)? else {
                let mut members = members;
                members.sort_unstable();
                groups.push(members);
                continue;
            };
            let mut left = fits;
            for (word, &after) in after.iter().enumerate() {
                let mut choices = left[word] & after;
                while choices != 0 {
                    let other = (word * 64) as u32 + choices.trailing_zeros();
                    choices &= choices - 1;
                    // Groups with this one are all looked at in this branch.
                    left[word] &= !(1 << (other % 64));
                    let mut fits = left.clone();
                    fits.iter_mut().zip(&self.fits[other as usize]).for_each(|(all, more)| *all &= more);
                    let mut members = members.clone();
                    members.push(other);
                    open.push((members, fits));
                }
            }
        }
        Ok(groups)
    }
}
