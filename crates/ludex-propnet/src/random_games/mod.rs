//! Random games on a circuit, 64 at a time, one bit of a word each: to refute guesses with, and to see what
//! happens how often.

mod lanes;

pub(crate) use lanes::Lanes;
use ludex_game::Rng;
use ludex_logic::{LimitError, Meter};

use crate::{Circuit, Edge};

/// 64 random games of a circuit, in step; those that end, or get stuck, start anew.
pub struct RandomGames<'c> {
    lanes: Lanes<'c>,
    rng: Rng,
    initial: Vec<u64>,
    /// Per base the games in whose next state it holds.
    next: Vec<u64>,
    /// The games that made a move.
    moved: u64,
}

impl<'c> RandomGames<'c> {
    /// Games that are still to begin.
    pub fn new(circuit: &'c Circuit, seed: u64) -> Self {
        let initial: Vec<u64> = circuit.bases.iter().map(|b| if b.initial { u64::MAX } else { 0 }).collect();
        let next = initial.clone();
        Self { lanes: Lanes::new(circuit), rng: Rng::from_seed(seed), initial, next, moved: 0 }
    }

    /// Goes to the next state of each game, from where its moves lead or to its beginning, and chooses moves
    /// there. Answers the games that went on, one bit each.
    ///
    /// # Errors
    /// What the meter says.
    pub fn advance(&mut self, meter: &mut Meter) -> Result<u64, LimitError> {
        let went_on = self.moved;
        self.lanes.set_state(&self.next, meter)?;
        self.moved = self.lanes.choose_moves(&mut self.rng, meter)?;
        self.lanes.evaluate_moves(meter)?;
        for (base, next) in self.next.iter_mut().enumerate() {
            *next = (self.lanes.next(base as u32) & self.moved) | (self.initial[base] & !self.moved);
        }
        Ok(went_on)
    }

    /// The value of an edge in every game, in its state and with the moves chosen there.
    pub fn value(&self, edge: Edge) -> u64 {
        self.lanes.value(edge)
    }

    /// The games in which a base holds, for the next call of [`advance`](Self::advance) to go to.
    pub(crate) fn coming(&self) -> &[u64] {
        &self.next
    }
}
