//! Accounts and what belongs to them. The questions are the same in every database, so each is written once ([`Sql`]).

mod former;
mod hidden;
mod owners;
mod people;
pub(super) mod schema;
mod secrets;
mod sessions;
mod sql;
mod tokens;
mod usage;

pub(super) use sql::{Sql, plain_sql};

use super::Answer;
use crate::model::{
    Account, ApiToken, AuditEntry, Counted, HiddenThing, Page, PageRequest, Role, SecretDigest, Session,
    Thing,
};

/// Accounts, their sessions and tokens, what belongs to them, what is hidden, and what moderators did. Accounts are
/// named by their keys ([`Account::key`]).
pub trait AccountStore: Send + Sync {
    /// Keeps a new account.
    ///
    /// # Errors
    /// [`StoreError::Exists`](super::StoreError::Exists) where there is one of this name, or was; and others.
    fn add_account(&self, account: &Account) -> Answer<()>;

    /// An account; none where there is none of this key.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn account(&self, key: &str) -> Answer<Option<Account>>;

    /// The accounts whose names have this part, by name.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn accounts(&self, part: &str, page: &PageRequest) -> Answer<Page<Account>>;

    /// How many accounts have this role and are not banned.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn count_role(&self, role: Role) -> Answer<u64>;

    /// Gives an account another role.
    ///
    /// # Errors
    /// [`StoreError::NotFound`](super::StoreError::NotFound) and others.
    fn set_role(&self, key: &str, role: Role) -> Answer<()>;

    /// Gives an account another password, or none, and ends its sessions but this one, all at once.
    ///
    /// # Errors
    /// [`StoreError::NotFound`](super::StoreError::NotFound) and others.
    fn set_password(&self, key: &str, password: Option<&str>, but: Option<&SecretDigest>) -> Answer<()>;

    /// Notes where mail of an account goes.
    ///
    /// # Errors
    /// [`StoreError::NotFound`](super::StoreError::NotFound) and others.
    fn set_mail(&self, key: &str, mail: Option<&str>) -> Answer<()>;

    /// Bans an account, with when and why, and ends its sessions, tokens and links, all at once; or lets it in again.
    ///
    /// # Errors
    /// [`StoreError::NotFound`](super::StoreError::NotFound) and others.
    fn set_ban(&self, key: &str, banned: Option<(u64, &str)>) -> Answer<()>;

    /// Deletes an account with its sessions, tokens and links and what is counted of it, all at once. What belonged to it
    /// belongs to the organiser, and what names it says that somebody did it. The person who played under its name has another one, which nobody can tell it
    /// by, in lists, records and journals of matches; tournaments keep what they have. The name is not given again
    /// ([`former_key`](crate::model::former_key)).
    ///
    /// # Errors
    /// [`StoreError::NotFound`](super::StoreError::NotFound) and others.
    fn delete_account(&self, key: &str) -> Answer<()>;

    /// Notes that somebody is signed in, in place of another session where there was one.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn add_session(&self, session: &Session, instead_of: Option<&SecretDigest>) -> Answer<()>;

    /// A session with its account; none where there is none.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn session(&self, digest: &SecretDigest) -> Answer<Option<(Session, Account)>>;

    /// Notes that a session was used. A power cut may take it.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn use_session(&self, digest: &SecretDigest, at: u64) -> Answer<()>;

    /// The sessions of an account, latest first.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn sessions(&self, key: &str) -> Answer<Vec<Session>>;

    /// Ends the session of an account with this id ([`SecretDigest::id`]); whether there was one.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn end_session(&self, key: &str, id: &str) -> Answer<bool>;

    /// Keeps a sign-in link, which ends at a time.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn add_link(&self, digest: &SecretDigest, key: &str, expires: u64) -> Answer<()>;

    /// Uses a sign-in link up; the account that it is of, where it was there and had not ended.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn use_link(&self, digest: &SecretDigest, at: u64) -> Answer<Option<Account>>;

    /// Forgets sessions, tokens and links that have ended. A power cut may take it.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn forget_ended(&self, at: u64) -> Answer<()>;

    /// Keeps a token.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn add_token(&self, token: &ApiToken) -> Answer<()>;

    /// A token with its account; none where there is none.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn token(&self, digest: &SecretDigest) -> Answer<Option<(ApiToken, Account)>>;

    /// Notes that a token was used. A power cut may take it.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn use_token(&self, digest: &SecretDigest, at: u64) -> Answer<()>;

    /// The tokens of an account, newest first.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn tokens(&self, key: &str) -> Answer<Vec<ApiToken>>;

    /// Ends the token of an account with this id ([`SecretDigest::id`]); whether there was one.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn end_token(&self, key: &str, id: &str) -> Answer<bool>;

    /// The key of the account that something belongs to; none where it is the organiser's.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn owner(&self, thing: &Thing) -> Answer<Option<String>>;

    /// Gives an account something that belongs to nobody; whether it belongs to it now.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn claim(&self, thing: &Thing, key: &str) -> Answer<bool>;

    /// Gives something to an account, whoever had it, or to the organiser.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn set_owner(&self, thing: &Thing, key: Option<&str>) -> Answer<()>;

    /// What belongs to an account, by kind and name, from behind this on, as many as a page has.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn owned(&self, key: &str, behind: Option<&Thing>) -> Answer<Vec<Thing>>;

    /// How many matches of an account wait or run.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn open_matches_of(&self, key: &str) -> Answer<u64>;

    /// Hides something, or shows it again.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn hide(&self, thing: &Thing, hidden: Option<&HiddenThing>) -> Answer<()>;

    /// How something is hidden, if it is.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn hidden(&self, thing: &Thing) -> Answer<Option<HiddenThing>>;

    /// What is hidden, by kind and name, from behind this on, as much as a page has.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn all_hidden(&self, behind: Option<&Thing>) -> Answer<Vec<HiddenThing>>;

    /// Notes what a moderator did, under the next number.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn note_deed(&self, entry: &AuditEntry) -> Answer<()>;

    /// What moderators did, latest first, from before this number on, as much as a page has.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn deeds(&self, before: Option<u64>) -> Answer<Vec<AuditEntry>>;

    /// Counts so much more of an account on a day (since 1970), unless that would be more than the limit; whether it was
    /// counted.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn count(&self, key: &str, day: u64, what: Counted, more: u64, limit: u64) -> Answer<bool>;

    /// Keeps what messages to a player are signed with, or forgets it. It has to be used, so it is kept as it is.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn set_player_secret(&self, player: &str, secret: Option<&str>) -> Answer<()>;

    /// What messages to a player are signed with, if they are.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn player_secret(&self, player: &str) -> Answer<Option<String>>;

    /// How much was counted of an account on a day.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError).
    fn counted(&self, key: &str, day: u64, what: Counted) -> Answer<u64>;
}

/// Accounts in a store that is asked by `read`, `write` and `write_lazily`, which are `$via` of it. `$sql` makes a connection
/// one that is asked as [`Sql`].
macro_rules! account_store {
    ($store:ty, [$($via:tt)*], $sql:path) => {
        account_store! { $store, [$($via)*], $sql:
            write people::add: fn add_account(account: &Account) -> ();
            read people::find: fn account(key: &str) -> Option<Account>;
            read people::list: fn accounts(part: &str, page: &PageRequest) -> Page<Account>;
            read people::count_role: fn count_role(role: Role) -> u64;
            write people::set_role: fn set_role(key: &str, role: Role) -> ();
            write people::set_password:
                fn set_password(key: &str, password: Option<&str>, but: Option<&SecretDigest>) -> ();
            write people::set_mail: fn set_mail(key: &str, mail: Option<&str>) -> ();
            write people::set_ban: fn set_ban(key: &str, banned: Option<(u64, &str)>) -> ();
            write people::delete: fn delete_account(key: &str) -> ();
            write sessions::add: fn add_session(session: &Session, instead_of: Option<&SecretDigest>) -> ();
            read sessions::find: fn session(digest: &SecretDigest) -> Option<(Session, Account)>;
            write_lazily sessions::note_use: fn use_session(digest: &SecretDigest, at: u64) -> ();
            read sessions::list: fn sessions(key: &str) -> Vec<Session>;
            write sessions::end: fn end_session(key: &str, id: &str) -> bool;
            write sessions::add_link: fn add_link(digest: &SecretDigest, key: &str, expires: u64) -> ();
            write sessions::use_link: fn use_link(digest: &SecretDigest, at: u64) -> Option<Account>;
            write_lazily sessions::forget_ended: fn forget_ended(at: u64) -> ();
            write tokens::add: fn add_token(token: &ApiToken) -> ();
            read tokens::find: fn token(digest: &SecretDigest) -> Option<(ApiToken, Account)>;
            write_lazily tokens::note_use: fn use_token(digest: &SecretDigest, at: u64) -> ();
            read tokens::list: fn tokens(key: &str) -> Vec<ApiToken>;
            write tokens::end: fn end_token(key: &str, id: &str) -> bool;
            read owners::of: fn owner(thing: &Thing) -> Option<String>;
            write owners::claim: fn claim(thing: &Thing, key: &str) -> bool;
            write owners::set: fn set_owner(thing: &Thing, key: Option<&str>) -> ();
            read owners::owned: fn owned(key: &str, behind: Option<&Thing>) -> Vec<Thing>;
            read owners::open_matches: fn open_matches_of(key: &str) -> u64;
            write hidden::set: fn hide(thing: &Thing, hidden: Option<&HiddenThing>) -> ();
            read hidden::find: fn hidden(thing: &Thing) -> Option<HiddenThing>;
            read hidden::list: fn all_hidden(behind: Option<&Thing>) -> Vec<HiddenThing>;
            write hidden::note: fn note_deed(entry: &AuditEntry) -> ();
            read hidden::deeds: fn deeds(before: Option<u64>) -> Vec<AuditEntry>;
            write secrets::set: fn set_player_secret(player: &str, secret: Option<&str>) -> ();
            read secrets::find: fn player_secret(player: &str) -> Option<String>;
            write usage::count:
                fn count(key: &str, day: u64, what: Counted, more: u64, limit: u64) -> bool;
            read usage::counted: fn counted(key: &str, day: u64, what: Counted) -> u64;
        }
    };
    ($store:ty, $via:tt, $sql:path:
        $($how:ident $function:path: fn $name:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)+
    ) => {
        impl AccountStore for $store {
            $(fn $name(&self, $($argument: $kind),*) -> Answer<$answer> {
                account_store!(@asked self, $via)
                    .$how(|connection| $function(&mut $sql(connection), $($argument),*))
            })+
        }
    };
    (@asked $store:ident, [$($via:tt)*]) => { $store$($via)* };
}

account_store!(super::SqliteStore, [.connections], super::sqlite::sql);
#[cfg(feature = "postgres")]
account_store!(super::PostgresStore, [], super::postgres::sql);
