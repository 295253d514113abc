//! The bundled games: they are well formed, both notations agree, and they show the numbers that are
//! known of them.

mod auctions;
mod blind_boards;
mod book;
mod bundled;
mod chance;
mod coins;
mod counting;
mod hidden;
mod model;
mod news;
mod puzzles;
mod table;
