//! Guards: what a whole group of a role's moves needs, such as being the one to move, is tested once
//! when legal moves are read instead of in each move's gate.
//!
//! A base that many legal moves depend on and that flips in every step would touch all their gates in
//! every step. A gate that only feeds moves behind one guard does not have to be right where the guard
//! does not hold, so it is rewritten under the assumption that it does (an observability don't-care).

use ludex_propnet::{Circuit, Edge, Gate};
use rustc_hash::FxHashMap;

/// Groups smaller than this are not worth the test.
const SMALLEST_GROUP: usize = 8;
/// Per role.
const MOST_GROUPS: usize = 4;
/// How many gates to look through for what one move needs.
const LOOK: usize = 32;

/// Per role and move the edge that has to be true besides the one in [`Circuit::legal`].
pub(super) type Guards = Vec<Vec<Edge>>;

/// Chooses guards and rewrites gates and legal moves under them.
pub(super) fn introduce(circuit: &mut Circuit) -> Guards {
    let guards: Guards = circuit.legal.iter().map(|legal| choose(circuit, legal)).collect();
    let context = contexts(circuit, &guards);
    for (gate, context) in circuit.gates.iter_mut().zip(context) {
        if let (Gate::And(edges), Context::Guard(guard)) = (gate, context) {
            edges.iter_mut().for_each(|e| assume(e, guard));
        }
    }
    for (legal, guards) in circuit.legal.iter_mut().zip(&guards) {
        for (edge, &guard) in legal.iter_mut().zip(guards) {
            if guard != Edge::TRUE {
                assume(edge, guard);
            }
        }
    }
    circuit.fold();
    guards
}

fn assume(edge: &mut Edge, guard: Edge) {
    if *edge == guard {
        *edge = Edge::TRUE;
    } else if *edge == !guard {
        *edge = Edge::FALSE;
    }
}

/// The guard of each move, [`Edge::TRUE`] for none: the bases that most moves need.
fn choose(circuit: &Circuit, legal: &[Edge]) -> Vec<Edge> {
    let needs: Vec<Vec<Edge>> = legal.iter().map(|&edge| needed(circuit, edge)).collect();
    let mut guards = vec![Edge::TRUE; legal.len()];
    let least = SMALLEST_GROUP.max(legal.len() / (2 * MOST_GROUPS));
    for _ in 0..MOST_GROUPS {
        let mut counts: FxHashMap<Edge, usize> = FxHashMap::default();
        for (needs, _) in needs.iter().zip(&guards).filter(|&(_, &g)| g == Edge::TRUE) {
            needs.iter().for_each(|&edge| *counts.entry(edge).or_default() += 1);
        }
        let best = counts.into_iter().max_by_key(|&(edge, count)| (count, std::cmp::Reverse(edge)));
        let Some((guard, _)) = best.filter(|&(_, count)| count >= least) else { break };
        for (needs, chosen) in needs.iter().zip(&mut guards) {
            if *chosen == Edge::TRUE && needs.contains(&guard) {
                *chosen = guard;
            }
        }
    }
    guards
}

/// Some of the bases, or their complements, that hold whenever `edge` does.
fn needed(circuit: &Circuit, edge: Edge) -> Vec<Edge> {
    let mut found = Vec::new();
    let mut stack = vec![edge];
    for _ in 0..LOOK {
        let Some(edge) = stack.pop() else { break };
        match &circuit.gates[edge.gate().index()] {
            Gate::Base(_) => found.push(edge),
            Gate::And(edges) if !edge.is_complemented() => stack.extend(edges),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Where a gate's value matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Nowhere,
    Guard(Edge),
    Everywhere,
}

impl Context {
    fn join(&mut self, other: Context) {
        *self = match (*self, other) {
            (Context::Nowhere, c) | (c, Context::Nowhere) => c,
            (a, b) if a == b => a,
            _ => Context::Everywhere,
        };
    }
}

fn contexts(circuit: &Circuit, guards: &Guards) -> Vec<Context> {
    let mut contexts = vec![Context::Nowhere; circuit.gates.len()];
    let definitions = circuit.loops.iter().flat_map(|l| &l.feedback).map(|f| f.definition);
    let goals = circuit.goals.iter().flatten().map(|&(_, edge)| edge);
    let everywhere = goals.chain(circuit.step_outputs()).chain([circuit.terminal]).chain(definitions);
    everywhere.for_each(|e| contexts[e.gate().index()] = Context::Everywhere);
    for (edge, &guard) in circuit.legal.iter().flatten().zip(guards.iter().flatten()) {
        let context = if guard == Edge::TRUE { Context::Everywhere } else { Context::Guard(guard) };
        contexts[edge.gate().index()].join(context);
    }
    for (at, gate) in circuit.gates.iter().enumerate().rev() {
        for edge in gate.operands() {
            let context = contexts[at];
            contexts[edge.gate().index()].join(context);
        }
    }
    contexts
}
