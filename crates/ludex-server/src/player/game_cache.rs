//! Games that were loaded before.

use std::sync::Arc;

use crate::cache::Cache;
use ludex::game::sha256;
use ludex::gdl::{LoadOptions, Notation};
use ludex::logic::Budget;
use ludex::{Engine, Game, GameOptions, LoadError};

/// So many games are kept.
const KEPT: usize = 4;
/// A game whose matches brought more bytes of terms than this is loaded anew.
const MOST_TERMS: usize = 256 << 20;

/// The games that were played or looked at last, so that a rematch begins at once: a game remembers what
/// was found out about it.
#[derive(Debug)]
pub(super) struct GameCache(Cache<(bool, String), Game>);

impl Default for GameCache {
    fn default() -> Self {
        Self(Cache::of_few(KEPT, usize::MAX, |_| 0))
    }
}

impl GameCache {
    /// The game of a rulesheet. It runs on its rules: players make a faster machine of it themselves, as
    /// far as their clock allows.
    pub(super) fn game(&self, rules: &str, notation: Notation, budget: &Budget) -> Result<Game, LoadError> {
        let key = (notation == Notation::Prefix, sha256(rules));
        let known = self.0.get(&key).filter(|game| game.signature().terms().bytes() <= MOST_TERMS);
        if let Some(game) = known {
            return Ok((*game).clone());
        }
        let load = LoadOptions { notation: Some(notation), ..LoadOptions::default() };
        let options = GameOptions {
            load,
            engine: Engine::Rules,
            budget: budget.clone(),
            // The game may outlive the match or the look it was loaded for, and its time. Each match asks with
            // limits of its own.
            question_budget: budget.clone().detached(),
            ..GameOptions::default()
        };
        let game = Game::parse("rules", rules, &options)?;
        self.0.put(key, &Arc::new(game.clone()));
        Ok(game)
    }
}
