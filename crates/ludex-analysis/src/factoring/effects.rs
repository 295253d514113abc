//! What a single move does: the next value of each base once it is known which move a role makes.

use std::collections::BTreeMap;

use ludex_logic::{LimitError, Meter};
use ludex_propnet::{Edge, Gate, GateId};

use super::net::Net;

/// Per role and move what it does: the bases whose next value differs from what it is when the role
/// makes none of its moves, with that value.
pub(super) type Effects = Vec<Vec<Vec<(u32, Edge)>>>;

/// The effects of all moves. Equal effects have equal edges, since equal gates are one; so moves are
/// used in the same way exactly if their effects are equal (book 11.4), as far as the form of the
/// gates shows.
pub(super) fn effects(net: &mut Net, meter: &mut Meter) -> Result<Effects, LimitError> {
    let count = net.gates.len();
    let mut readers: Vec<Vec<(u32, bool)>> = vec![Vec::new(); count];
    let mut inputs: Vec<Vec<Option<GateId>>> = net.legal.iter().map(|list| vec![None; list.len()]).collect();
    for (at, gate) in net.gates.iter().enumerate() {
        match gate {
            Gate::And(edges) => {
                edges.iter().for_each(|e| readers[e.gate().index()].push((at as u32, e.is_complemented())));
            }
            Gate::Input(role, number) => inputs[*role as usize][*number as usize] = Some(GateId(at as u32)),
            _ => {}
        }
    }
    let mut bases_of: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (base, next) in (0u32..).zip(&net.next) {
        if let Some(next) = next {
            bases_of[next.gate().index()].push(base);
        }
    }
    let mut all = Vec::with_capacity(inputs.len());
    for (role, moves) in inputs.iter().enumerate() {
        let idle = Idle::new(net, role as u32, count, meter)?;
        let mut of_role = Vec::with_capacity(moves.len());
        for &input in moves {
            let changed = match input {
                Some(input) => idle.with(net, input, &readers, meter)?,
                None => BTreeMap::new(),
            };
            let mut effect = Vec::new();
            for (&gate, &edge) in &changed {
                for &base in &bases_of[gate as usize] {
                    let complemented = net.next[base as usize].is_some_and(Edge::is_complemented);
                    effect.push((base, edge.complement_if(complemented)));
                }
            }
            effect.sort_unstable();
            of_role.push(effect);
        }
        all.push(of_role);
    }
    Ok(all)
}

/// The net when one role makes none of its moves.
struct Idle {
    map: Vec<Edge>,
    /// Per gate its operands that are not constant, and how many are false.
    rest: Vec<(Vec<Edge>, u32)>,
}

fn mapped(map: &[Edge], edge: Edge) -> Edge {
    map[edge.gate().index()].complement_if(edge.is_complemented())
}

impl Idle {
    fn new(net: &mut Net, role: u32, count: usize, meter: &mut Meter) -> Result<Self, LimitError> {
        let mut map = Vec::with_capacity(count);
        let mut rest = Vec::with_capacity(count);
        for at in 0..count {
            let (edge, left) = match &net.gates[at] {
                Gate::Input(whose, _) if *whose == role => (Edge::FALSE, (Vec::new(), 0)),
                Gate::And(edges) => {
                    meter.spend(edges.len() as u64)?;
                    let new: Vec<Edge> = edges.iter().map(|&edge| mapped(&map, edge)).collect();
                    let falses = new.iter().filter(|&&edge| edge == Edge::FALSE).count() as u32;
                    let left: Vec<Edge> =
                        new.iter().copied().filter(|edge| edge.constant().is_none()).collect();
                    let edge = if falses > 0 { Edge::FALSE } else { net.and(left.clone()) };
                    (edge, (left, falses))
                }
                _ => (Edge::new(GateId(at as u32), false), (Vec::new(), 0)),
            };
            map.push(edge);
            rest.push(left);
        }
        Ok(Self { map, rest })
    }

    /// The gates that are different when this move is made. Only what reads it is looked at.
    fn with(
        &self,
        net: &mut Net,
        input: GateId,
        readers: &[Vec<(u32, bool)>],
        meter: &mut Meter,
    ) -> Result<BTreeMap<u32, Edge>, LimitError> {
        let mut changed = BTreeMap::new();
        // Per gate to look at, which of its operands changed.
        let mut waiting: BTreeMap<u32, Vec<Edge>> = BTreeMap::new();
        let spread = |gate: u32, waiting: &mut BTreeMap<u32, Vec<Edge>>| {
            for &(reader, complemented) in &readers[gate as usize] {
                waiting.entry(reader).or_default().push(Edge::new(GateId(gate), complemented));
            }
        };
        changed.insert(input.0, Edge::TRUE);
        spread(input.0, &mut waiting);
        while let Some((gate, causes)) = waiting.pop_first() {
            let (left, falses) = &self.rest[gate as usize];
            let (mut left, mut falses) = (left.clone(), *falses);
            meter.spend((left.len() + causes.len()) as u64)?;
            for operand in causes {
                let before = mapped(&self.map, operand);
                match before.constant() {
                    Some(value) => falses -= u32::from(!value),
                    None => {
                        if let Some(at) = left.iter().position(|&edge| edge == before) {
                            left.swap_remove(at);
                        }
                    }
                }
                let now = changed[&operand.gate().0].complement_if(operand.is_complemented());
                match now.constant() {
                    Some(value) => falses += u32::from(!value),
                    None => left.push(now),
                }
            }
            let edge = if falses > 0 { Edge::FALSE } else { net.and(left) };
            if edge != self.map[gate as usize] {
                changed.insert(gate, edge);
                spread(gate, &mut waiting);
            }
        }
        Ok(changed)
    }
}
