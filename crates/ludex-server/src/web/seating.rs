//! Who can be chosen to play in a form: registered players, strategies that come with Ludex, and people.

use ludex::players;

use super::failure::WebFailure;
use super::rows::FormChoice;
use crate::manager::{Manager, ManagerError, PageRequest, PlayerKind, PlayerQuery, PlayerSummary, Presence};

/// What a person is called who has no other name.
const PERSON: &str = "guest";
/// Before the name of a strategy, where it is chosen without being registered.
const STRATEGY: &str = "strategy:";

/// All registered players.
pub(super) fn registered(manager: &Manager) -> Result<Vec<PlayerSummary>, ManagerError> {
    let mut found = Vec::new();
    loop {
        let page = PageRequest { offset: found.len() as u64, size: PageRequest::MOST };
        let players = manager.players(&PlayerQuery { page, ..PlayerQuery::default() })?;
        let count = players.items.len();
        found.extend(players.items);
        if count == 0 || found.len() as u64 >= players.total {
            return Ok(found);
        }
    }
}

/// What can be chosen for a seat: people first, then players, then strategies that nobody has registered.
pub(super) fn choices(registered: &[PlayerSummary]) -> Vec<FormChoice> {
    let taken = |name: &str| registered.iter().any(|player| player.name == name);
    let text = |player: &PlayerSummary| match &player.kind {
        PlayerKind::Person => format!("{} (a person)", player.name),
        PlayerKind::BuiltIn { strategy } if *strategy == player.name => player.name.clone(),
        PlayerKind::BuiltIn { strategy } => format!("{} ({strategy})", player.name),
        PlayerKind::Remote { .. } if player.availability.presence == Presence::Away => {
            format!("{} (does not answer)", player.name)
        }
        PlayerKind::Remote { .. } => player.name.clone(),
    };
    let mut choices = Vec::new();
    if !taken(PERSON) {
        choices.push(FormChoice::new(PERSON, format!("{PERSON} (a person)")));
    }
    let people = registered.iter().filter(|player| player.kind == PlayerKind::Person);
    let others = registered.iter().filter(|player| player.kind != PlayerKind::Person);
    choices.extend(people.chain(others).map(|player| FormChoice::new(&player.name, text(player))));
    let free = players::strategies().iter().filter(|strategy| !taken(strategy.name));
    choices.extend(free.map(|strategy| {
        FormChoice::new(format!("{STRATEGY}{}", strategy.name), format!("{} (built in)", strategy.name))
    }));
    choices
}

/// The name of the player that was chosen. Strategies and the person without a name are registered when they
/// are first wanted.
pub(super) fn player(manager: &Manager, choice: &str) -> Result<String, WebFailure> {
    let (name, kind) = match choice.strip_prefix(STRATEGY) {
        Some(name) => (name, Some(PlayerKind::BuiltIn { strategy: name.to_owned() })),
        None => (choice, (choice == PERSON).then_some(PlayerKind::Person)),
    };
    if let Some(kind) = kind {
        let known = manager.player(name).is_ok_and(|player| !player.removed);
        if !known {
            match manager.register_player(name, &kind) {
                // Somebody else was quicker.
                Ok(_) | Err(ManagerError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(name.to_owned())
}
