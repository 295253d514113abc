//! How many leaves a wave collects, and how many playouts it makes from each.

use std::time::Duration;

/// As many playouts from a leaf are of no more use.
const MOST_PROBES: u32 = 64;
/// Playouts from a leaf where nothing measures time, in lanes.
const UNTIMED_PROBES: u32 = 8;
/// A wave takes this part of the time that is left at most.
const WAVE_SHARE: f64 = 0.05;

/// Adapts waves to the game: the tree and the playouts are to take about the same time, lanes are to be
/// filled several times over, and no wave may take long.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    width: u32,
    fixed: Option<u32>,
    probes: f64,
    /// How often the lanes are filled by a wave.
    rounds: u32,
    last: Duration,
}

impl Pace {
    /// For a batch of this width; `fixed` playouts from each leaf, where that was asked for.
    pub fn new(width: usize, fixed: Option<u32>) -> Self {
        let probes = if width == 1 { 1 } else { UNTIMED_PROBES };
        Self {
            width: width as u32,
            probes: f64::from(fixed.unwrap_or(probes)),
            fixed,
            rounds: 1,
            last: Duration::ZERO,
        }
    }

    /// How many leaves to collect into a tree of this size.
    pub fn leaves(&self, nodes: usize) -> usize {
        if self.width == 1 {
            return 4;
        }
        let most = (nodes / 16).clamp(16, 128);
        let full = (self.width * self.rounds).div_ceil(self.probes()) as usize;
        most.min(full.max(16))
    }

    /// Playouts from each leaf.
    pub fn probes(&self) -> u32 {
        (self.probes as u32).clamp(1, MOST_PROBES)
    }

    /// Playouts in all that fill the lanes.
    pub fn fill(&self) -> u32 {
        if self.width == 1 { 0 } else { self.width * self.rounds }
    }

    /// Whether another wave like the last one ends in time.
    pub fn has_time(&self, left: Option<Duration>) -> bool {
        left.is_none_or(|left| left > self.last)
    }

    /// Takes note of how long the parts of a wave took.
    pub fn measured(&mut self, tree: Duration, playing: Duration, left: Option<Duration>) {
        self.last = tree + playing;
        let is_short = left.is_none_or(|left| self.last < left.mul_f64(WAVE_SHARE));
        self.rounds = if is_short { (self.rounds + 1).min(4) } else { self.rounds.saturating_sub(1).max(1) };
        if self.fixed.is_some() || self.width == 1 {
            return;
        }
        let ratio = tree.as_secs_f64() / playing.as_secs_f64().max(1e-9);
        // Slowly, because single waves are measured badly.
        self.probes = (self.probes * ratio.clamp(0.8, 1.25)).clamp(1.0, f64::from(MOST_PROBES));
    }
}
