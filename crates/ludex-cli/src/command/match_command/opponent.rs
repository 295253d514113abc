//! Who plays: a program somewhere, or one of our own strategies behind a service of its own.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use ludex::MatchSetup;
use ludex::game::RoleId;
use ludex::gdl::Notation;
use ludex::matches::referee::SeatSetup;
use ludex::players::{Registry, Resources};
use ludex_server::driver::{AddressPolicy, Correspondent, HttpClient, HttpLimits, HttpPlayer, PlayerAddress};
use ludex_server::player::{PlayerOptions, PlayerServer, RunningPlayer, plays_without_rules_only};

use super::MatchArguments;
use crate::failure::Failure;
use crate::player_text::{player_text, registry};
use crate::remembering::registry_with_memory;
use crate::rulesheet::nearest;

/// Who plays.
#[derive(Clone, Debug)]
pub enum Opponent {
    /// A program that is there already.
    Program(PlayerAddress),
    /// A strategy with its options.
    Strategy(String),
}

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(address) if address.path() == "/" => f.write_str(&address.authority()),
            Self::Program(address) => address.fmt(f),
            Self::Strategy(text) => f.write_str(text),
        }
    }
}

impl Opponent {
    /// Its name, where it is a strategy that plays without rules only.
    pub fn without_rules_only(&self) -> Option<&str> {
        match self {
            Self::Strategy(name) if plays_without_rules_only(name, registry()) => Some(name),
            Self::Strategy(_) | Self::Program(_) => None,
        }
    }
}

/// Reads a player: what begins with the name of a strategy is one, and all else is an address.
pub fn opponent(text: &str) -> Result<Opponent, String> {
    let name = text.split(':').next().unwrap_or_default();
    let is_strategy = !text.contains("://") && registry().find(name).is_some();
    if is_strategy {
        return player_text(text).map(Opponent::Strategy);
    }
    if plays_without_rules_only(text, registry()) {
        return Ok(Opponent::Strategy(text.to_owned()));
    }
    if !text.contains([':', '/', '.']) {
        let near = nearest(name, registry().strategies().map(|info| info.name));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(format!("`{text}` is neither a strategy nor an address host:port{near}"));
    }
    text.parse().map(Opponent::Program).map_err(|error: ludex_server::driver::AddressError| error.to_string())
}

/// A player at its seat.
pub struct Seated {
    /// How it is asked.
    pub correspondent: Arc<dyn Correspondent>,
    /// Its service, as long as this is there.
    _service: Option<RunningPlayer>,
}

/// Seats the players, and starts the service of those that are ours.
///
/// # Errors
/// No service can be started.
pub fn seated(arguments: &MatchArguments, seats: &[SeatSetup], seed: u64) -> Result<Vec<Seated>, Failure> {
    if arguments.players.len() != seats.len() {
        let (seats, given) = (seats.len(), arguments.players.len());
        return Err(Failure::Usage(format!("the match has {seats} seats, but there are {given} players")));
    }
    // Programs of other people may be anywhere: who gives an address on the command line means it.
    let client = Arc::new(HttpClient::new(AddressPolicy::Anywhere, HttpLimits::default()));
    let seeds = MatchSetup { seed, ..MatchSetup::default() };
    let registry = registry_with_memory(arguments.memory_file.as_deref())?;
    let seats = (0..).map(RoleId).zip(seats).zip(&arguments.players);
    seats
        .map(|((role, seat), opponent)| {
            let (address, service) = match opponent {
                Opponent::Program(address) => (address.clone(), None),
                Opponent::Strategy(strategy) => {
                    let service = service(strategy, &registry, seeds.player_seed(role))?;
                    (PlayerAddress::from(service.address()), Some(service))
                }
            };
            let name = seat.player.clone();
            let player = HttpPlayer {
                client: Arc::clone(&client),
                address,
                name,
                notation: Notation::from(seat.notation),
                secret: None,
            };
            Ok(Seated { correspondent: Arc::new(player), _service: service })
        })
        .collect()
}

fn service(strategy: &str, registry: &Registry, seed: u64) -> Result<RunningPlayer, Failure> {
    let options = PlayerOptions {
        strategy: strategy.to_owned(),
        registry: registry.clone(),
        resources: Resources::from_seed(seed),
        ..PlayerOptions::default()
    };
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let started = PlayerServer::bind(loopback, 0, options).and_then(PlayerServer::start);
    started.map_err(|error| Failure::input(format!("`{strategy}` cannot be started: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_and_addresses_are_told_apart() {
        for text in ["ludex", "random", "uct:c=0.8"] {
            assert!(matches!(opponent(text), Ok(Opponent::Strategy(name)) if name == text), "{text}");
        }
        for text in ["localhost:9147", "http://random:9147", "10.0.0.1", "player.example", "http://h/path"] {
            assert!(matches!(opponent(text), Ok(Opponent::Program(_))), "{text}");
        }
        let error = opponent("randon").unwrap_err();
        assert_eq!(error, "`randon` is neither a strategy nor an address host:port; did you mean `random`?");
        assert!(opponent("uct:d=1").is_err() && opponent("https://h").is_err() && opponent("").is_err());
    }
}
