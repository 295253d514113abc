//! What a single move does: the next value of each base once it is known which move a role makes.

use std::collections::BTreeMap;

use ludex_logic::{LimitError, Meter};
use ludex_propnet::{Edge, Gate, GateId};
use rustc_hash::FxHashMap;

use super::net::Net;

/// What moves do. Most rules say of each move what it leaves as it is, some only what it changes; so that
/// both come out alike, a move is compared with what most moves of the role do to a base: nothing, or the
/// same as if the role made no move.
#[derive(Debug)]
pub(super) struct Effects {
    /// What holds in the turn for which this is so, and beside it what makes each move legal.
    pub(super) turn: Vec<Edge>,
    pub(super) legal: Vec<Vec<Edge>>,
    /// Per role and move the bases whose next value differs from the usual one, with that value.
    pub(super) of: Vec<Vec<Vec<(u32, Edge)>>>,
    /// Per base whether it usually keeps its value when some role moves, whatever the others do.
    pub(super) keeps: Vec<bool>,
}

/// The effects of all moves. Equal effects have equal edges, since equal gates are one; so moves are
/// used in the same way exactly if their effects are equal (book 11.4), as far as the form of the
/// gates shows. With a turn, that is what they do in this turn.
pub(super) fn effects(net: &mut Net, turn: &[(u32, bool)], meter: &mut Meter) -> Result<Effects, LimitError> {
    let count = net.gates().len();
    let mut readers: Vec<Vec<(u32, bool)>> = vec![Vec::new(); count];
    let mut inputs: Vec<Vec<Option<GateId>>> = net.legal.iter().map(|list| vec![None; list.len()]).collect();
    for (at, gate) in net.gates().iter().enumerate() {
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
    let legal = legal_in(net, turn, meter)?;
    let mut keeps = vec![false; net.next.len()];
    for (role, moves) in inputs.iter().enumerate() {
        let never = |whose: u32, number: u32| {
            whose == role as u32 || legal[whose as usize][number as usize] == Edge::FALSE
        };
        let idle = Idle::new(net, turn, never, count, meter)?;
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
        compare_with_keeping(net, &legal[role], &idle, &mut of_role, &mut keeps, meter)?;
        all.push(of_role);
    }
    let holds = |&(base, value): &(u32, bool)| Some(net.own_value(base)?.complement_if(!value));
    Ok(Effects { turn: turn.iter().filter_map(holds).collect(), legal, of: all, keeps })
}

/// What makes each move legal in a turn.
fn legal_in(net: &mut Net, turn: &[(u32, bool)], meter: &mut Meter) -> Result<Vec<Vec<Edge>>, LimitError> {
    let mut legal = net.legal.clone();
    if !turn.is_empty() {
        let count = net.gates().len();
        let map = Idle::new(net, turn, |_, _| false, count, meter)?.map;
        legal.iter_mut().flatten().for_each(|legal| *legal = legal.mapped(&map));
    }
    Ok(legal)
}

/// Of bases that more moves of the role leave as they are than treat like no move at all, the effects are
/// what differs from leaving them.
fn compare_with_keeping(
    net: &Net,
    legal: &[Edge],
    idle: &Idle,
    effects: &mut [Vec<(u32, Edge)>],
    keeps: &mut [bool],
    meter: &mut Meter,
) -> Result<(), LimitError> {
    let legal: Vec<bool> = legal.iter().map(|&legal| legal != Edge::FALSE).collect();
    let moves = legal.iter().filter(|legal| **legal).count();
    let own: Vec<Option<Edge>> = (0..net.next.len() as u32).map(|base| net.own_value(base)).collect();
    let (mut keeping, mut different) = (vec![0usize; own.len()], vec![0usize; own.len()]);
    for (effect, _) in effects.iter().zip(&legal).filter(|(_, legal)| **legal) {
        meter.spend(effect.len() as u64)?;
        for &(base, edge) in effect {
            different[base as usize] += 1;
            keeping[base as usize] += usize::from(Some(edge) == own[base as usize]);
        }
    }
    let mut usual: Vec<Option<Edge>> = vec![None; own.len()];
    for (base, next) in net.next.iter().enumerate() {
        let Some(without) = next.map(|next| next.mapped(&idle.map)) else { continue };
        if Some(without) == own[base] {
            keeps[base] = true;
        } else if keeping[base] > moves - different[base] {
            keeps[base] = true;
            usual[base] = Some(without);
        }
    }
    let changed: Vec<u32> = (0u32..).zip(&usual).filter_map(|(base, edge)| edge.map(|_| base)).collect();
    for effect in effects.iter_mut() {
        meter.spend((effect.len() + changed.len()) as u64)?;
        let mut untouched = changed.clone();
        untouched.retain(|base| effect.binary_search_by_key(base, |&(other, _)| other).is_err());
        effect.retain(|&(base, edge)| usual[base as usize].is_none() || Some(edge) != own[base as usize]);
        effect.extend(untouched.iter().filter_map(|&base| Some((base, usual[base as usize]?))));
        effect.sort_unstable();
    }
    Ok(())
}

/// The net in a turn when some moves are not made: none of one role, and none that is not legal.
struct Idle {
    map: Vec<Edge>,
    /// Per gate its operands that are not constant, and how many are false.
    rest: Vec<(Vec<Edge>, u32)>,
}

impl Idle {
    fn new(
        net: &mut Net,
        turn: &[(u32, bool)],
        never: impl Fn(u32, u32) -> bool,
        count: usize,
        meter: &mut Meter,
    ) -> Result<Self, LimitError> {
        let mut map = Vec::with_capacity(count);
        let mut rest = Vec::with_capacity(count);
        let known: FxHashMap<u32, bool> = turn.iter().copied().collect();
        for at in 0..count {
            let (edge, left) = match net.gate(GateId(at as u32)) {
                Gate::Input(whose, number) if never(*whose, *number) => (Edge::FALSE, (Vec::new(), 0)),
                Gate::Base(base) if known.contains_key(base) => {
                    (Edge::FALSE.complement_if(known[base]), (Vec::new(), 0))
                }
                Gate::And(edges) => {
                    meter.spend(edges.len() as u64)?;
                    let new: Vec<Edge> = edges.iter().map(|edge| edge.mapped(&map)).collect();
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
                let before = operand.mapped(&self.map);
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
