//! Dead cones: gates, loops and variables that no output needs.
//!
//! Bases that no output but their own proposition needs stay: a state is told by all of its
//! propositions.

use ludex_logic::{LimitError, Meter};

use super::rebuild::{Copy, rebuild};
use crate::Circuit;

/// Drops what no output needs.
pub(crate) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    rebuild(circuit, &mut Copy, share, meter).map(drop)
}

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::CircuitSketch;
    use crate::{Edge, Feedback, Gate, Loop};

    #[test]
    fn what_nobody_reads_goes_and_bases_stay() {
        let mut sketch = CircuitSketch::new(true);
        let [a, b] = [false; 2].map(|initial| sketch.base(initial));
        let inputs = sketch.role(vec![Edge::TRUE, a]);
        let variable = sketch.builder.feedback(0);
        let dead = sketch.and(&[inputs[0], variable]);
        sketch
            .circuit
            .loops
            .push(Loop { feedback: vec![Feedback { gate: variable.gate(), definition: dead }] });
        let next = sketch.and(&[b, !inputs[1]]);
        sketch.next(0, next);
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.gate_count(), 1);
        assert_eq!(circuit.bases.len(), 2);
        assert!(circuit.loops.is_empty() && !circuit.gates.contains(&Gate::Input(0, 0)));
    }
}
