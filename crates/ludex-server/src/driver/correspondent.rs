//! Whom a driver can ask.

use std::pin::Pin;

use ludex::matches::message::Request;

/// Why a player does not answer, in a few words: the record has them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(pub String);

/// A question under way. It is dropped when nobody wants the answer any more.
pub type Asking = Pin<Box<dyn Future<Output = Result<Vec<u8>, NoAnswer>> + Send>>;

/// Somebody who has a seat: a program at the other end of a connection, a person, a stub in a test.
pub trait Correspondent: Send + Sync {
    /// Asks. Nothing may be said before the future is first polled. It may take for ever: who asks
    /// knows how long the answer is worth waiting for. It must not block.
    fn ask(&self, request: &Request) -> Asking;
}
