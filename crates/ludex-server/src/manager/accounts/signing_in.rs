//! Accounts are made and signed in to: by a password, or by a link that comes by mail.

use serde::Serialize;

use super::names::{check_mail, check_name};
use super::password::Passwords;
use super::{Accounts, Answer, Letter, after, digest_of, shown};
use crate::clock::unix_milliseconds;
use crate::manager::ManagerError;
use crate::manager::seat_key::drawn_secret;
use crate::model::{
    Account, Actor, Counted, PlayerKind, Role, SecretDigest, Session, StoreError, Thing, ThingKind,
    account_key,
};

/// How often it is noted that a session is used, in milliseconds.
const NOTED: u64 = 5 * 60 * 1000;
/// So much is kept of what a browser calls itself, in characters.
const ABOUT: usize = 120;

/// That somebody has signed in: what the browser is to keep, which is told this once.
#[derive(Clone)]
pub struct SignedIn {
    /// The name of the account.
    pub name: String,
    /// What opens the session.
    pub secret: String,
    /// For how many seconds.
    pub seconds: u64,
}

/// Says nothing of what opens the session.
impl std::fmt::Debug for SignedIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignedIn").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A session as its account sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SessionInfo {
    /// What it is ended by. It opens nothing.
    pub id: String,
    /// Since when, in milliseconds since 1970.
    pub created: u64,
    /// When it was last used, about.
    pub used: u64,
    /// When it ends.
    pub expires: u64,
    /// What the browser calls itself.
    pub about: String,
}

impl Accounts {
    /// Makes an account, and the player that plays under its name. One without a password is signed in to by links.
    ///
    /// # Errors
    /// [`ManagerError::Name`], [`ManagerError::Exists`] for an account, or a player that somebody else has;
    /// [`ManagerError::Invalid`] for the address or the password, [`ManagerError::Crowded`], [`ManagerError::Store`].
    pub fn add(&self, name: &str, mail: &str, password: Option<&str>, role: Role) -> Answer<Account> {
        check_name(name)?;
        let mail = check_mail(mail)?;
        if let Some(password) = password {
            Passwords::check(password, name)?;
        }
        let key = account_key(name);
        if self.store().account(&key)?.is_some() {
            return Err(ManagerError::Exists { what: "account", name: shown(name) });
        }
        let store = &self.0.store;
        match store.player(name) {
            Ok(player) => return Err(ManagerError::Exists { what: "player", name: player.name }),
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let password = password.map(|password| self.0.passwords.hash(password)).transpose()?;
        let created = unix_milliseconds();
        let account =
            Account { name: name.to_owned(), mail, password, role, created, seen: None, banned: None };
        self.store().add_account(&account)?;
        self.store().claim(&Thing::new(ThingKind::Player, name), &key)?;
        store.put_player(name, &PlayerKind::Person, created)?;
        Ok(account)
    }

    /// Makes an account for somebody who comes, where anybody may.
    ///
    /// # Errors
    /// [`ManagerError::Forbidden`] where nobody may, or where nothing is given to sign in by; and those of
    /// [`Accounts::add`].
    pub fn sign_up(&self, name: &str, mail: &str, password: &str) -> Answer<Account> {
        let Some(role) = self.options().sign_up else {
            let text = "administrators make the accounts of this server";
            return Err(ManagerError::Forbidden(text.to_owned()));
        };
        let by_link = self.options().mail.is_some() && !mail.trim().is_empty();
        let password = Some(password).filter(|password| !password.is_empty() || !by_link);
        self.add(name, mail, password, role)
    }

    /// Signs in by a password. Whoever is signed in so far in this browser, `before`, is not any more.
    ///
    /// # Errors
    /// [`ManagerError::SignIn`] where they do not fit together, which says the same and takes as long where there is no
    /// such account; [`ManagerError::Banned`], [`ManagerError::Crowded`], [`ManagerError::Store`].
    pub fn sign_in(&self, name: &str, password: &str, about: &str, before: Option<&str>) -> Answer<SignedIn> {
        let account = self.store().account(&account_key(name.trim()))?;
        let kept = account.as_ref().and_then(|account| account.password.as_deref());
        let fits = self.0.passwords.fits(password, kept)?;
        let account = account.filter(|_| fits).ok_or(ManagerError::SignIn)?;
        self.begin(&account, about, before)
    }

    /// Begins a session, under a secret that is new each time.
    fn begin(&self, account: &Account, about: &str, before: Option<&str>) -> Answer<SignedIn> {
        if let Some((_, why)) = &account.banned {
            return Err(ManagerError::Banned(why.clone()));
        }
        let (secret, created) = (drawn_secret()?, unix_milliseconds());
        let session = Session {
            digest: digest_of(&secret),
            account: account.key(),
            created,
            used: created,
            expires: after(created, self.options().session),
            about: about.chars().filter(|c| !c.is_control()).take(ABOUT).collect(),
        };
        self.store().forget_ended(created)?;
        self.store().add_session(&session, before.map(digest_of).as_ref())?;
        let seconds = self.options().session.as_secs();
        Ok(SignedIn { name: account.name.clone(), secret, seconds })
    }

    /// Sends a sign-in link to an account that has an address of mail. Nobody is told whether it has, or whether there is
    /// such an account: that is for the log.
    pub fn send_link(&self, name: &str) {
        if let Err(error) = self.try_sending_link(name) {
            tracing::warn!(%error, "a sign-in link is not sent");
        }
    }

    fn try_sending_link(&self, name: &str) -> Answer<()> {
        let Some(mail) = &self.options().mail else { return Ok(()) };
        let key = account_key(name.trim());
        let Some(account) = self.store().account(&key)? else { return Ok(()) };
        let Some(to) = account.mail.clone().filter(|_| account.banned.is_none()) else { return Ok(()) };
        let at = unix_milliseconds();
        let limit = self.options().quotas.mails;
        if !self.store().count(&key, super::quotas::day(at), Counted::Mails, 1, limit)? {
            return Err(ManagerError::TooMany { what: "mails to an account a day", limit });
        }
        let secret = drawn_secret()?;
        self.store().add_link(&digest_of(&secret), &key, after(at, self.options().link))?;
        let minutes = self.options().link.as_secs() / 60;
        let address = &self.options().address;
        let text = format!(
            "Hello {},\n\nby this link you are signed in to {address}. It can be used once, within {minutes} \
             minutes:\n\n{address}/sign-in/link?key={secret}\n\nIf you did not ask for it, there is nothing you need \
             to do: nobody else has it.\n",
            account.name
        );
        let _turn = self.0.letters.enter().map_err(|_| ManagerError::Crowded { what: "letters" })?;
        mail.send(&Letter { to, subject: "Your link to sign in to Ludex".to_owned(), text })?;
        Ok(())
    }

    /// Signs in by a link, which is used up by it.
    ///
    /// # Errors
    /// [`ManagerError::Link`] where it was used before, is too old or never was one; [`ManagerError::Banned`],
    /// [`ManagerError::Store`].
    pub fn sign_in_by_link(&self, key: &str, about: &str, before: Option<&str>) -> Answer<SignedIn> {
        let account = self.store().use_link(&digest_of(key), unix_milliseconds())?;
        self.begin(&account.ok_or(ManagerError::Link)?, about, before)
    }

    /// Who has a session; none where it has ended, or never was one.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn of_session(&self, secret: &str) -> Answer<Option<Actor>> {
        let (digest, at) = (digest_of(secret), unix_milliseconds());
        let Some((session, account)) = self.store().session(&digest)? else { return Ok(None) };
        let is_idle = at >= after(session.used, self.options().idle);
        if at >= session.expires || is_idle || account.banned.is_some() {
            return Ok(None);
        }
        if at >= session.used.saturating_add(NOTED) {
            self.store().use_session(&digest, at)?;
        }
        Ok(Some(Actor { account: Some(account.name), role: account.role, scopes: None }))
    }

    /// Ends the session that this opens.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn sign_out(&self, secret: &str) -> Answer<()> {
        if let Some((session, _)) = self.store().session(&digest_of(secret))? {
            self.store().end_session(&session.account, &session.digest.id())?;
        }
        Ok(())
    }

    /// The sessions of an account, and which of them this secret opens.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn sessions(&self, name: &str) -> Answer<Vec<SessionInfo>> {
        let info = |session: Session| SessionInfo {
            id: session.digest.id(),
            created: session.created,
            used: session.used,
            expires: session.expires,
            about: session.about,
        };
        Ok(self.store().sessions(&account_key(name))?.into_iter().map(info).collect())
    }

    /// The id of the session that a secret opens, as [`Accounts::sessions`] has it.
    pub fn session_id(secret: &str) -> String {
        digest_of(secret).id()
    }

    /// Ends a session of an account.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn end_session(&self, name: &str, id: &str) -> Answer<()> {
        match self.store().end_session(&account_key(name), id)? {
            true => Ok(()),
            false => Err(ManagerError::NotFound { what: "session", name: shown(id) }),
        }
    }

    /// Changes the password of an account, which has to be known where there is one; all its other sessions end.
    ///
    /// # Errors
    /// [`ManagerError::SignIn`] where it is not the password; [`ManagerError::Invalid`] where the new one cannot be one;
    /// [`ManagerError::NotFound`], [`ManagerError::Crowded`], [`ManagerError::Store`].
    pub fn change_password(&self, name: &str, old: &str, new: &str, session: Option<&str>) -> Answer<()> {
        let account = self.find(name)?;
        if account.password.is_some() && !self.0.passwords.fits(old, account.password.as_deref())? {
            return Err(ManagerError::SignIn);
        }
        self.set_password(&account, new, session.map(digest_of).as_ref())
    }

    /// A password that nobody guesses.
    ///
    /// # Errors
    /// [`ManagerError::System`] where the system has no random numbers.
    pub fn drawn_password() -> Answer<String> {
        Ok(drawn_secret()?.chars().take(24).collect())
    }

    /// Gives an account another password, whatever it was; all its sessions end.
    ///
    /// # Errors
    /// As [`Accounts::change_password`].
    pub fn reset_password(&self, name: &str, new: &str) -> Answer<()> {
        self.set_password(&self.find(name)?, new, None)
    }

    fn set_password(&self, account: &Account, new: &str, but: Option<&SecretDigest>) -> Answer<()> {
        Passwords::check(new, &account.name)?;
        let hash = self.0.passwords.hash(new)?;
        Ok(self.store().set_password(&account.key(), Some(&hash), but)?)
    }

    /// Changes where mail of an account goes. Whoever can read that mail can sign in by it, so the password has to be known
    /// where there is one.
    ///
    /// # Errors
    /// [`ManagerError::SignIn`], [`ManagerError::Invalid`], [`ManagerError::NotFound`], [`ManagerError::Crowded`],
    /// [`ManagerError::Store`].
    pub fn change_mail(&self, name: &str, password: &str, mail: &str) -> Answer<()> {
        let account = self.find(name)?;
        let mail = check_mail(mail)?;
        match account.password.as_deref() {
            Some(kept) if !self.0.passwords.fits(password, Some(kept))? => return Err(ManagerError::SignIn),
            None if mail.is_none() => {
                let text = "an account without a password is signed in to by mail, and needs an address";
                return Err(ManagerError::Invalid(text.to_owned()));
            }
            _ => {}
        }
        Ok(self.store().set_mail(&account.key(), mail.as_deref())?)
    }
}
