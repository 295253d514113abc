//! Slots for values: a slot is used again as soon as the value in it is read for the last time.

use super::expand::{Literal, Unit, Value, ValueFixpoint, ValueOperation};
use super::schedule::Placed;
use super::{Fixpoint, Operation, Output, Phase, Slot, Step};

/// The slot of a value that has none (yet).
pub(super) const NO_SLOT: u32 = u32::MAX;
/// The time at which a value is read that stays to the end.
const FOREVER: u32 = u32::MAX;

/// Slots given out so far. Time counts units, and one more for whoever runs the phases after each.
pub(super) struct Allocator {
    /// The slot of each value.
    slots: Vec<u32>,
    /// When each value is read for the last time; 0 if never.
    last_read: Vec<u32>,
    /// The value of the first base.
    first_base: Value,
    /// The first slot that may be reused.
    scratch: u32,
    /// Slots in scratch that hold nothing; the one freed last is taken first.
    free: Vec<u32>,
    /// The number of slots.
    count: u32,
    now: u32,
}

impl Allocator {
    /// An allocator for so many values, of which the first have slots of their own; slots from `scratch`
    /// on are shared by the others.
    pub fn new(fixed: &[u32], first_base: Value, scratch: u32, values: u32) -> Self {
        let mut slots = fixed.to_vec();
        slots.resize(values as usize, NO_SLOT);
        let last_read = vec![0; values as usize];
        Self { slots, last_read, first_base, scratch, free: Vec::new(), count: scratch, now: 1 }
    }

    /// The number of slots.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Where a value is.
    pub fn output(&self, literal: Literal) -> Output {
        Output { slot: self.slot(literal.value), complemented: literal.complemented }
    }

    fn slot(&self, value: Value) -> Slot {
        Slot(self.slots[value as usize])
    }

    /// Notes what is read by the phases to come, in the order in which they run, and by whoever runs them
    /// after each.
    pub fn note_reads(&mut self, phases: &[(&[Placed], &[Literal])]) {
        let mut time = self.now;
        for (units, outputs) in phases {
            for placed in *units {
                placed.unit.reads().for_each(|v| self.last_read[v as usize] = time);
                time += 1;
            }
            outputs.iter().for_each(|o| self.last_read[o.value as usize] = time);
            time += 1;
        }
    }

    /// Gives slots to everything a phase computes; `outputs` are read after it.
    pub fn phase(&mut self, units: &[Placed], outputs: &[Literal]) -> Phase {
        let mut steps = Vec::new();
        let mut straight = Vec::new();
        for placed in units {
            match &placed.unit {
                Unit::Operation(operation) => {
                    straight.push(self.operation(*operation, placed.lands));
                }
                Unit::Fixpoint(fixpoint) => {
                    if !straight.is_empty() {
                        steps.push(Step::Straight(std::mem::take(&mut straight)));
                    }
                    steps.push(Step::Fixpoint(self.fixpoint(fixpoint)));
                }
            }
            self.now += 1;
        }
        if !straight.is_empty() {
            steps.push(Step::Straight(straight));
        }
        outputs.iter().for_each(|o| self.release(o.value));
        self.now += 1;
        Phase { steps }
    }

    fn operation(&mut self, operation: ValueOperation, lands: Option<u32>) -> Operation {
        let ValueOperation { operator, to, a, b } = operation;
        let (a_slot, b_slot) = (self.slot(a), self.slot(b));
        self.release(a);
        self.release(b);
        match lands {
            Some(base) => self.slots[to as usize] = self.slots[(self.first_base + base) as usize],
            None => self.give(to),
        }
        if self.last_read[to as usize] == 0 {
            self.drop_slot(to);
        }
        Operation { operator, to: self.slot(to), a: a_slot, b: b_slot }
    }

    /// Gives slots to a recursion. What is read from outside stays until all rounds are over; within a
    /// round, slots of the body are reused.
    fn fixpoint(&mut self, fixpoint: &ValueFixpoint) -> Fixpoint {
        let Some(&(first, _)) = fixpoint.feedback.first() else { return Fixpoint::default() };
        let variables = fixpoint.feedback.len();
        let end = fixpoint.body.len();
        // Values of a recursion are numbered in sequence, variables first.
        let inner =
            |value: Value| value.checked_sub(first).map(|at| at as usize).filter(|&at| at < variables + end);
        let mut inner_read = vec![0; variables + end];
        for (time, operation) in fixpoint.body.iter().enumerate() {
            [operation.a, operation.b].into_iter().filter_map(inner).for_each(|at| inner_read[at] = time);
        }
        fixpoint.feedback.iter().filter_map(|(_, d)| inner(d.value)).for_each(|at| inner_read[at] = end);
        inner_read[..variables].fill(end);
        fixpoint.feedback.iter().for_each(|&(variable, _)| self.give(variable));

        let mut body = Vec::with_capacity(end);
        for (time, &ValueOperation { operator, to, a, b }) in fixpoint.body.iter().enumerate() {
            let (a_slot, b_slot) = (self.slot(a), self.slot(b));
            for value in [a, b] {
                if inner(value).is_some_and(|at| inner_read[at] == time)
                    && self.last_read[value as usize] == 0
                {
                    self.drop_slot(value);
                }
            }
            self.give(to);
            body.push(Operation { operator, to: self.slot(to), a: a_slot, b: b_slot });
        }
        let feedback =
            fixpoint.feedback.iter().map(|&(variable, d)| (self.slot(variable), self.output(d))).collect();
        for (value, &time) in (first..).zip(&inner_read) {
            if self.last_read[value as usize] == 0 && (time == end || time == 0) {
                self.drop_slot(value);
            }
        }
        fixpoint.reads.iter().for_each(|&v| self.release(v));
        Fixpoint { feedback, body }
    }

    /// Gives a slot to a value.
    fn give(&mut self, value: Value) {
        self.slots[value as usize] = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
    }

    /// Frees the slot of a value that is read now and never again.
    fn release(&mut self, value: Value) {
        if self.last_read[value as usize] == self.now {
            self.drop_slot(value);
        }
    }

    /// Frees the slot of a value, once.
    fn drop_slot(&mut self, value: Value) {
        self.last_read[value as usize] = FOREVER;
        let slot = self.slots[value as usize];
        if slot >= self.scratch && slot != NO_SLOT {
            self.free.push(slot);
        }
    }
}
