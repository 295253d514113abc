//! What holds, and for how long.

use ludex_gdl::{GameTime, Lifetime};
use ludex_logic::TermId;

/// Lifetimes that end, in units of [`GameTime`], each after its fact; sorted.
pub(super) type Clocks = Vec<(u32, u64)>;

/// A state in terms of a [`Plan`](super::plan::Plan).
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// A bit for each base that says that a fact holds for ever.
    pub for_ever: Vec<u64>,
    pub clocks: Clocks,
    /// What expired at the update that made the state, in canonical order.
    pub expired: Vec<TermId>,
}

impl Values {
    /// How long until something expires.
    pub fn expiry(&self) -> Option<GameTime> {
        let first = self.clocks.iter().map(|&(_, units)| units).min()?;
        GameTime::from_units(first)
    }

    pub fn copy_from(&mut self, other: &Values) {
        self.for_ever.clone_from(&other.for_ever);
        self.clocks.clone_from(&other.clocks);
        self.expired.clone_from(&other.expired);
    }
}

/// The lifetime of so many units.
pub(super) fn lifetime(units: u64) -> Lifetime {
    // Clocks are made of lifetimes that end.
    GameTime::from_units(units).and_then(Lifetime::finite).unwrap_or(Lifetime::INFINITE)
}

/// What is left of clocks after some time, and the facts that have expired, ascending.
pub(super) fn shorten(clocks: &Clocks, elapsed: GameTime, left: &mut Clocks, over: &mut Vec<u32>) {
    left.clear();
    over.clear();
    let elapsed = elapsed.units();
    for &(fact, units) in clocks {
        if units > elapsed {
            left.push((fact, units - elapsed));
        } else if over.last() != Some(&fact) {
            over.push(fact);
        }
    }
}

/// The clocks of a fact.
#[inline]
pub(super) fn of_fact(clocks: &Clocks, fact: u32) -> impl Iterator<Item = u64> + Clone {
    let start = clocks.partition_point(|&(other, _)| other < fact);
    clocks[start..].iter().take_while(move |&&(other, _)| other == fact).map(|&(_, units)| units)
}
