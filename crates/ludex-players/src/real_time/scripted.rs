//! A player that makes given moves at given times.

use std::collections::VecDeque;

use ludex_gdl::GameTime;
use ludex_logic::Budget;

use super::player::{AskAgain, Decision, TimedNews, TimedPlayer, TimedSeat};
use crate::player::PlayerError;

/// Makes the moves of a script, each at its time, legal or not.
#[derive(Debug)]
pub struct ScriptedPlayer {
    script: Vec<(GameTime, String)>,
    left: VecDeque<(GameTime, String)>,
    seat: Option<TimedSeat>,
}

impl ScriptedPlayer {
    /// A player of these moves, as texts in either notation. The order does not matter; moves of one time are made in the
    /// order in which they are given.
    pub fn new(mut script: Vec<(GameTime, String)>) -> Self {
        script.sort_by_key(|&(time, _)| time);
        Self { left: script.iter().cloned().collect(), script, seat: None }
    }
}

impl TimedPlayer for ScriptedPlayer {
    fn prepare(&mut self, seat: TimedSeat, _: &Budget) -> Result<(), PlayerError> {
        self.left = self.script.iter().cloned().collect();
        self.seat = Some(seat);
        Ok(())
    }

    fn observe(&mut self, _: &TimedNews) {}

    fn decide(&mut self, now: GameTime, _: &Budget) -> Result<Decision, PlayerError> {
        let seat = self.seat.as_ref().ok_or(PlayerError::NotPrepared)?;
        let next = |left: &VecDeque<(GameTime, String)>| left.front().map(|&(time, _)| time);
        let mut action = None;
        if next(&self.left).is_some_and(|time| time <= now) {
            let (_, text) = self.left.pop_front().unwrap_or_default();
            let found =
                seat.machine.find_term(&text).map_err(|error| PlayerError::Gone(error.to_string()))?;
            action = found;
        }
        let again = next(&self.left).map_or(AskAgain::OnNews, AskAgain::At);
        Ok(Decision { action, ..Decision::wait(again) })
    }
}
