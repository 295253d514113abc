//! A program at the other end of a connection.

use std::sync::Arc;

use ludex::gdl::Notation;
use ludex::matches::message::{Request, request_headers, request_text};

use super::client::HttpClient;
use crate::driver::address::PlayerAddress;
use crate::driver::correspondent::{Asking, Correspondent, NoAnswer};

/// A player over HTTP.
#[derive(Clone, Debug)]
pub struct HttpPlayer {
    /// What connects.
    pub client: Arc<HttpClient>,
    /// Where the player is.
    pub address: PlayerAddress,
    /// The player's registered name, which messages are addressed to.
    pub name: String,
    /// How messages are written.
    pub notation: Notation,
}

impl Correspondent for HttpPlayer {
    fn ask(&self, request: &Request) -> Asking {
        let (player, request) = (self.clone(), request.clone());
        Box::pin(async move {
            // The referee has written long rules already, on its own thread.
            let body = request_text(&request, player.notation);
            let headers = request_headers(&player.name, body.length());
            let answer = player.client.post(&player.address, &headers, &body).await;
            answer.map_err(|error| NoAnswer(error.to_string()))
        })
    }
}
