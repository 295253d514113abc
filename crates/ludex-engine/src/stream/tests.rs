//! Streams against the circuits they are made of.

use ludex_game::Rng;
use ludex_propnet::{Circuit, Edge, Gate, GateId, StoredBase};

use super::plain::Plain;
use super::sample::{Size, edge_value, gate_values, random_circuit};
use super::{Order, Output, Stream};

/// Plays a few steps on the circuit and on its streams, with random moves.
fn compare(circuit: &Circuit, rng: &mut Rng, steps: u32) {
    for order in [Order::Runs, Order::DepthFirst] {
        compare_ordered(circuit, order, rng, steps);
    }
}

fn compare_ordered(circuit: &Circuit, order: Order, rng: &mut Rng, steps: u32) {
    let stream = Stream::with_order(circuit, order);
    let mut lane = Plain::new(&stream);
    let mut bases: Vec<bool> = circuit.bases.iter().map(|b| b.initial).collect();
    let mut inputs: Vec<Vec<bool>> = circuit.moves.iter().map(|m| vec![false; m.len()]).collect();
    let agree =
        |lane: &Plain, outputs: &[Output], values: &[bool], edges: &mut dyn Iterator<Item = Edge>, what| {
            let wanted: Vec<bool> = edges.map(|e| edge_value(values, e)).collect();
            let got: Vec<bool> = outputs.iter().map(|&o| lane.output(o)).collect();
            assert_eq!(got, wanted, "{what} of {circuit:#?}\n{stream:#?}");
        };
    for step in 0..steps {
        let values = gate_values(circuit, &bases, &inputs);
        lane.phase(&stream.decide);
        if step % 2 == 0 {
            lane.phase(&stream.assess);
            for (outputs, edges) in stream.goals.iter().zip(&circuit.goals) {
                let outputs: Vec<Output> = outputs.iter().map(|&(_, o)| o).collect();
                agree(&lane, &outputs, &values, &mut edges.iter().map(|&(_, e)| e), "goals");
            }
        }
        agree(&lane, &[stream.terminal], &values, &mut std::iter::once(circuit.terminal), "terminal");
        for (outputs, edges) in stream.legal.iter().zip(&circuit.legal) {
            agree(&lane, outputs, &values, &mut edges.iter().copied(), "legal");
        }
        for (role, list) in inputs.iter_mut().enumerate() {
            for (number, made) in list.iter_mut().enumerate() {
                *made = rng.below(2) == 0;
                if let Some(slot) = stream.inputs[role][number] {
                    lane.set(slot, *made);
                }
            }
        }
        let values = gate_values(circuit, &bases, &inputs);
        lane.phase(&stream.advance);
        agree(&lane, &stream.next, &values, &mut circuit.bases.iter().map(|b| b.next), "next");
        for (outputs, edges) in stream.percepts.iter().zip(&circuit.percepts) {
            let outputs: Vec<Output> = outputs.iter().map(|&(_, o)| o).collect();
            agree(&lane, &outputs, &values, &mut edges.iter().map(|&(_, e)| e), "percepts");
        }
        for (base, stored) in bases.iter_mut().zip(&circuit.bases) {
            *base = edge_value(&values, stored.next);
        }
    }
}

#[test]
fn random_streams_compute_their_circuits() {
    for seed in 0..3_000 {
        let mut rng = Rng::from_seed(seed);
        let size = Size {
            bases: 1 + rng.below(8) as u32,
            moves: rng.below(4) as u32,
            gates: rng.below(40) as u32,
            loops: rng.below(3) as u32,
            operands: 2 + rng.below(6),
        };
        let circuit = random_circuit(&mut rng, size);
        compare(&circuit, &mut rng, 3);
    }
}

#[test]
fn large_random_streams_compute_their_circuits() {
    for seed in 0..20 {
        let mut rng = Rng::from_seed(seed);
        let size =
            Size { bases: 200, moves: 60, gates: 3_000, loops: seed as u32 % 6, operands: 2 + seed % 9 };
        let circuit = random_circuit(&mut rng, size);
        compare(&circuit, &mut rng, 4);
    }
}

/// A circuit whose bases are overwritten by the values of `next`, which is given the gates of the bases.
fn shifting(initial: &[bool], next: impl Fn(&[Edge]) -> Vec<Edge>, gates: Vec<Gate>) -> Circuit {
    let mut circuit = random_circuit(
        &mut Rng::from_seed(0),
        Size { bases: initial.len() as u32, moves: 0, gates: 0, loops: 0, operands: 2 },
    );
    let own: Vec<Edge> = (0..initial.len()).map(|at| Edge::new(GateId(1 + at as u32), false)).collect();
    circuit.gates.extend(gates);
    circuit.terminal = Edge::FALSE;
    for ((base, next), &initial) in circuit.bases.iter_mut().zip(next(&own)).zip(initial) {
        *base = StoredBase { proposition: base.proposition, initial, next };
    }
    circuit
}

fn operations(circuit: &Circuit) -> usize {
    Stream::new(circuit).statistics().advance
}

#[test]
fn bases_that_stay_cost_nothing() {
    let circuit = shifting(&[true, false], <[Edge]>::to_vec, Vec::new());
    assert_eq!(operations(&circuit), 0);
}

#[test]
fn a_shift_copies_each_base_once() {
    let circuit =
        shifting(&[true, false, true, true], |own| vec![Edge::FALSE, own[0], own[1], own[2]], Vec::new());
    compare(&circuit, &mut Rng::from_seed(1), 6);
    assert_eq!(operations(&circuit), 4);
}

#[test]
fn a_rotation_and_a_swap_need_one_copy_more_for_each_circle() {
    let rotation = |own: &[Edge]| vec![own[1], own[2], own[0], own[4], own[3]];
    let circuit = shifting(&[true, false, false, true, false], rotation, Vec::new());
    compare(&circuit, &mut Rng::from_seed(1), 7);
    assert_eq!(operations(&circuit), 5 + 2);
}

#[test]
fn a_crossing_of_gates_is_broken_once() {
    // a' = a & b and b' = !(!a & !b): each reads the other.
    let [a, b] = [1, 2].map(|at| Edge::new(GateId(at), false));
    let gates = vec![Gate::And([a, b].into()), Gate::And([!a, !b].into())];
    let next = |_: &[Edge]| vec![Edge::new(GateId(3), false), Edge::new(GateId(4), true)];
    let circuit = shifting(&[true, false], next, gates);
    compare(&circuit, &mut Rng::from_seed(1), 4);
    assert_eq!(operations(&circuit), 2 + 1);
}

#[test]
fn complements_and_one_gate_for_two_bases() {
    let [a, b] = [1, 2].map(|at| Edge::new(GateId(at), false));
    let gates = vec![Gate::And([a, !b].into())];
    let shared = Edge::new(GateId(4), false);
    let circuit = shifting(&[true, false, true], |own| vec![shared, !own[1], shared], gates);
    compare(&circuit, &mut Rng::from_seed(1), 5);
    assert_eq!(operations(&circuit), 3);
}
