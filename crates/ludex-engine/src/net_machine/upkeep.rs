//! Which operands of a gate are counted, and which are only read when all that are counted hold.
//!
//! A counted operand costs something whenever it flips. One that is only read costs nothing until all
//! that are counted hold, and then a look in each step. Which is cheaper differs from gate to gate: of
//! "the tenth move is made, and this stone joins a chain" one operand is true in one step of a game and
//! the other flips all the time. So random games are played on the circuit, 64 at a time, flips of each
//! gate are counted and its values sampled, and each gate counts the operands with which it costs least.
//! Nothing is timed: the choice is always the same.
//!
//! This is the choice of watched literals of SAT solvers (Moskewicz et al., "Chaff", DAC 2001), made once.

use ludex_logic::Budget;
use ludex_propnet::{Circuit, Edge, Gate, GateId, RandomGames, Stage};
use smallvec::SmallVec;

use super::guards::Guards;

/// What telling a counted operand's gate of a flip costs; see also [`circuit_selection`](super::circuit_selection).
const TELL: f64 = 2.0;
/// What looking at a gate costs whose counted operands all hold: more than where work is counted, since what
/// random games have not shown is looked at, too.
const LOOK: f64 = 16.0;
/// What reading an operand costs of a gate that is listed with its move.
const READ: f64 = 1.0;
/// What a gate's own flip costs.
const FLIP: f64 = 8.0;
/// Gates with more operands to be counted than this count all.
const MOST_COUNTED: usize = 3;
/// Steps of each game that are looked at, and how many gates are worked out in all at most.
const STEPS: usize = 128;
const MOST_GATES: usize = 1 << 24;
const FEWEST_STEPS: usize = 16;
/// Words of values kept for each gate, and for all at most.
const WORDS: usize = 8;
const MOST_WORDS: usize = 1 << 22;
/// Flips that each gate is taken to have made besides those seen.
const UNSEEN: f64 = 0.25;

/// How a gate comes to be right after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Upkeep {
    /// It counts all operands.
    All,
    /// It counts these operands, and reads the others.
    Some(SmallVec<[Edge; MOST_COUNTED]>),
    /// It counts nothing: it is looked at when the move is made that is one of its operands, and no other
    /// operand depends on moves.
    WithMove,
}

/// What gates did in random games.
pub(super) struct Habits {
    /// Steps of all games.
    steps: f64,
    /// Per gate.
    flips: Vec<u32>,
    /// Per gate, `words` for each: whether it holds, at steps spread over the games.
    values: Vec<u64>,
    words: usize,
}

impl Habits {
    /// Plays random games. `guards` have to hold besides the legal moves of the circuit. `None` where recursions
    /// may take too many rounds.
    pub(super) fn watch(circuit: &Circuit, guards: &Guards) -> Option<Self> {
        let rounds = rounds_of_gates(circuit);
        if rounds > MOST_GATES {
            return None;
        }
        let circuit = guarded(circuit, guards);
        let gates = circuit.gates.len().max(1);
        let words = (MOST_WORDS / gates).clamp(1, WORDS);
        // Each word gets a few of the games from each of these many steps.
        let steps = (MOST_GATES / (gates + rounds)).clamp(FEWEST_STEPS, STEPS);
        let block = steps.div_ceil(words).next_power_of_two().min(64);
        let mut games = RandomGames::new(&circuit, 1);
        let mut habits = Self { steps: 0.0, flips: vec![0; gates], values: vec![0; gates * words], words };
        let mut before = vec![0; gates];
        let mut meter = Budget::unlimited().meter();
        for step in 0..words * block {
            // Without limits there is nothing to be said.
            let Ok(went_on) = games.advance(&mut meter) else { break };
            habits.steps += f64::from(went_on.count_ones());
            let sampled =
                (0..64).filter(|game| game % block == step % block).fold(0, |all, game| all | 1 << game);
            for (gate, before) in before.iter_mut().enumerate() {
                let value = games.value(Edge::new(GateId(gate as u32), false));
                habits.flips[gate] += ((value ^ *before) & went_on).count_ones();
                habits.values[gate * words + step / block] |= value & sampled;
                *before = value;
            }
        }
        Some(habits)
    }

    /// Flips of a gate for each step.
    fn flips(&self, gate: GateId) -> f64 {
        (f64::from(self.flips[gate.index()]) + UNSEEN) / (self.steps + 1.0)
    }

    fn values(&self, edge: Edge) -> impl Iterator<Item = u64> {
        let all = if edge.is_complemented() { u64::MAX } else { 0 };
        let first = edge.gate().index() * self.words;
        self.values[first..first + self.words].iter().map(move |&value| value ^ all)
    }

    /// The way in which a gate costs least. One that `merges` with an output need not flip if it counts all; with
    /// a `made` move it can be looked at when that is made.
    pub(super) fn cheapest(
        &self,
        gate: GateId,
        operands: &[Edge],
        merges: bool,
        made: Option<Edge>,
    ) -> Upkeep {
        let tell = |edge: &Edge| TELL * self.flips(edge.gate());
        let all: f64 = operands.iter().map(tell).sum();
        let own = if merges { self.flips(gate) * (FLIP + TELL) } else { 0.0 };
        let mut best = (all, Upkeep::All);
        let mut chosen: SmallVec<[Edge; MOST_COUNTED]> = SmallVec::new();
        let mut hold = vec![u64::MAX; self.words];
        let mut told = own;
        for _ in 0..MOST_COUNTED.min(operands.len().saturating_sub(1)) {
            let cost = |edge: Edge| {
                let ones: u32 = self.values(edge).zip(&hold).map(|(a, b)| (a & b).count_ones()).sum();
                told + tell(&edge) + LOOK * f64::from(ones) / (64 * self.words) as f64
            };
            let rest = operands.iter().filter(|edge| !chosen.contains(edge));
            let costs = rest.map(|&edge| (cost(edge), edge));
            let Some((cost, edge)) = costs.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            chosen.push(edge);
            told += tell(&edge);
            hold.iter_mut().zip(self.values(edge)).for_each(|(hold, value)| *hold &= value);
            if cost < best.0 {
                best = (cost, Upkeep::Some(chosen.clone()));
            }
        }
        if let Some(made) = made {
            // A move that is made flips twice.
            let reads = READ * operands.len() as f64 * self.flips(made.gate()) / 2.0;
            if own + reads < best.0 {
                return Upkeep::WithMove;
            }
        }
        best.1
    }
}

/// How many gates of recursions are worked out at most where all are once: those of each as often as it has variables.
fn rounds_of_gates(circuit: &Circuit) -> usize {
    let of_stage = |stage: &Stage| {
        let rounds = stage.loop_number().map_or(0, |number| circuit.loops[number as usize].feedback.len());
        rounds.saturating_mul(stage.gates().len())
    };
    circuit.schedule().iter().map(of_stage).fold(0, usize::saturating_add)
}

/// The circuit with the guards in its legal moves. The gates that it had keep their numbers.
fn guarded(circuit: &Circuit, guards: &Guards) -> Circuit {
    let mut circuit = circuit.clone();
    for (legal, guards) in circuit.legal.iter_mut().zip(guards) {
        for (edge, &guard) in legal.iter_mut().zip(guards).filter(|(_, guard)| **guard != Edge::TRUE) {
            circuit.gates.push(Gate::And([*edge, guard].into()));
            *edge = Edge::new(GateId(circuit.gates.len() as u32 - 1), false);
        }
    }
    circuit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::sample::{Size, random_circuit};

    /// Base 0 changes in every step; base 1 never does, and does not hold.
    fn habits() -> (Habits, [Edge; 3]) {
        let size = Size { bases: 2, moves: 1, gates: 0, loops: 0, operands: 2 };
        let mut circuit = random_circuit(&mut ludex_game::Rng::from_seed(1), size);
        let edges = [1, 2].map(|gate| Edge::new(GateId(gate), false));
        circuit.terminal = Edge::FALSE;
        circuit.legal.iter_mut().flatten().for_each(|edge| *edge = Edge::TRUE);
        circuit.bases.iter_mut().for_each(|base| base.initial = false);
        (circuit.bases[0].next, circuit.bases[1].next) = (!edges[0], edges[1]);
        circuit.gates.push(Gate::And(edges.into()));
        let both = Edge::new(GateId(circuit.gates.len() as u32 - 1), false);
        circuit.percepts.iter_mut().for_each(Vec::clear);
        let guards = circuit.legal.iter().map(|legal| vec![Edge::TRUE; legal.len()]).collect();
        (Habits::watch(&circuit, &guards).unwrap(), [edges[0], edges[1], both])
    }

    #[test]
    fn what_never_holds_is_counted_and_what_flips_is_read() {
        let (habits, [flips, never, both]) = habits();
        let upkeep = habits.cheapest(both.gate(), &[flips, never], false, None);
        assert_eq!(upkeep, Upkeep::Some([never].into_iter().collect()));
    }

    #[test]
    fn what_always_holds_is_no_use_to_count_alone() {
        let (habits, [flips, never, both]) = habits();
        assert_eq!(habits.cheapest(both.gate(), &[flips, !never], false, None), Upkeep::All);
    }
}
