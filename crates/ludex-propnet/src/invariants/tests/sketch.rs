//! Circuits made by hand, and all reachable states of small ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex_game::Rng;
use ludex_logic::Terms;

use crate::{Circuit, CircuitEvaluator, Edge, Feedback, Gate, GateId, Invariants, Loop, StoredBase};

/// A circuit in the making.
pub(super) struct CircuitSketch {
    pub(super) circuit: Circuit,
}

impl CircuitSketch {
    pub(super) fn new() -> Self {
        Self {
            circuit: Circuit {
                terms: Arc::new(Terms::new()),
                gates: vec![Gate::False],
                loops: vec![],
                propositions: vec![],
                values: vec![],
                bases: vec![],
                moves: vec![],
                legal: vec![],
                goals: vec![],
                terminal: Edge::FALSE,
                percepts: vec![],
            },
        }
    }

    pub(super) fn gate(&mut self, gate: Gate) -> Edge {
        self.circuit.gates.push(gate);
        Edge::new(GateId(self.circuit.gates.len() as u32 - 1), false)
    }

    /// A base `name(arguments)` that keeps its value until its next value is given.
    pub(super) fn base(&mut self, name: &str, arguments: &[usize], initial: bool) -> Edge {
        let terms = &self.circuit.terms;
        let arguments: Vec<_> = arguments.iter().map(|a| terms.constant(&a.to_string())).collect();
        let term = match arguments.is_empty() {
            true => terms.constant(name),
            false => terms.compound(terms.symbol(name), &arguments),
        };
        let number = self.circuit.bases.len() as u32;
        let edge = self.gate(Gate::Base(number));
        self.circuit.propositions.push(term);
        self.circuit.values.push(edge);
        self.circuit.bases.push(StoredBase { proposition: number, initial, next: edge });
        edge
    }

    pub(super) fn next(&mut self, base: usize, next: Edge) {
        self.circuit.bases[base].next = next;
    }

    /// A role with moves of this legality; the inputs.
    pub(super) fn role(&mut self, legal: &[Edge]) -> Vec<Edge> {
        let role = self.circuit.moves.len() as u32;
        let terms = &self.circuit.terms;
        self.circuit.moves.push((0..legal.len()).map(|at| terms.constant(&format!("m{at}"))).collect());
        self.circuit.legal.push(legal.to_vec());
        self.circuit.goals.push(vec![]);
        self.circuit.percepts.push(vec![]);
        (0..legal.len() as u32).map(|at| self.gate(Gate::Input(role, at))).collect()
    }

    pub(super) fn and(&mut self, edges: &[Edge]) -> Edge {
        match *edges {
            [] => Edge::TRUE,
            [only] => only,
            _ => self.gate(Gate::And(edges.into())),
        }
    }

    pub(super) fn or(&mut self, edges: &[Edge]) -> Edge {
        let complements: Vec<Edge> = edges.iter().map(|&e| !e).collect();
        !self.and(&complements)
    }

    /// The bases of a counter from 0, which starts at 0, stays at its end, and has the names `step(n)`.
    pub(super) fn counter(&mut self, size: usize) -> Vec<Edge> {
        let first = self.circuit.bases.len();
        let steps: Vec<Edge> = (0..size).map(|at| self.base("step", &[at], at == 0)).collect();
        self.next(first, Edge::FALSE);
        for at in 1..size {
            self.next(first + at, steps[at - 1]);
        }
        let last = self.or(&steps[size - 2..]);
        self.next(first + size - 1, last);
        steps
    }
}

/// A small random circuit: groups of bases with names, wheels, moves of all kinds, sometimes a loop.
pub(super) fn random(rng: &mut Rng) -> Circuit {
    let mut sketch = CircuitSketch::new();
    let groups = 1 + rng.below(3) as usize;
    let mut pool = Vec::new();
    let mut members = Vec::new();
    for group in 0..groups {
        let size = 2 + rng.below(2) as usize;
        let first = sketch.circuit.bases.len();
        let start = rng.below(size as u64) as usize;
        pool.extend((0..size).map(|at| {
            let initial = at == start || rng.below(5) == 0;
            sketch.base("p", &[group, at], initial)
        }));
        members.push(first..first + size);
    }
    let mut legal = Vec::new();
    for _ in 0..1 + rng.below(2) {
        let mut moves: Vec<Edge> = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let parts = [pick(rng, &pool), pick(rng, &pool)];
            moves.push(if rng.below(3) == 0 { Edge::TRUE } else { sketch.or(&parts) });
        }
        legal.push(moves);
    }
    let parts = [pick(rng, &pool), pick(rng, &pool), pick(rng, &pool)];
    sketch.circuit.terminal = sketch.and(&parts);
    for moves in &legal {
        pool.extend(sketch.role(moves));
    }
    for _ in 0..rng.below(12) {
        let parts: Vec<Edge> = (0..2 + rng.below(2)).map(|_| pick(rng, &pool)).collect();
        pool.push(sketch.and(&parts));
    }
    if rng.below(3) == 0 {
        let variable = sketch.gate(Gate::Feedback(0));
        let (once, while_true) = (pick(rng, &pool), pick(rng, &pool));
        let kept = sketch.and(&[variable, while_true]);
        let definition = sketch.or(&[kept, once]);
        sketch.circuit.loops.push(Loop { feedback: vec![Feedback { gate: variable.gate(), definition }] });
        pool.push(definition);
    }
    for group in members {
        let turn = pick(rng, &pool);
        let wheel = rng.below(4) != 0;
        let edges: Vec<Edge> = group.clone().map(|b| sketch.circuit.values[b]).collect();
        for (at, base) in group.enumerate() {
            let stays = sketch.and(&[edges[at], !turn]);
            let comes = sketch.and(&[edges[(at + 1) % edges.len()], turn]);
            let mut next = sketch.or(&[stays, comes]);
            if !wheel && rng.below(2) == 0 {
                next = pick(rng, &pool);
            }
            sketch.next(base, next);
        }
    }
    sketch.circuit
}

fn pick(rng: &mut Rng, pool: &[Edge]) -> Edge {
    pool[rng.below(pool.len() as u64) as usize].complement_if(rng.below(2) == 0)
}

/// All steps from a state: the moves and the next state.
pub(super) fn steps_from(circuit: &Circuit, state: &[bool]) -> Vec<(Vec<u32>, Vec<bool>)> {
    let evaluator = CircuitEvaluator::new(circuit);
    let values = evaluator.in_state(state, &[]);
    if values.get(circuit.terminal) {
        return Vec::new();
    }
    let mut joint: Vec<Vec<u32>> = vec![Vec::new()];
    for legal in &circuit.legal {
        let moves: Vec<u32> = (0..legal.len() as u32).filter(|&at| values.get(legal[at as usize])).collect();
        joint = joint.iter().flat_map(|start| moves.iter().map(|&m| [&start[..], &[m]].concat())).collect();
    }
    joint.into_iter().map(|moves| (moves.clone(), evaluator.next(state, &moves))).collect()
}

/// All reachable states of a small circuit.
pub(super) fn reachable(circuit: &Circuit) -> BTreeSet<Vec<bool>> {
    let initial: Vec<bool> = circuit.bases.iter().map(|b| b.initial).collect();
    let mut open = vec![initial.clone()];
    let mut found = BTreeSet::from([initial]);
    while let Some(state) = open.pop() {
        for (_, next) in steps_from(circuit, &state) {
            if found.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

/// Fails unless every invariant holds in the state.
pub(super) fn assert_holds(invariants: &Invariants, state: &[bool]) {
    let is = |base: u32| state[base as usize];
    let count = |group: &Vec<u32>| group.iter().filter(|&&base| is(base)).count();
    for &(base, value) in &invariants.constants {
        assert_eq!(is(base), value, "constant {base} in {state:?}");
    }
    for equal in &invariants.equivalences {
        assert!(equal.same_as < equal.base);
        assert_eq!(is(equal.base), is(equal.same_as) ^ equal.complemented, "{equal:?} in {state:?}");
    }
    for group in &invariants.exclusive {
        assert!(count(group) <= 1, "{group:?} in {state:?}");
    }
    for group in &invariants.exactly_one {
        assert_eq!(count(group), 1, "{group:?} in {state:?}");
    }
}
