//! How a player service is set up.

use std::time::Duration;

use ludex::matches::service::ServiceOptions;
use ludex::players::{Registry, Resources};

use super::access::Access;

/// How a player service is set up.
#[derive(Clone, Debug)]
pub struct PlayerOptions {
    /// Name, places, margins.
    pub service: ServiceOptions,
    /// Who plays: `name` or `name:option=value:option=value`.
    pub strategy: String,
    /// The strategies there are.
    pub registry: Registry,
    /// What the player of each match may use; its seed is for the first match.
    pub resources: Resources,
    /// Bytes that the rules and states of each match may take.
    pub rules_memory: usize,
    /// Whether to think while others do, too: all the time between the answers of a match.
    pub ponder: bool,
    /// Whose requests are answered.
    pub access: Access,
    /// What is read of whom.
    pub wire: WireLimits,
}

impl Default for PlayerOptions {
    /// The strategy `ludex` with the default resources; 4 GiB for rules; pondering.
    fn default() -> Self {
        Self {
            service: ServiceOptions::default(),
            strategy: "ludex".to_owned(),
            registry: Registry::default(),
            resources: Resources::default(),
            rules_memory: 4 << 30,
            ponder: true,
            access: Access::default(),
            wire: WireLimits::default(),
        }
    }
}

/// Limits on what is read from the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireLimits {
    /// Bytes of the request line and the headers of a message.
    pub head: usize,
    /// Headers of a message.
    pub headers: usize,
    /// Bytes of the body of a message.
    pub body: usize,
    /// Connections at once. When one more comes, the one that has been sending its message for longest
    /// is closed.
    pub connections: usize,
    /// How long a message may take from its first byte to its last, and an answer to be taken.
    pub patience: Duration,
    /// How long a connection may be idle.
    pub idle: Duration,
}

impl Default for WireLimits {
    /// 16 KiB, 100 headers, 8 MiB, 256 connections, 20 seconds, a minute.
    fn default() -> Self {
        Self {
            head: 16 << 10,
            headers: 100,
            body: 8 << 20,
            connections: 256,
            patience: Duration::from_secs(20),
            idle: Duration::from_secs(60),
        }
    }
}
