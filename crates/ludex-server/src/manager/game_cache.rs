//! The games that are ready to be played: what referees ask. Only those are prepared here of which a preparation
//! has said that this can be done.

use std::sync::Arc;

use ludex::Playable;

use super::error::ManagerError;
use super::options::GameLimits;
use crate::cache::Cache;
use crate::gate::{Crowded, Gate};
use crate::preparation::{STACK, WorkLimits, game_options, held_bytes, is_late};

/// Prepares games, each on a thread of its own and within limits, and keeps some of them ready.
#[derive(Debug)]
pub(super) struct GameCache {
    limits: GameLimits,
    gate: Gate,
    /// By the hash of the rules. What games hold grows while they are played.
    ready: Cache<String, Playable>,
}

impl GameCache {
    pub(super) fn new(limits: GameLimits) -> Self {
        let gate = Gate::new(limits.at_once, limits.waiting);
        let ready = Cache::of_few(limits.ready, limits.ready_bytes, held_bytes);
        Self { limits, gate, ready }
    }

    /// How many games are ready.
    pub(super) fn len(&self) -> usize {
        self.ready.len()
    }

    /// A game that is kept. Waits while it is prepared.
    pub(super) fn game(&self, name: &str, sha256: &str, text: &str) -> Result<Playable, ManagerError> {
        let too_many =
            |Crowded(limit)| ManagerError::TooMany { what: "games that wait to be prepared", limit };
        let game = self.ready.get_or(sha256.to_owned(), || -> Result<_, ManagerError> {
            let _turn = self.gate.enter().map_err(too_many)?;
            Ok((Arc::new(self.prepare(name, text)?), true))
        })?;
        Ok((*game).clone())
    }

    /// Prepares a game on a thread of its own: one that brings it down takes nothing else with it.
    fn prepare(&self, name: &str, text: &str) -> Result<Playable, ManagerError> {
        let (name, text, limits) = (name.to_owned(), text.to_owned(), self.limits.for_work());
        let thread = std::thread::Builder::new().name("game".to_owned()).stack_size(STACK);
        let work = thread.spawn(move || Playable::parse(&name, &text, &game_options(limits)))?;
        let game =
            work.join().map_err(|_| ManagerError::Heavy("the rulesheet could not be prepared".to_owned()))?;
        game.map_err(|error| {
            if is_late(&error) { ManagerError::Busy } else { ManagerError::Heavy(error.to_string()) }
        })
    }
}

impl GameLimits {
    /// Within what preparations work on rules. How long a step of a match may take says nothing of them.
    pub(super) fn for_preparation(&self) -> WorkLimits {
        WorkLimits { step: self.time.max(self.step), ..self.for_work() }
    }

    /// Within what work on rules is done.
    pub(super) fn for_work(&self) -> WorkLimits {
        WorkLimits { memory: self.memory, time: self.time, work: self.work, step: self.step }
    }
}

#[cfg(test)]
mod tests {
    use ludex::game::sha256;

    use super::*;

    #[test]
    fn games_make_room_by_their_bytes_and_the_last_one_stays() {
        let text = ludex::library::find("tic-tac-toe").map(|game| game.text).unwrap();
        let texts: Vec<String> = (0..3).map(|number| format!("{text}\n; {number}")).collect();
        let ask = |games: &GameCache, text: &str| games.game("rows", &sha256(text), text).unwrap();
        let games = GameCache::new(GameLimits::default());
        let bytes = held_bytes(&ask(&games, &texts[0]));
        assert!(bytes > text.len() && bytes < 10 << 20, "{bytes}");
        texts.iter().for_each(|text| drop(ask(&games, text)));
        assert_eq!(games.len(), 3);
        for (room, kept) in [(bytes * 5 / 2, 2), (0, 1)] {
            let games = GameCache::new(GameLimits { ready_bytes: room, ..GameLimits::default() });
            texts.iter().for_each(|text| drop(ask(&games, text)));
            assert_eq!(games.len(), kept);
        }
    }
}
