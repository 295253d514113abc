//! Constants: what has the same value in all reachable states.
//!
//! Found by [`Lasting`] from the initial state on: what it knows is so in every reachable state.

use ludex_logic::{LimitError, Meter};

use super::rebuild::{BaseNumbers, Replacement, rebuild};
use crate::{Circuit, Edge, Lasting};

/// Replaces what is constant, bases included.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<BaseNumbers, LimitError> {
    let initial = |base: u32| circuit.bases.get(base as usize).map(|b| b.initial);
    let known = Lasting::new(circuit).from(circuit, initial, |_| false, meter)?;
    let constant = |value: &Option<bool>| value.map(|value| Edge::FALSE.complement_if(value));
    let mut instead: Vec<Option<Edge>> = known.iter().map(constant).collect();
    instead[0] = None;
    rebuild(circuit, &mut Replacement { instead }, share, meter)
}

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::CircuitSketch;
    use crate::{Feedback, Loop};

    #[test]
    fn bases_that_keep_each_other_constant_go() {
        let mut sketch = CircuitSketch::new(true);
        let [a, b, free] = [false, true, false].map(|initial| sketch.base(initial));
        let inputs = sketch.role(vec![Edge::TRUE, a]);
        // Both keep their values as long as both have them; the second move is never legal.
        let to_a = sketch.and(&[a, free]);
        let to_b = sketch.or(&[b, inputs[1]]);
        let to_free = sketch.or(&[inputs[1], !free]);
        for (base, next) in [to_a, to_b, to_free].into_iter().enumerate() {
            sketch.next(base, next);
        }
        let mut circuit = sketch.finish();
        let numbers = run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(numbers, [None, None, Some(0)]);
        assert_eq!(circuit.values[..2], [Edge::FALSE, Edge::TRUE]);
        assert_eq!(circuit.legal[0][1], Edge::FALSE);
        assert_eq!((circuit.gate_count(), circuit.bases.len()), (0, 1));
        assert_eq!(circuit.bases[0].next, !circuit.values[2]);
    }

    #[test]
    fn a_base_that_can_change_stays() {
        let mut sketch = CircuitSketch::new(true);
        let [a, b] = [false; 2].map(|initial| sketch.base(initial));
        sketch.next(0, b);
        sketch.next(1, Edge::TRUE);
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.bases.len(), 2);
        assert_ne!(a, b);
    }

    #[test]
    fn loops_without_a_start_are_false_and_started_ones_are_true() {
        let mut sketch = CircuitSketch::new(true);
        let a = sketch.base(false);
        sketch.next(0, !a);
        let variables = [0, 1].map(|number| sketch.builder.feedback(number));
        let unfounded = sketch.and(&[variables[0], a]);
        for (variable, definition) in variables.into_iter().zip([unfounded, Edge::TRUE]) {
            sketch
                .circuit
                .loops
                .push(Loop { feedback: vec![Feedback { gate: variable.gate(), definition }] });
            sketch.proposition(variable);
        }
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.values[1..], [Edge::FALSE, Edge::TRUE]);
        assert!(circuit.loops.is_empty());
    }
}
