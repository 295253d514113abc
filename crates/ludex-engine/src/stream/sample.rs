//! Random circuits for tests, and their values by the definition.

use std::sync::Arc;

use ludex_game::Rng;
use ludex_logic::{TermId, Terms};
use ludex_propnet::{Circuit, Edge, Feedback, Gate, GateId, Loop, StoredBase};

/// How large a random circuit is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub bases: u32,
    pub moves: u32,
    pub gates: u32,
    pub loops: u32,
    /// The most operands of a gate.
    pub operands: u64,
}

struct Sampler<'r> {
    rng: &'r mut Rng,
    gates: Vec<Gate>,
    /// Whether each gate depends on inputs.
    moving: Vec<bool>,
    size: Size,
}

impl Sampler<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.rng.below(bound as u64) as usize
    }

    fn add(&mut self, gate: Gate, moving: bool) -> GateId {
        self.gates.push(gate);
        self.moving.push(moving);
        GateId(self.gates.len() as u32 - 1)
    }

    /// Any edge; one that does not depend on inputs unless `moving`. Late gates are likelier.
    fn edge(&mut self, moving: bool) -> Edge {
        loop {
            let count = self.gates.len();
            let at =
                if self.below(2) == 0 { count.saturating_sub(1 + self.below(20)) } else { self.below(count) };
            if at == 0 && self.below(20) > 0 || self.moving[at] && !moving {
                continue;
            }
            return Edge::new(GateId(at as u32), self.below(2) == 0);
        }
    }

    fn and(&mut self, mut edges: Vec<Edge>) -> GateId {
        if edges.len() < 2 {
            edges.push(Edge::TRUE);
        }
        let moving = edges.iter().any(|e| self.moving[e.gate().index()]);
        self.add(Gate::And(edges.into()), moving)
    }

    fn gate(&mut self, moving: bool) {
        let count = 2 + self.rng.below(self.size.operands - 1);
        let edges = (0..count).map(|_| self.edge(moving)).collect();
        self.and(edges);
    }

    /// A loop with a monotone body.
    fn cycle(&mut self, number: u32, moving: bool) -> Loop {
        let variables = 1 + self.below(4);
        // Edges that grow with the variables.
        let mut rising: Vec<Edge> = Vec::new();
        for _ in 0..variables {
            let gate = self.add(Gate::Feedback(number), moving);
            rising.push(Edge::new(gate, false));
        }
        let first = self.gates.len();
        for _ in 0..1 + self.below(12) {
            let falling = self.below(2) == 0;
            let mut edges: Vec<Edge> = Vec::new();
            for _ in 0..1 + self.below(3) {
                let at = self.below(rising.len());
                edges.push(rising[at].complement_if(falling));
            }
            for _ in 0..self.below(3) {
                let outside = self.below(first - variables);
                if !self.moving[outside] || moving {
                    edges.push(Edge::new(GateId(outside as u32), self.below(2) == 0));
                }
            }
            let gate = self.and(edges);
            rising.push(Edge::new(gate, falling));
        }
        let feedback = (0..variables)
            .map(|at| {
                let definition = match self.below(8) {
                    0 => Edge::new(GateId(1), false),
                    _ => rising[self.below(rising.len())],
                };
                Feedback { gate: rising[at].gate(), definition }
            })
            .collect();
        Loop { feedback }
    }
}

/// A random circuit. Where nothing else is asked for, next values also copy, complement and exchange
/// bases, so that all hazards of writing in place occur.
pub(crate) fn random_circuit(rng: &mut Rng, size: Size) -> Circuit {
    let mut sampler = Sampler { rng, gates: vec![Gate::False], moving: vec![false], size };
    for base in 0..size.bases {
        sampler.add(Gate::Base(base), false);
    }
    let roles = if size.moves == 0 { 0 } else { 1 + sampler.rng.below(2) as u32 };
    for role in 0..roles {
        for number in 0..size.moves {
            sampler.add(Gate::Input(role, number), true);
        }
    }
    let mut loops = Vec::new();
    for at in 0..size.gates {
        if at * size.loops / size.gates.max(1) > loops.len() as u32 {
            let moving = sampler.below(2) == 0;
            let cycle = sampler.cycle(loops.len() as u32, moving);
            loops.push(cycle);
        }
        let moving = sampler.below(2) == 0;
        sampler.gate(moving);
    }
    let terms = Terms::new();
    let name = |kind: &str, number: u32| terms.constant(&format!("{kind}{number:05}"));
    let bases: Vec<StoredBase> = (0..size.bases)
        .map(|proposition| {
            let next = match sampler.below(3) {
                0 => Edge::new(GateId(1 + sampler.below(size.bases as usize) as u32), sampler.below(4) == 0),
                _ => sampler.edge(true),
            };
            StoredBase { proposition, initial: sampler.below(2) == 0, next }
        })
        .collect();
    let legal = (0..roles).map(|_| (0..size.moves).map(|_| sampler.edge(false)).collect()).collect();
    let goals = (0..roles).map(|_| [0, 50, 100].map(|goal| (goal, sampler.edge(false))).to_vec()).collect();
    let percepts: Vec<Vec<(TermId, Edge)>> =
        (0..roles).map(|_| (0..3).map(|at| (name("seen", at), sampler.edge(true))).collect()).collect();
    Circuit {
        loops,
        propositions: (0..size.bases).map(|at| name("base", at)).collect(),
        values: (0..size.bases).map(|at| Edge::new(GateId(1 + at), false)).collect(),
        bases,
        moves: (0..roles).map(|_| (0..size.moves).map(|at| name("move", at)).collect()).collect(),
        legal,
        goals,
        terminal: sampler.edge(false),
        percepts,
        gates: sampler.gates,
        terms: Arc::new(terms),
    }
}

/// The value of every gate. A loop may depend on loops before it.
pub(crate) fn gate_values(circuit: &Circuit, bases: &[bool], inputs: &[Vec<bool>]) -> Vec<bool> {
    let mut values = vec![false; circuit.gates.len()];
    let sweep = |values: &mut Vec<bool>| {
        for (at, gate) in circuit.gates.iter().enumerate() {
            match gate {
                Gate::False => values[at] = false,
                Gate::Base(base) => values[at] = bases[*base as usize],
                Gate::Input(role, number) => values[at] = inputs[*role as usize][*number as usize],
                Gate::Feedback(_) => {}
                Gate::And(edges) => values[at] = edges.iter().all(|&e| edge_value(values, e)),
            }
        }
    };
    for cycle in &circuit.loops {
        cycle.feedback.iter().for_each(|f| values[f.gate.index()] = false);
        loop {
            sweep(&mut values);
            let definitions: Vec<bool> =
                cycle.feedback.iter().map(|f| edge_value(&values, f.definition)).collect();
            let stable = cycle.feedback.iter().zip(&definitions).all(|(f, &d)| values[f.gate.index()] == d);
            if stable {
                break;
            }
            cycle.feedback.iter().zip(definitions).for_each(|(f, d)| values[f.gate.index()] = d);
        }
    }
    sweep(&mut values);
    values
}

/// The value of an edge.
pub(crate) fn edge_value(values: &[bool], edge: Edge) -> bool {
    values[edge.gate().index()] != edge.is_complemented()
}
