//! How many steps a plan has at least.
//!
//! What is wanted is often a conjunction: all cells filled, all lamps lit. If of so many conditions that
//! do not hold at first no step makes two true at once, a plan has as many steps as there are
//! conditions. A solver that only sees the steps has to find that out for each length anew, and must
//! try the conditions in all orders for that (as for pigeonholes).

use ludex_game::Goal;
use ludex_logic::Meter;
use ludex_propnet::{Circuit, CircuitEvaluator, Edge, Gate};

use super::courses::Courses;
use super::model::Model;
use super::search::{Others, Stopped};
use crate::sat::{Literal, Origin, Verdict};

/// Conflicts that one question about a step may cost.
const CONFLICTS: u64 = 2_000;
/// The most conditions that are looked at.
const MOST: usize = 400;

/// A number of steps that every plan has at least, for the role to get at least so much.
pub(super) fn fewest_steps(
    model: &Model,
    role: usize,
    least: Goal,
    mut meter: Meter,
) -> Result<usize, Stopped> {
    let circuit = model.circuit();
    let mut enough = circuit.goals[role].iter().filter(|goal| goal.0 >= least);
    let (Some(&(_, wanted)), None) = (enough.next(), enough.next()) else { return Ok(0) };
    meter.spend(circuit.gates.len() as u64)?;
    let initial: Vec<bool> = circuit.bases.iter().map(|base| base.initial).collect();
    let values = CircuitEvaluator::new(circuit).in_state(&initial, &[]);
    let mut missing = conditions(circuit, wanted);
    missing.retain(|&edge| !values.get(edge));
    if missing.len() < 2 || missing.len() > MOST {
        return Ok(usize::from(!missing.is_empty()));
    }
    apart(model, role, &missing, meter)
}

/// The edges whose conjunction this edge is.
fn conditions(circuit: &Circuit, edge: Edge) -> Vec<Edge> {
    let (mut open, mut found) = (vec![edge], Vec::new());
    while let Some(edge) = open.pop() {
        match &circuit.gates[edge.gate().index()] {
            Gate::And(edges) if !edge.is_complemented() => open.extend(edges.iter().rev()),
            _ => found.push(edge),
        }
        if open.len() + found.len() > 16 * MOST {
            break;
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// How many of these conditions there are of which no step makes two true.
fn apart(model: &Model, role: usize, conditions: &[Edge], meter: Meter) -> Result<usize, Stopped> {
    let mut courses = Courses::from_origin(model, role, Others::Helping, Origin::Any, meter);
    courses.strengthen_first()?;
    courses.extend()?;
    // Per condition: it counts, and it becomes true.
    let (mut counts, mut becomes): (Vec<Literal>, Vec<Literal>) = (Vec::new(), Vec::new());
    let (mut before, mut twice) = (courses.unrolling.solver().constant(false), Vec::new());
    for &condition in conditions {
        let was = courses.unrolling.literal(0, condition)?;
        let is = courses.unrolling.literal(1, condition)?;
        let solver = courses.unrolling.solver();
        let count = solver.variable();
        let becoming = solver.conjunction(&[!was, is, count])?;
        twice.push(solver.conjunction(&[before, becoming])?);
        before = !solver.conjunction(&[!before, !becoming])?;
        counts.push(count);
        becomes.push(becoming);
    }
    let solver = courses.unrolling.solver();
    solver.clause(twice)?;
    let mut left: Vec<usize> = (0..conditions.len()).collect();
    loop {
        let is_left = |number: usize| left.binary_search(&number).is_ok();
        let count = |(number, &count): (usize, &Literal)| if is_left(number) { count } else { !count };
        let assumptions: Vec<Literal> = counts.iter().enumerate().map(count).collect();
        match courses.unrolling.solve(&assumptions, CONFLICTS)? {
            Verdict::Unsatisfiable => return Ok(left.len()),
            Verdict::TooHard => return Ok(1),
            Verdict::Satisfiable => {
                let solver = courses.unrolling.solver();
                let together: Vec<usize> =
                    left.iter().copied().filter(|&number| solver.value(becomes[number])).collect();
                // All but one of those that became true together no longer count.
                left.retain(|number| !together[1..].contains(number));
                if together.len() < 2 {
                    return Ok(1);
                }
            }
        }
    }
}
