//! Many matches at once, and who watches them.

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::client::{Connection, connect};
use super::figures::Times;
use super::stubs::{Script, Stubs};
use crate::clock;
use crate::failure::Failure;

/// A game, by heart.
pub(super) struct Piece {
    pub(super) game: String,
    /// Some courses of it; each match has one of them.
    pub(super) scripts: Vec<Script>,
}

/// Matches that go on all the time: where one is over, the next one begins in its place.
pub(super) struct Load {
    address: SocketAddr,
    pub(super) stubs: Stubs,
    plan: Value,
    over: UnboundedReceiver<String>,
    places: Vec<watch::Sender<String>>,
    /// Which place a match has.
    matches: HashMap<String, usize>,
}

/// So many requests for matches are under way at a time.
const ASKING: usize = 8;
/// How long matches may take to begin, and to go on after a restart.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_millis(20);
/// How often the server is asked which of them are over.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// Clocks that nobody needs, in milliseconds.
const CLOCK: u64 = 600_000;

impl Load {
    /// Makes the players known to a server.
    pub(super) async fn begin(address: SocketAddr, piece: &Piece, think: Duration) -> Result<Self, Failure> {
        let (said, over) = unbounded_channel();
        let stubs = Stubs::start(piece.scripts.clone(), think, said)?;
        let mut connection = Connection::open(None, address).await.map_err(gone)?;
        let mut seats = Vec::new();
        for (number, stub) in stubs.addresses.iter().enumerate() {
            let name = format!("bench-stub-{number}");
            let kind = json!({ "kind": "remote", "address": stub.to_string(), "name": name });
            let (status, said) = connection.send("POST", "/api/players", &kind).await.map_err(gone)?;
            if status == 409 {
                let path = format!("/api/players/{name}");
                let (status, said) = connection.send("PUT", &path, &kind).await.map_err(gone)?;
                is_fine(status, &said)?;
            } else {
                is_fine(status, &said)?;
            }
            seats.push(json!({ "player": name }));
        }
        let clocks = json!({ "start": CLOCK, "play": CLOCK });
        let plan = json!({ "game": piece.game, "seats": seats, "clocks": clocks });
        Ok(Self { address, stubs, plan, over, places: Vec::new(), matches: HashMap::new() })
    }

    /// Has so many matches begin, and waits until all of them run.
    pub(super) async fn fill(&mut self, count: usize, report: &dyn Fn(u64)) -> Result<(), Failure> {
        let (address, plan) = (self.address, Arc::new(self.plan.clone()));
        let mut asking = JoinSet::new();
        let left = Arc::new(Mutex::new(count));
        for _ in 0..ASKING {
            let (plan, left) = (Arc::clone(&plan), Arc::clone(&left));
            asking.spawn(async move {
                let mut connection = Connection::open(None, address).await.map_err(gone)?;
                let mut made = Vec::new();
                while take_one(&left) {
                    made.push(schedule(&mut connection, &plan).await?);
                }
                Ok::<_, Failure>(made)
            });
        }
        while let Some(made) = asking.join_next().await {
            let made = made.map_err(|error| Failure::input(error.to_string()))??;
            for id in made {
                self.matches.insert(id.clone(), self.places.len());
                self.places.push(watch::Sender::new(id));
            }
        }
        self.until_all_are_asked(None, report).await
    }

    /// Waits until the players of all matches were asked for a move, since then if that is said. A match that was over by
    /// then, or ended meanwhile, has nothing to ask them.
    pub(super) async fn until_all_are_asked(
        &mut self,
        since: Option<Instant>,
        report: &dyn Fn(u64),
    ) -> Result<(), Failure> {
        let begun = clock::now();
        let mut looked = begun;
        let mut over = BTreeSet::new();
        loop {
            let ids: Vec<String> = self.places.iter().map(|place| place.borrow().clone()).collect();
            let is_waiting = |id: &&String| !self.stubs.is_asked_since(id, since) && !over.contains(*id);
            let waiting: Vec<&String> = ids.iter().filter(is_waiting).collect();
            report((ids.len() - waiting.len()) as u64);
            if waiting.is_empty() {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                return Err(Failure::input(format!(
                    "{} of {} matches do not go on",
                    waiting.len(),
                    ids.len()
                )));
            }
            if since.is_none() {
                self.replace().await?;
            } else if looked.elapsed() > ASK_AGAIN {
                let mut connection = Connection::open(None, self.address).await.map_err(gone)?;
                for id in waiting.into_iter().cloned().collect::<Vec<_>>() {
                    if is_over(&mut connection, &id).await? {
                        over.insert(id);
                    }
                }
                looked = clock::now();
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Keeps as many matches going as there are, for so long.
    pub(super) async fn keep_on(&mut self, time: Duration, report: &dyn Fn(u64)) -> Result<(), Failure> {
        let begun = clock::now();
        while begun.elapsed() < time {
            self.replace().await?;
            report(begun.elapsed().as_secs());
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// What the stubs hear in so long, after what they answered last.
    pub(super) async fn measure(&mut self, time: Duration, report: &dyn Fn(u64)) -> Result<Times, Failure> {
        self.stubs.begin_measuring();
        self.keep_on(time, report).await?;
        Ok(self.stubs.measured())
    }

    /// The next match in each place where one is over.
    async fn replace(&mut self) -> Result<(), Failure> {
        // One that is kept without a request is closed by the server after some time.
        let mut connection = None;
        while let Ok(over) = self.over.try_recv() {
            let Some(place) = self.matches.remove(&over) else { continue };
            let open = match &mut connection {
                Some(open) => open,
                None => connection.insert(Connection::open(None, self.address).await.map_err(gone)?),
            };
            let id = schedule(open, &self.plan).await?;
            self.matches.insert(id.clone(), place);
            if let Some(place) = self.places.get(place) {
                place.send_replace(id);
            }
            self.stubs.forget(&over);
        }
        Ok(())
    }

    /// The same matches at a server that was started again.
    pub(super) fn move_to(&mut self, address: SocketAddr) {
        self.address = address;
    }

    /// Ends all matches.
    pub(super) async fn end(mut self) -> Result<(), Failure> {
        let why = json!({ "why": "the measurement is over" });
        let mut connection = Connection::open(None, self.address).await.map_err(gone)?;
        for id in std::mem::take(&mut self.matches).into_keys() {
            // It may be over by itself.
            let path = format!("/api/matches/{id}/abort");
            connection.send("POST", &path, &why).await.map_err(gone)?;
        }
        Ok(())
    }

    /// Has so many watch live streams, each of a match, from now until what comes back is dropped.
    pub(super) fn watch(&self, count: usize) -> Watchers {
        let seen = Arc::<Mutex<Seen>>::default();
        let mut tasks = JoinSet::new();
        for number in 0..count {
            if self.places.is_empty() {
                break;
            }
            let place = self.places[number % self.places.len()].subscribe();
            let watcher =
                Watcher { address: self.address, stubs: self.stubs.clone(), seen: Arc::clone(&seen) };
            tasks.spawn(watcher.watch(place));
        }
        Watchers { seen, _tasks: tasks }
    }
}

fn take_one(left: &Mutex<usize>) -> bool {
    let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
    let has_one = *left > 0;
    *left -= usize::from(has_one);
    has_one
}

async fn schedule(connection: &mut Connection, plan: &Value) -> Result<String, Failure> {
    let (status, said) = connection.send("POST", "/api/matches", plan).await.map_err(gone)?;
    is_fine(status, &said)?;
    let id = said["id"].as_str().map(str::to_owned);
    id.ok_or_else(|| Failure::input("the server made a match without a name"))
}

/// Whether the server says that a match is over.
async fn is_over(connection: &mut Connection, id: &str) -> Result<bool, Failure> {
    let path = format!("/api/matches/{id}");
    let (status, said) = connection.send("GET", &path, &Value::Null).await.map_err(gone)?;
    is_fine(status, &said)?;
    Ok(matches!(said["summary"]["stage"].as_str(), Some("completed" | "aborted")))
}

/// Who watches.
pub(super) struct Watchers {
    seen: Arc<Mutex<Seen>>,
    _tasks: JoinSet<()>,
}

/// What those who watch have seen.
#[derive(Debug, Default)]
struct Seen {
    open: usize,
    measures: bool,
    /// From the last answer of a step until the event with the step is there.
    delays: Times,
    /// Streams that could not be had, or broke.
    broken: usize,
}

impl Watchers {
    /// How many see a stream now.
    pub(super) fn open(&self) -> usize {
        lock(&self.seen).open
    }

    pub(super) fn begin_measuring(&self) {
        let mut seen = lock(&self.seen);
        (seen.measures, seen.broken, seen.delays) = (true, 0, Times::default());
    }

    /// What was measured, and how many streams broke meanwhile.
    pub(super) fn measured(&self) -> (Times, usize) {
        let mut seen = lock(&self.seen);
        seen.measures = false;
        (std::mem::take(&mut seen.delays), seen.broken)
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Somebody who watches what is played in one place.
struct Watcher {
    address: SocketAddr,
    stubs: Stubs,
    seen: Arc<Mutex<Seen>>,
}

/// Who has lost a stream waits a moment before the next try.
const PAUSE: Duration = Duration::from_millis(200);

impl Watcher {
    async fn watch(self, mut place: watch::Receiver<String>) {
        loop {
            let id = place.borrow_and_update().clone();
            let result = self.follow(&id).await;
            if result.is_err() {
                lock(&self.seen).broken += 1;
            }
            // The next match, or another try.
            let _ = tokio::time::timeout(PAUSE, place.changed()).await;
        }
    }

    /// Follows a match to its end.
    async fn follow(&self, id: &str) -> std::io::Result<()> {
        let mut stream = connect(None, self.address).await?;
        // Version 1.0, so that the events come as they are.
        let request = format!("GET /matches/{id}/live HTTP/1.0\r\nHost: {}\r\n\r\n", self.address);
        stream.write_all(request.as_bytes()).await?;
        let _open = Open::new(&self.seen);
        let mut bytes = Vec::with_capacity(16 << 10);
        let mut is_head = true;
        let mut last = 0;
        loop {
            if stream.read_buf(&mut bytes).await? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let now = clock::now();
            while let Some(end) = end_of_part(&bytes, is_head) {
                let part: Vec<u8> = bytes.drain(..end).collect();
                if std::mem::take(&mut is_head) {
                    if !part.starts_with(b"HTTP/1.0 200") && !part.starts_with(b"HTTP/1.1 200") {
                        return Err(std::io::Error::other("there is no stream"));
                    }
                    continue;
                }
                if let Some(step) = step_of(&part).filter(|&step| step > last) {
                    // The first one shows what was there already.
                    if last > 0
                        && let Some(stepped) = self.stubs.stepped(id, step)
                    {
                        self.note(now.saturating_duration_since(stepped));
                    }
                    last = step;
                }
                if part.starts_with(b"event: over") {
                    return Ok(());
                }
            }
        }
    }

    fn note(&self, delay: Duration) {
        let mut seen = lock(&self.seen);
        if seen.measures {
            seen.delays.add(delay.as_secs_f64() * 1000.0);
        }
    }
}

/// A stream that is open.
struct Open<'a>(&'a Mutex<Seen>);

impl<'a> Open<'a> {
    fn new(seen: &'a Mutex<Seen>) -> Self {
        lock(seen).open += 1;
        Self(seen)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        lock(self.0).open -= 1;
    }
}

/// Where the head of an answer or an event ends.
fn end_of_part(bytes: &[u8], is_head: bool) -> Option<usize> {
    let end: &[u8] = if is_head { b"\r\n\r\n" } else { b"\n\n" };
    bytes.windows(end.len()).position(|window| window == end).map(|place| place + end.len())
}

/// Which step an event shows: what a page says of it.
fn step_of(part: &[u8]) -> Option<usize> {
    const BEFORE: &[u8] = b"class=\"faint\">step ";
    let place = part.windows(BEFORE.len()).position(|window| window == BEFORE)? + BEFORE.len();
    let digits = part[place..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&part[place..place + digits]).ok()?.parse().ok()
}

pub(super) fn gone(error: std::io::Error) -> Failure {
    Failure::input(format!("the server does not answer: {error}"))
}

/// An error where a server refuses what it was asked for.
pub(super) fn is_fine(status: u16, said: &Value) -> Result<(), Failure> {
    match status {
        200..300 => Ok(()),
        _ => Err(Failure::input(format!("the server refuses with {status}: {}", said["error"]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_apart_and_say_their_step() {
        let text =
            b"HTTP/1.0 200 OK\r\nA: b\r\n\r\nevent: part\ndata: <p class=\"faint\">step 12 of</p>\n\nevent";
        let head = end_of_part(text, true).unwrap();
        assert!(text[head..].starts_with(b"event: part"));
        let event = end_of_part(&text[head..], false).unwrap();
        assert_eq!(step_of(&text[head..head + event]), Some(12));
        assert_eq!(end_of_part(&text[head + event..], false), None);
        assert_eq!(step_of(b"class=\"faint\">step x"), None);
    }
}
