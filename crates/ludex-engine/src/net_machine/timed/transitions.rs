//! Updates that were made before: the states of random games and what follows from them, remembered.
//!
//! But for how long lifetimes are, what comes of an update depends on few things: what holds, what expires just then and who
//! moves. Small games come through the same of these again and again, and large ones do in their first moves. So a
//! runner builds the automaton of its game as far as random games go through it, and asks the circuit only for what is
//! new. That ends where too little is met again.

use ludex_game::Goal;
use ludex_logic::{Id, TermId};
use rustc_hash::FxHashMap;

use super::values::Values;

/// So many updates are learned in any case.
const FIRST: u64 = 512;
/// Beyond those, one is learned for so many that were met again.
const MET_FOR_ONE: u64 = 8;
/// The most memory of a table.
const MOST_BYTES: usize = 4 << 20;

/// A state but for the lengths of its lifetimes.
#[derive(Debug)]
pub(super) struct KnownState {
    pub for_ever: Box<[u64]>,
    /// The facts whose lifetimes end, ascending; each has one.
    pub clocks: Box<[u32]>,
    pub expired: Box<[TermId]>,
    pub terminal: bool,
    /// Per role the positions of its legal moves, ascending.
    pub legal: Box<[Box<[u32]>]>,
    /// Per role, where they were asked for.
    pub goals: Option<Box<[Option<Goal>]>>,
}

/// What happens in a known state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Event {
    pub state: u32,
    /// A bit for each of its clocks that expires.
    pub expired: u64,
    /// The moves as one number ([`Packing`]).
    pub moves: u64,
}

/// From where a clock of the next state comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextClock {
    /// It has so many units.
    Constant(u64),
    /// It has what is left of the clock with this number in the state before.
    Left(u32),
}

/// What comes of an event.
#[derive(Debug)]
pub(super) struct Transition {
    pub to: u32,
    pub clocks: Box<[NextClock]>,
}

/// How the moves of an update become one number: per role the number of bits to shift by.
#[derive(Debug)]
pub(super) struct Packing(Vec<u32>);

impl Packing {
    /// For roles with so many moves; `None` where 64 bits are too few.
    pub fn new(moves: impl Iterator<Item = usize>) -> Option<Self> {
        let mut shifts = Vec::new();
        let mut used = 0;
        for count in moves {
            shifts.push(used);
            // One value more, for no move.
            used += usize::BITS - count.leading_zeros();
        }
        (used <= u64::BITS).then_some(Self(shifts))
    }

    /// A move by its role and its position among all moves of the role, as its share of the number.
    pub fn pack(&self, role: usize, position: u32) -> u64 {
        (u64::from(position) + 1) << self.0[role]
    }
}

/// What a runner has learned.
#[derive(Debug, Default)]
pub(super) struct TransitionTable {
    pub states: Vec<KnownState>,
    places: FxHashMap<Box<[u64]>, u32>,
    transitions: FxHashMap<Event, Transition>,
    /// Updates that were found, and those that were not.
    met: u64,
    missed: u64,
    bytes: usize,
    /// Room for a key of `places`.
    key: Vec<u64>,
}

impl TransitionTable {
    /// Whether it is worth to learn more.
    pub fn is_learning(&self) -> bool {
        self.missed < FIRST + self.met / MET_FOR_ONE && self.bytes < MOST_BYTES
    }

    /// What comes of an event, where that is known.
    #[inline]
    pub fn find(&mut self, event: Event) -> Option<&Transition> {
        let found = self.transitions.get(&event);
        match found {
            Some(_) => self.met += 1,
            None => self.missed += 1,
        }
        found
    }

    pub fn learn(&mut self, event: Event, transition: Transition) {
        self.bytes += size_of::<(Event, Transition)>() + size_of_val(&*transition.clocks);
        self.transitions.insert(event, transition);
    }

    /// The place of a state, where it is known.
    pub fn place(&mut self, values: &Values) -> Option<u32> {
        self.key.clear();
        self.key.extend_from_slice(&values.for_ever);
        self.key.push(values.clocks.len() as u64);
        self.key.extend(values.clocks.iter().map(|&(fact, _)| u64::from(fact)));
        self.key.extend(values.expired.iter().map(|fact| fact.index() as u64));
        self.places.get(&self.key[..]).copied()
    }

    /// Makes the state known that was last asked for and is not; its place. `None` for a state that cannot be: where a fact
    /// has two lifetimes, or there are more clocks than bits of an event.
    pub fn add(&mut self, values: &Values, terminal: bool, legal: Box<[Box<[u32]>]>) -> Option<u32> {
        let is_single = values.clocks.is_sorted_by(|one, other| one.0 < other.0);
        if !is_single || values.clocks.len() > u64::BITS as usize {
            return None;
        }
        let moves: usize = legal.iter().map(|moves| 16 + size_of_val(&**moves)).sum();
        self.bytes += size_of::<KnownState>() + moves + 2 * size_of_val(&self.key[..]);
        let place = self.states.len() as u32;
        self.places.insert(self.key.as_slice().into(), place);
        self.states.push(KnownState {
            for_ever: values.for_ever.as_slice().into(),
            clocks: values.clocks.iter().map(|&(fact, _)| fact).collect(),
            expired: values.expired.as_slice().into(),
            terminal,
            legal,
            goals: None,
        });
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_told_apart_by_their_numbers() {
        let packing = Packing::new([3, 0, 1, 7].into_iter()).unwrap();
        let mut numbers: Vec<u64> = Vec::new();
        for first in [None, Some(0), Some(1), Some(2)] {
            for third in [None, Some(0)] {
                for last in [None, Some(0), Some(6)] {
                    let moves = [(0, first), (2, third), (3, last)];
                    let shares =
                        moves.into_iter().filter_map(|(role, at)| at.map(|at| packing.pack(role, at)));
                    numbers.push(shares.sum());
                }
            }
        }
        let count = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), count);
        assert!(Packing::new([usize::MAX, 1].into_iter()).is_none());
    }

    #[test]
    fn little_is_learned_where_nothing_is_met_again() {
        let mut table = TransitionTable::default();
        let event = |number| Event { state: number, expired: 0, moves: 0 };
        let mut learned = 0u64;
        for number in 0..10_000 {
            if table.find(event(number)).is_none() && table.is_learning() {
                table.learn(event(number), Transition { to: 0, clocks: Box::default() });
                learned += 1;
            }
        }
        assert_eq!(learned, FIRST - 1);
        for _ in 0..100 {
            assert!(table.find(event(5)).is_some());
        }
    }
}
