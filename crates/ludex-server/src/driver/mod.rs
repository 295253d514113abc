//! Matches with real players.

mod address;
mod http;

pub use address::{AddressError, AddressPolicy, DEFAULT_PORT, PlayerAddress};
pub use http::{AnswerError, AnswerLimits, AnswerReader, HttpClient, HttpError, HttpLimits};
