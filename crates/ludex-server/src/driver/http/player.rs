//! A program at the other end of a connection.

use std::sync::Arc;

use ludex::gdl::Notation;
use ludex::matches::message::{Request, request_headers, write_request};

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
            let body = player.words(request).await?;
            let headers = request_headers(&player.name, body.len());
            let answer = player.client.post(&player.address, &headers, &body).await;
            answer.map_err(|error| NoAnswer(error.to_string()))
        })
    }
}

impl HttpPlayer {
    /// The message in words. Rulesheets may be long, and writing them is then not for the thread of the
    /// network.
    async fn words(&self, request: Request) -> Result<String, NoAnswer> {
        let notation = self.notation;
        match request {
            Request::Start(_) | Request::Preview { .. } => {
                let words = tokio::task::spawn_blocking(move || write_request(&request, notation));
                words.await.map_err(|_| NoAnswer("the message could not be written".into()))
            }
            _ => Ok(write_request(&request, notation)),
        }
    }
}
