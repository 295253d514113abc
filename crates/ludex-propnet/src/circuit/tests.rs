use std::sync::Arc;

use ludex_logic::Terms;

use super::*;

fn edge(gate: u32) -> Edge {
    Edge::new(GateId(gate), false)
}

/// Two bases; `x` is the least fixpoint of `x = a or (b and x)`, `y` of `y = x and (a or y)`.
fn sound() -> Circuit {
    let terms = Arc::new(Terms::new());
    let (a, b) = (terms.constant("a"), terms.constant("b"));
    let gates = vec![
        Gate::False,
        Gate::Base(0),
        Gate::Base(1),
        Gate::Input(0, 0),
        Gate::Feedback(0),
        Gate::And([edge(2), edge(4)].into()),
        Gate::And([!edge(1), !edge(5)].into()),
        Gate::Feedback(1),
        Gate::And([!edge(1), !edge(7)].into()),
        Gate::And([!edge(6), !edge(8)].into()),
        Gate::And([edge(3), edge(9)].into()),
    ];
    let feedback = |gate, definition| Loop { feedback: vec![Feedback { gate: GateId(gate), definition }] };
    Circuit {
        gates,
        loops: vec![feedback(4, !edge(6)), feedback(7, edge(9))],
        propositions: vec![a, b],
        values: vec![edge(1), edge(2)],
        bases: vec![
            StoredBase { proposition: 0, initial: true, next: edge(10) },
            StoredBase { proposition: 1, initial: false, next: !edge(9) },
        ],
        moves: vec![vec![terms.constant("go")]],
        legal: vec![vec![Edge::TRUE]],
        goals: vec![vec![(0, edge(9)), (100, !edge(9))]],
        terminal: edge(4),
        percepts: vec![Vec::new()],
        terms,
    }
}

#[test]
fn a_sound_circuit_passes() {
    let circuit = sound();
    assert_eq!(circuit.check(), Ok(()));
    let ids = |list: &[u32]| list.iter().map(|&g| GateId(g)).collect::<Vec<_>>();
    assert_eq!(circuit.bodies(), [ids(&[5, 6]), ids(&[8, 9])]);
    let schedule = circuit.schedule();
    let place = |loop_number| schedule.iter().position(|s| s.loop_number() == Some(loop_number)).unwrap();
    assert!(place(0) < place(1), "the second loop reads the first");
    assert_eq!(schedule.iter().map(|s| s.gates().len()).sum::<usize>(), circuit.gates.len());
    let depends: Vec<u32> = (0..).zip(circuit.depends_on_moves()).filter(|d| d.1).map(|d| d.0).collect();
    assert_eq!(depends, [3, 10]);
}

#[test]
fn loops_are_worked_out_to_their_least_fixpoint() {
    let circuit = sound();
    let evaluator = CircuitEvaluator::new(&circuit);
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let values = evaluator.in_state(&[a, b], &[]);
        assert_eq!(values.get(edge(4)), a, "x holds only because of a");
        assert_eq!(values.get(edge(9)), a);
        assert!(values.get(Edge::TRUE) && !values.get(Edge::FALSE));
        assert_eq!(evaluator.next(&[a, b], &[0]), [a, !a]);
        assert_eq!(evaluator.next(&[a, b], &[]), [false, !a]);
    }
}

#[test]
fn each_broken_promise_is_found() {
    type Break = fn(&mut Circuit);
    let cases: &[(Break, CircuitFault)] = &[
        (|c| c.gates[0] = Gate::Base(0), CircuitFault::False(0)),
        (|c| c.gates[3] = Gate::False, CircuitFault::False(3)),
        (|c| c.gates[3] = Gate::Base(0), CircuitFault::Source(3)),
        (|c| c.gates[3] = Gate::Base(2), CircuitFault::Source(3)),
        (|c| c.gates[3] = Gate::Input(0, 1), CircuitFault::Source(3)),
        (|c| c.gates[3] = Gate::Feedback(2), CircuitFault::Source(3)),
        (|c| c.gates[5] = Gate::And([edge(2)].into()), CircuitFault::And(5)),
        (|c| c.gates[5] = Gate::And([edge(2), edge(6)].into()), CircuitFault::And(5)),
        (|c| c.gates[3] = Gate::Feedback(0), CircuitFault::Variable(3)),
        (|c| c.loops[1].feedback[0].gate = GateId(4), CircuitFault::Variable(4)),
        (|c| c.terminal = edge(11), CircuitFault::Edge("the terminal states")),
        (|c| c.bases[0].next = edge(99), CircuitFault::Edge("bases")),
        (|c| c.values.truncate(1), CircuitFault::Length("propositions")),
        (|c| c.goals.clear(), CircuitFault::Length("roles")),
        (|c| c.legal[0].clear(), CircuitFault::Length("moves")),
        (|c| c.propositions.swap(0, 1), CircuitFault::Order("propositions")),
        (|c| c.goals[0].swap(0, 1), CircuitFault::Order("goals")),
        (|c| c.values.swap(0, 1), CircuitFault::Base(0)),
        (|c| c.terminal = edge(10), CircuitFault::Moves("terminal states")),
        (|c| c.legal[0][0] = edge(3), CircuitFault::Moves("legal moves")),
        (|c| c.loops[0].feedback[0].definition = edge(9), CircuitFault::Bodies(9)),
    ];
    for (number, (breaks, fault)) in cases.iter().enumerate() {
        let mut circuit = sound();
        breaks(&mut circuit);
        assert_eq!(circuit.check(), Err(fault.clone()), "case {number}");
    }
}

#[test]
fn loops_must_not_wait_for_each_other() {
    let mut circuit = sound();
    circuit.gates[10] = Gate::And([edge(1), edge(7)].into());
    circuit.loops[0].feedback[0].definition = edge(10);
    assert_eq!(circuit.check(), Err(CircuitFault::Mutual));
}
