//! Matches that go on from others: the same match again, or from one of its states.

use ludex::AnyRecord;

use super::{Answer, Manager};
use crate::manager::ManagerError;
use crate::model::{MatchPlan, Sides};

impl Manager {
    /// The same match again, now: with the same game, players, clocks and options, and another seed; the name
    /// of the new match.
    ///
    /// # Errors
    /// As [`Manager::schedule`].
    pub fn rematch(&self, id: &str, sides: Sides) -> Answer<String> {
        self.schedule(&self.rematch_plan(id, sides)?)
    }

    /// The plan of the same match again, now.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn rematch_plan(&self, id: &str, sides: Sides) -> Answer<MatchPlan> {
        let mut plan = self.core().match_of(id)?.plan;
        if sides == Sides::Changed && !plan.seats.is_empty() {
            // What a seat is told stays with the seat, and the clocks that somebody has go along.
            let who = |seat: &crate::model::SeatPlan| (seat.player.clone(), seat.clocks, seat.awaited);
            let mut players: Vec<_> = plan.seats.iter().map(who).collect();
            players.rotate_right(1);
            for (seat, (player, clocks, awaited)) in plan.seats.iter_mut().zip(players) {
                (seat.player, seat.clocks, seat.awaited) = (player, clocks, awaited);
            }
        }
        Ok(MatchPlan { seed: None, begin: None, ..plan })
    }

    /// Plans a match that goes on from the state of another one after so many steps, as [`Manager::schedule`] does: of its
    /// version of the game, and of the plan all else.
    ///
    /// # Errors
    /// As [`Manager::schedule`]; [`ManagerError::Invalid`] where the other match is not over, is one in real time, or has not
    /// so many steps.
    pub fn play_on(&self, id: &str, step: usize, plan: &MatchPlan) -> Answer<String> {
        let core = self.core();
        let row = core.match_of(id)?;
        if !row.summary.stage.is_over() {
            return Err(ManagerError::Invalid("who plays on waits until the match is over".to_owned()));
        }
        let moves = core.look(&row, |record| match record {
            AnyRecord::InSteps(record) => record.moves.get(..step).map(<[_]>::to_vec),
            AnyRecord::InTime(_) => None,
        })?;
        let Some(moves) = moves else {
            return Err(ManagerError::Invalid("there is no such state to play on from".to_owned()));
        };
        let (game, version) = (row.plan.game, Some(row.summary.version));
        self.schedule(&MatchPlan { game, version, moves, ..plan.clone() })
    }
}
