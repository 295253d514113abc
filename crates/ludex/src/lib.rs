//! General game playing: the face of the Ludex libraries.
#![forbid(unsafe_code)]

pub mod library;
