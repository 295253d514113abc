//! As much of HTTP/1 as managers speak, read with as much patience as can be had.
//!
//! Libraries for HTTP refuse what is not by the book, and rightly so where requests pass through several
//! hands. Here a request ends where it is read, and managers were written by many people over many years:
//! a message that can be understood is answered. What is read is limited in every way.

mod body;
mod chunks;
mod head;
mod reply;

pub(super) use body::{Body, BodyError, Progress};
pub(super) use head::{Head, HeadError, Length, Method, Version, head_end, parse_head};
pub(super) use reply::{CONTINUE, Reply, Status};
