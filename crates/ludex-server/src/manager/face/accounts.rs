//! What accounts do, with what belongs to them and within their quotas. On a server without accounts there is one
//! organiser, to whom everything belongs.

use std::sync::Arc;

use super::{Answer, Manager};
use crate::manager::{Accounts, ManagerError};
use crate::model::{
    Action, Actor, GameCheck, MatchPlan, NewGame, PlayerKind, PlayerSummary, SeatPlan, StoreError, Thing,
    ThingKind, account_key,
};
use crate::preparation::{ExploreWish, Explored};

impl Manager {
    /// The accounts of the server; none where there is one organiser, and nobody else has an account.
    pub fn accounts(&self) -> Option<Arc<Accounts>> {
        self.core().accounts.clone()
    }

    /// The accounts of the server.
    ///
    /// # Errors
    /// [`ManagerError::NoAccounts`].
    pub fn need_accounts(&self) -> Answer<Arc<Accounts>> {
        self.accounts().ok_or(ManagerError::NoAccounts)
    }

    /// What the checks say about a rulesheet of somebody, as [`Manager::check_game`].
    ///
    /// # Errors
    /// [`ManagerError::TooMany`] where too much was worked on for them today; and those of [`Manager::check_game`].
    pub fn check_game_for(&self, actor: &Actor, name: &str, text: &str) -> Answer<GameCheck> {
        self.working(actor, || self.check_game(name, text))
    }

    /// What there is to see of rules that somebody is writing.
    pub(crate) fn explore_game_for(&self, actor: &Actor, text: &str, wish: ExploreWish) -> Answer<Explored> {
        self.working(actor, || self.explore_game(text, wish))
    }

    fn working<T>(&self, actor: &Actor, work: impl FnOnce() -> Answer<T>) -> Answer<T> {
        match self.accounts() {
            Some(accounts) => accounts.work(actor, work),
            None => work(),
        }
    }

    /// Puts a game, or a new version of one, into the library for somebody, as [`Manager::add_game`]; a new one belongs to
    /// them.
    ///
    /// # Errors
    /// [`ManagerError::Forbidden`] where there is one of somebody else, [`ManagerError::TooMany`] where there were too many
    /// today; and those of [`Manager::add_game`].
    pub fn add_game_for(&self, actor: &Actor, game: &NewGame) -> Answer<GameCheck> {
        let thing = Thing::new(ThingKind::Game, &game.name);
        let is_there = self.is_game(&game.name)?;
        self.bringing(actor, Action::UploadGame, &thing, is_there, |accounts| match accounts {
            Some(accounts) => accounts.upload(actor, || self.add_game(game)),
            None => self.add_game(game),
        })
    }

    fn is_game(&self, name: &str) -> Answer<bool> {
        match self.core().store.game(name, None) {
            Ok(_) => Ok(true),
            Err(StoreError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Registers a player for somebody, as [`Manager::register_player`]; it belongs to them.
    ///
    /// # Errors
    /// [`ManagerError::Forbidden`] where it is of somebody else; and those of [`Manager::register_player`].
    pub fn register_player_for(&self, actor: &Actor, name: &str, kind: &PlayerKind) -> Answer<PlayerSummary> {
        let thing = Thing::new(ThingKind::Player, name);
        let is_there = match self.core().store.player(name) {
            Ok(_) => true,
            Err(StoreError::NotFound { .. }) => false,
            Err(error) => return Err(error.into()),
        };
        self.bringing(actor, Action::RegisterPlayer, &thing, is_there, |_| self.register_player(name, kind))
    }

    /// Does something by which a thing comes to be, or is changed. What is new belongs to whoever brings it, and is claimed
    /// before it is there: of two who bring the same, one does.
    fn bringing<T>(
        &self,
        actor: &Actor,
        action: Action,
        thing: &Thing,
        is_there: bool,
        bring: impl FnOnce(Option<&Accounts>) -> Answer<T>,
    ) -> Answer<T> {
        let (Some(accounts), Some(account)) = (self.accounts(), &actor.account) else { return bring(None) };
        let (core, key) = (self.core(), account_key(account));
        let store = core.store.accounts();
        let forbidden = || {
            let text = format!("the {} `{}` belongs to somebody else", thing.kind.name(), thing.name);
            Err(ManagerError::Forbidden(text))
        };
        if is_there {
            let owner = accounts.owner(thing)?;
            return if actor.may(action, actor.is(owner.as_deref())) {
                bring(Some(&accounts))
            } else {
                forbidden()
            };
        }
        let was_theirs = accounts.owner(thing)?.as_deref() == Some(&key);
        if !was_theirs && !store.claim(thing, &key)? {
            return forbidden();
        }
        let brought = bring(Some(&accounts));
        if brought.is_err() && !was_theirs {
            store.set_owner(thing, None)?;
        }
        brought
    }

    /// Makes a match for somebody; it belongs to them.
    ///
    /// # Errors
    /// [`ManagerError::TooMany`] where too many of theirs wait or run; [`ManagerError::Forbidden`] where a seat is that of a
    /// person whom another account plays as; and those of `make`.
    pub fn schedule_for(
        &self,
        actor: &Actor,
        plan: &MatchPlan,
        make: impl FnOnce(&MatchPlan) -> Answer<String>,
    ) -> Answer<String> {
        let Some(accounts) = self.accounts() else { return make(plan) };
        self.is_seen(actor, ThingKind::Game, &plan.game)?;
        self.check_people(actor, &plan.seats)?;
        let Some(account) = &actor.account else { return make(plan) };
        accounts.one_more_match(actor, || {
            let id = make(plan)?;
            let thing = Thing::new(ThingKind::Match, &id);
            self.core().store.accounts().claim(&thing, &account_key(account))?;
            Ok(id)
        })
    }

    /// That nobody is given the seat of a person whom another account plays as: whoever makes a match has its keys.
    fn check_people(&self, actor: &Actor, seats: &[SeatPlan]) -> Answer<()> {
        let players: std::collections::BTreeSet<&str> =
            seats.iter().map(|seat| seat.player.as_str()).collect();
        players.into_iter().try_for_each(|player| self.check_person(actor, player))
    }

    /// That somebody sees something, wherever it is hidden.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`] as where there is none, [`ManagerError::Store`].
    pub fn is_seen(&self, actor: &Actor, kind: ThingKind, name: &str) -> Answer<()> {
        let Some(accounts) = self.accounts() else { return Ok(()) };
        let thing = Thing::new(kind, name);
        let owns = actor.is(accounts.owner(&thing)?.as_deref());
        match accounts.is_seen(actor, &thing, owns)? {
            true => Ok(()),
            false => Err(ManagerError::NotFound { what: kind.name(), name: name.to_owned() }),
        }
    }

    /// That a name is not that of a person whom another account plays as.
    ///
    /// # Errors
    /// [`ManagerError::Forbidden`], [`ManagerError::Store`].
    pub fn check_person(&self, actor: &Actor, player: &str) -> Answer<()> {
        match self.accounts() {
            Some(accounts) if accounts.is_person_of_another(actor, player)? => {
                let text = format!(
                    "{player} is the name of an account, and only who is signed in to it plays by it: invite a `friend`"
                );
                Err(ManagerError::Forbidden(text))
            }
            _ => Ok(()),
        }
    }
}
