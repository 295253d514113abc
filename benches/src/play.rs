//! Random play of one state at a time, against the clock.

use ludex_game::{Answer, Machine, Rng};
use ludex_logic::Budget;
use serde::{Deserialize, Serialize};

use crate::Stopwatch;

/// Lengths of random games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lengths {
    /// How many games ended.
    pub games: u64,
    /// The sum of their lengths.
    pub sum: u64,
    /// The sum of the squares.
    pub squares: u64,
}

impl Lengths {
    /// Notes one game.
    pub fn add(&mut self, length: u64) {
        self.games += 1;
        self.sum += length;
        self.squares += length * length;
    }

    /// The mean; not a number if no game ended.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.games as f64
    }

    /// The standard deviation of one game's length.
    pub fn deviation(&self) -> f64 {
        (self.squares as f64 / self.games as f64 - self.mean().powi(2)).max(0.0).sqrt()
    }

    /// The standard error of the mean.
    pub fn error(&self) -> f64 {
        self.deviation() / (self.games as f64).sqrt()
    }
}

/// How fast random games went.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Played {
    /// Joint moves a second.
    pub per_second: f64,
    /// How long the games were.
    pub lengths: Lengths,
}

/// Plays random games for some seconds with a runner of a machine.
///
/// # Errors
/// What the machine answers.
pub fn play(machine: &dyn Machine, seconds: f64) -> Answer<Played> {
    let mut runner = machine.runner(&Budget::unlimited());
    let mut rng = Rng::from_seed(1);
    let mut lengths = Lengths::default();
    let (mut changes, mut length) = (0u64, 0u64);
    // The clock is looked at after so many steps: rarely enough to cost nothing, often enough that
    // slow games end in time.
    let mut chunk = 1;
    let watch = Stopwatch::start();
    let mut passed = 0.0;
    while passed < seconds {
        let before = passed;
        let mut left = chunk;
        while left > 0 {
            let playout = runner.playout(&mut rng, left)?;
            left -= playout.steps.min(left);
            changes += u64::from(playout.steps);
            length += u64::from(playout.steps);
            if playout.terminal {
                lengths.add(length);
                length = 0;
                runner.set(machine.initial())?;
                // A game that is over at once would never use the steps up.
                left = left.saturating_sub(1);
            }
        }
        passed = watch.seconds();
        if passed - before < 0.02 && chunk < 1 << 24 {
            chunk *= 2;
        }
    }
    Ok(Played { per_second: changes as f64 / passed, lengths })
}
