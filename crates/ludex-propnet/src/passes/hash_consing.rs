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
    use crate::passes::tests::random::Draft;
    use crate::{Feedback, Loop};

    #[test]
    fn equal_gates_become_one_through_their_operands() {
        let mut draft = Draft::new(false);
        let [a, b, c] = [false; 3].map(|initial| draft.base(initial));
        let (first, second) = (draft.and(&[a, b]), draft.and(&[b, a]));
        let (third, fourth) = (draft.and(&[!first, c]), draft.and(&[c, !second]));
        draft.next(0, third);
        draft.next(1, !fourth);
        let mut circuit = draft.finish();
        assert_eq!(circuit.gate_count(), 4);
        run(&mut circuit, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.gate_count(), 2);
        assert_eq!(circuit.bases[0].next, !circuit.bases[1].next);
    }

    #[test]
    fn variables_of_loops_stay_apart() {
        let mut draft = Draft::new(false);
        let a = draft.base(true);
        let (x, y) = (draft.builder.feedback(0), draft.builder.feedback(0));
        let (to_x, to_y) = (draft.or(&[a, y]), draft.or(&[!a, x]));
        let both = draft.and(&[x, y]);
        draft.proposition(both);
        let feedback = [(x, to_x), (y, to_y)].map(|(v, definition)| Feedback { gate: v.gate(), definition });
        draft.circuit.loops.push(Loop { feedback: feedback.to_vec() });
        let mut circuit = draft.finish();
        run(&mut circuit, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.gate_count(), 3);
        assert_eq!(circuit.loops[0].feedback.len(), 2);
        assert_eq!(circuit.check(), Ok(()));
    }
}
