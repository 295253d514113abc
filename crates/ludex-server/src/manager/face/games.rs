//! The library of games.

use ludex::analysis::TextStyle;
use ludex::gdl::Dialect;
use ludex::{Game, library};

use super::{Answer, Manager};
use crate::driver::unix_milliseconds;
use crate::manager::core::Core;
use crate::manager::running::seat_roles;
use crate::manager::shelf::{notation_name, sha256};
use crate::manager::{GameCheck, GameDetail, GameFacts, GameQuery, GameSummary, ManagerError, NewGame, Page};
use crate::store::{GameRow, StoreError};

/// The longest names, titles and descriptions, in characters.
const NAME: usize = 60;
const TITLE: usize = 200;
const DESCRIPTION: usize = 20_000;

impl Manager {
    /// The games of the library, by name.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn games(&self, query: &GameQuery) -> Answer<Page<GameSummary>> {
        Ok(self.core().store.games(query)?)
    }

    /// A game with its description, versions and text, that of this version or the present one.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn game(&self, name: &str, version: Option<&str>) -> Answer<GameDetail> {
        self.core().game(name, version)
    }

    /// A game of the library, ready to be asked questions: within limits, and meant for a few of them. Prepares
    /// the game, which may take as long as [`GameLimits::time`](crate::manager::GameLimits::time).
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Heavy`], [`ManagerError::Store`].
    pub fn prepared_game(&self, name: &str, version: Option<&str>) -> Answer<Game> {
        self.core().prepared(name, version)
    }

    /// Roles, sizes and initial board of a game. Prepares the game, as [`Manager::prepared_game`].
    ///
    /// # Errors
    /// As there.
    pub fn game_facts(&self, name: &str, version: Option<&str>) -> Answer<GameFacts> {
        let detail = self.game(name, version)?;
        let (check, game) = self.core().shelf.check(name, &detail.text)?;
        let heavy = || ManagerError::Heavy(check.heavy.clone().unwrap_or_default());
        let game = game.ok_or_else(heavy)?;
        let initial = game.initial();
        let moves = game.roles().map(|role| Ok(game.legal(initial, role)?.len()));
        let moves: Result<Vec<usize>, ludex::game::GameError> = moves.collect();
        let terms = game.signature().terms();
        Ok(GameFacts {
            roles: game.signature().roles().iter().map(|&role| terms.prefix(role)).collect(),
            seats: seat_roles(&game),
            hidden: game.dialect() == Dialect::GdlII,
            bytes: detail.text.len(),
            lines: detail.text.lines().count(),
            clauses: game.program().program.clauses.len(),
            initial_facts: game.facts(initial).len(),
            initial_moves: moves.map_err(|error| ManagerError::Heavy(error.to_string()))?,
            board_svg: game.draw_svg(initial),
            board_text: game.draw_text(initial, &TextStyle::default()),
            check,
        })
    }

    /// What the checks say about a rulesheet; nothing is kept. It is prepared, too.
    ///
    /// # Errors
    /// [`ManagerError::TooMany`] where the text is too long, or too many wait.
    pub fn check_game(&self, name: &str, text: &str) -> Answer<GameCheck> {
        Ok(self.core().shelf.check(name, text)?.0)
    }

    /// Puts a game, or a new version of one, into the library. Returns what the checks say.
    ///
    /// # Errors
    /// [`ManagerError::Rejected`] with all findings where there are errors, or where it cannot be prepared;
    /// [`ManagerError::Name`], [`ManagerError::Invalid`], [`ManagerError::TooMany`], [`ManagerError::Store`].
    pub fn add_game(&self, game: &NewGame) -> Answer<GameCheck> {
        let core = self.core();
        core.is_open()?;
        check_name(&game.name)?;
        check_words(&game.title, &game.description)?;
        let limits = core.options.games;
        match core.store.game(&game.name, None) {
            Ok(there) if there.summary.versions >= limits.versions => {
                return Err(ManagerError::TooMany { what: "versions of a game", limit: limits.versions });
            }
            Ok(_) => {}
            Err(StoreError::NotFound { .. }) => {
                if core.store.counts()?.games >= limits.games {
                    return Err(ManagerError::TooMany { what: "games", limit: limits.games });
                }
            }
            Err(error) => return Err(error.into()),
        }
        let (check, prepared) = core.shelf.check(&game.name, &game.text)?;
        let Some(prepared) = prepared else { return Err(ManagerError::Rejected(Box::new(check))) };
        if prepared.seats().is_empty() {
            return Err(ManagerError::Invalid("nobody plays in this game: it has no roles".to_owned()));
        }
        core.store.put_game(&GameRow {
            name: game.name.clone(),
            title: game.title.trim().to_owned(),
            description: game.description.trim().to_owned(),
            text: game.text.clone(),
            sha256: check.sha256.clone(),
            dialect: check.dialect.clone(),
            notation: notation_name(prepared.notation()).to_owned(),
            bundled: false,
            added: unix_milliseconds(),
        })?;
        core.changed();
        Ok(check)
    }

    /// Gives a game another title and description.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Invalid`], [`ManagerError::Store`].
    pub fn describe_game(&self, name: &str, title: &str, description: &str) -> Answer<()> {
        self.core().is_open()?;
        check_words(title, description)?;
        let described = self.core().store.describe_game(name, title.trim(), description.trim());
        described.map_err(ManagerError::found)?;
        self.core().changed();
        Ok(())
    }
}

impl Core {
    pub(in crate::manager) fn game(&self, name: &str, version: Option<&str>) -> Answer<GameDetail> {
        self.store.game(name, version).map_err(ManagerError::found)
    }

    pub(in crate::manager) fn prepared(&self, name: &str, version: Option<&str>) -> Answer<Game> {
        let game = self.game(name, version)?;
        self.shelf.game(name, &game.version.sha256, &game.text)
    }

    /// Puts the games that come with Ludex into the library, if they are to be there. A game of the same name
    /// that somebody added stays.
    pub(in crate::manager) fn add_bundled_games(&self) -> Answer<()> {
        if !self.options.bundled_games {
            return Ok(());
        }
        for games in library::all().chunk_by(|first, second| first.name == second.name) {
            let bundled = &games[0];
            let hash = sha256(bundled.text);
            match self.store.game(bundled.name, None) {
                Ok(there) if !there.summary.bundled || there.summary.version == hash => continue,
                Ok(_) | Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            self.store.put_game(&GameRow {
                name: bundled.name.to_owned(),
                title: bundled.title.to_owned(),
                description: String::new(),
                text: bundled.text.to_owned(),
                sha256: hash,
                dialect: bundled.dialect.to_string(),
                notation: notation_name(bundled.notation).to_owned(),
                bundled: true,
                added: unix_milliseconds(),
            })?;
        }
        Ok(())
    }
}

fn check_name(name: &str) -> Answer<()> {
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    let letters =
        name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'));
    if begins && letters && name.len() <= NAME {
        return Ok(());
    }
    let rule = "lower-case letters, digits, hyphens and underscores, at most 60, no hyphen first";
    Err(ManagerError::Name { what: "game", name: name.chars().take(NAME).collect(), rule })
}

fn check_words(title: &str, description: &str) -> Answer<()> {
    for (what, text, limit) in [("title", title, TITLE), ("description", description, DESCRIPTION)] {
        if text.chars().count() > limit {
            return Err(ManagerError::Invalid(format!("a {what} has at most {limit} characters")));
        }
    }
    Ok(())
}
