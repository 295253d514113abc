//! Groups of bases of which at most one, or exactly one, is true in every reachable state.

use ludex_logic::{LimitError, Meter};

use super::families::Families;
use super::simplify::simplify;
use crate::{Circuit, Gate, Invariants};

/// Simplifies by what the bases of one group say about each other.
pub(super) fn run(
    circuit: &mut Circuit,
    invariants: &Invariants,
    share: bool,
    meter: &mut Meter,
) -> Result<(), LimitError> {
    if invariants.exclusive.is_empty() && invariants.exactly_one.is_empty() {
        return Ok(());
    }
    let mut families = Families::default();
    for (groups, exactly_one) in [(&invariants.exclusive, false), (&invariants.exactly_one, true)] {
        for group in groups {
            meter.spend(group.len() as u64)?;
            families.add(group.iter().map(|&base| Gate::Base(base)), exactly_one);
        }
    }
    simplify(circuit, families, Vec::new(), share, meter)
}

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::Edge;
    use crate::passes::tests::random::CircuitSketch;

    /// The operations for the next value of the first base, where at most or exactly one base is true.
    fn after(exactly_one: bool, make: impl Fn(&mut CircuitSketch, [Edge; 4]) -> Edge) -> (Edge, usize) {
        let mut sketch = CircuitSketch::new(true);
        let bases = [true, false, false, false].map(|initial| sketch.base(initial));
        let next = make(&mut sketch, bases);
        sketch.next(0, next);
        let mut circuit = sketch.finish();
        let mut invariants = Invariants::default();
        let groups = if exactly_one { &mut invariants.exactly_one } else { &mut invariants.exclusive };
        groups.push(vec![0, 1, 2, 3]);
        run(&mut circuit, &invariants, true, &mut Budget::unlimited().meter()).unwrap();
        (circuit.bases[0].next, circuit.operation_count())
    }

    #[test]
    fn members_exclude_each_other() {
        for exactly_one in [false, true] {
            assert_eq!(after(exactly_one, |d, [a, b, ..]| d.and(&[a, b])).0, Edge::FALSE);
            assert_eq!(after(exactly_one, |d, [a, b, c, _]| d.and(&[a, !b, !c])).1, 0);
        }
    }

    #[test]
    fn one_member_is_true_if_that_is_known() {
        let most = |d: &mut CircuitSketch, [a, b, c, _]: [Edge; 4]| d.or(&[a, b, c]);
        assert_eq!(after(true, most).1, 0);
        assert_eq!(after(false, most).1, 2);
        assert_eq!(after(true, |d, bases| d.or(&bases)).0, Edge::TRUE);
    }
}
