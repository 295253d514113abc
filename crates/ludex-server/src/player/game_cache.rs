//! Games that were loaded before.

use std::sync::Arc;

use crate::cache::Cache;
use ludex::game::sha256;
use ludex::gdl::{LoadOptions, Notation, Source, load};
use ludex::logic::Budget;
use ludex::{Engine, GameOptions, Playable, PlayableError, timed_rules};

/// So many games are kept.
const KEPT: usize = 4;
/// A game whose matches brought more bytes of terms than this is loaded anew.
pub(super) const MOST_TERMS: usize = 256 << 20;

/// The games that were played or looked at last, so that a rematch begins at once: a game remembers what
/// was found out about it.
#[derive(Debug)]
pub(super) struct GameCache(Cache<(bool, String), Playable>);

impl Default for GameCache {
    fn default() -> Self {
        Self(Cache::of_few(KEPT, usize::MAX, |_| 0))
    }
}

impl GameCache {
    /// The game of a rulesheet. One in steps runs on its rules: players make a faster machine of it themselves, as
    /// far as their clock allows. One in real time runs on a net where there is one.
    pub(super) fn game(
        &self,
        rules: &str,
        notation: Notation,
        budget: &Budget,
    ) -> Result<Playable, PlayableError> {
        let key = (notation == Notation::Prefix, sha256(rules));
        let known = self.0.get(&key).filter(|game| terms(game) <= MOST_TERMS);
        if let Some(game) = known {
            return Ok((*game).clone());
        }
        let options = LoadOptions { notation: Some(notation), ..LoadOptions::default() };
        let checked = load(Arc::new(Source::new("rules", rules)), &options);
        let options = GameOptions {
            load: options,
            engine: Engine::Rules,
            budget: budget.clone(),
            // The game may outlive the match or the look it was loaded for, and its time. Each match asks with
            // limits of its own.
            question_budget: budget.clone().detached(),
            ..GameOptions::default()
        };
        let game = if checked.dialect.is_timed() {
            let rules = timed_rules(checked, Engine::Auto, budget, &options.auto_budget())?;
            Playable::InTime(rules.within(options.question_budget))
        } else {
            Playable::from_checked(checked, &options)?
        };
        self.0.put(key, &Arc::new(game.clone()));
        Ok(game)
    }
}

/// The bytes of the terms of a game.
fn terms(game: &Playable) -> usize {
    match game {
        Playable::InSteps(game) => game.signature().terms().bytes(),
        Playable::InTime(rules) => rules.machine().terms().bytes(),
    }
}
