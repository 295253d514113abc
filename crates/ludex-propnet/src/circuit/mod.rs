//! The circuit: and-gates with complemented edges, over the stored bases and the inputs.

mod builder;
mod check;
mod evaluate;
mod from_net;
mod normal;
mod outputs;
mod stages;
mod ternary;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ludex_game::Goal;
use ludex_logic::{TermId, Terms};

pub use builder::GateBuilder;
pub use check::CircuitFault;
pub use evaluate::{CircuitEvaluator, GateValues, Truth};
pub use normal::normalise;
pub use stages::{LoopMembers, Stage};
pub use ternary::{TernaryValues, ternary_and};

/// A gate of one circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GateId(pub u32);

impl GateId {
    /// As a position, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The value of a gate, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge(u32);

impl Edge {
    /// Always false: gate 0.
    pub const FALSE: Edge = Edge(0);
    /// Always true.
    pub const TRUE: Edge = Edge(1);

    /// The value of `gate`, complemented or not.
    pub fn new(gate: GateId, complemented: bool) -> Self {
        Self(gate.0 << 1 | u32::from(complemented))
    }

    /// The gate.
    pub fn gate(self) -> GateId {
        GateId(self.0 >> 1)
    }

    /// Whether the value is complemented.
    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// The edge's constant, if it is one.
    pub fn constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self == Edge::TRUE)
    }

    /// As a position in a table with two entries for each gate.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The edge with this [`index`](Edge::index).
    pub(crate) fn at(index: usize) -> Self {
        Self(index as u32)
    }

    /// What became of this edge, given what became of the gates.
    #[must_use]
    pub fn mapped(self, gates: &[Edge]) -> Self {
        gates[self.gate().index()].complement_if(self.is_complemented())
    }

    /// This edge, complemented once more if `complemented`.
    #[must_use]
    pub fn complement_if(self, complemented: bool) -> Self {
        Self(self.0 ^ u32::from(complemented))
    }
}

impl std::ops::Not for Edge {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// What a gate computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// False; gate 0 and no other.
    False,
    /// The value of a stored base, by position in [`Circuit::bases`].
    Base(u32),
    /// Whether a role makes a move: role, then position in [`Circuit::moves`] of that role.
    Input(u32, u32),
    /// A variable of the loop with this number: false at first, then whatever its definition says,
    /// again and again until nothing changes.
    Feedback(u32),
    /// All of these edges are true. At least two; each points to a gate before this one.
    And(Box<[Edge]>),
}

impl Gate {
    /// The edges of an and-gate; none of other gates.
    pub fn operands(&self) -> &[Edge] {
        if let Gate::And(edges) = self { edges } else { &[] }
    }
}

/// A bit of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBase {
    /// The proposition it is, by position in [`Circuit::propositions`].
    pub proposition: u32,
    /// Its value in the initial state.
    pub initial: bool,
    /// Its value in the next state.
    pub next: Edge,
}

/// A variable of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The gate that holds the variable.
    pub gate: GateId,
    /// What the variable is to be equal to in the end.
    pub definition: Edge,
}

/// A recursion through relations that change, as the least fixpoint of its variables: all false at
/// first, definitions evaluated until nothing changes. Definitions are monotone in the variables.
///
/// The *body* of a loop is every gate that depends on one of its variables and on which one of its
/// definitions depends; bodies of two loops have no gate in common. A gate outside of the body that
/// reads a body gate or a variable means its final value.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Loop {
    /// The variables.
    pub feedback: Vec<Feedback>,
}

/// A game as a circuit. Gates are in topological order: an and-gate's edges point to gates before it
/// (feedback gates are sources in this order).
///
/// Moves and propositions are listed in canonical order ([`Terms::compare`]).
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The terms of the game.
    pub terms: Arc<Terms>,
    /// The gates; gate 0 is [`Gate::False`].
    pub gates: Vec<Gate>,
    /// The loops.
    pub loops: Vec<Loop>,
    /// The propositions that can be true in some state.
    pub propositions: Vec<TermId>,
    /// The value of each proposition, by the stored bases alone.
    pub values: Vec<Edge>,
    /// The bits of the state; each is a proposition whose value in `values` is its own base gate.
    pub bases: Vec<StoredBase>,
    /// Per role the moves that can be legal in some state.
    pub moves: Vec<Vec<TermId>>,
    /// Per role and move whether it is legal; depends on bases only.
    pub legal: Vec<Vec<Edge>>,
    /// Per role the goal values with when they hold, in ascending order; depends on bases only.
    pub goals: Vec<Vec<(Goal, Edge)>>,
    /// Whether the state is terminal; depends on bases only.
    pub terminal: Edge,
    /// Per role what it may see (GDL-II), in canonical order, with when it does.
    pub percepts: Vec<Vec<(TermId, Edge)>>,
}

impl Circuit {
    /// The number of and-gates.
    pub fn gate_count(&self) -> usize {
        self.gates.iter().filter(|g| matches!(g, Gate::And(_))).count()
    }

    /// The number of two-input operations that compute all gates: one less than the edges of each.
    pub fn operation_count(&self) -> usize {
        self.gates.iter().map(|gate| gate.operands().len().saturating_sub(1)).sum()
    }

    /// The number of edges from and-gates to their operands.
    pub fn operand_count(&self) -> usize {
        self.gates.iter().map(|gate| gate.operands().len()).sum()
    }
}
