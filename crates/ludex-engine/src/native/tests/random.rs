//! Streams at random that keep the promises of the type.

use crate::{Fixpoint, Operation, Operator, Output, Phase, Slot, Step, Stream};

/// A generator of numbers (SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014).
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    /// The next 64 bits.
    pub(super) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.word() % end.max(1) as u64) as usize
    }

    /// Whether an event of this probability in percent happens.
    pub(super) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What a random stream is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knobs {
    pub(super) bases: usize,
    pub(super) moves: usize,
    pub(super) scratch: usize,
    /// Operations of a phase, at most.
    pub(super) operations: usize,
    /// The chance in percent that an operand is one of the last few results.
    pub(super) locality: usize,
    /// Recursions of a phase, at most.
    pub(super) fixpoints: usize,
}

/// A random stream.
pub(super) fn stream(numbers: &mut Numbers, knobs: &Knobs) -> Stream {
    let bases: Vec<Slot> = (0..knobs.bases).map(|index| Slot(2 + index as u32)).collect();
    let first_input = 2 + knobs.bases as u32;
    let inputs: Vec<Slot> = (0..knobs.moves).map(|index| Slot(first_input + index as u32)).collect();
    let mut maker = Maker {
        numbers,
        knobs,
        first_scratch: first_input + knobs.moves as u32,
        readable: bases.clone(),
        recent: Vec::new(),
        writes_bases: false,
    };
    let decide = maker.phase();
    let legal = vec![maker.outputs(knobs.moves)];
    let terminal = maker.output();
    maker.readable.extend(&inputs);
    maker.writes_bases = true;
    let advance = maker.phase();
    maker.writes_bases = false;
    let next = bases.iter().map(|&slot| Output { slot, complemented: false }).collect();
    let percepts = vec![maker.outputs(2).into_iter().map(|output| (term(), output)).collect()];
    maker.readable = bases.clone();
    maker.recent.clear();
    let assess = maker.phase();
    let goals = vec![maker.outputs(3).into_iter().map(|output| (0, output)).collect()];
    Stream {
        slots: first_input + (knobs.moves + knobs.scratch) as u32,
        initial: vec![false; bases.len()],
        bases,
        inputs: vec![inputs.into_iter().map(Some).collect()],
        decide,
        advance,
        assess,
        legal,
        terminal,
        next,
        goals,
        percepts,
    }
}

fn term() -> ludex_logic::TermId {
    ludex_logic::Terms::default().constant("seen")
}

struct Maker<'a> {
    numbers: &'a mut Numbers,
    knobs: &'a Knobs,
    first_scratch: u32,
    /// Slots with a value that may be read.
    readable: Vec<Slot>,
    /// The last few slots written.
    recent: Vec<Slot>,
    writes_bases: bool,
}

impl Maker<'_> {
    fn phase(&mut self) -> Phase {
        let mut steps = vec![Step::Straight(self.straight())];
        for _ in 0..self.numbers.below(self.knobs.fixpoints + 1) {
            let fixpoint = self.fixpoint();
            steps.push(Step::Fixpoint(fixpoint));
            steps.push(Step::Straight(self.straight()));
        }
        Phase { steps }
    }

    fn straight(&mut self) -> Vec<Operation> {
        let length = self.numbers.below(self.knobs.operations + 1);
        (0..length)
            .map(|_| {
                let (a, b) = (self.operand(), self.operand());
                let to = match self.knobs.bases {
                    bases if self.writes_bases && bases > 0 && self.numbers.percent(20) => {
                        Slot(2 + self.numbers.below(bases) as u32)
                    }
                    _ => self.scratch(),
                };
                self.written(to);
                Operation { operator: self.operator(), to, a, b }
            })
            .collect()
    }

    /// A recursion whose body writes only slots that it does not read from before.
    fn fixpoint(&mut self) -> Fixpoint {
        let mut own: Vec<Slot> = (0..10).map(|_| self.scratch()).collect();
        own.sort_unstable();
        own.dedup();
        self.readable.retain(|slot| !own.contains(slot));
        self.recent.retain(|slot| !own.contains(slot));
        let variables = own.split_off(own.len() / 2);
        let (mut body, mut positive) = (Vec::new(), variables.clone());
        for _ in 0..self.numbers.below(20) {
            let a = positive[self.numbers.below(positive.len())];
            let (operator, b) = match self.numbers.below(4) {
                0 => (Operator::And, self.operand()),
                1 => (Operator::AndNot, self.operand()),
                2 => (Operator::Or, self.operand()),
                _ => (Operator::Or, positive[self.numbers.below(positive.len())]),
            };
            let Some(&to) = own.get(self.numbers.below(own.len())) else { break };
            body.push(Operation { operator, to, a, b });
            if !positive.contains(&to) {
                positive.push(to);
            }
        }
        let definition = |slot| Output { slot, complemented: false };
        let feedback: Vec<(Slot, Output)> = variables
            .iter()
            .map(|&variable| (variable, definition(positive[self.numbers.below(positive.len())])))
            .collect();
        for slot in positive {
            self.written(slot);
        }
        Fixpoint { feedback, body }
    }

    fn operator(&mut self) -> Operator {
        [Operator::And, Operator::Or, Operator::AndNot][self.numbers.below(3)]
    }

    fn scratch(&mut self) -> Slot {
        Slot(self.first_scratch + self.numbers.below(self.knobs.scratch) as u32)
    }

    fn operand(&mut self) -> Slot {
        if !self.recent.is_empty() && self.numbers.percent(self.knobs.locality) {
            return self.recent[self.numbers.below(self.recent.len())];
        }
        match self.readable.len() {
            0 => Slot(1),
            _ if self.numbers.percent(1) => Slot(self.numbers.below(2) as u32),
            length => self.readable[self.numbers.below(length)],
        }
    }

    fn written(&mut self, slot: Slot) {
        // The list of all readable slots may name a slot twice; that only makes it likelier.
        self.readable.push(slot);
        self.recent.retain(|&other| other != slot);
        self.recent.push(slot);
        if self.recent.len() > 12 {
            self.recent.remove(0);
        }
    }

    fn output(&mut self) -> Output {
        Output { slot: self.operand(), complemented: self.numbers.percent(30) }
    }

    fn outputs(&mut self, count: usize) -> Vec<Output> {
        (0..count).map(|_| self.output()).collect()
    }
}
