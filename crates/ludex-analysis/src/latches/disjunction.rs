//! Groups of propositions that latch together though none of them does alone (book 12.2).
//!
//! Pairs are guessed from random games and proved with the generator: whenever one of the two is lost in
//! a step, the other one holds after it. Larger groups come from `succession`: of propositions that
//! exclude each other, those that only lead to each other.

use ludex_logic::Meter;

use super::generator::Generator;
use super::{Latches, Standing};
use crate::finding::Reason;

/// Pairs that are asked for at most.
const MOST_PAIRS: usize = 4_096;

/// Propositions of which, once one of them holds, one does in every later state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) members: Vec<u32>,
}

/// The pairs of propositions of which each is lost in some course, but never both. Proved pairs are added
/// as they are found.
pub(super) fn pairs(
    latches: &Latches,
    generator: &mut Generator<'_>,
    meter: &mut Meter,
    found: &mut Vec<Group>,
) -> Result<(), Reason> {
    // What is seen to be lost is no latch by itself.
    let lost = |base: u32| matches!(latches.standings[base as usize][1], Standing::Lost(_));
    let bases: Vec<u32> = (0..latches.standings.len() as u32).filter(|&base| lost(base)).collect();
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
            let before = [generator.base(0, one, false)?, generator.base(0, other, false)?];
            let neither = generator.all(&before)?;
            let after = [!neither, generator.base(1, one, false)?, generator.base(1, other, false)?];
            candidates.push(([one, other], generator.all(&after)?));
        }
    }
    let mut proved = generator.impossible(&[], candidates)?.proved;
    proved.sort_unstable();
    found.extend(proved.into_iter().map(|pair| Group { members: pair.to_vec() }));
    Ok(())
}
