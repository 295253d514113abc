//! Many matches at once: what the driver adds to each step, how exactly it keeps clocks, what it takes.
//!
//! 200 matches of tic-tac-toe with a play clock of a second, 400 players over HTTP on this machine that
//! answer after 50 to 200 ms, one answer of twenty never; each step goes to a journal on the disk before
//! it is told. Arguments: the number of matches, and `--json` for one line of JSON.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ludex::gdl::Notation;
use ludex::matches::referee::{Clocks, Patience, Referee, RefereeSetup, SeatNotation, SeatSetup};
use ludex::{Game, GameOptions};
use ludex_benches::table;
use ludex_server::driver::{
    Correspondent, Driver, DriverOptions, HttpClient, HttpPlayer, MatchJob, PlayerAddress,
};
use ludex_server::journal::FileJournal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

const MATCHES: usize = 200;
const PLAY_CLOCK: Duration = Duration::from_secs(1);
/// What is to be reached, in milliseconds and bytes.
const ADDED_P99: f64 = 20.0;
const CLOCK_ERROR: f64 = 25.0;
const MEMORY: u64 = 500 << 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let matches = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(MATCHES);
    let diary = Arc::new(Diary::default());
    let addresses = players(2 * matches, &diary);
    let folder = tempfile::tempdir().expect("a folder for the journal");
    let journal = FileJournal::create(folder.path().join("journal.jsonl")).expect("a journal");
    let options =
        DriverOptions { seats: u32::try_from(2 * matches).unwrap_or(u32::MAX), ..DriverOptions::default() };
    let driver = Driver::start(Box::new(journal), options).expect("threads for the driver");
    let game = Game::bundled("tic-tac-toe", &GameOptions { hasty: true, ..GameOptions::default() });
    let game = game.expect("a bundled game");
    let client = Arc::new(HttpClient::default());
    let running: Vec<_> = addresses
        .chunks(2)
        .enumerate()
        .map(|(number, pair)| {
            let referee = Referee::new(game.rules().clone(), setup(number)).expect("a match of two players");
            let player = |address: &SocketAddr| -> Arc<dyn Correspondent> {
                Arc::new(HttpPlayer {
                    client: Arc::clone(&client),
                    address: PlayerAddress::from(*address),
                    name: "Stub".to_owned(),
                    notation: Notation::Prefix,
                })
            };
            driver.run(MatchJob {
                referee,
                players: pair.iter().map(player).collect(),
                watcher: Box::new(()),
            })
        })
        .collect();
    let (mut completed, mut faults) = (0, 0);
    for match_ in running {
        let record = match_.wait().expect("a match that ends").record();
        completed += usize::from(record.is_completed);
        let errors = record.errors.iter().flatten().filter(|error| !error.is_empty() && *error != "TO");
        faults += errors.count();
    }
    report(&diary, matches, (completed, faults), arguments.iter().any(|argument| argument == "--json"))
}

fn setup(number: usize) -> RefereeSetup {
    let seat = SeatSetup {
        player: "Stub".to_owned(),
        notation: SeatNotation::Prefix,
        rulesheet: None,
        scramble: None,
    };
    RefereeSetup {
        id: format!("m{number}"),
        seed: number as u64,
        clocks: Clocks { start: 10 * PLAY_CLOCK, play: PLAY_CLOCK, bank: None, grace: Duration::ZERO },
        seats: vec![seat.clone(), seat],
        patience: Patience::Keep,
        step_limit: None,
        points_per_second: None,
        told: None,
        start_time: None,
    }
}

/// When what was heard and said, by match and message of the match.
#[derive(Default)]
struct Diary(Mutex<BTreeMap<(usize, usize), Page>>);

/// One step of a match as its two players see it.
#[derive(Default)]
struct Page {
    heard: Vec<Instant>,
    /// `None` where a player keeps silent.
    said: Vec<Option<Instant>>,
}

impl Diary {
    fn note(&self, place: (usize, usize), entry: impl FnOnce(&mut Page)) {
        entry(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(place).or_default());
    }
}

/// A player of tic-tac-toe.
struct Stub {
    number: usize,
    /// How many messages came.
    messages: usize,
    taken: Vec<usize>,
}

impl Stub {
    /// A number that looks drawn, and is the same in each run.
    fn lot(&self, question: u64, below: u64) -> u64 {
        let mut mixed = ((self.number as u64) << 32) ^ ((self.messages as u64) << 8) ^ question;
        for _ in 0..3 {
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        (mixed >> 33) % below
    }

    /// What to answer to a message.
    fn answer(&mut self, body: &str) -> String {
        let body = body.to_ascii_lowercase();
        for (at, _) in body.match_indices("(mark ").filter(|_| body.starts_with("(play")) {
            let digits: Vec<usize> = body[at..]
                .bytes()
                .filter(u8::is_ascii_digit)
                .take(2)
                .map(|d| usize::from(d - b'0'))
                .collect();
            if let [x, y] = digits[..] {
                self.taken.push(3 * (x - 1) + y - 1);
            }
        }
        if !body.starts_with("(play") {
            return "READY".to_owned();
        }
        if self.taken.len() % 2 != self.number % 2 {
            return "NOOP".to_owned();
        }
        let free: Vec<usize> = (0..9).filter(|cell| !self.taken.contains(cell)).collect();
        let cell = free[self.lot(3, free.len() as u64) as usize];
        format!("(MARK {} {})", cell / 3 + 1, cell % 3 + 1)
    }
}

/// Starts the players on a thread of their own.
fn players(count: usize, diary: &Arc<Diary>) -> Vec<SocketAddr> {
    let listeners: Vec<StdListener> =
        (0..count).map(|_| StdListener::bind("127.0.0.1:0").expect("a port")).collect();
    let addresses = listeners.iter().map(|listener| listener.local_addr().expect("an address")).collect();
    let diary = Arc::clone(diary);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            for (number, listener) in listeners.into_iter().enumerate() {
                listener.set_nonblocking(true).expect("a socket");
                let listener = TcpListener::from_std(listener).expect("a socket");
                tokio::spawn(listen(
                    listener,
                    Stub { number, messages: 0, taken: Vec::new() },
                    Arc::clone(&diary),
                ));
            }
            std::future::pending::<()>().await;
        });
    });
    addresses
}

async fn listen(listener: TcpListener, stub: Stub, diary: Arc<Diary>) {
    let stub = Arc::new(Mutex::new(stub));
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, Arc::clone(&stub), Arc::clone(&diary)));
    }
}

async fn serve(mut stream: TcpStream, stub: Arc<Mutex<Stub>>, diary: Arc<Diary>) {
    let Some(body) = read(&mut stream).await else { return };
    let heard = Instant::now();
    let (answer, delay, place) = {
        let mut stub = stub.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = stub.answer(&body);
        let silent = body.starts_with("(PLAY") && stub.lot(1, 20) == 0;
        let delay = Duration::from_millis(50 + stub.lot(2, 151));
        stub.messages += 1;
        (answer, Some(delay).filter(|_| !silent), (stub.number / 2, stub.messages))
    };
    diary.note(place, |page| page.heard.push(heard));
    let Some(delay) = delay else {
        diary.note(place, |page| page.said.push(None));
        // The other side goes when the time is up.
        let _ = stream.read(&mut [0; 1]).await;
        return;
    };
    tokio::time::sleep(delay).await;
    let text = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len());
    let said = Instant::now();
    if stream.write_all(text.as_bytes()).await.is_ok() {
        diary.note(place, |page| page.said.push(Some(said)));
    }
}

/// The body of a message.
async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-length: "))?;
            if body.len() >= length.parse().ok()? {
                return Some(body.to_owned());
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

/// What the diary says, in milliseconds: from the last answer of a step to the next message, and by how
/// much the time that a silent player got differs from the clock.
fn measured(diary: &Diary) -> (Vec<f64>, Vec<f64>) {
    let pages = diary.0.lock().unwrap_or_else(PoisonError::into_inner);
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let (mut added, mut errors) = (Vec::new(), Vec::new());
    for (&(number, message), page) in pages.iter() {
        let Some(next) = pages.get(&(number, message + 1)) else { continue };
        let (Some(&heard), Some(&last_heard)) = (page.heard.iter().min(), next.heard.iter().max()) else {
            continue;
        };
        let Some(&first_heard) = next.heard.iter().min() else { continue };
        if page.said.iter().any(Option::is_none) {
            let given = milliseconds(first_heard - heard);
            errors.push((given - milliseconds(PLAY_CLOCK)).abs());
        } else if let Some(said) = page.said.iter().flatten().max() {
            added.push(milliseconds(last_heard.saturating_duration_since(*said)));
        }
    }
    (added, errors)
}

fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = ((values.len() as f64 * share).ceil() as usize).clamp(1, values.len().max(1)) - 1;
    values.get(place).copied().unwrap_or(f64::NAN)
}

/// The most memory that this process has had, players included, in bytes.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

fn report(diary: &Diary, matches: usize, (completed, faults): (usize, usize), json: bool) -> ExitCode {
    let (mut added, mut errors) = measured(diary);
    let [added_p50, added_p99, added_max] = [0.5, 0.99, 1.0].map(|share| percentile(&mut added, share));
    let [error_p50, error_p99, error_max] = [0.5, 0.99, 1.0].map(|share| percentile(&mut errors, share));
    let memory = memory();
    let megabytes = memory.map_or_else(|| "-".to_owned(), |bytes| (bytes >> 20).to_string());
    if json {
        println!(
            "{}",
            serde_json::json!({
                "matches": matches, "completed": completed, "steps": added.len() + errors.len(),
                "added_ms": { "p50": added_p50, "p99": added_p99, "max": added_max },
                "clock_error_ms": { "p50": error_p50, "p99": error_p99, "max": error_max },
                "memory_bytes": memory,
            })
        );
    } else {
        let row = |name: &str, values: [f64; 3], count: usize, limit: String| {
            let cells = values.map(|value| format!("{value:.2}"));
            [&[name.to_owned()], &cells[..], &[count.to_string(), limit]].concat()
        };
        let rows = [
            row(
                "added to a step",
                [added_p50, added_p99, added_max],
                added.len(),
                format!("p99 {ADDED_P99}"),
            ),
            row(
                "off the clock",
                [error_p50, error_p99, error_max],
                errors.len(),
                format!("max {CLOCK_ERROR}"),
            ),
        ];
        println!("{matches} matches at once, {completed} played to the end; milliseconds:\n");
        println!("{}", table(&["what", "p50", "p99", "max", "steps", "wanted"], &rows));
        println!("memory of the process, with the players: {megabytes} MB (wanted: {} MB)", MEMORY >> 20);
    }
    let fine = completed == matches
        && faults == 0
        && added_p99 < ADDED_P99
        && error_max < CLOCK_ERROR
        && memory.is_none_or(|bytes| bytes < MEMORY);
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
