//! Single-player games: chapter 5 of the book, its problems, and what goes wrong.

mod game;
mod plans;
mod players;
