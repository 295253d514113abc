//! Hash-consing: two and-gates with the same operands become one.
//!
//! A loop's variables are told apart by their gates, so a gate in the body of one loop can only meet a
//! gate over the same variables.

use ludex_logic::{LimitError, Meter};

use super::rebuild::{Copy, rebuild};
use crate::Circuit;

/// Makes equal gates one.
pub(super) fn run(circuit: &mut Circuit, meter: &mut Meter) -> Result<(), LimitError> {
    rebuild(circuit, &mut Copy, true, meter).map(drop)
}

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::CircuitSketch;
    use crate::{Feedback, Loop};

    #[test]
    fn equal_gates_become_one_through_their_operands() {
        let mut sketch = CircuitSketch::new(false);
        let [a, b, c] = [false; 3].map(|initial| sketch.base(initial));
        let (first, second) = (sketch.and(&[a, b]), sketch.and(&[b, a]));
        let (third, fourth) = (sketch.and(&[!first, c]), sketch.and(&[c, !second]));
        sketch.next(0, third);
        sketch.next(1, !fourth);
        let mut circuit = sketch.finish();
        assert_eq!(circuit.gate_count(), 4);
        run(&mut circuit, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.gate_count(), 2);
        assert_eq!(circuit.bases[0].next, !circuit.bases[1].next);
    }

    #[test]
    fn variables_of_loops_stay_apart() {
        let mut sketch = CircuitSketch::new(false);
        let a = sketch.base(true);
        let (x, y) = (sketch.builder.feedback(0), sketch.builder.feedback(0));
        let (to_x, to_y) = (sketch.or(&[a, y]), sketch.or(&[!a, x]));
        let both = sketch.and(&[x, y]);
        sketch.proposition(both);
        let feedback = [(x, to_x), (y, to_y)].map(|(v, definition)| Feedback { gate: v.gate(), definition });
        sketch.circuit.loops.push(Loop { feedback: feedback.to_vec() });
        let mut circuit = sketch.finish();
        run(&mut circuit, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.gate_count(), 3);
        assert_eq!(circuit.loops[0].feedback.len(), 2);
        assert_eq!(circuit.check(), Ok(()));
    }
}
