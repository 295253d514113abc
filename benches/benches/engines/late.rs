//! Lanes from states late in a game, where most of what the rules speak of is settled.

use std::sync::Arc;

use ludex_engine::{LaneOptions, LaneProgram, NetMachine};
use ludex_game::{Answer, Machine, Rng, State};
use ludex_logic::Budget;
use serde::{Deserialize, Serialize};

use crate::measure::lanes;

/// How far into a random game lanes begin, in percent of its steps.
const PERCENT: [u32; 4] = [0, 25, 50, 75];

/// Lanes from one state, with and without programs made for what is still open.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Late {
    pub percent: u32,
    pub steps: u32,
    /// State changes a second with one program for all states of the game.
    pub whole: f64,
    /// The same with programs for turns and for what lasts, from the first playout on: the programs are
    /// made within the time that is measured.
    pub specialised: f64,
}

/// Measures from states of one random game.
pub fn late(machine: &NetMachine, seconds: f64) -> Answer<Vec<Late>> {
    let mut runner = machine.runner(&Budget::unlimited());
    let length = runner.playout(&mut Rng::from_seed(1), u32::MAX)?.steps;
    let circuit = machine.lane_circuit();
    let made = || LaneProgram::of_circuit(circuit, machine.signature(), LaneOptions::default());
    let whole = Arc::new(made().unspecialised());
    let mut found = Vec::new();
    for percent in PERCENT {
        let steps = length * percent / 100;
        let mut state = State::default();
        runner.set(machine.initial())?;
        runner.playout(&mut Rng::from_seed(1), steps)?;
        runner.save(&mut state);
        let per_second = |program: &Arc<LaneProgram>| -> Answer<f64> {
            Ok(lanes(&state, program, seconds)?.played.per_second)
        };
        let (whole, specialised) = (per_second(&whole)?, per_second(&Arc::new(made()))?);
        found.push(Late { percent, steps, whole, specialised });
    }
    Ok(found)
}
