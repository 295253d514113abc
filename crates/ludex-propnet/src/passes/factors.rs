//! Common factors: `(a & b) | (a & c)` becomes `a & (b | c)`, and so does its dual.
//!
//! In a circuit of and-gates both are complemented and-gates among the operands of one gate. Only those
//! that nobody else reads are taken apart. Each gate is factored greedily by the operand that most of
//! them have (Brayton, "Factoring logic functions", 1987, with factors of one literal); putting `n` of
//! them together saves `n - 1` operations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ludex_logic::{LimitError, Meter};
use rustc_hash::FxHashMap;

use super::cones::read_once;
use super::rebuild::{Rewrite, Site, rebuild};
use crate::circuit::normalise;
use crate::{Circuit, Edge, Gate, GateId};

/// Gates with more operands than this have no factor taken out; it bounds how deep factors nest.
const FACTORED: usize = 16;

/// Takes out common factors.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    let is_term = read_once(circuit, true, meter)?;
    rebuild(circuit, &mut Factors { is_term, terms: FxHashMap::default() }, share, meter).map(drop)
}

struct Factors {
    /// The gates that are only read by one other gate, complemented.
    is_term: Vec<bool>,
    /// The new operands of those visited, until they are read.
    terms: FxHashMap<GateId, Vec<Edge>>,
}

impl Rewrite for Factors {
    fn and(&mut self, site: &mut Site<'_>, gate: GateId, edges: &mut Vec<Edge>) -> Result<Edge, LimitError> {
        let Gate::And(operands) = &site.old.gates[gate.index()] else { return Ok(Edge::FALSE) };
        edges.clear();
        let mut terms = Vec::new();
        for &operand in operands {
            match self.terms.remove(&operand.gate()) {
                Some(mut term) => match normalise(&mut term) {
                    Some(simple) => edges.push(!simple),
                    None => terms.push(term),
                },
                None => edges.push(site.mapped(operand)),
            }
        }
        factor(site, terms, edges)?;
        if self.is_term[gate.index()] {
            // Its reader makes the gate, or takes it apart.
            self.terms.insert(gate, std::mem::take(edges));
            return Ok(Edge::FALSE);
        }
        Ok(site.builder.and(edges))
    }
}

/// Appends edges whose conjunction says that none of the terms is true. A term is a conjunction.
///
/// Calls itself with shorter terms, so at most [`FACTORED`] deep.
fn factor(site: &mut Site<'_>, terms: Vec<Vec<Edge>>, edges: &mut Vec<Edge>) -> Result<(), LimitError> {
    let mut having: FxHashMap<Edge, Vec<u32>> = FxHashMap::default();
    for (number, term) in terms.iter().enumerate() {
        site.meter.spend(term.len() as u64)?;
        if term.len() <= FACTORED {
            term.iter().for_each(|e| having.entry(*e).or_default().push(number as u32));
        }
    }
    let mut queue: BinaryHeap<(usize, Reverse<Edge>)> =
        having.iter().filter(|(_, has)| has.len() >= 2).map(|(e, has)| (has.len(), Reverse(*e))).collect();
    let mut terms: Vec<Option<Vec<Edge>>> = terms.into_iter().map(Some).collect();
    while let Some((count, Reverse(common))) = queue.pop() {
        let Some(has) = having.get_mut(&common) else { continue };
        site.meter.spend(has.len() as u64)?;
        has.retain(|number| terms[*number as usize].is_some());
        if has.len() < count {
            if has.len() >= 2 {
                queue.push((has.len(), Reverse(common)));
            }
            continue;
        }
        let mut rest = Vec::new();
        for mut term in has.iter().filter_map(|number| terms[*number as usize].take()) {
            term.retain(|e| *e != common);
            rest.push(term);
        }
        edges.push(!product(site, common, rest)?);
    }
    for mut term in terms.into_iter().flatten() {
        edges.push(!site.builder.and(&mut term));
    }
    Ok(())
}

/// The common factor and one of the rests.
fn product(site: &mut Site<'_>, common: Edge, mut rests: Vec<Vec<Edge>>) -> Result<Edge, LimitError> {
    // What else they all have is part of the same product.
    let mut factors = rests.first().cloned().unwrap_or_default();
    factors.retain(|e| rests.iter().all(|rest| rest.contains(e)));
    rests.iter_mut().for_each(|rest| rest.retain(|e| !factors.contains(e)));
    let mut none = Vec::new();
    factor(site, rests, &mut none)?;
    factors.extend([common, !site.builder.and(&mut none)]);
    Ok(site.builder.and(&mut factors))
}

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::CircuitSketch;

    /// Operations before and after for the next value of the first base.
    fn operations(make: impl Fn(&mut CircuitSketch, [Edge; 5]) -> Edge) -> (usize, usize) {
        let mut sketch = CircuitSketch::new(true);
        let bases = [false; 5].map(|initial| sketch.base(initial));
        let next = make(&mut sketch, bases);
        sketch.next(0, next);
        let mut circuit = sketch.finish();
        let before = circuit.operation_count();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.check(), Ok(()));
        (before, circuit.operation_count())
    }

    #[test]
    fn a_factor_of_several_alternatives_is_tested_once() {
        // abc | abd | e: ab(c | d) | e.
        let made = operations(|sketch, [a, b, c, d, e]| {
            let (x, y) = (sketch.and(&[a, b, c]), sketch.and(&[a, b, d]));
            sketch.or(&[x, y, e])
        });
        assert_eq!(made, (6, 4));
    }

    #[test]
    fn the_dual_and_nested_alternatives() {
        // (a | b) & (a | c) = a | bc, inside of de | _.
        let made = operations(|sketch, [a, b, c, d, e]| {
            let (x, y) = (sketch.or(&[a, b]), sketch.or(&[a, c]));
            let inner = sketch.and(&[x, y]);
            let other = sketch.and(&[d, e]);
            sketch.or(&[inner, other])
        });
        assert_eq!(made, (5, 4));
    }

    #[test]
    fn alternatives_that_others_read_stay() {
        let made = operations(|sketch, [a, b, c, d, _]| {
            let (x, y) = (sketch.and(&[a, b]), sketch.and(&[a, c]));
            let both = sketch.and(&[x, y, d]);
            let some = sketch.or(&[x, y]);
            sketch.and(&[both, some])
        });
        assert_eq!(made.0, made.1);
    }
}
