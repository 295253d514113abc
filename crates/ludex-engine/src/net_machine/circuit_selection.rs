//! Which of several circuits of a game is the cheapest to run.
//!
//! Gates for shared parts of other gates save operands but lengthen the way of a change; which of the
//! two counts for more depends on the game. So the circuits are laid out, the same random games are
//! played on each, and the work is counted. Nothing is timed: the choice is always the same.

use ludex_game::Rng;
use ludex_propnet::Circuit;

use super::build::{Layout, build};
use super::marking::Marking;
use super::runner::positions;
use super::state_words;
use super::wiring::{NONE, Wiring};

/// How many steps are played.
const STEPS: u32 = 256;
/// What a flip costs, where telling one consumer costs 2.
const FLIP: u64 = 8;
/// What telling a consumer costs.
const TELL: u64 = 2;
/// What looking at a gate costs whose counted operands all hold.
const LOOK: u64 = 8;
/// What looking through a word of bits costs.
const WORD: u64 = 1;
/// A circuit with this many times the operations of another is not worth playing.
const HOPELESS: usize = 8;

/// The cheaper of two circuits of one game, the first where they are alike.
pub(super) struct Cheaper {
    pub(super) is_second: bool,
    pub(super) layout: Layout,
    /// The work of a step on it.
    pub(super) work: u64,
}

/// Lays out both circuits and plays on them, but not on one that is far larger than the other.
pub(super) fn cheaper(first: &Circuit, second: &Circuit) -> Cheaper {
    let (ours, theirs) = (first.operation_count(), second.operation_count());
    let weighed = |circuit: &Circuit, is_second| {
        let layout = build(circuit);
        Cheaper { is_second, work: work(circuit, &layout), layout }
    };
    let one = (ours / HOPELESS <= theirs).then(|| weighed(first, false));
    let other = (theirs / HOPELESS <= ours && first.gates != second.gates).then(|| weighed(second, true));
    match (one, other) {
        (Some(one), Some(other)) if other.work < one.work => other,
        (Some(one), _) => one,
        (None, other) => other.unwrap_or_else(|| weighed(second, true)),
    }
}

/// The work of a step in some random games.
fn work(circuit: &Circuit, (wiring, blank): &Layout) -> u64 {
    if wiring.recursions.is_empty() {
        play::<false>(circuit, wiring, blank.clone())
    } else {
        play::<true>(circuit, wiring, blank.clone())
    }
}

fn play<const LOOPS: bool>(circuit: &Circuit, wiring: &Wiring, mut start: Marking) -> u64 {
    let words = state_words(circuit, |base| base.initial);
    start.go_to(wiring, &words);
    let costs: Vec<u64> =
        (0..wiring.nodes).map(|node| FLIP + TELL * wiring.consumers[node].len() as u64).collect();
    let mut marking = start.clone();
    let mut values = marking.values.clone();
    let mut difference = vec![0; wiring.difference.len()];
    let mut rng = Rng::from_seed(1);
    let gate_words = (wiring.still.len() + wiring.moving.len()) / 64;
    let moves: usize = wiring.legal.iter().flatten().map(|group| group.words.len()).sum();
    let mut work = u64::from(STEPS) * WORD * (gate_words + moves + 3 * difference.len()) as u64;
    for _ in 0..STEPS {
        let moves = match marking.bit(wiring.terminal) {
            true => None,
            false => choose(circuit, wiring, &marking, &mut rng),
        };
        let Some(moves) = moves else {
            marking.copy_from(&start);
            values.copy_from_slice(&marking.values);
            continue;
        };
        marking.make::<LOOPS>(wiring, &moves);
        for &node in &moves {
            work += wiring.direct[node as usize - wiring.first_input].len() as u64;
        }
        work += LOOK * marking.reading.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        difference.copy_from_slice(&marking.bits[wiring.difference.clone()]);
        marking.flip_bases::<LOOPS>(wiring, &difference);
        marking.settle::<LOOPS>(wiring);
        for ((old, &new), cost) in values.iter_mut().zip(&marking.values).zip(&costs) {
            work += if *old == new { 0 } else { *cost };
            *old = new;
        }
    }
    work / u64::from(STEPS)
}

/// A random legal move of each role, as nodes; nothing where a role has none.
fn choose(circuit: &Circuit, wiring: &Wiring, marking: &Marking, rng: &mut Rng) -> Option<Vec<u32>> {
    let mut nodes = Vec::with_capacity(circuit.moves.len());
    for ((groups, moves), inputs) in wiring.legal.iter().zip(&circuit.moves).zip(&wiring.inputs) {
        let mut legal = vec![0; moves.len().div_ceil(64)];
        marking.find_legal(groups, &mut legal);
        let legal: Vec<usize> = positions(&legal).collect();
        let &position = rng.pick(&legal)?;
        nodes.extend(Some(inputs[position]).filter(|&node| node != NONE));
    }
    Some(nodes)
}

#[cfg(test)]
mod tests {
    use ludex_propnet::{Edge, Gate, GateId};

    use super::*;
    use crate::stream::sample::{Size, random_circuit};

    /// Two bases that change in every step, and nothing else.
    fn ticking() -> Circuit {
        let size = Size { bases: 2, moves: 60, gates: 0, loops: 0, operands: 2 };
        let mut circuit = random_circuit(&mut Rng::from_seed(1), size);
        circuit.terminal = Edge::FALSE;
        for (gate, base) in (1..).zip(&mut circuit.bases) {
            base.next = Edge::new(GateId(gate), true);
            base.initial = false;
        }
        circuit.legal.iter_mut().flatten().for_each(|edge| *edge = Edge::FALSE);
        circuit.legal.iter_mut().for_each(|legal| legal[0] = Edge::TRUE);
        circuit.percepts.iter_mut().flatten().for_each(|(_, edge)| *edge = Edge::FALSE);
        circuit
    }

    fn work(circuit: &Circuit) -> u64 {
        super::work(circuit, &build(circuit))
    }

    #[test]
    fn the_circuit_with_less_work_is_chosen() {
        let idle = ticking();
        let mut busy = idle.clone();
        busy.gates.push(Gate::And([Edge::new(GateId(1), false), Edge::new(GateId(2), false)].into()));
        let last = Edge::new(GateId(busy.gates.len() as u32 - 1), false);
        busy.legal[0][1..].fill(last);
        assert!(work(&busy) > work(&idle), "{} {}", work(&busy), work(&idle));
        assert!(cheaper(&busy, &idle).is_second);
        assert!(!cheaper(&idle, &busy).is_second);
        assert!(!cheaper(&idle, &idle).is_second);
    }

    #[test]
    fn games_without_moves_are_weighed() {
        let mut circuit = ticking();
        circuit.legal[0].fill(Edge::FALSE);
        assert!(work(&circuit) < work(&ticking()));
    }
}
