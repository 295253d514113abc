//! States of random playouts, to refute wrong guesses with.

use ludex_logic::{LimitError, Meter};

use super::types::Effort;
use crate::{Circuit, RandomGames};

/// Words of samples kept at most, over all bases.
const MOST_WORDS: u64 = 1 << 22;
/// Steps that are made however large the circuit is.
const FEWEST_STEPS: u64 = 4;

/// Sampled reachable states: per base one bit for each state.
pub(super) struct Samples {
    words: usize,
    rows: Vec<u64>,
}

impl Samples {
    /// Plays 64 random playouts at a time from the initial state; those that end start anew.
    pub(super) fn draw(circuit: &Circuit, effort: &Effort, meter: &mut Meter) -> Result<Self, LimitError> {
        let gates = circuit.gates.len().max(1) as u64;
        let bases = circuit.bases.len();
        let words = u64::from(effort.sample_steps)
            .min(effort.sample_gates / gates)
            .min(MOST_WORDS / (bases.max(1) as u64))
            .max(FEWEST_STEPS) as usize;
        meter.check_memory(bases * words * 8, || "sampled states".to_owned())?;
        let mut games = RandomGames::new(circuit, effort.seed);
        let mut rows = vec![0; bases * words];
        for word in 0..words {
            for (base, &value) in games.coming().iter().enumerate() {
                rows[base * words + word] = value;
            }
            if word + 1 < words {
                games.advance(meter)?;
            }
        }
        Ok(Self { words, rows })
    }

    /// The number of states, repetitions included.
    pub(super) fn states(&self) -> u64 {
        self.words as u64 * 64
    }

    /// The number of words in each row.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The values of a base in all states.
    pub(super) fn row(&self, base: u32) -> &[u64] {
        &self.rows[base as usize * self.words..][..self.words]
    }
}
