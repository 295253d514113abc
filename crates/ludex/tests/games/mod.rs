//! The bundled games: they are well formed, both notations agree, and they show the numbers that are
//! known of them.

mod book;
mod bundled;
mod coins;
mod counting;
mod hidden;
mod puzzles;
mod table;
