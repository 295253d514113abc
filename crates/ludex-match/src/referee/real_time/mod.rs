//! The Game Manager of rtGDL (section 4 of the paper) as a pure state machine.
//!
//! [`TimedReferee`] is given what happens and says what is to be done, as a [`Referee`](super::Referee) is. What is
//! different in real time, and how the paper is read where it leaves something open:
//!
//! - The game begins when everybody is ready or the start clock is over. Everybody is sent `PLAY` with `NIL` and the time
//!   0, and from then on the clock of the game runs: one unit of game time lasts as long as the play clock says. Times
//!   are exact, and rounded down to 10^-9 units where a clock is read.
//! - Moves are considered in the order in which they come, however many come and whatever message they answer. Before a
//!   move, everything happens that expires up to then and at that very moment: a move that comes just when the time for
//!   it is over comes too late. Two moves never have the same time: one that comes in the same 10^-9 units as another one
//!   comes 10^-9 units later. So the time in a message tells which update it is about, also where the message comes twice.
//! - Everybody is told of a legal move. An illegal one, or an answer that cannot be read, changes nothing, and only its
//!   player is told, by `NIL`. An answer that is empty or `nil` is no move where no move of this name is legal. Whoever
//!   does not stop sending what is not legal is no longer told so then ([`REFUSALS`]).
//! - What expires is not told, except to those of rtGDL-II who see something else by it. There, a player is also told of
//!   its own moves.
//! - Everything that changes the match, and every move with its time, is written before anybody is told of it. While
//!   something is being written, moves wait with the times at which they came, and are written together then.
//! - While there is no referee, there is no time: after a break, the game goes on from the last time that is written.
//!   Nobody knows which messages still arrived, so what happened lately is told again ([`TOLD_AGAIN`]; players know
//!   by the time what they have heard), and everybody gets `PLAY` with `NIL` and the time.
//! - How long the network takes is not known to anybody; but it is no longer than the least time in which a player has
//!   ever answered a message. That is noted beside each move as its delay. Nothing is deducted for it.
//!
//! An answer names the message that it answers. How a player sends several answers to one message, over HTTP, is up to
//! whoever brings them here.

mod clock;
mod course;
mod desk;
mod entry;
mod fold;
mod life;
mod play;
mod record;
mod seat;
mod setup;

pub use clock::GameClock;
pub use course::TimedMatch;
pub use entry::{Arrival, TimedEntry, Verdict};
pub use fold::TOLD_AGAIN;
pub use life::TimedReferee;
pub use play::REFUSALS;
pub use setup::TimedSetup;
