//! The games that are ready to be played: what referees ask. Only those are prepared here of which a preparation
//! has said that this can be done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex};

use ludex::Game;

use super::error::ManagerError;
use super::options::GameLimits;
use crate::lock::{lock, wait};
use crate::preparation::{STACK, WorkLimits, game_options};

/// Prepares games, each on a thread of its own and within limits, and keeps some of them ready.
#[derive(Debug)]
pub(super) struct GameCache {
    limits: GameLimits,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// By the hash of the rules: the game, and when it was last asked for.
    ready: BTreeMap<String, (Game, u64)>,
    asked: u64,
    /// What is being prepared.
    loading: BTreeSet<String>,
    waiting: usize,
}

impl GameCache {
    pub(super) fn new(limits: GameLimits) -> Self {
        Self { limits, state: Mutex::default(), changed: Condvar::new() }
    }

    /// How many games are ready.
    pub(super) fn len(&self) -> usize {
        lock(&self.state).ready.len()
    }

    /// A game that is kept. Waits while it is prepared.
    pub(super) fn game(&self, name: &str, sha256: &str, text: &str) -> Result<Game, ManagerError> {
        if let Some(game) = self.enter(sha256)? {
            return Ok(game);
        }
        let game = self.prepare(name, text);
        self.leave(sha256, game.as_ref().ok());
        game
    }

    /// Waits until it is one's turn to prepare a game, or somebody else has done so.
    fn enter(&self, sha256: &str) -> Result<Option<Game>, ManagerError> {
        let mut state = lock(&self.state);
        let mut counted = false;
        loop {
            state.asked += 1;
            let asked = state.asked;
            if let Some((game, last)) = state.ready.get_mut(sha256) {
                *last = asked;
                let game = game.clone();
                state.waiting -= usize::from(counted);
                return Ok(Some(game));
            }
            if !state.loading.contains(sha256) && state.loading.len() < self.limits.at_once.max(1) {
                state.loading.insert(sha256.to_owned());
                state.waiting -= usize::from(counted);
                return Ok(None);
            }
            if !counted {
                if state.waiting >= self.limits.waiting {
                    let limit = self.limits.waiting as u64;
                    return Err(ManagerError::TooMany { what: "games that wait to be prepared", limit });
                }
                state.waiting += 1;
                counted = true;
            }
            state = wait(&self.changed, state);
        }
    }

    /// A game was prepared, or cannot be. The one that nobody has asked for longest makes room.
    fn leave(&self, sha256: &str, game: Option<&Game>) {
        let mut state = lock(&self.state);
        state.loading.remove(sha256);
        if let Some(game) = game {
            let asked = state.asked;
            state.ready.insert(sha256.to_owned(), (game.clone(), asked));
            // What games hold grows while they are played, so it is asked for again.
            let held = |state: &State| state.ready.values().map(|(game, _)| held_bytes(game)).sum::<usize>();
            while state.ready.len() > self.limits.ready.max(1)
                || state.ready.len() > 1 && held(&state) > self.limits.ready_bytes
            {
                let oldest = state.ready.iter().min_by_key(|(_, (_, last))| *last);
                let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
                state.ready.remove(&oldest);
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Prepares a game on a thread of its own: one that brings it down takes nothing else with it.
    fn prepare(&self, name: &str, text: &str) -> Result<Game, ManagerError> {
        let (name, text, limits) = (name.to_owned(), text.to_owned(), self.limits.for_work());
        let thread = std::thread::Builder::new().name("game".to_owned()).stack_size(STACK);
        let work = thread.spawn(move || Game::parse(&name, &text, &game_options(limits)))?;
        let game =
            work.join().map_err(|_| ManagerError::Heavy("the rulesheet could not be prepared".to_owned()))?;
        game.map_err(|error| ManagerError::Heavy(error.to_string()))
    }
}

/// What is counted for each byte of a rulesheet: its text, syntax tree, clauses and plans, by rule of thumb.
const BYTES_OF_TEXT: usize = 100;

/// How many bytes a game holds, by an estimate: its text, and the terms that were met so far.
fn held_bytes(game: &Game) -> usize {
    let signature = game.signature();
    game.source().text().len() * BYTES_OF_TEXT + signature.terms().bytes() + signature.bytes()
}

impl GameLimits {
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
