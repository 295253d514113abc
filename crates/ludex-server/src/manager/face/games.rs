//! The library of games.

use ludex::game::sha256;
use ludex::gdl::{Dialect, Notation};
use ludex::{Playable, library};

use super::{Answer, Manager, check_search};
use crate::driver::unix_milliseconds;
use crate::manager::ManagerError;
use crate::manager::core::Core;

use crate::model::{
    GameCheck, GameDetail, GameFacts, GameQuery, GameRow, GameSummary, MatchSummary, NewGame, Page,
    StoreError,
};
use crate::preparation::{About, Description, ExploreWish, Explored, Rulesheet};

/// What another release says about a game is not what this one says.
pub(super) const RELEASE: &str = env!("CARGO_PKG_VERSION");

pub(super) fn heavy(check: &GameCheck) -> ManagerError {
    match &check.heavy {
        Some(why) if !why.trim().is_empty() => ManagerError::Heavy(why.clone()),
        _ => ManagerError::Rejected(Box::new(check.clone())),
    }
}

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
        check_search(&query.text)?;
        Ok(self.core().store.games(&GameQuery { without_hidden: true, ..query.clone() })?)
    }

    /// A game with its description, versions and text, that of this version or the present one.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn game(&self, name: &str, version: Option<&str>) -> Answer<GameDetail> {
        self.core().game(name, version)
    }

    /// A game of the library, ready to be asked questions: within limits, and meant for a few of them. Prepares
    /// the game in this process, once a preparation has said that this can be done, which may take twice as long as
    /// [`GameLimits::time`](crate::manager::GameLimits::time).
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Heavy`], [`ManagerError::Store`].
    pub fn prepared_game(&self, name: &str, version: Option<&str>) -> Answer<Playable> {
        self.core().prepared(name, version)
    }

    /// Roles, sizes and initial board of a game. They are found out once for each version, and kept.
    ///
    /// # Errors
    /// As [`Manager::prepared_game`].
    pub fn game_facts(&self, name: &str, version: Option<&str>) -> Answer<GameFacts> {
        let detail = self.game(name, version)?;
        let Description { check, about } = self.core().description(&detail)?;
        let about = about.ok_or_else(|| heavy(&check))?;
        Ok(GameFacts {
            roles: about.roles,
            seats: about.seats,
            hidden: about.hidden,
            real_time: about.real_time,
            bytes: detail.text.len(),
            lines: detail.text.lines().count(),
            clauses: about.clauses,
            initial_facts: about.initial_facts,
            initial_moves: about.initial_moves,
            board_svg: about.board_svg,
            board_text: about.board_text,
            check,
        })
    }

    /// Whether a match goes on in real time.
    pub(crate) fn is_in_real_time(&self, summary: &MatchSummary) -> Answer<bool> {
        self.core().is_timed(summary)
    }

    /// What there is to say about a version of a game, as [`Manager::game_facts`], and its initial state as pages
    /// show it, where it can be prepared.
    pub(crate) fn described(&self, detail: &GameDetail) -> Answer<(GameCheck, Option<About>)> {
        let Description { check, about } = self.core().description(detail)?;
        Ok((check, about))
    }

    /// What the checks say about a rulesheet; nothing is kept. It is prepared, too.
    ///
    /// # Errors
    /// [`ManagerError::TooMany`] where the text is too long, or too many wait; [`ManagerError::Heavy`] where it
    /// brings down what checks it.
    pub fn check_game(&self, name: &str, text: &str) -> Answer<GameCheck> {
        Ok(self.core().examined(name, text)?.check)
    }

    /// What there is to see of rules that somebody is writing: what the checks say, and the state that moves lead to.
    ///
    /// # Errors
    /// As [`Manager::check_game`].
    pub(crate) fn explore_game(&self, text: &str, wish: ExploreWish) -> Answer<Explored> {
        Ok(self.core().preparation.explore(self.core().rulesheet("draft", text)?, wish)?)
    }

    /// Puts a game, or a new version of one, into the library. Returns what the checks say. A draft is kept without being
    /// offered to be played, and does not take the place of a version that is.
    ///
    /// # Errors
    /// [`ManagerError::Rejected`] with all findings where there are errors, where it cannot be prepared, or where nobody
    /// can play it and it is no draft; [`ManagerError::Busy`] where that could not be found out in time;
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
        let description = core.examined(&game.name, &game.text)?;
        let check = description.check.clone();
        let Some(about) = description.about.as_ref().filter(|_| check.accepted || game.draft) else {
            return Err(ManagerError::Rejected(Box::new(check)));
        };
        if about.seats.is_empty() {
            return Err(ManagerError::Invalid("nobody plays in this game: it has no roles".to_owned()));
        }
        core.store.put_game(&GameRow {
            name: game.name.clone(),
            title: game.title.trim().to_owned(),
            description: game.description.trim().to_owned(),
            text: game.text.clone(),
            sha256: check.sha256.clone(),
            dialect: check.dialect.clone(),
            notation: about.notation.clone(),
            bundled: false,
            added: unix_milliseconds(),
            offered: !game.draft,
        })?;
        core.keep_description(&game.name, &check.sha256, &description);
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
        described?;
        self.core().changed();
        Ok(())
    }
}

impl Core {
    pub(super) fn is_timed(&self, summary: &MatchSummary) -> Answer<bool> {
        let game = self.game(&summary.game, Some(&summary.version))?;
        Ok(Dialect::named(&game.version.dialect).is_some_and(Dialect::is_timed))
    }

    pub(in crate::manager) fn game(&self, name: &str, version: Option<&str>) -> Answer<GameDetail> {
        Ok(self.store.game(name, version)?)
    }

    /// A game that is offered to be played.
    ///
    /// # Errors
    /// [`ManagerError::NotOffered`], and those of [`Core::game`].
    pub(in crate::manager) fn offered(&self, name: &str, version: Option<&str>) -> Answer<GameDetail> {
        let game = self.game(name, version)?;
        let why = match (game.version.offered, game.summary.bundled) {
            (true, _) => return Ok(game),
            (false, true) => "its rules are only there to be read",
            (false, false) => "it is a draft",
        };
        Err(ManagerError::NotOffered { name: game.summary.name, why })
    }

    pub(in crate::manager) fn prepared(&self, name: &str, version: Option<&str>) -> Answer<Playable> {
        self.prepared_from(&self.game(name, version)?)
    }

    /// A game that is ready, or is made so. It is prepared here only where a preparation has said that it can be.
    pub(in crate::manager) fn prepared_from(&self, game: &GameDetail) -> Answer<Playable> {
        let Description { check, about } = self.description(game)?;
        if about.is_none() {
            return Err(heavy(&check));
        }
        self.games.game(&game.summary.name, &game.version.sha256, &game.text)
    }

    /// What a preparation says about a rulesheet.
    pub(in crate::manager) fn examined(&self, name: &str, text: &str) -> Answer<Description> {
        Ok(self.preparation.describe(self.rulesheet(name, text)?)?)
    }

    /// A text as a preparation is asked about it.
    fn rulesheet(&self, name: &str, text: &str) -> Answer<Rulesheet> {
        if text.len() > self.options.games.text {
            let limit = self.options.games.text as u64;
            return Err(ManagerError::TooMany { what: "bytes of a rulesheet", limit });
        }
        Ok(Rulesheet { name: name.to_owned(), text: text.to_owned(), sha256: sha256(text) })
    }

    /// What there is to say about a version of a game. It is found out once; what cannot be prepared may be
    /// tried again later, with more memory or time.
    pub(in crate::manager) fn description(&self, game: &GameDetail) -> Answer<Description> {
        let (name, sha256) = (&game.summary.name, &game.version.sha256);
        let kept = self.store.description(name, sha256, RELEASE)?;
        if let Some(known) = kept.and_then(|text| serde_json::from_str(&text).ok()) {
            return Ok(known);
        }
        let description = self.examined(name, &game.text)?;
        self.keep_description(name, sha256, &description);
        Ok(description)
    }

    fn keep_description(&self, name: &str, sha256: &str, description: &Description) {
        if description.about.is_none() {
            return;
        }
        // Plain data with text keys: JSON can always hold it.
        let text = serde_json::to_string(description).unwrap_or_default();
        if let Err(error) = self.store.keep_description(name, sha256, RELEASE, &text) {
            // It is found out again the next time.
            tracing::warn!(name, %error, "what there is to say about a game cannot be kept");
        }
    }

    /// Puts the games that come with Ludex into the library, if they are to be there. A game of the same name that somebody
    /// added stays.
    pub(in crate::manager) fn add_bundled_games(&self) -> Answer<()> {
        if !self.options.bundled_games {
            return Ok(());
        }
        for games in library::all().chunk_by(|first, second| first.name == second.name) {
            let bundled = &games[0];
            let hash = sha256(bundled.text);
            match self.store.game(bundled.name, None) {
                Ok(there) if !there.summary.bundled => continue,
                Ok(there) if there.summary.version == hash && there.version.offered == bundled.runs() => {
                    continue;
                }
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
                notation: match bundled.notation {
                    Notation::Prefix => "prefix",
                    Notation::Infix => "infix",
                }
                .to_owned(),
                bundled: true,
                added: unix_milliseconds(),
                offered: bundled.runs(),
            })?;
        }
        self.note_bundled_features()
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
