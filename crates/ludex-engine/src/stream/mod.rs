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
mod statistics;
#[cfg(test)]
mod tests;

use ludex_game::Goal;
use ludex_logic::TermId;

#[cfg(feature = "native")]
use crate::PhaseKind;
pub(crate) use build::InputLayout;
pub use statistics::StreamStatistics;

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

/// What the order of operations is good for. It changes nothing about what is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// Operations of one operator come in runs, and no operation of a run reads another's result: good
    /// for the interpreter, which chooses among operators once per run.
    #[default]
    Runs,
    /// Depth first, so that the fewest values live at a time: good for native code, which holds them in
    /// registers.
    DepthFirst,
}

impl Order {
    /// How many places early an operation may come to join others of its operator.
    ///
    /// Of 0, 32, 128, 512, 2048 and no limit, 512 was as fast as any on games of 74 to 161 000
    /// operations (0.9 to 1.2 ns for 512 lanes, against 1.4 to 2.2 depth first), and takes fewer slots
    /// than larger windows.
    fn window(self) -> u32 {
        match self {
            Self::Runs => 512,
            Self::DepthFirst => 0,
        }
    }
}

/// A circuit ready for lanes.
///
/// Slot 0 ([`Stream::ZERO`]) is always all zero and slot 1 ([`Stream::ONES`]) always all one: whoever
/// runs a stream sets them once, and no operation writes them. The slots of the bases and of the inputs
/// are fixed; all others are scratch that operations reuse. For each state:
///
/// 1. `decide` runs.
/// 2. `assess` runs, if goals are asked for. It goes on with what `decide` has computed, and leaves
///    alone what others need of that.
/// 3. `legal`, `terminal` and `goals` are read, and moves are written to the input slots.
/// 4. `advance` runs. It goes on with what `decide` has computed, and leaves the next state in the base
///    slots, in every lane: there is nothing to move afterwards. `percepts` are read.
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
    /// Computes `goals` from the bases and what `decide` left in scratch; before `advance` runs.
    pub assess: Phase,
    /// Per role and move whether it is legal, after `decide` (and until `advance` runs).
    pub legal: Vec<Vec<Output>>,
    /// Whether the state is terminal, after `decide`.
    pub terminal: Output,
    /// The next value of each base, after `advance`: always the base's own slot, not complemented.
    pub next: Vec<Output>,
    /// Per role the goal values with when they hold, after `assess` (and until `advance` runs).
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

/// What machine code is made from and checked against.
#[cfg(feature = "native")]
impl Stream {
    /// The phase of this kind.
    pub(crate) fn phase(&self, kind: PhaseKind) -> &Phase {
        match kind {
            PhaseKind::Decide => &self.decide,
            PhaseKind::Advance => &self.advance,
            PhaseKind::Assess => &self.assess,
        }
    }

    /// Where the values lie that are looked at after a phase.
    pub(crate) fn outputs(&self, kind: PhaseKind) -> Vec<Slot> {
        match kind {
            PhaseKind::Decide => {
                self.legal.iter().flatten().chain([&self.terminal]).map(|output| output.slot).collect()
            }
            PhaseKind::Advance => {
                let percepts = self.percepts.iter().flatten().map(|(_, output)| output);
                self.next.iter().chain(percepts).map(|output| output.slot).collect()
            }
            PhaseKind::Assess => self.goals.iter().flatten().map(|(_, output)| output.slot).collect(),
        }
    }

    /// The slots that are written from outside: those of the bases and of the inputs.
    pub(crate) fn given(&self) -> impl Iterator<Item = Slot> + '_ {
        self.bases.iter().copied().chain(self.inputs.iter().flatten().flatten().copied())
    }
}
