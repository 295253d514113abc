//! The order of the operations of a phase.
//!
//! Operations come depth first, so that values live shortly, and are moved a little so that operations
//! of one operator come together. A base's next value is written right over the base where all readers
//! of the old value can come before.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use ludex_logic::Csr;

use super::Operator;
use super::expand::{Unit, Value, ValueOperation};

/// No unit.
const NONE: u32 = u32::MAX;

/// A unit in its place.
pub(super) struct Placed {
    pub unit: Unit,
    /// The base whose slot the unit's result is written to.
    pub lands: Option<u32>,
}

/// What is to be scheduled.
pub(super) struct Task {
    /// Units in depth-first order.
    pub units: Vec<Unit>,
    /// Units that compute the next value of a base.
    pub landing: Vec<(usize, u32)>,
    /// The values of the bases: `bases` of them, from this one on.
    pub first_base: Value,
    /// The number of bases.
    pub bases: u32,
    /// The number of values there are.
    pub values: u32,
}

/// What keeps a unit from being placed, and whom it keeps.
struct Scheduler {
    units: Vec<Option<Unit>>,
    /// Where each unit would like to be.
    places: Vec<u32>,
    /// Per unit the number of units it waits for, as it reads their values.
    pending: Vec<u32>,
    /// Per unit the units that read its values.
    readers: Csr<u32>,
    /// Per unit the base it lands on.
    lands: Vec<Option<u32>>,
    /// Per base the unit that lands on it.
    lander: Vec<u32>,
    /// Per base the number of its readers that are not placed, the lander aside.
    unread: Vec<u32>,
    first_base: Value,
    /// Units that may be placed, by kind.
    ready: [BinaryHeap<Reverse<(u32, u32)>>; 4],
    /// Units that only wait for readers of the base they land on.
    blocked: BTreeSet<(u32, u32)>,
    placed: Vec<Placed>,
    values: u32,
}

/// Orders the units, where an operation may come up to `window` places early to join others of its
/// operator. Gives them with the number of values there are then.
pub(super) fn schedule(task: Task, window: u32) -> (Vec<Placed>, u32) {
    let mut scheduler = Scheduler::new(task);
    loop {
        let first =
            (0..4).filter_map(|k| scheduler.ready[k].peek().map(|&Reverse((place, _))| (place, k))).min();
        let Some((place, kind)) = first else {
            if !scheduler.give_up() {
                break;
            }
            continue;
        };
        scheduler.place_run(kind, place.saturating_add(window));
    }
    (scheduler.placed, scheduler.values)
}

impl Scheduler {
    fn new(task: Task) -> Self {
        let count = task.units.len();
        let mut producer = vec![NONE; task.values as usize];
        for (index, unit) in task.units.iter().enumerate() {
            unit.writes().for_each(|v| producer[v as usize] = index as u32);
        }
        let mut scheduler = Self {
            places: (0..count as u32).collect(),
            pending: vec![0; count],
            readers: Csr::new(),
            lands: vec![None; count],
            lander: vec![NONE; task.bases as usize],
            unread: vec![0; task.bases as usize],
            first_base: task.first_base,
            ready: Default::default(),
            blocked: BTreeSet::new(),
            placed: Vec::with_capacity(count),
            values: task.values,
            units: Vec::new(),
        };
        for &(unit, base) in &task.landing {
            scheduler.lands[unit] = Some(base);
            scheduler.lander[base as usize] = unit as u32;
        }
        let mut edges: Vec<(usize, u32)> = Vec::new();
        for (index, unit) in task.units.iter().enumerate() {
            for value in unit.reads() {
                let from = producer[value as usize];
                if from != NONE {
                    edges.push((from as usize, index as u32));
                    scheduler.pending[index] += 1;
                }
                if let Some(base) = scheduler.base(value)
                    && scheduler.lander[base] != index as u32
                {
                    scheduler.unread[base] += 1;
                }
            }
        }
        scheduler.readers = Csr::from_pairs(count, || edges.iter().copied());
        scheduler.units = task.units.into_iter().map(Some).collect();
        let all: Vec<u32> = (0..count as u32).collect();
        scheduler.make_ready(&all);
        scheduler
    }

    /// The base whose old value this is.
    fn base(&self, value: Value) -> Option<usize> {
        let at = value.checked_sub(self.first_base)? as usize;
        (at < self.lander.len()).then_some(at)
    }

    /// The kind of a unit all of whose operands are there, unless it has to wait for readers of a base.
    fn release(&mut self, unit: u32) -> Option<usize> {
        let at = unit as usize;
        if self.pending[at] > 0 {
            return None;
        }
        if let Some(base) = self.lands[at]
            && self.unread[base as usize] > 0
        {
            self.blocked.insert((self.places[at], unit));
            return None;
        }
        Some(match self.units[at] {
            Some(Unit::Operation(operation)) => operation.operator as usize,
            _ => 3,
        })
    }

    /// Places units of a kind that are ready now and belong before `limit`. What becomes ready by that
    /// waits for the next run, so that no operation of a run needs another's result.
    fn place_run(&mut self, kind: usize, limit: u32) {
        let mut freed = Vec::new();
        while let Some(&Reverse((place, unit))) = self.ready[kind].peek()
            && place <= limit
        {
            self.ready[kind].pop();
            self.place(unit, &mut freed);
        }
        self.make_ready(&freed);
    }

    /// Places a unit; adds those that may have become ready to `freed`.
    fn place(&mut self, unit: u32, freed: &mut Vec<u32>) {
        let at = unit as usize;
        let Some(placed) = self.units[at].take() else { return };
        for value in placed.reads() {
            if let Some(base) = self.base(value)
                && self.lander[base] != unit
            {
                self.unread[base] -= 1;
                let lander = self.lander[base];
                if self.unread[base] == 0 && lander != NONE && self.is_held(lander) {
                    freed.push(lander);
                }
            }
        }
        if at < self.readers.len() {
            for reader in self.readers.range(at) {
                let reader = self.readers.items()[reader];
                self.pending[reader as usize] -= 1;
                if self.pending[reader as usize] == 0 {
                    freed.push(reader);
                }
            }
        }
        self.placed.push(Placed { unit: placed, lands: self.lands[at] });
    }

    /// Whether a unit that lands waits for nothing but readers of its base; it does no more then.
    fn is_held(&mut self, lander: u32) -> bool {
        let is_copy = lander as usize >= self.readers.len();
        is_copy || self.blocked.remove(&(self.places[lander as usize], lander))
    }

    /// Where bases wait for each other in a circle, lets one next value go to scratch first and copies
    /// it later. Gives false when nothing is left.
    fn give_up(&mut self) -> bool {
        let Some((place, unit)) = self.blocked.pop_first() else { return false };
        let at = unit as usize;
        // Only operations land, and a blocked one has not been placed.
        let (Some(Unit::Operation(operation)), Some(base)) = (&self.units[at], self.lands[at].take()) else {
            return true;
        };
        let value = operation.to;
        if operation.a == self.first_base + base || operation.b == self.first_base + base {
            self.unread[base as usize] += 1;
        }
        self.lander[base as usize] = self.units.len() as u32;
        let copy = ValueOperation { operator: Operator::And, to: self.values, a: value, b: value };
        self.values += 1;
        self.units.push(Some(Unit::Operation(copy)));
        self.places.push(place);
        self.pending.push(0);
        self.lands.push(Some(base));
        let mut freed = Vec::new();
        self.place(unit, &mut freed);
        self.make_ready(&freed);
        true
    }

    fn make_ready(&mut self, freed: &[u32]) {
        for &unit in freed {
            if let Some(kind) = self.release(unit) {
                self.ready[kind].push(Reverse((self.places[unit as usize], unit)));
            }
        }
    }
}
