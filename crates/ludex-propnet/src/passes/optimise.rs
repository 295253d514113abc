//! Makes the passes in order, again and again while they save something.

use ludex_logic::{Budget, LimitError, Meter};

use super::rebuild::BaseNumbers;
use super::report::{PassReport, PassRun, Size};
use super::set::{Pass, PassSet};
use super::{
    absorption, common_pairs, constants, dead_cones, equal_bases, exclusive, factors, flatten, hash_consing,
};
use super::{legal_moves, one_move, spare_bases, waiting_moves};
use crate::{Circuit, Invariants};

/// The most rounds; few circuits shrink further after three.
const MOST_ROUNDS: u32 = 6;

/// A round is followed by another one if it left fewer than this many of a thousand operations.
const WORTHWHILE: usize = 990;

/// What a round makes, in order.
const ROUND: [Pass; 10] = [
    Pass::Constants,
    Pass::HashConsing,
    Pass::EqualBases,
    Pass::Flatten,
    Pass::Absorption,
    Pass::OneMove,
    Pass::LegalMoves,
    Pass::WaitingMoves,
    Pass::Exclusive,
    Pass::Factors,
];

/// What is made once, after all rounds.
const LAST: [Pass; 5] = [Pass::Factors, Pass::Flatten, Pass::HashConsing, Pass::CommonPairs, Pass::DeadCones];

/// Shrinks a circuit by the passes of the set, knowing nothing of its states but what the passes find.
///
/// # Errors
/// When a limit of the budget is reached; the circuit is then as some of the passes left it, which is
/// as good as before.
pub fn optimise(circuit: &mut Circuit, passes: &PassSet, budget: &Budget) -> Result<PassReport, LimitError> {
    optimise_with(circuit, &Invariants::default(), passes, budget)
}

/// Shrinks a circuit by the passes of the set, knowing what holds in its reachable states.
///
/// # Errors
/// As [`optimise`].
pub fn optimise_with(
    circuit: &mut Circuit,
    invariants: &Invariants,
    passes: &PassSet,
    budget: &Budget,
) -> Result<PassReport, LimitError> {
    let before = Size::of(circuit);
    let mut work = Work {
        circuit,
        invariants: invariants.clone(),
        passes: *passes,
        meter: budget.meter(),
        report: PassReport { before, after: before, runs: Vec::new() },
    };
    for round in 0..MOST_ROUNDS {
        let operations = work.report.after.operations;
        for pass in ROUND {
            work.make(pass, round)?;
        }
        if work.report.after.operations * 1000 >= operations * WORTHWHILE {
            break;
        }
    }
    for pass in LAST {
        work.make(pass, MOST_ROUNDS)?;
    }
    Ok(work.report)
}

struct Work<'a> {
    circuit: &'a mut Circuit,
    /// With the numbers that bases have now.
    invariants: Invariants,
    passes: PassSet,
    meter: Meter,
    report: PassReport,
}

impl Work<'_> {
    fn make(&mut self, pass: Pass, round: u32) -> Result<(), LimitError> {
        if !self.passes.has(pass) {
            return Ok(());
        }
        let share = self.passes.has(Pass::HashConsing);
        let Self { circuit, invariants, meter, .. } = self;
        meter.budget().report(pass.name(), u64::from(round), None);
        match pass {
            Pass::Constants => {
                let numbers = constants::run(circuit, share, meter)?;
                renumber(invariants, &numbers);
            }
            Pass::HashConsing => hash_consing::run(circuit, meter)?,
            Pass::Flatten => flatten::run(circuit, share, meter)?,
            Pass::Absorption => absorption::run(circuit, share, meter)?,
            Pass::OneMove => one_move::run(circuit, share, meter)?,
            Pass::LegalMoves => legal_moves::run(circuit, share, meter)?,
            Pass::WaitingMoves => waiting_moves::run(circuit, share, meter)?,
            Pass::Exclusive => exclusive::run(circuit, invariants, share, meter)?,
            Pass::EqualBases => {
                let numbers = equal_bases::run(circuit, invariants, share, meter)?;
                renumber(invariants, &numbers);
            }
            Pass::Factors => factors::run(circuit, share, meter)?,
            Pass::SpareBases => {
                let numbers = spare_bases::run(circuit, invariants, share, meter)?;
                renumber(invariants, &numbers);
            }
            Pass::CommonPairs => common_pairs::run(circuit, share, meter)?,
            Pass::DeadCones => dead_cones::run(circuit, share, meter)?,
        }
        let before = self.report.after;
        self.report.after = Size::of(self.circuit);
        self.report.runs.push(PassRun { pass, round, before, after: self.report.after });
        Ok(())
    }
}

/// Says what is known of the bases that stay by their new numbers.
///
/// A group keeps what it says of the members that stay, unless one of those that left might be the one
/// that is true: of an exactly-one group there then remains an at-most-one group.
fn renumber(invariants: &mut Invariants, numbers: &BaseNumbers) {
    let number = |base: u32| numbers.get(base as usize).copied().flatten();
    let left = |group: &Vec<u32>| group.iter().filter_map(|&b| number(b)).collect::<Vec<_>>();
    invariants.constants = std::mem::take(&mut invariants.constants)
        .into_iter()
        .filter_map(|(base, value)| Some((number(base)?, value)))
        .collect();
    invariants.equivalences.retain_mut(|equal| {
        let (base, same_as) = (number(equal.base), number(equal.same_as));
        if let (Some(base), Some(same_as)) = (base, same_as) {
            (equal.base, equal.same_as) = (base, same_as);
            return true;
        }
        false
    });
    let mut exclusive: Vec<Vec<u32>> = invariants.exclusive.iter().map(left).collect();
    let mut exactly_one = Vec::new();
    for group in &invariants.exactly_one {
        let members = left(group);
        if members.len() == group.len() { exactly_one.push(members) } else { exclusive.push(members) }
    }
    exclusive.retain(|group| group.len() >= 2);
    invariants.exclusive = exclusive;
    invariants.exactly_one = exactly_one;
}
