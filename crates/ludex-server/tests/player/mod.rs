//! The player service over real sockets: full matches, odd requests, hostile ones.

mod hostile;
mod matches;
mod odd;
mod real_time;
mod wire;
mod without_rules;
