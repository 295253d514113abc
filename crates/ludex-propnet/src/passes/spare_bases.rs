//! Spare bases: of a small group of which exactly one is true, one member need not be stored. It is true
//! when no other one is.
//!
//! Saying so takes operations, so only a member goes whose next value costs at least as many that
//! nothing else needs.

use ludex_logic::{LimitError, Meter};

use super::cones::readers;
use super::equal_bases::{base_gates, replace};
use super::rebuild::BaseNumbers;
use crate::{Circuit, Edge, Gate, GateId, Invariants};

/// The largest group that is looked at.
const LARGEST: usize = 4;

/// The most operations counted for one next value.
const MOST_COUNTED: usize = 64;

/// Drops one base of each group where that pays.
pub(super) fn run(
    circuit: &mut Circuit,
    invariants: &Invariants,
    share: bool,
    meter: &mut Meter,
) -> Result<BaseNumbers, LimitError> {
    let gates = base_gates(circuit);
    let mut readers = readers(circuit);
    let mut told: Vec<Option<Edge>> = vec![None; circuit.bases.len()];
    // Members of groups that have lost one: they tell it, so they stay.
    let mut is_settled = vec![false; circuit.bases.len()];
    for group in invariants.exactly_one.iter().filter(|g| (2..=LARGEST).contains(&g.len())) {
        let edges: Option<Vec<Edge>> = group
            .iter()
            .map(|&base| Some(Edge::new(gates.get(base as usize).copied().flatten()?, false)))
            .collect();
        let Some(edges) = edges.filter(|_| !group.iter().any(|&base| is_settled[base as usize])) else {
            continue;
        };
        let mut best = (0, 0);
        for (at, &base) in group.iter().enumerate() {
            let spared = own_cost(circuit, circuit.bases[base as usize].next, &mut readers, meter)?;
            if spared > best.0 {
                best = (spared, at);
            }
        }
        let (spared, at) = best;
        if spared < group.len() - 2 {
            continue;
        }
        let others: Vec<Edge> = edges.iter().filter(|e| **e != edges[at]).map(|e| !*e).collect();
        told[group[at] as usize] = Some(if let [other] = others[..] {
            other
        } else {
            circuit.gates.push(Gate::And(others.into()));
            readers.push(0);
            Edge::new(GateId((circuit.gates.len() - 1) as u32), false)
        });
        group.iter().for_each(|&base| is_settled[base as usize] = true);
    }
    replace(circuit, &told, share, meter)
}

/// The operations that nothing but this output needs.
fn own_cost(
    circuit: &Circuit,
    root: Edge,
    readers: &mut [u32],
    meter: &mut Meter,
) -> Result<usize, LimitError> {
    let mut cost = 0;
    let mut left: Vec<GateId> = Vec::new();
    let mut stack = vec![root.gate()];
    while let Some(gate) = stack.pop() {
        readers[gate.index()] -= 1;
        left.push(gate);
        if let Gate::And(edges) = &circuit.gates[gate.index()]
            && readers[gate.index()] == 0
            && cost < MOST_COUNTED
        {
            meter.spend(edges.len() as u64)?;
            cost += edges.len() - 1;
            stack.extend(edges.iter().map(|e| e.gate()));
        }
    }
    left.iter().for_each(|gate| readers[gate.index()] += 1);
    Ok(cost)
}

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::CircuitSketch;

    /// Three bases of which exactly one is true, after the pass.
    fn after(make: impl Fn(&mut CircuitSketch, [Edge; 3], Edge) -> [Edge; 3]) -> Circuit {
        let mut sketch = CircuitSketch::new(true);
        let bases = [true, false, false].map(|initial| sketch.base(initial));
        let inputs = sketch.role(vec![Edge::TRUE, Edge::TRUE]);
        for (base, next) in make(&mut sketch, bases, inputs[0]).into_iter().enumerate() {
            sketch.next(base, next);
        }
        let mut circuit = sketch.finish();
        let invariants = Invariants { exactly_one: vec![vec![0, 1, 2]], ..Invariants::default() };
        run(&mut circuit, &invariants, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.check(), Ok(()));
        circuit
    }

    #[test]
    fn the_member_with_the_dearest_next_value_goes() {
        let circuit = after(|d, [a, b, c], input| {
            let stays = d.and(&[a, !input, !c]);
            let either = d.or(&[b, input]);
            [stays, either, b]
        });
        let left: Vec<u32> = circuit.bases.iter().map(|b| b.proposition).collect();
        assert_eq!(left, [1, 2]);
        let told = circuit.values[0];
        assert_eq!(
            circuit.gates[told.gate().index()],
            Gate::And([!circuit.values[1], !circuit.values[2]].into())
        );
    }

    #[test]
    fn members_that_cost_nothing_stay() {
        let circuit = after(|_, [a, b, c], _| [b, c, a]);
        assert_eq!(circuit.bases.len(), 3);
    }
}
