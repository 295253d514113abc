//! Many matches at once: what the Game Manager adds to each step, how exactly it keeps clocks, what it takes.
//!
//! 200 matches of tic-tac-toe that begin together, with a play clock of a second; 400 players over HTTP on
//! this machine that answer after 50 to 200 ms, one answer of twenty never. All is as in `ludex serve` but the
//! pages: each step is in the database on the disk before it is told, players are asked now and then whether
//! they are there. Arguments: the number of matches, and `--json` for one line of JSON.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ludex_benches::table;
use ludex_server::driver::unix_milliseconds;
use ludex_server::manager::{Manager, ManagerOptions};
use ludex_server::model::{ClockPlan, MatchPlan, MatchStage, NewGame, PlayerKind, SeatPlan};
use ludex_server::store::{SqliteOptions, SqliteStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

const MATCHES: usize = 200;
const PLAY_CLOCK: Duration = Duration::from_secs(1);
/// What is to be reached, in milliseconds and bytes.
const ADDED_P99: f64 = 20.0;
const CLOCK_ERROR: f64 = 25.0;
const MEMORY: u64 = 500 << 20;
/// How long before they begin all matches are planned, for each of them.
const PLANNING: u64 = 20;
/// How often somebody looks whether all matches are over.
const LOOK: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let matches = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(MATCHES);
    let diary = Arc::new(Diary::default());
    let addresses = players(2 * matches, &diary);
    let folder = tempfile::tempdir().expect("a folder for the database");
    let store =
        SqliteStore::open(&folder.path().join("data"), &SqliteOptions::default()).expect("a database");
    let mut options = ManagerOptions { bundled_games: false, ..ManagerOptions::default() };
    options.matches.running = options.matches.running.max(matches);
    let manager = Manager::start(Arc::new(store), options).expect("a manager");
    let text = ludex::library::find("tic-tac-toe").expect("a bundled game").text.to_owned();
    let game = NewGame { name: "tic-tac-toe".to_owned(), text, ..NewGame::default() };
    manager.add_game(&game).expect("a game without errors");
    for (number, address) in addresses.iter().enumerate() {
        let kind = PlayerKind::Remote { address: address.to_string(), notation: Default::default() };
        manager.register_player(&format!("Stub{number}"), &kind).expect("a player");
    }
    let begin = unix_milliseconds() + matches as u64 * PLANNING;
    let ids: Vec<String> =
        (0..matches).map(|number| manager.schedule(&plan(number, begin)).expect("a match")).collect();
    if unix_milliseconds() >= begin {
        eprintln!("the matches could not be planned in time: they do not all begin together");
    }
    while manager.status().is_ok_and(|status| status.running + status.waiting > 0) {
        std::thread::sleep(LOOK);
    }
    let (mut completed, mut faults) = (0, 0);
    for id in ids {
        let detail = manager.match_detail(&id).expect("a match that was planned");
        completed += usize::from(detail.summary.stage == MatchStage::Completed);
        let record = manager.record(&id).expect("a record").in_steps().expect("a game in steps");
        let errors = record.errors.iter().flatten().filter(|error| !error.is_empty() && *error != "TO");
        faults += errors.count();
    }
    report(&diary, matches, (completed, faults), arguments.iter().any(|argument| argument == "--json"))
}

fn plan(number: usize, begin: u64) -> MatchPlan {
    let play = u64::try_from(PLAY_CLOCK.as_millis()).unwrap_or(u64::MAX);
    let seat = |player: usize| SeatPlan { player: format!("Stub{player}"), ..SeatPlan::default() };
    let seats = vec![seat(2 * number), seat(2 * number + 1)];
    let plan = MatchPlan::new("tic-tac-toe", seats, ClockPlan::new(10 * play, play));
    MatchPlan { seed: Some(number as u64), begin: Some(begin), ..plan }
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
    if body.eq_ignore_ascii_case("(info)") {
        // Whether it is heard or not says nothing about matches.
        let _ = stream.write_all(&answer_text("((name stub) (status available))")).await;
        return;
    }
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
    let said = Instant::now();
    if stream.write_all(&answer_text(&answer)).await.is_ok() {
        diary.note(place, |page| page.said.push(Some(said)));
    }
}

fn answer_text(answer: &str) -> Vec<u8> {
    format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()).into_bytes()
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
