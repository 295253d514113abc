//! What runs on by itself, and how its turns tell moves apart.
//!
//! A move can be several in one. On two boards that are played in opposite turns, `noop` waits on the one
//! or on the other, and only the turn says on which. Taken as one move, it is about both boards and holds
//! them together. And where one role takes from a heap, that the others stay as they are is only known if the
//! other role cannot take from them at the same time. So where what runs on by itself comes round after a few
//! steps, moves are looked at turn by turn.

use ludex_logic::{LimitError, Meter};
use rustc_hash::FxHashMap;

use super::net::Net;
use ludex_logic::UnionFind;

/// What comes round after more steps than this is a counter and tells no turns apart.
const MOST_TURNS: usize = 8;

/// The values of some bases that run on by themselves.
pub(super) type Turn = Vec<(u32, bool)>;

/// Bases whose course depends on no move, per base: step counters, whose turn it is.
pub(super) fn clock(net: &Net) -> Vec<bool> {
    let next = &net.next;
    let mut clock: Vec<bool> =
        next.iter().map(|next| next.is_some_and(|next| !net.reads_input(next))).collect();
    loop {
        let mut changed = false;
        for (base, next) in next.iter().enumerate() {
            if let Some(next) = next
                && clock[base]
                && !net.support(*next).all(|other| clock[other as usize])
            {
                clock[base] = false;
                changed = true;
            }
        }
        if !changed {
            return clock;
        }
    }
}

/// The turns as they come up from a state on; none where there is only one.
pub(super) fn turns(net: &Net, state: &[bool], meter: &mut Meter) -> Result<Vec<Turn>, LimitError> {
    let clock = clock(net);
    let mut bases = Vec::new();
    for group in groups(net, &clock) {
        if !round(net, state, &group, meter)?.is_empty() {
            bases.extend(group);
        }
    }
    // What nothing depends on tells no turns apart.
    bases.retain(|&base| net.own_value(base).is_some());
    bases.sort_unstable();
    let turns = round(net, state, &bases, meter)?;
    Ok(if turns.len() > 1 { turns } else { Vec::new() })
}

/// Bases of the clock that depend on each other.
fn groups(net: &Net, clock: &[bool]) -> Vec<Vec<u32>> {
    let mut parts = UnionFind::new(clock.len());
    let running = || (0u32..).zip(&net.next).filter(|(base, _)| clock[*base as usize]);
    for (base, next) in running() {
        parts.join_all(std::iter::once(base).chain(next.iter().flat_map(|&next| net.support(next))));
    }
    let mut groups: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (base, _) in running() {
        groups.entry(parts.root(base)).or_default().push(base);
    }
    groups.into_values().collect()
}

/// The values that bases have that depend on nothing else, each once; none if there are too many.
fn round(net: &Net, state: &[bool], bases: &[u32], meter: &mut Meter) -> Result<Vec<Turn>, LimitError> {
    let mut turn: Turn = bases.iter().map(|&base| (base, state[base as usize])).collect();
    let mut turns: Vec<Turn> = Vec::new();
    while !turns.contains(&turn) {
        if turns.len() == MOST_TURNS {
            return Ok(Vec::new());
        }
        let values =
            turn.iter().filter_map(|&(base, value)| Some((net.own_value(base)?.gate(), value))).collect();
        turns.push(turn);
        let mut given: FxHashMap<_, _> = values;
        let mut next = Turn::with_capacity(bases.len());
        for &base in bases {
            let value = net.next[base as usize].is_some_and(|next| net.evaluate(next, &mut given));
            next.push((base, value));
        }
        meter.spend(given.len() as u64)?;
        turn = next;
    }
    Ok(turns)
}
