//! Games of both kinds: in steps and in real time.

use std::sync::Arc;

use ludex_game::TimedRules;
use ludex_gdl::{Checked, Source, load};

use crate::engine::Engine;
use crate::face::{Game, GameOptions, LoadError};
use crate::timed_game::{TimedLoadError, timed_rules};

/// A game that can be played, in steps or in real time: cheap to clone, shared by threads.
///
/// ```
/// use ludex::{GameOptions, Playable, library};
///
/// let load = |name: &str| Playable::parse(name, library::find(name).unwrap().text, &GameOptions::default());
/// assert!(matches!(load("tic-tac-toe")?, Playable::InSteps(_)));
/// assert!(matches!(load("chicken")?, Playable::InTime(_)));
/// # Ok::<(), ludex::PlayableError>(())
/// ```
#[derive(Clone, Debug)]
pub enum Playable {
    /// All roles move at once, step by step.
    InSteps(Game),
    /// Everybody moves when they want (rtGDL).
    InTime(TimedRules),
}

/// Why a game of either kind cannot be played.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum PlayableError {
    /// A game in steps.
    InSteps(#[from] LoadError),
    /// A game in real time.
    InTime(#[from] TimedLoadError),
}

impl Playable {
    /// The game of a rulesheet.
    ///
    /// # Errors
    /// Those of [`Game::parse`] and [`timed_rules`].
    pub fn parse(name: &str, text: &str, options: &GameOptions) -> Result<Self, PlayableError> {
        let source = Arc::new(Source::new(name, text));
        Self::from_checked(load(source, &options.load), options)
    }

    /// The game of a rulesheet that was checked. Where few questions are to be asked ([`GameOptions::hasty`]), a game in
    /// real time runs on its rules.
    ///
    /// # Errors
    /// Those of [`Game::from_checked`] and [`timed_rules`].
    pub fn from_checked(checked: Checked, options: &GameOptions) -> Result<Self, PlayableError> {
        if !checked.dialect.is_timed() {
            return Ok(Self::InSteps(Game::from_checked(checked, options)?));
        }
        let engine = match options.engine {
            Engine::Auto if options.hasty => Engine::Rules,
            engine => engine,
        };
        let rules = timed_rules(checked, engine, &options.question_budget, &options.auto_budget())?;
        Ok(Self::InTime(rules))
    }

    /// The game, where it is one in steps.
    pub fn in_steps(&self) -> Option<&Game> {
        match self {
            Self::InSteps(game) => Some(game),
            Self::InTime(_) => None,
        }
    }

    /// The name of the game without folders and the ending of a rulesheet.
    pub fn short_name(&self) -> &str {
        match self {
            Self::InSteps(game) => game.short_name(),
            Self::InTime(rules) => rules.short_name(),
        }
    }

    /// How many roles there are but `random`.
    pub fn seats(&self) -> usize {
        match self {
            Self::InSteps(game) => game.seats().len(),
            Self::InTime(rules) => rules.seats().len(),
        }
    }

    /// What runs it.
    pub fn engine_name(&self) -> String {
        match self {
            Self::InSteps(game) => game.engine().to_string(),
            Self::InTime(rules) => rules.engine_name().to_owned(),
        }
    }

    /// The SHA-256 of the rulesheet, in hexadecimal.
    pub fn sha256(&self) -> &str {
        match self {
            Self::InSteps(game) => game.sha256(),
            Self::InTime(rules) => rules.sha256(),
        }
    }
}
