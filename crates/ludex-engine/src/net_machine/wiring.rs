//! The run-time form of a circuit: flat arrays, shared by all runners of a machine.

use std::ops::Range;

use ludex_game::Goal;
use ludex_logic::{Csr, TermId};

/// Says that there is no such node, loop or position.
pub(super) const NONE: u32 = u32::MAX;

/// A node's value or its complement: twice the node, plus one for the complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Literal(pub(super) u32);

impl Literal {
    pub(super) fn new(node: usize, complemented: bool) -> Self {
        Self((node as u32) << 1 | u32::from(complemented))
    }
}

/// Some of a role's moves, which are legal only where the guard holds.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// What has to hold besides a move's bit; `None` for nothing.
    pub(super) guard: Option<Literal>,
    /// The first of the role's words of moves that the group has bits in.
    pub(super) offset: usize,
    /// Where the bits lie in [`Marking::bits`](super::marking::Marking::bits).
    pub(super) words: Range<usize>,
}

/// A recursion. Its variables, its gates and its copies for the gates outside have words of their own
/// in [`Marking::bits`](super::marking::Marking::bits).
#[derive(Clone, Debug)]
pub(super) struct Recursion {
    /// The node of the first variable; the others follow.
    pub(super) first_variable: usize,
    /// How many there are.
    pub(super) variables: usize,
    /// A bit per variable: it differs from its definition.
    pub(super) differs: Range<usize>,
    /// A bit per gate that has to be flipped.
    pub(super) body: Range<usize>,
    /// A bit per copy that has to be flipped.
    pub(super) copies: Range<usize>,
}

/// How a circuit is run.
///
/// A *slot* is what operands are counted for: an and-gate, or a bit of an output. A *node* is what has
/// a value that others read: the gates have the number of their slot, the other nodes follow.
#[derive(Clone, Debug, Default)]
pub(super) struct Wiring {
    /// The words of the gates that no move can change, then of those that moves change.
    pub(super) still: Range<usize>,
    pub(super) moving: Range<usize>,
    /// The number of slots and of words of bits, one bit per slot.
    pub(super) slots: usize,
    pub(super) nodes: usize,
    /// Per node the slots that count it as an operand: twice the slot, plus one where it counts the
    /// complement.
    pub(super) consumers: Csr<u32>,
    /// Per gate in the words of `still` and `moving`: operands that are only read when all that are
    /// counted hold.
    pub(super) waits: Csr<u32>,
    /// A bit for each of these gates: it has such operands.
    pub(super) partial: Vec<u64>,
    /// Per node from `first_input` on the gates that one move and the state decide: the gate and an
    /// operand of it, in turn, with [`NONE`] for the gate before all but its last operand.
    pub(super) direct: Csr<u32>,
    pub(super) first_input: usize,
    pub(super) recursions: Vec<Recursion>,
    /// Per gate slot the recursion that is to be run in its place; empty without recursions.
    pub(super) marker: Vec<u32>,
    /// Per node the recursions that read it, as four times the slot of the marker; plus one where
    /// the recursion must start anew when the node rises, plus two where it must when it falls.
    pub(super) marks: Csr<u32>,
    /// The node of the first base; the others follow.
    pub(super) first_base: usize,
    pub(super) bases: usize,
    /// Per role and move its node, or [`NONE`] where nothing reads it.
    pub(super) inputs: Vec<Vec<u32>>,
    /// Per role.
    pub(super) legal: Vec<Vec<Group>>,
    /// The slot that says whether the state is terminal.
    pub(super) terminal: usize,
    /// A bit per base: its next value differs from its value.
    pub(super) difference: Range<usize>,
    /// Per role what it may see, and the words with a bit for each.
    pub(super) percepts: Vec<(Vec<TermId>, Range<usize>)>,
    /// The gates that only goals need, as operands in topological order; nodes from `first_goal_gate`.
    pub(super) goal_gates: Csr<u32>,
    pub(super) first_goal_gate: usize,
    /// Per role.
    pub(super) goals: Vec<Vec<(Goal, Literal)>>,
}

impl Wiring {
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let lists = [&self.consumers, &self.direct, &self.waits, &self.marks, &self.goal_gates];
        let inputs: usize = self.inputs.iter().map(Vec::len).sum();
        lists.iter().map(|list| list.bytes()).sum::<usize>() + 4 * (inputs + self.marker.len())
    }
}
