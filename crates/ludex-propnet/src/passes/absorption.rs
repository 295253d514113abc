//! Absorption and local resolution: what a conjunction's operands say about each other.
//!
//! With one look into the operands' own operands: `a & !(!a & b)` is `a`, `a & !(a & b)` is `a & !b`,
//! `a & (a & b)` is `a & b`; and between two complemented operands `!(a & b) & !(a & !b)` is `!a`,
//! `!(a & b) & !(a & b & c)` is `!(a & b)`.

use ludex_logic::{LimitError, Meter};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::Knowledge;
use super::rebuild::Site;
use super::simplify::simplify;
use crate::circuit::{GateBuilder, normalise};
use crate::{Circuit, Edge};

/// Operands with more operands than this are not compared with each other.
const COMPARED: usize = 16;

/// Simplifies each conjunction by looking into its operands.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    simplify(circuit, Absorption::default(), Vec::new(), share, meter)
}

#[derive(Default)]
struct Absorption {
    /// The complemented operands, by a hash of their operand set.
    by_set: FxHashMap<u64, Edge>,
}

impl Knowledge for Absorption {
    fn looks_into_operands(&self) -> bool {
        true
    }

    fn regroup(
        &mut self,
        site: &mut Site<'_>,
        _uses: &dyn Fn(Edge) -> u32,
        edges: &mut Vec<Edge>,
    ) -> Result<(), LimitError> {
        // Each merge leaves one operand less.
        while self.merge_some(site, edges)? {
            if normalise(edges).is_some() {
                break;
            }
        }
        Ok(())
    }
}

impl Absorption {
    /// Merges pairs of complemented operands; whether there is something new to compare.
    ///
    /// Sets are found by a hash that is a sum over their elements, so that the hash of a set without
    /// one element, or with its complement instead, is known at once.
    fn merge_some(&mut self, site: &mut Site<'_>, edges: &mut Vec<Edge>) -> Result<bool, LimitError> {
        self.by_set.clear();
        let mut compared = 0;
        for &edge in &*edges {
            if let Some(operands) = compared_operands(site.builder, edge) {
                self.by_set.insert(operands.iter().map(|&e| element(e)).fold(0, u64::wrapping_add), edge);
                compared += 1;
            } else {
                // A single literal is the complement of the set of its complement.
                self.by_set.insert(element(!edge), edge);
            }
        }
        if compared == 0 {
            return Ok(false);
        }
        let mut made = Vec::new();
        let mut gone: FxHashSet<Edge> = FxHashSet::default();
        for &edge in &*edges {
            let Some(operands) = compared_operands(site.builder, edge).filter(|_| !gone.contains(&edge))
            else {
                continue;
            };
            site.meter.spend(operands.len() as u64)?;
            let all = operands.iter().map(|&e| element(e)).fold(0, u64::wrapping_add);
            for (at, &operand) in operands.iter().enumerate() {
                let without = all.wrapping_sub(element(operand));
                let subset = self.by_set.get(&without).copied();
                if subset.is_some_and(|s| is_set_without(site.builder, s, operands, at, None)) {
                    gone.insert(edge);
                    break;
                }
                let opposite = self.by_set.get(&without.wrapping_add(element(!operand))).copied();
                // Of two opposite ones the smaller does the work.
                if let Some(other) = opposite.filter(|&o| o > edge)
                    && is_set_without(site.builder, other, operands, at, Some(!operand))
                    && !gone.contains(&other)
                {
                    let mut left = operands.to_vec();
                    left.remove(at);
                    made.push(left);
                    gone.extend([edge, other]);
                    break;
                }
            }
        }
        if gone.is_empty() {
            return Ok(false);
        }
        edges.retain(|e| !gone.contains(e));
        let again = !made.is_empty();
        for mut left in made {
            edges.push(!site.builder.and(&mut left));
        }
        Ok(again)
    }
}

/// The operands of a complemented and-gate, if there are few.
fn compared_operands(builder: &GateBuilder, edge: Edge) -> Option<&[Edge]> {
    builder.operands(edge).filter(|o| edge.is_complemented() && o.len() <= COMPARED)
}

/// Whether a complemented operand's set is `set` without the element at `at`, and with `instead`.
fn is_set_without(builder: &GateBuilder, edge: Edge, set: &[Edge], at: usize, instead: Option<Edge>) -> bool {
    let literal = [!edge];
    let own = compared_operands(builder, edge).unwrap_or(&literal);
    let expected = || set.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, e)| *e).chain(instead);
    own.len() == expected().count() && expected().all(|e| own.contains(&e))
}

/// A hash of one element of a set.
fn element(edge: Edge) -> u64 {
    let number = u64::from(edge.gate().0) << 1 | u64::from(edge.is_complemented());
    // The finaliser of splitmix64 (Steele, Lea, Flood 2014).
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::CircuitSketch;

    /// The next value of the first base and the number of operations, after the pass.
    fn after(make: impl Fn(&mut CircuitSketch, [Edge; 4]) -> Edge) -> (Edge, usize) {
        let mut sketch = CircuitSketch::new(true);
        let bases = [false; 4].map(|initial| sketch.base(initial));
        let next = make(&mut sketch, bases);
        sketch.next(0, next);
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        super::super::dead_cones::run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        (circuit.bases[0].next, circuit.operation_count())
    }

    #[test]
    fn laws_of_two_operands() {
        // a & (a | b) = a
        let (next, operations) = after(|d, [a, b, ..]| {
            let or = d.or(&[a, b]);
            d.and(&[a, or])
        });
        assert!(!next.is_complemented());
        assert_eq!(operations, 0);
        // a & !(a & b) = a & !b
        let (_, operations) = after(|d, [a, b, ..]| {
            let and = d.and(&[a, b]);
            d.and(&[a, !and])
        });
        assert_eq!(operations, 1);
        // (a & b) | (a & !b) = a
        let (_, operations) = after(|d, [a, b, ..]| {
            let (x, y) = (d.and(&[a, b]), d.and(&[a, !b]));
            d.or(&[x, y])
        });
        assert_eq!(operations, 0);
        // (a & b & c) | (a & c) = a & c
        let (_, operations) = after(|d, [a, b, c, _]| {
            let (x, y) = (d.and(&[a, b, c]), d.and(&[a, c]));
            d.or(&[x, y])
        });
        assert_eq!(operations, 1);
    }

    #[test]
    fn contradictions_are_false() {
        let (next, _) = after(|d, [a, b, c, _]| {
            let (x, y) = (d.and(&[a, b]), d.and(&[!a, c]));
            d.and(&[x, y])
        });
        assert_eq!(next, Edge::FALSE);
        let (next, _) = after(|d, [a, b, c, _]| {
            let (x, y) = (d.and(&[a, b, c]), d.and(&[a, b]));
            d.and(&[x, !y])
        });
        assert_eq!(next, Edge::FALSE);
    }

    #[test]
    fn a_shared_operand_is_only_shortened_where_that_needs_no_gate() {
        let (_, operations) = after(|d, [a, b, c, e]| {
            let shared = d.and(&[a, b, c]);
            let (first, second) = (d.and(&[a, !shared]), d.and(&[e, !shared]));
            d.and(&[!first, !second])
        });
        assert_eq!(operations, 5);
    }
}
