//! The registry of players.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use ludex::players::Resources;

use super::{Answer, Manager};
use crate::driver::{PlayerAddress, unix_milliseconds};
use crate::manager::ManagerError;
use crate::manager::core::Core;
use crate::model::{
    Availability, MatchQuery, MatchStage, Page, PlayerKind, PlayerQuery, PlayerSummary, Presence, StoreError,
};
use crate::signature::MessageSecret;

/// The longest name, in characters.
const NAME: usize = 40;

impl Manager {
    /// The registered players, by name.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn players(&self, query: &PlayerQuery) -> Answer<Page<PlayerSummary>> {
        let core = self.core();
        let shown = PlayerQuery { without_hidden: true, ..query.clone() };
        Ok(core.store.players(&shown)?.map(|player| core.with_presence(player)))
    }

    /// A player, even one that is retired.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn player(&self, name: &str) -> Answer<PlayerSummary> {
        let core = self.core();
        Ok(core.with_presence(core.store.player(name)?))
    }

    /// Registers a player. One that is retired comes back by it, as what it is now.
    ///
    /// # Errors
    /// [`ManagerError::Exists`], [`ManagerError::Name`], [`ManagerError::Address`], [`ManagerError::Strategy`],
    /// [`ManagerError::TooMany`], [`ManagerError::Store`].
    pub fn register_player(&self, name: &str, kind: &PlayerKind) -> Answer<PlayerSummary> {
        let core = self.core();
        core.is_open()?;
        check_name(name)?;
        core.check_kind(kind)?;
        match core.store.player(name) {
            Ok(there) if !there.retired => {
                return Err(ManagerError::Exists { what: "player", name: there.name });
            }
            Ok(_) | Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        core.check_room()?;
        self.put_player(name, kind)
    }

    /// Changes what a player is: where it listens, in which notation, which strategy. It holds for matches that
    /// begin from now on. Its name stays, because records have it.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Invalid`] for one that is retired, [`ManagerError::Address`],
    /// [`ManagerError::Strategy`], [`ManagerError::Store`].
    pub fn edit_player(&self, name: &str, kind: &PlayerKind) -> Answer<PlayerSummary> {
        let core = self.core();
        core.is_open()?;
        core.check_kind(kind)?;
        let there = core.store.player(name)?;
        if there.retired {
            return Err(ManagerError::Invalid(format!("{} is retired", there.name)));
        }
        self.put_player(&there.name, kind)
    }

    fn put_player(&self, name: &str, kind: &PlayerKind) -> Answer<PlayerSummary> {
        let core = self.core();
        core.store.put_player(name, kind, unix_milliseconds())?;
        let player = core.store.player(name)?;
        core.watch(&player);
        core.changed();
        core.scheduler.wake();
        Ok(core.with_presence(player))
    }

    /// Signs messages to a remote player with a secret that it knows, too, from now on; or with none any more. The secret is
    /// kept as it is, because it has to be used, and is never shown again.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Invalid`] for a secret that is none, or a player that is not remote;
    /// [`ManagerError::Store`].
    pub fn set_player_secret(&self, name: &str, secret: Option<&str>) -> Answer<()> {
        let core = self.core();
        core.is_open()?;
        let player = core.store.player(name)?;
        let secret = secret.map(MessageSecret::read).transpose();
        let secret = secret.map_err(|error| ManagerError::Invalid(error.to_string()))?;
        if secret.is_some() && !matches!(player.kind, PlayerKind::Remote { .. }) {
            return Err(ManagerError::Invalid(format!("{} is sent no messages over HTTP", player.name)));
        }
        core.store.accounts().set_player_secret(&player.name, secret.as_ref().map(MessageSecret::text))?;
        if !player.retired {
            core.watch(&player);
        }
        Ok(())
    }

    /// Retires a player: it gets no more matches and is not asked whether it is there. What it played stays.
    ///
    /// # Errors
    /// [`ManagerError::InUse`] while a match or a tournament needs it; [`ManagerError::NotFound`],
    /// [`ManagerError::Store`].
    pub fn retire_player(&self, name: &str) -> Answer<()> {
        let core = self.core();
        core.is_open()?;
        let player = core.store.player(name)?;
        if let Some(by) = core.needs_player(&player.name)? {
            return Err(ManagerError::InUse { what: "player", name: player.name, by });
        }
        core.store.retire_player(&player.name, true)?;
        core.registry.presence.forget(&player.name);
        core.changed();
        Ok(())
    }

    /// Brings a retired player back, as what it was. One that is not retired stays as it is.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::TooMany`], [`ManagerError::Store`].
    pub fn reactivate_player(&self, name: &str) -> Answer<PlayerSummary> {
        let core = self.core();
        core.is_open()?;
        let player = core.store.player(name)?;
        if player.retired {
            core.check_room()?;
            core.store.retire_player(&player.name, false)?;
            core.watch(&player);
            core.changed();
            core.scheduler.wake();
        }
        self.player(&player.name)
    }

    /// Asks a remote player now whether it is there, and waits for the answer. Others are always there.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn ping_player(&self, name: &str) -> Answer<Availability> {
        let core = self.core();
        core.is_open()?;
        let player = self.player(name)?;
        let Some(ping) = core.registry.presence.ping(&player.name) else { return Ok(player.availability) };
        let (said, heard) = std::sync::mpsc::channel();
        let asking = Arc::clone(&core);
        core.network().spawn(async move {
            let answer = ping.ask(&asking.registry.client).await;
            // Nobody may wait any more.
            let _ = said.send(asking.registry.presence.note(&ping, answer));
        });
        let availability = heard.recv().map_err(|_| ManagerError::Stopped)?;
        core.changed();
        core.scheduler.wake();
        Ok(availability.unwrap_or(player.availability))
    }
}

impl Core {
    /// That there is room for one more player.
    fn check_room(&self) -> Answer<()> {
        let limit = self.options.players;
        if self.store.counts()?.players >= limit {
            return Err(ManagerError::TooMany { what: "players", limit });
        }
        Ok(())
    }

    /// A player with what is known of it at present.
    fn with_presence(&self, mut player: PlayerSummary) -> PlayerSummary {
        match player.kind {
            PlayerKind::Remote { .. } => {
                player.availability =
                    self.registry.presence.known(&player.name).unwrap_or(player.availability);
            }
            PlayerKind::BuiltIn { .. } if !self.registry.processes.are_possible() => {
                player.availability.presence = Presence::Away;
                player.availability.cause = Some("this manager runs no built-in players".to_owned());
            }
            PlayerKind::BuiltIn { .. } | PlayerKind::Person => {
                player.availability.presence = Presence::Available;
            }
        }
        player
    }

    fn check_kind(&self, kind: &PlayerKind) -> Answer<()> {
        match kind {
            PlayerKind::Person => Ok(()),
            PlayerKind::Remote { address, .. } => {
                let address: PlayerAddress = address.parse()?;
                // A name is only looked up when it is connected to; but a number is known by now.
                let number = address.host().parse::<IpAddr>().map(|ip| SocketAddr::new(ip, address.port()));
                match number {
                    Ok(number) if !self.options.policy.allows(number) => Err(ManagerError::Invalid(format!(
                        "{number} is not a public address; this manager connects to public ones only"
                    ))),
                    _ => Ok(()),
                }
            }
            PlayerKind::BuiltIn { .. } if !self.registry.processes.are_possible() => {
                Err(ManagerError::Strategy("this manager runs no built-in players".to_owned()))
            }
            PlayerKind::BuiltIn { strategy } => {
                match self.options.registry.create(strategy, &Resources::default()) {
                    Ok(_) => Ok(()),
                    Err(error) => Err(ManagerError::Strategy(error.to_string())),
                }
            }
        }
    }

    /// What needs a player: a match or tournament that is not over.
    fn needs_player(&self, name: &str) -> Answer<Option<String>> {
        let title = self.tournaments.find(|held| held.needs(name).then(|| held.row.summary.title.clone()));
        if let Some(title) = title {
            return Ok(Some(format!("the tournament `{title}`")));
        }
        for stage in [MatchStage::Planned, MatchStage::Running] {
            let query =
                MatchQuery { player: Some(name.to_owned()), stage: Some(stage), ..MatchQuery::default() };
            if let Some(found) = self.store.matches(&query)?.items.first() {
                return Ok(Some(format!("the match {}", found.id)));
            }
        }
        Ok(None)
    }
}

/// Names go into headers and messages.
fn check_name(name: &str) -> Answer<()> {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    // `random` is who plays the role of chance.
    if begins && letters && name.len() <= NAME && !name.eq_ignore_ascii_case("random") {
        return Ok(());
    }
    let rule = "letters, digits, hyphens, dots and underscores, at most 40, a letter first; not `random`";
    Err(ManagerError::Name { what: "player", name: name.chars().take(NAME).collect(), rule })
}
