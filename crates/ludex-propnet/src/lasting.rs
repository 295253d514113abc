//! What stays as it is: values that no course of the game can change any more.
//!
//! All bases start with the value they have in a state, all inputs and variables of loops as false.
//! Whatever can get another value becomes unknown, and so does what depends on it, until nothing
//! changes: an input once its legality is not constantly false, a base once its next value is not
//! constantly its first one, a variable once its definition is not constantly false. What is then still
//! known is so in the state and in every state that can follow, by induction over the steps of a match.
//! (This is constant propagation as compilers do it, see Wegman and Zadeck, "Constant propagation with
//! conditional branches", 1991, over three values.)

use ludex_logic::{Csr, LimitError, Meter};

use crate::passes::cones::{Reader, followed, readers_of};
use crate::{Circuit, Edge, Gate, GateId};

/// Finds what lasts, from any state of one circuit. Made once for a circuit, asked for many states.
#[derive(Debug)]
pub struct Lasting {
    /// Who reads each gate.
    readers: Csr<Reader>,
    /// Sources with the edges they follow.
    sources: Vec<(GateId, Edge)>,
}

impl Lasting {
    /// For one circuit; the other functions are to be given the same one.
    pub fn new(circuit: &Circuit) -> Self {
        Self { readers: readers_of(circuit), sources: followed(circuit) }
    }

    /// Per gate the value it has in a state and in all states that can follow, where there is one.
    ///
    /// `state` says what is known of the bases in the state. A base that is `pinned` keeps the value it
    /// has there; whoever pins it has proved that.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn from(
        &self,
        circuit: &Circuit,
        state: impl Fn(u32) -> Option<bool>,
        pinned: impl Fn(u32) -> bool,
        meter: &mut Meter,
    ) -> Result<Vec<Option<bool>>, LimitError> {
        let mut spreading = Spreading::new(self, circuit, &state);
        for (index, gate) in circuit.gates.iter().enumerate() {
            if matches!(gate, Gate::Base(base) if state(*base).is_none()) {
                spreading.raise(GateId(index as u32));
            }
        }
        for &(source, edge) in &self.sources {
            if spreading.of(edge) != spreading.value[source.index()] {
                spreading.raise_unless(circuit, source, &pinned);
            }
        }
        while let Some((gate, former)) = spreading.news.pop() {
            let readers = &self.readers[gate.index()];
            meter.spend(1 + readers.len() as u64)?;
            for reader in readers {
                let count = &mut spreading.false_operands[reader.gate.index()];
                if reader.is_and && former == reader.complemented {
                    *count -= 1;
                }
                if *count == 0 {
                    spreading.raise_unless(circuit, reader.gate, &pinned);
                }
            }
        }
        // A variable starts as false, and is true in the end if its definition always is.
        for feedback in circuit.loops.iter().flat_map(|l| &l.feedback) {
            if spreading.of(feedback.definition) == Some(true) {
                spreading.value[feedback.gate.index()] = Some(true);
            }
        }
        Ok(spreading.value)
    }
}

/// Spreads the word that gates have become unknown.
struct Spreading {
    value: Vec<Option<bool>>,
    /// Per and-gate the operands known to be false.
    false_operands: Vec<u32>,
    /// Gates that have become unknown and whose readers do not know it yet, with their former value.
    news: Vec<(GateId, bool)>,
}

impl Spreading {
    fn new(lasting: &Lasting, circuit: &Circuit, state: &impl Fn(u32) -> Option<bool>) -> Self {
        let count = circuit.gates.len();
        let news = Vec::with_capacity(lasting.sources.len());
        let mut this = Self { value: vec![Some(false); count], false_operands: vec![0; count], news };
        for (index, gate) in circuit.gates.iter().enumerate() {
            this.value[index] = match gate {
                Gate::False | Gate::Input(..) | Gate::Feedback(_) => Some(false),
                Gate::Base(base) => Some(state(*base).unwrap_or(false)),
                Gate::And(edges) => {
                    let count = edges.iter().filter(|e| this.of(**e) == Some(false)).count() as u32;
                    this.false_operands[index] = count;
                    Some(count == 0)
                }
            };
        }
        this
    }

    fn of(&self, edge: Edge) -> Option<bool> {
        self.value[edge.gate().index()].map(|value| value != edge.is_complemented())
    }

    fn raise_unless(&mut self, circuit: &Circuit, gate: GateId, pinned: &impl Fn(u32) -> bool) {
        let stays = matches!(&circuit.gates[gate.index()], Gate::Base(base) if pinned(*base));
        if !stays {
            self.raise(gate);
        }
    }

    fn raise(&mut self, gate: GateId) {
        if let Some(value) = self.value[gate.index()].take() {
            self.news.push((gate, value));
        }
    }
}
