//! Whoever guesses a token or a password does so slowly: one attempt at a time from each address, and at each account.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::StatusCode;

use super::failure::WebFailure;
use super::visitors::network;
use crate::lock::lock;

/// What a wrong token costs.
const PENALTY: Duration = Duration::from_millis(500);
/// So many attempts of an address may be waiting. More are refused, whatever they come with.
const WAITING: usize = 8;

/// Who guesses, or what is guessed at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Whom {
    /// Attempts from an address; those that came through no socket are from one, too.
    Address(Option<IpAddr>),
    /// Attempts at an account, by its key.
    Account(String),
}

type Lines = Mutex<BTreeMap<Whom, Line>>;

/// The attempts of each address that had a wrong one lately.
#[derive(Clone, Debug, Default)]
pub(super) struct Guesses(Arc<Lines>);

/// Those of one address, each of which waits for the one before.
#[derive(Debug, Default)]
struct Line {
    turn: Arc<tokio::sync::Mutex<()>>,
    attempts: usize,
}

/// A place in a line, which is given back with this.
struct Place {
    lines: Arc<Lines>,
    whom: Whom,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut lines = lock(&self.lines);
        if let Some(line) = lines.get_mut(&self.whom) {
            line.attempts -= 1;
            if line.attempts == 0 {
                lines.remove(&self.whom);
            }
        }
    }
}

impl Guesses {
    /// Tells that an attempt was right or wrong when that may be known: at once where it is right and the address
    /// had no wrong one lately, else when it is its turn. A wrong one takes its time even where nobody waits for the
    /// answer any more.
    pub(super) async fn judged(&self, whom: Whom, right: bool) -> Result<bool, WebFailure> {
        let whom = match whom {
            Whom::Address(address) => Whom::Address(address.map(network)),
            account => account,
        };
        let (place, turn) = {
            let mut lines = lock(&self.0);
            if right && !lines.contains_key(&whom) {
                return Ok(true);
            }
            let line = lines.entry(whom.clone()).or_default();
            if line.attempts >= WAITING {
                let text = "Too many wrong attempts. Try again in a few seconds.";
                return Err(WebFailure::new(StatusCode::TOO_MANY_REQUESTS, text));
            }
            line.attempts += 1;
            (Place { lines: Arc::clone(&self.0), whom: whom.clone() }, Arc::clone(&line.turn))
        };
        if right {
            let _turn = turn.lock().await;
            drop(place);
            return Ok(true);
        }
        // Where it is the first, nobody comes between this and its time.
        let first = Arc::clone(&turn).try_lock_owned().ok();
        let penalty = tokio::spawn(async move {
            let _turn = match first {
                Some(first) => first,
                None => turn.lock_owned().await,
            };
            tracing::warn!(?whom, "somebody came with a wrong token or password");
            tokio::time::sleep(PENALTY).await;
            drop(place);
        });
        // It ends by itself, or with the server.
        let _ = penalty.await;
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::future::join_all;

    use super::*;

    fn address(text: &str) -> Whom {
        Whom::Address(Some(text.parse().unwrap()))
    }

    #[expect(clippy::disallowed_methods, reason = "tests look at the clock")]
    fn now() -> std::time::Instant {
        std::time::Instant::now()
    }

    /// Attempts that come together wait for each other, and no more than so many wait.
    #[tokio::test]
    async fn wrong_ones_take_their_time_one_after_the_other() {
        let guesses = Guesses::default();
        let begun = now();
        let attempts = (0..WAITING + 2).map(|_| guesses.judged(address("192.0.2.1"), false));
        let answers = join_all(attempts).await;
        assert!(begun.elapsed() >= PENALTY * WAITING as u32, "{:?}", begun.elapsed());
        let told: Vec<bool> = answers.iter().flatten().copied().collect();
        assert_eq!(told, [false; WAITING]);
        let refused: Vec<StatusCode> =
            answers.into_iter().filter_map(Result::err).map(|f| f.status).collect();
        assert_eq!(refused, [StatusCode::TOO_MANY_REQUESTS; 2]);
        assert!(lock(&guesses.0).is_empty(), "nothing is remembered of who is gone");
    }

    /// Who goes away has not been spared the wait, and a right one says nothing sooner than a wrong one.
    #[tokio::test]
    async fn who_does_not_wait_for_the_answer_waits_the_next_time() {
        let guesses = Guesses::default();
        let (one, other) = (address("192.0.2.1"), address("192.0.2.2"));
        assert_eq!(guesses.judged(one.clone(), true).now_or_never(), Some(Ok(true)), "nothing was wrong yet");
        assert_eq!(guesses.judged(one.clone(), false).now_or_never(), None, "it went away at once");
        assert_eq!(guesses.judged(one.clone(), true).now_or_never(), None);
        assert_eq!(guesses.judged(other.clone(), true).now_or_never(), Some(Ok(true)), "others are let in");
        assert_eq!(guesses.judged(one.clone(), true).await, Ok(true), "in its turn");
        assert_eq!(guesses.judged(one.clone(), true).now_or_never(), Some(Ok(true)));
    }
}
