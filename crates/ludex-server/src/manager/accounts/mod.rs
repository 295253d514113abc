//! The accounts of a server for strangers: signing in, what belongs to whom, quotas and moderation.

mod data;
mod mail;
mod moderation;
mod names;
mod password;
mod quotas;
mod signing_in;
mod tokens;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

pub use data::AccountData;
pub use mail::{CommandMail, FolderMail, Letter, Mail};
use password::Passwords;
pub use quotas::Quotas;
use quotas::Turns;
pub use signing_in::{SessionInfo, SignedIn};
pub use tokens::{NewToken, TokenInfo};

use super::ManagerError;
use crate::clock::unix_milliseconds;
use crate::gate::Gate;
use crate::model::{Account, Actor, AuditEntry, Role, SecretDigest, account_key};
use crate::store::{AccountStore, Store};

type Answer<T> = Result<T, ManagerError>;

/// How accounts are kept.
#[derive(Clone)]
pub struct AccountOptions {
    /// What somebody is who makes an account; none where administrators make them all.
    pub sign_up: Option<Role>,
    /// Whether somebody who is not signed in may take a seat against an opponent at once.
    pub visitors_play: bool,
    /// Where the server is, as links in mails say it: `https://ludex.example`.
    pub address: String,
    /// What sends mail; none where nothing is sent.
    pub mail: Option<Arc<dyn Mail>>,
    /// How long somebody stays signed in.
    pub session: Duration,
    /// How long somebody stays signed in who does nothing.
    pub idle: Duration,
    /// How long a sign-in link is good for.
    pub link: Duration,
    /// What each account may use.
    pub quotas: Quotas,
    /// How many passwords are worked on at the same time.
    pub passwords_at_once: usize,
    /// How many may wait for that. More are refused.
    pub passwords_waiting: usize,
}

impl Default for AccountOptions {
    /// Who signs up is a player; visitors make no matches; no mail; signed in for 30 days, and 7 days after the last
    /// request; links for 15 minutes; 2 passwords at once, 32 that wait.
    fn default() -> Self {
        const DAY: u64 = 86_400;
        Self {
            sign_up: Some(Role::Player),
            visitors_play: false,
            address: "http://127.0.0.1:8080".to_owned(),
            mail: None,
            session: Duration::from_secs(30 * DAY),
            idle: Duration::from_secs(7 * DAY),
            link: Duration::from_secs(15 * 60),
            quotas: Quotas::default(),
            passwords_at_once: 2,
            passwords_waiting: 32,
        }
    }
}

impl fmt::Debug for AccountOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountOptions").field("sign_up", &self.sign_up).finish_non_exhaustive()
    }
}

/// The accounts of a store. Clones are the same. All methods block.
#[derive(Clone)]
pub struct Accounts(Arc<Inner>);

struct Inner {
    store: Arc<dyn Store>,
    options: AccountOptions,
    passwords: Passwords,
    letters: Gate,
    turns: Turns,
}

impl fmt::Debug for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accounts").finish_non_exhaustive()
    }
}

/// So many letters are sent at the same time, and so many may wait.
const LETTERS: (usize, usize) = (2, 32);

impl Accounts {
    /// The accounts of a store.
    pub fn new(store: Arc<dyn Store>, options: AccountOptions) -> Self {
        let passwords = Passwords::new(options.passwords_at_once, options.passwords_waiting);
        let letters = Gate::new(LETTERS.0, LETTERS.1);
        Self(Arc::new(Inner { store, options, passwords, letters, turns: Turns::default() }))
    }

    /// How they are kept.
    pub fn options(&self) -> &AccountOptions {
        &self.0.options
    }

    fn store(&self) -> &dyn AccountStore {
        self.0.store.accounts()
    }

    /// An account.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn find(&self, name: &str) -> Answer<Account> {
        let found = self.store().account(&account_key(name))?;
        found.ok_or_else(|| ManagerError::NotFound { what: "account", name: shown(name) })
    }

    /// Whether there is an administrator, who alone can make others.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn has_administrator(&self) -> Answer<bool> {
        Ok(self.store().count_role(Role::Administrator)? > 0)
    }

    /// Notes in the log of moderators what somebody did.
    fn note(&self, actor: &Actor, action: &str, what: String, detail: impl Into<String>) -> Answer<()> {
        let who = actor.account.clone().unwrap_or_else(|| "the command line".to_owned());
        tracing::info!(who, action, what, "a moderator did something");
        Ok(self.store().note_deed(&AuditEntry {
            number: 0,
            at: unix_milliseconds(),
            who,
            action: action.to_owned(),
            what,
            detail: detail.into(),
        })?)
    }
}

/// A name as it may be repeated to whoever gave it.
fn shown(name: &str) -> String {
    name.chars().take(crate::model::ACCOUNT_NAME).collect()
}

/// What is kept of a secret.
fn digest_of(secret: &str) -> SecretDigest {
    SecretDigest(Sha256::digest(secret).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A moment after another, in milliseconds.
fn after(at: u64, time: Duration) -> u64 {
    at.saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}
