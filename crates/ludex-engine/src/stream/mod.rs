//! The stream: a circuit as straight-line operations over slots.
//!
//! Plain data, and the one seam between circuits and everything that runs lanes: the portable
//! kernels and native code. A slot holds one word per lane block; nothing here knows how wide it is.

mod allocate;
mod build;
mod expand;
mod network;
#[cfg(test)]
pub(crate) mod plain;
#[cfg(test)]
pub(crate) mod sample;
mod schedule;
#[cfg(test)]
mod tests;

use ludex_game::Goal;
use ludex_logic::TermId;

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// A bitwise operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a & !b`.
    AndNot,
}

/// `to = a operator b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// What to compute.
    pub operator: Operator,
    /// Where to store it; may be the slot of an operand.
    pub to: Slot,
    /// The first operand.
    pub a: Slot,
    /// The second operand.
    pub b: Slot,
}

/// A value that a phase gives: a slot, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// Where it lies.
    pub slot: Slot,
    /// Whether what lies there is the complement of the value.
    pub complemented: bool,
}

/// A recursion: variables start as false (all zero), then `body` is run and every variable set to its
/// definition, until no lane changes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Fixpoint {
    /// Variables with their definitions.
    pub feedback: Vec<(Slot, Output)>,
    /// What computes the definitions from the variables.
    pub body: Vec<Operation>,
}

/// A part of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Operations in order.
    Straight(Vec<Operation>),
    /// A recursion.
    Fixpoint(Fixpoint),
}

/// A program that computes some of the outputs.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Phase {
    /// What to do, in order.
    pub steps: Vec<Step>,
}

/// A circuit ready for lanes.
///
/// Slot 0 ([`Stream::ZERO`]) is always all zero and slot 1 ([`Stream::ONES`]) always all one: whoever
/// runs a stream sets them once, and no operation writes them. The slots of the bases and of the inputs
/// are fixed; all others are scratch that operations reuse. The phases run in the order `decide`, then
/// for lanes that go on: moves are written to the input slots, then `advance`, which leaves the next
/// state in the base slots (in every lane; there is nothing to move afterwards).
///
/// `assess` needs only the base slots. It may run at any time, also between `decide` and `advance`: it
/// leaves alone what `decide` has computed for others, but not the percepts that `advance` has.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The number of slots.
    pub slots: u32,
    /// The slot of each stored base.
    pub bases: Vec<Slot>,
    /// The initial state.
    pub initial: Vec<bool>,
    /// Per role and move the slot that says whether the move is made; `None` where nothing reads it.
    pub inputs: Vec<Vec<Option<Slot>>>,
    /// Computes `legal` and `terminal` from the bases.
    pub decide: Phase,
    /// Computes the next state and `percepts` from the bases, the inputs and what `decide` left in
    /// scratch. Writes the next state over the bases.
    pub advance: Phase,
    /// Computes `goals` from the bases.
    pub assess: Phase,
    /// Per role and move whether it is legal, after `decide` (and until `advance` runs).
    pub legal: Vec<Vec<Output>>,
    /// Whether the state is terminal, after `decide`.
    pub terminal: Output,
    /// The next value of each base, after `advance`: always the base's own slot, not complemented.
    pub next: Vec<Output>,
    /// Per role the goal values with when they hold, after `assess`.
    pub goals: Vec<Vec<(Goal, Output)>>,
    /// Per role the percepts with when they are seen, after `advance`.
    pub percepts: Vec<Vec<(TermId, Output)>>,
}

impl Stream {
    /// The slot that is always all zero.
    pub const ZERO: Slot = Slot(0);
    /// The slot that is always all one.
    pub const ONES: Slot = Slot(1);
}
