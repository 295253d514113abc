//! The lanes of one thread.

use std::sync::Arc;

use ludex_game::{
    Answer, Batch, BatchOptions, DecisiveMoves, Expansion, GameError, Jobs, Observation, Outcomes, Policy,
    Start, State, Survivors,
};
use ludex_logic::{Clock, LimitError};

use super::executor::LaneWidth;
use super::expand::{expand, look};
use super::follow::follow;
use super::playouts::playouts;
use super::profile::{LaneProfile, Probe, Silent, Timed};
use super::program::LaneProgram;
use super::states::LaneStates;

/// Plays and expands many states at once, one bit each.
///
/// What comes out depends on the seed and the number of lanes, and on nothing else: not on the
/// [backend](super::Backend), and not on earlier calls.
pub struct LaneEngine {
    program: Arc<LaneProgram>,
    options: BatchOptions,
    states: States,
}

enum States {
    W64(LaneStates<1>),
    W256(LaneStates<4>),
    W512(LaneStates<8>),
}

impl LaneEngine {
    pub(super) fn new(program: Arc<LaneProgram>, options: &BatchOptions) -> Self {
        let states = match program.width() {
            LaneWidth::W64 => States::W64(LaneStates::new(&program)),
            LaneWidth::W256 => States::W256(LaneStates::new(&program)),
            LaneWidth::W512 => States::W512(LaneStates::new(&program)),
        };
        Self { program, options: options.clone(), states }
    }

    /// What it runs.
    pub fn program(&self) -> &Arc<LaneProgram> {
        &self.program
    }

    /// Bytes held beside the program.
    pub fn bytes(&self) -> usize {
        match &self.states {
            States::W64(states) => states.bytes(),
            States::W256(states) => states.bytes(),
            States::W512(states) => states.bytes(),
        }
    }

    /// Plays as [`Batch::playouts`] does and says where the time went. The clock is read after each
    /// part of each step, which slows small games down; the playouts are the same.
    ///
    /// # Errors
    /// As [`Batch::playouts`].
    pub fn profile(
        &mut self,
        from: &[Start],
        policy: &Policy,
        seed: u64,
        clock: &dyn Clock,
        out: &mut Outcomes,
    ) -> Answer<LaneProfile> {
        let mut timed = Timed::new(clock);
        self.play((from, policy, seed), &mut timed, out)?;
        let state_changes = out.tallies.iter().map(|tally| tally.steps).sum();
        Ok(LaneProfile { state_changes, ..timed.profile })
    }

    fn play<P: Probe>(
        &mut self,
        what: (&[Start], &Policy, u64),
        probe: &mut P,
        out: &mut Outcomes,
    ) -> Answer<()> {
        let program = &self.program;
        let how = (&self.options.budget, self.options.records, probe);
        match &mut self.states {
            States::W64(states) => playouts(program, states, what, how, out),
            States::W256(states) => playouts(program, states, what, how, out),
            States::W512(states) => playouts(program, states, what, how, out),
        }
    }
}

impl Batch for LaneEngine {
    fn width(&self) -> usize {
        self.program.width().lanes()
    }

    fn playouts(&mut self, from: &[Start], policy: &Policy, seed: u64, out: &mut Outcomes) -> Answer<()> {
        self.play((from, policy, seed), &mut Silent, out)
    }

    fn decisive_cost(&mut self, decisive_moves: &DecisiveMoves) -> Option<f64> {
        let budget = self.options.budget.clone().with_share_of_time(0.25);
        let found = match self.program.decisive_moves(decisive_moves, &budget) {
            Ok(found) => found,
            // Who is called off has not found out that there is no time.
            Err(GameError::Limit(LimitError::Cancelled)) => return None,
            Err(_) => {
                self.program.give_up_decisive_moves(decisive_moves);
                return None;
            }
        };
        let program = found.filter(|program| program.wins)?;
        let plain = self.program.costs.step;
        Some((plain + program.cost) as f64 / plain as f64)
    }

    fn expand(&mut self, jobs: &Jobs, out: &mut Expansion) -> Answer<()> {
        let program = &*self.program;
        let budget = &self.options.budget;
        match &mut self.states {
            States::W64(states) => expand(program, states, jobs, budget, out),
            States::W256(states) => expand(program, states, jobs, budget, out),
            States::W512(states) => expand(program, states, jobs, budget, out),
        }
    }

    fn look(&mut self, from: &[&State], out: &mut Expansion) -> Answer<()> {
        let program = &*self.program;
        let budget = &self.options.budget;
        match &mut self.states {
            States::W64(states) => look(program, states, from, budget, out),
            States::W256(states) => look(program, states, from, budget, out),
            States::W512(states) => look(program, states, from, budget, out),
        }
    }

    fn follow(
        &mut self,
        from: &[Start],
        observed: &Observation<'_>,
        seed: u64,
        out: &mut Survivors,
    ) -> Answer<()> {
        let program = &*self.program;
        let budget = &self.options.budget;
        let what = (from, observed, seed);
        match &mut self.states {
            States::W64(states) => follow(program, states, what, budget, out),
            States::W256(states) => follow(program, states, what, budget, out),
            States::W512(states) => follow(program, states, what, budget, out),
        }
    }
}
