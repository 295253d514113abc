//! Where the steps of a rule lie, seen from the state in which the rule is asked.

use super::distances::{Bounds, Distances, StepTerms};

/// When the head of a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Version {
    /// In the present state.
    Now,
    /// In the next state, asked with the moves that lead there.
    Next,
    /// In the initial state.
    First,
}

impl Version {
    /// How much later than the present the step of the head is.
    fn lead(self) -> i64 {
        i64::from(self == Self::Next)
    }
}

/// Where a step lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// So many steps before the present one; -1 is the next step.
    Ago(i64),
    /// At some step before the present one.
    Earlier,
    /// Anywhere: no atom speaks of it.
    Free,
}

/// One way in which the steps of a rule can lie.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    pub version: Version,
    /// By number of the step, from 1 on; number 0 is unused.
    pub places: Vec<Place>,
    /// Where the present is, counted from the first step.
    pub now: Bounds,
}

/// So many ways are told apart in one rule, at most.
const MOST_PLACEMENTS: usize = 64;

/// Why a rule has no placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misplaced {
    /// The step with this number may lie after that of the head.
    Later(usize),
    /// There are too many ways.
    TooMany,
}

/// All ways in which the steps of a rule can lie, if its head holds at the step `anchor`. A step that may be the present one
/// or an earlier one gives a way for each.
pub(super) fn placements(
    distances: &Distances,
    terms: &StepTerms,
    anchor: usize,
    version: Version,
    last: i64,
) -> Result<Vec<Placement>, Misplaced> {
    let lead = version.lead();
    let mut first = distances.clone();
    // Before a next state there is one; before the first state there is none.
    let range = match version {
        Version::Now => (0, last),
        Version::Next => (1, last),
        Version::First => (0, 0),
    };
    if !first.restrict(0, anchor, range) {
        return Ok(Vec::new());
    }
    let mut open = vec![first];
    for number in 1..=terms.spoken_of {
        let mut told_apart = Vec::new();
        for distances in open {
            let (least, most) = distances.difference(number, anchor);
            let (least, most) = (least - lead, most - lead);
            if least < -lead {
                return Err(Misplaced::Later(number));
            }
            let alone = (least..=most.min(0)).map(|ago| (ago, ago));
            let earlier = (most >= 1).then_some((least.max(1), most));
            for (least, most) in alone.chain(earlier) {
                let mut restricted = distances.clone();
                if restricted.restrict(number, anchor, (least + lead, most + lead)) {
                    told_apart.push(restricted);
                }
            }
            if told_apart.len() > MOST_PLACEMENTS {
                return Err(Misplaced::TooMany);
            }
        }
        open = told_apart;
    }
    Ok(open.iter().map(|distances| placement(distances, terms, anchor, version)).collect())
}

fn placement(distances: &Distances, terms: &StepTerms, anchor: usize, version: Version) -> Placement {
    let lead = version.lead();
    let place = |number: usize| match distances.difference(number, anchor) {
        (least, most) if least == most && (terms.is_spoken_of(number) || least >= lead) => {
            Place::Ago(least - lead)
        }
        _ if terms.is_spoken_of(number) => Place::Earlier,
        _ => Place::Free,
    };
    let (least, most) = distances.difference(0, anchor);
    let places = std::iter::once(Place::Ago(0)).chain((1..=terms.all.len()).map(place)).collect();
    Placement { version, places, now: (least - lead, most - lead) }
}
