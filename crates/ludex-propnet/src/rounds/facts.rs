//! What is known of each gate at each turn.

use ludex_logic::{LimitError, Meter};

use super::{Rounds, Target};
use crate::circuit::ternary_and;
use crate::{Circuit, Edge, Gate, GateId};

/// A state that a match can be in at one turn of a round.
#[derive(Clone, Copy, Debug)]
pub struct RoundStart<'s> {
    /// The turn, from 0.
    pub turn: usize,
    /// The stored bases, 64 to a word, lowest first.
    pub words: &'s [u64],
}

impl RoundStart<'_> {
    fn base(&self, base: usize) -> bool {
        self.words.get(base / 64).is_some_and(|word| word >> (base % 64) & 1 == 1)
    }
}

/// What holds at each turn of a round in some states and in all that can follow them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundFacts {
    pub(super) turns: usize,
    /// Per turn and gate its value, where it always has the same.
    pub(super) values: Vec<Option<bool>>,
    pub(super) gates: usize,
}

impl RoundFacts {
    /// How many turns a round has.
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// The value that an edge always has at a turn, where there is one.
    pub fn value(&self, turn: usize, edge: Edge) -> Option<bool> {
        let value = self.values[turn * self.gates + edge.gate().index()];
        value.map(|value| value != edge.is_complemented())
    }

    /// Per base the value it always has at a turn, where there is one.
    pub fn bases(&self, circuit: &Circuit, turn: usize) -> Vec<Option<bool>> {
        let mut found = vec![None; circuit.bases.len()];
        for (gate, value) in circuit.gates.iter().zip(&self.values[turn * self.gates..]) {
            if let Gate::Base(base) = gate
                && let Some(place) = found.get_mut(*base as usize)
            {
                *place = *value;
            }
        }
        found
    }

    /// Whether a state tells its turn: any two turns differ in a base that is known in both.
    pub fn tells_turns(&self, circuit: &Circuit) -> bool {
        let turns: Vec<_> = (0..self.turns).map(|turn| self.bases(circuit, turn)).collect();
        let differ = |a: &[Option<bool>], b: &[Option<bool>]| {
            a.iter().zip(b).any(|pair| matches!(pair, (Some(a), Some(b)) if a != b))
        };
        turns.iter().enumerate().all(|(at, a)| turns[at + 1..].iter().all(|b| differ(a, b)))
    }
}

impl Rounds {
    /// What holds at each turn of a round of so many turns in these states, of which there must be one,
    /// and in all that can follow them, by whichever moves. A move counts as made where it is the only
    /// one of its role that can be legal.
    ///
    /// # Errors
    /// When the budget is spent. The work is the number of operands for each turn.
    pub fn facts(
        &self,
        circuit: &Circuit,
        turns: usize,
        starts: &[RoundStart<'_>],
        meter: &mut Meter,
    ) -> Result<RoundFacts, LimitError> {
        let mut spreading = Spreading::new(self, circuit, turns.max(1));
        let Some(first) = starts.first() else {
            let values = vec![None; spreading.values.len()];
            return Ok(RoundFacts { turns: spreading.turns, values, gates: spreading.gates });
        };
        let mut turn = first.turn % spreading.turns;
        let mut state: Vec<_> = (0..circuit.bases.len()).map(|base| Some(first.base(base))).collect();
        for _ in 0..spreading.turns {
            meter.spend(2 * circuit.operand_count() as u64)?;
            spreading.evaluate(turn, &state);
            let next = circuit.bases.iter().map(|base| spreading.of(turn, base.next));
            state = next.collect();
            turn = (turn + 1) % spreading.turns;
        }
        // What comes after the last turn may differ from the start, and so may other starts.
        spreading.meet(turn, |base| state[base]);
        for start in &starts[1..] {
            spreading.meet(start.turn % turns.max(1), |base| Some(start.base(base)));
        }
        spreading.spread(meter)?;
        Ok(spreading.finish())
    }
}

/// Spreads the word that gates have become unknown.
struct Spreading<'r> {
    rounds: &'r Rounds,
    circuit: &'r Circuit,
    turns: usize,
    gates: usize,
    /// By turn and gate.
    values: Vec<Option<bool>>,
    /// By turn and gate: operands of and-gates that are known to be false.
    false_operands: Vec<u32>,
    /// By turn and role: the moves that may be legal, and the input of the only one.
    possible: Vec<(u32, Option<GateId>)>,
    /// Gates that have become unknown and whose readers do not know it yet, with their former value.
    news: Vec<(u32, GateId, bool)>,
}

impl<'r> Spreading<'r> {
    fn new(rounds: &'r Rounds, circuit: &'r Circuit, turns: usize) -> Self {
        let gates = circuit.gates.len();
        Self {
            rounds,
            circuit,
            turns,
            gates,
            values: vec![None; turns * gates],
            false_operands: vec![0; turns * gates],
            possible: vec![(0, None); turns * circuit.legal.len()],
            news: Vec::new(),
        }
    }

    fn of(&self, turn: usize, edge: Edge) -> Option<bool> {
        let value = self.values[turn * self.gates + edge.gate().index()];
        value.map(|value| value != edge.is_complemented())
    }

    /// Works out a turn from what is known of its bases; variables count as false until their definitions
    /// say otherwise.
    fn evaluate(&mut self, turn: usize, state: &[Option<bool>]) {
        self.sweep(turn, state);
        let roles = self.circuit.legal.len();
        for (role, legal) in self.circuit.legal.iter().enumerate() {
            let inputs = &self.rounds.inputs[role];
            let mut possible = (0, None);
            for (&edge, &input) in legal.iter().zip(inputs) {
                if self.of(turn, edge) == Some(false) {
                    if let Some(input) = input {
                        self.values[turn * self.gates + input.index()] = Some(false);
                    }
                } else {
                    possible = (possible.0 + 1, input);
                }
            }
            if let (1, Some(only)) = possible {
                self.values[turn * self.gates + only.index()] = Some(true);
            }
            self.possible[turn * roles + role] = (possible.0, possible.1.filter(|_| possible.0 == 1));
        }
        self.sweep(turn, state);
        for &(variable, definition) in &self.rounds.variables {
            if self.of(turn, definition) != Some(false) {
                self.raise(turn, variable);
            }
        }
    }

    /// Works out the gates of a turn; inputs keep what is known of them.
    fn sweep(&mut self, turn: usize, state: &[Option<bool>]) {
        let first = turn * self.gates;
        for (at, gate) in self.circuit.gates.iter().enumerate() {
            let values = &mut self.values[first..];
            values[at] = match gate {
                Gate::False | Gate::Feedback(_) => Some(false),
                Gate::Base(base) => state.get(*base as usize).copied().flatten(),
                Gate::Input(..) => values[at],
                Gate::And(edges) => {
                    let of = |edge: &Edge| values[edge.gate().index()].map(|v| v != edge.is_complemented());
                    let false_operands = edges.iter().filter(|edge| of(edge) == Some(false)).count();
                    self.false_operands[first + at] = false_operands as u32;
                    ternary_and(edges, |gate| values[gate.index()])
                }
            };
        }
    }

    /// Lets a turn begin in another state, too.
    fn meet(&mut self, turn: usize, state: impl Fn(usize) -> Option<bool>) {
        for (base, gate) in self.rounds.bases.iter().enumerate() {
            let Some(gate) = *gate else { continue };
            let known = self.values[turn * self.gates + gate.index()];
            if known.is_some() && known != state(base) {
                self.raise(turn, gate);
            }
        }
    }

    fn raise(&mut self, turn: usize, gate: GateId) {
        if let Some(former) = self.values[turn * self.gates + gate.index()].take() {
            self.news.push((turn as u32, gate, former));
        }
    }

    fn spread(&mut self, meter: &mut Meter) -> Result<(), LimitError> {
        let rounds = self.rounds;
        while let Some((turn, gate, former)) = self.news.pop() {
            let turn = turn as usize;
            let readers = &rounds.readers[gate.index()];
            meter.spend(1 + readers.len() as u64)?;
            for reading in readers {
                let was = former != reading.complemented;
                match reading.target {
                    Target::And(and) => {
                        let count = &mut self.false_operands[turn * self.gates + and.index()];
                        *count -= u32::from(!was);
                        if *count == 0 {
                            self.raise(turn, and);
                        }
                    }
                    Target::Base(base) => self.raise((turn + 1) % self.turns, base),
                    Target::Variable(variable) => self.raise(turn, variable),
                    Target::Legal(role, number) if !was => self.allow(turn, role as usize, number as usize),
                    Target::Legal(..) => {}
                }
            }
        }
        Ok(())
    }

    /// Notes that a move that could not be legal may be so.
    fn allow(&mut self, turn: usize, role: usize, number: usize) {
        let (count, only) = &mut self.possible[turn * self.circuit.legal.len() + role];
        *count += 1;
        let other = only.take();
        for input in self.rounds.inputs[role][number].into_iter().chain(other) {
            self.raise(turn, input);
        }
    }

    fn finish(mut self) -> RoundFacts {
        // A variable starts as false, and is true in the end if its definition always is.
        for turn in 0..self.turns {
            for &(variable, definition) in &self.rounds.variables {
                if self.of(turn, definition) == Some(true) {
                    self.values[turn * self.gates + variable.index()] = Some(true);
                }
            }
        }
        RoundFacts { turns: self.turns, values: self.values, gates: self.gates }
    }
}
