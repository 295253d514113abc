//! What managers and players say to each other, read and written.

mod golden;
mod hostile;
mod problems;
mod requests;
mod responses;
mod round_trip;
mod seats;
mod talk;
