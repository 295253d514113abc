//! People at their screens, as the referee of a match has them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};

use ludex::matches::message::{Last, Request};
use ludex::matches::referee::SeatNumber;
use tokio::sync::oneshot;

use super::live::Live;
use crate::driver::{Asking, Correspondent, NoAnswer};
use crate::lock::lock;

/// Who plays, as far as it is not the same for all seats.
#[derive(Debug, Default)]
pub(super) struct People {
    /// The seats that people have.
    pub(super) seats: Vec<(SeatNumber, Arc<Person>)>,
    /// How many seats there are.
    pub(super) all: usize,
    /// Whether programs of others have some.
    pub(super) has_remote: bool,
}

/// Somebody at a screen, who has a seat.
#[derive(Debug)]
pub(super) struct Person {
    live: Weak<Live>,
    seat: SeatNumber,
    desk: Mutex<Desk>,
}

/// What lies between a person and the referee.
#[derive(Debug, Default)]
struct Desk {
    /// Where an answer is waited for.
    asked: Option<oneshot::Sender<Vec<u8>>>,
    /// In real time, moves that were made while no message was open.
    unsent: VecDeque<Vec<u8>>,
}

/// So many moves of a person may wait for the next message.
const UNSENT: usize = 16;

impl Person {
    /// Somebody who sits at a seat, or will.
    pub(super) fn new(live: &Arc<Live>, seat: SeatNumber) -> Self {
        Self { live: Arc::downgrade(live), seat, desk: Mutex::default() }
    }

    pub(super) fn is_asked(&self) -> bool {
        lock(&self.desk).asked.as_ref().is_some_and(|asked| !asked.is_closed())
    }

    /// Answers the question that is asked.
    pub(super) fn answer(&self, action: &str) -> Result<(), String> {
        let asked = lock(&self.desk).asked.take().ok_or("no move of this seat is asked for now")?;
        asked.send(action.as_bytes().to_vec()).map_err(|_| "the move comes too late".to_owned())
    }

    /// Moves in real time: at once where a message is open, else with the next one, which is on its way.
    pub(super) fn say(&self, action: &str) -> Result<(), String> {
        let mut desk = lock(&self.desk);
        let mut action = action.as_bytes().to_vec();
        if let Some(asked) = desk.asked.take() {
            match asked.send(action) {
                Ok(()) => return Ok(()),
                Err(unsent) => action = unsent,
            }
        }
        if desk.unsent.len() >= UNSENT {
            return Err("too many moves at once".to_owned());
        }
        desk.unsent.push_back(action);
        Ok(())
    }

    /// A message that wants an answer, some time.
    fn ask(&self, in_time: bool) -> Result<Vec<u8>, oneshot::Receiver<Vec<u8>>> {
        let mut desk = lock(&self.desk);
        if let Some(action) = desk.unsent.pop_front().filter(|_| in_time) {
            return Ok(action);
        }
        let (sender, answer) = oneshot::channel();
        desk.asked = Some(sender);
        Err(answer)
    }
}

/// A seat of a person as the referee has it: a person is always ready, and is asked for moves where there is a choice.
#[derive(Debug)]
pub(super) struct PersonSeat(pub(super) Arc<Person>);

impl Correspondent for PersonSeat {
    fn ask(&self, request: &Request) -> Asking {
        let person = Arc::clone(&self.0);
        match request {
            Request::Play { last, .. } => {
                let in_time = matches!(last, Last::InTime { .. });
                // Who has no choice is not kept waiting, and keeps nobody waiting.
                let only = person.live.upgrade().and_then(|live| live.only_move(person.seat));
                if let Some(only) = only.filter(|_| !in_time) {
                    return Box::pin(async move { Ok(only.into_bytes()) });
                }
                Box::pin(async move {
                    let answer = match person.ask(in_time) {
                        Ok(action) => return Ok(action),
                        Err(answer) => answer,
                    };
                    // Those who look have to know that there is somebody to answer.
                    if !in_time && let Some(live) = person.live.upgrade() {
                        live.tell_again();
                    }
                    answer.await.map_err(|_| NoAnswer("nobody answered".to_owned()))
                })
            }
            Request::Start(_) => Box::pin(async { Ok(b"ready".to_vec()) }),
            _ => Box::pin(async { Ok(b"done".to_vec()) }),
        }
    }
}
