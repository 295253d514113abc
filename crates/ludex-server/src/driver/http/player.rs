//! A program at the other end of a connection.

use std::sync::Arc;

use ludex::gdl::Notation;
use ludex::matches::message::{Request, RequestText, request_headers, request_text};

use super::client::HttpClient;
use crate::clock::unix_milliseconds;
use crate::driver::address::PlayerAddress;
use crate::driver::correspondent::{Asking, Correspondent, NoAnswer};
use crate::signature::{HEADER, MessageSecret};

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
    /// What they are signed with, if they are.
    pub secret: Option<MessageSecret>,
}

/// The headers of a message to the player of this registered name, signed where there is a secret.
pub(crate) fn signed_headers(
    name: &str,
    body: &RequestText,
    address: &PlayerAddress,
    secret: Option<&MessageSecret>,
) -> Vec<(&'static str, String)> {
    let mut headers = request_headers(name, body.length()).to_vec();
    if let Some(secret) = secret {
        let signature = secret.sign(unix_milliseconds(), "POST", address.path(), body.pieces());
        headers.push((HEADER, signature));
    }
    headers
}

impl Correspondent for HttpPlayer {
    fn ask(&self, request: &Request) -> Asking {
        let (player, request) = (self.clone(), request.clone());
        Box::pin(async move {
            // The referee has written long rules already, on its own thread.
            let body = request_text(&request, player.notation);
            let headers = signed_headers(&player.name, &body, &player.address, player.secret.as_ref());
            let answer = player.client.post(&player.address, &headers, &body).await;
            answer.map_err(|error| NoAnswer(error.to_string()))
        })
    }
}
