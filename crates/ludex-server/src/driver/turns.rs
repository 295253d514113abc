//! Who of the referees works, and who waits for its turn.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use crate::lock::lock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The turns of referees: no more than so many work at the same time, and of those of one game no more than half. So
/// matches of a game whose rules are slow wait for each other, and a match of another game waits for a few of them
/// at most, and for as long as a step may take.
#[derive(Debug)]
pub(super) struct Turns {
    all: Arc<Semaphore>,
    share: usize,
    games: Mutex<BTreeMap<String, Weak<Semaphore>>>,
}

/// The turns of the referees of one game.
#[derive(Clone, Debug)]
pub(super) struct GameTurns {
    all: Arc<Semaphore>,
    own: Arc<Semaphore>,
}

/// A turn; it ends with this.
#[derive(Debug)]
pub(super) struct Turn(Option<[OwnedSemaphorePermit; 2]>);

impl Turns {
    pub(super) fn new(workers: usize) -> Self {
        let workers = workers.max(1);
        let all = Arc::new(Semaphore::new(workers));
        Self { all, share: workers.div_ceil(2), games: Mutex::default() }
    }

    /// The turns of the game whose rules have this hash.
    pub(super) fn of(&self, sha256: &str) -> GameTurns {
        // What is in it is whole at all times.
        let mut games = lock(&self.games);
        let own = games.get(sha256).and_then(Weak::upgrade).unwrap_or_else(|| {
            games.retain(|_, own| own.strong_count() > 0);
            let own = Arc::new(Semaphore::new(self.share));
            games.insert(sha256.to_owned(), Arc::downgrade(&own));
            own
        });
        GameTurns { all: Arc::clone(&self.all), own }
    }
}

impl GameTurns {
    /// Waits for a turn, behind those who came before.
    pub(super) async fn take(self) -> Turn {
        // Its own game first: whoever waits for that is in nobody else's way. Neither is ever closed.
        let Ok(own) = self.own.acquire_owned().await else { return Turn(None) };
        let Ok(all) = self.all.acquire_owned().await else { return Turn(None) };
        Turn(Some([own, all]))
    }
}

impl Turn {
    /// Ends it.
    pub(super) fn end(self) {
        drop(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_game_has_half_of_the_turns_at_most_and_others_come_between() {
        let turns = Turns::new(4);
        let (slow, quick) = (turns.of("slow"), turns.of("quick"));
        let mut held = vec![slow.clone().take().await, slow.clone().take().await];
        // Eight more of the same game wait for it, and another game does not.
        let waiting: Vec<_> = (0..8).map(|_| tokio::spawn(slow.clone().take())).collect();
        tokio::task::yield_now().await;
        let quick: Vec<Turn> = vec![quick.clone().take().await, quick.clone().take().await];
        assert!(waiting.iter().all(|turn| !turn.is_finished()));
        quick.into_iter().for_each(Turn::end);
        // Each that ends lets one go on, in order.
        for turn in waiting {
            held.remove(0).end();
            held.push(turn.await.unwrap());
        }
        drop((held, slow));
        assert_eq!(turns.all.available_permits(), 4);
        drop(turns.of("another"));
        assert!(!turns.games.lock().unwrap().contains_key("slow"), "forgotten with its last match");
    }

    #[tokio::test]
    async fn one_worker_is_enough() {
        let turns = Turns::new(0);
        turns.of("game").take().await.end();
        turns.of("game").take().await.end();
    }
}
