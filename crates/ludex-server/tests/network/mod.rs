//! Matches of tic-tac-toe between players of all kinds, for tests.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ludex::gdl::Notation;
use ludex::matches::message::{Last, Request};
use ludex::matches::referee::{Clocks, Patience, Referee, RefereeSetup, SeatSetup};
use ludex::{Game, GameOptions, MatchRecord, Rules};
use ludex_server::driver::{Asking, Correspondent, Driver, DriverOptions, HttpClient, HttpPlayer, MatchJob};
use ludex_server::journal::Journal;

pub fn rules(name: &str) -> Rules {
    let options = GameOptions { hasty: true, ..GameOptions::default() };
    Game::bundled(name, &options).unwrap().rules().clone()
}

pub const fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// What two players agree on who have `play` for each move.
pub fn setup(id: &str, play: Duration) -> RefereeSetup {
    let seat = |name: &str| SeatSetup { player: name.to_owned(), ..SeatSetup::default() };
    RefereeSetup {
        given: Vec::new(),
        records: None,
        id: id.to_owned(),
        seed: 7,
        clocks: Clocks { start: play, play, bank: None, grace: Duration::ZERO },
        seats: vec![seat("Alpha"), seat("Beta")],
        patience: Patience::Keep,
        step_limit: None,
        time_cost: None,
        told: None,
        start_time: None,
    }
}

pub fn job(referee: Referee, players: Vec<Arc<dyn Correspondent>>) -> MatchJob {
    MatchJob { referee, players, watcher: Box::new(()) }
}

/// Runs one match to its end.
pub fn play(
    journal: impl Journal + 'static,
    setup: RefereeSetup,
    players: Vec<Arc<dyn Correspondent>>,
) -> MatchRecord {
    let driver = Driver::start(Box::new(journal), DriverOptions::default()).unwrap();
    let referee = Referee::new(rules("tic-tac-toe"), setup).unwrap();
    driver.run(job(referee, players)).wait().unwrap().record()
}

/// A player over HTTP.
pub fn over_http(address: &str) -> Arc<dyn Correspondent> {
    Arc::new(HttpPlayer {
        client: Arc::new(HttpClient::default()),
        address: address.parse().unwrap(),
        name: "Player".to_owned(),
        notation: Notation::Prefix,
        secret: None,
    })
}

/// Looks at a message.
pub type OnAsk = Arc<dyn Fn(&Request) + Send + Sync>;

/// A player of tic-tac-toe without a network. It keeps what it was told and when.
#[derive(Clone, Default)]
pub struct Stub {
    pub heard: Arc<Mutex<Vec<(Instant, Request)>>>,
    /// It answers after so long; never, where that is `None`.
    pub after: Option<Duration>,
    /// Called with each message before anything else.
    pub on_ask: Option<OnAsk>,
}

impl Stub {
    pub fn after(delay: Duration) -> Self {
        Self { after: Some(delay), ..Self::default() }
    }

    pub fn silent() -> Self {
        Self::default()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.heard.lock().unwrap().iter().map(|(_, request)| request.clone()).collect()
    }

    /// The time between the beginning of one message and that of the next.
    pub fn gaps(&self) -> Vec<Duration> {
        let heard = self.heard.lock().unwrap();
        heard.windows(2).map(|pair| pair[1].0 - pair[0].0).collect()
    }
}

impl Correspondent for Stub {
    fn ask(&self, request: &Request) -> Asking {
        if let Some(on_ask) = &self.on_ask {
            on_ask(request);
        }
        let mut heard = self.heard.lock().unwrap();
        heard.push((now(), request.clone()));
        let answer = answer(&heard.iter().map(|(_, request)| request.clone()).collect::<Vec<_>>());
        let after = self.after;
        Box::pin(async move {
            match after {
                Some(delay) => tokio::time::sleep(delay).await,
                None => std::future::pending().await,
            }
            Ok(answer.into_bytes())
        })
    }
}

#[expect(clippy::disallowed_methods, reason = "tests look at the clock")]
pub fn now() -> Instant {
    Instant::now()
}

/// What a player of tic-tac-toe answers to the last of the messages it heard: ready, or the first free
/// cell when it is its turn.
fn answer(heard: &[Request]) -> String {
    let role = heard.iter().find_map(|request| match request {
        Request::Start(start) => Some(start.role.clone()),
        _ => None,
    });
    match heard.last() {
        Some(Request::Start(_)) => "READY".to_owned(),
        Some(Request::Play { .. }) => {
            let mut steps: Vec<&Vec<String>> = Vec::new();
            for request in heard {
                if let Request::Play { last: Last::Joint(joint), .. } = request
                    && steps.last() != Some(&&**joint)
                {
                    steps.push(joint);
                }
            }
            let turn = if steps.len().is_multiple_of(2) { "white" } else { "black" };
            let taken = |cell: &String| steps.iter().any(|joint| joint.contains(cell));
            let cells = (1..=3).flat_map(|x| (1..=3).map(move |y| format!("(mark {x} {y})")));
            let free = cells.into_iter().find(|cell| !taken(cell)).unwrap_or_default();
            if role.as_deref() == Some(turn) { free } else { "noop".to_owned() }
        }
        _ => "DONE".to_owned(),
    }
}

/// A program that listens and does what it likes with each connection. Its thread ends with it.
pub struct Program {
    pub address: SocketAddr,
    stopped: Arc<AtomicBool>,
    pub connections: Arc<Mutex<Vec<Instant>>>,
}

impl Program {
    /// Each connection gets a thread that does this.
    pub fn start(behaviour: impl Fn(&mut TcpStream, &AtomicBool) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let stopped = Arc::new(AtomicBool::new(false));
        let connections = Arc::new(Mutex::new(Vec::new()));
        let (behaviour, heard) = (Arc::new(behaviour), Arc::clone(&connections));
        let stop = Arc::clone(&stopped);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(mut stream) = stream else { continue };
                heard.lock().unwrap().push(now());
                let (behaviour, stop) = (Arc::clone(&behaviour), Arc::clone(&stop));
                std::thread::spawn(move || behaviour(&mut stream, &stop));
            }
        });
        Self { address, stopped, connections }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Wakes it.
        let _ = TcpStream::connect(self.address);
    }
}

/// Reads a request to its end: the head and the body.
pub fn read_request(stream: &mut TcpStream) -> (String, String) {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-length: "));
            if body.len() >= length.unwrap().parse().unwrap() {
                return (head.to_owned(), body.to_owned());
            }
        }
        let count = stream.read(&mut piece).unwrap_or(0);
        assert!(count > 0, "a whole request: {text}");
        bytes.extend_from_slice(&piece[..count]);
    }
}

/// Writes as much as the other side takes.
pub fn write(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    stream.write_all(bytes).is_ok()
}

/// Closes a connection so that all that was written arrives.
pub fn close(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.read(&mut [0; 1]);
}
