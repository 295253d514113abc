//! What there is of an account, for whoever it is of; and its end.

use serde::Serialize;

use super::{Accounts, Answer, SessionInfo, TokenInfo};
use crate::manager::ManagerError;
use crate::model::{
    Account, AccountSummary, GameDetail, MatchQuery, MatchStage, MatchSummary, PlayerKind, Thing, ThingKind,
    all_pages,
};

/// All that is kept of an account.
#[derive(Clone, Debug, Serialize)]
pub struct AccountData {
    /// The account itself.
    pub account: AccountSummary,
    /// Where it is signed in.
    pub sessions: Vec<SessionInfo>,
    /// Its tokens, without what they open.
    pub tokens: Vec<TokenInfo>,
    /// Its games with their rules.
    pub games: Vec<OwnGame>,
    /// Its players.
    pub players: Vec<OwnPlayer>,
    /// The matches that it made, or played under its name.
    pub matches: Vec<MatchSummary>,
}

/// A game of an account.
#[derive(Clone, Debug, Serialize)]
pub struct OwnGame {
    /// Its name.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// What there is to say about it.
    pub description: String,
    /// The rules of the present version.
    pub rules: String,
}

/// A player of an account.
#[derive(Clone, Debug, Serialize)]
pub struct OwnPlayer {
    /// Its name.
    pub name: String,
    /// What it is.
    #[serde(flatten)]
    pub kind: PlayerKind,
}

/// So many matches of an account are told, the newest of those that it played and made: records can be had one by one.
const MATCHES: usize = 100_000;

impl Accounts {
    /// All that belongs to an account.
    fn things(&self, key: &str) -> Answer<Vec<Thing>> {
        let mut things: Vec<Thing> = Vec::new();
        loop {
            let more = self.store().owned(key, things.last())?;
            if more.is_empty() {
                return Ok(things);
            }
            things.extend(more);
        }
    }

    /// All that is kept of an account.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn data(&self, name: &str) -> Answer<AccountData> {
        let account = self.find(name)?;
        let (store, key) = (&self.0.store, account.key());
        let (mut games, mut players, mut matches) = (Vec::new(), Vec::new(), Vec::new());
        let played = |page| {
            let player = Some(account.name.clone());
            Ok::<_, ManagerError>(store.matches(&MatchQuery { player, page, ..MatchQuery::default() })?)
        };
        matches.extend(all_pages(played)?);
        let known: std::collections::BTreeSet<String> =
            matches.iter().map(|m: &MatchSummary| m.id.clone()).collect();
        for thing in self.things(&key)? {
            match thing.kind {
                ThingKind::Game => {
                    if let Some(GameDetail { summary, description, text, .. }) =
                        there(store.game(&thing.name, None))?
                    {
                        let (name, title) = (summary.name, summary.title);
                        games.push(OwnGame { name, title, description, rules: text });
                    }
                }
                ThingKind::Player => {
                    if let Some(player) = there(store.player(&thing.name))? {
                        players.push(OwnPlayer { name: player.name, kind: player.kind });
                    }
                }
                ThingKind::Match if known.contains(&thing.name) || matches.len() >= MATCHES => {}
                ThingKind::Match => {
                    matches.extend(there(store.find_match(&thing.name))?.map(|row| row.summary))
                }
            }
        }
        Ok(AccountData {
            sessions: self.sessions(&account.name)?,
            tokens: self.tokens(&account.name)?,
            account: account.summary(),
            games,
            players,
            matches,
        })
    }

    /// Deletes one's own account, whose password has to be known where there is one.
    ///
    /// # Errors
    /// [`ManagerError::SignIn`] where it is not the password, [`ManagerError::Invalid`] for the last administrator,
    /// [`ManagerError::NotFound`], [`ManagerError::Crowded`], [`ManagerError::Store`].
    pub fn leave(&self, name: &str, password: &str) -> Answer<()> {
        let account = self.find(name)?;
        if account.password.is_some() && !self.0.passwords.fits(password, account.password.as_deref())? {
            return Err(ManagerError::SignIn);
        }
        let is_administrator = account.role == crate::model::Role::Administrator && account.banned.is_none();
        if is_administrator && self.store().count_role(account.role)? <= 1 {
            let text = "the last administrator makes somebody else one before leaving";
            return Err(ManagerError::Invalid(text.to_owned()));
        }
        self.remove(&account)
    }

    /// Deletes an account with what is kept of it, once nothing goes on under its name.
    pub(super) fn remove(&self, account: &Account) -> Answer<()> {
        for stage in [MatchStage::Planned, MatchStage::Running] {
            let (player, stage) = (Some(account.name.clone()), Some(stage));
            let query = MatchQuery { player, stage, ..MatchQuery::default() };
            if let Some(open) = self.0.store.matches(&query)?.items.first() {
                let (name, by) = (account.name.clone(), format!("the match {}", open.id));
                return Err(ManagerError::InUse { what: "account", name, by });
            }
        }
        Ok(self.store().delete_account(&account.key())?)
    }
}

/// What may be gone by now.
fn there<T>(found: Result<T, crate::model::StoreError>) -> Answer<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(crate::model::StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
