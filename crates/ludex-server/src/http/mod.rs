//! As much of HTTP/1 as managers and players speak, read with as much patience as can be had. No sockets here.
//!
//! Libraries for HTTP refuse what is not by the book, and rightly so where requests pass through several
//! hands. Here a message ends where it is read, and managers and players were written by many people over many
//! years: what can be understood is taken. It must not harm anybody, so all that is read is limited.

mod answer;
mod body;
mod chunks;
mod length;
mod request;

pub use answer::{AnswerError, AnswerLimits, AnswerReader};
pub(crate) use body::{Body, BodyError, Progress};
pub(crate) use length::Length;
pub(crate) use request::{Head, HeadError, Method, Version, head_end, parse_head};
