//! What is kept of accounts: who they are, how they sign in, what belongs to them.

use std::fmt;

use ludex::game::sha256;
use serde::Serialize;

use super::{Role, Scope};

/// The longest name of an account, in characters.
pub const ACCOUNT_NAME: usize = 32;

/// An account. Times are milliseconds since 1970.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// Its name: ASCII letters, digits, `-` and `_`, a letter first. Case does not matter.
    pub name: String,
    /// Where mail goes, if anywhere.
    pub mail: Option<String>,
    /// What is kept of its password, in the PHC string format; none where it is signed in to by links only.
    pub password: Option<String>,
    /// What it may do.
    pub role: Role,
    /// When it was made.
    pub created: u64,
    /// When somebody last signed in.
    pub seen: Option<u64>,
    /// When it was banned, and why, if it is.
    pub banned: Option<(u64, String)>,
}

/// Says nothing of the password.
impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("name", &self.name).field("role", &self.role).finish_non_exhaustive()
    }
}

impl Account {
    /// What tells accounts apart: the name in lower case.
    pub fn key(&self) -> String {
        account_key(&self.name)
    }

    /// What may be shown of it to whoever looks after accounts.
    pub fn summary(&self) -> AccountSummary {
        AccountSummary {
            name: self.name.clone(),
            role: self.role,
            mail: self.mail.clone(),
            has_password: self.password.is_some(),
            created: self.created,
            seen: self.seen,
            banned: self.banned.as_ref().map(|(at, _)| *at),
            why: self.banned.as_ref().map(|(_, why)| why.clone()),
        }
    }
}

/// What tells accounts apart: the name in lower case.
pub fn account_key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// What stands in place of an account that was deleted, so that nobody else gets its name: nobody can tell the name by it
/// who does not know it.
pub fn former_key(key: &str) -> String {
    let digest = sha256(&format!("former account {key}"));
    format!("~{}", digest.chars().take(32).collect::<String>())
}

/// What may be shown of an account to itself and to administrators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccountSummary {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// Where mail goes.
    pub mail: Option<String>,
    /// Whether it has a password.
    pub has_password: bool,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// When somebody last signed in.
    pub seen: Option<u64>,
    /// When it was banned.
    pub banned: Option<u64>,
    /// Why it was banned.
    pub why: Option<String>,
}

/// What is kept of a secret that was told once: its SHA-256, in hexadecimal. Secrets have 256 random bits, which cannot be
/// found again from it by trying.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretDigest(pub String);

impl SecretDigest {
    /// As much of it as tells the secrets of an account apart. It opens nothing.
    pub fn id(&self) -> String {
        self.0.chars().take(16).collect()
    }
}

/// Says nothing of it.
impl fmt::Debug for SecretDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretDigest")
    }
}

/// That somebody is signed in. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// What is kept of what the browser keeps.
    pub digest: SecretDigest,
    /// The key of the account.
    pub account: String,
    /// Since when.
    pub created: u64,
    /// When it was last used, about.
    pub used: u64,
    /// When it ends.
    pub expires: u64,
    /// What the browser calls itself.
    pub about: String,
}

/// A token of an account, for programs. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiToken {
    /// What is kept of it.
    pub digest: SecretDigest,
    /// The key of the account.
    pub account: String,
    /// What its owner calls it.
    pub name: String,
    /// What it is for.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created: u64,
    /// When it ends.
    pub expires: u64,
    /// When it was last used, about.
    pub used: Option<u64>,
}

/// What kind of thing belongs to somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThingKind {
    /// A game of the library.
    Game,
    /// A registered player.
    Player,
    /// A match.
    Match,
}

impl ThingKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Game, Self::Player, Self::Match];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Game => "game",
            Self::Player => "player",
            Self::Match => "match",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Something that belongs to somebody and can be hidden.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Thing {
    /// What it is.
    pub kind: ThingKind,
    /// Its name, or that of a match.
    pub name: String,
}

impl Thing {
    /// A thing by its name.
    pub fn new(kind: ThingKind, name: &str) -> Self {
        // Case does not matter in names of players.
        let name = if kind == ThingKind::Player { name.to_ascii_lowercase() } else { name.to_owned() };
        Self { kind, name }
    }
}

/// Something that is hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HiddenThing {
    /// What.
    #[serde(flatten)]
    pub thing: Thing,
    /// Since when, in milliseconds since 1970.
    pub at: u64,
    /// Who hid it.
    pub by: String,
    /// Why.
    pub why: String,
}

/// What a moderator or an administrator did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    /// Its number, from 1.
    pub number: u64,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Who.
    pub who: String,
    /// What was done, such as `hide` or `ban`.
    pub action: String,
    /// To what: the kind and the name.
    pub what: String,
    /// How, and why.
    pub detail: String,
}

/// What is counted of an account on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counted {
    /// Versions of games that were kept.
    Uploads,
    /// Milliseconds of work on rules, as quotas count it.
    Work,
    /// Mails that were sent to it.
    Mails,
}

impl Counted {
    /// What it is kept as.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uploads => "uploads",
            Self::Work => "work",
            Self::Mails => "mails",
        }
    }
}
