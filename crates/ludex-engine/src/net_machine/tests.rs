//! Markings of random circuits against their definition.

use ludex_game::Rng;
use ludex_propnet::{Circuit, CircuitEvaluator, Edge, Gate, GateId, GateValues};

use super::build::{build, build_with};
use super::marking::Marking;
use super::upkeep::Upkeep;
use super::wiring::{NONE, Wiring};
use crate::stream::sample::{Size, random_circuit};

fn bits(words: &[u64], count: usize) -> Vec<bool> {
    (0..count).map(|at| words[at / 64] >> (at % 64) & 1 == 1).collect()
}

fn assert_still(circuit: &Circuit, wiring: &Wiring, marking: &mut Marking, values: &GateValues) {
    marking.find_goals(wiring);
    assert_eq!(marking.bit(wiring.terminal), values.get(circuit.terminal));
    for (groups, legal) in wiring.legal.iter().zip(&circuit.legal) {
        let mut words = vec![0; legal.len().div_ceil(64)];
        marking.find_legal(groups, &mut words);
        let expected: Vec<bool> = legal.iter().map(|&edge| values.get(edge)).collect();
        assert_eq!(bits(&words, legal.len()), expected);
    }
    for (goals, expected) in wiring.goals.iter().zip(&circuit.goals) {
        for (&(goal, literal), &(value, edge)) in goals.iter().zip(expected) {
            assert_eq!((goal, marking.holds(literal)), (value, values.get(edge)));
        }
    }
}

/// Some way to keep a gate up.
fn some(operands: &[Edge], made: Option<Edge>, rng: &mut Rng) -> Upkeep {
    match rng.below(3) {
        0 if made.is_some() => Upkeep::WithMove,
        0 | 1 => Upkeep::All,
        _ => Upkeep::Some(operands.iter().copied().filter(|_| rng.below(2) == 0).take(3).collect()),
    }
}

/// Walks through random states by steps and by jumps, legal or not.
fn walk(circuit: &Circuit, rng: &mut Rng, steps: u32) {
    let (wiring, mut marking) = match rng.below(2) {
        0 => build(circuit),
        _ => build_with(circuit, |operands, made| some(operands, made, rng)),
    };
    let evaluator = CircuitEvaluator::new(circuit);
    let count = circuit.bases.len();
    for _ in 0..steps {
        if rng.below(3) == 0 {
            let mut words = marking.state.clone();
            for _ in 0..rng.below(4) {
                let base = rng.below(count as u64) as usize;
                words[base / 64] ^= 1 << (base % 64);
            }
            marking.go_to(&wiring, &words);
        }
        let state = bits(&marking.state, count);
        assert_still(circuit, &wiring, &mut marking, &evaluator.in_state(&state, &[]));
        let joint: Vec<u32> = circuit.moves.iter().map(|m| rng.below(m.len() as u64) as u32).collect();
        let inputs = joint.iter().zip(&wiring.inputs).map(|(&position, nodes)| nodes[position as usize]);
        let inputs: Vec<u32> = inputs.filter(|&node| node != NONE).collect();
        let values = evaluator.in_state(&state, &joint);
        let mut differences = vec![0; wiring.difference.len()];
        if wiring.recursions.is_empty() {
            marking.make::<false>(&wiring, &inputs);
        } else {
            marking.make::<true>(&wiring, &inputs);
        }
        for ((_, words), percepts) in wiring.percepts.iter().zip(&circuit.percepts) {
            let expected: Vec<bool> = percepts.iter().map(|&(_, edge)| values.get(edge)).collect();
            assert_eq!(bits(&marking.bits[words.clone()], percepts.len()), expected);
        }
        differences.copy_from_slice(&marking.bits[wiring.difference.clone()]);
        let next: Vec<bool> = bits(&differences, count).iter().zip(&state).map(|(d, s)| d != s).collect();
        assert_eq!(next, evaluator.next(&state, &joint));
        let words: Vec<u64> = marking.state.iter().zip(&differences).map(|(s, d)| s ^ d).collect();
        marking.go_to(&wiring, &words);
    }
}

#[test]
fn random_circuits() {
    let mut rng = Rng::from_seed(11);
    for round in 0..300u32 {
        let size = Size {
            bases: 1 + round % 90,
            moves: 1 + round % 7,
            gates: 3 * (round % 60),
            loops: 0,
            operands: 2 + u64::from(round % 5),
        };
        walk(&random_circuit(&mut rng, size), &mut rng, 40);
    }
}

#[test]
fn random_circuits_with_recursions() {
    let mut rng = Rng::from_seed(12);
    for round in 0..300u32 {
        let size = Size {
            bases: 2 + round % 20,
            moves: 3,
            gates: 20 + round % 60,
            loops: 1 + round % 4,
            operands: 4,
        };
        walk(&random_circuit(&mut rng, size), &mut rng, 60);
    }
}

#[test]
fn guarded_moves() {
    let mut rng = Rng::from_seed(13);
    for round in 0..60u32 {
        let size = Size { bases: 8, moves: 20 + round * 3, gates: 60, loops: round % 2, operands: 3 };
        let mut circuit = random_circuit(&mut rng, size);
        for (role, legal) in circuit.legal.iter_mut().enumerate() {
            for edge in legal.iter_mut().skip(2) {
                // Gates 1 to 8 are the bases. The second role's guard is the first one's complement.
                let guard = Edge::new(GateId(1), role == 1);
                circuit.gates.push(Gate::And([guard, *edge].into()));
                *edge = Edge::new(GateId(circuit.gates.len() as u32 - 1), false);
            }
        }
        assert!(build(&circuit).0.legal.iter().all(|groups| groups.iter().any(|g| g.guard.is_some())));
        walk(&circuit, &mut rng, 40);
    }
}

#[test]
fn gates_that_one_move_decides() {
    let mut rng = Rng::from_seed(15);
    for round in 0..100u32 {
        let size = Size { bases: 12, moves: 3, gates: 20, loops: round % 2, operands: 3 };
        let mut circuit = random_circuit(&mut rng, size);
        let inputs: Vec<u32> = (0u32..)
            .zip(&circuit.gates)
            .filter(|(_, gate)| matches!(gate, Gate::Input(..)))
            .map(|(at, _)| at)
            .collect();
        // What some bases become is up to a move and one or two other bases. Gates 1 to 12 are the bases.
        for base in 0..8 {
            let mut operands = vec![Edge::new(GateId(*rng.pick(&inputs).unwrap()), false)];
            for _ in 0..1 + base % 2 {
                operands.push(Edge::new(GateId(1 + rng.below(12) as u32), rng.below(2) == 0));
            }
            circuit.gates.push(Gate::And(operands.into()));
            let gate = GateId(circuit.gates.len() as u32 - 1);
            circuit.bases[base].next = Edge::new(gate, rng.below(2) == 0);
        }
        let all = build_with(&circuit, |_, made| made.map_or(Upkeep::All, |_| Upkeep::WithMove));
        assert!(!all.0.direct.items().is_empty());
        walk(&circuit, &mut rng, 60);
    }
}

#[test]
fn gates_wider_than_a_byte_counts() {
    let mut rng = Rng::from_seed(14);
    let size = Size { bases: 700, moves: 2, gates: 0, loops: 0, operands: 2 };
    let mut circuit = random_circuit(&mut rng, size);
    let operands: Vec<Edge> = (1..=700).map(|gate| Edge::new(GateId(gate), gate % 2 == 0)).collect();
    circuit.gates.push(Gate::And(operands.into()));
    circuit.terminal = Edge::new(GateId(circuit.gates.len() as u32 - 1), false);
    walk(&circuit, &mut rng, 20);
    let (wiring, mut marking) = build(&circuit);
    let words: Vec<u64> =
        (0..11).map(|at| 0x5555_5555_5555_5555 & if at == 10 { (1 << 60) - 1 } else { u64::MAX }).collect();
    marking.go_to(&wiring, &words);
    assert!(marking.bit(wiring.terminal));
}
