//! Where the time of playouts goes.

use std::time::Duration;

use ludex_logic::Clock;

/// A part of what lanes do between two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LanePart {
    /// The gates of legal moves and termination.
    Decide,
    /// Taking out lanes whose game is over, and those at the step limit.
    End,
    /// The gates of the goals.
    Assess,
    /// Reading goals and lengths of games that are over.
    Gather,
    /// Drawing a legal move for every role of every lane.
    Choose,
    /// The gates of the next state, with keeping the states of lanes that wait to be assessed.
    Advance,
    /// Counting steps, and starting lanes anew.
    Refill,
}

impl LanePart {
    /// All parts in the order in which they come.
    pub const ALL: [LanePart; 7] =
        [Self::Decide, Self::End, Self::Assess, Self::Gather, Self::Choose, Self::Advance, Self::Refill];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decide => "decide",
            Self::End => "end",
            Self::Assess => "assess",
            Self::Gather => "gather",
            Self::Choose => "choose",
            Self::Advance => "advance",
            Self::Refill => "refill",
        }
    }
}

/// Where the time of some playouts went. See [`LaneEngine::profile`](super::LaneEngine::profile).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct LaneProfile {
    /// Time by part, in the order of [`LanePart::ALL`].
    pub times: [Duration; 7],
    /// How often each part was come to.
    pub visits: [u64; 7],
    /// Joint moves made in all lanes together. Divided by the visits to [`LanePart::Decide`] times the
    /// number of lanes it is the share of lanes that were in use.
    pub state_changes: u64,
}

impl LaneProfile {
    /// The time of a part.
    pub fn time(&self, part: LanePart) -> Duration {
        self.times[part as usize]
    }

    /// How often a part was come to.
    pub fn visits(&self, part: LanePart) -> u64 {
        self.visits[part as usize]
    }

    /// The time of all parts.
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }
}

/// Hears when a part is over.
pub(super) trait Probe {
    fn note(&mut self, part: LanePart);
}

/// Hears nothing, so that playouts cost nothing more.
pub(super) struct Silent;

impl Probe for Silent {
    #[inline(always)]
    fn note(&mut self, _: LanePart) {}
}

/// Reads a clock after each part.
pub(super) struct Timed<'c> {
    clock: &'c dyn Clock,
    last: Duration,
    pub profile: LaneProfile,
}

impl<'c> Timed<'c> {
    pub fn new(clock: &'c dyn Clock) -> Self {
        Self { clock, last: clock.now(), profile: LaneProfile::default() }
    }
}

impl Probe for Timed<'_> {
    fn note(&mut self, part: LanePart) {
        let now = self.clock.now();
        self.profile.times[part as usize] += now.saturating_sub(self.last);
        self.profile.visits[part as usize] += 1;
        self.last = now;
    }
}
