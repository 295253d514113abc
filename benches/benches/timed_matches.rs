//! Many matches in real time at once: how late the Game Manager is with what happens in them.
//!
//! 50 matches of rapid connect four between random players over HTTP on this machine, of which a unit of time lasts a
//! second. Late is how long after its time an update is written, on the disk, and can be seen. Arguments: the number of
//! matches, for how many units of game time, and `--json` for one line of JSON.

use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ludex::Playable;
use ludex::game::TimedEvent;
use ludex::matches::referee::SeatSetup;
use ludex::matches::referee::real_time::{GameClock, TimedReferee, TimedSetup};
use ludex_benches::table;
use ludex_server::driver::{
    AddressPolicy, Correspondent, Driver, DriverClock, DriverOptions, HttpClient, HttpLimits, HttpPlayer,
    MatchJob, PlayerAddress, Watcher,
};
use ludex_server::player::{PlayerOptions, PlayerServer};
use ludex_server::store::{SqliteOptions, SqliteStore, Store};

const GAME: &str = "rapid-connect-four";
const MATCHES: usize = 50;
const UNITS: u32 = 40;
const UNIT: Duration = Duration::from_secs(1);
/// What is to be reached, in milliseconds.
const LATE_P99: f64 = 10.0;

/// How late updates were, in milliseconds: those by moves, and those by what expired.
#[derive(Debug, Default)]
struct Late {
    moves: Vec<f64>,
    expired: Vec<f64>,
}

/// Looks when updates can be seen.
struct Look {
    driver: DriverClock,
    game: Option<GameClock>,
    events: usize,
    late: Arc<Mutex<Late>>,
}

impl Watcher<TimedReferee> for Look {
    fn changed(&mut self, referee: &TimedReferee) {
        self.game = referee.clock().or(self.game);
        let events = referee.course().events();
        let Some(game) = self.game else { return };
        let now = self.driver.now();
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        for event in &events[self.events..] {
            let passed = now.saturating_sub(game.moment(event.time())).as_secs_f64() * 1000.0;
            match event {
                TimedEvent::Update(update) if update.moves.is_empty() => late.expired.push(passed),
                _ => late.moves.push(passed),
            }
        }
        self.events = events.len();
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let mut numbers = arguments.iter().filter_map(|argument| argument.parse::<u32>().ok());
    let matches = numbers.next().map_or(MATCHES, |matches| matches as usize);
    let units = numbers.next().unwrap_or(UNITS);
    let mut options = PlayerOptions { strategy: "random".to_owned(), ..PlayerOptions::default() };
    options.service.matches = 2 * matches;
    let players = PlayerServer::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, options)
        .and_then(PlayerServer::start)
        .expect("players");
    let folder = tempfile::tempdir().expect("a folder for the database");
    let store =
        SqliteStore::open(&folder.path().join("data"), &SqliteOptions::default()).expect("a database");
    let driver = Driver::start(store.journal().expect("a journal"), DriverOptions::default())
        .expect("a driver of matches");
    let late = Arc::new(Mutex::new(Late::default()));
    let running: Vec<_> = (0..matches)
        .map(|number| {
            let referee = referee(number);
            let look = Look { driver: driver.clock(), game: None, events: 0, late: Arc::clone(&late) };
            let players = seats(&referee, players.address().into());
            driver.run(MatchJob { referee, players, watcher: Box::new(look) })
        })
        .collect();
    std::thread::sleep(UNIT * units);
    running.iter().for_each(|running| running.abort("enough was seen"));
    let mut completed = 0;
    for running in running {
        let referee = running.wait().expect("a match that ends");
        completed += usize::from(referee.course().status().abort_cause().is_none());
    }
    drop(players);
    let late = std::mem::take(&mut *late.lock().unwrap_or_else(PoisonError::into_inner));
    report(late, matches, completed, arguments.iter().any(|argument| argument == "--json"))
}

fn referee(number: usize) -> TimedReferee {
    let text = ludex::library::find(GAME).expect("a bundled game").text;
    let game = Playable::parse(GAME, text, &Default::default()).expect("a game without errors");
    let Playable::InTime(rules) = game else { panic!("{GAME} goes on in real time") };
    let seat = |player: &str| SeatSetup { player: player.to_owned(), ..SeatSetup::default() };
    let setup = TimedSetup {
        id: format!("m{number}"),
        seed: number as u64,
        start: Duration::from_secs(30),
        unit: UNIT,
        grace: Duration::ZERO,
        seats: vec![seat("Red"), seat("Yellow")],
        told: None,
        start_time: None,
    };
    TimedReferee::new(rules, setup).expect("a match")
}

fn seats(referee: &TimedReferee, address: PlayerAddress) -> Vec<Arc<dyn Correspondent>> {
    let client = Arc::new(HttpClient::new(AddressPolicy::Anywhere, HttpLimits::default()));
    let seats = referee.setup().seats.iter();
    seats
        .map(|seat| {
            let (client, address) = (Arc::clone(&client), address.clone());
            let (name, notation) = (seat.player.clone(), seat.notation.into());
            Arc::new(HttpPlayer { client, address, name, notation, secret: None }) as Arc<dyn Correspondent>
        })
        .collect()
}

/// A value that so many of a hundred do not exceed.
fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len() * percent).div_ceil(100).max(1) - 1;
    values.get(place).copied().unwrap_or(0.0)
}

fn report(mut late: Late, matches: usize, completed: usize, json: bool) -> ExitCode {
    let heading = ["updates", "how many", "p50 ms", "p99 ms", "most ms"];
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut worst = 0.0f64;
    let mut told = serde_json::Map::new();
    for (name, values) in [("by a move", &mut late.moves), ("by time alone", &mut late.expired)] {
        let [half, most_of_all, most] = [50, 99, 100].map(|percent| percentile(values, percent));
        worst = worst.max(most_of_all);
        let texts = [half, most_of_all, most].map(|value| format!("{value:.2}"));
        rows.push([&[name.to_owned(), values.len().to_string()][..], &texts[..]].concat());
        let told_values =
            serde_json::json!({ "updates": values.len(), "p50": half, "p99": most_of_all, "most": most });
        told.insert(name.to_owned(), told_values);
    }
    if json {
        println!("{}", serde_json::json!({ "matches": matches, "completed": completed, "late": told }));
    } else {
        println!("{matches} matches in real time at once, {completed} played to their end");
        print!("{}", table(&heading, &rows));
        println!("at most {LATE_P99} ms wanted for 99 of 100");
    }
    if worst <= LATE_P99 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
