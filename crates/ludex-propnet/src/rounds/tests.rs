//! Facts of rounds along random games.

use ludex_game::Rng;
use ludex_logic::Budget;

use super::{RoundStart, Rounds};
use crate::passes::tests::random::{CircuitSketch, Scale, random};
use crate::{Circuit, CircuitEvaluator, Edge, Gate};

fn words(state: &[bool]) -> Vec<u64> {
    state.chunks(64).map(|bits| bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit))).collect()
}

/// Random legal moves; nothing in terminal states and where a role has none.
fn choose(
    circuit: &Circuit,
    evaluator: &CircuitEvaluator<'_>,
    state: &[bool],
    rng: &mut Rng,
) -> Option<Vec<u32>> {
    let values = evaluator.in_state(state, &[]);
    if values.get(circuit.terminal) {
        return None;
    }
    let legal = |edges: &Vec<Edge>| -> Option<u32> {
        let legal: Vec<u32> = (0..).zip(edges).filter(|(_, edge)| values.get(**edge)).map(|m| m.0).collect();
        rng.pick(&legal).copied()
    };
    circuit.legal.iter().map(legal).collect()
}

/// Plays from a state and compares the circuit with that of each turn.
fn assert_facts_hold(circuit: &Circuit, turns: usize, starts: &[(usize, Vec<bool>)], rng: &mut Rng) {
    let mut meter = Budget::unlimited().meter();
    let packed: Vec<_> = starts.iter().map(|(turn, state)| (*turn, words(state))).collect();
    let packed: Vec<_> = packed.iter().map(|(turn, words)| RoundStart { turn: *turn, words }).collect();
    let facts = Rounds::new(circuit).facts(circuit, turns, &packed, &mut meter).unwrap();
    let made: Vec<Circuit> =
        (0..turns).map(|turn| facts.specialise(circuit, turn, &mut meter).unwrap()).collect();
    for (turn, made) in made.iter().enumerate() {
        assert!(facts.live(circuit, turn).operations >= made.operation_count());
    }
    let whole = CircuitEvaluator::new(circuit);
    let parts: Vec<_> = made.iter().map(CircuitEvaluator::new).collect();
    for (turn, state) in starts {
        let (mut turn, mut state) = (*turn, state.clone());
        for _ in 0..30 {
            let Some(moves) = choose(circuit, &whole, &state, rng) else { break };
            let values = whole.in_state(&state, &moves);
            for gate in 0..circuit.gates.len() as u32 {
                let edge = Edge::new(crate::GateId(gate), false);
                assert!(facts.value(turn, edge).is_none_or(|value| value == values.get(edge)));
            }
            let part = parts[turn].in_state(&state, &moves);
            let specialised = &made[turn];
            let pairs = circuit.legal.iter().flatten().zip(specialised.legal.iter().flatten());
            let next = circuit.bases.iter().zip(&specialised.bases).map(|(a, b)| (&a.next, &b.next));
            for (a, b) in pairs.chain([(&circuit.terminal, &specialised.terminal)]).chain(next) {
                assert_eq!(values.get(*a), part.get(*b));
            }
            state = circuit.bases.iter().map(|base| values.get(base.next)).collect();
            turn = (turn + 1) % turns;
        }
    }
}

#[test]
fn facts_hold_in_all_that_follows_and_circuits_of_turns_agree() {
    let mut rng = Rng::from_seed(8);
    for case in 0..300 {
        let (circuit, _) = random(&mut rng, Scale { bases: 12, moves: 6, gates: 60 });
        let initial: Vec<bool> = circuit.bases.iter().map(|base| base.initial).collect();
        let turns = 1 + case % 3;
        let mut starts = vec![(0, initial.clone())];
        if case % 2 == 0 {
            let evaluator = CircuitEvaluator::new(&circuit);
            let (mut state, mut turn) = (initial, 0);
            while let Some(moves) = choose(&circuit, &evaluator, &state, &mut rng).filter(|_| turn < 9) {
                state = evaluator.next(&state, &moves);
                turn += 1;
            }
            starts.insert(case % 4 / 2, (turn % turns, state));
        }
        assert_facts_hold(&circuit, turns, &starts, &mut rng);
    }
}

/// Two players in turn, each with two moves or one; a base that the first player can set.
fn in_turn() -> Circuit {
    let mut sketch = CircuitSketch::new(true);
    let [first, set, count] = [true, false, false].map(|initial| sketch.base(initial));
    let a = sketch.role(vec![first, first, !first]);
    let b = sketch.role(vec![!first, !first, first]);
    let next = sketch.or(&[set, a[0]]);
    sketch.next(0, !first);
    sketch.next(1, next);
    let toggled = sketch.or(&[b[1], count]);
    sketch.next(2, toggled);
    sketch.finish()
}

#[test]
fn control_that_goes_round_is_found() {
    let circuit = in_turn();
    let rounds = Rounds::new(&circuit);
    assert_eq!(rounds.periods(&circuit), [2]);
    let mut meter = Budget::unlimited().meter();
    let start = RoundStart { turn: 0, words: &[1] };
    let facts = rounds.facts(&circuit, 2, &[start], &mut meter).unwrap();
    assert!(facts.tells_turns(&circuit));
    assert_eq!(facts.bases(&circuit, 0), [Some(true), None, None]);
    let turn = facts.specialise(&circuit, 1, &mut meter).unwrap();
    assert_eq!(turn.legal, [[Edge::FALSE, Edge::FALSE, Edge::TRUE], [Edge::TRUE, Edge::TRUE, Edge::FALSE]]);
    // What only the first player can set stays as it is, and its moves are not read.
    assert!(!turn.gates.iter().any(|gate| matches!(gate, Gate::Input(0, _))));
    assert_eq!(turn.bases[0].next, Edge::TRUE);
    let once = rounds.facts(&circuit, 1, &[start], &mut meter).unwrap();
    assert_eq!(once.bases(&circuit, 0), [None; 3]);
}

#[test]
fn what_is_set_for_good_stays() {
    let circuit = in_turn();
    let rounds = Rounds::new(&circuit);
    let mut meter = Budget::unlimited().meter();
    let starts = [RoundStart { turn: 0, words: &[0b011] }, RoundStart { turn: 1, words: &[0b110] }];
    let facts = rounds.facts(&circuit, 2, &starts, &mut meter).unwrap();
    assert_eq!(facts.bases(&circuit, 1), [Some(false), Some(true), None]);
    let one = facts.specialise(&circuit, 0, &mut meter).unwrap();
    let stays = one.bases[1].next;
    assert_eq!((&one.gates[stays.gate().index()], stays.is_complemented()), (&Gate::Base(1), false));
    assert_eq!(facts.live(&circuit, 0).moves, 2);
}
