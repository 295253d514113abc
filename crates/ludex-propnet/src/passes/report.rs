//! What the passes did.

use std::fmt;

use super::set::Pass;
use crate::Circuit;

/// The size of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Size {
    /// Two-input operations, see [`Circuit::operation_count`].
    pub operations: usize,
    /// And-gates.
    pub gates: usize,
    /// Stored bases.
    pub bases: usize,
}

impl Size {
    /// Measures a circuit.
    pub fn of(circuit: &Circuit) -> Self {
        Self {
            operations: circuit.operation_count(),
            gates: circuit.gate_count(),
            bases: circuit.bases.len(),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} operations, {} gates, {} bases", self.operations, self.gates, self.bases)
    }
}

/// What one pass did in one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassRun {
    /// The pass.
    pub pass: Pass,
    /// The round, from 0.
    pub round: u32,
    /// The size before.
    pub before: Size,
    /// The size after.
    pub after: Size,
}

/// What the passes did.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PassReport {
    /// The size before all passes.
    pub before: Size,
    /// The size after all passes.
    pub after: Size,
    /// Each pass of each round, in order.
    pub runs: Vec<PassRun>,
}

impl PassReport {
    /// Adds what later passes did; their rounds are counted on.
    pub fn extend(&mut self, later: PassReport) {
        let rounds = self.runs.iter().map(|run| run.round + 1).max().unwrap_or(0);
        self.runs.extend(later.runs.into_iter().map(|run| PassRun { round: run.round + rounds, ..run }));
        self.after = later.after;
    }
}

impl fmt::Display for PassReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "before        {}", self.before)?;
        for run in &self.runs {
            writeln!(f, "{} {:<12} {}", run.round, run.pass.name(), run.after)?;
        }
        writeln!(f, "after         {}", self.after)
    }
}
