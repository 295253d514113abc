//! Who can be asked to play: remote players, processes of built-in ones, and the keys of people's seats.

use std::sync::Arc;

use super::options::ManagerOptions;
use super::presence::Watch;
use super::processes::Processes;
use super::seat_key::SeatKeys;
use crate::driver::{AddressPolicy, HttpClient};

/// Who can be asked to play, and how.
#[derive(Debug)]
pub(super) struct Registry {
    /// The keys of seats that nobody has taken yet, as long as this process lives: they are kept nowhere.
    pub(super) keys: SeatKeys,
    pub(super) presence: Watch,
    pub(super) processes: Arc<Processes>,
    /// For remote players, and for built-in ones, which are on this machine.
    pub(super) client: Arc<HttpClient>,
    pub(super) local_client: Arc<HttpClient>,
}

impl Registry {
    pub(super) fn new(options: &ManagerOptions) -> Self {
        Self {
            keys: SeatKeys::default(),
            presence: Watch::new(options.ping),
            processes: Arc::new(Processes::new(options.built_in.clone())),
            client: Arc::new(HttpClient::new(options.policy, options.http)),
            local_client: Arc::new(HttpClient::new(AddressPolicy::Anywhere, options.http)),
        }
    }
}
