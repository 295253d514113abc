//! Games that were loaded before.

use std::sync::Mutex;

use crate::lock::lock;
use ludex::gdl::{LoadOptions, Notation};
use ludex::logic::Budget;
use ludex::{Engine, Game, GameOptions, LoadError};

/// So many games are kept.
const KEPT: usize = 4;
/// A game whose matches brought more bytes of terms than this is loaded anew.
const MOST_TERMS: usize = 256 << 20;

/// The games that were played or looked at last, so that a rematch begins at once: a game remembers what
/// was found out about it.
#[derive(Debug, Default)]
pub(super) struct GameCache(Mutex<Vec<Loaded>>);

#[derive(Debug)]
struct Loaded {
    notation: Notation,
    game: Game,
}

impl GameCache {
    /// The game of a rulesheet. It runs on its rules: players make a faster machine of it themselves, as
    /// far as their clock allows.
    pub(super) fn game(&self, rules: &str, notation: Notation, budget: &Budget) -> Result<Game, LoadError> {
        if let Some(game) = self.find(rules, notation) {
            return Ok(game);
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
        let mut games = lock(&self.0);
        games.truncate(KEPT - 1);
        games.insert(0, Loaded { notation, game: game.clone() });
        Ok(game)
    }

    fn find(&self, rules: &str, notation: Notation) -> Option<Game> {
        let mut games = lock(&self.0);
        let is_it = |loaded: &Loaded| loaded.notation == notation && loaded.game.source().text() == rules;
        let place = games.iter().position(is_it)?;
        let loaded = games.remove(place);
        if loaded.game.signature().terms().bytes() > MOST_TERMS {
            return None;
        }
        let game = loaded.game.clone();
        games.insert(0, loaded);
        Some(game)
    }
}
