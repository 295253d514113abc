//! What is agreed before a match in real time.

use std::time::Duration;

use ludex_gdl::GameTime;
use serde::{Deserialize, Serialize};

use super::super::error::RefereeError;
use super::super::setup::SeatSetup;

/// What is agreed before a match in real time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedSetup {
    /// The name of the match: letters and digits, a lower-case letter first.
    pub id: String,
    /// Decides the moves of the role `random`.
    pub seed: u64,
    /// How long players may take to get ready.
    pub start: Duration,
    /// How long it takes until one unit of game time has passed: the play clock.
    pub unit: Duration,
    /// How much longer than the start clock an answer is waited for before the game begins.
    #[serde(default)]
    pub grace: Duration,
    /// Who sits where, for each role but `random`, in order.
    pub seats: Vec<SeatSetup>,
    /// What every player is told with the start message beside the opponents' names: pairs of name and value, terms in
    /// prefix notation. `None` where players are told nothing more than the rules, their role and the two clocks.
    pub told: Option<Vec<(String, String)>>,
    /// When the match begins, in milliseconds since 1970.
    pub start_time: Option<u64>,
}

impl TimedSetup {
    /// The play clock in seconds, exactly.
    ///
    /// # Errors
    /// [`RefereeError::Unit`] where it is no time, or longer than any time.
    pub fn play_seconds(&self) -> Result<GameTime, RefereeError> {
        // Both count in 10^-9.
        let units = u64::try_from(self.unit.as_nanos()).ok().filter(|&units| units > 0);
        units.and_then(GameTime::from_units).ok_or(RefereeError::Unit)
    }
}
