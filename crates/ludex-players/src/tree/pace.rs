//! How many leaves a batch collects, how many playouts it makes from each, and whether it is one of lanes.

use std::time::Duration;

/// As many playouts from a leaf are of no more use.
const MOST_PROBES: u32 = 256;
/// Playouts from a leaf where nothing measures time, in lanes.
const UNTIMED_PROBES: u32 = 8;
/// The time of the playouts to that of everything else.
const PLAYING_TO_TREE: f64 = 1.8;
/// The lanes are filled so often by a batch, so that few are empty at its end...
const ROUNDS: u32 = 4;
/// ... and so often where that takes no more than this.
const MOST_ROUNDS: u32 = 12;
const QUICK: Duration = Duration::from_millis(1);
/// Leaves of a batch at least: in a small tree many descents at once go where they would not if each knew of
/// the others.
const FEW_LEAVES: usize = 16;
/// The same where there are so few batches that the tree would remain small.
const MANY_LEAVES: usize = 64;
const FEW_BATCHES: u32 = 64;
/// Leaves of a batch at most.
const MOST_LEAVES: usize = 128;
/// A batch takes this part of the time that is left at most.
const BATCH_SHARE: f64 = 0.05;

/// Adapts batches to the game: playouts are to take nearly twice as much time as the tree, lanes are to be
/// filled several times over, and no batch may take long.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    width: u32,
    fixed: Option<u32>,
    probes: f64,
    /// How often the lanes are filled by a batch.
    rounds: u32,
    last: Duration,
    /// Whether few batches fit into a turn, as the first one showed.
    is_slow: bool,
    is_measured: bool,
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
            is_slow: false,
            is_measured: false,
        }
    }

    /// For the next turn of the same player, where batches are so few that they had better begin as these ended:
    /// how many playouts a leaf is to get is known, but not how long a batch takes there.
    pub fn for_next_turn(&self) -> Option<Self> {
        let next = Self { last: Duration::ZERO, rounds: 1, is_measured: false, ..self.clone() };
        self.is_slow.then_some(next)
    }

    /// Whether few batches fit into a turn.
    pub fn is_slow(&self) -> bool {
        self.is_slow
    }

    /// The width of the batch that it is for.
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// How many leaves to collect into a tree of this size.
    pub fn leaves(&self, nodes: usize) -> usize {
        if self.width == 1 {
            return 4;
        }
        let least = if self.is_slow { MANY_LEAVES } else { FEW_LEAVES };
        let most = (nodes / 16).clamp(least, MOST_LEAVES);
        let full = (self.width * self.rounds).div_ceil(self.probes()) as usize;
        most.min(full.max(FEW_LEAVES))
    }

    /// Playouts from each leaf.
    pub fn probes(&self) -> u32 {
        (self.probes as u32).clamp(1, MOST_PROBES)
    }

    /// Playouts in all that fill the lanes, where nobody said how many to make from each leaf.
    pub fn fill(&self) -> u32 {
        if self.width == 1 || self.fixed.is_some() { 0 } else { self.width * self.rounds }
    }

    /// Whether another batch like the last one ends in time.
    pub fn has_time(&self, left: Option<Duration>) -> bool {
        left.is_none_or(|left| left > self.last)
    }

    /// Takes note of how long the parts of a batch took.
    pub fn measured(&mut self, tree: Duration, playing: Duration, left: Option<Duration>) {
        self.last = tree + playing;
        if !self.is_measured {
            self.is_measured = true;
            self.is_slow = left.is_some_and(|left| FEW_BATCHES * self.last > left);
        }
        let is_short = left.is_none_or(|left| self.last < left.mul_f64(BATCH_SHARE));
        let most = if self.last < QUICK { MOST_ROUNDS } else { ROUNDS };
        self.rounds =
            if is_short { (self.rounds + 1).min(most) } else { self.rounds.saturating_sub(1).max(1) };
        if self.fixed.is_some() || self.width == 1 {
            return;
        }
        let ratio = PLAYING_TO_TREE * tree.as_secs_f64() / playing.as_secs_f64().max(1e-9);
        // Slowly, because single batches are measured badly.
        self.probes = (self.probes * ratio.clamp(0.8, 1.25)).clamp(1.0, f64::from(MOST_PROBES));
    }
}

/// Where not one batch in lanes fits into a turn, the next turns are searched one state after the other: 1, 2, 4,
/// and so on, each time that it happens again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Narrow {
    left: u32,
    last: u32,
}

/// So many turns are searched without lanes before they are tried again, at most.
const MOST_NARROW: u32 = 16;

impl Narrow {
    /// Whether this turn is searched without lanes.
    pub fn is_on(self) -> bool {
        self.left > 0
    }

    /// Takes note of a turn, and whether a search in it found nothing in the time that it had. What was called off is
    /// no turn: it says nothing of what there is time for.
    pub fn note(&mut self, found_nothing: bool) {
        if self.is_on() {
            self.left -= 1;
        } else if found_nothing {
            self.last = (2 * self.last).clamp(1, MOST_NARROW);
            self.left = self.last;
        }
    }
}
