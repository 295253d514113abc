//! Who can be chosen to play in a form: registered players, strategies that come with Ludex, and people.

use ludex::players::StrategyInfo;

use super::failure::WebFailure;
use super::rows::FormChoice;
use crate::manager::{Manager, ManagerError};
use crate::model::{Actor, PageRequest, PlayerKind, PlayerQuery, PlayerSummary, Presence};

pub(super) use crate::model::{FRIEND, GUEST as PERSON};
/// Before the name of a strategy, where it is chosen without being registered.
const STRATEGY: &str = "strategy:";

/// So many registered players can be chosen in a form, the first ones by name: as many as may be registered unless somebody
/// has put more into the store.
const CHOICES: usize = 2000;

/// The registered players that can be chosen, without what their matches say.
pub(super) fn registered(manager: &Manager) -> Result<Vec<PlayerSummary>, ManagerError> {
    let mut found = Vec::new();
    let mut page = PageRequest::first(PageRequest::MOST);
    loop {
        let query = PlayerQuery { page, brief: true, ..PlayerQuery::default() };
        let part = manager.players(&query)?;
        found.extend(part.items);
        match part.next.filter(|_| found.len() < CHOICES) {
            Some(after) => page = PageRequest { after: Some(after), size: PageRequest::MOST },
            None => return Ok(found),
        }
    }
}

/// Whether a player is a strategy as it comes, without options.
fn plays(player: &PlayerSummary, strategy: &str) -> bool {
    matches!(&player.kind, PlayerKind::BuiltIn { strategy: own } if own == strategy)
}

/// The levels that are made for people, from the weakest on.
const LEVELS: [(&str, &str); 5] = [
    ("level-1", "Level 1: a beginner"),
    ("level-2", "Level 2: easy"),
    ("level-3", "Level 3: medium"),
    ("level-4", "Level 4: strong"),
    ("level-5", "Level 5: as strong as can be"),
];

/// Whether a strategy is one of the levels.
pub(super) fn is_level(strategy: &str) -> bool {
    LEVELS.iter().any(|(name, _)| *name == strategy)
}

/// The levels that can be played against.
pub(super) fn levels(manager: &Manager) -> Vec<FormChoice> {
    let known = LEVELS.iter().filter(|(name, _)| manager.registry().find(name).is_some());
    known.map(|(name, text)| FormChoice::new(format!("{STRATEGY}{name}"), *text)).collect()
}

/// What else can be chosen for a seat.
pub(super) fn others(manager: &Manager) -> Result<Vec<FormChoice>, ManagerError> {
    let is_other = |choice: &FormChoice| {
        choice.value != FRIEND && !is_level(choice.value.strip_prefix(STRATEGY).unwrap_or(&choice.value))
    };
    Ok(choices(manager)?.into_iter().filter(is_other).collect())
}

/// What can be chosen for a seat: people first, then players, then strategies that nobody has registered.
pub(super) fn choices(manager: &Manager) -> Result<Vec<FormChoice>, ManagerError> {
    let registered = registered(manager)?;
    let is_known = |name: &str| registered.iter().any(|player| player.name == name);
    let text = |player: &PlayerSummary| match &player.kind {
        PlayerKind::Person => format!("{} (a person)", player.name),
        PlayerKind::BuiltIn { strategy } if *strategy == player.name => player.name.clone(),
        PlayerKind::BuiltIn { strategy } => format!("{} ({strategy})", player.name),
        PlayerKind::Remote { .. } if player.availability.presence == Presence::Away => {
            format!("{} (does not answer)", player.name)
        }
        PlayerKind::Remote { .. } => player.name.clone(),
    };
    let unnamed = [PERSON, FRIEND].into_iter().filter(|name| !is_known(name));
    let mut choices: Vec<FormChoice> =
        unnamed.map(|name| FormChoice::new(name, format!("{name} (a person)"))).collect();
    let people = registered.iter().filter(|player| player.kind == PlayerKind::Person);
    let others = registered.iter().filter(|player| player.kind != PlayerKind::Person);
    choices.extend(people.chain(others).map(|player| FormChoice::new(&player.name, text(player))));
    let free = |strategy: &&StrategyInfo| !registered.iter().any(|p| plays(p, strategy.name));
    let free = manager.registry().strategies().filter(free);
    choices.extend(free.map(|strategy| {
        FormChoice::new(format!("{STRATEGY}{}", strategy.name), format!("{} (built in)", strategy.name))
    }));
    Ok(choices)
}

/// The person of a name that somebody gave; without one, a guest. Who plays by hand needs no account.
/// Who is signed in plays by the name of the account, and nobody else does.
pub(super) fn person(manager: &Manager, actor: &Actor, name: &str) -> Result<String, WebFailure> {
    let name = Some(name.trim()).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| actor.account.as_deref().unwrap_or(PERSON));
    manager.check_person(actor, name)?;
    match manager.register_player(name, &PlayerKind::Person) {
        Ok(_) => Ok(name.to_owned()),
        Err(ManagerError::Exists { .. }) => {
            let known = manager.player(name)?;
            if known.kind != PlayerKind::Person {
                return Err(WebFailure::bad(format!(
                    "{name} is the name of a program: please take another."
                )));
            }
            Ok(known.name)
        }
        Err(error) => Err(error.into()),
    }
}

/// The name of the player that was chosen, as [`player`]. Whoever is signed in and chooses a person without a name plays
/// by the name of the account.
pub(super) fn own_player(manager: &Manager, actor: &Actor, choice: &str) -> Result<String, WebFailure> {
    match &actor.account {
        Some(account) if choice == PERSON => person(manager, actor, account),
        _ => player(manager, choice),
    }
}

/// The name of the player that was chosen. Strategies and the person without a name are registered when they
/// are first wanted.
pub(super) fn player(manager: &Manager, choice: &str) -> Result<String, WebFailure> {
    let (name, kind) = match choice.strip_prefix(STRATEGY) {
        Some(strategy) => {
            if let Some(known) = registered(manager)?.into_iter().find(|player| plays(player, strategy)) {
                return Ok(known.name);
            }
            // `random` is a role, and no player may have its name.
            let name = if strategy == "random" { "random-player" } else { strategy };
            (name, PlayerKind::BuiltIn { strategy: strategy.to_owned() })
        }
        None if choice == PERSON || choice == FRIEND => (choice, PlayerKind::Person),
        None => return Ok(choice.to_owned()),
    };
    match manager.register_player(name, &kind) {
        // There is one already, or somebody else was quicker.
        Ok(_) | Err(ManagerError::Exists { .. }) => Ok(name.to_owned()),
        Err(error) => Err(error.into()),
    }
}
