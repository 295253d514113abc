//! What moderators do: hide, ban, transfer, and a log of it.

use super::{Accounts, Answer};
use crate::clock::unix_milliseconds;
use crate::manager::ManagerError;
use crate::model::{
    Account, AccountSummary, Action, Actor, AuditEntry, HiddenThing, Page, PageRequest, PlayerKind, Role,
    Thing, ThingKind, account_key,
};

/// The longest reason, in characters.
const WHY: usize = 500;

fn reason(why: &str) -> Answer<String> {
    let why = why.trim();
    if why.chars().count() > WHY {
        return Err(ManagerError::Invalid(format!("a reason has at most {WHY} characters")));
    }
    Ok(why.to_owned())
}

fn named(thing: &Thing) -> String {
    format!("{} {}", thing.kind.name(), thing.name)
}

impl Accounts {
    /// The accounts whose names have this part, by name.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn list(&self, part: &str, page: &PageRequest) -> Answer<Page<AccountSummary>> {
        Ok(self.store().accounts(part, page)?.map(|account| account.summary()))
    }

    /// That there is such a thing, by the name that it has.
    fn is_there(&self, thing: &Thing) -> Answer<()> {
        let store = &self.0.store;
        match thing.kind {
            ThingKind::Game => store.game(&thing.name, None).map(drop)?,
            ThingKind::Player => store.player(&thing.name).map(drop)?,
            ThingKind::Match => store.find_match(&thing.name).map(drop)?,
        }
        Ok(())
    }

    /// Hides something: it stands in no list, and only its owner and moderators see it.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Invalid`], [`ManagerError::Store`].
    pub fn hide(&self, actor: &Actor, thing: &Thing, why: &str) -> Answer<()> {
        let why = reason(why)?;
        self.is_there(thing)?;
        let by = actor.account.clone().unwrap_or_default();
        let hidden = HiddenThing { thing: thing.clone(), at: unix_milliseconds(), by, why: why.clone() };
        self.store().hide(thing, Some(&hidden))?;
        self.note(actor, "hide", named(thing), why)
    }

    /// Shows something again.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`] where it is not hidden, [`ManagerError::Store`].
    pub fn show(&self, actor: &Actor, thing: &Thing) -> Answer<()> {
        if self.store().hidden(thing)?.is_none() {
            return Err(ManagerError::NotFound { what: "hidden thing", name: named(thing) });
        }
        self.store().hide(thing, None)?;
        self.note(actor, "show", named(thing), "")
    }

    /// What is hidden, from behind this on.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn hidden(&self, behind: Option<&Thing>) -> Answer<Vec<HiddenThing>> {
        Ok(self.store().all_hidden(behind)?)
    }

    /// Gives a thing to another account, or with none to the organiser. The player that plays under the name of an account
    /// stays with it.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Invalid`], [`ManagerError::Store`].
    pub fn transfer(&self, actor: &Actor, thing: &Thing, to: Option<&str>) -> Answer<()> {
        self.is_there(thing)?;
        let own_name = thing.kind == ThingKind::Player && self.store().account(&thing.name)?.is_some();
        if own_name {
            let text = format!("{} is whom an account plays as, and stays with it", thing.name);
            return Err(ManagerError::Invalid(text));
        }
        let account = to.map(|name| self.find(name)).transpose()?;
        self.store().set_owner(thing, account.as_ref().map(Account::key).as_deref())?;
        let to = account.map_or_else(|| "the organiser".to_owned(), |account| account.name);
        self.note(actor, "transfer", named(thing), format!("to {to}"))
    }

    /// Whom something belongs to, by key.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn owner(&self, thing: &Thing) -> Answer<Option<String>> {
        Ok(self.store().owner(thing)?)
    }

    /// Whether somebody sees something: it is not hidden, or theirs, or they look after what is hidden.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn is_seen(&self, actor: &Actor, thing: &Thing, owns: bool) -> Answer<bool> {
        Ok(owns || actor.may(Action::Moderate, false) || self.store().hidden(thing)?.is_none())
    }

    /// That this is not the last administrator, and not who does it.
    fn is_not_needed(&self, actor: &Actor, account: &Account) -> Answer<()> {
        if account.role != Role::Administrator || account.banned.is_some() {
            return Ok(());
        }
        if actor.is(Some(&account.key())) {
            let text = "another administrator has to do this to you";
            return Err(ManagerError::Invalid(text.to_owned()));
        }
        if self.store().count_role(Role::Administrator)? <= 1 {
            return Err(ManagerError::Invalid(format!("{} is the last administrator", account.name)));
        }
        Ok(())
    }

    /// Bans an account: its sessions and tokens end at once.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Invalid`] for the last administrator, [`ManagerError::Store`].
    pub fn ban(&self, actor: &Actor, name: &str, why: &str) -> Answer<()> {
        let (account, why) = (self.find(name)?, reason(why)?);
        self.is_not_needed(actor, &account)?;
        self.store().set_ban(&account.key(), Some((unix_milliseconds(), &why)))?;
        self.note(actor, "ban", format!("account {}", account.name), why)
    }

    /// Lets a banned account in again.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn unban(&self, actor: &Actor, name: &str) -> Answer<()> {
        let account = self.find(name)?;
        self.store().set_ban(&account.key(), None)?;
        self.note(actor, "unban", format!("account {}", account.name), "")
    }

    /// Gives an account another role.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Invalid`] for the last administrator, [`ManagerError::Store`].
    pub fn set_role(&self, actor: &Actor, name: &str, role: Role) -> Answer<()> {
        let account = self.find(name)?;
        if role != Role::Administrator {
            self.is_not_needed(actor, &account)?;
        }
        self.store().set_role(&account.key(), role)?;
        self.note(actor, "role", format!("account {}", account.name), role.name())
    }

    /// Deletes an account of somebody else.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Invalid`] for the last administrator, [`ManagerError::Store`].
    pub fn delete(&self, actor: &Actor, name: &str) -> Answer<()> {
        let account = self.find(name)?;
        self.is_not_needed(actor, &account)?;
        self.remove(&account)?;
        self.note(actor, "delete", "account somebody who left".to_owned(), "")
    }

    /// What moderators did, latest first, from before this number on.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn deeds(&self, before: Option<u64>) -> Answer<Vec<AuditEntry>> {
        Ok(self.store().deeds(before)?)
    }

    /// Whether a name is that of a person whom another account plays as, and so not for whoever asks.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn is_person_of_another(&self, actor: &Actor, player: &str) -> Answer<bool> {
        let Some(account) = self.store().account(&account_key(player))? else { return Ok(false) };
        let is_person = self.0.store.player(player).is_ok_and(|player| player.kind == PlayerKind::Person);
        Ok(is_person && !actor.is(Some(&account.key())))
    }
}
