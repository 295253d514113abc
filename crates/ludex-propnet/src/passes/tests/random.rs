//! Random circuits with everything that passes have to care about.

use std::sync::Arc;

use ludex_game::Rng;
use ludex_logic::Terms;

use crate::circuit::GateBuilder;
use crate::{Circuit, Edge, Equivalence, Feedback, Gate, Invariants, Loop, StoredBase};

/// A circuit in the making.
pub(crate) struct CircuitSketch {
    pub(crate) builder: GateBuilder,
    pub(crate) circuit: Circuit,
}

impl CircuitSketch {
    pub(crate) fn new(share: bool) -> Self {
        let circuit = Circuit {
            terms: Arc::new(Terms::new()),
            gates: vec![],
            loops: vec![],
            propositions: vec![],
            values: vec![],
            bases: vec![],
            moves: vec![],
            legal: vec![],
            goals: vec![],
            terminal: Edge::FALSE,
            percepts: vec![],
        };
        Self { builder: GateBuilder::new(share), circuit }
    }

    /// A proposition with this value.
    pub(crate) fn proposition(&mut self, value: Edge) {
        let term = self.circuit.terms.constant(&format!("p{:05}", self.circuit.propositions.len()));
        self.circuit.propositions.push(term);
        self.circuit.values.push(value);
    }

    /// A base that keeps its value until [`CircuitSketch::next`] is given.
    pub(crate) fn base(&mut self, initial: bool) -> Edge {
        let number = self.circuit.bases.len() as u32;
        let edge = self.builder.source(Gate::Base(number));
        let proposition = self.circuit.propositions.len() as u32;
        self.proposition(edge);
        self.circuit.bases.push(StoredBase { proposition, initial, next: edge });
        edge
    }

    pub(crate) fn next(&mut self, base: usize, next: Edge) {
        self.circuit.bases[base].next = next;
    }

    /// A role with moves of this legality; the inputs.
    pub(crate) fn role(&mut self, legal: Vec<Edge>) -> Vec<Edge> {
        let role = self.circuit.legal.len() as u32;
        let terms = &self.circuit.terms;
        self.circuit.moves.push((0..legal.len()).map(|i| terms.constant(&format!("m{i:05}"))).collect());
        let inputs = (0..legal.len() as u32).map(|i| self.builder.source(Gate::Input(role, i))).collect();
        self.circuit.legal.push(legal);
        self.circuit.goals.push(vec![]);
        self.circuit.percepts.push(vec![]);
        inputs
    }

    pub(crate) fn and(&mut self, edges: &[Edge]) -> Edge {
        self.builder.and(&mut edges.to_vec())
    }

    pub(crate) fn or(&mut self, edges: &[Edge]) -> Edge {
        !self.builder.and(&mut edges.iter().map(|e| !*e).collect())
    }

    pub(crate) fn percept(&mut self, role: usize, edge: Edge) {
        let term = self.circuit.terms.constant(&format!("s{:05}", self.circuit.percepts[role].len()));
        self.circuit.percepts[role].push((term, edge));
    }

    pub(crate) fn finish(mut self) -> Circuit {
        self.circuit.gates = self.builder.finish();
        self.circuit
    }
}

/// How large a random circuit is.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) bases: u64,
    pub(crate) moves: u64,
    pub(crate) gates: u64,
}

/// A random circuit in which each role has a legal move in each state, with facts about its states.
pub(crate) fn random(rng: &mut Rng, scale: Scale) -> (Circuit, Invariants) {
    let mut sketch = CircuitSketch::new(rng.below(2) == 0);
    let mut invariants = Invariants::default();
    let free = 2 + rng.below(scale.bases);
    let mut pool: Vec<Edge> = (0..free).map(|_| sketch.base(rng.below(2) == 0)).collect();
    let wheels: Vec<Vec<usize>> = (0..rng.below(3)).map(|_| wheel(&mut sketch, rng, &mut pool)).collect();
    grow(&mut sketch, rng, &mut pool, scale.gates / 2);
    if rng.below(2) == 0 {
        recursion(&mut sketch, rng, &mut pool);
    }
    let mut inputs = Vec::new();
    for _ in 0..1 + rng.below(2) {
        let legal = legality(&mut sketch, rng, &pool, scale.moves);
        inputs.extend(sketch.role(legal));
    }
    for role in 0..sketch.circuit.goals.len() {
        sketch.circuit.goals[role] = (0..3).map(|value| (value, edge(rng, &pool))).collect();
    }
    let parts: Vec<Edge> = (0..4).map(|_| edge(rng, &pool)).collect();
    sketch.circuit.terminal = sketch.and(&parts);
    let value = edge(rng, &pool);
    sketch.proposition(value);
    if rng.below(20) == 0 {
        // Against the rules of the game language, but not to be broken any further.
        sketch.circuit.terminal = sketch.and(&[parts[0], inputs[0], edge(rng, &inputs)]);
    }
    pool.extend(inputs.iter().flat_map(|i| [*i, *i]));
    grow(&mut sketch, rng, &mut pool, scale.gates / 2);
    if rng.below(2) == 0 {
        recursion(&mut sketch, rng, &mut pool);
        grow(&mut sketch, rng, &mut pool, 5);
    }
    for base in 0..free as usize {
        if rng.below(8) != 0 {
            let next = edge(rng, &pool);
            sketch.next(base, next);
        }
    }
    for members in &wheels {
        turn(&mut sketch, rng, &pool, members);
        invariants.exactly_one.push(members.iter().map(|m| *m as u32).collect());
    }
    if rng.below(2) == 0 {
        let base = rng.below(free) as usize;
        let complemented = rng.below(2) == 0;
        let StoredBase { initial, next, .. } = sketch.circuit.bases[base];
        sketch.base(initial != complemented);
        let twin = sketch.circuit.bases.len() - 1;
        sketch.next(twin, next.complement_if(complemented));
        invariants.equivalences.push(Equivalence { base: twin as u32, same_as: base as u32, complemented });
    }
    for role in 0..sketch.circuit.percepts.len() {
        let seen = edge(rng, &pool);
        sketch.percept(role, seen);
    }
    (sketch.finish(), invariants)
}

fn edge(rng: &mut Rng, pool: &[Edge]) -> Edge {
    // Late gates more often than early ones.
    let at = rng.below(pool.len() as u64).max(rng.below(pool.len() as u64));
    if rng.below(40) == 0 { Edge::FALSE } else { pool[at as usize] }.complement_if(rng.below(2) == 0)
}

fn grow(sketch: &mut CircuitSketch, rng: &mut Rng, pool: &mut Vec<Edge>, count: u64) {
    for _ in 0..count {
        let wide = if rng.below(6) == 0 { 8 } else { 3 };
        let mut edges: Vec<Edge> = (0..2 + rng.below(wide)).map(|_| edge(rng, pool)).collect();
        // Operands of operands, so that there is something to absorb.
        for _ in 0..rng.below(3) {
            let operands = edges.iter().find_map(|e| sketch.builder.operands(*e));
            if let Some(other) = operands.and_then(|o| rng.pick(o)) {
                edges.push(other.complement_if(rng.below(2) == 0));
            }
        }
        if rng.below(3) == 0 {
            // All inputs of a kind but a few.
            let kind: Vec<Edge> =
                pool.iter().copied().filter(|e| sketch.builder.operands(*e).is_none()).collect();
            edges.extend(kind.iter().filter(|_| rng.below(10) != 0).map(|e| !*e));
            edges.truncate(12);
        }
        pool.push(sketch.and(&edges));
    }
}

/// Bases of which exactly one is true.
fn wheel(sketch: &mut CircuitSketch, rng: &mut Rng, pool: &mut Vec<Edge>) -> Vec<usize> {
    let first = sketch.circuit.bases.len();
    let size = 2 + rng.below(4) as usize;
    let start = rng.below(size as u64) as usize;
    pool.extend((0..size).map(|i| sketch.base(i == start)));
    (first..first + size).collect()
}

/// The wheel stays or turns by one.
fn turn(sketch: &mut CircuitSketch, rng: &mut Rng, pool: &[Edge], members: &[usize]) {
    let turns = edge(rng, pool);
    for (at, &base) in members.iter().enumerate() {
        let own = sketch.builder.source(Gate::Base(base as u32));
        let before = members[(at + members.len() - 1) % members.len()];
        let before = sketch.builder.source(Gate::Base(before as u32));
        let stays = sketch.and(&[own, !turns]);
        let comes = sketch.and(&[before, turns]);
        let next = sketch.or(&[stays, comes]);
        sketch.next(base, next);
    }
}

/// Moves of which one of the first two is legal.
fn legality(sketch: &mut CircuitSketch, rng: &mut Rng, pool: &[Edge], moves: u64) -> Vec<Edge> {
    let first = edge(rng, pool);
    let mut legal = vec![first, !first];
    for _ in 0..rng.below(moves) {
        let parts: Vec<Edge> = (0..1 + rng.below(3)).map(|_| edge(rng, pool)).collect();
        legal.push(sketch.and(&parts));
    }
    legal
}

/// A loop of a few variables, with definitions that are monotone in them.
fn recursion(sketch: &mut CircuitSketch, rng: &mut Rng, pool: &mut Vec<Edge>) {
    let number = sketch.circuit.loops.len() as u32;
    let variables: Vec<Edge> = (0..1 + rng.below(3)).map(|_| sketch.builder.feedback(number)).collect();
    let mut rising = variables.clone();
    for _ in 0..4 {
        let (a, b) = (*rng.pick(&rising).unwrap(), *rng.pick(&rising).unwrap());
        let other = edge(rng, pool);
        let new = match rng.below(4) {
            0 => sketch.and(&[a, other]),
            1 => sketch.or(&[a, other]),
            2 => sketch.and(&[a, b, other]),
            _ => sketch.or(&[a, b]),
        };
        rising.push(new);
    }
    let feedback = variables
        .iter()
        .map(|v| Feedback {
            gate: v.gate(),
            definition: if rng.below(6) == 0 { edge(rng, pool) } else { *rng.pick(&rising).unwrap() },
        })
        .collect();
    sketch.circuit.loops.push(Loop { feedback });
    pool.extend(rising);
}
