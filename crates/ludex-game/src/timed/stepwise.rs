//! Random games on any runner, update by update.

use ludex_gdl::GameTime;
use ludex_logic::TermId;

use super::error::TimedAnswer;
use super::machine::{TimedMachine, TimedRunner};
use super::moment::longest_delay;
use super::playout::PlayoutState;
use crate::signature::{Goal, RoleId};

/// A runner as the state of a random game. Somebody is told of each update: how long after the last one it was, and whether
/// it was without moves.
pub(super) struct Stepwise<'a, R: ?Sized, F> {
    pub machine: &'a dyn TimedMachine,
    pub runner: &'a mut R,
    pub told: F,
}

impl<R: TimedRunner + ?Sized, F: FnMut(GameTime, bool)> PlayoutState for Stepwise<'_, R, F> {
    type Move = TermId;

    fn is_terminal(&mut self) -> TimedAnswer<bool> {
        self.runner.terminal()
    }

    fn time_to_expiry(&self) -> Option<GameTime> {
        self.runner.time_to_expiry()
    }

    fn move_count(&mut self, role: RoleId) -> TimedAnswer<usize> {
        Ok(self.runner.legal(role)?.len())
    }

    fn move_at(&mut self, role: RoleId, number: usize) -> TimedAnswer<Option<TermId>> {
        Ok(self.runner.legal(role)?.get(number).copied())
    }

    fn find_move(&self, _: RoleId, action: TermId) -> Option<TermId> {
        Some(action)
    }

    fn is_legal(&mut self, role: RoleId, action: TermId) -> TimedAnswer<bool> {
        Ok(self.runner.legal(role)?.contains(&action))
    }

    fn longest_delay(&self, _: RoleId, action: TermId) -> Option<GameTime> {
        longest_delay(self.machine, action)
    }

    fn update(&mut self, elapsed: GameTime, moves: &[(RoleId, TermId)]) -> TimedAnswer<()> {
        self.runner.update(elapsed, moves)?;
        (self.told)(elapsed, moves.is_empty());
        Ok(())
    }

    fn goal(&mut self, role: RoleId) -> TimedAnswer<Option<Goal>> {
        self.runner.goal(role)
    }
}
