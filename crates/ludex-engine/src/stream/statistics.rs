//! How large a stream is.

use ludex_logic::TermId;

use super::{Operation, Output, Phase, Slot, Step, Stream};

/// Numbers about a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct StreamStatistics {
    /// Operations of `decide`; those of a recursion count once.
    pub decide: usize,
    /// Operations of `advance`.
    pub advance: usize,
    /// Operations of `assess`.
    pub assess: usize,
    /// Recursions in all phases.
    pub recursions: usize,
    /// Slots, each 64 bytes at 512 lanes.
    pub slots: usize,
    /// Slots that operations share: the most values between operations that live at one time.
    pub scratch: usize,
}

impl Stream {
    /// How large the stream is.
    pub fn statistics(&self) -> StreamStatistics {
        let inputs = self.inputs.iter().flatten().flatten().count();
        let fixed = 2 + self.bases.len() + inputs;
        let steps = [&self.decide, &self.advance, &self.assess].into_iter().flat_map(|phase| &phase.steps);
        StreamStatistics {
            decide: operations(&self.decide),
            advance: operations(&self.advance),
            assess: operations(&self.assess),
            recursions: steps.filter(|step| matches!(step, Step::Fixpoint(_))).count(),
            slots: self.slots as usize,
            scratch: (self.slots as usize).saturating_sub(fixed),
        }
    }
}

impl Stream {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let steps = [&self.decide, &self.advance, &self.assess].into_iter().flat_map(|phase| &phase.steps);
        let feedback = steps.map(|step| match step {
            Step::Straight(_) => 0,
            Step::Fixpoint(recursion) => recursion.feedback.len(),
        });
        let counts = self.statistics();
        let moves: usize = self.inputs.iter().map(Vec::len).sum();
        let named = self.goals.iter().map(Vec::len).chain(self.percepts.iter().map(Vec::len)).sum::<usize>();
        (counts.decide + counts.advance + counts.assess) * size_of::<Operation>()
            + feedback.sum::<usize>() * size_of::<(Slot, Output)>()
            + self.bases.len() * (size_of::<Slot>() + size_of::<Output>() + 1)
            + moves * (size_of::<Option<Slot>>() + size_of::<Output>())
            + named * size_of::<(TermId, Output)>()
    }
}

fn operations(phase: &Phase) -> usize {
    let count = |step: &Step| match step {
        Step::Straight(operations) => operations.len(),
        Step::Fixpoint(fixpoint) => fixpoint.body.len(),
    };
    phase.steps.iter().map(count).sum()
}
