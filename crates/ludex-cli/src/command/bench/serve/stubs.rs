//! Players that know by heart what they play, and note when they are asked.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludex::matches::message::{Request, match_key, read_request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedSender;

use super::figures::Times;
use crate::clock;
use crate::failure::Failure;

/// A course of a game: the moves of all seats in each step.
pub(super) type Script = Vec<Vec<String>>;

/// Players, one for each seat.
#[derive(Clone)]
pub(super) struct Stubs {
    shared: Arc<Shared>,
    pub(super) addresses: Vec<SocketAddr>,
}

struct Shared {
    scripts: Vec<Script>,
    think: Duration,
    state: Mutex<State>,
    /// Told of each match that is over.
    over: UnboundedSender<String>,
}

#[derive(Default)]
struct State {
    matches: HashMap<String, Course>,
    /// From the last answer of a round to each message of the next one; none where nobody measures.
    delays: Option<Times>,
}

/// How far a match is. Its first round is that of the start messages.
struct Course {
    seats: Vec<Seat>,
    rounds: Vec<Round>,
}

#[derive(Clone, Default)]
struct Seat {
    /// How many different messages it has had.
    messages: usize,
    last: String,
    heard: Option<Instant>,
}

#[derive(Clone, Copy)]
struct Round {
    answered: usize,
    last: Instant,
}

impl Stubs {
    /// Starts the players on a thread of their own, which ends with the process.
    pub(super) fn start(
        scripts: Vec<Script>,
        think: Duration,
        over: UnboundedSender<String>,
    ) -> Result<Self, Failure> {
        let seats = scripts.iter().flatten().next().map_or(0, Vec::len);
        let failed = |error: io::Error| Failure::input(format!("there can be no players: {error}"));
        let listeners: Vec<_> = (0..seats)
            .map(|_| {
                let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
                listener.set_nonblocking(true)?;
                Ok(listener)
            })
            .collect::<io::Result<_>>()
            .map_err(failed)?;
        let addresses = listeners.iter().map(|listener| listener.local_addr());
        let addresses = addresses.collect::<io::Result<_>>().map_err(failed)?;
        let shared = Arc::new(Shared { scripts, think, state: Mutex::default(), over });
        let stubs = Self { shared, addresses };
        let own = stubs.clone();
        let runtime = super::runtime()?;
        let thread = std::thread::Builder::new().name("stubs".into());
        let serving = move || {
            runtime.block_on(async move {
                for (seat, listener) in listeners.into_iter().enumerate() {
                    if let Ok(listener) = TcpListener::from_std(listener) {
                        tokio::spawn(own.clone().serve(seat, listener));
                    }
                }
                std::future::pending::<()>().await;
            });
        };
        thread.spawn(serving).map_err(failed)?;
        Ok(stubs)
    }

    async fn serve(self, seat: usize, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let own = self.clone();
                    // A server that is killed breaks its connections.
                    tokio::spawn(async move {
                        let _ = own.answer(seat, stream).await;
                    });
                }
                // Such as too many open files: it passes.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }

    async fn answer(&self, seat: usize, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let body = read_body(&mut stream).await?;
        let now = clock::now();
        let Ok(received) = read_request(&body) else { return Ok(()) };
        let (text, id) = match received.request {
            Request::Info => ("((name stub) (status available))".to_owned(), None),
            Request::Start(start) => {
                let id = match_key(&start.id);
                // What stands in it after the name of the match does not change from match to match.
                let round = self.heard(&id, seat, "start", now);
                ("ready".to_owned(), round.map(|round| (id, round)))
            }
            Request::Play { id, .. } => {
                let id = match_key(&id);
                let round = self.heard(&id, seat, &body, now);
                tokio::time::sleep_until((now + self.shared.think).into()).await;
                let step = round.unwrap_or(1).saturating_sub(1);
                let action = self.script(&id).and_then(|script| script.get(step)?.get(seat));
                (action.cloned().unwrap_or_else(|| "noop".to_owned()), round.map(|round| (id, round)))
            }
            Request::Stop { id, .. } | Request::Abort { id } => {
                let id = match_key(&id);
                self.heard(&id, seat, &body, now);
                self.end(&id, seat);
                ("done".to_owned(), None)
            }
            Request::Preview { .. } => ("ready".to_owned(), None),
        };
        let answer = format!("HTTP/1.0 200 OK\r\nContent-length: {}\r\n\r\n{text}", text.len());
        // Noted before it is on its way: the server may be quicker than this thread.
        if let Some((id, round)) = id {
            self.answered(&id, round);
        }
        stream.write_all(answer.as_bytes()).await
    }

    /// What is played in a match.
    fn script(&self, id: &str) -> Option<&Script> {
        let number =
            id.bytes().fold(0usize, |number, byte| number.wrapping_mul(31).wrapping_add(byte.into()));
        self.shared.scripts.get(number.checked_rem(self.shared.scripts.len())?)
    }

    /// A seat has heard something: in which round. What it has heard before is of the same round again, as after a
    /// restart of the server.
    fn heard(&self, id: &str, seat: usize, text: &str, now: Instant) -> Option<usize> {
        let seats = self.addresses.len();
        let mut state = self.state();
        let course = state.matches.entry(id.to_owned());
        let course =
            course.or_insert_with(|| Course { seats: vec![Seat::default(); seats], rounds: Vec::new() });
        let own = course.seats.get_mut(seat)?;
        own.heard = Some(now);
        if own.last != text {
            text.clone_into(&mut own.last);
            own.messages += 1;
        }
        let round = own.messages.checked_sub(1)?;
        let before = round.checked_sub(1).and_then(|before| course.rounds.get(before).copied());
        if let (Some(before), Some(delays)) = (before, &mut state.delays)
            && before.answered >= seats
        {
            delays.add(now.saturating_duration_since(before.last).as_secs_f64() * 1000.0);
        }
        Some(round)
    }

    /// A seat answers in this round.
    fn answered(&self, id: &str, round: usize) {
        let now = clock::now();
        let mut state = self.state();
        let Some(course) = state.matches.get_mut(id) else { return };
        if course.rounds.len() <= round {
            course.rounds.resize(round + 1, Round { answered: 0, last: now });
        }
        course.rounds[round].answered += 1;
        course.rounds[round].last = now;
    }

    /// A seat was told the end.
    fn end(&self, id: &str, seat: usize) {
        // The last seat says it to who waits.
        if seat + 1 == self.addresses.len() {
            // Nobody may wait.
            let _ = self.shared.over.send(id.to_owned());
        }
    }

    /// When the last answer of a step was given, from 1; none where it was not.
    pub(super) fn stepped(&self, id: &str, step: usize) -> Option<Instant> {
        let state = self.state();
        let round = state.matches.get(id)?.rounds.get(step)?;
        (round.answered >= self.addresses.len()).then_some(round.last)
    }

    /// Whether all seats of a match were asked for a move since then.
    pub(super) fn is_asked_since(&self, id: &str, since: Option<Instant>) -> bool {
        let state = self.state();
        state.matches.get(id).is_some_and(|course| {
            let is_late =
                |seat: &Seat| seat.heard.is_some_and(|heard| since.is_none_or(|since| heard > since));
            course.seats.iter().all(|seat| seat.messages > 1 && is_late(seat))
        })
    }

    /// What is heard from now on is measured.
    pub(super) fn begin_measuring(&self) {
        self.state().delays = Some(Times::default());
    }

    /// What was measured since.
    pub(super) fn measured(&self) -> Times {
        self.state().delays.take().unwrap_or_default()
    }

    /// A match is forgotten.
    pub(super) fn forget(&self, id: &str) {
        self.state().matches.remove(id);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message has no more bytes than this.
const LONGEST: usize = 4 << 20;

/// The body of a message.
async fn read_body(stream: &mut TcpStream) -> io::Result<String> {
    let mut bytes = Vec::with_capacity(4096);
    loop {
        if stream.read_buf(&mut bytes).await? == 0 || bytes.len() > LONGEST {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
        let body = &bytes[end + 4..];
        if body.len() >= length {
            return Ok(String::from_utf8_lossy(&body[..length]).into_owned());
        }
    }
}
