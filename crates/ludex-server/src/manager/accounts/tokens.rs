//! Tokens of accounts, for programs.

use std::time::Duration;

use serde::Serialize;

use super::{Accounts, Answer, after, digest_of, shown};
use crate::clock::unix_milliseconds;
use crate::manager::ManagerError;
use crate::manager::seat_key::drawn_secret;
use crate::model::{Actor, ApiToken, Scope, account_key};

/// So many tokens has an account at most.
const TOKENS: usize = 50;
/// The longest name of a token, in characters.
const NAME: usize = 60;
/// The longest life of a token, in days.
const DAYS: u64 = 366;
/// How often it is noted that a token is used, in milliseconds.
const NOTED: u64 = 60 * 1000;
/// What tokens begin with, so that whoever finds one knows what it is.
const PREFIX: &str = "ludex_";

/// A token that was just made. It is told this once.
#[derive(Clone, Serialize)]
pub struct NewToken {
    /// The token.
    pub token: String,
    /// What it is called, and what it is for.
    #[serde(flatten)]
    pub info: TokenInfo,
}

/// Says nothing of the token.
impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewToken").field("info", &self.info).finish_non_exhaustive()
    }
}

/// A token as its account sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenInfo {
    /// What it is ended by. It opens nothing.
    pub id: String,
    /// What its owner calls it.
    pub name: String,
    /// What it is for.
    pub scopes: Vec<Scope>,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// When it ends.
    pub expires: u64,
    /// When it was last used, about.
    pub used: Option<u64>,
}

impl From<ApiToken> for TokenInfo {
    fn from(token: ApiToken) -> Self {
        let ApiToken { digest, name, scopes, created, expires, used, .. } = token;
        Self { id: digest.id(), name, scopes, created, expires, used }
    }
}

impl Accounts {
    /// Makes a token for whoever asks, for so many days. Whoever asks with a token can make none that is for more.
    ///
    /// # Errors
    /// [`ManagerError::Invalid`], [`ManagerError::Forbidden`], [`ManagerError::TooMany`], [`ManagerError::Store`].
    pub fn make_token(&self, actor: &Actor, name: &str, scopes: &[Scope], days: u64) -> Answer<NewToken> {
        let Some(account) = &actor.account else {
            return Err(ManagerError::Forbidden("only an account has tokens".to_owned()));
        };
        let name = name.trim();
        if name.is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
            return Err(ManagerError::Invalid(format!("the name of a token has 1 to {NAME} characters")));
        }
        if !(1..=DAYS).contains(&days) {
            return Err(ManagerError::Invalid(format!("a token is good for 1 to {DAYS} days")));
        }
        let mut scopes = scopes.to_vec();
        scopes.sort_unstable();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(ManagerError::Invalid("a token is for something: it has a scope".to_owned()));
        }
        if let Some(more) = scopes.iter().find(|scope| !actor.has_scope(**scope)) {
            let text = format!("the token that asks is not for `{}`, and makes none that is", more.name());
            return Err(ManagerError::Forbidden(text));
        }
        let key = account_key(account);
        if self.store().tokens(&key)?.len() >= TOKENS {
            return Err(ManagerError::TooMany { what: "tokens of an account", limit: TOKENS as u64 });
        }
        let (token, created) = (format!("{PREFIX}{}", drawn_secret()?), unix_milliseconds());
        let kept = ApiToken {
            digest: digest_of(&token),
            account: key,
            name: name.to_owned(),
            scopes,
            created,
            expires: after(created, Duration::from_secs(days * 86_400)),
            used: None,
        };
        self.store().add_token(&kept)?;
        Ok(NewToken { token, info: kept.into() })
    }

    /// The tokens of an account.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn tokens(&self, name: &str) -> Answer<Vec<TokenInfo>> {
        Ok(self.store().tokens(&account_key(name))?.into_iter().map(TokenInfo::from).collect())
    }

    /// Ends a token of an account.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn end_token(&self, name: &str, id: &str) -> Answer<()> {
        match self.store().end_token(&account_key(name), id)? {
            true => Ok(()),
            false => Err(ManagerError::NotFound { what: "token", name: shown(id) }),
        }
    }

    /// Who shows a token; none where it has ended, or never was one.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn of_token(&self, token: &str) -> Answer<Option<Actor>> {
        let (digest, at) = (digest_of(token), unix_milliseconds());
        let Some((token, account)) = self.store().token(&digest)? else { return Ok(None) };
        if at >= token.expires || account.banned.is_some() {
            return Ok(None);
        }
        if token.used.is_none_or(|used| at >= used.saturating_add(NOTED)) {
            self.store().use_token(&digest, at)?;
        }
        Ok(Some(Actor { account: Some(account.name), role: account.role, scopes: Some(token.scopes) }))
    }
}
