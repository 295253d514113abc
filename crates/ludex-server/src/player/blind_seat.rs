//! A player at a table that knows no rules.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ludex::explore::BlindPlayer;
use ludex::logic::Budget;
use ludex::matches::blind::Structure;
use ludex::matches::message::{Last, StartMessage};
use ludex::matches::service::{BlindFollower, BlindHeard};

use super::blind_players::{BlindPlayers, LentPlayer, Subject, blind_name};
use super::seat::Turn;
use super::worker::guarded;

/// A player without rules in a match.
pub(super) struct BlindSeat {
    lent: LentPlayer,
    follower: BlindFollower,
}

impl BlindSeat {
    /// A player that takes a role, as its manager tells of the game. One that played it before is waited for within
    /// `budget`; `over` is the flag that goes up when the match is over.
    ///
    /// # Errors
    /// What is told is no game, or has no such role.
    pub(super) fn new(
        start: &StartMessage,
        (strategy, seed): (&str, u64),
        players: &Arc<BlindPlayers>,
        over: Arc<AtomicBool>,
        budget: &Budget,
    ) -> Result<Self, String> {
        let structure = Structure::read(&start.rules).map_err(|error| error.to_string())?;
        let Some(role) = structure.roles.iter().position(|role| *role == start.role) else {
            let roles = structure.roles.join(", ");
            return Err(format!("there is no role `{}`; the roles are {roles}", start.role));
        };
        if structure.actions[role].is_empty() {
            return Err(format!("there is nothing that `{}` can do", start.role));
        }
        let name = blind_name(strategy);
        let lent = players.take(Subject { structure, role, name }, seed, over, budget);
        let lent = lent.ok_or_else(|| format!("`{name}` does not play without rules"))?;
        let mut seat = Self { lent, follower: BlindFollower::default() };
        seat.guarded(|player| player.prepare(budget));
        Ok(seat)
    }

    /// Takes in what a message says happened.
    pub(super) fn hear(&mut self, last: &Last, answered: Option<String>) -> Turn {
        self.follower.answer(answered.clone());
        let (heard, doubts) = self.follower.hear(last);
        for doubt in doubts {
            tracing::debug!("{doubt}");
        }
        match (heard, answered) {
            (BlindHeard::Same, Some(answered)) => return Turn::Answered(answered),
            (BlindHeard::Same, None) => {}
            (BlindHeard::Begun(percepts), _) => {
                self.guarded(|player| player.begin(&percepts));
            }
            (BlindHeard::Step { action, percepts }, _) => {
                self.guarded(|player| player.observe(&action, &percepts));
            }
        }
        Turn::Open
    }

    /// Something that can be done, whether it is legal or not.
    pub(super) fn some_action(&self) -> Option<String> {
        self.lent.actions().first().cloned()
    }

    /// The player's choice.
    pub(super) fn choose(&mut self, budget: &Budget) -> Result<String, String> {
        let chosen = self.guarded(|player| player.choose(budget));
        let chosen = chosen.ok_or_else(|| "the player broke down".to_owned())?;
        if !self.lent.actions().contains(&chosen) {
            return Err(format!("it chose `{chosen}`, which its role never does"));
        }
        tracing::info!("chose {chosen}");
        Ok(chosen)
    }

    /// Takes in that the match is over, with what happened last where it was told. Gives what that is worth to the player.
    pub(super) fn finish(mut self, last: Option<&Last>, answered: Option<String>) -> Option<String> {
        let last = last?;
        self.hear(last, answered);
        self.guarded(|player| player.end());
        let Last::Percepts { percepts, .. } = last else { return None };
        let utility = percepts.iter().find_map(|percept| percept.strip_prefix("(utility "))?;
        Some(utility.trim_end_matches(')').to_owned())
    }

    /// What the player does; nothing, once it broke down.
    fn guarded<T>(&mut self, act: impl FnOnce(&mut (dyn BlindPlayer + 'static)) -> T) -> Option<T> {
        guarded(&mut self.lent.player, act)
    }
}
